/* Tables of batches, for the tests of this room. */
#include "table/kit.h"

#include <stdio.h>
#include <string.h>

static hid_t create_file(const char *name)
{
    const hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);

    CHECK_H5(H5Pset_libver_bounds(fapl, H5F_LIBVER_V18, H5F_LIBVER_LATEST));
    const hid_t file = H5Fcreate(check_path(name), H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    CHECK_H5(file);
    H5Pclose(fapl);
    return file;
}

hid_t new_file(void)
{
    return create_file("t.h5");
}

hid_t other_file(hid_t file)
{
    char name[4096];

    CHECK_H5(H5Fget_name(file, name, sizeof name));
    return create_file(strcmp(name, check_path("t.h5")) == 0 ? "other.h5" : "t.h5");
}

void write_batches(hid_t file, const char *path, batch *batches, size_t n,
                   const stoa_table_options *options)
{
    struct ArrowArrayStream stream;
    stoa_error err = STOA_ERROR_INIT;

    stream_of(batches, n, &stream);
    CHECK_OK(stoa_table_write(file, path, &stream, options, NULL, &err), &err);
    stoa_stream_release(&stream);
}

stoa_table *open_table(hid_t file, const char *path)
{
    stoa_table *table = NULL;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_hep001_open(file, path, &table, &err), &err);
    return table;
}

stoa_status append_all(stoa_table *table, batch *batches, size_t n, stoa_error *err)
{
    struct ArrowArrayStream stream;

    stream_of(batches, n, &stream);
    const stoa_status status = stoa_table_append(table, &stream, NULL, NULL, err);
    stoa_stream_release(&stream);
    return status;
}

stoa_status append(stoa_table *table, batch *b, stoa_error *err)
{
    return append_all(table, b, 1, err);
}

static bool print_must(void *context, const stoa_finding *finding)
{
    (void)context;
    if (strcmp(finding->level, "MUST") == 0) {
        (void)printf("%s: MUST §%s: %s\n", finding->path, finding->section, finding->message);
    }
    return true;
}

void check_conformant(hid_t file, const char *path)
{
    stoa_check_options options = STOA_CHECK_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;
    uint64_t n_must = 0;

    options.indexes = true;
    CHECK_OK(stoa_check(file, path, &options, print_must, NULL, &n_must, NULL, &err), &err);
    CHECK_U64(n_must, 0);
}

void expect(stoa_table *table, const char *name, const char *const *texts, size_t n)
{
    struct ArrowSchema schema;
    struct ArrowArray array;
    stoa_view view;
    stoa_error err = STOA_ERROR_INIT;
    stoa_column *column = stoa_table_find(table, name);

    CHECK(column != NULL);
    CHECK_U64(stoa_table_n_rows(table), n);
    CHECK_OK(stoa_column_schema(column, &schema, &err), &err);
    CHECK_OK(stoa_column_read(column, 0, n, &array, &err), &err);
    CHECK_OK(stoa_view_of(&schema, &array, &view, &err), &err);
    for (size_t i = 0; i < n; i++) {
        CHECK_STR(value_text(&view, (int64_t)i), texts[i]);
    }
    stoa_array_release(&array);
    stoa_schema_release(&schema);
}
