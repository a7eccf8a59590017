/* Sparse arrays as Arrow streams, and made of them: names, types, metadata, refusals. For
 * src/sparse/array/arrow_*.c. */
#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <stoa/sparse_arrow.h>
#include <string.h>

#include "support/batches.h"
#include "support/check.h"
#include "support/sweep.h"

static hid_t new_file(void)
{
    return CHECK_H5(H5Fcreate(check_path("a.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
}

static void end(stoa_sparse *array)
{
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_commit(array, &err), &err);
}

/* 3 x 4 in chunks of 2 x 2: (2,1) 7, (0,0) 1, (0,3) 2.5; everything else is 7, undefined. */
static stoa_sparse *small_array(hid_t file)
{
    const uint64_t extent[] = {3, 4};
    const uint64_t chunk[] = {2, 2};
    const uint64_t at[] = {2, 1, 0, 0, 0, 3};
    const float values[] = {7.0F, 1.0F, 2.5F};
    const float fill = 7.0F;
    stoa_sparse_options options = STOA_SPARSE_OPTIONS_INIT;
    stoa_sparse *array = NULL;
    stoa_error err = STOA_ERROR_INIT;

    options.chunk = chunk;
    options.fill = &fill;
    CHECK_OK(
        stoa_sparse_create(file, "x", H5T_NATIVE_FLOAT, 2, extent, &options, NULL, &array, &err),
        &err);
    CHECK_OK(stoa_sparse_write(array, 3, at, values, H5T_NATIVE_FLOAT, &err), &err);
    return array;
}

static void says(const struct ArrowSchema *schema, const char *key, const char *expected)
{
    char *text = NULL;

    CHECK_OK(stoa_schema_get_text(schema, key, &text, NULL));
    if (expected == NULL) {
        CHECK(text == NULL);
    } else {
        CHECK(text != NULL);
        CHECK_STR(text, expected);
    }
    free(text);
}

static void field_is(const struct ArrowSchema *schema, int64_t i, const char *name,
                     const char *format)
{
    CHECK_STR(schema->children[i]->name, name);
    CHECK_STR(schema->children[i]->format, format);
    CHECK_I64(schema->children[i]->flags & ARROW_FLAG_NULLABLE, 0);
}

static void a_matrix_is_rows_columns_and_values(void)
{
    static const char *const expected[3][3] = {
        {"0", "0", "1.0"}, {"0", "3", "2.5"}, {"2", "1", "7.0"}};
    const hid_t file = new_file();
    stoa_sparse *array = small_array(file);
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray rows;
    stoa_view view, child;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_stream(array, NULL, NULL, &stream, &err), &err);
    CHECK_OK(stoa_stream_schema(&stream, &schema, &err), &err);
    CHECK_I64(schema.n_children, 3);
    field_is(&schema, 0, "row", "l");
    field_is(&schema, 1, "column", "l");
    field_is(&schema, 2, "value", "f");
    says(&schema, "stoa.sparse.shape", "[3, 4]");
    says(&schema, "stoa.sparse.fill", "7.0");
    CHECK_OK(stoa_stream_next(&stream, &rows, &err), &err);
    CHECK_OK(stoa_view_of(&schema, &rows, &view, &err), &err);
    CHECK_I64(view.length, 3);
    for (int64_t i = 0; i < 3; i++) {
        for (int64_t k = 0; k < 3; k++) {
            CHECK_OK(stoa_view_child(&view, k, &child, &err), &err);
            CHECK_STR(value_text(&child, i), expected[i][k]);
        }
    }
    stoa_array_release(&rows);
    CHECK_OK(stoa_stream_next(&stream, &rows, &err), &err);
    CHECK(rows.release == NULL);
    stoa_schema_release(&schema);
    stoa_stream_release(&stream);
    end(array);
    CHECK_H5(H5Fclose(file));
}

/* 65,536 rows are a batch of whole chunks. */
static void an_array_of_many_chunks_is_some_batches(void)
{
    enum { N = 200000, CHUNK = 10000 };
    const hid_t file = new_file();
    const uint64_t extent[] = {N};
    const uint64_t chunk[] = {CHUNK};
    stoa_sparse_options options = STOA_SPARSE_OPTIONS_INIT;
    uint64_t *at = malloc(N * sizeof *at);
    int32_t *values = malloc(N * sizeof *values);
    stoa_sparse *array = NULL;
    struct ArrowArrayStream stream;
    struct ArrowArray rows;
    stoa_error err = STOA_ERROR_INIT;
    int64_t n = 0;
    int n_batches = 0;

    CHECK(at != NULL && values != NULL);
    for (int32_t i = 0; i < N; i++) {
        at[i] = (uint64_t)i;
        values[i] = 3 * i + 1;
    }
    options.chunk = chunk;
    CHECK_OK(
        stoa_sparse_create(file, "x", H5T_NATIVE_INT32, 1, extent, &options, NULL, &array, &err),
        &err);
    CHECK_OK(stoa_sparse_write(array, N, at, values, H5T_NATIVE_INT32, &err), &err);
    CHECK_OK(stoa_sparse_stream(array, NULL, NULL, &stream, &err), &err);
    for (;; n_batches++) {
        CHECK_OK(stoa_stream_next(&stream, &rows, &err), &err);
        if (rows.release == NULL) {
            break;
        }
        const int64_t *const where = rows.children[0]->buffers[1];
        const int32_t *const what = rows.children[1]->buffers[1];
        for (int64_t i = 0; i < rows.length; i++, n++) {
            CHECK(where[i] == n && what[i] == 3 * (int32_t)n + 1);
        }
        stoa_array_release(&rows);
    }
    CHECK_I64(n, N);
    CHECK_I64(n_batches, 3);
    stoa_stream_release(&stream);
    free(values);
    free(at);
    end(array);
    CHECK_H5(H5Fclose(file));
}

static void a_box_is_what_is_defined_in_it(void)
{
    const hid_t file = new_file();
    const uint64_t start[] = {0, 1}, count[] = {3, 2}, beyond[] = {3, 4};
    stoa_sparse *array = small_array(file);
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray rows;
    stoa_view view, child;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_stream(array, start, count, &stream, &err), &err);
    CHECK_OK(stoa_stream_schema(&stream, &schema, &err), &err);
    says(&schema, "stoa.sparse.shape", "[3, 4]");
    CHECK_OK(stoa_stream_next(&stream, &rows, &err), &err);
    CHECK_OK(stoa_view_of(&schema, &rows, &view, &err), &err);
    CHECK_I64(view.length, 1);
    CHECK_OK(stoa_view_child(&view, 1, &child, &err), &err);
    CHECK_I64(stoa_view_i64(&child, 0), 1);
    stoa_array_release(&rows);
    stoa_schema_release(&schema);
    stoa_stream_release(&stream);
    CHECK_STATUS(STOA_ERANGE, stoa_sparse_stream(array, start, beyond, &stream, &err));
    CHECK(stream.release == NULL);
    end(array);
    CHECK_H5(H5Fclose(file));
}

static void columns_are_named_by_the_number_of_dimensions(void)
{
    const uint64_t extent[] = {5, 6, 7};
    const hid_t file = new_file();
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    stoa_sparse *array = NULL;
    stoa_error err = STOA_ERROR_INIT;

    for (unsigned rank = 1; rank <= 3; rank += 2) {
        CHECK_OK(stoa_sparse_create(file, rank == 1 ? "one" : "three", H5T_STD_U16BE, rank, extent,
                                    NULL, NULL, &array, &err),
                 &err);
        CHECK_OK(stoa_sparse_stream(array, NULL, NULL, &stream, &err), &err);
        CHECK_OK(stoa_stream_schema(&stream, &schema, &err), &err);
        CHECK_I64(schema.n_children, rank + 1);
        field_is(&schema, 0, rank == 1 ? "index" : "dim0", "l");
        field_is(&schema, rank - 1, rank == 1 ? "index" : "dim2", "l");
        field_is(&schema, rank, "value", "S");
        says(&schema, "stoa.sparse.shape", rank == 1 ? "[5]" : "[5, 6, 7]");
        says(&schema, "stoa.sparse.fill", NULL);
        stoa_schema_release(&schema);
        stoa_stream_release(&stream);
        end(array);
    }
    CHECK_H5(H5Fclose(file));
}

/* --- every type ------------------------------------------------------------------------------ */

typedef struct odd_number {
    double r;
    int16_t i[3];
    int8_t is;
} odd_number;

static hid_t bool_type(void)
{
    const int8_t codes[] = {0, 1};
    const hid_t type = CHECK_H5(H5Tenum_create(H5T_NATIVE_INT8));

    CHECK_H5(H5Tenum_insert(type, "FALSE", &codes[0]));
    CHECK_H5(H5Tenum_insert(type, "TRUE", &codes[1]));
    return type;
}

/* Packed, as what is made of a stream is. */
static hid_t odd_type(void)
{
    const hid_t list = CHECK_H5(H5Tarray_create2(H5T_NATIVE_INT16, 1, &(hsize_t){3}));
    const hid_t type = CHECK_H5(H5Tcreate(H5T_COMPOUND, 15));

    CHECK_H5(H5Tinsert(type, "r", 0, H5T_NATIVE_DOUBLE));
    CHECK_H5(H5Tinsert(type, "i", 8, list));
    CHECK_H5(H5Tinsert(type, "is", 14, H5T_NATIVE_INT8));
    CHECK_H5(H5Tclose(list));
    return type;
}

/* Through a stream into another array: its type is `expected`, all else is as it was. */
static void comes_back(hid_t file, hid_t type, hid_t expected, const void *fill, const void *values)
{
    const uint64_t extent[] = {9, 4};
    const uint64_t chunk[] = {2, 3};
    const uint64_t at[] = {0, 0, 8, 3, 4, 1, 4, 2};
    const size_t size = H5Tget_size(type);
    stoa_sparse_options options = STOA_SPARSE_OPTIONS_INIT;
    stoa_sparse *from = NULL, *to = NULL;
    stoa_sparse_points before, after;
    stoa_sparse_info info = STOA_SPARSE_INFO_INIT;
    struct ArrowArrayStream stream;
    uint8_t found[64];
    hid_t dcpl;
    stoa_error err = STOA_ERROR_INIT;

    options.chunk = chunk;
    options.fill = fill;
    CHECK_OK(stoa_sparse_create(file, "from", type, 2, extent, &options, NULL, &from, &err), &err);
    CHECK_OK(stoa_sparse_write(from, 4, at, values, type, &err), &err);
    CHECK_OK(stoa_sparse_stream(from, NULL, NULL, &stream, &err), &err);
    options = (stoa_sparse_options)STOA_SPARSE_OPTIONS_INIT;
    CHECK_OK(stoa_sparse_from_stream(file, "to", &stream, NULL, &options, NULL, NULL, &to, &err),
             &err);
    stoa_stream_release(&stream);
    CHECK_OK(stoa_sparse_describe(to, &info, &err), &err);
    CHECK_U64(info.extent[0], 9);
    CHECK_U64(info.extent[1], 4);
    CHECK(H5Tequal(info.type, expected) > 0);
    CHECK_OK(stoa_sparse_read(from, NULL, NULL, type, &before, &err), &err);
    CHECK_OK(stoa_sparse_read(to, NULL, NULL, type, &after, &err), &err);
    CHECK_U64(after.n, 4);
    CHECK_MEM(after.coordinates, before.coordinates, 8 * sizeof(uint64_t));
    CHECK_MEM(after.values, before.values, 4 * size);
    dcpl = CHECK_H5(H5Dget_create_plist(info.dataset));
    CHECK_H5(H5Pget_fill_value(dcpl, type, found));
    CHECK_MEM(found, fill, size);
    CHECK_H5(H5Pclose(dcpl));
    stoa_sparse_points_clear(&before);
    stoa_sparse_points_clear(&after);
    end(from);
    end(to);
    CHECK_H5(H5Ldelete(file, "from", H5P_DEFAULT));
    CHECK_H5(H5Ldelete(file, "to", H5P_DEFAULT));
}

static void integers_come_back(void)
{
    const hid_t types[] = {H5T_NATIVE_INT8,   H5T_NATIVE_UINT8, H5T_NATIVE_INT16,
                           H5T_NATIVE_UINT16, H5T_NATIVE_INT32, H5T_NATIVE_UINT32,
                           H5T_NATIVE_INT64,  H5T_NATIVE_UINT64};
    const hid_t file = new_file();
    const uint8_t all[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f, 1,    2,
                           3,    4,    5,    6,    0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                           0xff, 0xff, 9,    0,    0,    0,    0,    0,    0,    0};

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        comes_back(file, types[i], types[i], all + 16, all);
        comes_back(file, types[i], types[i], all, all);
        comes_back(file, types[i], types[i], all + 24, all);
    }
    CHECK_H5(H5Fclose(file));
}

static void floats_come_back(void)
{
    const hid_t file = new_file();
    const double doubles[] = {0.1, -(double)INFINITY, 1e-300, 7.25};
    const float floats[] = {0.1F, 3e38F, -0.0F, 7.25F};
    const uint16_t halves[] = {0x3c01, 0x7c00, 0x8000, 0x0001};
    const double zero = 0.0, minus = -0.0, nothing = (double)NAN;
    const int32_t swapped[] = {0x01020304, 1, -1, 0};

    comes_back(file, H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, &doubles[0], doubles);
    comes_back(file, H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, &doubles[1], doubles);
    comes_back(file, H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, &zero, doubles);
    comes_back(file, H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, &minus, doubles);
    comes_back(file, H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, &nothing, doubles);
    comes_back(file, H5T_NATIVE_FLOAT, H5T_NATIVE_FLOAT, &floats[0], floats);
    comes_back(file, H5T_NATIVE_FLOAT, H5T_NATIVE_FLOAT, &floats[1], floats);
    comes_back(file, H5T_IEEE_F16LE, H5T_IEEE_F16LE, &halves[3], halves);
    comes_back(file, H5T_STD_I32BE, H5T_STD_I32LE, &swapped[0], swapped);
    CHECK_H5(H5Fclose(file));
}

static void other_values_come_back(void)
{
    const hid_t file = new_file();
    const hid_t truth = bool_type(), odd = odd_type();
    const hid_t opaque = CHECK_H5(H5Tcreate(H5T_OPAQUE, 3));
    const hid_t list = CHECK_H5(H5Tarray_create2(H5T_NATIVE_INT16, 1, &(hsize_t){3}));
    const int8_t bools[] = {1, 0, 0, 1};
    uint8_t bytes[60];

    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(3 * i);
    }
    comes_back(file, truth, truth, &bools[0], bools);
    comes_back(file, truth, truth, &bools[1], bools);
    comes_back(file, opaque, opaque, bytes + 5, bytes);
    comes_back(file, list, list, bytes + 5, bytes);
    comes_back(file, odd, odd, bytes + 5, bytes);
    CHECK_H5(H5Tclose(list));
    CHECK_H5(H5Tclose(opaque));
    CHECK_H5(H5Tclose(odd));
    CHECK_H5(H5Tclose(truth));
    CHECK_H5(H5Fclose(file));
}

/* --- streams of others ----------------------------------------------------------------------- */

/* (5,0) 1, (0,300) 2, (5,0) 3 in the formats asked for. */
static batch three_rows(const char *format, const char *value_format)
{
    const int64_t rows[] = {5, 0, 5}, columns[] = {0, 30, 0}, values[] = {1, 2, 3};
    batch b = batch_begin(3, 3);

    batch_integers(&b, 0, "i", format, rows, NULL);
    batch_integers(&b, 1, "j", format, columns, NULL);
    batch_integers(&b, 2, "x", value_format, values, NULL);
    return b;
}

static void without_a_shape_it_is_the_smallest_that_holds_all(void)
{
    static const char *const formats[] = {"c", "C", "s", "S", "i", "I", "l", "L"};
    const hid_t file = new_file();
    stoa_sparse *array = NULL;
    stoa_sparse_points points;
    stoa_sparse_info info = STOA_SPARSE_INFO_INIT;
    struct ArrowArrayStream stream;
    stoa_error err = STOA_ERROR_INIT;

    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        batch batches[] = {three_rows(formats[i], "i"), three_rows(formats[i], "i")};
        stream_of(batches, 2, &stream);
        CHECK_OK(stoa_sparse_from_stream(file, formats[i], &stream, NULL, NULL, NULL, NULL, &array,
                                         &err),
                 &err);
        stoa_stream_release(&stream);
        CHECK_OK(stoa_sparse_describe(array, &info, &err), &err);
        CHECK_U64(info.extent[0], 6);
        CHECK_U64(info.extent[1], 31);
        CHECK_OK(stoa_sparse_read(array, NULL, NULL, H5T_NATIVE_INT, &points, &err), &err);
        CHECK_U64(points.n, 2);
        CHECK_I64(((const int *)points.values)[0], 2);
        CHECK_I64(((const int *)points.values)[1], 3); /* the later one */
        stoa_sparse_points_clear(&points);
        end(array);
    }
    CHECK_H5(H5Fclose(file));
}

/* libhdf5 looks for every chunk that is taken away: an extent that grew too far took for ever. */
static void an_array_that_grows_far_is_soon_made(void)
{
    const int64_t far[] = {0, 1 << 18, (1 << 18) + 1};
    const hid_t file = new_file();
    struct ArrowArrayStream stream;
    stoa_sparse *array = NULL;
    stoa_sparse_info info = STOA_SPARSE_INFO_INIT;
    batch batches[3];
    stoa_error err = STOA_ERROR_INIT;

    for (size_t i = 0; i < 3; i++) {
        batches[i] = batch_begin(4, 1);
        for (int64_t k = 0; k < 4; k++) {
            batch_integers(&batches[i], k, "i", "l", &far[i], NULL);
        }
    }
    stream_of(batches, 3, &stream);
    CHECK_OK(stoa_sparse_from_stream(file, "x", &stream, NULL, NULL, NULL, NULL, &array, &err),
             &err);
    stoa_stream_release(&stream);
    CHECK_OK(stoa_sparse_describe(array, &info, &err), &err);
    CHECK_U64(info.extent[2], (1 << 18) + 2);
    CHECK_U64(info.n_defined, 3);
    end(array);
    CHECK_H5(H5Fclose(file));
}

static void values_are_converted_to_those_of_the_array(void)
{
    const hid_t file = new_file();
    const uint64_t extent[] = {6, 31};
    stoa_sparse *array = NULL;
    stoa_sparse_points points;
    struct ArrowArrayStream stream;
    batch b = three_rows("i", "s");
    uint64_t n = 0;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_create(file, "x", H5T_IEEE_F32BE, 2, extent, NULL, NULL, &array, &err),
             &err);
    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_sparse_write_stream(array, &stream, NULL, &n, &err), &err);
    CHECK_U64(n, 3);
    stoa_stream_release(&stream);
    CHECK_OK(stoa_sparse_read(array, NULL, NULL, H5T_NATIVE_DOUBLE, &points, &err), &err);
    CHECK_F64(((const double *)points.values)[1], 3.0);
    stoa_sparse_points_clear(&points);
    end(array);
    CHECK_H5(H5Fclose(file));
}

/* Takes the batch over. */
static void is_refused(batch b, const uint64_t *extent, stoa_status expected, const char *part)
{
    const hid_t file = new_file();
    struct ArrowArrayStream stream;
    stoa_sparse *array = NULL;
    stoa_error err = STOA_ERROR_INIT;

    stream_of(&b, 1, &stream);
    CHECK_STATUS(
        expected,
        stoa_sparse_from_stream(file, "x", &stream, extent, NULL, NULL, NULL, &array, &err), &err);
    CHECK_CONTAINS(err.message, part);
    CHECK(array == NULL);
    stoa_stream_release(&stream);
    CHECK_H5(H5Fclose(file));
}

static void rows_that_are_no_elements_are_refused(void)
{
    const uint64_t extent[] = {6, 30};
    const int64_t at[] = {0, -1}, wide[] = {INT64_MAX, 0}, huge[] = {INT64_MAX - 1, INT64_MAX - 1};
    const bool valid[] = {true, false};
    const char *const texts[] = {"a", "b"};
    const double floats[] = {0.0, 1.0};
    batch b = batch_begin(2, 2);

    is_refused(three_rows("i", "i"), extent, STOA_ERANGE, "30");
    batch_integers(&b, 0, "i", "l", at, NULL);
    batch_floats(&b, 1, "x", "g", floats, NULL);
    is_refused(b, NULL, STOA_ERANGE, "-1 is no index");
    b = batch_begin(2, 2);
    batch_integers(&b, 0, "i", "l", wide, NULL);
    batch_floats(&b, 1, "x", "g", floats, NULL);
    is_refused(b, NULL, STOA_ERANGE, "is no index");
    b = batch_begin(3, 2);
    batch_integers(&b, 0, "i", "L", huge, NULL);
    batch_integers(&b, 1, "j", "L", huge, NULL);
    batch_floats(&b, 2, "x", "g", floats, NULL);
    is_refused(b, NULL, STOA_ERANGE, "");
    b = batch_begin(2, 2);
    batch_integers(&b, 0, "i", "l", at, valid);
    batch_floats(&b, 1, "x", "g", floats, NULL);
    is_refused(b, NULL, STOA_EDATA, "a null is no index");
    b = batch_begin(2, 2);
    batch_integers(&b, 0, "i", "l", (const int64_t[]){0, 1}, NULL);
    batch_floats(&b, 1, "x", "g", floats, valid);
    is_refused(b, NULL, STOA_EDATA, "a null is no value");
    b = batch_begin(2, 2);
    batch_floats(&b, 0, "i", "g", floats, NULL);
    batch_floats(&b, 1, "x", "g", floats, NULL);
    is_refused(b, NULL, STOA_ETYPE, "column 'i' is float64; indices are integers");
    b = batch_begin(2, 2);
    batch_integers(&b, 0, "i", "l", (const int64_t[]){0, 1}, NULL);
    batch_strings(&b, 1, "x", texts);
    is_refused(b, NULL, STOA_ETYPE, "no values of type string");
    b = batch_begin(1, 2);
    batch_floats(&b, 0, "x", "g", floats, NULL);
    is_refused(b, NULL, STOA_ETYPE, "columns of indices");
}

static void metadata_that_make_no_sense_are_refused(void)
{
    static const char *const shapes[] = {
        "",       "[6]",      "[6, 31",  "[6, 31, 1]",
        "[6,-1]", "[6, 31]x", "6, 31",   "[6, 99999999999999999999]",
        "[,31]",  "[6 31]",   "[6.0,31]"};
    static const char *const fills[] = {"",   "x",   "128",    "-129", "1.5",
                                        "0x", "0x1", "0x0102", "0xg0"};

    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        batch b = three_rows("i", "c");
        CHECK_OK(stoa_schema_set(&b.schema, "stoa.sparse.shape", shapes[i], NULL));
        is_refused(b, NULL, STOA_EDATA, "is not the shape of 2 dimensions");
    }
    for (size_t i = 0; i < sizeof fills / sizeof fills[0]; i++) {
        batch b = three_rows("i", "c");
        CHECK_OK(stoa_schema_set(&b.schema, "stoa.sparse.fill", fills[i], NULL));
        is_refused(b, NULL, STOA_EDATA, "is no int8");
    }
}

static void another_number_of_dimensions_is_refused(void)
{
    const hid_t file = new_file();
    const uint64_t extent[] = {6, 31, 2};
    stoa_sparse *array = NULL;
    struct ArrowArrayStream stream;
    batch b = three_rows("i", "i");
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_create(file, "x", H5T_NATIVE_INT, 3, extent, NULL, NULL, &array, &err),
             &err);
    stream_of(&b, 1, &stream);
    CHECK_STATUS(STOA_ETYPE, stoa_sparse_write_stream(array, &stream, NULL, NULL, &err));
    CHECK_CONTAINS(err.message, "2 columns of indices, the array 3 dimensions");
    stoa_stream_release(&stream);
    end(array);
    CHECK_H5(H5Fclose(file));
}

/* --- memory ---------------------------------------------------------------------------------- */

static hid_t swept_file;

static stoa_status there_and_back(stoa_error *err)
{
    stoa_sparse_access access = STOA_SPARSE_ACCESS_INIT;
    stoa_sparse *from = NULL, *to = NULL;
    struct ArrowArrayStream stream = {.release = NULL};
    stoa_status status = STOA_OK;

    access.threads = 1;
    STOA_TRY(stoa_sparse_open(swept_file, "x", &access, &from, err));
    STOA_TRY(stoa_sparse_stream(from, NULL, NULL, &stream, err));
    STOA_TRY(
        stoa_sparse_from_stream(swept_file, "y", &stream, NULL, NULL, &access, NULL, &to, err));

done:
    stoa_memory_fail_after(UINT64_MAX);
    stoa_stream_release(&stream);
    stoa_sparse_close(from);
    stoa_sparse_close(to);
    if (H5Lexists(swept_file, "y", H5P_DEFAULT) > 0) {
        CHECK_H5(H5Ldelete(swept_file, "y", H5P_DEFAULT));
    }
    return status;
}

static void memory_that_runs_out_is_a_failure(void)
{
    swept_file = new_file();
    end(small_array(swept_file));
    CHECK(sweep_memory(there_and_back) > 20);
    CHECK_H5(H5Fclose(swept_file));
}

TEST_MAIN(TEST(a_matrix_is_rows_columns_and_values), TEST(an_array_of_many_chunks_is_some_batches),
          TEST(a_box_is_what_is_defined_in_it), TEST(columns_are_named_by_the_number_of_dimensions),
          TEST(integers_come_back), TEST(floats_come_back), TEST(other_values_come_back),
          TEST(without_a_shape_it_is_the_smallest_that_holds_all),
          TEST(an_array_that_grows_far_is_soon_made),
          TEST(values_are_converted_to_those_of_the_array),
          TEST(rows_that_are_no_elements_are_refused),
          TEST(metadata_that_make_no_sense_are_refused),
          TEST(another_number_of_dimensions_is_refused), TEST(memory_that_runs_out_is_a_failure))
