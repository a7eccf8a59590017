/* Arkouda's objects as tables, for src/layout/arkouda/; more of them in tests/interop. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stoa/stoa.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "layout/arkouda/read/arkouda.h"
#include "layout/registry.h"
#include "support/arkouda.h"
#include "support/check.h"
#include "support/sweep.h"

extern const stoa_layout_class stoa_arkouda_objects; /* layout/arkouda/read/probe.c */

static const char *place(void)
{
    return check_path("arkouda.h5");
}

/* --- names ----------------------------------------------------------------------------------- */

static void check_name(const char *file, uint64_t locale, const char *wanted)
{
    char *name = stoa_arkouda_locale_file(file, locale);

    CHECK_STR(name, wanted);
    free(name);
}

static void the_number_of_a_locale_stands_before_what_follows_the_last_dot(void)
{
    check_name("run.h5", 3, "run_LOCALE0003.h5");
    check_name("a.b.h5", 0, "a.b_LOCALE0000.h5");
    check_name("dir.v1/foo", 12345, "dir.v1/foo_LOCALE12345");
    check_name("foo", 12, "foo_LOCALE0012");
}

/* Naively: how many rows of n have been given to locales before this one, one after the other. */
static void rows_go_to_locales_in_blocks(void)
{
    CHECK_U64(stoa_arkouda_first_row(10, 1, 3), 4); /* 4, 3, 3 */
    CHECK_U64(stoa_arkouda_first_row(10, 2, 3), 7);
    CHECK_U64(stoa_arkouda_first_row(2, 1, 3), 1); /* 1, 1, 0 */
    CHECK_U64(stoa_arkouda_first_row(2, 2, 3), 2);
    for (uint64_t n = 0; n < 40; n++) {
        for (uint64_t of = 1; of < 12; of++) {
            for (uint64_t k = 0; k <= of; k++) {
                CHECK_U64(stoa_arkouda_first_row(n, k, of), (n * k + of - 1) / of);
            }
        }
    }
}

/* --- reading --------------------------------------------------------------------------------- */

static stoa_status read_columns(stoa_table *table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};

    for (size_t i = 0; i < stoa_table_n_columns(table); i++) {
        stoa_column *const column = stoa_table_column(table, i);
        STOA_TRY(stoa_column_schema(column, &schema, err));
        stoa_schema_release(&schema);
        STOA_TRY(stoa_column_read(column, 0, stoa_table_n_rows(table), &array, err));
        stoa_array_release(&array);
    }

done:
    return status;
}

static stoa_status read_all(hid_t file, const char *path, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *table = NULL;

    STOA_TRY(stoa_table_open(file, path, &table, err));
    CHECK_U64(stoa_table_n_rows(table), ARKOUDA_ROWS);
    STOA_TRY(read_columns(table, err));

done:
    stoa_table_close(table);
    return status;
}

static hid_t swept_file;
static const char *swept_path;

static stoa_status read_swept(stoa_error *err)
{
    return read_all(swept_file, swept_path, err);
}

static void memory_may_run_out_while_any_object_is_read(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = NULL;

    arkouda_make(place());
    CHECK_OK(stoa_file_open(place(), STOA_FILE_READ, &file, &err), &err);
    swept_file = stoa_file_id(file);
    for (size_t i = 0; arkouda_paths[i] != NULL; i++) {
        swept_path = arkouda_paths[i];
        CHECK(sweep_memory_throughout(read_swept) > 5);
    }
    stoa_file_close(file);
}

static void every_part_of_rows_is_the_same_as_of_all_rows(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = NULL;
    stoa_table *table = NULL;
    struct ArrowArray array = {.release = NULL};
    struct ArrowSchema schema = {.release = NULL};
    static const char *const wanted[] = {"one", "", "three", "four", "five"};
    stoa_view view;
    size_t length = 0;

    arkouda_make(place());
    CHECK_OK(stoa_file_open(place(), STOA_FILE_READ, &file, &err), &err);
    for (size_t which = 0; which < 2; which++) {
        CHECK_OK(stoa_table_open(stoa_file_id(file), which == 0 ? "/s" : "/bare", &table, &err),
                 &err);
        stoa_column *const column = stoa_table_column(table, 0);
        CHECK_OK(stoa_column_schema(column, &schema, &err), &err);
        for (uint64_t first = 0; first <= ARKOUDA_ROWS; first++) {
            for (uint64_t n = 0; n <= ARKOUDA_ROWS - first; n++) {
                CHECK_OK(stoa_column_read(column, first, n, &array, &err), &err);
                CHECK_OK(stoa_view_of(&schema, &array, &view, &err), &err);
                CHECK_U64((uint64_t)view.length, n);
                for (uint64_t i = 0; i < n; i++) {
                    const char *const found = stoa_view_bytes(&view, (int64_t)i, &length);
                    CHECK_U64(length, strlen(wanted[first + i]));
                    CHECK(memcmp(found, wanted[first + i], length) == 0);
                }
                stoa_array_release(&array);
            }
        }
        stoa_schema_release(&schema);
        stoa_table_close(table);
    }
    stoa_file_close(file);
}

static void check_metadata(const struct ArrowSchema *schema, const char *key, const char *wanted)
{
    char *text = NULL;

    CHECK_OK(stoa_schema_get_text(schema, key, &text, NULL));
    CHECK(text != NULL);
    CHECK_STR(text, wanted);
    free(text);
}

static void check_schema(hid_t file, const char *path, const char *format, const char *extension,
                         const char *metadata)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = NULL;
    struct ArrowSchema schema = {.release = NULL};

    CHECK_OK(stoa_table_open(file, path, &table, &err), &err);
    CHECK_OK(stoa_column_schema(stoa_table_column(table, 0), &schema, &err), &err);
    CHECK_STR(schema.format, format);
    if (extension != NULL) {
        check_metadata(&schema, "ARROW:extension:name", extension);
        check_metadata(&schema, "ARROW:extension:metadata", metadata);
    }
    stoa_schema_release(&schema);
    stoa_table_close(table);
}

static void objects_are_of_the_arrow_types_that_are_said_of_them(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = NULL;

    arkouda_make(place());
    CHECK_OK(stoa_file_open(place(), STOA_FILE_READ, &file, &err), &err);
    const hid_t id = stoa_file_id(file);
    check_schema(id, "/i", "l", NULL, NULL);
    check_schema(id, "/b", "b", NULL, NULL);
    check_schema(id, "/s", "u", NULL, NULL);
    check_schema(id, "/seg", "+l", NULL, NULL);
    check_schema(id, "/texts", "+l", NULL, NULL);
    check_schema(id, "/c", "l", NULL, NULL); /* of the codes */
    check_schema(id, "/big", "w:16", "arkouda.bigint", "-1");
    check_schema(id, "/v", "+w:2", "arrow.fixed_shape_tensor", "{\"shape\":[2]}");
    stoa_file_close(file);
}

/* Of 2^31 bytes, none of which were ever written: no disk has them. */
static void put_long_text(hid_t loc)
{
    static const int64_t starts[] = {0, 9};
    const hsize_t extent = (hsize_t)1 << 31;
    const hid_t space = H5Screate_simple(1, &extent, NULL);
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t group = arkouda_group(loc, "long", 2);

    CHECK_H5(H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY));
    CHECK_H5(H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER));
    const hid_t values =
        H5Dcreate2(group, "values", H5T_STD_U8LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    CHECK_H5(H5Dclose(values));
    arkouda_put_i64(group, "segments", 2, starts);
    CHECK_H5(H5Gclose(group));
    CHECK_H5(H5Pclose(properties));
    CHECK_H5(H5Sclose(space));
}

static void strings_are_large_where_a_batch_of_them_may_be(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = NULL;
    const hid_t made = H5Fcreate(place(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);

    put_long_text(made);
    CHECK_H5(H5Fclose(made));
    CHECK_OK(stoa_file_open(place(), STOA_FILE_READ, &file, &err), &err);
    check_schema(stoa_file_id(file), "/long", "U", NULL, NULL);
    stoa_file_close(file);
}

/* What is asked for by its path is not measured before it is opened: all of its files would be. */
static void what_is_not_listed_is_not_measured(void)
{
    static const char *const shown_as[] = {NULL, "/s"};
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = NULL;

    arkouda_make(place());
    CHECK_OK(stoa_file_open(place(), STOA_FILE_READ, &file, &err), &err);
    const hid_t object = H5Oopen(stoa_file_id(file), "/s", H5P_DEFAULT);
    for (size_t i = 0; i < 2; i++) {
        const stoa_layout_class *class = NULL;
        stoa_object shown = {.path = shown_as[i]};
        CHECK_OK(stoa_layout_find_class(object, &class, &shown, &err), &err);
        CHECK(class == &stoa_arkouda_objects);
        CHECK_STR(shown.kind, "strings");
        CHECK_U64(shown.n_rows, i > 0 ? ARKOUDA_ROWS : 0);
        CHECK((shown.n_bytes > 0) == (i > 0));
    }
    CHECK_H5(H5Oclose(object));
    stoa_file_close(file);
}

static void arrays_side_by_side_are_one_table(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = NULL;
    stoa_table *table = NULL;

    arkouda_make(place());
    CHECK_OK(stoa_file_open(place(), STOA_FILE_READ, &file, &err), &err);
    const hid_t id = stoa_file_id(file);
    CHECK_OK(stoa_table_open(id, "/s,i", &table, &err), &err);
    CHECK_U64(stoa_table_n_columns(table), 2);
    CHECK_STR(stoa_column_name(stoa_table_column(table, 0)), "s");
    CHECK_STR(stoa_column_name(stoa_table_column(table, 1)), "i");
    stoa_table_close(table);
    CHECK_OK(stoa_table_open(id, "/", &table, &err), &err);
    CHECK_U64(stoa_table_n_columns(table), 9); /* all but the groupby and the dataframe */
    stoa_table_close(table);
    CHECK_OK(stoa_table_open(id, "/f/name,Index", &table, &err), &err);
    CHECK_U64(stoa_table_n_columns(table), 2);
    stoa_table_close(table);
    CHECK_STATUS(STOA_ENOTFOUND, stoa_table_open(id, "/s,none", &table, &err), &err);
    CHECK_CONTAINS(err.message, "'none'");
    stoa_file_close(file);
}

TEST_MAIN(TEST(the_number_of_a_locale_stands_before_what_follows_the_last_dot),
          TEST(rows_go_to_locales_in_blocks), TEST(memory_may_run_out_while_any_object_is_read),
          TEST(every_part_of_rows_is_the_same_as_of_all_rows),
          TEST(objects_are_of_the_arrow_types_that_are_said_of_them),
          TEST(strings_are_large_where_a_batch_of_them_may_be),
          TEST(what_is_not_listed_is_not_measured), TEST(arrays_side_by_side_are_one_table))
