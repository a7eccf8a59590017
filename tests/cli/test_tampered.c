/*
 * Indexes that lie (HEP001 §16): for each kind, each of its fields, attributes and datasets is
 * changed behind Stoa's back. A query still answers right, and says how to verify; `--trust` takes
 * the index at its word; `index verify` and `check --indexes` say that it is wrong.
 */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "index/common/kind.h"
#include "support/check.h"

/* Column y: row / 5, missing in rows 40 to 44, NaN in rows 50 to 54; z: 99 - row. Chunks of 8. */
enum { N_ROWS = 100, CHUNK_ROWS = 8 };

/* --- what is changed -------------------------------------------------------------------------- */

/* The file, and the datasets of y's index that are to be changed. */
typedef struct target {
    hid_t file;
    hid_t index;     /* the one with a KIND */
    hid_t companion; /* a dataset that the index requires; may be invalid */
} target;

static void write_attribute(hid_t object, const char *name, hid_t type, const void *value)
{
    const hid_t attribute = CHECK_H5(H5Aopen(object, name, H5P_DEFAULT));

    CHECK_H5(H5Awrite(attribute, type, value));
    CHECK_H5(H5Aclose(attribute));
}

/* A string attribute of any size. */
static void write_text(hid_t object, const char *name, const char *text)
{
    const hid_t type = CHECK_H5(H5Tcopy(H5T_C_S1));
    const hid_t space = CHECK_H5(H5Screate(H5S_SCALAR));
    hid_t attribute = H5I_INVALID_HID;

    CHECK_H5(H5Tset_size(type, strlen(text) + 1));
    CHECK_H5(H5Adelete(object, name));
    attribute = CHECK_H5(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Awrite(attribute, type, text));
    CHECK_H5(H5Aclose(attribute));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
}

static void add_to_attribute(hid_t object, const char *name, int64_t difference)
{
    uint64_t value = 0;
    const hid_t attribute = CHECK_H5(H5Aopen(object, name, H5P_DEFAULT));

    CHECK_H5(H5Aread(attribute, H5T_NATIVE_UINT64, &value));
    value += (uint64_t)difference;
    CHECK_H5(H5Awrite(attribute, H5T_NATIVE_UINT64, &value));
    CHECK_H5(H5Aclose(attribute));
}

static void refer(hid_t object, const char *name, hid_t file, const char *path)
{
    H5R_ref_t reference;

    CHECK_H5(H5Rcreate_object(file, path, H5P_DEFAULT, &reference));
    write_attribute(object, name, H5T_STD_REF, &reference);
    CHECK_H5(H5Rdestroy(&reference));
}

/* All elements of a dataset in that type; free() them. */
static void *read_all(hid_t dataset, hid_t type)
{
    const hid_t space = CHECK_H5(H5Dget_space(dataset));
    const size_t n = (size_t)CHECK_H5(H5Sget_simple_extent_npoints(space));
    void *elements = calloc(n, H5Tget_size(type));

    CHECK(elements != NULL);
    CHECK_H5(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, elements));
    CHECK_H5(H5Sclose(space));
    return elements;
}

static void write_all(hid_t dataset, hid_t type, void *elements)
{
    CHECK_H5(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, elements));
    free(elements);
}

/* --- any kind --------------------------------------------------------------------------------- */

static void another_kind(const target *t)
{
    char kind[32] = "";
    const hid_t attribute = CHECK_H5(H5Aopen(t->index, "KIND", H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Aget_type(attribute));

    CHECK(H5Tget_size(type) < sizeof kind);
    CHECK_H5(H5Aread(attribute, type, kind));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Aclose(attribute));
    for (size_t i = 0; stoa_index_kind_at(i) != NULL; i++) {
        if (strcmp(kind, stoa_index_kind_at(i)->kind) != 0) {
            write_text(t->index, "KIND", stoa_index_kind_at(i)->kind);
            return;
        }
    }
}

static void the_index_of_another_column(const target *t)
{
    const hid_t y = CHECK_H5(H5Dopen2(t->file, "/t/y", H5P_DEFAULT));
    const hid_t z = CHECK_H5(H5Dopen2(t->file, "/t/z", H5P_DEFAULT));
    const hid_t list = CHECK_H5(H5Aopen(z, "SEARCH_INDEX_LIST", H5P_DEFAULT));
    H5R_ref_t reference;

    CHECK_H5(H5Aread(list, H5T_STD_REF, &reference));
    write_attribute(y, "SEARCH_INDEX_LIST", H5T_STD_REF, &reference);
    CHECK_H5(H5Rdestroy(&reference));
    CHECK_H5(H5Aclose(list));
    CHECK_H5(H5Dclose(z));
    CHECK_H5(H5Dclose(y));
}

/* --- CHUNK_MINMAX (§10.4) --------------------------------------------------------------------- */

typedef struct entry {
    double min, max;
    uint64_t nan_count, fill_count, n;
} entry;

static hid_t entry_type(void)
{
    const hid_t type = CHECK_H5(H5Tcreate(H5T_COMPOUND, sizeof(entry)));

    CHECK_H5(H5Tinsert(type, "min", HOFFSET(entry, min), H5T_NATIVE_DOUBLE));
    CHECK_H5(H5Tinsert(type, "max", HOFFSET(entry, max), H5T_NATIVE_DOUBLE));
    CHECK_H5(H5Tinsert(type, "nan_count", HOFFSET(entry, nan_count), H5T_NATIVE_UINT64));
    CHECK_H5(H5Tinsert(type, "fill_count", HOFFSET(entry, fill_count), H5T_NATIVE_UINT64));
    CHECK_H5(H5Tinsert(type, "n", HOFFSET(entry, n), H5T_NATIVE_UINT64));
    return type;
}

/* Change an entry: `what` is a field, `value` what is written there. */
static void set_entry(const target *t, size_t i, size_t offset, const void *value)
{
    const hid_t type = entry_type();
    entry *entries = read_all(t->index, type);

    memcpy((char *)&entries[i] + offset, value, 8);
    write_all(t->index, type, entries);
    CHECK_H5(H5Tclose(type));
}

/* Rows 80 to 87 hold 16 and 17, rows 88 to 95 hold 17, 18 and 19. */
static void a_minimum_that_is_too_high(const target *t)
{
    set_entry(t, 11, HOFFSET(entry, min), &(double){18});
}

static void a_maximum_that_is_too_low(const target *t)
{
    set_entry(t, 10, HOFFSET(entry, max), &(double){16});
}

static void a_nan_count_that_is_too_low(const target *t)
{
    set_entry(t, 6, HOFFSET(entry, nan_count), &(uint64_t){0});
}

static void a_fill_count_that_is_too_low(const target *t)
{
    set_entry(t, 5, HOFFSET(entry, fill_count), &(uint64_t){0});
}

static void an_n_that_is_too_low(const target *t)
{
    set_entry(t, 0, HOFFSET(entry, n), &(uint64_t){7});
}

/* --- SORTED_ROWS (§10.5) ---------------------------------------------------------------------- */

static void set_rank(const target *t, size_t rank, uint64_t row)
{
    uint64_t *rows = read_all(t->index, H5T_NATIVE_UINT64);

    rows[rank] = row;
    write_all(t->index, H5T_NATIVE_UINT64, rows);
}

/* Of 90 ranks with a value, 75 to 79 are those of 17: rows 85 to 89. */
static void ranks_that_are_swapped(const target *t)
{
    set_rank(t, 75, 0);
    set_rank(t, 0, 85);
}

static void a_row_that_is_named_twice(const target *t)
{
    set_rank(t, 75, 86);
}

static void a_row_beyond_the_table(const target *t)
{
    set_rank(t, 75, 255);
}

static void a_nan_tail_that_is_too_long(const target *t)
{
    add_to_attribute(t->index, "nan_tail_length", 1);
}

static void a_fill_tail_that_is_too_long(const target *t)
{
    add_to_attribute(t->index, "fill_tail_length", 1);
}

static void tails_longer_than_the_table(const target *t)
{
    add_to_attribute(t->index, "nan_tail_length", INT64_MAX);
}

static void rows_that_are_not_ordered(const target *t)
{
    const hid_t attribute = CHECK_H5(H5Aopen(t->index, "ordered", H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Aget_type(attribute));

    CHECK_H5(H5Awrite(attribute, type, &(int8_t){0}));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Aclose(attribute));
}

/* The first fence: no value is said to be below 1000. */
static void a_fence_that_is_another(const target *t)
{
    enum { MAX_FENCES = 2048 };
    static uint64_t fences[MAX_FENCES][2];
    const double value = 1000;
    uint64_t bits = 0;
    const hid_t attribute = CHECK_H5(H5Aopen(t->index, "stoa_fences", H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Aget_space(attribute));

    CHECK(CHECK_H5(H5Sget_simple_extent_npoints(space)) <= 2 * MAX_FENCES);
    CHECK_H5(H5Aread(attribute, H5T_NATIVE_UINT64, fences));
    memcpy(&bits, &value, sizeof bits);
    fences[0][0] = bits | UINT64_C(1) << 63;
    CHECK_H5(H5Awrite(attribute, H5T_NATIVE_UINT64, fences));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Aclose(attribute));
}

/* --- BITMAP (§10.6) --------------------------------------------------------------------------- */

enum { ROW_BYTES = (N_ROWS + 7) / 8 };

/* Which of the values is 17. */
static size_t number_of_17(const target *t)
{
    double *values = read_all(t->companion, H5T_NATIVE_DOUBLE);
    size_t k = 0;

    while (values[k] != 17) {
        k++;
    }
    free(values);
    return k;
}

static void flip(const target *t, size_t row)
{
    const size_t k = number_of_17(t);
    uint8_t *bits = read_all(t->index, H5T_NATIVE_UINT8);

    bits[k * ROW_BYTES + row / 8] ^= (uint8_t)(1u << row % 8);
    write_all(t->index, H5T_NATIVE_UINT8, bits);
}

static void a_bit_that_is_not_set(const target *t)
{
    flip(t, 86);
}

static void a_bit_that_is_set(const target *t)
{
    flip(t, 3);
}

static void an_indexed_value_that_is_another(const target *t)
{
    const size_t k = number_of_17(t);
    double *values = read_all(t->companion, H5T_NATIVE_DOUBLE);

    values[k] = 17.5;
    write_all(t->companion, H5T_NATIVE_DOUBLE, values);
}

static void values_that_are_another_dataset(const target *t)
{
    refer(t->index, "VALUES", t->file, "/t/z");
}

/* --- CHUNK_BLOOM (§10.7) ---------------------------------------------------------------------- */

/* Rows 80 to 87. */
static void a_filter_that_is_empty(const target *t)
{
    const hid_t space = CHECK_H5(H5Dget_space(t->index));
    hsize_t extent[2];
    uint8_t *filters = read_all(t->index, H5T_NATIVE_UINT8);

    CHECK(H5Sget_simple_extent_dims(space, extent, NULL) == 2);
    memset(filters + 10 * extent[1], 0, (size_t)extent[1]);
    write_all(t->index, H5T_NATIVE_UINT8, filters);
    CHECK_H5(H5Sclose(space));
}

static void another_number_of_functions(const target *t)
{
    add_to_attribute(t->index, "k", 30);
}

static void another_seed(const target *t)
{
    add_to_attribute(t->index, "seed", 1);
}

static void another_length(const target *t)
{
    add_to_attribute(t->index, "m_bits", 8);
}

static void another_hash(const target *t)
{
    write_text(t->index, "hash_family", "murmur3_x86_128_double");
}

/* --- the cases -------------------------------------------------------------------------------- */

typedef struct tampering {
    const char *kind;
    const char *what;
    void (*make)(const target *t);
    const char *where; /* a filter that this can mislead */
    bool misleads;     /* with --trust the answer is another */
    bool is_obvious;   /* with --trust the index is left out, with a warning */
    bool is_ours;      /* on no business of the specification's: `check` need not see it */
} tampering;

#define TAMPERING(kind, make, ...)                                                                 \
    {                                                                                              \
        kind, #make, make, __VA_ARGS__                                                             \
    }

static const tampering cases[] = {
    TAMPERING("minmax", a_minimum_that_is_too_high, .where = "y = 17", .misleads = true),
    TAMPERING("minmax", a_maximum_that_is_too_low, .where = "y = 17", .misleads = true),
    TAMPERING("minmax", a_nan_count_that_is_too_low, .where = "not (y >= 0)", .misleads = true),
    TAMPERING("minmax", a_fill_count_that_is_too_low, .where = "y is null", .misleads = true),
    TAMPERING("minmax", an_n_that_is_too_low, .where = "y = 0"),
    TAMPERING("minmax", another_kind, .where = "y = 17", .is_obvious = true),
    TAMPERING("minmax", the_index_of_another_column, .where = "y = 17", .misleads = true),
    TAMPERING("sorted", ranks_that_are_swapped, .where = "y = 17", .misleads = true),
    TAMPERING("sorted", a_row_that_is_named_twice, .where = "y = 17", .misleads = true),
    TAMPERING("sorted", a_row_beyond_the_table, .where = "y = 17", .is_obvious = true),
    TAMPERING("sorted", a_nan_tail_that_is_too_long, .where = "y >= 19"),
    TAMPERING("sorted", a_fill_tail_that_is_too_long, .where = "y is null"),
    TAMPERING("sorted", tails_longer_than_the_table, .where = "y = 17", .is_obvious = true),
    TAMPERING("sorted", rows_that_are_not_ordered, .where = "y = 17", .is_obvious = true),
    TAMPERING("sorted", a_fence_that_is_another, .where = "y = 0", .is_ours = true),
    TAMPERING("sorted", another_kind, .where = "y = 17", .is_obvious = true),
    TAMPERING("sorted", the_index_of_another_column, .where = "y = 17", .misleads = true),
    TAMPERING("bitmap", a_bit_that_is_not_set, .where = "y = 17", .misleads = true),
    TAMPERING("bitmap", a_bit_that_is_set, .where = "y = 17"),
    TAMPERING("bitmap", an_indexed_value_that_is_another, .where = "y = 17", .misleads = true),
    TAMPERING("bitmap", values_that_are_another_dataset, .where = "y = 17", .is_obvious = true),
    TAMPERING("bitmap", another_kind, .where = "y = 17", .is_obvious = true),
    TAMPERING("bitmap", the_index_of_another_column, .where = "y = 17", .misleads = true),
    TAMPERING("bloom", a_filter_that_is_empty, .where = "y = 17", .misleads = true),
    TAMPERING("bloom", another_number_of_functions, .where = "y = 17"),
    TAMPERING("bloom", another_seed, .where = "y = 17"),
    TAMPERING("bloom", another_length, .where = "y = 17", .is_obvious = true),
    TAMPERING("bloom", another_hash, .where = "y = 17", .is_obvious = true),
    TAMPERING("bloom", another_kind, .where = "y = 17", .is_obvious = true),
    TAMPERING("bloom", the_index_of_another_column, .where = "y = 17", .misleads = true),
};

/* --- stoa, run as a user runs it -------------------------------------------------------------- */

static char said[1 << 16]; /* stdout and stderr of the last command */

/* Run stoa in the test's directory; its exit status. */
static int stoa(const char *arguments)
{
    char line[4096];

    (void)snprintf(line, sizeof line, "cd '%s' && \"$STOA\" %s 2>&1", check_path(""), arguments);
    FILE *out = popen(line, "r"); /* NOLINT(cert-env33-c): the shell is wanted */
    CHECK(out != NULL);
    const size_t n = fread(said, 1, sizeof said - 1, out);
    said[n] = '\0';
    const int status = pclose(out);
    CHECK(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* What a query says besides its answer begins with the file's name, or with stoa's. */
static void drop_remarks(char *text)
{
    char *to = text;

    for (char *line = text; *line != '\0';) {
        const size_t length = strcspn(line, "\n") + (strchr(line, '\n') != NULL);
        if (line[0] >= '0' && line[0] <= '9') {
            memmove(to, line, length);
            to += length;
        }
        line += length;
    }
    *to = '\0';
}

/* The row numbers for which `where` is true, one a line. */
static const char *rows_where(const char *where, const char *options)
{
    static char answer[2][1 << 12];
    static unsigned turn;
    char line[512];
    char *rows = answer[turn++ % 2];

    (void)snprintf(line, sizeof line, "query t.h5:/t --rows -f csv -w '%s' %s", where, options);
    const int status = stoa(line);
    CHECK(status == 0 || status == 3); /* an index may be too damaged to say anything */
    /* `said` stays whole, for its remarks. */
    CHECK(strlen(said) < sizeof answer[0]);
    memcpy(rows, said, strlen(said) + 1);
    drop_remarks(rows);
    return rows;
}

/* The rows as the column was made, whatever Stoa says. */
static void expect_right(const tampering *one, const char *rows)
{
    const char *const where = one->where;
    char expected[1 << 12] = "";
    size_t at = 0;

    for (int row = 0; row < N_ROWS; row++) {
        const bool is_missing = row >= 40 && row < 45;
        const bool is_nan = row >= 50 && row < 55;
        const bool is_value = !is_missing && !is_nan;
        const double y = row / 5; /* NOLINT(bugprone-integer-division): of five rows each */
        const bool passes = strcmp(where, "y = 17") == 0         ? is_value && y == 17
                            : strcmp(where, "y = 0") == 0        ? is_value && y == 0
                            : strcmp(where, "y >= 19") == 0      ? is_value && y >= 19
                            : strcmp(where, "not (y >= 0)") == 0 ? is_nan
                                                                 : is_missing;
        if (passes) {
            at += (size_t)snprintf(expected + at, sizeof expected - at, "%d\n", row);
        }
    }
    if (strcmp(rows, expected) != 0) {
        FAIL("%s: %s: %s:\n  found\n%s  expected\n%s", one->kind, one->what, where, rows, expected);
    }
}

static void make_table(const char *kind)
{
    char line[256];
    FILE *csv = fopen(check_path("t.csv"), "w");

    CHECK(csv != NULL);
    (void)fprintf(csv, "y,z\n");
    for (int row = 0; row < N_ROWS; row++) {
        if (row >= 40 && row < 45) {
            (void)fprintf(csv, ",");
        } else if (row >= 50 && row < 55) {
            (void)fprintf(csv, "nan,");
        } else {
            (void)fprintf(csv, "%d.0,", row / 5);
        }
        (void)fprintf(csv, "%d.0\n", 99 - row);
    }
    CHECK(fclose(csv) == 0);
    CHECK(stoa("import t.csv t.h5:/t --force --chunk 8 --type y=float64 --type z=float64") == 0);
    (void)snprintf(line, sizeof line, "index add t.h5:/t y z --kind %s", kind);
    CHECK(stoa(line) == 0);
}

typedef struct search {
    bool has_kind;
    hid_t found;
} search;

/* Names begin with the column's. */
static herr_t look_at(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    search *s = context;
    const hid_t dataset = CHECK_H5(H5Dopen2(group, name, H5P_DEFAULT));
    const bool has_kind = CHECK_H5(H5Aexists(dataset, "KIND")) > 0;

    (void)info;
    if (s->found < 0 && has_kind == s->has_kind && name[0] == 'y') {
        s->found = dataset;
    } else {
        CHECK_H5(H5Dclose(dataset));
    }
    return 0;
}

static hid_t find(hid_t file, bool has_kind)
{
    search s = {has_kind, H5I_INVALID_HID};
    const hid_t group = CHECK_H5(H5Gopen2(file, "/t/SEARCH_INDEXES", H5P_DEFAULT));
    hsize_t position = 0;

    CHECK_H5(H5Literate2(group, H5_INDEX_NAME, H5_ITER_INC, &position, look_at, &s));
    CHECK_H5(H5Gclose(group));
    return s.found;
}

static void tamper(const tampering *one)
{
    const hid_t file = CHECK_H5(H5Fopen(check_path("t.h5"), H5F_ACC_RDWR, H5P_DEFAULT));
    const target t = {file, find(file, true), find(file, false)};

    CHECK(t.index >= 0);
    one->make(&t);
    CHECK_H5(H5Dclose(t.index));
    if (t.companion >= 0) {
        CHECK_H5(H5Dclose(t.companion));
    }
    CHECK_H5(H5Fclose(file));
}

static void expect_found(const tampering *one)
{
    if (stoa("index verify t.h5:/t") != 1) {
        FAIL("%s: %s: index verify says:\n%s", one->kind, one->what, said);
    }
    const int status = stoa("check t.h5:/t --indexes");
    if (!one->is_ours && (status != 1 || strstr(said, "MUST §1") == NULL)) {
        FAIL("%s: %s: check says:\n%s", one->kind, one->what, said);
    }
}

static void try_case(const tampering *one)
{
    make_table(one->kind);
    expect_right(one, rows_where(one->where, "")); /* trusted: it was built here */
    tamper(one);
    expect_right(one, rows_where(one->where, ""));
    if (strstr(said, "index verify") == NULL) { /* the hint */
        FAIL("%s: %s: no hint in:\n%s", one->kind, one->what, said);
    }
    const char *const right = rows_where(one->where, "--no-index");
    expect_right(one, right);
    const char *const trusted = rows_where(one->where, "--trust");
    if (one->misleads && strcmp(trusted, right) == 0) {
        FAIL("%s: %s: --trust does not follow the index", one->kind, one->what);
    }
    if ((strstr(said, "is left out, since it is damaged") != NULL) != one->is_obvious) {
        FAIL("%s: %s: --trust says:\n%s", one->kind, one->what, said);
    }
    expect_found(one);
}

static void tampered(const char *kind)
{
    if (getenv("STOA") == NULL) {
        SKIP("STOA does not say where the command is");
    }
    if (stoa_index_kind_find(kind) == NULL) {
        SKIP("this stoa has no such kind");
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const bool is_alone = stoa_index_kind_at(1) == NULL; /* there is no other kind */
        if (strcmp(cases[i].kind, kind) == 0 && !(is_alone && cases[i].make == another_kind)) {
            try_case(&cases[i]);
        }
    }
}

static void a_min_max_index_that_lies_misleads_only_those_who_trust_it(void)
{
    tampered("minmax");
}

static void sorted_rows_that_lie_mislead_only_those_who_trust_them(void)
{
    tampered("sorted");
}

static void a_bitmap_that_lies_misleads_only_those_who_trust_it(void)
{
    tampered("bitmap");
}

static void a_bloom_filter_that_lies_misleads_only_those_who_trust_it(void)
{
    tampered("bloom");
}

TEST_MAIN(TEST(a_min_max_index_that_lies_misleads_only_those_who_trust_it),
          TEST(sorted_rows_that_lie_mislead_only_those_who_trust_them),
          TEST(a_bitmap_that_lies_misleads_only_those_who_trust_it),
          TEST(a_bloom_filter_that_lies_misleads_only_those_who_trust_it))
