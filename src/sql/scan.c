/* The table function. DuckDB calls bind once, init once, local_init on each thread, and next on
 * each thread until it gives no more rows. */
#include "sql/scan.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoa/arrays.h>
#include <stoa/memory.h>
#include <stoa/query.h>
#include <string.h>

#include "arrow/build.h"
#include "column/column.h"
#include "core/memory.h"
#include "query/run/query.h"
#include "sql/place.h"
#include "sql/types.h"

enum {
    UNIT_ROWS = 131072, /* that a thread takes at a time, at least; whole chunks */
    MANY_RANGES = 4096  /* that indexes leave: asking them takes time */
};

/* Failures ------------------------------------------------------------------------------------- */

/* Keep the failure, and tell DuckDB, which ends the statement. */
static void fail(stoa_sql *sql, void (*tell)(duck_object, const char *), duck_object info,
                 const stoa_error *err)
{
    (void)pthread_mutex_lock(&sql->lock);
    if (sql->failure.status == STOA_OK) {
        sql->failure = *err;
    }
    (void)pthread_mutex_unlock(&sql->lock);
    tell(info, err->message[0] != '\0' ? err->message : stoa_status_name(err->status));
}

/* A table that a statement names --------------------------------------------------------------- */

typedef struct bound {
    stoa_sql *sql;
    stoa_sql_place place;
    stoa_sql_handle first; /* lent to one thread */
    atomic_flag is_lent;
    uint64_t n_rows;
    struct ArrowSchema columns; /* those that can be read, as DuckDB sees them */
    char *hint;                 /* a filter; NULL: none (hints.h) */
    stoa_query *hinted;         /* of the filter: what the indexes say; of `first`; NULL: none */
    uint64_t first_row;         /* rows [first_row, end_row) are read: all, if there is no hint */
    uint64_t end_row;
    uint64_t n_candidates; /* of these, those that the indexes leave for the hint */
    uint64_t n_ranges;     /* in so many ranges */
} bound;

static void bound_free(void *data)
{
    bound *const b = data;

    stoa_schema_release(&b->columns);
    stoa_query_close(b->hinted);
    stoa_sql_place_close(&b->place, &b->first);
    stoa_sql_place_clear(&b->place);
    free(b->hint);
    free(b);
}

/* Binding ---------------------------------------------------------------------------------------
 */

static stoa_status add_columns(const bound *b, duck_object info, stoa_error *err)
{
    const stoa_duckdb *const duckdb = b->sql->duckdb;

    for (int64_t i = 0; i < b->columns.n_children; i++) {
        const struct ArrowSchema *const column = b->columns.children[i];
        duck_object type = NULL;

        STOA_RETURN_NOT_OK(stoa_sql_type_of(duckdb, column, &type, err));
        duckdb->bind_add_result_column(info, column->name, type);
        duckdb->destroy_logical_type(&type);
    }
    return STOA_OK;
}

static stoa_status open_bound(bound *b, const char *const *names, size_t n, duck_object info,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_sql_place_find(&b->place, names, n, err));
    (void)pthread_mutex_lock(&b->sql->lock);
    status = stoa_file_names_add(&b->sql->files, b->place.files.names, b->place.files.n, err);
    (void)pthread_mutex_unlock(&b->sql->lock);
    STOA_TRY(status);
    STOA_TRY(stoa_sql_place_open(&b->place, &b->first, err));
    b->n_rows = stoa_table_n_rows(b->first.table);
    STOA_TRY(stoa_sql_columns(b->first.table, b->sql->options.tell, &b->columns, err));
    STOA_TRY(add_columns(b, info, err));
    b->end_row = b->n_candidates = b->n_rows;

done:
    return stoa_at(err, status, "%s", n > 0 ? names[0] : "read_stoa()");
}

/* The places of the argument, a text or a list of texts. */
static stoa_status take_names(const stoa_duckdb *duckdb, duck_object value, char ***names,
                              size_t *n, stoa_error *err)
{
    const bool is_list = duckdb->get_type_id(duckdb->get_value_type(value)) == DUCK_LIST;
    const uint64_t n_items = is_list ? duckdb->get_list_size(value) : 1;

    *n = 0;
    *names = stoa_alloc_zero((size_t)n_items, sizeof **names);
    STOA_RETURN_NO_MEMORY(err, *names);
    for (uint64_t i = 0; i < n_items; i++) {
        duck_object item = is_list ? duckdb->get_list_child(value, i) : value;
        const bool is_text = !duckdb->is_null_value(item) &&
                             duckdb->get_type_id(duckdb->get_value_type(item)) == DUCK_VARCHAR;
        (*names)[*n] = is_text ? duckdb->get_varchar(item) : NULL;
        *n += is_text;
        if (is_list) {
            duckdb->destroy_value(&item);
        }
        if (!is_text) {
            return stoa_fail(err, STOA_EINVAL,
                             "read_stoa() takes a place, as 'run.h5:/events', or a list of places");
        }
    }
    return STOA_OK;
}

static bool named_flag(const stoa_duckdb *duckdb, duck_object info, const char *name)
{
    duck_object value = duckdb->bind_get_named_parameter(info, name);
    const bool is = value != NULL && !duckdb->is_null_value(value) && duckdb->get_bool(value);

    duckdb->destroy_value(&value);
    return is;
}

/* A range of rows that the indexes leave. */
static bool add_range(void *context, uint64_t first, uint64_t count)
{
    bound *const b = context;

    b->first_row = b->n_ranges == 0 ? first : b->first_row;
    b->end_row = first + count;
    b->n_candidates += count;
    b->n_ranges++;
    return true;
}

/* Take the hint, if a query takes it, and ask the indexes where its rows are. */
static stoa_status take_hint(bound *b, duck_object info, stoa_error *err)
{
    const stoa_duckdb *const duckdb = b->sql->duckdb;
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    stoa_error ignored = STOA_ERROR_INIT;
    duck_object value = duckdb->bind_get_named_parameter(info, "hint");
    char *const text =
        value != NULL && !duckdb->is_null_value(value) ? duckdb->get_varchar(value) : NULL;
    stoa_status status = STOA_OK;

    options.where = text;
    options.row_numbers = true;
    options.use_indexes = b->place.uses_indexes;
    options.use_trusted = b->place.is_many;
    options.threads = 1;
    if (text != NULL &&
        stoa_query_open(b->first.table, &options, &b->hinted, &ignored) == STOA_OK) {
        b->hint = strdup(text);
        STOA_TRY(b->hint != NULL ? STOA_OK : stoa_fail_memory(err));
        b->end_row = b->n_candidates = 0;
        STOA_TRY(stoa_query_visit_candidates(b->hinted, add_range, b, err));
    }

done:
    duckdb->free(text);
    duckdb->destroy_value(&value);
    return status;
}

static void scan_bind(duck_object info)
{
    stoa_sql *const sql = stoa_duckdb_opened()->bind_get_extra_info(info);
    const stoa_duckdb *const duckdb = sql->duckdb;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;
    char **names = NULL;
    size_t n = 0;
    duck_object value = duckdb->bind_get_parameter(info, 0);
    bound *b = stoa_alloc_zero(1, sizeof *b);

    if (b == NULL) {
        STOA_TRY(stoa_fail_memory(&err));
    }
    b->sql = sql;
    b->place.by_name = named_flag(duckdb, info, "by_name");
    b->place.follows = sql->options.follow_external;
    b->place.kept = &sql->kept;
    if (sql->options.patience != NULL) {
        b->place.patience = *sql->options.patience;
    }
    atomic_flag_clear(&b->is_lent);
    STOA_TRY(take_names(duckdb, value, &names, &n, &err));
    STOA_TRY(open_bound(b, (const char *const *)names, n, info, &err));
    STOA_TRY(take_hint(b, info, &err));
    duckdb->bind_set_cardinality(info, b->n_candidates, b->hint == NULL);
    duckdb->bind_set_bind_data(info, b, bound_free);
    b = NULL;

done:
    for (size_t i = 0; i < n; i++) {
        duckdb->free(names[i]);
    }
    free(names);
    duckdb->destroy_value(&value);
    if (b != NULL) {
        bound_free(b);
    }
    if (status != STOA_OK) {
        fail(sql, duckdb->bind_set_error, info, &err);
    }
}

/* One run -------------------------------------------------------------------------------------- */

/* Shared by the threads. */
typedef struct run {
    const bound *b;
    size_t n_columns;
    size_t *columns; /* of the chunk; SIZE_MAX: none of the table, such as for count(*) */
    char *text;      /* those of the table, as a query has them; NULL: none */
    bool is_read;    /* by a query; else only the number of rows counts */
    uint64_t unit_rows;
    bool is_one_unit; /* one thread of DuckDB's gets all rows; Stoa's help it */
    _Atomic uint64_t next_row;
} run;

static void run_free(void *data)
{
    run *const r = data;

    free(r->columns);
    free(r->text);
    free(r);
}

/* Note a column that the statement needs. */
static stoa_status want(run *r, uint64_t index, stoa_buffer *text, stoa_error *err)
{
    const struct ArrowSchema *const columns = &r->b->columns;
    const bool is_of_table = index < (uint64_t)columns->n_children;

    r->columns[r->n_columns++] = is_of_table ? (size_t)index : SIZE_MAX;
    if (!is_of_table) {
        return STOA_OK;
    }
    const char *const name = columns->children[index]->name;
    const stoa_column *const column = stoa_table_find(r->b->first.table, name);
    r->unit_rows =
        column != NULL && column->chunk_rows > r->unit_rows ? column->chunk_rows : r->unit_rows;
    STOA_RETURN_NOT_OK(stoa_buffer_print(text, err, text->size > 0 ? ", " : ""));
    return stoa_buffer_quote(text, '"', name, strlen(name), err);
}

/* Decide which rows the threads take at a time. `unit_rows` is that of the largest chunk. */
static void set_units(run *r)
{
    const bound *const b = r->b;
    const uint64_t chunk_rows =
        r->unit_rows == 0 || r->unit_rows > UINT64_MAX - UNIT_ROWS ? UNIT_ROWS : r->unit_rows;
    uint64_t least = UNIT_ROWS;

    if (b->sql->options.explains) { /* one query tells the whole */
        r->next_row = 0;
        r->unit_rows = b->n_rows > 0 ? b->n_rows : 1;
        r->is_read = true;
        return;
    }
    r->next_row = b->first_row / chunk_rows * chunk_rows;
    if (b->n_ranges > MANY_RANGES) { /* each thread asks once */
        least = (b->end_row - r->next_row) / b->sql->options.n_threads + 1;
    }
    r->unit_rows = (least / chunk_rows + (least % chunk_rows != 0)) * chunk_rows;
}

static stoa_status open_run(run *r, duck_object info, stoa_error *err)
{
    const bound *const b = r->b;
    const stoa_duckdb *const duckdb = b->sql->duckdb;
    const uint64_t n = duckdb->init_get_column_count(info);
    stoa_status status = STOA_OK;
    stoa_buffer text = {.size = 0};

    r->columns = stoa_alloc_zero((size_t)n, sizeof *r->columns);
    STOA_RETURN_NO_MEMORY(err, r->columns);
    for (uint64_t i = 0; i < n; i++) {
        STOA_TRY(want(r, duckdb->init_get_column_index(info, i), &text, err));
    }
    if (text.size > 0) {
        STOA_TRY(stoa_buffer_detach_text(&text, &r->text, err));
    }
    r->is_read = r->text != NULL || b->hint != NULL;
    set_units(r);
    r->is_one_unit = b->end_row - r->next_row <= r->unit_rows;
    duckdb->init_set_max_threads(
        info, r->is_one_unit ? 1 : (b->end_row - r->next_row) / r->unit_rows + 1);

done:
    stoa_buffer_clear(&text);
    return status;
}

static void scan_init(duck_object info)
{
    const stoa_duckdb *const duckdb = stoa_duckdb_opened();
    const bound *const b = duckdb->init_get_bind_data(info);
    stoa_error err = STOA_ERROR_INIT;
    run *const r = stoa_alloc_zero(1, sizeof *r);

    if (r == NULL) {
        (void)!stoa_fail_memory(&err);
        fail(b->sql, duckdb->init_set_error, info, &err);
        return;
    }
    r->b = b;
    if (open_run(r, info, &err) != STOA_OK) {
        run_free(r);
        fail(b->sql, duckdb->init_set_error, info, &err);
        return;
    }
    duckdb->init_set_init_data(info, r, run_free);
}

/* One thread ----------------------------------------------------------------------------------- */

typedef struct worker {
    bound *b;
    bool is_lent; /* `handle` is that of the bound table */
    stoa_sql_handle handle;
    uint64_t first; /* rows [first, end) of the table, which are read now */
    uint64_t end;
    stoa_query *query; /* NULL: no columns are read */
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray batch;
    int64_t at; /* next row of the batch */
} worker;

/* Note what the query of all rows did. */
static stoa_status explain(worker *w, stoa_error *err)
{
    stoa_sql *const sql = w->b->sql;
    char *text = NULL;

    STOA_RETURN_NOT_OK(stoa_query_explain(w->query, &text, err));
    (void)pthread_mutex_lock(&sql->lock);
    const stoa_status status =
        stoa_buffer_print(&sql->plans, err, "%s\nfilter pushed down: %s\n%s\n", w->b->place.name,
                          w->b->hint != NULL ? w->b->hint : "none", text);
    (void)pthread_mutex_unlock(&sql->lock);
    stoa_free(text);
    return status;
}

static void end_unit(worker *w)
{
    stoa_array_release(&w->batch);
    stoa_schema_release(&w->schema);
    stoa_stream_release(&w->stream);
    stoa_query_close(w->query);
    w->query = NULL;
}

static void worker_free(void *data)
{
    worker *const w = data;

    end_unit(w);
    if (w->is_lent) {
        atomic_flag_clear(&w->b->is_lent);
    } else {
        stoa_sql_place_close(&w->b->place, &w->handle);
    }
    free(w);
}

static void scan_local_init(duck_object info)
{
    const stoa_duckdb *const duckdb = stoa_duckdb_opened();
    bound *const b = duckdb->init_get_bind_data(info);
    stoa_error err = STOA_ERROR_INIT;
    worker *const w = stoa_alloc_zero(1, sizeof *w);

    if (w == NULL) {
        (void)!stoa_fail_memory(&err);
        fail(b->sql, duckdb->init_set_error, info, &err);
        return;
    }
    w->b = b;
    duckdb->init_set_init_data(info, w, worker_free);
}

static bool goes_on(void *context, const stoa_progress *progress)
{
    const stoa_sql *const sql = context;

    (void)progress;
    return sql->options.stop == NULL || !sql->options.stop();
}

/* Open the thread's table when it reads its first rows. */
static stoa_status open_handle(worker *w, stoa_error *err)
{
    if (w->handle.table != NULL) {
        return STOA_OK;
    }
    if (!atomic_flag_test_and_set(&w->b->is_lent)) {
        w->is_lent = true;
        w->handle = w->b->first;
        return STOA_OK;
    }
    return stoa_sql_place_open(&w->b->place, &w->handle, err);
}

static stoa_status begin_unit(worker *w, run *r, stoa_error *err)
{
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;

    STOA_RETURN_NOT_OK(open_handle(w, err));
    options.columns = r->text;
    options.where = w->b->hint;
    options.row_numbers = r->text == NULL;
    options.first_row = w->first;
    options.n_rows = w->end - w->first;
    options.threads = r->is_one_unit ? w->b->sql->options.n_threads : 1;
    options.use_indexes = w->b->place.uses_indexes;
    options.use_trusted = w->b->place.is_many;
    options.listener = (stoa_listener){goes_on, w->b->sql};
    STOA_RETURN_NOT_OK(stoa_query_open_like(w->handle.table, &options,
                                            w->b->sql->options.explains ? NULL : w->b->hinted,
                                            &w->query, err));
    STOA_RETURN_NOT_OK(stoa_query_run(w->query, &w->stream, err));
    STOA_RETURN_NOT_OK(stoa_stream_cast(&w->stream, NULL, err));
    return stoa_stream_schema(&w->stream, &w->schema, err);
}

/* Take the next rows of the table that no thread has; false at the end. */
static bool take_unit(worker *w, run *r)
{
    const uint64_t end = w->b->sql->options.explains ? w->b->n_rows : w->b->end_row;
    const uint64_t first = atomic_fetch_add(&r->next_row, r->unit_rows);

    if (first >= end) {
        (void)atomic_fetch_sub(&r->next_row, r->unit_rows); /* so that it never overflows */
        return false;
    }
    w->first = first;
    w->end = r->unit_rows < end - first ? first + r->unit_rows : end;
    return true;
}

/* Make sure that there are rows to hand out; n is 0 at the end. */
static stoa_status next_rows(worker *w, run *r, int64_t *n, stoa_error *err)
{
    for (;;) {
        if (w->batch.release != NULL && w->at < w->batch.length) {
            *n = w->batch.length - w->at;
            return STOA_OK;
        }
        stoa_array_release(&w->batch);
        w->at = 0;
        if (w->query != NULL) {
            STOA_RETURN_NOT_OK(stoa_stream_next(&w->stream, &w->batch, err));
            if (w->batch.release != NULL) {
                continue;
            }
            STOA_RETURN_NOT_OK(w->b->sql->options.explains ? explain(w, err) : STOA_OK);
            end_unit(w);
        } else if (!r->is_read && w->first < w->end) { /* rows without columns */
            *n = w->end - w->first < INT64_MAX ? (int64_t)(w->end - w->first) : INT64_MAX;
            return STOA_OK;
        }
        if (!take_unit(w, r)) {
            *n = 0;
            return STOA_OK;
        }
        if (r->is_read) {
            STOA_RETURN_NOT_OK(begin_unit(w, r, err));
        }
    }
}

static stoa_status fill_chunk(worker *w, const run *r, duck_object chunk, int64_t n,
                              stoa_error *err)
{
    const stoa_duckdb *const duckdb = w->b->sql->duckdb;
    int64_t column = 0; /* of the batch */

    for (size_t i = 0; i < r->n_columns; i++) {
        if (r->columns[i] != SIZE_MAX) {
            STOA_RETURN_NOT_OK(stoa_sql_fill(duckdb, duckdb->data_chunk_get_vector(chunk, i),
                                             w->schema.children[column], w->batch.children[column],
                                             w->batch.offset + w->at, n, err));
            column++;
        }
    }
    return STOA_OK;
}

static void scan_next(duck_object info, duck_object chunk)
{
    const stoa_duckdb *const duckdb = stoa_duckdb_opened();
    run *const r = duckdb->function_get_init_data(info);
    worker *const w = duckdb->function_get_local_init_data(info);
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;
    const int64_t most = (int64_t)duckdb->vector_size();
    int64_t n = 0;

    STOA_TRY(next_rows(w, r, &n, &err));
    n = n < most ? n : most;
    if (n > 0 && r->is_read) {
        STOA_TRY(fill_chunk(w, r, chunk, n, &err));
        w->at += n;
    } else {
        w->first += (uint64_t)n;
    }
    duckdb->data_chunk_set_size(chunk, (uint64_t)n);

done:
    if (status != STOA_OK) {
        (void)stoa_at(&err, status, "%s:%s", w->b->place.name, w->b->place.path);
        fail(w->b->sql, duckdb->function_set_error, info, &err);
    }
}

/* Registration --------------------------------------------------------------------------------- */

/* A name that DuckDB knows no table of. */
static void replace(duck_object info, const char *name, void *data)
{
    const stoa_duckdb *const duckdb = ((stoa_sql *)data)->duckdb;

    if (stoa_sql_is_place(name)) {
        duck_object value = duckdb->create_varchar_length(name, strlen(name));

        duckdb->replacement_scan_set_function_name(info, "read_stoa");
        duckdb->replacement_scan_add_parameter(info, value);
        duckdb->destroy_value(&value);
    }
}

stoa_status stoa_sql_register_scan(stoa_sql *sql, stoa_error *err)
{
    const stoa_duckdb *const duckdb = sql->duckdb;
    duck_object function = duckdb->create_table_function();
    duck_object any = duckdb->create_logical_type(DUCK_ANY);
    duck_object flag = duckdb->create_logical_type(DUCK_BOOLEAN);
    duck_object text = duckdb->create_logical_type(DUCK_VARCHAR);

    duckdb->table_function_set_name(function, "read_stoa");
    duckdb->table_function_add_parameter(function, any);
    duckdb->table_function_add_named_parameter(function, "by_name", flag);
    duckdb->table_function_add_named_parameter(function, "hint", text);
    duckdb->table_function_set_extra_info(function, sql, NULL);
    duckdb->table_function_set_bind(function, scan_bind);
    duckdb->table_function_set_init(function, scan_init);
    duckdb->table_function_set_local_init(function, scan_local_init);
    duckdb->table_function_set_function(function, scan_next);
    duckdb->table_function_supports_projection_pushdown(function, true);
    const bool is_known = duckdb->register_table_function(sql->connection, function) == 0;
    duckdb->destroy_logical_type(&text);
    duckdb->destroy_logical_type(&flag);
    duckdb->destroy_logical_type(&any);
    duckdb->destroy_table_function(&function);
    if (!is_known) {
        return stoa_fail(err, STOA_EINVAL, "DuckDB does not take a table function");
    }
    duckdb->add_replacement_scan(sql->database, replace, sql, NULL);
    return STOA_OK;
}
