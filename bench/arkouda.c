/*
 * Arkouda's files, one of each of four locales, read as Arrow beside reading their bytes:
 *
 *     bench_arkouda DIRECTORY [MILLIONS [PATH]]
 *
 * Makes arrays of so many million numbers in the directory (8), in the page cache: integers,
 * floats, bools (eight times as many, for as many bytes), strings of 12 bytes and their NULs (100
 * million bytes of them with 8 million), lists of three integers, categories, and integers of two
 * limbs. Each is alone in its files. For each, or one of them, the least time of many runs through
 * the whole of it, in batches, against the least time of reading the same files, as cat does; and
 * the least time that the processors took, all of them together, where others are at work too.
 */
#include <fcntl.h>
#include <inttypes.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <stoa/stoa.h>

enum { LOCALES = 4, TIMES = 60, TEXT = 13, ITEMS = 3, LABELS = 100, BLOCK = 1 << 17 };

/* Since some moment, and of this process's processors. */
typedef struct moment {
    double wall;
    double work;
} moment;

static double seconds(clockid_t clock)
{
    struct timespec time;

    (void)clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static moment now(void)
{
    return (moment){seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID)};
}

/* The least of what was measured, each by itself. */
static void keep_least(moment *least, moment began)
{
    const moment ended = now();
    const moment took = {ended.wall - began.wall, ended.work - began.work};

    least->wall = took.wall < least->wall ? took.wall : least->wall;
    least->work = took.work < least->work ? took.work : least->work;
}

static void fail(const char *what, const stoa_error *err)
{
    fprintf(stderr, "bench_arkouda: %s: %s\n", what, err != NULL ? err->message : "failed");
    exit(EXIT_FAILURE);
}

static void must(bool holds, const char *what)
{
    if (!holds) {
        fail(what, NULL);
    }
}

/* --- files ----------------------------------------------------------------------------------- */

static void say(hid_t object, const char *name, int64_t value)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute =
        H5Acreate2(object, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);

    must(H5Awrite(attribute, H5T_NATIVE_INT64, &value) >= 0, name);
    (void)H5Aclose(attribute);
    (void)H5Sclose(space);
}

static void put(hid_t loc, const char *name, hid_t type, size_t n, const void *values, bool is_bool)
{
    const hsize_t extent = n;
    const hid_t space = H5Screate_simple(1, &extent, NULL);
    const hid_t dataset = H5Dcreate2(loc, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);

    must(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0, name);
    say(dataset, "ObjType", 1);
    if (is_bool) {
        say(dataset, "isBool", 1);
    }
    (void)H5Dclose(dataset);
    (void)H5Sclose(space);
}

static hid_t put_group(hid_t file, const char *name, int64_t kind)
{
    const hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);

    must(group >= 0, name);
    say(group, "ObjType", kind);
    return group;
}

/* Where each of n things of equal size begins. */
static void put_starts(hid_t group, size_t n, size_t size)
{
    int64_t *const starts = malloc((n + 1) * sizeof *starts);

    must(starts != NULL, "memory");
    for (size_t i = 0; i < n; i++) {
        starts[i] = (int64_t)(i * size);
    }
    put(group, "segments", H5T_STD_I64LE, n, starts, false);
    free(starts);
}

static void put_strings(hid_t file, const char *name, size_t n, uint64_t first)
{
    char *const text = malloc(n * TEXT);
    const hid_t group = put_group(file, name, 2);

    must(text != NULL, "memory");
    for (size_t i = 0; i < n; i++) {
        char number[32];
        (void)snprintf(number, sizeof number, "name%08" PRIu64, (first + i) * 7919 % 100000000);
        memcpy(text + i * TEXT, number, TEXT);
    }
    put(group, "values", H5T_STD_U8LE, n * TEXT, text, false);
    put_starts(group, n, TEXT);
    (void)H5Gclose(group);
    free(text);
}

static void put_lists(hid_t file, const char *name, size_t n, const int64_t *numbers)
{
    const hid_t lists = put_group(file, name, 3);

    put(lists, "values", H5T_STD_I64LE, n - n % ITEMS, numbers, false);
    put_starts(lists, n / ITEMS, ITEMS);
    (void)H5Gclose(lists);
}

static void put_wide(hid_t file, const char *name, size_t n, const int64_t *numbers)
{
    const hid_t wide = put_group(file, name, 1);

    say(wide, "isBigInt", 1);
    say(wide, "MaxBits", -1);
    say(wide, "NumLimbs", 2);
    put(wide, "Limb_0", H5T_STD_U64LE, n, numbers, false);
    put(wide, "Limb_1", H5T_STD_U64LE, n, numbers, false);
    (void)H5Gclose(wide);
}

static void put_categories(hid_t file, const char *name, size_t n, int64_t *numbers)
{
    static const int64_t none = LABELS - 1;
    const hid_t category = put_group(file, name, 4);

    for (size_t i = 0; i < n; i++) {
        numbers[i] %= LABELS;
    }
    put(category, "codes", H5T_STD_I64LE, n, numbers, false);
    put(category, "NA_Codes", H5T_STD_I64LE, 1, &none, false);
    put_strings(category, "categories", LABELS, 0);
    (void)H5Gclose(category);
}

/* The n numbers from `first` on in a file of one locale, as the kind has them. */
static void put_kind(hid_t file, const char *name, size_t n, uint64_t first, int64_t *numbers)
{
    double *const floats = (double *)(void *)numbers;
    uint8_t *const bools = (uint8_t *)(void *)numbers;

    for (size_t i = 0; i < n; i++) {
        const uint64_t number = (first + i) * 2654435761u % 1000003;
        if (*name == 'f') {
            floats[i] = (double)number / 7;
        } else if (*name == 'b' && name[1] == '\0') {
            bools[i] = number % 2 == 0;
        } else {
            numbers[i] = (int64_t)number;
        }
    }
    if (strcmp(name, "i") == 0 || strcmp(name, "f") == 0) {
        put(file, name, *name == 'i' ? H5T_STD_I64LE : H5T_IEEE_F64LE, n, numbers, false);
    } else if (strcmp(name, "b") == 0) {
        put(file, name, H5T_STD_U8LE, n, numbers, true);
    } else if (strcmp(name, "s") == 0) {
        put_strings(file, name, n, first);
    } else if (strcmp(name, "big") == 0) {
        put_wide(file, name, n, numbers);
    } else if (strcmp(name, "segarray") == 0) {
        put_lists(file, name, n, numbers);
    } else {
        put_categories(file, name, n, numbers);
    }
}

static void make(const char *file_name, const char *name, size_t n, uint64_t first)
{
    const hid_t file = H5Fcreate(file_name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    int64_t *const numbers = malloc(n * sizeof *numbers);

    must(file >= 0 && numbers != NULL, file_name);
    say(file, "File_Format", 1);
    put_kind(file, name, n, first, numbers);
    (void)H5Fclose(file);
    free(numbers);
}

/* --- reading --------------------------------------------------------------------------------- */

typedef char file_names[LOCALES][4096];

static void read_bytes(file_names names, moment *least)
{
    static char block[BLOCK];
    const moment began = now();

    for (int k = 0; k < LOCALES; k++) {
        const int fd = open(names[k], O_RDONLY);
        ssize_t n = 1;
        must(fd >= 0, names[k]);
        while (n > 0) {
            n = read(fd, block, BLOCK);
            must(n >= 0, names[k]);
        }
        (void)close(fd);
    }
    keep_least(least, began);
}

static void read_table(hid_t file, const char *path, uint64_t n_rows, moment *least)
{
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    struct ArrowArrayStream stream = {.release = NULL};
    struct ArrowArray batch;
    stoa_query *query = NULL;
    stoa_table *table = NULL;
    stoa_error err = STOA_ERROR_INIT;
    uint64_t n = 0;
    const moment began = now();

    if (stoa_table_open(file, path, &table, &err) != STOA_OK ||
        stoa_query_open(table, &options, &query, &err) != STOA_OK ||
        stoa_query_run(query, &stream, &err) != STOA_OK) {
        fail(path, &err);
    }
    while (stream.get_next(&stream, &batch) == 0 && batch.release != NULL) {
        n += (uint64_t)batch.length;
        batch.release(&batch);
    }
    must(n == n_rows, path);
    stream.release(&stream);
    stoa_query_close(query);
    stoa_table_close(table);
    keep_least(least, began);
}

static void measure(file_names names, const char *path, uint64_t n_rows, uint64_t n_bytes)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = NULL;
    moment bytes = {1e9, 1e9};
    moment arrow = {1e9, 1e9};

    if (stoa_file_open(names[0], STOA_FILE_READ, &file, &err) != STOA_OK) {
        fail(names[0], &err);
    }
    for (int i = 0; i < TIMES; i++) {
        read_bytes(names, &bytes);
        read_table(stoa_file_id(file), path, n_rows, &arrow);
    }
    stoa_file_close(file);
    printf("%-10s %6.1f MB %8.1f ms, of bytes %8.1f ms, ratio %5.2f; work %8.1f ms, of bytes %8.1f "
           "ms, ratio %5.2f\n",
           path, 1e-6 * (double)n_bytes, 1e3 * arrow.wall, 1e3 * bytes.wall,
           arrow.wall / bytes.wall, 1e3 * arrow.work, 1e3 * bytes.work, arrow.work / bytes.work);
}

typedef struct kind {
    const char *path;
    uint64_t row_bytes; /* in the files */
    uint64_t row_of;    /* numbers, so many of which are a row */
    uint64_t times;     /* as many numbers as others have */
} kind;

static const kind kinds[] = {{"/i", 8, 1, 1},       {"/f", 8, 1, 1},
                             {"/b", 1, 1, 8},       {"/s", TEXT + 8, 1, 1},
                             {"/big", 16, 1, 1},    {"/segarray", (ITEMS + 1) * 8, ITEMS, 1},
                             {"/category", 8, 1, 1}};

static void make_and_measure(const char *directory, const kind *is, uint64_t n_numbers)
{
    static file_names names;
    const uint64_t n = n_numbers * is->times / LOCALES; /* of a file */
    const uint64_t n_rows = n / is->row_of * LOCALES;

    for (int k = 0; k < LOCALES; k++) {
        (void)snprintf(names[k], sizeof names[k], "%s/bench_LOCALE%04d.h5", directory, k);
        make(names[k], is->path + 1, n, (uint64_t)k * n);
    }
    measure(names, is->path, n_rows, is->row_bytes * n_rows);
    for (int k = 0; k < LOCALES; k++) {
        (void)unlink(names[k]);
    }
}

int main(int argc, char **argv)
{
    const uint64_t n = (argc > 2 ? strtoull(argv[2], NULL, 10) : 8) * 1000000;

#ifdef __GLIBC__
    (void)mallopt(M_MMAP_THRESHOLD, 4 << 20); /* as the program stoa does */
    (void)mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
    if (argc < 2 || n < LOCALES) {
        fprintf(stderr, "usage: bench_arkouda DIRECTORY [MILLIONS [PATH]]\n");
        return EXIT_FAILURE;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (argc < 4 || strcmp(argv[3], kinds[i].path) == 0) {
            make_and_measure(argv[1], &kinds[i], n);
        }
    }
    return EXIT_SUCCESS;
}
