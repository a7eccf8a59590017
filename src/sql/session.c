/* Databases in memory, and results as Arrow streams. */
#include "sql/session.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "core/error.h"
#include "core/text.h"
#include "core/threads.h"
#include "sql/hints.h"
#include "sql/message.h"
#include "sql/scan.h"

/* The database --------------------------------------------------------------------------------- */

/* Interrupts the statement when the program wants it to end. */
static void *watch(void *context)
{
    enum { TICK = 20000000 }; /* nanoseconds */
    stoa_sql *const sql = context;

    (void)pthread_mutex_lock(&sql->lock);
    while (!sql->is_closing) {
        struct timespec until;

        (void)clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += TICK;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        (void)pthread_cond_timedwait(&sql->closing, &sql->lock, &until);
        if (!sql->is_closing && sql->options.stop()) {
            sql->duckdb->interrupt(sql->connection);
        }
    }
    (void)pthread_mutex_unlock(&sql->lock);
    return NULL;
}

static stoa_status configure(stoa_sql *sql, duck_object config, stoa_error *err)
{
    const stoa_duckdb *const duckdb = sql->duckdb;
    char threads[STOA_NUMBER_SIZE];
    int failed = 0;

    /* Nothing is fetched from the network unless a statement asks for it. */
    failed |= duckdb->set_config(config, "autoinstall_known_extensions", "false");
    (void)stoa_format_u64(sql->options.n_threads, threads);
    failed |= duckdb->set_config(config, "threads", threads);
    return failed == 0 ? STOA_OK : stoa_fail(err, STOA_EINVAL, "DuckDB refuses its settings");
}

stoa_status stoa_sql_open(stoa_sql *sql, const stoa_sql_options *options, stoa_error *err)
{
    stoa_status status = STOA_OK;
    duck_object config = NULL;
    char *message = NULL;

    STOA_RETURN_NOT_OK(stoa_duckdb_open(&sql->duckdb, err));
    const stoa_duckdb *const duckdb = sql->duckdb;
    (void)pthread_mutex_init(&sql->lock, NULL);
    (void)pthread_cond_init(&sql->closing, NULL);
    sql->kept.lock = &sql->lock;
    if (options != NULL) {
        sql->options = *options;
    }
    if (sql->options.n_threads == 0) {
        sql->options.n_threads = stoa_processors();
    }
    if (duckdb->create_config(&config) != 0) {
        STOA_TRY(stoa_fail_memory(err));
    }
    STOA_TRY(configure(sql, config, err));
    if (duckdb->open_ext(NULL, &sql->database, config, &message) != 0 ||
        duckdb->connect(sql->database, &sql->connection) != 0) {
        STOA_TRY(stoa_sql_fail(err, message));
    }
    STOA_TRY(stoa_sql_register_scan(sql, err));
    if (sql->options.stop != NULL) {
        sql->is_watched = pthread_create(&sql->watcher, NULL, watch, sql) == 0;
    }

done:
    duckdb->free(message);
    duckdb->destroy_config(&config);
    if (status != STOA_OK) {
        stoa_sql_close(sql);
    }
    return status;
}

void stoa_sql_close(stoa_sql *sql)
{
    if (sql->duckdb == NULL) {
        return;
    }
    if (sql->is_watched) {
        (void)pthread_mutex_lock(&sql->lock);
        sql->is_closing = true;
        (void)pthread_cond_signal(&sql->closing);
        (void)pthread_mutex_unlock(&sql->lock);
        (void)pthread_join(sql->watcher, NULL);
    }
    stoa_file_names_clear(&sql->files);
    stoa_buffer_clear(&sql->plans);
    sql->duckdb->disconnect(&sql->connection);
    sql->duckdb->close(&sql->database);
    stoa_sql_kept_clear(&sql->kept);
    (void)pthread_cond_destroy(&sql->closing);
    (void)pthread_mutex_destroy(&sql->lock);
    *sql = (stoa_sql){.duckdb = NULL};
}

void stoa_sql_forget(stoa_sql *sql)
{
    stoa_sql_kept_clear(&sql->kept);
}

/* A failure of a statement: that of a scan, if there was one, else the message. */
static stoa_status fail(stoa_sql *sql, const char *message, stoa_error *err)
{
    (void)pthread_mutex_lock(&sql->lock);
    const stoa_error failure = sql->failure;
    (void)pthread_mutex_unlock(&sql->lock);
    if (failure.status == STOA_OK) {
        return stoa_sql_fail(err, message);
    }
    if (err != NULL && err->status == STOA_OK) {
        *err = failure;
    }
    return failure.status;
}

/* Results as streams --------------------------------------------------------------------------- */

typedef struct answer {
    stoa_sql *sql;
    const stoa_duckdb *duckdb;
    duck_object prepared;
    duck_result result;
    duck_object options; /* of Arrow data */
    duck_object arrow;   /* before DuckDB 1.4 in place of the result and the options */
    bool has_columns;    /* the statement gives rows */
    bool is_at_end;      /* another fetch would fail */
} answer;

static void answer_free(void *self)
{
    answer *const a = self;
    const stoa_duckdb *const duckdb = a->duckdb;

    if (a->options != NULL) {
        duckdb->destroy_arrow_options(&a->options);
    }
    if (a->arrow != NULL) {
        duckdb->destroy_arrow(&a->arrow);
    }
    duckdb->destroy_result(&a->result);
    duckdb->destroy_prepare(&a->prepared);
    free(a);
}

/* The failure of a call that makes Arrow data. */
static stoa_status check_arrow(const stoa_duckdb *duckdb, duck_object error, stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (error != NULL && duckdb->error_data_has_error(error)) {
        status = stoa_sql_fail(err, duckdb->error_data_message(error));
    }
    duckdb->destroy_error_data(&error);
    return status;
}

static stoa_status schema_of_result(answer *a, struct ArrowSchema *out, stoa_error *err)
{
    const stoa_duckdb *const duckdb = a->duckdb;
    const uint64_t n = duckdb->column_count(&a->result);
    stoa_status status = STOA_OK;
    duck_object *types = stoa_alloc_zero((size_t)n, sizeof *types);
    const char **names = stoa_alloc_zero((size_t)n, sizeof *names);

    if (types == NULL || names == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    for (uint64_t i = 0; i < n; i++) {
        types[i] = duckdb->column_logical_type(&a->result, i);
        names[i] = duckdb->column_name(&a->result, i);
    }
    STOA_TRY(check_arrow(duckdb, duckdb->to_arrow_schema(a->options, types, names, n, out), err));

done:
    for (uint64_t i = 0; types != NULL && i < n; i++) {
        duckdb->destroy_logical_type(&types[i]);
    }
    free(types);
    free(names);
    return status;
}

static stoa_status answer_schema(void *self, struct ArrowSchema *out, stoa_error *err)
{
    answer *const a = self;
    duck_object to = out;

    if (!a->has_columns) {
        return stoa_schema_make(out, "", "+s", err);
    }
    if (a->arrow == NULL) {
        return schema_of_result(a, out, err);
    }
    return a->duckdb->query_arrow_schema(a->arrow, &to) == 0
               ? STOA_OK
               : fail(a->sql, a->duckdb->query_arrow_error(a->arrow), err);
}

static stoa_status next_of_result(answer *a, struct ArrowArray *out, stoa_error *err)
{
    const stoa_duckdb *const duckdb = a->duckdb;
    stoa_status status = STOA_OK;
    duck_object chunk = duckdb->fetch_chunk(a->result);

    if (chunk == NULL) { /* the end, or a failure */
        const char *const message = duckdb->result_error(&a->result);
        a->is_at_end = true;
        return message != NULL && message[0] != '\0' ? fail(a->sql, message, err) : STOA_OK;
    }
    if (duckdb->data_chunk_get_size(chunk) > 0) {
        status = check_arrow(duckdb, duckdb->data_chunk_to_arrow(a->options, chunk, out), err);
    }
    duckdb->destroy_data_chunk(&chunk);
    return status;
}

static stoa_status answer_next(void *self, struct ArrowArray *out, stoa_error *err)
{
    answer *const a = self;
    duck_object to = out;

    if (!a->has_columns || a->is_at_end) {
        return STOA_OK;
    }
    if (a->arrow == NULL) {
        return next_of_result(a, out, err);
    }
    return a->duckdb->query_arrow_array(a->arrow, &to) == 0
               ? STOA_OK
               : fail(a->sql, a->duckdb->query_arrow_error(a->arrow), err);
}

static const stoa_producer producer = {answer_schema, answer_next, answer_free};

/* Statements ----------------------------------------------------------------------------------- */

static stoa_status execute(answer *a, stoa_error *err)
{
    const stoa_duckdb *const duckdb = a->duckdb;

    if (duckdb->data_chunk_to_arrow == NULL) {
        a->has_columns = true;
        return duckdb->execute_prepared_arrow(a->prepared, &a->arrow) == 0
                   ? STOA_OK
                   : fail(a->sql, duckdb->query_arrow_error(a->arrow), err);
    }
    duck_state (*const run)(duck_object, duck_result *) = duckdb->execute_prepared_streaming != NULL
                                                              ? duckdb->execute_prepared_streaming
                                                              : duckdb->execute_prepared;
    if (run(a->prepared, &a->result) != 0) {
        return fail(a->sql, duckdb->result_error(&a->result), err);
    }
    a->has_columns = duckdb->result_return_type(a->result) != DUCK_RESULT_NOTHING;
    a->options = duckdb->result_get_arrow_options(&a->result);
    return STOA_OK;
}

/* Run all statements but the last, and prepare that. DuckDB makes two of a `pivot`. */
static stoa_status prepare_last(answer *a, duck_object extracted, uint64_t n, stoa_error *err)
{
    const stoa_duckdb *const duckdb = a->duckdb;
    stoa_status status = STOA_OK;

    for (uint64_t i = 0; i < n && status == STOA_OK; i++) {
        if (duckdb->prepare_extracted_statement(a->sql->connection, extracted, i, &a->prepared) !=
            0) {
            return fail(a->sql, duckdb->prepare_error(a->prepared), err);
        }
        if (i + 1 < n) {
            duck_result ignored = {{0}, {NULL}};

            if (duckdb->execute_prepared(a->prepared, &ignored) != 0) {
                status = fail(a->sql, duckdb->result_error(&ignored), err);
            }
            duckdb->destroy_result(&ignored);
            duckdb->destroy_prepare(&a->prepared);
        }
    }
    return status;
}

static stoa_status prepare(answer *a, const char *text, stoa_error *err)
{
    const stoa_duckdb *const duckdb = a->duckdb;
    stoa_status status = STOA_OK;
    duck_object extracted = NULL;
    const uint64_t n = duckdb->extract_statements(a->sql->connection, text, &extracted);

    if (n == 0) {
        const char *const message = duckdb->extract_statements_error(extracted);
        STOA_TRY(message != NULL ? stoa_sql_fail(err, message)
                                 : stoa_fail(err, STOA_EINVAL, "there is no statement"));
    }
    STOA_TRY(prepare_last(a, extracted, n, err));

done:
    duckdb->destroy_extracted(&extracted);
    return status;
}

static stoa_status run(stoa_sql *sql, const char *text, struct ArrowArrayStream *out,
                       stoa_error *err)
{
    stoa_status status = STOA_OK;
    answer *a = stoa_alloc_zero(1, sizeof *a);

    STOA_RETURN_NO_MEMORY(err, a);
    sql->failure = (stoa_error)STOA_ERROR_INIT;
    stoa_file_names_clear(&sql->files);
    a->sql = sql;
    a->duckdb = sql->duckdb;
    STOA_TRY(prepare(a, text, err));
    STOA_TRY(execute(a, err));
    return stoa_stream_make(out, &producer, a, err);

done:
    answer_free(a);
    return status;
}

/* Filters of the statement for its scans ------------------------------------------------------- */

static stoa_status columns_of(void *context, const char *name, struct ArrowSchema *out,
                              stoa_error *err)
{
    stoa_sql *const sql = context;
    stoa_sql_place place = {.follows = sql->options.follow_external, .kept = &sql->kept};
    stoa_sql_handle handle = {.file = NULL};
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_sql_place_find(&place, &name, 1, err));
    STOA_TRY(stoa_sql_place_open(&place, &handle, err));
    STOA_TRY(stoa_sql_columns(handle.table, NULL, out, err));

done:
    stoa_sql_place_close(&place, &handle);
    stoa_sql_place_clear(&place);
    return status;
}

/* The statement with hints; empty if DuckDB does not serialize it, or there are none. */
static stoa_status add_hints(stoa_sql *sql, const char *text, stoa_buffer *hinted, stoa_error *err)
{
    stoa_buffer question = {.size = 0};
    struct ArrowArrayStream stream = {.release = NULL};
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray batch = {.release = NULL};
    stoa_error ignored = STOA_ERROR_INIT;
    stoa_view view;
    stoa_status status = STOA_OK;
    size_t length = 0;

    STOA_TRY(stoa_buffer_print(&question, err, "select json_serialize_sql('"));
    for (const char *c = text; *c != '\0'; c++) {
        STOA_TRY(stoa_buffer_append(&question, *c == '\'' ? "''" : c, *c == '\'' ? 2 : 1, err));
    }
    STOA_TRY(stoa_buffer_print(&question, err,
                               "', skip_null := true, skip_empty := true, skip_default := "
                               "true)::varchar"));
    if (run(sql, (const char *)question.data, &stream, &ignored) == STOA_OK &&
        stoa_stream_schema(&stream, &schema, &ignored) == STOA_OK &&
        stoa_stream_next(&stream, &batch, &ignored) == STOA_OK && batch.release != NULL &&
        batch.n_children == 1 &&
        stoa_view_of(schema.children[0], batch.children[0], &view, &ignored) == STOA_OK &&
        stoa_kind_is_string(view.type.kind) && view.length == 1 && !stoa_view_is_null(&view, 0)) {
        const char *const serialized = stoa_view_bytes(&view, 0, &length);
        STOA_TRY(stoa_sql_add_hints(text, serialized, length, columns_of, sql, hinted, err));
    }

done:
    stoa_array_release(&batch);
    stoa_schema_release(&schema);
    stoa_stream_release(&stream);
    stoa_buffer_clear(&question);
    return status;
}

stoa_status stoa_sql_run(stoa_sql *sql, const char *text, struct ArrowArrayStream *out,
                         stoa_error *err)
{
    stoa_buffer hinted = {.size = 0};
    stoa_error ignored = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;

    stoa_sql_kept_age(&sql->kept);
    if (strpbrk(text, "'\"") != NULL) { /* it may name a place */
        STOA_TRY(add_hints(sql, text, &hinted, err));
    }
    /* If it fails, the statement itself says how: with its own text. */
    if (hinted.size == 0 || run(sql, (const char *)hinted.data, out, &ignored) != STOA_OK) {
        STOA_TRY(run(sql, text, out, err));
    }

done:
    stoa_buffer_clear(&hinted);
    return status;
}
