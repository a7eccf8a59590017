/*
 * fuzz_seeds DIRECTORY: what fuzzing starts from, in a directory each: files, layouts and
 * structures for the targets that take files, commands for fuzz_command, chunks for fuzz_codec, and
 * so on.
 *
 * Every case of tests/conformance, and tables that Stoa writes, with every index kind that their
 * columns can have. Each in HDF5's earliest format, which has no checksums, and in a newer one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <stoa/layout.h>

#include "conformance/build.h"
#include "conformance/cases.h"
#include "fuzz/driver/seeds.h"
#include "fuzz/fuzz.h"
#include "index/common/kind.h"
#include "support/arkouda.h"
#include "table/kit.h"

static const char *root;
static const char *within = "files"; /* the directory below it */

static const seeds_format formats[] = {{"earliest", H5F_LIBVER_EARLIEST}, {"v18", H5F_LIBVER_V18}};

/* A file below the root, and its directory. */
static void put(const char *where, const char *name, const uint8_t *bytes, size_t n)
{
    char path[4096];

    (void)snprintf(path, sizeof path, "%s/%s", root, where);
    (void)mkdir(path, 0777);
    (void)snprintf(path, sizeof path, "%s/%s/%s", root, where, name);
    FILE *out = fopen(path, "wb");
    CHECK(out != NULL && fwrite(bytes, 1, n, out) == n && fclose(out) == 0);
}

hid_t seeds_file(H5F_libver_t low, hid_t fcpl)
{
    static unsigned n_made;
    char name[32];
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
    hid_t file = H5I_INVALID_HID;

    CHECK_H5(H5Pset_fapl_core(fapl, 1 << 10, false));
    CHECK_H5(H5Pset_libver_bounds(fapl, low, H5F_LIBVER_LATEST));
    CHECK_H5(H5Pset_meta_block_size(fapl, 0));
    CHECK_H5(H5Pset_small_data_block_size(fapl, 0));
#if H5_VERSION_GE(1, 14, 4)
    /* Integers of four bits in two bytes are unusual, and just what is wanted. */
    CHECK_H5(H5Pset_relax_file_integrity_checks(fapl, H5F_RFIC_ALL));
#endif
    (void)snprintf(name, sizeof name, "seed%u.h5", n_made++); /* two may be open at once */
    file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, fcpl, fapl));
    CHECK_H5(H5Pclose(fapl));
    return file;
}

/* The commands take small files alone, and of the cases of conformance one in eight. */
static void save_bytes(const char *name, const uint8_t *bytes, size_t n)
{
    enum { MOST = 24 << 10, ONE_IN = 8 };
    static uint8_t longer[MOST + FUZZ_COMMAND_TAIL];
    static unsigned n_cases;

    put(within, name, bytes, n);
    if (n <= MOST && (strcmp(within, "files") != 0 || n_cases++ % ONE_IN == 0)) {
        memcpy(longer, bytes, n);
        for (size_t i = 0; i < FUZZ_COMMAND_TAIL; i++) {
            longer[n + i] = i == 0 ? (uint8_t)check_random() : 0;
        }
        put("commands", name, longer, n + FUZZ_COMMAND_TAIL);
    }
}

void seeds_save(hid_t file, const char *name, const char *format)
{
    char whole[256];

    CHECK_H5(H5Fflush(file, H5F_SCOPE_GLOBAL));
    const ssize_t n = (ssize_t)CHECK_H5(H5Fget_file_image(file, NULL, 0));
    uint8_t *const bytes = malloc((size_t)n);
    CHECK(bytes != NULL);
    CHECK_H5(H5Fget_file_image(file, bytes, (size_t)n));
    (void)snprintf(whole, sizeof whole, "%s-%s.h5", name, format);
    save_bytes(whole, bytes, (size_t)n);
    free(bytes);
}

static void save_cases(const case_list *list, const char *format, H5F_libver_t low)
{
    for (size_t i = 0; i < list->n; i++) {
        if (strstr(list->cases[i].name, "_mib") != NULL) {
            continue; /* changes would be lost in so much of nothing */
        }
        const hid_t file = seeds_file(low, H5P_DEFAULT);
        if (!list->cases[i].from_nothing) {
            build_table(file);
        }
        list->cases[i].make(file);
        seeds_save(file, list->cases[i].name, format);
        CHECK_H5(H5Fclose(file));
    }
}

enum { N_PAIRS = 4 };

/* Two columns at a time, since indexes of every kind make a file long. */
static batch rows(unsigned pair)
{
    batch b = batch_begin(2, 7);
    const bool valid[] = {true, false, true, true, true, true, true};

    switch (pair) {
    case 0:
        batch_integers(&b, 0, "a", "s", (int64_t[]){1, 2, 300, -4, 5, 5, 1}, valid);
        batch_floats(&b, 1, "b", "g", (double[]){1, 2, 3, -0.0, 7.5, 2, 1e300}, valid);
        break;
    case 1:
        batch_strings(&b, 0, "a", (const char *[]){"a", NULL, "longer", "", "b", "a", "abc"});
        batch_categories(&b, 1, "b", (const char *[]){"u", NULL, "v", "u", "w", "v", "u"});
        break;
    case 2:
        batch_integers(&b, 0, "a", "tsm:UTC", (int64_t[]){5, 6, 7, 8, 9, 10, 11}, valid);
        batch_integers(&b, 1, "b", "b", (int64_t[]){0, 1, 1, 0, 1, 0, 0}, valid);
        break;
    default:
        batch_integers(&b, 0, "a", "L", (int64_t[]){0, 1, INT64_MAX, 0, 1, 0, 0}, valid);
        batch_floats(&b, 1, "b", "f", (double[]){0, 1, 1, 0, 1, 0, 0.5}, NULL);
        break;
    }
    return b;
}

/* Every index that can be made; those that a type cannot have are refused. */
static void add_indexes(stoa_table *table)
{
    for (size_t k = 0; stoa_index_kind_at(k) != NULL; k++) {
        for (size_t i = 0; i < stoa_table_n_columns(table); i++) {
            (void)!stoa_index_add(table, stoa_column_name(stoa_table_column(table, i)),
                                  stoa_index_kind_at(k)->name, NULL, NULL);
        }
    }
}

static void save_written(const char *codec, uint64_t chunk_rows, unsigned pair, const char *format,
                         H5F_libver_t low)
{
    static const char *const index_columns[] = {"b", "a"};
    const stoa_column_options all = {NULL, codec, chunk_rows};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    const hid_t file = seeds_file(low, H5P_DEFAULT);
    stoa_table *table = NULL;
    batch b = rows(pair);
    char name[64];

    options.columns = &all;
    options.n_columns = 1;
    options.index_columns = index_columns;
    options.n_index_columns = 2;
    write_batches(file, "/t", &b, 1, &options);
    table = open_table(file, "/t");
    add_indexes(table);
    stoa_table_close(table);
    (void)snprintf(name, sizeof name, "written-%.7s-%s-%u", codec,
                   chunk_rows == STOA_CONTIGUOUS ? "contiguous" : "chunked", pair);
    seeds_save(file, name, format);
    CHECK_H5(H5Fclose(file));
}

static void seeds_are_written(void)
{
    const case_list *const lists[] = {&conformant_cases, &whole_indexes, &table_cases,
                                      &column_cases,     &index_cases,   &sorted_cases,
                                      &bitmap_cases,     &bloom_cases,   &name_cases};
    static const char *const codecs[] = {"none", "deflate", "small"};

    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++) {
        for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
            save_cases(lists[i], formats[f].name, formats[f].low);
        }
        for (unsigned pair = 0; pair < N_PAIRS; pair++) {
            for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++) {
                save_written(codecs[i], 3, pair, formats[f].name, formats[f].low);
            }
            save_written("none", STOA_CONTIGUOUS, pair, formats[f].name, formats[f].low);
        }
    }
}

/* A file that its maker writes under a name. */
static void save_made(const char *name, void (*make)(const char *path))
{
    static uint8_t bytes[1 << 18];
    const char *const path = check_path("made.h5");

    make(path);
    FILE *const in = fopen(path, "rb");
    CHECK(in != NULL);
    const size_t n = fread(bytes, 1, sizeof bytes, in);
    CHECK(n > 0 && n < sizeof bytes && fclose(in) == 0);
    save_bytes(name, bytes, n);
}

static void structures_are_written(void)
{
    within = "structures";
    seeds_save_structures();
}

/* `n` inputs of a target that says in the first bytes what its dataset is, here anything. */
static void save_inputs(const char *where, unsigned n, size_t n_head, uint8_t mask_of_1,
                        size_t (*input)(uint8_t *bytes, size_t room))
{
    static uint8_t bytes[1 << 16];

    for (unsigned i = 0; i < n; i++) {
        char name[32];
        for (size_t k = 0; k < n_head; k++) {
            bytes[k] = (uint8_t)check_random();
        }
        bytes[1] &= mask_of_1;
        const size_t n_bytes = input(bytes, sizeof bytes);
        if (n_bytes != 0) {
            (void)snprintf(name, sizeof name, "%u", i);
            put(where, name, bytes, n_bytes);
        }
    }
}

/* Pipelines at random, each with a chunk of its own. */
static void chunks_are_written(void)
{
    save_inputs("chunks", 1000, FUZZ_CODEC_HEAD, 0x1f, fuzz_codec_input);
}

static void sparse_chunks_are_written(void)
{
    save_inputs("sparse-chunks", 600, FUZZ_SPARSE_HEAD, 0x0f, fuzz_sparse_input);
}

/* A table as each layout has it; those that cannot hold its columns are left out. */
static void save_layouts(unsigned pair, const char *format, H5F_libver_t low)
{
    static const char *const names[] = {"pytables",     "h5tb",    "pandas-table",
                                        "pandas-fixed", "anndata", "lh5"};
    static const stoa_missing_value nothing[] = {{NULL, "0"}};
    const hid_t own = seeds_file(low, H5P_DEFAULT);
    stoa_table *table = NULL;
    batch b = rows(pair);

    write_batches(own, "/t", &b, 1, NULL);
    table = open_table(own, "/t");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;
        const hid_t file = seeds_file(low, H5P_DEFAULT);
        char name[64];
        options.layout = names[i];
        options.chunk_rows = 3;
        options.missing = nothing;
        options.n_missing = 1;
        if (stoa_layout_write_table(table, file, "/t", &options, NULL, NULL) == STOA_OK) {
            (void)snprintf(name, sizeof name, "%s-%u", names[i], pair);
            seeds_save(file, name, format);
        }
        CHECK_H5(H5Fclose(file));
    }
    stoa_table_close(table);
    CHECK_H5(H5Fclose(own));
}

/* PyTables' lists of variable length: one of numbers, texts, or pickles. */
static void save_lists(const char *atom, hid_t base, const char *format, H5F_libver_t low)
{
    static char bytes[] = "cpickle\nloads\n(S'x'\ntR.";
    const hvl_t values[] = {{sizeof bytes - 1, bytes}, {4, bytes}, {0, NULL}};
    const hsize_t n = 3;
    const hid_t file = seeds_file(low, H5P_DEFAULT);
    const hid_t type = CHECK_H5(H5Tvlen_create(base));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &n, NULL));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    char name[64];

    CHECK_H5(H5Pset_chunk(dcpl, 1, &n));
    const hid_t lists =
        CHECK_H5(H5Dcreate2(file, "lists", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    if (H5Tget_size(base) == 1) {
        CHECK_H5(H5Dwrite(lists, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    }
    CHECK_H5(H5Dclose(lists));
    put_text(file, "lists", "CLASS", "VLARRAY");
    put_text(file, "lists", "PSEUDOATOM", atom);
    (void)snprintf(name, sizeof name, "lists-%s", atom);
    seeds_save(file, name, format);
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Fclose(file));
}

static void layouts_are_written(void)
{
    within = "layouts";
    save_made("arkouda.h5", arkouda_make);
    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++) {
        for (unsigned pair = 0; pair < N_PAIRS; pair++) {
            save_layouts(pair, formats[f].name, formats[f].low);
        }
        save_lists("vlstring", H5T_STD_U8LE, formats[f].name, formats[f].low);
        save_lists("object", H5T_STD_U8LE, formats[f].name, formats[f].low);
        save_lists("vlunicode", H5T_STD_U32LE, formats[f].name, formats[f].low);
    }
}

/* Programs that Python writes for what stands in pandas' files. */
static void pickles_are_written(void)
{
    static const struct {
        const char *bytes;
        size_t n;
    } programs[] = {
#define PROGRAM(text) {text, sizeof(text) - 1}
        PROGRAM("(lp0\n(I0\nVindex\np1\ntp2\na."),
        PROGRAM("(dp0\nVtz\np1\ncpytz\n_p\np2\n(VEurope/Berlin\np3\nI3180\nI0\ntp5\nRp6\ns."),
        PROGRAM("cdatetime\ntimezone\n(cdatetime\ntimedelta\n(I0\nI7200\nI0\ntRtR."),
        PROGRAM("\x80\x02}q\x00(X\x01\x00\x00\x00"
                "aq\x01K\x01X\x01\x00\x00\x00"
                "bq\x02]q\x03(K\x02G@\x00\x00\x00\x00\x00\x00\x00\x8a\x01\xff"
                "eu."),
        PROGRAM("cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR(I1\n(I2\nI2"
                "\ntNI00\n(lVa\naF1.5\naNaI7\natb."),
        PROGRAM("(I1\nitables.filters\nFilters\np0\n(dp1\nS'shuffle'\np2\nI01\nsb."),
#undef PROGRAM
    };
    char name[32];

    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        (void)snprintf(name, sizeof name, "%zu", i);
        put("pickles", name, (const uint8_t *)programs[i].bytes, programs[i].n);
    }
}

/* A set of files that are all the same, one after the other. */
static void sets_are_written(void)
{
    static uint8_t bytes[1 << 18];

    arkouda_make_part(check_path("part.h5"));
    FILE *const part = fopen(check_path("part.h5"), "rb");
    CHECK(part != NULL);
    const size_t n = fread(bytes, 1, sizeof bytes, part);
    CHECK(n > 0 && n * FUZZ_LOCALES <= sizeof bytes && fclose(part) == 0);
    for (size_t k = 1; k < FUZZ_LOCALES; k++) {
        memcpy(bytes + k * n, bytes, n);
    }
    put("sets", "arkouda", bytes, n * FUZZ_LOCALES);
}

int main(int argc, char **argv)
{
    static const check_test tests[] = {TEST(seeds_are_written),         TEST(layouts_are_written),
                                       TEST(structures_are_written),    TEST(chunks_are_written),
                                       TEST(sparse_chunks_are_written), TEST(pickles_are_written),
                                       TEST(sets_are_written)};

    if (argc != 2) {
        fprintf(stderr, "usage: fuzz_seeds DIRECTORY\n");
        return 2;
    }
    root = argv[1];
    return check_run(tests, sizeof tests / sizeof tests[0], 1, argv);
}
