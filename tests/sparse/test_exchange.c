/*
 * A file of sparse datasets of many kinds, each element told by a formula, that versions of HDF5
 * and other programs exchange (sparse fact sheet §11, 1, 2, 5, 7 and 9).
 *
 * In $STOA_EXCHANGE, where it is set, the file that is written is left for others; in
 * $STOA_EXCHANGED is one that others wrote. tests/interop/peer/exchange.py knows the formula too.
 */
#include <stdlib.h>
#include <stoa/h5sparse.h>
#include <stoa/sparse.h>
#include <string.h>

#include "support/check.h"

enum { RANK = 4, LONG = 100, MAX_FILTERS = 3 };

typedef enum kind { INTEGER, REAL, PAIR, TEXT } kind;

typedef struct pair {
    int32_t a;
    double b;
} pair;

/* An element of any kind, in memory. */
typedef union element {
    int64_t integer;
    double real;
    pair pair;
    char text[LONG];
} element;

typedef struct section_filter {
    H5_section_type_t section;
    H5Z_filter_t filter; /* 0: none follow */
    unsigned n_values;
    unsigned values[2];
} section_filter;

typedef struct spec {
    const char *name;
    kind kind;
    hid_t (*type)(void); /* in the file */
    int rank;
    hsize_t extent[RANK];
    hsize_t chunk[RANK];
    int fill; /* -1: the default */
    section_filter filters[MAX_FILTERS];
    const char *codec; /* made by stoa_sparse_create() with it */
} spec;

/* --- datatypes ------------------------------------------------------------------------------- */

static hid_t int_le(void)
{
    return CHECK_H5(H5Tcopy(H5T_STD_I32LE));
}

static hid_t short_be(void)
{
    return CHECK_H5(H5Tcopy(H5T_STD_I16BE));
}

static hid_t byte(void)
{
    return CHECK_H5(H5Tcopy(H5T_STD_U8LE));
}

static hid_t real_le(void)
{
    return CHECK_H5(H5Tcopy(H5T_IEEE_F64LE));
}

static hid_t real_be(void)
{
    return CHECK_H5(H5Tcopy(H5T_IEEE_F32BE));
}

static hid_t text(void)
{
    const hid_t type = CHECK_H5(H5Tcopy(H5T_C_S1));

    CHECK_H5(H5Tset_size(type, LONG));
    CHECK_H5(H5Tset_strpad(type, H5T_STR_NULLPAD));
    return type;
}

static hid_t pair_type(hid_t a, hid_t b, size_t size, size_t offset_of_b)
{
    const hid_t type = CHECK_H5(H5Tcreate(H5T_COMPOUND, size));

    CHECK_H5(H5Tinsert(type, "a", 0, a));
    CHECK_H5(H5Tinsert(type, "b", offset_of_b, b));
    return type;
}

static hid_t pair_packed(void)
{
    return pair_type(H5T_STD_I32LE, H5T_IEEE_F64LE, 12, 4);
}

static hid_t memory_type(kind k)
{
    switch (k) {
    case INTEGER:
        return CHECK_H5(H5Tcopy(H5T_NATIVE_INT64));
    case REAL:
        return CHECK_H5(H5Tcopy(H5T_NATIVE_DOUBLE));
    case TEXT:
        return text();
    default:
        return pair_type(H5T_NATIVE_INT32, H5T_NATIVE_DOUBLE, sizeof(pair), offsetof(pair, b));
    }
}

static size_t memory_size(kind k)
{
    static const size_t sizes[] = {sizeof(int64_t), sizeof(double), sizeof(pair), LONG};

    return sizes[k];
}

/* --- the datasets ---------------------------------------------------------------------------- */

#define BOTH(...)                                                                                  \
    {                                                                                              \
        {H5_SECTION_SELECTION, __VA_ARGS__},                                                       \
        {                                                                                          \
            H5_SECTION_FIXED, __VA_ARGS__                                                          \
        }                                                                                          \
    }

static const spec specs[] = {
    {"line", INTEGER, int_le, 1, {1003}, {64}, -1, {{0}}, NULL},
    {"swapped", INTEGER, short_be, 2, {70, 45}, {16, 20}, 9, BOTH(H5Z_FILTER_DEFLATE, 1, {6}), 0},
    {"cube", REAL, real_le, 3, {9, 10, 11}, {4, 4, 4}, 5, {{0}}, "zstd"},
    {"four",
     INTEGER,
     byte,
     4,
     {5, 6, 7, 8},
     {2, 3, 4, 5},
     7,
     BOTH(H5Z_FILTER_FLETCHER32, 0, {0}),
     NULL},
    {"lz4", REAL, real_be, 2, {40, 30}, {40, 30}, -1, {{0}}, "lz4"},
    {"pairs",
     PAIR,
     pair_packed,
     2,
     {30, 20},
     {8, 8},
     3,
     {{H5_SECTION_FIXED, H5Z_FILTER_SHUFFLE, 0, {0}},
      {H5_SECTION_FIXED, H5Z_FILTER_DEFLATE, 1, {1}}},
     NULL},
    {"texts", TEXT, text, 2, {12, 9}, {5, 4}, 1, {{0}}, NULL},
    {"nothing", INTEGER, int_le, 2, {0, 5}, {4, 4}, 2, {{0}}, NULL},
    {"offset",
     INTEGER,
     int_le,
     2,
     {33, 21},
     {10, 10},
     4,
     {{H5_SECTION_FIXED, H5Z_FILTER_SCALEOFFSET, 2, {H5Z_SO_INT, 0}}},
     NULL},
    {"szip",
     INTEGER,
     int_le,
     2,
     {33, 21},
     {10, 10},
     -1,
     {{H5_SECTION_FIXED, H5Z_FILTER_SZIP, 2, {H5_SZIP_NN_OPTION_MASK, 4}}},
     NULL},
    {"nbit",
     INTEGER,
     int_le,
     2,
     {33, 21},
     {10, 10},
     -1,
     {{H5_SECTION_FIXED, H5Z_FILTER_NBIT, 0, {0}}},
     NULL},
};

enum { N_SPECS = sizeof specs / sizeof specs[0] };

static bool is_possible(const spec *s)
{
    return s->filters[0].filter == 0 || H5Zfilter_avail(s->filters[0].filter) > 0;
}

static uint64_t volume_of(const spec *s)
{
    uint64_t n = 1;

    for (int i = 0; i < s->rank; i++) {
        n *= s->extent[i];
    }
    return n;
}

/* The formula: whether an element is defined, and as which number. A fifth are the fill value. */
static bool is_defined(const spec *s, uint64_t e, int64_t *number)
{
    const uint64_t d = (uint64_t)(s - specs);
    const uint64_t mixed = (e * 2654435761U + d * 40503U + 12345U) & 0xffffffffU;
    const uint64_t h = mixed ^ (mixed >> 15);

    *number = (h >> 4) % 5 == 0 ? (s->fill < 0 ? 0 : s->fill) : (int64_t)((h >> 3) % 100);
    return (h >> 8) % 4 == 0 || e % 97 < 13;
}

static void put(kind k, int64_t number, void *out)
{
    element value;

    memset(&value, 0, sizeof value);
    switch (k) {
    case INTEGER:
        value.integer = number;
        break;
    case REAL:
        value.real = (double)number + 0.25;
        break;
    case PAIR:
        value.pair.a = (int32_t)number;
        value.pair.b = (double)number / 8;
        break;
    default:
        memset(value.text, 'a' + (int)(number % 26), LONG);
    }
    memcpy(out, &value, memory_size(k));
}

/* The defined elements: all, or every second one from `first` on. */
static uint64_t elements_of(const spec *s, uint64_t first, uint64_t step, uint64_t *coordinates,
                            uint8_t *values)
{
    uint64_t n = 0;
    uint64_t n_seen = 0;
    int64_t number = 0;

    for (uint64_t e = 0; e < volume_of(s); e++) {
        if (!is_defined(s, e, &number) || n_seen++ % step != first) {
            continue;
        }
        uint64_t left = e;
        for (int i = s->rank; i-- > 0;) {
            coordinates[n * (uint64_t)s->rank + (uint64_t)i] = left % s->extent[i];
            left /= s->extent[i];
        }
        put(s->kind, number, values + n++ * memory_size(s->kind));
    }
    return n;
}

/* --- writing --------------------------------------------------------------------------------- */

static void make_by_rfc(hid_t file, const spec *s)
{
    const hid_t dcpl = (hid_t)CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t type = s->type();
    const hid_t memory = memory_type(s->kind);
    const hsize_t most[RANK] = {H5S_UNLIMITED, H5S_UNLIMITED, H5S_UNLIMITED, H5S_UNLIMITED};
    const hid_t space = (hid_t)CHECK_H5(H5Screate_simple(s->rank, s->extent, most));

    CHECK_H5(H5Pset_struct_chunk(dcpl, s->rank, s->chunk, H5D_SPARSE_CHUNK));
    for (int i = 0; i < MAX_FILTERS && s->filters[i].filter != 0; i++) {
        const section_filter *f = &s->filters[i];
        /* As H5Pset_szip() does: it takes no section of fewer elements than its blocks have. */
        const unsigned flags = f->filter == H5Z_FILTER_SZIP ? H5Z_FLAG_OPTIONAL : 0;
        CHECK_H5(H5Pset_filter2(dcpl, f->section, f->filter, flags, f->n_values, f->values));
    }
    if (s->fill >= 0) {
        uint8_t fill[sizeof(element)];
        put(s->kind, s->fill, fill);
        CHECK_H5(H5Pset_fill_value(dcpl, memory, fill));
    }
    const hid_t dset =
        (hid_t)CHECK_H5(H5Dcreate(file, s->name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Dclose(dset));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(memory));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Pclose(dcpl));
}

static void make_by_coordinates(hid_t file, const spec *s)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_sparse_options options = STOA_SPARSE_OPTIONS_INIT;
    uint64_t extent[RANK];
    uint64_t chunk[RANK];
    uint8_t fill[sizeof(element)];
    stoa_sparse *array = NULL;
    const hid_t type = s->type();

    for (int i = 0; i < s->rank; i++) {
        extent[i] = s->extent[i];
        chunk[i] = s->chunk[i];
    }
    put(s->kind, s->fill, fill);
    options.chunk = chunk;
    options.fill = s->fill >= 0 ? fill : NULL; /* of the file's type, which is ours here */
    options.values = s->codec;
    options.positions = s->codec;
    CHECK_OK(stoa_sparse_create(file, s->name, type, (unsigned)s->rank, extent, &options, NULL,
                                &array, &err),
             &err);
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
    CHECK_H5(H5Tclose(type));
}

/* Every second defined element by coordinates. */
static void write_first_half(hid_t file, const spec *s, uint64_t *coordinates, uint8_t *values)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_sparse *array = NULL;
    const hid_t type = memory_type(s->kind);
    const uint64_t n = elements_of(s, 0, 2, coordinates, values);

    CHECK_OK(stoa_sparse_open(file, s->name, NULL, &array, &err), &err);
    CHECK_OK(stoa_sparse_write(array, n, coordinates, values, type, &err), &err);
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
    CHECK_H5(H5Tclose(type));
}

/* The others by H5Dwrite() through a selection of points. */
static void write_second_half(hid_t file, const spec *s, uint64_t *coordinates, uint8_t *values)
{
    const hid_t type = memory_type(s->kind);
    const hid_t dset = (hid_t)CHECK_H5(H5Dopen(file, s->name, H5P_DEFAULT));
    const hid_t space = (hid_t)CHECK_H5(H5Dget_space(dset));
    const hsize_t n = elements_of(s, 1, 2, coordinates, values);
    const hid_t memory = (hid_t)CHECK_H5(H5Screate_simple(1, &n, NULL));

    if (n == 0) {
        CHECK_H5(H5Sselect_none(space));
    } else {
        _Static_assert(sizeof(hsize_t) == sizeof(uint64_t), "coordinates are those of HDF5");
        CHECK_H5(H5Sselect_elements(space, H5S_SELECT_SET, n, (const hsize_t *)coordinates));
    }
    CHECK_H5(H5Dwrite(dset, type, memory, space, H5P_DEFAULT, values));
    CHECK_H5(H5Sclose(memory));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Dclose(dset));
    CHECK_H5(H5Tclose(type));
}

static void make(hid_t file, const spec *s, uint64_t *coordinates, uint8_t *values)
{
    (void)coordinates;
    (void)values;
    if (s->codec != NULL) {
        make_by_coordinates(file, s);
    } else {
        make_by_rfc(file, s);
    }
}

typedef void (*act)(hid_t file, const spec *s, uint64_t *coordinates, uint8_t *values);

static void each_of(hid_t file, act todo)
{
    for (const spec *s = specs; s < specs + N_SPECS; s++) {
        uint64_t *coordinates = malloc((volume_of(s) + 1) * RANK * sizeof *coordinates);
        uint8_t *values = malloc((volume_of(s) + 1) * sizeof(element));
        CHECK(coordinates != NULL && values != NULL);
        /* What wrote the file may have had other filters. */
        if (is_possible(s) && (todo == make || H5Lexists(file, s->name, H5P_DEFAULT) > 0)) {
            todo(file, s, coordinates, values);
        }
        free(coordinates);
        free(values);
    }
}

static void write_file(const char *path)
{
    hid_t file = (hid_t)CHECK_H5((H5Fcreate)(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));

    each_of(file, make);
    each_of(file, write_first_half);
    CHECK_H5(H5Fclose(file));
    file = (hid_t)CHECK_H5(H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT));
    each_of(file, write_second_half);
    CHECK_H5(H5Fclose(file));
}

/* --- reading --------------------------------------------------------------------------------- */

static void check_points(hid_t file, const spec *s, uint64_t *coordinates, uint8_t *values)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_sparse *array = NULL;
    stoa_sparse_points found = {.n = 0};
    const hid_t type = memory_type(s->kind);
    const uint64_t n = elements_of(s, 0, 1, coordinates, values);
    const size_t size = memory_size(s->kind);
    const size_t n_bytes = s->kind == PAIR ? sizeof(int32_t) : size; /* padding is anything */

    CHECK_OK(stoa_sparse_open(file, s->name, NULL, &array, &err), &err);
    CHECK_OK(stoa_sparse_read(array, NULL, NULL, type, &found, &err), &err);
    CHECK_U64(found.n, n);
    for (uint64_t i = 0; i < n; i++) {
        CHECK_MEM(found.coordinates + i * (uint64_t)s->rank, coordinates + i * (uint64_t)s->rank,
                  (size_t)s->rank * sizeof *coordinates);
        CHECK_MEM((uint8_t *)found.values + i * size, values + i * size, n_bytes);
    }
    stoa_sparse_points_clear(&found);
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
    CHECK_H5(H5Tclose(type));
}

/* As H5Dread() shows it: by the filter, or from the sections. */
static void check_dense(hid_t file, const spec *s, uint64_t *coordinates, uint8_t *values)
{
    const hid_t type = memory_type(s->kind);
    const hid_t dset = (hid_t)CHECK_H5(H5Dopen(file, s->name, H5P_DEFAULT));
    const size_t size = memory_size(s->kind);

    (void)coordinates;
    CHECK_H5(H5Dread(dset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    for (uint64_t e = 0; e < volume_of(s); e++) {
        uint8_t expected[sizeof(element)] = {0};
        int64_t number = 0;
        if (is_defined(s, e, &number)) {
            put(s->kind, number, expected);
        } else if (s->fill >= 0) {
            put(s->kind, s->fill, expected);
        }
        const size_t offset = s->kind == PAIR ? offsetof(pair, b) : 0;
        CHECK_MEM(values + e * size + offset, expected + offset, size - offset);
        CHECK_MEM(values + e * size, expected, sizeof(int32_t));
    }
    CHECK_H5(H5Dclose(dset));
    CHECK_H5(H5Tclose(type));
}

static void check_file(const char *path)
{
    hid_t file = (hid_t)CHECK_H5((H5Fopen)(path, H5F_ACC_RDONLY, H5P_DEFAULT));

    each_of(file, check_points);
    each_of(file, check_dense);
    CHECK_H5(H5Fclose(file));
    file = (hid_t)CHECK_H5(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT));
    each_of(file, check_dense);
    CHECK_H5(H5Fclose(file));
}

/* --- the tests ------------------------------------------------------------------------------- */

static void what_is_written_is_read(void)
{
    const char *kept = getenv("STOA_EXCHANGE");
    const char *path = kept != NULL ? kept : check_path("exchange.h5");

    write_file(path);
    check_file(path);
}

static void what_others_wrote_is_read(void)
{
    const char *path = getenv("STOA_EXCHANGED");

    if (path == NULL) {
        SKIP("no file of others is named by STOA_EXCHANGED");
    }
    check_file(path);
}

TEST_MAIN(TEST(what_is_written_is_read), TEST(what_others_wrote_is_read))
