/* Vectors, encoded rows and histograms of LH5, read while memory runs out (src/layout/lh5/). */
#include <hdf5.h>
#include <stoa/layout.h>
#include <stoa/query.h>

#include "arrow/build.h"
#include "hdf/ids.h"
#include "layout/lh5_kit.h"
#include "support/sweep.h"

static hid_t file = H5I_INVALID_HID;
static const char *place;

static void put(const char *path, const char *datatype, hid_t type, hsize_t n, const void *values)
{
    lh5_put(file, path, datatype, type, n, values);
}

static void group(const char *path, const char *datatype, const char *codec)
{
    lh5_group(file, path, datatype);
    if (codec != NULL) {
        const hid_t made = CHECK_H5(H5Gopen2(file, path, H5P_DEFAULT));
        lh5_say(made, "codec", codec);
        CHECK_H5(H5Gclose(made));
    }
}

static void note(const char *path, const char *name, hid_t type, const void *value)
{
    const hid_t object = H5Oopen(file, path, H5P_DEFAULT);
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);

    CHECK_H5(H5Awrite(attribute, type, value));
    CHECK_H5(H5Aclose(attribute));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Oclose(object));
}

static void make_file(void)
{
    static const uint32_t ends[] = {2, 2, 5};
    static const double items[] = {1, 2, 3, 4, 5};
    static const uint8_t packed[] = {10, 2, 0, 0, 1};
    static const uint32_t packed_ends[] = {2, 4, 5};
    static const int64_t sizes[] = {2, 2, 1};
    static const uint8_t yes = 1;
    const hid_t list = H5Pcreate(H5P_FILE_ACCESS);

    CHECK_H5(H5Pset_fapl_core(list, 65536, false));
    file = H5Fcreate("lh5-memory", H5F_ACC_TRUNC, H5P_DEFAULT, list);
    CHECK_H5(file);
    CHECK_H5(H5Pclose(list));
    group("/t", "table{e,v}", NULL);
    group("/t/v", "array<1>{array<1>{real}}", NULL);
    put("/t/v/cumulative_length", "array<1>{real}", H5T_NATIVE_UINT32, 3, ends);
    put("/t/v/flattened_data", "array<1>{real}", H5T_NATIVE_DOUBLE, 5, items);
    group("/t/e", "array<1>{encoded_array<1>{real}}", "uleb128_zigzag_diff");
    group("/t/e/encoded_data", "array<1>{array<1>{real}}", NULL);
    put("/t/e/encoded_data/cumulative_length", "array<1>{real}", H5T_NATIVE_UINT32, 3, packed_ends);
    put("/t/e/encoded_data/flattened_data", "array<1>{real}", H5T_NATIVE_UINT8, 5, packed);
    put("/t/e/decoded_size", "array<1>{real}", H5T_NATIVE_INT64, 3, sizes);
    group("/h", "struct{binning,isdensity,weights}", NULL);
    put("/h/isdensity", "bool", H5T_NATIVE_UINT8, 0, &yes);
    put("/h/weights", "array<1>{real}", H5T_NATIVE_DOUBLE, 4, items);
    group("/h/binning", "struct{axis_0}", NULL);
    group("/h/binning/axis_0", "struct{binedges,closedleft}", NULL);
    put("/h/binning/axis_0/closedleft", "bool", H5T_NATIVE_UINT8, 0, &yes);
    put("/h/binning/axis_0/binedges", "array<1>{real}", H5T_NATIVE_DOUBLE, 5, items);
    note("/t", "length", H5T_NATIVE_INT64, &sizes[0]);
    note("/t/v", "gain", H5T_NATIVE_DOUBLE, &items[0]);
    note("/h/weights", "length", H5T_NATIVE_INT64, &sizes[0]);
}

static stoa_status read_all(stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *table = NULL;
    struct ArrowArray array = {.release = NULL};

    STOA_TRY(stoa_table_open(file, place, &table, err));
    for (size_t i = 0; i < stoa_table_n_columns(table); i++) {
        STOA_TRY(stoa_column_read(stoa_table_column(table, i), 0, stoa_table_n_rows(table), &array,
                                  err));
        CHECK_U64((uint64_t)array.length, stoa_table_n_rows(table));
        array.release(&array);
    }

done:
    stoa_table_close(table);
    return status;
}

static void sweep(const char *path, uint64_t n_rows)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = NULL;

    make_file();
    place = path;
    CHECK_OK(stoa_table_open(file, path, &table, &err), &err);
    CHECK_U64(stoa_table_n_rows(table), n_rows);
    stoa_table_close(table);
    CHECK(sweep_memory_throughout(read_all) > 10);
    CHECK_H5(H5Fclose(file));
}

/* The same rows by a query, which reads past libhdf5 what it can. */
static stoa_status ask_for_all(stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *table = NULL;
    stoa_query *query = NULL;
    struct ArrowArrayStream stream = {.release = NULL};
    struct ArrowArray batch = {.release = NULL};
    stoa_query_options ask = STOA_QUERY_OPTIONS_INIT;

    ask.threads = 1;
    ask.columns = "v";
    STOA_TRY(stoa_table_open(file, "/t", &table, err));
    STOA_TRY(stoa_query_open(table, &ask, &query, err));
    STOA_TRY(stoa_query_run(query, &stream, err));
    STOA_TRY(stoa_stream_next(&stream, &batch, err));
    CHECK_I64(batch.length, 3);
    CHECK_F64(((const double *)batch.children[0]->children[0]->buffers[1])[4], 5);

done:
    stoa_array_release(&batch);
    stoa_stream_release(&stream);
    stoa_query_close(query);
    stoa_table_close(table);
    return status;
}

static void vectors_that_are_read_past_libhdf5(void)
{
    static const uint32_t ends[] = {2, 2, 5};
    static const double items[] = {1, 2, 3, 4, 5};
    const char *const name = check_path("vectors.lh5");

    file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    group("/t", "table{v}", NULL);
    group("/t/v", "array<1>{array<1>{real}}", NULL);
    put("/t/v/cumulative_length", "array<1>{real}", H5T_NATIVE_UINT32, 3, ends);
    put("/t/v/flattened_data", "array<1>{real}", H5T_NATIVE_DOUBLE, 5, items);
    CHECK_H5(H5Fclose(file));
    file = CHECK_H5(H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT));
    CHECK(sweep_memory_throughout(ask_for_all) > 10);
    CHECK_H5(H5Fclose(file));
}

static void vectors_and_encoded_rows(void)
{
    sweep("/t", 3);
}

static void bins_of_histograms(void)
{
    sweep("/h", 4);
}

/* --- all of a file --------------------------------------------------------------------------- */

static hid_t empty_file(void)
{
    const hid_t list = H5Pcreate(H5P_FILE_ACCESS);

    CHECK_H5(H5Pset_fapl_core(list, 65536, false));
    const hid_t made = H5Fcreate("lh5-memory-new", H5F_ACC_TRUNC, H5P_DEFAULT, list);
    CHECK_H5(made);
    CHECK_H5(H5Pclose(list));
    return made;
}

static bool count(void *context, const stoa_unconverted *rest)
{
    (void)rest;
    (*(unsigned *)context)++;
    return true;
}

typedef struct taking {
    hid_t to;
    const stoa_layout_options *options;
    stoa_status status;
    unsigned n;
    stoa_error *err;
} taking;

static bool take(void *context, const stoa_layout_step *step)
{
    taking *const t = context;

    t->status = stoa_layout_convert_step(file, step, t->to, t->options, NULL, t->err);
    t->n++;
    return t->status == STOA_OK;
}

static stoa_status convert_all(stoa_error *err)
{
    static const char *const tables[] = {"/t", "/t/in"};
    stoa_status status = STOA_OK;
    const stoa_layout_setting split = {"no-flatten", NULL};
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;
    taking t = {empty_file(), &options, STOA_OK, 0, err};
    unsigned n_rest = 0;

    options.layout = "hep001";
    options.settings = &split;
    options.n_settings = 1;
    options.threads = 1;
    STOA_TRY(stoa_layout_visit_unconverted(file, tables, 2, count, &n_rest, err));
    CHECK_U64(n_rest, 3);
    STOA_TRY(stoa_layout_copy_unconverted(file, t.to, tables, 2, NULL, err));
    STOA_TRY(stoa_layout_visit_steps(file, "/t", NULL, &options, take, &t, err));
    STOA_TRY(t.status);
    CHECK_U64(t.n, 2);
    STOA_TRY(stoa_layout_link_unconverted(file, t.to, tables, 2, err));
    CHECK(H5Lexists(t.to, "/t.in", H5P_DEFAULT) > 0 && H5Lexists(t.to, "/alias", H5P_DEFAULT) > 0);

done:
    CHECK_H5(H5Fclose(t.to));
    return status;
}

static void tables_in_tables_and_what_no_table_holds(void)
{
    static const double values[] = {1, 2, 3};

    make_file();
    group("/t/in", "table{x}", NULL);
    put("/t/in/x", "array<1>{real}", H5T_NATIVE_DOUBLE, 3, values);
    put("/t/unlisted", "array<1>{real}", H5T_NATIVE_DOUBLE, 3, values);
    CHECK_H5(H5Adelete_by_name(file, "/t", "datatype", H5P_DEFAULT));
    const hid_t table = H5Gopen2(file, "/t", H5P_DEFAULT);
    lh5_say(table, "datatype", "table{e,in,v}");
    CHECK_H5(H5Gclose(table));
    CHECK_H5(H5Lcreate_hard(file, "/t", file, "/alias", H5P_DEFAULT, H5P_DEFAULT));
    CHECK(sweep_memory_throughout(convert_all) > 100);
    CHECK_H5(H5Fclose(file));
}

static bool has(const char *path, const char *name)
{
    return H5Lexists(file, path, H5P_DEFAULT) > 0 &&
           H5Aexists_by_name(file, path, name, H5P_DEFAULT) > 0;
}

/* The table's rows, by way of a stream and of memory that may run out, as another table. */
static stoa_status write_again(stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *table = NULL;
    stoa_query *query = NULL;
    struct ArrowArrayStream stream = {.release = NULL};
    stoa_query_options ask = STOA_QUERY_OPTIONS_INIT;
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;

    ask.threads = 1;
    options.threads = 1;
    options.layout = "lh5";
    options.replace = true;
    STOA_TRY(stoa_table_open(file, "/t", &table, err));
    STOA_TRY(stoa_query_open(table, &ask, &query, err));
    STOA_TRY(stoa_query_run(query, &stream, err));
    STOA_TRY(stoa_layout_write(file, "/again", &stream, &options, NULL, err));
    CHECK(has("/again", "length"));
    CHECK(has("/again/v", "gain"));
    CHECK(has("/again/e", "codec"));

done:
    if (stream.release != NULL) {
        stream.release(&stream);
    }
    stoa_query_close(query);
    stoa_table_close(table);
    return status;
}

static void what_is_said_of_columns_is_written_again(void)
{
    make_file();
    CHECK(sweep_memory_throughout(write_again) > 10);
    CHECK_H5(H5Fclose(file));
}

/* One column more; or none. */
static stoa_status add_column(stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *table = NULL;
    stoa_query *query = NULL;
    struct ArrowArrayStream stream = {.release = NULL};
    stoa_query_options ask = STOA_QUERY_OPTIONS_INIT;
    stoa_edit_options how = STOA_EDIT_OPTIONS_INIT;

    ask.threads = how.threads = 1;
    ask.columns = "length(v) as n, v as \"w.v\"";
    STOA_TRY(stoa_table_open(file, "/t", &table, err));
    STOA_TRY(stoa_query_open(table, &ask, &query, err));
    STOA_TRY(stoa_query_run(query, &stream, err));
    STOA_TRY(stoa_layout_add_columns(table, &stream, NULL, &how, NULL, err));

done:
    CHECK((H5Lexists(file, "/t/n", H5P_DEFAULT) > 0) == (status == STOA_OK));
    CHECK((H5Lexists(file, "/t/w", H5P_DEFAULT) > 0) == (status == STOA_OK));
    if (stream.release != NULL) {
        stream.release(&stream);
    }
    stoa_query_close(query);
    stoa_table_close(table);
    if (status == STOA_OK) { /* for the next time */
        CHECK_H5(H5Ldelete(file, "/t/n", H5P_DEFAULT));
        CHECK_H5(H5Ldelete(file, "/t/w", H5P_DEFAULT));
        CHECK_H5(H5Adelete_by_name(file, "/t", "datatype", H5P_DEFAULT));
        const hid_t object = H5Oopen(file, "/t", H5P_DEFAULT);
        lh5_say(object, "datatype", "table{e,v}");
        CHECK_H5(H5Oclose(object));
    }
    return status;
}

static void columns_are_added_or_none_is(void)
{
    make_file();
    CHECK(sweep_memory_throughout(add_column) > 10);
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(vectors_and_encoded_rows), TEST(vectors_that_are_read_past_libhdf5),
          TEST(bins_of_histograms), TEST(tables_in_tables_and_what_no_table_holds),
          TEST(what_is_said_of_columns_is_written_again), TEST(columns_are_added_or_none_is))
