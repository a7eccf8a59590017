/* Tables in memory. */
#include "tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <stoa/memory.h>
#include <string.h>

enum { ANSWER_SIZE = 1 << 18 };

home home_of(batch *b, uint64_t chunk_rows, const char *const *indexed, size_t n_indexed)
{
    static unsigned n_homes;
    char name[32];
    home h = {.table = NULL};
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    const stoa_column_options all = {NULL, "none", chunk_rows};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;

    stoa_column_index indexes[16];

    CHECK(n_indexed <= sizeof indexes / sizeof indexes[0]);
    options.columns = &all;
    options.n_columns = 1;
    for (size_t i = 0; i < n_indexed; i++) {
        indexes[i] = (stoa_column_index){indexed[i], "minmax"};
    }
    options.indexes = indexes;
    options.n_indexes = n_indexed;
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
    CHECK_H5(H5Pset_libver_bounds(fapl, H5F_LIBVER_V18, H5F_LIBVER_LATEST));
    CHECK_H5(H5Pset_fapl_core(fapl, 1 << 20, false));
    (void)snprintf(name, sizeof name, "memory-%u.h5", ++n_homes); /* no two are one file */
    h.file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    CHECK_H5(H5Pclose(fapl));
    stream_of(b, 1, &stream);
    CHECK_OK(stoa_table_write(h.file, "/t", &stream, &options, NULL, &err), &err);
    stoa_stream_release(&stream);
    CHECK_OK(stoa_hep001_open(h.file, "/t", &h.table, &err), &err);
    return h;
}

home home_on_disk(const char *name, batch *b, const stoa_table_options *options)
{
    const char *path = check_path(name);
    home h = {.file = CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT))};
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;

    stream_of(b, 1, &stream);
    CHECK_OK(stoa_table_write(h.file, "/t", &stream, options, NULL, &err), &err);
    stoa_stream_release(&stream);
    CHECK_H5(H5Fclose(h.file));
    h.file = CHECK_H5(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT));
    CHECK_OK(stoa_hep001_open(h.file, "/t", &h.table, &err), &err);
    return h;
}

void home_leave(home *h)
{
    stoa_table_close(h->table);
    CHECK_H5(H5Fclose(h->file));
}

static void append(char *out, size_t *at, const char *text)
{
    const size_t length = strlen(text);

    CHECK(*at + length + 1 < ANSWER_SIZE);
    memcpy(out + *at, text, length + 1);
    *at += length;
}

static void append_rows(char *out, size_t *at, const struct ArrowSchema *schema,
                        const struct ArrowArray *array)
{
    for (int64_t i = 0; i < array->length; i++) {
        append(out, at, *at > 0 ? " | " : "");
        for (int64_t c = 0; c < array->n_children; c++) {
            stoa_view view;
            CHECK_OK(stoa_view_of(schema->children[c], array->children[c], &view, NULL));
            append(out, at, c > 0 ? " " : "");
            append(out, at, value_text(&view, i));
        }
    }
}

static stoa_status drain(struct ArrowArrayStream *stream, char *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {0};
    struct ArrowArray array = {0};
    size_t at = 0;

    STOA_TRY(stoa_stream_schema(stream, &schema, err));
    for (;;) {
        STOA_TRY(stoa_stream_next(stream, &array, err));
        if (array.release == NULL) {
            break;
        }
        append_rows(out, &at, &schema, &array);
        stoa_array_release(&array);
    }

done:
    stoa_schema_release(&schema);
    return status;
}

static stoa_status run(home *h, stoa_query_options options, int64_t limit, char *out, char **plan,
                       stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_query *query = NULL;
    struct ArrowArrayStream stream = {0};

    out[0] = '\0';
    options.limit = limit;
    STOA_TRY(stoa_query_open(h->table, &options, &query, err));
    STOA_TRY(stoa_query_run(query, &stream, err));
    STOA_TRY(drain(&stream, out, err));
    if (plan != NULL) {
        STOA_TRY(stoa_query_explain(query, plan, err));
    }

done:
    stoa_stream_release(&stream);
    stoa_query_close(query);
    return status;
}

const char *ask(home *h, const stoa_query_options *options, int64_t limit)
{
    static char out[ANSWER_SIZE];
    stoa_error err = STOA_ERROR_INIT;

    if (run(h, *options, limit, out, NULL, &err) != STOA_OK) {
        snprintf(out, sizeof out, "%s", err.message);
    }
    return out;
}

const char *explain(home *h, const stoa_query_options *options, int64_t limit)
{
    static char out[ANSWER_SIZE];
    char *plan = NULL;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(run(h, *options, limit, out, &plan, &err), &err);
    snprintf(out, sizeof out, "%s", plan);
    stoa_free(plan);
    return out;
}
