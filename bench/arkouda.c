/*
 * Arkouda's files, one of each of four locales, read as Arrow beside reading their bytes:
 *
 *     bench_arkouda DIRECTORY [MILLIONS [PATH]]
 *
 * Makes arrays of so many million rows in the directory (8), in the page cache: integers, floats,
 * bools, strings of 12 bytes and their NULs (100 million bytes of them with 8 million rows), lists
 * of three integers, categories, and integers of two limbs. For each array, or one of them, the
 * least time of many runs through the whole of it, in batches, against the least time of reading as
 * many bytes of the files, as cat does.
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

enum { LOCALES = 4, TIMES = 15, TEXT = 13, ITEMS = 3, LABELS = 100, BLOCK = 1 << 17 };

static double now(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
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

/* Lists, categories and wide integers of the same numbers. */
static void put_groups(hid_t file, size_t n, int64_t *numbers)
{
    static const int64_t none = LABELS - 1;
    const hid_t lists = put_group(file, "segarray", 3);
    const hid_t category = put_group(file, "category", 4);
    const hid_t big = put_group(file, "big", 1);

    say(big, "isBigInt", 1);
    say(big, "MaxBits", -1);
    say(big, "NumLimbs", 2);
    put(big, "Limb_0", H5T_STD_U64LE, n, numbers, false);
    put(big, "Limb_1", H5T_STD_U64LE, n, numbers, false);
    put(lists, "values", H5T_STD_I64LE, n - n % ITEMS, numbers, false);
    put_starts(lists, n / ITEMS, ITEMS);
    for (size_t i = 0; i < n; i++) {
        numbers[i] %= LABELS;
    }
    put(category, "codes", H5T_STD_I64LE, n, numbers, false);
    put(category, "NA_Codes", H5T_STD_I64LE, 1, &none, false);
    put_strings(category, "categories", LABELS, 0);
    (void)H5Gclose(lists);
    (void)H5Gclose(category);
    (void)H5Gclose(big);
}

static void make(const char *name, size_t n, uint64_t first)
{
    const hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    int64_t *const numbers = malloc(n * sizeof *numbers);
    double *const floats = malloc(n * sizeof *floats);
    uint8_t *const bools = malloc(n);

    must(file >= 0 && numbers != NULL && floats != NULL && bools != NULL, name);
    for (size_t i = 0; i < n; i++) {
        numbers[i] = (int64_t)((first + i) * 2654435761u % 1000003);
        floats[i] = (double)numbers[i] / 7;
        bools[i] = numbers[i] % 2 == 0;
    }
    say(file, "File_Format", 1);
    put(file, "i", H5T_STD_I64LE, n, numbers, false);
    put(file, "f", H5T_IEEE_F64LE, n, floats, false);
    put(file, "b", H5T_STD_U8LE, n, bools, true);
    put_strings(file, "s", n, first);
    put_groups(file, n, numbers);
    (void)H5Fclose(file);
    free(numbers);
    free(floats);
    free(bools);
}

/* --- reading --------------------------------------------------------------------------------- */

/* The first so many bytes of the set's files, a part of each. */
static double read_bytes(char names[LOCALES][4096], uint64_t n_bytes)
{
    static char block[BLOCK];
    const double began = now();

    for (int k = 0; k < LOCALES; k++) {
        const int fd = open(names[k], O_RDONLY);
        ssize_t n = 1;
        for (uint64_t left = n_bytes / LOCALES; left > 0 && n > 0; left -= (uint64_t)n) {
            n = read(fd, block, left < BLOCK ? (size_t)left : BLOCK);
            must(n >= 0, names[k]);
        }
        (void)close(fd);
    }
    return now() - began;
}

static double read_table(hid_t file, const char *path, uint64_t n_rows)
{
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    struct ArrowArrayStream stream = {.release = NULL};
    struct ArrowArray batch;
    stoa_query *query = NULL;
    stoa_table *table = NULL;
    stoa_error err = STOA_ERROR_INIT;
    uint64_t n = 0;
    const double began = now();

    if (stoa_layout_open(file, path, &table, &err) != STOA_OK ||
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
    return now() - began;
}

static void measure(char names[LOCALES][4096], const char *path, uint64_t n_rows, uint64_t n_bytes)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = NULL;
    double bytes = 1e9;
    double arrow = 1e9;

    if (stoa_file_open(names[0], STOA_FILE_READ, &file, &err) != STOA_OK) {
        fail(names[0], &err);
    }
    for (int i = 0; i < TIMES; i++) {
        const double read = read_bytes(names, n_bytes);
        const double took = read_table(stoa_file_id(file), path, n_rows);
        bytes = read < bytes ? read : bytes;
        arrow = took < arrow ? took : arrow;
    }
    stoa_file_close(file);
    printf("%-10s %10.1f MB %9.1f ms %9.1f ms of bytes  ratio %5.2f\n", path,
           1e-6 * (double)n_bytes, 1e3 * arrow, 1e3 * bytes, arrow / bytes);
}

typedef struct kind {
    const char *path;
    uint64_t row_bytes; /* in the files */
    uint64_t row_of;    /* numbers, so many of which are a row */
} kind;

static const kind kinds[] = {{"/i", 8, 1},       {"/f", 8, 1},
                             {"/b", 1, 1},       {"/s", TEXT + 8, 1},
                             {"/big", 16, 1},    {"/segarray", (ITEMS + 1) * 8, ITEMS},
                             {"/category", 8, 1}};

int main(int argc, char **argv)
{
    static char names[LOCALES][4096];
    const uint64_t n_rows = (argc > 2 ? strtoull(argv[2], NULL, 10) : 8) * 1000000;

#ifdef __GLIBC__
    (void)mallopt(M_MMAP_THRESHOLD, 4 << 20); /* as the program stoa does */
    (void)mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
    if (argc < 2 || n_rows < LOCALES) {
        fprintf(stderr, "usage: bench_arkouda DIRECTORY [MILLIONS [PATH]]\n");
        return EXIT_FAILURE;
    }
    for (int k = 0; k < LOCALES; k++) {
        (void)snprintf(names[k], sizeof names[k], "%s/bench_LOCALE%04d.h5", argv[1], k);
        make(names[k], n_rows / LOCALES, (uint64_t)k * (n_rows / LOCALES));
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (argc < 4 || strcmp(argv[3], kinds[i].path) == 0) {
            const uint64_t n = n_rows / LOCALES / kinds[i].row_of * LOCALES;
            measure(names, kinds[i].path, n, kinds[i].row_bytes * n);
        }
    }
    for (int k = 0; k < LOCALES; k++) {
        (void)unlink(names[k]);
    }
    return EXIT_SUCCESS;
}
