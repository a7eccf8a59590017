/* The rules of HEP001 §10.4, for src/index/minmax/minmax.c. Entries are read back by plain HDF5
 * calls into structs declared here; the expected values are worked out by hand from the rows above
 * them. */
#include <math.h>
#include <stdio.h>

#include "index/one_column.h"
#include "support/sweep.h"

static void add_index(one_column *made)
{
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_index_add(made->table, "x", "minmax", NULL, &err), &err);
}

/* The entries, as `bound` min and max and three native uint64. */
static uint64_t read_entries(const one_column *made, hid_t bound, size_t bound_size, void *entries)
{
    static const char *const counts[] = {"nan_count", "fill_count", "n"};
    const hid_t dataset = one_column_index(made);
    const hid_t space = CHECK_H5(H5Dget_space(dataset));
    const uint64_t n = (uint64_t)CHECK_H5(H5Sget_simple_extent_npoints(space));
    const hid_t type = CHECK_H5(H5Tcreate(H5T_COMPOUND, 2 * bound_size + 24));

    CHECK_H5(H5Tinsert(type, "min", 0, bound));
    CHECK_H5(H5Tinsert(type, "max", bound_size, bound));
    for (size_t i = 0; i < 3; i++) {
        CHECK_H5(H5Tinsert(type, counts[i], 2 * bound_size + 8 * i, H5T_NATIVE_UINT64));
    }
    CHECK_H5(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, entries));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Dclose(dataset));
    return n;
}

typedef struct entry_f64 {
    double min, max;
    uint64_t nan_count, fill_count, n;
} entry_f64;

typedef struct entry_i64 {
    int64_t min, max;
    uint64_t nan_count, fill_count, n;
} entry_i64;

static void check_i64_entry(const entry_i64 *entry, int64_t min, int64_t max, uint64_t fill_count,
                            uint64_t n)
{
    CHECK_I64(entry->min, min);
    CHECK_I64(entry->max, max);
    CHECK_U64(entry->nan_count, 0);
    CHECK_U64(entry->fill_count, fill_count);
    CHECK_U64(entry->n, n);
}

static void check_f64_entry(const entry_f64 *entry, double min, double max, uint64_t nan_count,
                            uint64_t fill_count, uint64_t n)
{
    CHECK_F64(entry->min, min);
    CHECK_F64(entry->max, max);
    CHECK_U64(entry->nan_count, nan_count);
    CHECK_U64(entry->fill_count, fill_count);
    CHECK_U64(entry->n, n);
}

static void every_chunk_has_its_bounds(void)
{
    const int64_t fill = -99;
    const int64_t rows[] = {3, 1, 2, -99, -5, 7, -99, 0, -99, -99, -99, -99, 8, 6};
    const one_column_spec spec = {.file_type = H5T_STD_I64LE,
                                  .mem_type = H5T_NATIVE_INT64,
                                  .fill = &fill,
                                  .values = rows,
                                  .extent = 14,
                                  .n_rows = 14,
                                  .chunk_rows = 4};
    one_column made = one_column_make(&spec);
    entry_i64 entries[4];

    add_index(&made);
    CHECK_U64(read_entries(&made, H5T_NATIVE_INT64, 8, entries), 4);
    check_i64_entry(&entries[0], 1, 3, 1, 4);
    check_i64_entry(&entries[1], -5, 7, 1, 4);
    check_i64_entry(&entries[2], -99, -99, 4, 4); /* nothing to bound: the fill value */
    check_i64_entry(&entries[3], 6, 8, 0, 2);
    one_column_free(&made);
}

static void nan_and_fill_are_counted_but_never_bound(void)
{
    const double fill = -9.0;
    const double rows[] = {3.0, NAN, fill, 7.5, fill, NAN, fill, NAN, NAN, fill};
    const one_column_spec spec = {.file_type = H5T_IEEE_F64BE,
                                  .mem_type = H5T_NATIVE_DOUBLE,
                                  .fill = &fill,
                                  .values = rows,
                                  .extent = 10,
                                  .n_rows = 10,
                                  .chunk_rows = 5};
    one_column made = one_column_make(&spec);
    entry_f64 entries[2];

    add_index(&made);
    CHECK_U64(read_entries(&made, H5T_NATIVE_DOUBLE, 8, entries), 2);
    check_f64_entry(&entries[0], 3.0, 7.5, 1, 2, 5);
    check_f64_entry(&entries[1], fill, fill, 3, 2, 5);
    one_column_free(&made);
}

static void with_a_nan_fill_every_nan_is_missing(void)
{
    const double fill = NAN;
    const double rows[] = {NAN, 2.0, NAN, 1.0, NAN, NAN, NAN, NAN};
    const one_column_spec spec = {.file_type = H5T_IEEE_F64LE,
                                  .mem_type = H5T_NATIVE_DOUBLE,
                                  .fill = &fill,
                                  .values = rows,
                                  .extent = 8,
                                  .n_rows = 8,
                                  .chunk_rows = 4};
    one_column made = one_column_make(&spec);
    entry_f64 entries[2];

    add_index(&made);
    CHECK_U64(read_entries(&made, H5T_NATIVE_DOUBLE, 8, entries), 2);
    check_f64_entry(&entries[0], 1.0, 2.0, 2, 2, 4);
    check_f64_entry(&entries[1], NAN, NAN, 4, 4, 4);
    one_column_free(&made);
}

static void infinities_bound_and_zeros_are_one_value(void)
{
    const float fill = 1.0f;
    const float rows[] = {-INFINITY, 0.0f, INFINITY, -0.0f, -0.0f, 0.0f};
    const one_column_spec spec = {.file_type = H5T_IEEE_F32LE,
                                  .mem_type = H5T_NATIVE_FLOAT,
                                  .fill = &fill,
                                  .values = rows,
                                  .extent = 6,
                                  .n_rows = 6,
                                  .chunk_rows = 4};
    one_column made = one_column_make(&spec);
    entry_f64 entries[2];

    add_index(&made);
    CHECK_U64(read_entries(&made, H5T_NATIVE_DOUBLE, 8, entries), 2);
    check_f64_entry(&entries[0], -INFINITY, INFINITY, 0, 0, 4);
    check_f64_entry(&entries[1], 0.0, 0.0, 0, 0, 2);
    one_column_free(&made);
}

static void unsigned_values_are_ordered_as_unsigned(void)
{
    const uint64_t fill = 7;
    const uint64_t rows[] = {UINT64_MAX, 0, 1u};
    const one_column_spec spec = {.file_type = H5T_STD_U64BE,
                                  .mem_type = H5T_NATIVE_UINT64,
                                  .fill = &fill,
                                  .values = rows,
                                  .extent = 3,
                                  .n_rows = 3,
                                  .chunk_rows = 3};
    one_column made = one_column_make(&spec);
    struct {
        uint64_t min, max, counts[3];
    } entry;

    add_index(&made);
    CHECK_U64(read_entries(&made, H5T_NATIVE_UINT64, 8, &entry), 1);
    CHECK_U64(entry.min, 0);
    CHECK_U64(entry.max, UINT64_MAX);
    one_column_free(&made);
}

static void half_floats_are_ordered_by_value_not_by_bits(void)
{
    const double fill = 1.0;
    const double rows[] = {-2.0, 0.5, NAN, -0.25};
    const hid_t half = CHECK_H5(H5Tcopy(H5T_IEEE_F32LE));

    /* IEEE 754 binary16: 1 sign, 5 exponent, 10 mantissa bits, bias 15. */
    CHECK_H5(H5Tset_fields(half, 15, 10, 5, 0, 10));
    CHECK_H5(H5Tset_precision(half, 16));
    CHECK_H5(H5Tset_ebias(half, 15));
    CHECK_H5(H5Tset_size(half, 2));
    const one_column_spec spec = {.file_type = half,
                                  .mem_type = H5T_NATIVE_DOUBLE,
                                  .fill = &fill,
                                  .values = rows,
                                  .extent = 4,
                                  .n_rows = 4,
                                  .chunk_rows = 4};
    one_column made = one_column_make(&spec);
    entry_f64 entry;

    add_index(&made);
    CHECK_U64(read_entries(&made, H5T_NATIVE_DOUBLE, 8, &entry), 1);
    check_f64_entry(&entry, -2.0, 0.5, 1, 0, 4);
    one_column_free(&made);
    CHECK_H5(H5Tclose(half));
}

static void fixed_strings_are_ordered_without_their_padding(void)
{
    const char fill[4] = "";
    /* Bytes, not letters: "z" is below "\xc3\xa9", and "a" below "a b". */
    const char rows[5][4] = {"z", "\xc3\xa9", "a b", "a", ""};
    const hid_t text = CHECK_H5(H5Tcopy(H5T_C_S1));

    CHECK_H5(H5Tset_size(text, 4));
    CHECK_H5(H5Tset_strpad(text, H5T_STR_NULLPAD));
    CHECK_H5(H5Tset_cset(text, H5T_CSET_UTF8));
    const one_column_spec spec = {
        .file_type = text, .fill = fill, .values = rows, .extent = 5, .n_rows = 5, .chunk_rows = 8};
    one_column made = one_column_make(&spec);
    struct {
        char min[4], max[4];
        uint64_t nan_count, fill_count, n;
    } entry;

    add_index(&made);
    CHECK_U64(read_entries(&made, text, 4, &entry), 1);
    CHECK_MEM(entry.min, "a\0\0\0", 4);
    CHECK_MEM(entry.max, "\xc3\xa9\0\0", 4);
    CHECK_U64(entry.fill_count, 1);
    CHECK_U64(entry.n, 5);
    one_column_free(&made);
    CHECK_H5(H5Tclose(text));
}

static void variable_strings_are_bounded_too(void)
{
    const char *const fill = "";
    const char *const rows[] = {"owl", "", "heron", "wren", "", "", "rook", "jay"};
    const hid_t text = CHECK_H5(H5Tcopy(H5T_C_S1));

    CHECK_H5(H5Tset_size(text, H5T_VARIABLE));
    const one_column_spec spec = {.file_type = text,
                                  .fill = &fill,
                                  .values = rows,
                                  .extent = 8,
                                  .n_rows = 8,
                                  .chunk_rows = 4};
    one_column made = one_column_make(&spec);
    struct {
        char *min, *max;
        uint64_t nan_count, fill_count, n;
    } entries[2];

    add_index(&made);
    CHECK_U64(read_entries(&made, text, sizeof(char *), entries), 2);
    CHECK_STR(entries[0].min, "heron");
    CHECK_STR(entries[0].max, "wren");
    CHECK_U64(entries[0].fill_count, 1);
    CHECK_STR(entries[1].min, "jay");
    CHECK_STR(entries[1].max, "rook");
    CHECK_U64(entries[1].fill_count, 2);
    for (int i = 0; i < 2; i++) {
        CHECK_H5(H5free_memory(entries[i].min));
        CHECK_H5(H5free_memory(entries[i].max));
    }
    one_column_free(&made);
    CHECK_H5(H5Tclose(text));
}

/* The lowest and the highest value, as text. */
static void check_summary(const one_column *made, uint64_t n_rows, size_t size, const char *low,
                          const char *high)
{
    const hid_t dataset = one_column_index(made);
    stoa_index *index = NULL;
    uint64_t n_missing = 0;
    char lowest[40];
    char highest[40];

    CHECK_OK(stoa_index_minmax.open(made->column, dataset, n_rows, &index, NULL));
    CHECK(stoa_index_minmax.summary(index, &n_missing, lowest, highest, size));
    CHECK_STR(lowest, low);
    CHECK_STR(highest, high);
    stoa_index_minmax.close(index);
    CHECK_H5(H5Dclose(dataset));
}

static void opaque_values_and_enum_codes_are_ordered(void)
{
    const hid_t opaque = CHECK_H5(H5Tcreate(H5T_OPAQUE, 2));
    CHECK_H5(H5Tset_tag(opaque, "pair"));
    const uint8_t opaque_fill[2] = {0, 0};
    const uint8_t opaque_rows[3][2] = {{1, 255}, {255, 0}, {1, 3}};
    const one_column_spec opaque_spec = {.file_type = opaque,
                                         .fill = opaque_fill,
                                         .values = opaque_rows,
                                         .extent = 3,
                                         .n_rows = 3,
                                         .chunk_rows = 3};
    one_column made = one_column_make(&opaque_spec);
    struct {
        uint8_t min[2], max[2];
        uint8_t counts[24];
    } opaque_entry;
    add_index(&made);
    CHECK_U64(read_entries(&made, opaque, 2, &opaque_entry), 1);
    CHECK_MEM(opaque_entry.min, ((uint8_t[]){1, 3}), 2);
    CHECK_MEM(opaque_entry.max, ((uint8_t[]){255, 0}), 2);
    check_summary(&made, 3, 40, "0103", "ff00");
    check_summary(&made, 3, 4, "01", "ff"); /* of a value that is too long, its first bytes */
    one_column_free(&made);
    CHECK_H5(H5Tclose(opaque));

    const hid_t colour = CHECK_H5(H5Tenum_create(H5T_STD_I16BE));
    CHECK_H5(H5Tenum_insert(colour, "red", "\xff\xfd"));  /* -3, big-endian */
    CHECK_H5(H5Tenum_insert(colour, "blue", "\x00\x05")); /* 5 */
    const uint8_t enum_fill[2] = {0x80, 0x01};            /* -32767 is no member (notes C5) */
    const uint8_t enum_rows[][2] = {{0, 5}, {0x80, 1}, {0xff, 0xfd}, {0x80, 1}};
    const one_column_spec enum_spec = {.file_type = colour,
                                       .fill = enum_fill,
                                       .values = enum_rows,
                                       .extent = 4,
                                       .n_rows = 4,
                                       .chunk_rows = 3};
    made = one_column_make(&enum_spec);
    struct {
        uint8_t min[2], max[2];
        uint8_t counts[24];
    } enum_entries[2];
    add_index(&made);
    CHECK_U64(read_entries(&made, colour, 2, enum_entries), 2);
    CHECK_MEM(enum_entries[0].min, "\xff\xfd", 2);
    CHECK_MEM(enum_entries[0].max, "\x00\x05", 2);
    CHECK_MEM(enum_entries[1].min, "\x80\x01", 2);
    CHECK_MEM(enum_entries[1].max, "\x80\x01", 2);
    one_column_free(&made);
    CHECK_H5(H5Tclose(colour));
}

static void a_column_without_order_is_refused(void)
{
    const hid_t array = CHECK_H5(H5Tarray_create2(H5T_NATIVE_INT, 1, &(hsize_t){2}));
    const int fill[2] = {0, 0};
    const int rows[4] = {1, 2, 3, 4};
    const one_column_spec spec = {.file_type = array,
                                  .fill = fill,
                                  .values = rows,
                                  .extent = 2,
                                  .n_rows = 2,
                                  .chunk_rows = 2};
    one_column made = one_column_make(&spec);
    stoa_error err = STOA_ERROR_INIT;

    CHECK_STATUS(STOA_ETYPE, stoa_index_add(made.table, "x", "minmax", NULL, &err));
    CHECK_CONTAINS(err.message, "10.5");
    CHECK(H5Lexists(made.group, "SEARCH_INDEXES", H5P_DEFAULT) == 0);
    one_column_free(&made);
    CHECK_H5(H5Tclose(array));
}

/* Notes D10: bfloat16 and the like are floats, but not those that §10.5 lists. */
static void a_float_of_another_format_has_no_order(void)
{
    static const char *const kinds[] = {"minmax", "sorted", "bloom"};
    const hid_t bfloat = CHECK_H5(H5Tcopy(H5T_IEEE_F32LE));
    const double fill = -1.0;
    const double rows[] = {1.0, 2.0};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_H5(H5Tset_fields(bfloat, 15, 7, 8, 0, 7));
    CHECK_H5(H5Tset_precision(bfloat, 16));
    CHECK_H5(H5Tset_size(bfloat, 2));
    const one_column_spec spec = {.file_type = bfloat,
                                  .mem_type = H5T_NATIVE_DOUBLE,
                                  .fill = &fill,
                                  .values = rows,
                                  .extent = 2,
                                  .n_rows = 2,
                                  .chunk_rows = 2};
    one_column made = one_column_make(&spec);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        err = (stoa_error)STOA_ERROR_INIT;
        CHECK_STATUS(STOA_ETYPE, stoa_index_add(made.table, "x", kinds[i], NULL, &err));
        CHECK_CONTAINS(err.message, "HEP001 §10.");
    }
    CHECK(H5Lexists(made.group, "SEARCH_INDEXES", H5P_DEFAULT) == 0);
    one_column_free(&made);
    CHECK_H5(H5Tclose(bfloat));
}

static void a_contiguous_column_is_one_chunk_of_nrows(void)
{
    const int64_t fill = -1;
    const int64_t rows[] = {4, 9, 5, 1000, -1000};
    one_column_spec spec = {.file_type = H5T_STD_I64LE,
                            .mem_type = H5T_NATIVE_INT64,
                            .fill = &fill,
                            .values = rows,
                            .extent = 5,
                            .n_rows = 3};
    one_column made = one_column_make(&spec);
    entry_i64 entry;

    add_index(&made);
    CHECK_U64(read_entries(&made, H5T_NATIVE_INT64, 8, &entry), 1);
    check_i64_entry(&entry, 4, 9, 0, 3);
    one_column_free(&made);
}

static void rows_beyond_nrows_are_not_indexed(void)
{
    const int64_t fill = -1;
    const int64_t rows[] = {4, 9, 5, 1000, -1000, 2000, 2000, 2000};
    one_column_spec spec = {.file_type = H5T_STD_I64LE,
                            .mem_type = H5T_NATIVE_INT64,
                            .fill = &fill,
                            .values = rows,
                            .extent = 8,
                            .n_rows = 3,
                            .chunk_rows = 2};
    one_column made = one_column_make(&spec);
    entry_i64 entries[2];

    add_index(&made);
    CHECK_U64(read_entries(&made, H5T_NATIVE_INT64, 8, entries), 2);
    check_i64_entry(&entries[0], 4, 9, 0, 2);
    check_i64_entry(&entries[1], 5, 5, 0, 1);
    one_column_free(&made);

    spec.n_rows = 0;
    made = one_column_make(&spec);
    add_index(&made);
    CHECK_U64(read_entries(&made, H5T_NATIVE_INT64, 8, entries), 0);
    one_column_free(&made);
}

static void the_dataset_is_what_the_section_says(void)
{
    static const char *const names[] = {"min", "max", "nan_count", "fill_count", "n"};
    const int16_t fill = -1;
    const int16_t rows[] = {1};
    const one_column_spec spec = {.file_type = H5T_STD_I16BE,
                                  .mem_type = H5T_NATIVE_INT16,
                                  .fill = &fill,
                                  .values = rows,
                                  .extent = 1,
                                  .n_rows = 1,
                                  .chunk_rows = 4};
    one_column made = one_column_make(&spec);

    add_index(&made);
    const hid_t dataset = one_column_index(&made);
    const hid_t type = CHECK_H5(H5Dget_type(dataset));
    CHECK_I64(H5Tget_nmembers(type), 5);
    for (unsigned i = 0; i < 5; i++) {
        char *name = H5Tget_member_name(type, i);
        const hid_t member = CHECK_H5(H5Tget_member_type(type, i));
        CHECK_STR(name, names[i]);
        CHECK(H5Tequal(member, i < 2 ? H5T_STD_I16BE : H5T_STD_U64LE) > 0);
        CHECK_H5(H5free_memory(name));
        CHECK_H5(H5Tclose(member));
    }
    const hid_t attr = CHECK_H5(H5Aopen(dataset, "KIND", H5P_DEFAULT));
    const hid_t text = CHECK_H5(H5Aget_type(attr));
    char kind[13];
    CHECK_U64(H5Tget_size(text), 13);
    CHECK_I64(H5Tget_cset(text), H5T_CSET_ASCII);
    CHECK(H5Tis_variable_str(text) == 0);
    CHECK_H5(H5Aread(attr, text, kind));
    CHECK_STR(kind, "CHUNK_MINMAX");
    CHECK_H5(H5Tclose(text));
    CHECK_H5(H5Aclose(attr));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Dclose(dataset));
    one_column_free(&made);
}

static void an_append_leaves_what_a_fresh_build_would(void)
{
    int64_t rows[40];
    const int64_t fill = -7;

    for (int i = 0; i < 40; i++) {
        rows[i] = (int64_t)check_random_below(1000) - 500;
    }
    /* From every length to every length: within a chunk, to its end, over several, and
     * shrinking. */
    for (uint64_t n_old = 0; n_old <= 40; n_old += 3) {
        for (uint64_t n_new = 0; n_new <= 40; n_new += 5) {
            const one_column_spec spec = {.file_type = H5T_STD_I64LE,
                                          .mem_type = H5T_NATIVE_INT64,
                                          .fill = &fill,
                                          .values = rows,
                                          .extent = 40,
                                          .n_rows = n_old,
                                          .chunk_rows = 8};
            one_column made = one_column_make(&spec);
            stoa_error err = STOA_ERROR_INIT;
            bool same = false;

            add_index(&made);
            CHECK_OK(stoa_index_extend_all(made.group, made.column, n_old, n_new, &err), &err);
            one_column_reopen(&made, n_new);
            CHECK_OK(stoa_index_verify(made.table, "x", "minmax", &same, &err), &err);
            CHECK(same);
            entry_i64 entries[5];
            CHECK_U64(read_entries(&made, H5T_NATIVE_INT64, 8, entries), (n_new + 7) / 8);
            one_column_free(&made);
        }
    }
}

/* A file to spoil: doubles, chunks of 4, fill -9, one NaN. */
static one_column make_doubles(void)
{
    static const double fill = -9.0;
    static const double rows[] = {0.0, 1.0, 2.0, -9.0, 4.0, NAN, 6.0, 7.0, 8.0, 9.0};
    const one_column_spec spec = {.file_type = H5T_IEEE_F64LE,
                                  .mem_type = H5T_NATIVE_DOUBLE,
                                  .fill = &fill,
                                  .values = rows,
                                  .extent = 10,
                                  .n_rows = 10,
                                  .chunk_rows = 4};
    one_column made = one_column_make(&spec);

    add_index(&made);
    return made;
}

static hid_t entry_type_f64(void)
{
    const hid_t type = CHECK_H5(H5Tcreate(H5T_COMPOUND, sizeof(entry_f64)));

    CHECK_H5(H5Tinsert(type, "min", 0, H5T_NATIVE_DOUBLE));
    CHECK_H5(H5Tinsert(type, "max", 8, H5T_NATIVE_DOUBLE));
    CHECK_H5(H5Tinsert(type, "nan_count", 16, H5T_NATIVE_UINT64));
    CHECK_H5(H5Tinsert(type, "fill_count", 24, H5T_NATIVE_UINT64));
    CHECK_H5(H5Tinsert(type, "n", 32, H5T_NATIVE_UINT64));
    return type;
}

/* Overwrite entry `chunk`. */
static void spoil(const one_column *made, hsize_t chunk, entry_f64 entry)
{
    const hid_t dataset = one_column_index(made);
    const hid_t type = entry_type_f64();
    const hid_t space = CHECK_H5(H5Dget_space(dataset));
    const hid_t one = CHECK_H5(H5Screate(H5S_SCALAR));

    CHECK_H5(H5Sselect_elements(space, H5S_SELECT_SET, 1, &chunk));
    CHECK_H5(H5Dwrite(dataset, type, one, space, H5P_DEFAULT, &entry));
    CHECK_H5(H5Sclose(one));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Dclose(dataset));
}

/* The rows that may pass by the index, or that pass for certain, as text "0+4 8+2". */
static const char *rows_by_index(one_column *made, const stoa_test *test, bool is_certain)
{
    static char text[200];
    const hid_t dataset = one_column_index(made);
    stoa_error err = STOA_ERROR_INIT;
    stoa_index *index = NULL;
    stoa_rowset rows = {0};
    stoa_rowset certain = {0};
    size_t at = 0;

    CHECK_OK(stoa_index_minmax.open(made->column, dataset, made->table->n_rows, &index, &err),
             &err);
    CHECK_OK(stoa_index_minmax.prune(index, test, &rows, &certain, &err), &err);
    const stoa_rowset *const shown = is_certain ? &certain : &rows;
    text[0] = '\0';
    for (size_t i = 0; i < shown->n_ranges; i++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%llu+%llu", i != 0 ? " " : "",
                               (unsigned long long)shown->ranges[i].first,
                               (unsigned long long)shown->ranges[i].count);
    }
    stoa_rowset_clear(&rows);
    stoa_rowset_clear(&certain);
    stoa_index_minmax.close(index);
    CHECK_H5(H5Dclose(dataset));
    return text;
}

static const char *candidates(one_column *made, const stoa_test *test)
{
    return rows_by_index(made, test, false);
}

static stoa_interval between(double low, double high)
{
    return (stoa_interval){.has_low = true,
                           .has_high = true,
                           .low = {.kind = STOA_SCALAR_F64, .as.f64 = low},
                           .high = {.kind = STOA_SCALAR_F64, .as.f64 = high}};
}

static const char *candidates_between(one_column *made, double low, double high)
{
    const stoa_interval interval = between(low, high);

    return candidates(made, &(stoa_test){.intervals = &interval, .n_intervals = 1});
}

static void chunks_out_of_the_interval_are_skipped(void)
{
    one_column made = make_doubles(); /* bounds 0..2, 4..7, 8..9 */
    stoa_interval open = between(2.0, 4.0);

    CHECK_STR(candidates_between(&made, 1.0, 1.5), "0+4");
    CHECK_STR(candidates_between(&made, 2.0, 4.0), "0+8");
    CHECK_STR(candidates_between(&made, 2.5, 3.5), "");
    CHECK_STR(candidates_between(&made, 9.0, 100.0), "8+2");
    CHECK_STR(candidates_between(&made, -9.0, -9.0), ""); /* the fill is no value */
    open.low_open = open.high_open = true;
    CHECK_STR(candidates(&made, &(stoa_test){.intervals = &open, .n_intervals = 1}), "");
    open.has_low = false;
    CHECK_STR(candidates(&made, &(stoa_test){.intervals = &open, .n_intervals = 1}), "0+4");
    open.has_low = true;
    open.has_high = false;
    CHECK_STR(candidates(&made, &(stoa_test){.intervals = &open, .n_intervals = 1}), "4+6");
    one_column_free(&made);
}

static void missing_and_nan_are_found_by_their_counts(void)
{
    one_column made = make_doubles();
    const stoa_interval high = between(8.5, 8.5);

    CHECK_STR(candidates(&made, &(stoa_test){.missing = true}), "0+4");
    CHECK_STR(candidates(&made, &(stoa_test){.nan = true}), "4+4");
    CHECK_STR(
        candidates(&made, &(stoa_test){.intervals = &high, .n_intervals = 1, .missing = true}),
        "0+4 8+2");
    CHECK_STR(candidates(&made, &(stoa_test){.n_intervals = 0}), "");
    one_column_free(&made);
}

static void a_chunk_half_of_nan_is_not_empty(void)
{
    const double fill = NAN;
    const double rows[] = {NAN, 2.0, NAN, 1.0, NAN, NAN, NAN, NAN};
    const one_column_spec spec = {.file_type = H5T_IEEE_F64LE,
                                  .mem_type = H5T_NATIVE_DOUBLE,
                                  .fill = &fill,
                                  .values = rows,
                                  .extent = 8,
                                  .n_rows = 8,
                                  .chunk_rows = 4};
    one_column made = one_column_make(&spec);

    add_index(&made);
    CHECK_STR(candidates_between(&made, 1.5, 2.5), "0+4");
    CHECK_STR(candidates(&made, &(stoa_test){.missing = true}), "0+8");
    CHECK_STR(candidates(&made, &(stoa_test){.nan = true}), ""); /* none of them is data */
    one_column_free(&made);
}

static void an_impossible_entry_is_not_believed(void)
{
    /* Each would hide chunk 1 (4..7, one NaN) from a query for 5 if it were believed. */
    static const entry_f64 lies[] = {
        {0.0, 1.0, 1, 0, 5},          /* more rows than the chunk has */
        {0.0, 1.0, 1, 0, 3},          /* fewer */
        {0.0, 1.0, 1, 5, 4},          /* more missing than rows */
        {0.0, 1.0, 2, 3, 4},          /* missing and NaN overlap */
        {0.0, 1.0, UINT64_MAX, 5, 4}, /* a sum that wraps to n */
        {9.0, 8.0, 1, 0, 4},          /* bounds the wrong way round */
        {NAN, 1.0, 1, 0, 4},          {0.0, NAN, 1, 0, 4},
    };

    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        one_column made = make_doubles();
        spoil(&made, 1, lies[i]);
        CHECK_STR(candidates_between(&made, 5.0, 5.0), "4+4");
        CHECK_STR(candidates_between(&made, 1.0, 1.0), "0+8"); /* the others still help */
        one_column_free(&made);
    }
}

static void verify_finds_each_wrong_field(void)
{
    static const struct {
        entry_f64 entry; /* chunk 0 is {0, 2, 0, 1, 4} */
        const char *field;
    } rows[] = {
        {{0.5, 2.0, 0, 1, 4}, "min"},       {{0.0, 2.5, 0, 1, 4}, "max"},
        {{0.0, 2.0, 1, 1, 4}, "nan_count"}, {{0.0, 2.0, 0, 2, 4}, "fill_count"},
        {{0.0, 2.0, 0, 1, 3}, " n is"},
    };
    bool same = false;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        one_column made = make_doubles();
        stoa_error err = STOA_ERROR_INIT;
        CHECK_OK(stoa_index_verify(made.table, "x", NULL, &same, &err), &err);
        CHECK(same);
        spoil(&made, 0, rows[i].entry);
        CHECK_OK(stoa_index_verify(made.table, "x", NULL, &same, &err), &err);
        CHECK(!same);
        CHECK_CONTAINS(err.message, "chunk 0");
        CHECK_CONTAINS(err.message, rows[i].field);
        one_column_free(&made);
    }
    /* -0.0 is 0.0 (notes D7). */
    one_column made = make_doubles();
    spoil(&made, 0, (entry_f64){-0.0, 2.0, 0, 1, 4});
    CHECK_OK(stoa_index_verify(made.table, "x", NULL, &same, NULL));
    CHECK(same);
    one_column_free(&made);
}

static void set_length(const one_column *made, hsize_t length)
{
    const hid_t dataset = one_column_index(made);

    CHECK_H5(H5Dset_extent(dataset, &length));
    CHECK_H5(H5Dclose(dataset));
}

static stoa_status try_open(one_column *made)
{
    const hid_t dataset = one_column_index(made);
    stoa_index *index = NULL;
    const stoa_status status =
        stoa_index_minmax.open(made->column, dataset, made->table->n_rows, &index, NULL);

    stoa_index_minmax.close(index);
    CHECK_H5(H5Dclose(dataset));
    return status;
}

static void residue_is_ignored_and_a_short_index_refused(void)
{
    one_column made = make_doubles();

    set_length(&made, 7);
    CHECK_STR(candidates_between(&made, -1e300, 1e300), "0+10");
    set_length(&made, 2);
    CHECK_STATUS(STOA_EDATA, try_open(&made));
    one_column_free(&made);
}

static void an_index_of_another_type_is_refused(void)
{
    one_column made = make_doubles();
    const int64_t fill = -1;
    const int64_t rows[] = {1, 2};
    const one_column_spec spec = {.file_type = H5T_STD_I64LE,
                                  .mem_type = H5T_NATIVE_INT64,
                                  .fill = &fill,
                                  .values = rows,
                                  .extent = 2,
                                  .n_rows = 2,
                                  .chunk_rows = 4};
    one_column other = one_column_make(&spec);
    const hid_t dataset = one_column_index(&made);
    stoa_error err = STOA_ERROR_INIT;
    stoa_index *index = NULL;

    /* Its 8-byte bounds are doubles, the column's values int64: same size, another type. */
    CHECK_STATUS(STOA_EDATA, stoa_index_minmax.open(other.column, dataset, 2, &index, &err));
    CHECK(index == NULL);
    CHECK_CONTAINS(err.message, "'min'");
    CHECK_H5(H5Dclose(dataset));
    one_column_free(&other);
    one_column_free(&made);
}

/* Entries that begin as those of an index do, and go on; and numbers. */
static void an_index_of_other_fields_than_five_is_refused(void)
{
    one_column made = make_doubles();
    const hid_t dataset = one_column_index(&made);
    const hid_t ours = CHECK_H5(H5Dget_type(dataset));
    const hid_t longer = CHECK_H5(H5Tcopy(ours));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){8}, NULL));

    CHECK_H5(H5Tset_size(longer, H5Tget_size(ours) + 8));
    CHECK_H5(H5Tinsert(longer, "more", H5Tget_size(ours), H5T_STD_U64LE));
    const hid_t types[] = {ours, longer, H5T_STD_U64LE};
    for (size_t i = 0; i < 3; i++) {
        const hid_t entries =
            CHECK_H5(H5Dcreate_anon(made.group, types[i], space, H5P_DEFAULT, H5P_DEFAULT));
        stoa_error err = STOA_ERROR_INIT;
        stoa_index *index = NULL;
        CHECK_STATUS(i == 0 ? STOA_OK : STOA_EDATA,
                     stoa_index_minmax.open(made.column, entries, 10, &index, &err));
        if (i == 0) {
            stoa_index_minmax.close(index);
        } else {
            CHECK_CONTAINS(err.message, "five fields");
        }
        CHECK_H5(H5Dclose(entries));
    }
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(longer));
    CHECK_H5(H5Tclose(ours));
    CHECK_H5(H5Dclose(dataset));
    one_column_free(&made);
}

static void the_summary_spans_all_chunks(void)
{
    one_column made = make_doubles();
    const hid_t dataset = one_column_index(&made);
    stoa_index *index = NULL;
    uint64_t n_missing = 0;
    char low[40];
    char high[40];

    CHECK_OK(stoa_index_minmax.open(made.column, dataset, 10, &index, NULL));
    CHECK(stoa_index_minmax.summary(index, &n_missing, low, high, sizeof low));
    CHECK_U64(n_missing, 1);
    CHECK_STR(low, "0.0");
    CHECK_STR(high, "9.0");
    stoa_index_minmax.close(index);
    CHECK_H5(H5Dclose(dataset));

    spoil(&made, 1, (entry_f64){0.0, 1.0, 0, 0, 9});
    const hid_t again = one_column_index(&made);
    CHECK_OK(stoa_index_minmax.open(made.column, again, 10, &index, NULL));
    CHECK(!stoa_index_minmax.summary(index, &n_missing, low, high, sizeof low));
    stoa_index_minmax.close(index);
    CHECK_H5(H5Dclose(again));
    one_column_free(&made);
}

static bool stop(void *context, const stoa_progress *progress)
{
    (void)progress;
    return --*(int *)context > 0;
}

static void the_bounds_of_times_are_shown_as_dates(void)
{
    static const int16_t fill = -9;
    static const int16_t rows[] = {31, -9, 2}; /* days after the first one of January */
    one_column made = one_column_make(&(one_column_spec){.file_type = H5T_STD_I16BE,
                                                         .mem_type = H5T_NATIVE_INT16,
                                                         .fill = &fill,
                                                         .values = rows,
                                                         .extent = 3,
                                                         .n_rows = 3,
                                                         .chunk_rows = 2});
    static const char units[] = "days since 1970-01-01";
    const hid_t text = CHECK_H5(H5Tcopy(H5T_C_S1));
    const hid_t one = CHECK_H5(H5Screate(H5S_SCALAR));

    CHECK_H5(H5Tset_size(text, sizeof units));
    const hid_t attr =
        CHECK_H5(H5Acreate2(made.column->dataset, "units", text, one, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Awrite(attr, text, units));
    CHECK_H5(H5Aclose(attr));
    CHECK_H5(H5Sclose(one));
    CHECK_H5(H5Tclose(text));
    one_column_reopen(&made, 3);
    add_index(&made);
    check_summary(&made, 3, 40, "1970-01-03", "1970-02-01");
    one_column_free(&made);
}

/* A table of its own each time: it keeps some of what is allocated. */
static void bounds_of_codes_are_written_or_memory_ran_out(void)
{
    static const uint8_t codes[][2] = {{0, 5}, {0, 3}, {0, 5}, {0, 3}};
    const hid_t colour = CHECK_H5(H5Tenum_create(H5T_STD_I16BE));
    bool is_over = false;

    CHECK_H5(H5Tenum_insert(colour, "red", codes[1]));
    CHECK_H5(H5Tenum_insert(colour, "blue", codes[0]));
    for (uint64_t n = 0; !is_over; n++) {
        one_column made = one_column_make(&(one_column_spec){
            .file_type = colour, .values = codes, .extent = 4, .n_rows = 4, .chunk_rows = 3});
        stoa_error err = STOA_ERROR_INIT;
        stoa_memory_fail_after(n);
        const stoa_status status = stoa_index_add(made.table, "x", "minmax", NULL, &err);
        is_over = sweep_is_over(n);
        stoa_memory_fail_after(UINT64_MAX);
        CHECK(status == STOA_OK || (status == STOA_ENOMEM && !is_over));
        CHECK(H5Lexists(made.group, "SEARCH_INDEXES", H5P_DEFAULT) == (status == STOA_OK));
        CHECK(n < 1000);
        one_column_free(&made);
    }
    CHECK_H5(H5Tclose(colour));
}

static void a_cancelled_build_leaves_nothing(void)
{
    one_column made = make_doubles();
    int left = 2;
    stoa_index_options options = STOA_INDEX_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;

    options.listener = (stoa_listener){stop, &left};
    options.threads = 1; /* of so few chunks each is told of */
    CHECK_OK(stoa_index_drop(made.table, "x", "minmax", &err), &err);
    CHECK_STATUS(STOA_ECANCELLED, stoa_index_add(made.table, "x", "minmax", &options, &err));
    CHECK(H5Lexists(made.group, "SEARCH_INDEXES", H5P_DEFAULT) == 0);
    CHECK(H5Aexists(made.column->dataset, "SEARCH_INDEX_LIST") == 0);
    one_column_free(&made);
}

/* The rows that are certain to lie in [0, 10], missing ones and NaN as the test has it. */
static const char *certain(one_column *made, bool missing, bool nan)
{
    const stoa_interval interval = between(0, 10);

    return rows_by_index(made, &(stoa_test){&interval, 1, missing, nan}, true);
}

/* Chunks: all of it inside, one missing row, one NaN, one row outside. */
static void a_chunk_is_certain_where_all_of_it_passes(void)
{
    const double fill = -9.0;
    const double rows[] = {1, 2, 3, 4, 5, -9.0, 7, 8, 9, NAN, 1, 2, 3, 11};
    const one_column_spec spec = {.file_type = H5T_IEEE_F64LE,
                                  .mem_type = H5T_NATIVE_DOUBLE,
                                  .fill = &fill,
                                  .values = rows,
                                  .extent = 14,
                                  .n_rows = 14,
                                  .chunk_rows = 4};
    one_column made = one_column_make(&spec);

    add_index(&made);
    CHECK_STR(certain(&made, false, false), "0+4");
    CHECK_STR(certain(&made, true, false), "0+8");
    CHECK_STR(certain(&made, false, true), "0+4 8+4");
    CHECK_STR(certain(&made, true, true), "0+12");
    one_column_free(&made);
}

static bool must_be_useless(void *context, const stoa_index_info *info)
{
    (void)context;
    CHECK(!info->usable);
    CHECK_CONTAINS(info->problem, "is far beyond what it stores");
    return true;
}

/* It is of no use, and verification says so. It is built again by an edit, as a damaged one is. */
static void an_index_that_claims_any_number_of_entries_ends_no_edit(void)
{
    const int32_t rows[] = {3, 1, 2, 4, 5};
    const one_column_spec spec = {.file_type = H5T_STD_I32LE,
                                  .mem_type = H5T_NATIVE_INT32,
                                  .values = rows,
                                  .extent = 5,
                                  .n_rows = 5,
                                  .chunk_rows = 2};
    one_column made = one_column_make(&spec);
    entry_i64 entries[3];
    stoa_error err = STOA_ERROR_INIT;
    bool same = true;

    add_index(&made);
    hid_t dataset = one_column_index(&made);
    CHECK_H5(H5Dset_extent(dataset, &(hsize_t){71776119061217283}));
    CHECK_H5(H5Dclose(dataset));
    CHECK_OK(stoa_index_verify(made.table, "x", NULL, &same, &err), &err);
    CHECK(!same);
    CHECK_CONTAINS(err.message, "is far beyond what it stores");
    CHECK_OK(stoa_index_visit(made.table, must_be_useless, NULL, NULL));
    CHECK_OK(stoa_index_extend_all(made.group, made.column, 4, 5, &err), &err);
    CHECK_U64(read_entries(&made, H5T_NATIVE_INT64, sizeof(int64_t), entries), 3);
    check_i64_entry(&entries[0], 1, 3, 0, 2);
    check_i64_entry(&entries[2], 5, 5, 0, 1);
    one_column_free(&made);
}

TEST_MAIN(
    TEST(an_index_that_claims_any_number_of_entries_ends_no_edit),
    TEST(a_chunk_is_certain_where_all_of_it_passes), TEST(every_chunk_has_its_bounds),
    TEST(nan_and_fill_are_counted_but_never_bound), TEST(with_a_nan_fill_every_nan_is_missing),
    TEST(infinities_bound_and_zeros_are_one_value), TEST(unsigned_values_are_ordered_as_unsigned),
    TEST(half_floats_are_ordered_by_value_not_by_bits),
    TEST(fixed_strings_are_ordered_without_their_padding), TEST(variable_strings_are_bounded_too),
    TEST(opaque_values_and_enum_codes_are_ordered), TEST(a_column_without_order_is_refused),
    TEST(a_float_of_another_format_has_no_order), TEST(a_contiguous_column_is_one_chunk_of_nrows),
    TEST(rows_beyond_nrows_are_not_indexed), TEST(the_dataset_is_what_the_section_says),
    TEST(an_append_leaves_what_a_fresh_build_would), TEST(chunks_out_of_the_interval_are_skipped),
    TEST(missing_and_nan_are_found_by_their_counts), TEST(a_chunk_half_of_nan_is_not_empty),
    TEST(an_impossible_entry_is_not_believed), TEST(verify_finds_each_wrong_field),
    TEST(residue_is_ignored_and_a_short_index_refused), TEST(an_index_of_another_type_is_refused),
    TEST(an_index_of_other_fields_than_five_is_refused), TEST(the_summary_spans_all_chunks),
    TEST(the_bounds_of_times_are_shown_as_dates),
    TEST(bounds_of_codes_are_written_or_memory_ran_out), TEST(a_cancelled_build_leaves_nothing))
