/* LH5 written where memory runs out, and what its lists of fields are after a failure. */
#include <stdlib.h>
#include <string.h>

#include <stoa/layout.h>
#include <stoa/query.h>

#include "hdf/metadata/attributes.h"
#include "support/batches.h"
#include "support/check.h"
#include "support/sweep.h"

static stoa_table *source;
static hid_t target = H5I_INVALID_HID;

/* A table with lists of equal length and others, as LH5 has them. */
static void make_source(hid_t file)
{
    static const int64_t numbers[] = {3, 1, 2};
    static const char *const texts[] = {"a", "\xc2\xb5", "nun"};
    static const char *const labels[] = {"x", "y", "x"};
    static const int64_t items[] = {1, 2, 3, 4, 5, 6};
    static const int32_t ends[] = {0, 2, 2, 6};
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    batch b = batch_begin(5, 3);
    batch inner = batch_begin(1, 6);

    batch_integers(&b, 0, "n", "l", numbers, NULL);
    batch_strings(&b, 1, "in.s", texts);
    batch_categories(&b, 2, "in.c", labels);
    for (int64_t i = 3; i < 5; i++) {
        struct ArrowSchema *const field = b.schema.children[i];
        struct ArrowArray *const array = b.array.children[i];
        int32_t *const offsets = stoa_alloc(4, sizeof *offsets);
        memcpy(offsets, ends, sizeof ends);
        batch_integers(&inner, 0, "item", "i", items, NULL);
        CHECK_OK(stoa_schema_make(field, i == 3 ? "v" : "w", i == 3 ? "+l" : "+w:2", &err), &err);
        CHECK_OK(stoa_schema_children(field, 1, &err), &err);
        stoa_schema_move(inner.schema.children[0], field->children[0]);
        CHECK_OK(stoa_array_make(array, 3, 0, i == 3 ? 2 : 1, (void *const[]){NULL, offsets}, &err),
                 &err);
        if (i == 4) {
            free(offsets);
        }
        CHECK_OK(stoa_array_children(array, 1, &err), &err);
        stoa_array_move(inner.array.children[0], array->children[0]);
    }
    batch_end(&inner);
    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_table_write(file, "/source", &stream, NULL, NULL, &err), &err);
    stoa_stream_release(&stream);
    CHECK_OK(stoa_hep001_open(file, "/source", &source, &err), &err);
}

static void open_files(void)
{
    const hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);

    CHECK(H5Pset_fapl_core(fapl, 1 << 16, false) >= 0);
    target = H5Fcreate("lh5.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    make_source(target);
    CHECK(H5Pclose(fapl) >= 0);
}

static void close_files(void)
{
    stoa_table_close(source);
    CHECK(H5Fclose(target) >= 0);
}

static stoa_status write_table(stoa_error *err)
{
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;

    options.layout = "lh5";
    options.codec = "v=uleb128_zigzag_diff,w=radware_sigcompress";
    options.threads = 1;
    options.replace = true;
    return stoa_layout_write_table(source, target, "/a/t", &options, NULL, err);
}

static void memory_may_run_out_while_it_is_written(void)
{
    open_files();
    CHECK(sweep_memory_throughout(write_table) > 20);
    close_files();
}

static void check_type(const char *path, const char *wanted)
{
    stoa_error err = STOA_ERROR_INIT;
    char *text = NULL;
    hid_t object = H5Oopen(target, path, H5P_DEFAULT);

    CHECK(object >= 0);
    CHECK_OK(stoa_attribute_read_text(object, "datatype", &text, &err), &err);
    CHECK_STR(text, wanted);
    free(text);
    CHECK(H5Oclose(object) >= 0);
}

static void types_are_spelt_as_the_notes_have_them(void)
{
    stoa_error err = STOA_ERROR_INIT;

    open_files();
    CHECK_OK(write_table(&err), &err);
    check_type("/", "struct{a}");
    check_type("/a", "struct{t}");
    check_type("/a/t", "table{in,n,v,w}");
    check_type("/a/t/in", "table{c,s}");
    check_type("/a/t/in/c", "array<1>{string}");
    check_type("/a/t/n", "array<1>{real}");
    check_type("/a/t/v", "array<1>{encoded_array<1>{real}}");
    check_type("/a/t/v/decoded_size", "array<1>{real}");
    check_type("/a/t/v/encoded_data", "array<1>{array<1>{real}}");
    check_type("/a/t/w", "array_of_encoded_equalsized_arrays<1,1>{real}");
    check_type("/a/t/w/decoded_size", "real");
    close_files();
}

/* --- appending ------------------------------------------------------------------------------- */

static uint64_t n_rows;

/* Open what was appended to: a table whose columns have unequal numbers of rows does not open. */
static void check_rows(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = NULL;

    CHECK_OK(stoa_table_open(target, "/a/t", &table, &err), &err);
    CHECK_U64(stoa_table_n_rows(table), n_rows);
    stoa_table_close(table);
}

static stoa_status append_rows(stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *table = NULL;
    stoa_query *query = NULL;
    struct ArrowArrayStream stream = {.release = NULL};
    stoa_edit_options options = STOA_EDIT_OPTIONS_INIT;

    options.threads = 1;
    STOA_TRY(stoa_table_open(target, "/a/t", &table, err));
    n_rows = stoa_table_n_rows(table);
    STOA_TRY(stoa_query_open(source, NULL, &query, err));
    STOA_TRY(stoa_query_run(query, &stream, err));
    STOA_TRY(stoa_layout_append(table, &stream, &options, NULL, err));
    n_rows += 3;

done:
    stoa_stream_release(&stream);
    stoa_query_close(query);
    stoa_table_close(table);
    return status;
}

static void memory_may_run_out_while_rows_are_appended(void)
{
    stoa_error err = STOA_ERROR_INIT;

    open_files();
    CHECK_OK(write_table(&err), &err);
    n_rows = 3;
    for (uint64_t n = 0, n_failures = 1; n_failures > 0; n += 7) {
        stoa_memory_fail_after(n);
        const stoa_status status = append_rows(&err);
        n_failures = status != STOA_OK || !sweep_is_over(n);
        stoa_memory_fail_after(UINT64_MAX);
        if (status != STOA_OK) {
            CHECK_STATUS(STOA_ENOMEM, status, &err);
        }
        check_rows();
    }
    close_files();
}

TEST_MAIN(TEST(memory_may_run_out_while_it_is_written),
          TEST(types_are_spelt_as_the_notes_have_them),
          TEST(memory_may_run_out_while_rows_are_appended))
