/* Databases in memory, and results as Arrow streams. */
#include "sql/session.h"

#include <stdlib.h>

#include "arrow/build.h"
#include "core/error.h"
#include "sql/message.h"

/* The database --------------------------------------------------------------------------------- */

stoa_status stoa_sql_open(stoa_sql *sql, stoa_error *err)
{
    stoa_status status = STOA_OK;
    duck_object config = NULL;
    char *message = NULL;

    STOA_TRY(stoa_duckdb_open(&sql->duckdb, err));
    const stoa_duckdb *const duckdb = sql->duckdb;
    /* Nothing is fetched from the network unless a statement asks for it. */
    if (duckdb->create_config(&config) != 0 ||
        duckdb->set_config(config, "autoinstall_known_extensions", "false") != 0 ||
        duckdb->open_ext(NULL, &sql->database, config, &message) != 0 ||
        duckdb->connect(sql->database, &sql->connection) != 0) {
        STOA_TRY(stoa_sql_fail(err, message));
    }

done:
    if (sql->duckdb != NULL) {
        sql->duckdb->free(message);
        sql->duckdb->destroy_config(&config);
    }
    if (status != STOA_OK) {
        stoa_sql_close(sql);
    }
    return status;
}

void stoa_sql_close(stoa_sql *sql)
{
    if (sql->duckdb != NULL) {
        sql->duckdb->disconnect(&sql->connection);
        sql->duckdb->close(&sql->database);
    }
    *sql = (stoa_sql){.duckdb = NULL};
}

/* Results as streams --------------------------------------------------------------------------- */

typedef struct answer {
    const stoa_duckdb *duckdb;
    duck_object prepared;
    duck_result result;
    duck_object options; /* of Arrow data */
    duck_object arrow;   /* before DuckDB 1.4 in place of the result and the options */
    bool is_empty;       /* the statement gives no rows */
    bool has_ended;      /* DuckDB fails when it is asked once more */
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

    if (a->is_empty) {
        return stoa_schema_make(out, "", "+s", err);
    }
    if (a->arrow == NULL) {
        return schema_of_result(a, out, err);
    }
    return a->duckdb->query_arrow_schema(a->arrow, &to) == 0
               ? STOA_OK
               : stoa_sql_fail(err, a->duckdb->query_arrow_error(a->arrow));
}

static stoa_status next_of_result(answer *a, struct ArrowArray *out, stoa_error *err)
{
    const stoa_duckdb *const duckdb = a->duckdb;
    stoa_status status = STOA_OK;
    duck_object chunk = duckdb->fetch_chunk(a->result);

    if (chunk == NULL) { /* the end, or a failure */
        const char *const message = duckdb->result_error(&a->result);
        a->has_ended = true;
        return message != NULL && message[0] != '\0' ? stoa_sql_fail(err, message) : STOA_OK;
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

    if (a->is_empty || a->has_ended) {
        return STOA_OK;
    }
    if (a->arrow == NULL) {
        return next_of_result(a, out, err);
    }
    return a->duckdb->query_arrow_array(a->arrow, &to) == 0
               ? STOA_OK
               : stoa_sql_fail(err, a->duckdb->query_arrow_error(a->arrow));
}

static const stoa_producer producer = {answer_schema, answer_next, answer_free};

/* Statements ----------------------------------------------------------------------------------- */

static stoa_status execute(answer *a, stoa_error *err)
{
    const stoa_duckdb *const duckdb = a->duckdb;

    if (duckdb->data_chunk_to_arrow == NULL) {
        return duckdb->execute_prepared_arrow(a->prepared, &a->arrow) == 0
                   ? STOA_OK
                   : stoa_sql_fail(err, duckdb->query_arrow_error(a->arrow));
    }
    duck_state (*const run)(duck_object, duck_result *) = duckdb->execute_prepared_streaming != NULL
                                                              ? duckdb->execute_prepared_streaming
                                                              : duckdb->execute_prepared;
    if (run(a->prepared, &a->result) != 0) {
        return stoa_sql_fail(err, duckdb->result_error(&a->result));
    }
    a->is_empty = duckdb->result_return_type(a->result) == DUCK_RESULT_NOTHING;
    a->options = duckdb->result_get_arrow_options(&a->result);
    return STOA_OK;
}

static stoa_status prepare(stoa_sql *sql, const char *statement, duck_object *prepared,
                           stoa_error *err)
{
    const stoa_duckdb *const duckdb = sql->duckdb;
    stoa_status status = STOA_OK;
    duck_object extracted = NULL;
    const uint64_t n = duckdb->extract_statements(sql->connection, statement, &extracted);

    if (n == 0) {
        const char *const message = duckdb->extract_statements_error(extracted);
        STOA_TRY(message != NULL ? stoa_sql_fail(err, message)
                                 : stoa_fail(err, STOA_EINVAL, "there is no statement"));
    }
    if (n > 1) {
        STOA_FAIL(err, STOA_EINVAL, "there are %llu statements, where one is expected",
                  (unsigned long long)n);
    }
    if (duckdb->prepare_extracted_statement(sql->connection, extracted, 0, prepared) != 0) {
        STOA_TRY(stoa_sql_fail(err, duckdb->prepare_error(*prepared)));
    }

done:
    duckdb->destroy_extracted(&extracted);
    return status;
}

stoa_status stoa_sql_run(stoa_sql *sql, const char *statement, struct ArrowArrayStream *out,
                         stoa_error *err)
{
    stoa_status status = STOA_OK;
    answer *a = stoa_alloc_zero(1, sizeof *a);

    STOA_RETURN_NO_MEMORY(err, a);
    a->duckdb = sql->duckdb;
    STOA_TRY(prepare(sql, statement, &a->prepared, err));
    STOA_TRY(execute(a, err));
    return stoa_stream_make(out, &producer, a, err);

done:
    answer_free(a);
    return status;
}
