/* DuckDB's read_parquet() makes the rows. The schema of the first file says which types they had.
 */
#include <stdlib.h>
#include <stoa/arrays.h>
#include <string.h>
#include <strings.h>

#include "arrow/read.h"
#include "sql/parquet.h"
#include "sql/parquet_schema.h"
#include "sql/session.h"

enum { MAX_CATEGORIES = 65536 };

typedef struct reading {
    stoa_sql sql;
    struct ArrowArrayStream rows; /* released before the database is closed */
    struct ArrowSchema schema;    /* of `rows`, with the names and metadata that they had */
} reading;

bool stoa_parquet_is_one(const char *file)
{
    char start[4];
    FILE *const in = fopen(file, "rbe");
    const bool is = in != NULL && fread(start, 1, sizeof start, in) == sizeof start &&
                    memcmp(start, "PAR1", sizeof start) == 0;

    if (in != NULL) {
        (void)fclose(in);
    }
    return is;
}

/* --- what the file says ---------------------------------------------------------------------- */

/* The first value of an answer, as text; *found is false if it is missing. */
typedef stoa_status visit_value(const stoa_view *value, void *context, stoa_error *err);

static stoa_status ask(stoa_sql *sql, const char *statement, visit_value *visit, void *context,
                       stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArrayStream answer = {.release = NULL};
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray batch = {.release = NULL};
    stoa_view view;
    stoa_view value;

    STOA_TRY(stoa_sql_run(sql, statement, &answer, err));
    STOA_TRY(stoa_stream_schema(&answer, &schema, err));
    for (;;) {
        STOA_TRY(stoa_stream_next(&answer, &batch, err));
        if (batch.release == NULL) {
            break;
        }
        STOA_TRY(stoa_view_of(&schema, &batch, &view, err));
        STOA_TRY(stoa_view_child(&view, 0, &value, err));
        STOA_TRY(visit != NULL && view.length > 0 ? visit(&value, context, err) : STOA_OK);
        stoa_array_release(&batch);
    }

done:
    stoa_array_release(&batch);
    stoa_schema_release(&schema);
    stoa_stream_release(&answer);
    return status;
}

static stoa_status take_schema(const stoa_view *value, void *context, stoa_error *err)
{
    size_t length = 0;
    struct ArrowSchema *const schema = context;

    if (schema->release != NULL || stoa_view_is_null(value, 0)) {
        return STOA_OK;
    }
    const char *const text = stoa_view_bytes(value, 0, &length);
    return stoa_parquet_decode_schema(text, length, schema, err);
}

static stoa_status take_count(const stoa_view *value, void *context, stoa_error *err)
{
    (void)err;
    *(int64_t *)context = stoa_view_i64(value, 0);
    return STOA_OK;
}

/* --- the statement --------------------------------------------------------------------------- */

static stoa_status put_files(stoa_buffer *sql, const stoa_parquet_files *files, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_buffer_print(sql, err, " FROM read_parquet(["));
    for (size_t i = 0; i < files->n; i++) {
        STOA_RETURN_NOT_OK(stoa_buffer_print(sql, err, i > 0 ? ", " : ""));
        STOA_RETURN_NOT_OK(
            stoa_buffer_quote(sql, '\'', files->names[i], strlen(files->names[i]), err));
    }
    return stoa_buffer_print(sql, err, "], hive_partitioning = false, union_by_name = %s)",
                             files->by_name ? "true" : "false");
}

/* The field that a column was written from; NULL if the schema does not say. DuckDB numbers names
 * that differ in case alone: "a", "A_1". */
static const struct ArrowSchema *written_as(const struct ArrowSchema *written, const char *name,
                                            int64_t i)
{
    const char *const own =
        written->release != NULL && i < written->n_children ? written->children[i]->name : NULL;
    const bool is = own != NULL && strncasecmp(own, name, strlen(own)) == 0 &&
                    (name[strlen(own)] == '\0' || name[strlen(own)] == '_');

    return is ? written->children[i] : NULL;
}

/* Make an enumeration of a column's values, if they are few; *is_made says so. */
static stoa_status make_categories(stoa_sql *sql, const stoa_parquet_files *files,
                                   const char *column, int64_t i, bool *is_made, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer values = {0};
    stoa_buffer text = {0};
    int64_t n = 0;

    STOA_TRY(stoa_buffer_print(&values, err, "SELECT DISTINCT "));
    STOA_TRY(stoa_buffer_quote(&values, '"', column, strlen(column), err));
    STOA_TRY(stoa_buffer_print(&values, err, " AS v"));
    STOA_TRY(put_files(&values, files, err));
    STOA_TRY(stoa_buffer_print(
        &text, err, "CREATE TEMP TABLE v%lld AS SELECT v FROM (%.*s) WHERE v IS NOT NULL LIMIT %d",
        (long long)i, (int)values.size, (const char *)values.data, MAX_CATEGORIES + 1));
    STOA_TRY(ask(sql, (const char *)text.data, NULL, NULL, err));
    text.size = 0;
    STOA_TRY(stoa_buffer_print(&text, err, "SELECT count(*) FROM v%lld", (long long)i));
    STOA_TRY(ask(sql, (const char *)text.data, take_count, &n, err));
    *is_made = n > 0 && n <= MAX_CATEGORIES;
    if (*is_made) {
        text.size = 0;
        STOA_TRY(stoa_buffer_print(&text, err,
                                   "CREATE TYPE e%lld AS ENUM (SELECT v FROM v%lld ORDER BY v)",
                                   (long long)i, (long long)i));
        STOA_TRY(ask(sql, (const char *)text.data, NULL, NULL, err));
    }

done:
    stoa_buffer_clear(&values);
    stoa_buffer_clear(&text);
    return status;
}

static stoa_status put_column(stoa_sql *sql, const stoa_parquet_files *files,
                              const struct ArrowSchema *column, const struct ArrowSchema *was,
                              int64_t i, stoa_buffer *text, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer type = {0};
    const bool is_string = strcmp(column->format, "u") == 0;
    bool is_category = false;

    if (was != NULL && was->dictionary != NULL && is_string) {
        STOA_TRY(make_categories(sql, files, column->name, i, &is_category, err));
        STOA_TRY(stoa_buffer_print(&type, err, "e%lld", (long long)i));
    } else if (was != NULL && stoa_sql_has_fixed_list(was)) {
        STOA_TRY(stoa_sql_type(&type, was, true, err));
        is_category = true;
    }
    STOA_TRY(stoa_buffer_print(text, err, i > 0 ? ", " : ""));
    STOA_TRY(stoa_buffer_print(text, err, is_category ? "CAST(" : ""));
    STOA_TRY(stoa_buffer_quote(text, '"', column->name, strlen(column->name), err));
    STOA_TRY(is_category
                 ? stoa_buffer_print(text, err, " AS %.*s)", (int)type.size, (char *)type.data)
                 : STOA_OK);
    STOA_TRY(stoa_buffer_print(text, err, " AS "));
    const char *const name = was != NULL ? was->name : column->name;
    STOA_TRY(stoa_buffer_quote(text, '"', name, strlen(name), err));

done:
    stoa_buffer_clear(&type);
    return status;
}

/* The columns as DuckDB finds them. */
static stoa_status find_columns(stoa_sql *sql, const stoa_parquet_files *files,
                                struct ArrowSchema *columns, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArrayStream answer = {.release = NULL};
    stoa_buffer text = {0};

    STOA_TRY(stoa_buffer_print(&text, err, "SELECT *"));
    STOA_TRY(put_files(&text, files, err));
    STOA_TRY(stoa_buffer_print(&text, err, " LIMIT 0"));
    STOA_TRY(stoa_sql_run(sql, (const char *)text.data, &answer, err));
    STOA_TRY(stoa_stream_schema(&answer, columns, err));

done:
    stoa_stream_release(&answer);
    stoa_buffer_clear(&text);
    return status;
}

static stoa_status find_written(stoa_sql *sql, const char *file, struct ArrowSchema *written,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer text = {0};

    STOA_TRY(stoa_buffer_print(&text, err, "SELECT value FROM parquet_kv_metadata("));
    STOA_TRY(stoa_buffer_quote(&text, '\'', file, strlen(file), err));
    STOA_TRY(stoa_buffer_print(&text, err, ") WHERE key = '" STOA_PARQUET_SCHEMA "'"));
    STOA_TRY(ask(sql, (const char *)text.data, take_schema, written, err));

done:
    stoa_buffer_clear(&text);
    return status;
}

/* DuckDB quotes the statement, which is not the user's, and names an option of its own. */
static void tell_plainly(const stoa_parquet_files *files, stoa_error *err)
{
    static const char *const ends[] = {"; at \"", " If you are trying to read files"};

    for (size_t i = 0; err != NULL && i < sizeof ends / sizeof *ends; i++) {
        char *const end = strstr(err->message, ends[i]);
        if (end != NULL) {
            *end = '\0';
        }
        if (end != NULL && i == 1 && !files->by_name) {
            stoa_advise(err, "; --by-name lets files lack columns");
        }
    }
}

/* --- the stream ------------------------------------------------------------------------------ */

static stoa_status reading_schema(void *self, struct ArrowSchema *out, stoa_error *err)
{
    return stoa_schema_copy(&((reading *)self)->schema, out, err);
}

static stoa_status reading_next(void *self, struct ArrowArray *out, stoa_error *err)
{
    return stoa_stream_next(&((reading *)self)->rows, out, err);
}

static void reading_free(void *self)
{
    reading *const r = self;

    stoa_stream_release(&r->rows);
    stoa_schema_release(&r->schema);
    stoa_sql_close(&r->sql);
    free(r);
}

/* Integers that were durations. */
static stoa_status restore_durations(struct ArrowSchema *field, const struct ArrowSchema *was,
                                     stoa_error *err)
{
    if (strncmp(was->format, "tD", 2) == 0 && strcmp(field->format, "l") == 0) {
        return stoa_schema_retype(field, was->format, err);
    }
    for (int64_t i = 0; i < field->n_children && field->n_children == was->n_children; i++) {
        STOA_RETURN_NOT_OK(restore_durations(field->children[i], was->children[i], err));
    }
    return STOA_OK;
}

/* Cast the rows to the types that they had, and take over what the fields say. */
static stoa_status restore(reading *r, const struct ArrowSchema *written, stoa_error *err)
{
    struct ArrowSchema rows = {.release = NULL};

    if (written->release != NULL) {
        STOA_RETURN_NOT_OK(stoa_stream_cast(&r->rows, written, err));
    }
    STOA_RETURN_NOT_OK(stoa_stream_schema(&r->rows, &rows, err));
    const stoa_status status = stoa_schema_copy(&rows, &r->schema, err); /* only ours are edited */
    stoa_schema_release(&rows);
    STOA_RETURN_NOT_OK(status);
    if (written->release == NULL) {
        return STOA_OK;
    }
    for (int64_t i = 0; i < r->schema.n_children; i++) {
        const struct ArrowSchema *const was = written_as(written, r->schema.children[i]->name, i);
        STOA_RETURN_NOT_OK(was != NULL ? restore_durations(r->schema.children[i], was, err)
                                       : STOA_OK);
    }
    return stoa_schema_set_more(&r->schema, written, err);
}

stoa_status stoa_parquet_open(const stoa_parquet_files *files, struct ArrowArrayStream *stream,
                              stoa_error *err)
{
    static const stoa_producer producer = {reading_schema, reading_next, reading_free};
    struct ArrowSchema written = {.release = NULL};
    struct ArrowSchema columns = {.release = NULL};
    stoa_status status = STOA_OK;
    stoa_buffer text = {0};
    reading *r = stoa_alloc_zero(1, sizeof *r);

    *stream = (struct ArrowArrayStream){.release = NULL};
    STOA_RETURN_NO_MEMORY(err, r);
    STOA_TRY(stoa_sql_open(&r->sql, NULL, err));
    STOA_TRY(find_columns(&r->sql, files, &columns, err));
    STOA_TRY(find_written(&r->sql, files->names[0], &written, err));
    STOA_TRY(stoa_buffer_print(&text, err, "SELECT "));
    for (int64_t i = 0; i < columns.n_children; i++) {
        STOA_TRY(put_column(&r->sql, files, columns.children[i],
                            written_as(&written, columns.children[i]->name, i), i, &text, err));
    }
    STOA_TRY(put_files(&text, files, err));
    STOA_TRY(stoa_sql_run(&r->sql, (const char *)text.data, &r->rows, err));
    STOA_TRY(restore(r, &written, err));
    status = stoa_stream_make(stream, &producer, r, err);
    r = NULL;

done:
    stoa_schema_release(&written);
    stoa_schema_release(&columns);
    stoa_buffer_clear(&text);
    if (status != STOA_OK) {
        tell_plainly(files, err);
    }
    if (r != NULL) {
        reading_free(r);
    }
    return status;
}
