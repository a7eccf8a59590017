/* Appending (HEP001 §8.5, §11.2, §12): values that do not fit, and appends that fail half-way. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "column/column.h"
#include "support/memory_file.h"
#include "table/kit.h"

/* A column of foreign make: `type` in the file, values and fill given as `mem_type`. */
typedef struct foreign {
    hid_t type;
    hid_t mem_type;
    const void *fill; /* NULL: none is defined */
    const void *values;
    hsize_t n;
    hsize_t max;   /* 0: unlimited */
    hsize_t chunk; /* 0: contiguous */
} foreign;

static void put_text(hid_t object, const char *name, const char *value)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    const hid_t space = H5Screate(H5S_SCALAR);

    CHECK_H5(H5Tset_size(type, strlen(value) + 1));
    CHECK_H5(H5Tset_cset(type, strcmp(name, "units") == 0 ? H5T_CSET_UTF8 : H5T_CSET_ASCII));
    const hid_t attr = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    CHECK_H5(H5Awrite(attr, type, value));
    H5Aclose(attr);
    H5Sclose(space);
    H5Tclose(type);
}

static void put_number(hid_t object, const char *name, hid_t type, int64_t value)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attr = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);

    CHECK_H5(H5Awrite(attr, H5T_NATIVE_INT64, &value));
    H5Aclose(attr);
    H5Sclose(space);
}

static void put_reference(hid_t object, const char *name, hid_t file, const char *target)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attr = H5Acreate2(object, name, H5T_STD_REF, space, H5P_DEFAULT, H5P_DEFAULT);
    H5R_ref_t reference;

    CHECK_H5(H5Rcreate_object(file, target, H5P_DEFAULT, &reference));
    CHECK_H5(H5Awrite(attr, H5T_STD_REF, &reference));
    H5Rdestroy(&reference);
    H5Aclose(attr);
    H5Sclose(space);
}

static hid_t foreign_table(hid_t file, uint64_t n_rows)
{
    const hid_t group = H5Gcreate2(file, "t", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);

    put_text(group, "CLASS", "COLUMN_TABLE");
    put_text(group, "VERSION", "1.0");
    put_number(group, "NROWS", H5T_STD_U64BE, (int64_t)n_rows);
    return group;
}

static hid_t foreign_dataset(hid_t group, const char *name, const foreign *f)
{
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t max = f->max != 0 ? f->max : H5S_UNLIMITED;
    const hid_t space = H5Screate_simple(1, &f->n, f->chunk != 0 ? &max : NULL);

    if (f->fill != NULL) {
        CHECK_H5(H5Pset_fill_value(dcpl, f->mem_type, f->fill));
    }
    if (f->chunk != 0) {
        CHECK_H5(H5Pset_chunk(dcpl, 1, &f->chunk));
    }
    const hid_t dataset = H5Dcreate2(group, name, f->type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    CHECK_H5(H5Dwrite(dataset, f->mem_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, f->values));
    H5Sclose(space);
    H5Pclose(dcpl);
    return dataset;
}

/* A field and its array, made by hand, into a batch. */
static void put_column(batch *b, int64_t i, struct ArrowSchema *schema, struct ArrowArray *array)
{
    stoa_schema_move(schema, b->schema.children[i]);
    stoa_array_move(array, b->array.children[i]);
}

/* A column of structs whose fields are the columns of `fields`, valid where `valid` says so. */
static void put_struct(batch *b, int64_t i, const char *name, batch *fields, const bool *valid)
{
    const int64_t n = fields->array.length;
    uint8_t *bits = stoa_alloc_zero(stoa_bit_bytes((uint64_t)n), 1);
    struct ArrowSchema schema;
    struct ArrowArray array;
    int64_t n_null = 0;

    for (int64_t k = 0; k < n; k++) {
        if (valid[k]) {
            stoa_bit_set(bits, (uint64_t)k);
        }
        n_null += !valid[k];
    }
    void *const buffers[] = {bits};
    CHECK_OK(stoa_schema_make(&schema, name, "+s", NULL));
    CHECK_OK(stoa_schema_children(&schema, fields->n_columns, NULL));
    CHECK_OK(stoa_array_make(&array, n, n_null, 1, buffers, NULL));
    CHECK_OK(stoa_array_children(&array, fields->n_columns, NULL));
    for (int64_t k = 0; k < fields->n_columns; k++) {
        stoa_schema_move(fields->schema.children[k], schema.children[k]);
        stoa_array_move(fields->array.children[k], array.children[k]);
    }
    batch_end(fields);
    put_column(b, i, &schema, &array);
}

/* A column of two lists, each of `width` of the items that `items` has as its only column. */
static void put_lists(batch *b, int64_t i, const char *name, const char *format, batch *items,
                      int32_t first_length)
{
    const bool is_fixed = strncmp(format, "+w", 2) == 0;
    const int32_t total = (int32_t)items->array.length;
    int32_t *offsets = stoa_alloc(3, sizeof *offsets);
    struct ArrowSchema schema;
    struct ArrowArray array;

    offsets[0] = 0;
    offsets[1] = first_length;
    offsets[2] = total;
    void *const buffers[] = {NULL, offsets};
    CHECK_OK(stoa_schema_make(&schema, name, format, NULL));
    CHECK_OK(stoa_schema_children(&schema, 1, NULL));
    CHECK_OK(stoa_array_make(&array, 2, 0, is_fixed ? 1 : 2, buffers, NULL));
    CHECK_OK(stoa_array_children(&array, 1, NULL));
    stoa_schema_move(items->schema.children[0], schema.children[0]);
    stoa_array_move(items->array.children[0], array.children[0]);
    batch_end(items);
    if (is_fixed) {
        free(offsets);
    }
    put_column(b, i, &schema, &array);
}

static void put_binaries(batch *b, int64_t i, const char *name, const char *format,
                         const char *bytes, int32_t first_length)
{
    const bool is_fixed = format[0] == 'w';
    int32_t *offsets = stoa_alloc(3, sizeof *offsets);
    void *copy = stoa_strdup(bytes);
    struct ArrowSchema schema;
    struct ArrowArray array;

    offsets[0] = 0;
    offsets[1] = first_length;
    offsets[2] = (int32_t)strlen(bytes);
    void *const fixed[] = {NULL, copy};
    void *const variable[] = {NULL, offsets, copy};
    CHECK_OK(stoa_schema_make(&schema, name, format, NULL));
    CHECK_OK(stoa_array_make(&array, 2, 0, is_fixed ? 2 : 3, is_fixed ? fixed : variable, NULL));
    if (is_fixed) {
        free(offsets);
    }
    put_column(b, i, &schema, &array);
}

/* Open, append one batch, expect the status; the error's text has `words`. */
static void append_fails(hid_t file, batch *b, stoa_status status, const char *words)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = open_table(file, "/t");
    const uint64_t n = stoa_table_n_rows(table);

    CHECK_STATUS(status, append(table, b, &err), &err);
    CHECK_CONTAINS(err.message, words);
    CHECK_U64(stoa_table_n_rows(table), n);
    stoa_table_close(table);
}

static void a_failed_append_leaves_no_dangling_reference_and_no_stale_index(void)
{
    const hid_t file = new_file();
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    const char *const a[] = {"a"};
    batch b = batch_begin(2, 2);

    options.index_columns = a;
    options.indexes = &(stoa_column_index){"a", "minmax"};
    options.n_index_columns = options.n_indexes = 1;
    batch_integers(&b, 0, "a", "c", (int64_t[]){1, 2}, NULL);
    batch_strings(&b, 1, "s", (const char *[]){"x", "y"});
    write_batches(file, "/t", &b, 1, &options);

    /* 1000 makes `a` be rewritten; then numbers meet the column of strings. */
    b = batch_begin(2, 1);
    batch_integers(&b, 0, "a", "s", (int64_t[]){1000}, NULL);
    batch_integers(&b, 1, "s", "s", (int64_t[]){1}, NULL);
    append_fails(file, &b, STOA_ETYPE, "'s'");

    check_conformant(file, "/t");
    stoa_table *table = open_table(file, "/t");
    CHECK_U64(stoa_table_n_index_columns(table), 1);
    EXPECT(table, "a", "1", "2");
    EXPECT(table, "s", "'x'", "'y'");
    b = batch_begin(2, 1);
    batch_integers(&b, 0, "a", "s", (int64_t[]){1000}, NULL);
    batch_strings(&b, 1, "s", (const char *[]){"z"});
    CHECK_OK(append(table, &b, NULL));
    EXPECT(table, "a", "1", "2", "1000");
    stoa_table_close(table);
    check_conformant(file, "/t");
    H5Fclose(file);
}

/* Rows "x", a label that is null, and a null. */
static batch null_labels(const char *name)
{
    batch b = batch_begin(1, 3);
    batch labels = batch_begin(1, 2);

    batch_categories(&b, 0, name, (const char *[]){"x", "y", NULL});
    batch_strings(&labels, 0, "labels", (const char *[]){"x", NULL});
    stoa_array_release(b.array.children[0]->dictionary);
    stoa_array_move(labels.array.children[0], b.array.children[0]->dictionary);
    batch_end(&labels);
    return b;
}

static void a_label_that_is_null_is_a_missing_value(void)
{
    const hid_t file = new_file();
    batch b = batch_begin(1, 1);
    batch_strings(&b, 0, "s", (const char *[]){"w"});
    write_batches(file, "/t", &b, 1, NULL);
    b = batch_begin(1, 1);
    batch_categories(&b, 0, "c", (const char *[]){"w"});
    write_batches(file, "/c", &b, 1, NULL);

    stoa_table *table = open_table(file, "/t");
    b = null_labels("s");
    CHECK_OK(append(table, &b, NULL));
    EXPECT(table, "s", "'w'", "'x'", "null", "null");
    stoa_table_close(table);
    table = open_table(file, "/c");
    b = null_labels("c");
    CHECK_OK(append(table, &b, NULL));
    EXPECT(table, "c", "'w'", "'x'", "null", "null");
    stoa_table_close(table);
    H5Fclose(file);
}

static void a_narrow_column_of_times_is_widened_in_its_own_units(void)
{
    const hid_t file = new_file();
    const hid_t group = foreign_table(file, 2);
    const int64_t fill = -127;
    const hid_t dataset = foreign_dataset(
        group, "d",
        &(foreign){H5T_STD_I8LE, H5T_NATIVE_INT64, &fill, (int64_t[]){0, 100}, 2, 0, 4});
    put_text(dataset, "units", "days since 2000-01-01");
    H5Dclose(dataset);
    H5Gclose(group);

    stoa_table *table = open_table(file, "/t");
    /* 10957 is 2000-01-01; 127 days before it is what the fill stands for. */
    batch b = batch_begin(1, 2);
    batch_integers(&b, 0, "d", "tdD", (int64_t[]){10957 - 127, 0}, (bool[]){true, false});
    CHECK_OK(append(table, &b, NULL));
    EXPECT(table, "d", "10957", "11057", "10830", "null");
    b = batch_begin(1, 1);
    batch_integers(&b, 0, "d", "tss:", (int64_t[]){(10957 + 5000) * INT64_C(86400)}, NULL);
    CHECK_OK(append(table, &b, NULL));
    EXPECT(table, "d", "10957", "11057", "10830", "null", "15957");
    CHECK_U64(stoa_table_find(table, "d")->element.size, 2);
    stoa_table_close(table);
    b = batch_begin(1, 1);
    batch_integers(&b, 0, "d", "tss:", (int64_t[]){1}, NULL);
    append_fails(file, &b, STOA_ELOSS, "days since 2000-01-01");
    check_conformant(file, "/t");
    H5Fclose(file);
}

static void integers_that_a_float_would_round_are_refused(void)
{
    const hid_t file = new_file();
    batch b = batch_begin(1, 1);
    batch_floats(&b, 0, "x", "g", (double[]){0.5}, NULL);
    write_batches(file, "/t", &b, 1, NULL);
    b = batch_begin(1, 1);
    batch_integers(&b, 0, "x", "l", (int64_t[]){(INT64_C(1) << 53) + 1}, NULL);
    append_fails(file, &b, STOA_ELOSS, "digits");
    b = batch_begin(1, 1);
    batch_integers(&b, 0, "x", "L", (int64_t[]){-1}, NULL); /* 2^64 - 1 */
    append_fails(file, &b, STOA_ELOSS, "digits");
    stoa_table *table = open_table(file, "/t");
    b = batch_begin(1, 2);
    batch_integers(&b, 0, "x", "l", (int64_t[]){INT64_C(1) << 60, INT64_MIN}, NULL);
    CHECK_OK(append(table, &b, NULL));
    EXPECT(table, "x", "0.5", "1.152921504606847e+18", "-9.223372036854776e+18");
    stoa_table_close(table);
    H5Fclose(file);
}

static batch structs_of(const char *format, const int64_t *numbers, const bool *valid)
{
    batch b = batch_begin(1, 2);
    batch fields = batch_begin(2, 2);

    batch_integers(&fields, 0, "n", format, numbers, NULL);
    batch_strings(&fields, 1, "s", (const char *[]){"", "b"});
    put_struct(&b, 0, "p", &fields, valid);
    return b;
}

static void missing_structs_with_strings_inside_stay_missing(void)
{
    const hid_t file = new_file();
    struct ArrowArray array;
    batch b = structs_of("c", (int64_t[]){0, 7}, (bool[]){false, true});

    write_batches(file, "/t", &b, 1, NULL);
    stoa_table *table = open_table(file, "/t");
    CHECK_OK(stoa_column_read(stoa_table_column(table, 0), 0, 2, &array, NULL));
    CHECK_I64(array.null_count, 1);
    CHECK(!stoa_bit_get(array.buffers[0], 0));
    CHECK_I64(((const int8_t *)array.children[0]->buffers[1])[1], 7);
    stoa_array_release(&array);
    stoa_table_close(table);
    H5Fclose(file);
}

static void numbers_inside_structs_are_never_cut(void)
{
    const hid_t file = new_file();
    batch b = structs_of("c", (int64_t[]){1, 2}, (bool[]){true, true});

    write_batches(file, "/t", &b, 1, NULL);
    b = structs_of("s", (int64_t[]){3, 300}, (bool[]){true, true});
    append_fails(file, &b, STOA_ELOSS, "300 does not fit into int8");
    H5Fclose(file);
}

static void nested_values_of_another_shape_are_refused(void)
{
    const hid_t file = new_file();
    batch items = batch_begin(1, 4);
    batch b = batch_begin(1, 2);
    batch_integers(&items, 0, "item", "i", (int64_t[]){1, 2, 3, 4}, NULL);
    put_lists(&b, 0, "v", "+w:2", &items, 2);
    batch outer = batch_begin(1, 2);
    stoa_schema_move(b.schema.children[0], outer.schema.children[0]);
    stoa_array_move(b.array.children[0], outer.array.children[0]);
    batch_end(&b);
    b = batch_begin(1, 2);
    put_struct(&b, 0, "p", &outer, (bool[]){true, true});
    write_batches(file, "/t", &b, 1, NULL);

    /* Arrays of three, and a plain number, where arrays of two are. */
    items = batch_begin(1, 6);
    outer = batch_begin(1, 2);
    batch_integers(&items, 0, "item", "i", (int64_t[]){1, 2, 3, 4, 5, 6}, NULL);
    put_lists(&outer, 0, "v", "+w:3", &items, 3);
    b = batch_begin(1, 2);
    put_struct(&b, 0, "p", &outer, (bool[]){true, true});
    append_fails(file, &b, STOA_ETYPE, "fixed_list[3] does not go into");
    outer = batch_begin(1, 2);
    batch_integers(&outer, 0, "v", "i", (int64_t[]){1, 2}, NULL);
    b = batch_begin(1, 2);
    put_struct(&b, 0, "p", &outer, (bool[]){true, true});
    append_fails(file, &b, STOA_ETYPE, "int32 does not go into");
    outer = batch_begin(1, 2);
    put_binaries(&outer, 0, "v", "w:1", "ab", 1);
    b = batch_begin(1, 2);
    put_struct(&b, 0, "p", &outer, (bool[]){true, true});
    append_fails(file, &b, STOA_ETYPE, "does not go into");
    H5Fclose(file);
}

static void a_column_with_an_end_grows_beyond_it(void)
{
    const hid_t file = new_file();
    const hid_t group = foreign_table(file, 2);
    const int64_t fill = -1;
    H5Dclose(foreign_dataset(
        group, "x",
        &(foreign){H5T_STD_I32BE, H5T_NATIVE_INT64, &fill, (int64_t[]){5, -1}, 2, 3, 2}));
    H5Gclose(group);
    stoa_table *table = open_table(file, "/t");
    batch b = batch_begin(1, 3);
    batch_integers(&b, 0, "x", "i", (int64_t[]){6, 7, 8}, NULL);
    CHECK_OK(append(table, &b, NULL));
    EXPECT(table, "x", "5", "null", "6", "7", "8");
    stoa_table_close(table);
    check_conformant(file, "/t");
    H5Fclose(file);
}

static void values_beyond_a_reduced_precision_widen_the_column(void)
{
    const hid_t file = new_file();
    const hid_t group = foreign_table(file, 2);
    const hid_t twelve = H5Tcopy(H5T_STD_I16LE);
    const hid_t bfloat = H5Tcopy(H5T_IEEE_F32LE);
    const int64_t fill = -2000;
    const double float_fill = -1.0;

    CHECK_H5(H5Tset_precision(twelve, 12));
    /* The upper half of a binary32. */
    CHECK_H5(H5Tset_fields(bfloat, 15, 7, 8, 0, 7));
    CHECK_H5(H5Tset_precision(bfloat, 16));
    CHECK_H5(H5Tset_size(bfloat, 2));
    H5Dclose(foreign_dataset(
        group, "i", &(foreign){twelve, H5T_NATIVE_INT64, &fill, (int64_t[]){5, -2000}, 2, 0, 2}));
    H5Dclose(foreign_dataset(
        group, "x",
        &(foreign){bfloat, H5T_NATIVE_DOUBLE, &float_fill, (double[]){1.5, -1.0}, 2, 0, 2}));
    H5Tclose(twelve);
    H5Tclose(bfloat);
    H5Gclose(group);
    stoa_table *table = open_table(file, "/t");
    batch b = batch_begin(2, 1);
    batch_integers(&b, 0, "i", "s", (int64_t[]){5000}, NULL);
    batch_floats(&b, 1, "x", "g", (double[]){1.001}, NULL);
    CHECK_OK(append(table, &b, NULL));
    EXPECT(table, "i", "5", "null", "5000");
    EXPECT(table, "x", "1.5", "null", "1.001");
    stoa_table_close(table);
    H5Fclose(file);
}

static void a_declared_range_is_kept_or_goes_but_never_lies(void)
{
    const hid_t file = new_file();
    const hid_t group = foreign_table(file, 1);
    const int64_t fill = -1;
    const hid_t dataset = foreign_dataset(
        group, "x", &(foreign){H5T_STD_I16BE, H5T_NATIVE_INT64, &fill, (int64_t[]){5}, 1, 0, 2});
    put_number(dataset, "valid_min", H5T_STD_I16BE, 0);
    put_number(dataset, "valid_max", H5T_STD_I16BE, 100);
    H5Dclose(dataset);
    H5Gclose(group);

    stoa_table *table = open_table(file, "/t");
    batch b = batch_begin(1, 1);
    batch_integers(&b, 0, "x", "i", (int64_t[]){100}, NULL);
    CHECK_OK(append(table, &b, NULL));
    CHECK(stoa_table_find(table, "x")->valid_max != NULL);
    b = batch_begin(1, 1);
    batch_integers(&b, 0, "x", "i", (int64_t[]){101}, NULL);
    CHECK_OK(append(table, &b, NULL));
    CHECK(stoa_table_find(table, "x")->valid_max == NULL);
    EXPECT(table, "x", "5", "100", "101");
    stoa_table_close(table);
    check_conformant(file, "/t");
    H5Fclose(file);
}

/* CATEGORIES/labels of "p", "q", and two uint8 columns of its codes with a fill of 3. */
static void share_categories(hid_t file, const char *ordered)
{
    const hid_t group = foreign_table(file, 1);
    const hid_t categories = H5Gcreate2(group, "CATEGORIES", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t text = H5Tcopy(H5T_C_S1);
    const int64_t fill = 3;

    CHECK_H5(H5Tset_size(text, 2));
    const hid_t labels =
        foreign_dataset(categories, "labels", &(foreign){text, text, NULL, "p\0q", 2, 0, 0});
    if (ordered != NULL) {
        put_number(labels, ordered, H5T_STD_I64LE, INT64_C(0x0101010101010101));
        put_text(labels, "mine", "kept");
    }
    H5Dclose(labels);
    for (int i = 0; i < 2; i++) {
        const hid_t dataset = foreign_dataset(
            group, i == 0 ? "a" : "b",
            &(foreign){H5T_STD_U8LE, H5T_NATIVE_INT64, &fill, (int64_t[]){i}, 1, 0, 4});
        put_reference(dataset, "CATEGORIES", file, "/t/CATEGORIES/labels");
        H5Dclose(dataset);
    }
    H5Tclose(text);
    H5Gclose(categories);
    H5Gclose(group);
}

static void labels_of_one_column_push_the_fill_of_another_aside(void)
{
    const hid_t file = new_file();

    share_categories(file, NULL);
    stoa_table *table = open_table(file, "/t");
    batch b = batch_begin(2, 3);
    batch_categories(&b, 0, "a", (const char *[]){NULL, "q", "p"});
    batch_categories(&b, 1, "b", (const char *[]){"r", "s", "t"});
    CHECK_OK(append(table, &b, NULL));
    EXPECT(table, "a", "'p'", "null", "'q'", "'p'");
    EXPECT(table, "b", "'q'", "'r'", "'s'", "'t'");
    stoa_table_close(table);
    check_conformant(file, "/t");
    H5Fclose(file);
}

static void what_else_lies_among_the_categories_is_no_code_book(void)
{
    const hid_t file = new_file();

    share_categories(file, NULL);
    CHECK_H5(H5Lcreate_soft("/nowhere", file, "/t/CATEGORIES/a", H5P_DEFAULT, H5P_DEFAULT));
    stoa_table *table = open_table(file, "/t");
    batch b = batch_begin(2, 1);
    stoa_error err = STOA_ERROR_INIT;
    batch_categories(&b, 0, "a", (const char *[]){"q"});
    batch_categories(&b, 1, "b", (const char *[]){"p"});
    CHECK_OK(append(table, &b, &err), &err);
    EXPECT(table, "a", "'p'", "'q'");
    EXPECT(table, "b", "'q'", "'p'");
    stoa_table_close(table);
    H5Fclose(file);
}

/* Codes of a column as they are stored. */
static void read_codes(const stoa_table *table, const char *name, int64_t *codes)
{
    const hid_t dataset = (hid_t)CHECK_H5(H5Dopen2(stoa_table_id(table), name, H5P_DEFAULT));
    const hid_t space = H5Dget_space(dataset);
    const hsize_t n = stoa_table_n_rows(table);
    const hid_t memory = H5Screate_simple(1, &n, NULL);

    CHECK_H5(H5Sselect_hyperslab(space, H5S_SELECT_SET, &(hsize_t){0}, NULL, &n, NULL));
    CHECK_H5(H5Dread(dataset, H5T_NATIVE_INT64, memory, space, H5P_DEFAULT, codes));
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(dataset);
}

/* Of each batch, a's new labels get the next codes, then b's, whatever the threads do; each column
 * is looked at once (a leak otherwise). */
static void neighbours_of_one_code_book_number_their_labels_one_after_the_other(void)
{
    enum { N_BATCHES = 8, N_LABELS = 100, N = N_BATCHES * N_LABELS };
    const hid_t file = new_file();
    static char texts[2 * N][16];
    static int64_t codes[2][1 + N];
    batch batches[N_BATCHES];
    struct ArrowArrayStream stream;
    stoa_edit_options options = STOA_EDIT_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;
    size_t n = 0;

    share_categories(file, NULL);
    stoa_table *table = open_table(file, "/t");
    for (size_t k = 0; k < N_BATCHES; k++) {
        batches[k] = batch_begin(2, N_LABELS);
        for (int column = 0; column < 2; column++) {
            const char *labels[N_LABELS];
            for (size_t i = 0; i < N_LABELS; i++) {
                (void)snprintf(texts[n], sizeof texts[n], "%c%zu", column == 0 ? 'a' : 'b', n);
                labels[i] = texts[n++];
            }
            batch_categories(&batches[k], column, column == 0 ? "a" : "b", labels);
        }
    }
    stream_of(batches, N_BATCHES, &stream);
    options.threads = 4;
    CHECK_OK(stoa_table_append(table, &stream, &options, NULL, &err), &err);
    stoa_stream_release(&stream);

    read_codes(table, "a", codes[0]);
    read_codes(table, "b", codes[1]);
    for (size_t i = 0; i < N; i++) {
        const size_t before = 2 + i / N_LABELS * 2 * N_LABELS + i % N_LABELS;
        CHECK_I64(codes[0][1 + i], before);
        CHECK_I64(codes[1][1 + i], before + N_LABELS);
    }
    stoa_table_close(table);
    check_conformant(file, "/t");
    H5Fclose(file);
}

static void attributes_of_categories_survive_longer_labels(void)
{
    const hid_t file = new_file();

    /* `ordered` of eight bytes, which §6 forbids: it must not be taken for one. */
    share_categories(file, "ordered");
    stoa_table *table = open_table(file, "/t");
    batch b = batch_begin(2, 1);
    batch_categories(&b, 0, "a", (const char *[]){"longer"});
    batch_categories(&b, 1, "b", (const char *[]){"longest"});
    CHECK_OK(append(table, &b, NULL));
    EXPECT(table, "b", "'q'", "'longest'");
    stoa_table_close(table);
    CHECK(H5Aexists_by_name(file, "/t/CATEGORIES/labels", "mine", H5P_DEFAULT) > 0);
    H5Fclose(file);
}

static void ordered_categories_are_read_as_such(void)
{
    for (int ordered = 0; ordered < 2; ordered++) {
        const hid_t file = new_file();
        struct ArrowSchema schema;
        batch b = batch_begin(1, 2);
        batch_categories(&b, 0, "c", (const char *[]){"low", "high"});
        b.schema.children[0]->flags |= ordered != 0 ? ARROW_FLAG_DICTIONARY_ORDERED : 0;
        write_batches(file, "/t", &b, 1, NULL);
        stoa_table *table = open_table(file, "/t");
        CHECK_OK(stoa_column_schema(stoa_table_column(table, 0), &schema, NULL));
        CHECK_I64((schema.flags & ARROW_FLAG_DICTIONARY_ORDERED) != 0, ordered);
        stoa_schema_release(&schema);
        stoa_table_close(table);
        H5Fclose(file);
    }
}

static void an_enumeration_holds_missing_values_by_its_member_missing_alone(void)
{
    for (int has_missing = 0; has_missing < 2; has_missing++) {
        const hid_t file = new_file();
        const hid_t group = foreign_table(file, 1);
        const hid_t type = H5Tenum_create(H5T_STD_I8LE);
        const int8_t fill = 9;
        CHECK_H5(H5Tenum_insert(type, "ON", &(int8_t){1}));
        if (has_missing != 0) {
            CHECK_H5(H5Tenum_insert(type, "MISSING", &fill));
        }
        H5Dclose(
            foreign_dataset(group, "e", &(foreign){type, type, &fill, (int8_t[]){1}, 1, 0, 2}));
        H5Tclose(type);
        H5Gclose(group);
        batch b = batch_begin(1, 2);
        batch_strings(&b, 0, "e", (const char *[]){NULL, "ON"});
        if (has_missing != 0) {
            stoa_table *table = open_table(file, "/t");
            CHECK_OK(append(table, &b, NULL));
            EXPECT(table, "e", "'ON'", "null", "'ON'");
            stoa_table_close(table);
            check_conformant(file, "/t");
        } else {
            append_fails(file, &b, STOA_ELOSS, "MISSING");
        }
        H5Fclose(file);
    }
}

static void bytes_that_equal_the_fill_of_opaque_move_it(void)
{
    const hid_t file = new_file();
    struct ArrowArray array;
    batch b = batch_begin(1, 2);
    put_binaries(&b, 0, "o", "w:2", "abcd", 2);
    write_batches(file, "/t", &b, 1, NULL);
    stoa_table *table = open_table(file, "/t");
    b = batch_begin(1, 2);
    put_binaries(&b, 0, "o", "w:2", "\xff\xff\xfe\xfe", 2);
    CHECK_OK(append(table, &b, NULL));
    CHECK_OK(stoa_column_read(stoa_table_column(table, 0), 0, 4, &array, NULL));
    CHECK_I64(array.null_count, 0);
    CHECK_MEM(array.buffers[1], "abcd\xff\xff\xfe\xfe", 8);
    stoa_array_release(&array);
    stoa_table_close(table);
    H5Fclose(file);
}

static void empty_lists_and_missing_lists_differ(void)
{
    const hid_t file = new_file();
    struct ArrowArray array;
    batch items = batch_begin(1, 1);
    batch b = batch_begin(1, 2);
    batch_integers(&items, 0, "item", "i", (int64_t[]){7}, NULL);
    put_lists(&b, 0, "l", "+l", &items, 0);
    write_batches(file, "/t", &b, 1, NULL);
    stoa_table *table = open_table(file, "/t");
    items = batch_begin(1, 0);
    b = batch_begin(1, 2);
    batch_integers(&b, 0, "l", "i", (int64_t[]){0, 0}, (bool[]){false, false});
    batch_end(&items);
    CHECK_OK(append(table, &b, NULL));
    CHECK_OK(stoa_column_read(stoa_table_column(table, 0), 0, 4, &array, NULL));
    CHECK_I64(array.null_count, 2);
    CHECK(stoa_bit_get(array.buffers[0], 0) && stoa_bit_get(array.buffers[0], 1));
    CHECK_I64(((const int32_t *)array.buffers[1])[1], 0);
    CHECK_I64(((const int32_t *)array.buffers[1])[2], 1);
    stoa_array_release(&array);
    stoa_table_close(table);
    H5Fclose(file);
}

static void slices_are_appended_from_their_offset_on(void)
{
    const hid_t file = new_file();
    batch b = batch_begin(5, 1);
    const char *const names[] = {"i", "x", "s", "c", "b"};
    for (int turn = 0; turn < 2; turn++) {
        const int64_t n = turn == 0 ? 1 : 5;
        if (turn == 1) {
            b = batch_begin(5, n);
        }
        batch_integers(&b, 0, names[0], "i", (int64_t[]){1, 2, 3, 4, 5},
                       (bool[]){true, true, false, true, true});
        batch_floats(&b, 1, names[1], "g", (double[]){1, 2, 3, 4, 5},
                     (bool[]){true, true, false, true, true});
        batch_strings(&b, 2, names[2], (const char *[]){"1", "2", NULL, "4", "5"});
        batch_categories(&b, 3, names[3], (const char *[]){"1", "2", NULL, "4", "5"});
        batch_integers(&b, 4, names[4], "b", (int64_t[]){1, 0, 1, 1, 0},
                       (bool[]){true, true, false, true, true});
        if (turn == 0) {
            write_batches(file, "/t", &b, 1, NULL);
        }
    }
    for (int64_t i = 0; i < 5; i++) {
        b.array.children[i]->offset = 1;
        b.array.children[i]->length = 4;
        b.array.children[i]->null_count = -1;
    }
    b.array.offset = 1; /* of the struct, on top of its children's */
    b.array.length = 3;
    stoa_table *table = open_table(file, "/t");
    CHECK_OK(append(table, &b, NULL));
    EXPECT(table, "i", "1", "null", "4", "5");
    EXPECT(table, "x", "1.0", "null", "4.0", "5.0");
    EXPECT(table, "s", "'1'", "null", "'4'", "'5'");
    EXPECT(table, "c", "'1'", "null", "'4'", "'5'");
    EXPECT(table, "b", "1", "null", "1", "0");
    stoa_table_close(table);
    H5Fclose(file);
}

static void batches_may_change_their_dictionary_and_be_empty(void)
{
    const hid_t file = new_file();
    batch batches[3];
    for (int i = 0; i < 3; i++) {
        batches[i] = batch_begin(1, i == 1 ? 0 : 2);
        batch_categories(&batches[i], 0, "c",
                         i == 0 ? (const char *[]){"a", "b"} : (const char *[]){"b", "z"});
    }
    write_batches(file, "/t", batches, 3, NULL);
    stoa_table *table = open_table(file, "/t");
    EXPECT(table, "c", "'a'", "'b'", "'b'", "'z'");
    CHECK_I64(stoa_table_column(table, 0)->dictionary.length, 3);
    stoa_table_close(table);
    H5Fclose(file);
}

static void rows_of_the_null_type_are_missing_and_a_column_of_it_has_strings(void)
{
    const hid_t file = new_file();
    struct ArrowArrayStream stream;
    struct ArrowArray nothing;
    struct ArrowSchema schema;
    stoa_error err = STOA_ERROR_INIT;
    batch b = batch_begin(1, 1);
    batch_integers(&b, 0, "x", "c", (int64_t[]){1}, NULL);
    write_batches(file, "/t", &b, 1, NULL);
    for (int turn = 0; turn < 2; turn++) {
        b = batch_begin(1, 2);
        CHECK_OK(stoa_schema_make(&schema, "x", "n", NULL));
        CHECK_OK(stoa_array_make(&nothing, 2, 2, 0, NULL, NULL));
        put_column(&b, 0, &schema, &nothing);
        if (turn == 0) {
            stoa_table *table = open_table(file, "/t");
            CHECK_OK(append(table, &b, NULL));
            EXPECT(table, "x", "1", "null", "null");
            stoa_table_close(table);
        } else {
            stream_of(&b, 1, &stream);
            CHECK_OK(stoa_table_write(file, "/n", &stream, NULL, NULL, &err), &err);
            stoa_stream_release(&stream);
            stoa_table *table = open_table(file, "/n");
            EXPECT(table, "x", "null", "null");
            CHECK(stoa_kind_is_string(stoa_table_column(table, 0)->element.kind));
            stoa_table_close(table);
        }
    }
    H5Fclose(file);
}

static void fields_without_a_name_and_streams_of_no_structs_are_refused(void)
{
    const hid_t file = new_file();
    struct ArrowArrayStream stream;
    batch b = batch_begin(1, 1);
    batch_integers(&b, 0, "x", "c", (int64_t[]){1}, NULL);
    write_batches(file, "/t", &b, 1, NULL);

    b = batch_begin(1, 1);
    batch_integers(&b, 0, "x", "c", (int64_t[]){1}, NULL);
    b.schema.children[0]->name = NULL;
    append_fails(file, &b, STOA_ETYPE, "lack column 'x'");
    b = batch_begin(1, 1);
    batch_integers(&b, 0, "x", "c", (int64_t[]){1}, NULL);
    b.schema.children[0]->name = NULL;
    stream_of(&b, 1, &stream);
    CHECK_STATUS(STOA_EINVAL, stoa_table_write(file, "/n", &stream, NULL, NULL, NULL));
    stoa_stream_release(&stream);
    b = batch_begin(1, 1);
    batch plain = batch_begin(0, 1);
    batch_end(&plain);
    batch_integers(&b, 0, "x", "c", (int64_t[]){1}, NULL);
    stoa_schema_move(b.schema.children[0], &plain.schema);
    stoa_array_move(b.array.children[0], &plain.array);
    batch_end(&b);
    append_fails(file, &plain, STOA_ETYPE, "structs");
    H5Fclose(file);
}

static void an_index_of_unknown_kind_is_dropped(void)
{
    const hid_t file = new_file();
    batch b = batch_begin(1, 1);
    batch_integers(&b, 0, "x", "c", (int64_t[]){1}, NULL);
    write_batches(file, "/t", &b, 1, NULL);
    const hid_t indexes =
        H5Gcreate2(file, "/t/SEARCH_INDEXES", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t index = foreign_dataset(
        indexes, "i", &(foreign){H5T_STD_U8LE, H5T_NATIVE_INT64, NULL, (int64_t[]){0}, 1, 0, 0});
    put_text(index, "KIND", "CHUNK_NOVELTY");
    H5Dclose(index);
    H5Gclose(indexes);
    const hid_t column = H5Dopen2(file, "/t/x", H5P_DEFAULT);
    const hid_t space = H5Screate_simple(1, &(hsize_t){1}, NULL);
    const hid_t attr =
        H5Acreate2(column, "SEARCH_INDEX_LIST", H5T_STD_REF, space, H5P_DEFAULT, H5P_DEFAULT);
    H5R_ref_t reference;
    CHECK_H5(H5Rcreate_object(file, "/t/SEARCH_INDEXES/i", H5P_DEFAULT, &reference));
    CHECK_H5(H5Awrite(attr, H5T_STD_REF, &reference));
    H5Rdestroy(&reference);
    H5Aclose(attr);
    H5Sclose(space);
    H5Dclose(column);

    stoa_table *table = open_table(file, "/t");
    b = batch_begin(1, 1);
    batch_integers(&b, 0, "x", "c", (int64_t[]){2}, NULL);
    CHECK_OK(append(table, &b, NULL));
    stoa_table_close(table);
    CHECK_U64(H5Lexists(file, "/t/SEARCH_INDEXES", H5P_DEFAULT), 0);
    CHECK_U64(H5Aexists_by_name(file, "/t/x", "SEARCH_INDEX_LIST", H5P_DEFAULT), 0);
    check_conformant(file, "/t");
    H5Fclose(file);
}

static void a_table_at_the_root_that_fails_leaves_the_root_empty(void)
{
    const hid_t file = new_file();
    struct ArrowArrayStream stream;
    H5G_info_t info;
    batch batches[2];

    for (int i = 0; i < 2; i++) {
        batches[i] = batch_begin(1, 1);
        batch_strings(&batches[i], 0, "s", (const char *[]){"a"});
    }
    batches[1].array.null_count = 1; /* without a validity bitmap: broken Arrow data */
    stream_of(batches, 2, &stream);
    CHECK_STATUS(STOA_EDATA, stoa_table_write(file, "/", &stream, NULL, NULL, NULL));
    stoa_stream_release(&stream);
    CHECK_H5(H5Gget_info(file, &info));
    CHECK_U64(info.nlinks, 0);
    H5O_info2_t root;
    CHECK_H5(H5Oget_info3(file, &root, H5O_INFO_NUM_ATTRS));
    CHECK_U64(root.num_attrs, 0);
    batches[0] = batch_begin(1, 1);
    batch_strings(&batches[0], 0, "s", (const char *[]){"a"});
    write_batches(file, "/", batches, 1, NULL);
    H5Fclose(file);
}

static void a_place_below_a_dataset_is_refused_before_anything_is_read(void)
{
    const hid_t file = new_file();
    struct ArrowArrayStream stream;
    stoa_error err = STOA_ERROR_INIT;
    batch b = batch_begin(1, 1);
    const hid_t space = H5Screate(H5S_SCALAR);

    H5Dclose(H5Dcreate2(file, "image", H5T_STD_U8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
    batch_integers(&b, 0, "x", "c", (int64_t[]){1}, NULL);
    stream_of(&b, 1, &stream);
    CHECK_STATUS(STOA_EINVAL, stoa_table_write(file, "/image/t", &stream, NULL, NULL, &err));
    CHECK_CONTAINS(err.message, "'/image' is no group");
    stoa_stream_release(&stream);
    H5Fclose(file);
}

static void strings_move_to_a_padding_that_keeps_them(void)
{
    const hid_t file = new_file();
    const hid_t group = foreign_table(file, 1);
    const hid_t text = H5Tcopy(H5T_C_S1);

    CHECK_H5(H5Tset_size(text, 4));
    CHECK_H5(H5Tset_strpad(text, H5T_STR_SPACEPAD));
    H5Dclose(foreign_dataset(group, "s", &(foreign){text, text, "    ", "ab  ", 1, 0, 2}));
    H5Tclose(text);
    H5Gclose(group);
    stoa_table *table = open_table(file, "/t");
    batch b = batch_begin(1, 2);
    batch_strings(&b, 0, "s", (const char *[]){"c ", NULL});
    CHECK_OK(append(table, &b, NULL));
    EXPECT(table, "s", "'ab'", "'c '", "null");
    stoa_table_close(table);
    H5Fclose(file);
}

/* A batch of n columns of labels. */
static batch many_labels(int64_t n)
{
    static const char *const labels[] = {"x", "y"};
    batch b = batch_begin(n, 2);

    for (int64_t i = 0; i < n; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "c%03d", (int)i);
        batch_categories(&b, i, name, labels);
    }
    return b;
}

/* Allocations count the work: each column looked for its labels among those of all others. */
static void columns_of_labels_cost_what_each_of_them_costs(void)
{
    enum { N = 150, EACH = 130 };
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    stoa_table *table = NULL;
    const hid_t file = memory_file("labels.h5", false);
    batch b = many_labels(N);

    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_table_write(file, "/t", &stream, NULL, NULL, &err), &err);
    stoa_stream_release(&stream);
    CHECK_OK(stoa_hep001_open(file, "/t", &table, &err), &err);
    b = many_labels(N);
    stream_of(&b, 1, &stream);
    stoa_memory_fail_after(N * EACH);
    const stoa_status status = stoa_table_append(table, &stream, NULL, NULL, &err);
    stoa_memory_fail_after(UINT64_MAX);
    CHECK_OK(status, &err);
    stoa_stream_release(&stream);
    CHECK_U64(stoa_table_n_rows(table), 4);
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(columns_of_labels_cost_what_each_of_them_costs),
          TEST(a_failed_append_leaves_no_dangling_reference_and_no_stale_index),
          TEST(a_label_that_is_null_is_a_missing_value),
          TEST(a_narrow_column_of_times_is_widened_in_its_own_units),
          TEST(integers_that_a_float_would_round_are_refused),
          TEST(missing_structs_with_strings_inside_stay_missing),
          TEST(numbers_inside_structs_are_never_cut),
          TEST(nested_values_of_another_shape_are_refused),
          TEST(a_column_with_an_end_grows_beyond_it),
          TEST(values_beyond_a_reduced_precision_widen_the_column),
          TEST(a_declared_range_is_kept_or_goes_but_never_lies),
          TEST(labels_of_one_column_push_the_fill_of_another_aside),
          TEST(what_else_lies_among_the_categories_is_no_code_book),
          TEST(neighbours_of_one_code_book_number_their_labels_one_after_the_other),
          TEST(attributes_of_categories_survive_longer_labels),
          TEST(ordered_categories_are_read_as_such),
          TEST(an_enumeration_holds_missing_values_by_its_member_missing_alone),
          TEST(bytes_that_equal_the_fill_of_opaque_move_it),
          TEST(empty_lists_and_missing_lists_differ),
          TEST(slices_are_appended_from_their_offset_on),
          TEST(batches_may_change_their_dictionary_and_be_empty),
          TEST(rows_of_the_null_type_are_missing_and_a_column_of_it_has_strings),
          TEST(fields_without_a_name_and_streams_of_no_structs_are_refused),
          TEST(an_index_of_unknown_kind_is_dropped),
          TEST(a_table_at_the_root_that_fails_leaves_the_root_empty),
          TEST(a_place_below_a_dataset_is_refused_before_anything_is_read),
          TEST(strings_move_to_a_padding_that_keeps_them))
