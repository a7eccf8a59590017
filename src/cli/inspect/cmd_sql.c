/* stoa sql: SQL by DuckDB over places as tables. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arrow/cast/normalize.h"
#include "cli/common/heap.h"
#include "cli/common/interrupt.h"
#include "cli/common/pager.h"
#include "cli/common/progress.h"
#include "cli/common/terminal.h"
#include "cli/edit/sql_target.h"
#include "cli/inspect/sql_shell.h"
#include "cli/output/answer.h"
#include "sql/decimals.h"
#include "sql/session.h"
#include "sql/split.h"

typedef struct request {
    cli_args *args;
    const char *statement; /* NULL: those of stdin */
    cli_answer answer;
    uint64_t limit; /* of rows; UINT64_MAX: none is given */
    uint64_t n_threads;
    bool follows;
    bool explain;
    bool quiet;
    stoa_sql sql;
} request;

/* Rows ----------------------------------------------------------------------------------------- */

/* The first rows of a stream. */
typedef struct first_rows {
    struct ArrowArrayStream *from; /* borrowed */
    uint64_t left;
    bool is_cut; /* there were more */
} first_rows;

static stoa_status first_schema(void *self, struct ArrowSchema *out, stoa_error *err)
{
    return stoa_stream_schema(((first_rows *)self)->from, out, err);
}

static stoa_status first_next(void *self, struct ArrowArray *out, stoa_error *err)
{
    first_rows *const f = self;

    STOA_RETURN_NOT_OK(stoa_stream_next(f->from, out, err));
    if (out->release == NULL) {
        return STOA_OK;
    }
    f->is_cut = (uint64_t)out->length > f->left;
    out->length = f->is_cut ? (int64_t)f->left : out->length; /* a shorter struct of its columns */
    f->left -= (uint64_t)out->length;
    if (out->length == 0) {
        stoa_array_release(out);
    }
    return STOA_OK;
}

static const stoa_producer first_producer = {first_schema, first_next, NULL};

static stoa_status write_rows(request *r, struct ArrowArrayStream *rows, stoa_error *err)
{
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArrayStream normal = {.release = NULL};
    const bool is_shown = r->limit == UINT64_MAX && cli_answer_is_shown(&r->answer);
    const stoa_listener listener = cli_listener(true);
    first_rows first = {NULL, is_shown ? CLI_FIRST_ROWS : r->limit, false};
    struct ArrowArrayStream stream = {.release = NULL};
    stoa_status status = STOA_OK;
    uint64_t n_rows = 0;

    for (size_t i = 0; i < r->sql.files.n; i++) {
        cli_texts_add(r->args, &r->answer.origin.inputs, cli_kept(r->args, r->sql.files.names[i]));
    }
    if (r->answer.format != CLI_PARQUET) { /* which has more types */
        STOA_TRY(stoa_sql_round_decimals(rows, err));
        STOA_TRY(stoa_stream_make_normal(&rows, false, &normal, &schema, err));
    }
    first.from = rows;
    STOA_TRY(stoa_stream_make(&stream, &first_producer, &first, err));
    STOA_TRY(cli_answer_write(&r->answer, &stream, &listener, &n_rows, err));
    if (is_shown && first.is_cut) {
        cli_remark("the first %d rows; -n N shows more, -o FILE writes all", CLI_FIRST_ROWS);
    }

done:
    stoa_stream_release(&stream);
    stoa_stream_release(&normal);
    stoa_schema_release(&schema);
    return status;
}

/* Read a stream to its end. */
static stoa_status drain(struct ArrowArrayStream *stream, stoa_error *err)
{
    struct ArrowArray batch = {.release = NULL};
    stoa_status status = STOA_OK;
    bool is_at_end = false;

    while (status == STOA_OK && !is_at_end) {
        status = stoa_stream_next(stream, &batch, err);
        is_at_end = batch.release == NULL;
        stoa_array_release(&batch);
    }
    return status;
}

/* Statements ----------------------------------------------------------------------------------- */

static stoa_status run_statement(request *r, const char *statement, bool is_answer, stoa_error *err)
{
    struct ArrowArrayStream stream = {.release = NULL};
    struct ArrowSchema schema = {.release = NULL};
    const stoa_listener listener = cli_listener(true);
    stoa_status status = STOA_OK;
    bool is_run = false;

    STOA_TRY(cli_sql_write_place(r->args, &r->sql, statement, &listener, &is_run, err));
    if (is_run) {
        goto done;
    }
    STOA_TRY(stoa_sql_run(&r->sql, statement, &stream, err));
    STOA_TRY(stoa_stream_schema(&stream, &schema, err));
    STOA_TRY(is_answer && schema.n_children > 0 && !r->explain ? write_rows(r, &stream, err)
                                                               : drain(&stream, err));

done:
    stoa_schema_release(&schema);
    stoa_stream_release(&stream);
    return status;
}

/* Run statements one after the other. Only tables show every answer; a file gets the last one. */
static stoa_status run_all(request *r, const char *text, stoa_error *err)
{
    const bool shows_all = r->answer.format == CLI_TABLE && r->answer.output == NULL;
    stoa_status status = STOA_OK;

    while (status == STOA_OK && !stoa_sql_is_blank(text)) {
        const size_t first = stoa_sql_first(text);
        const size_t length = first > 0 ? first : strlen(text);
        char *const statement = cli_sprintf("%.*s", (int)length, text);
        const bool is_last = stoa_sql_is_blank(text + length);

        if (!stoa_sql_is_blank(statement)) {
            status = run_statement(r, statement, shows_all || is_last, err);
        }
        free(statement);
        text += length;
    }
    return status;
}

/* A statement of the shell; what is wrong does not end it. */
static void run_typed(void *context, const char *text)
{
    request *const r = context;
    stoa_error err = STOA_ERROR_INIT;

    if (run_all(r, text, &err) != STOA_OK) {
        (void)cli_fail(NULL, &err);
    }
    stoa_sql_forget(&r->sql);
    (void)fflush(stdout);
    cli_interrupt_forget();
}

static stoa_status read_stdin(char **text, stoa_error *err)
{
    stoa_buffer all = {.size = 0};
    char block[65536];
    stoa_status status = STOA_OK;
    size_t n = 0;

    while ((n = fread(block, 1, sizeof block, stdin)) > 0) {
        STOA_TRY(stoa_buffer_append(&all, block, n, err));
    }
    if (ferror(stdin)) {
        STOA_FAIL(err, STOA_EIO, "stdin cannot be read");
    }
    if (all.size > INT_MAX || memchr(all.data, '\0', all.size) != NULL) {
        STOA_FAIL(err, STOA_ESYNTAX, "stdin holds no text of SQL");
    }
    STOA_TRY(stoa_buffer_detach_text(&all, text, err));

done:
    stoa_buffer_clear(&all);
    return status;
}

static bool is_stopped(void)
{
    return cli_interrupted() != 0;
}

static void tell(const char *remark)
{
    cli_remark("%s", remark);
}

static stoa_status run(request *r, stoa_error *err)
{
    const stoa_sql_options options = {
        .n_threads = r->n_threads < UINT_MAX ? (unsigned)r->n_threads : UINT_MAX,
        .follow_external = r->follows,
        .patience = cli_patience(),
        .stop = is_stopped,
        .explains = r->explain,
        .tell = tell,
    };
    const bool reads = r->statement == NULL || strcmp(r->statement, "-") == 0;
    char *text = NULL;
    stoa_status status = STOA_OK;

    r->answer.n_threads = options.n_threads;
    STOA_TRY(stoa_sql_open(&r->sql, &options, err));
    cli_heap_settle();
    (void)cli_listener(r->quiet); /* signals are caught from here on */
    if (r->statement == NULL && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) &&
        r->answer.output == NULL) {
        cli_pager_release();
        STOA_TRY(cli_answer_open(&r->answer, err));
        cli_sql_shell(run_typed, r);
        STOA_TRY(cli_answer_finish(&r->answer, err));
        goto done;
    }
    if (reads) {
        STOA_TRY(read_stdin(&text, err));
    }
    STOA_TRY(cli_answer_open(&r->answer, err));
    STOA_TRY(run_all(r, reads ? text : r->statement, err));
    if (r->explain && r->sql.plans.size > 0) {
        fputs((const char *)r->sql.plans.data, r->answer.to.file);
    }
    STOA_TRY(cli_answer_finish(&r->answer, err));

done:
    stoa_sql_close(&r->sql);
    free(text);
    return status;
}

static stoa_status sql(cli_args *args, stoa_error *err)
{
    request r = {.args = args, .limit = UINT64_MAX, .answer = {.format = CLI_FORMAT_BY_NAME}};

    cli_number(args, &r.limit, "-n, --limit N",
               "at most N rows; on a terminal, a table has 50 if you do not say how many");
    cli_answer_options(args, &r.answer);
    cli_flag(args, &r.explain, "--explain",
             "run the statements and show, instead of rows, how each table was read and what was "
             "skipped");
    cli_number(args, &r.n_threads, "--threads N", "threads at most; by default one a processor");
    cli_follow_option(args, &r.follows);
    cli_progress_option(args, &r.quiet);
    cli_operand(args, &r.statement, "[SQL]",
                "statements of DuckDB, in which 'FILE[:PATH]' in quotes is a table; - reads them "
                "from stdin; without it, a shell on a terminal");
    if (!cli_accepted(args) || !cli_answer_accepted(args, &r.answer, r.explain)) {
        return STOA_OK;
    }
    const stoa_status status = run(&r, err);
    cli_answer_discard(&r.answer);
    return status;
}

const cli_command cmd_sql = {
    "sql", "SQL over tables of any files: joins, windows and the rest, by DuckDB",
    "stoa sql \"select det, avg(energy * gain) from 'run.h5:/events' join 'cal.h5:/gains' using "
    "(det) group by det\"",
    sql};
