/* stoa query: query a table. Expressions are passed to src/query. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "cli/common/args.h"
#include "cli/common/place.h"
#include "cli/common/progress.h"
#include "cli/output/answer.h"
#include "cli/plot/histogram.h"
#include "layout/input/arrow_labels.h"

typedef struct request {
    stoa_query_options options;
    uint64_t limit;
    uint64_t n_threads; /* 0: one per processor */
    const char *memory;
    const char *histogram;
    const char *rows_of;
    cli_answer answer;
    uint64_t sample; /* UINT64_MAX: all rows */
    bool explain;
    bool trust;
    stoa_trust found; /* the trust that is recorded for the table */
    bool no_index;
    bool quiet;
} request;

static void declare(cli_args *args, request *r, cli_texts *places)
{
    cli_text(args, &r->options.where, "-w, --where EXPR", "only rows for which EXPR is true");
    cli_text(args, &r->options.columns, "-c, --columns A,B", "these columns, in this order");
    cli_text(args, &r->options.aggregates, "-a, --aggregate LIST",
             "aggregates, as \"count(), mean(energy), quantile(energy, 0.9)\"");
    cli_text(args, &r->options.by, "--by A,B", "one row of aggregates for each group");
    cli_text(args, &r->options.having, "--having EXPR",
             "only groups for which EXPR is true, as \"count() > 5\"");
    cli_flag(args, &r->options.distinct, "--distinct", "each row of the columns once");
    cli_text(args, &r->options.sort, "--sort A[:desc],B", "order by columns or expressions");
    cli_number(args, &r->limit, "-n, --limit N",
               "at most N rows; on a terminal, a table has 50 if you do not say how many");
    cli_number(args, &r->options.offset, "--offset N", "without the first N rows of the result");
    cli_number(args, &r->sample, "--sample N",
               "N of the rows that pass, chosen at random; all else is done with these");
    cli_number(args, &r->options.seed, "--seed N", "another sample for each N; by default 0");
    cli_flag(args, &r->options.row_numbers, "--rows", "only the row numbers");
    cli_text(args, &r->rows_of, "--rows-of PLACE:COLUMN",
             "only the rows whose numbers (from 0) that column lists, in its order");
    cli_text(args, &r->histogram, "--histogram COL[:BINS]",
             "a histogram of a column, or bars for its most frequent labels");
    cli_answer_options(args, &r->answer);
    cli_flag(args, &r->explain, "--explain",
             "run the query and show, instead of rows, the plan and what it skipped");
    cli_flag(args, &r->trust, "--trust", "use the file's indexes without having verified them");
    cli_flag(args, &r->no_index, "--no-index", "use no index");
    cli_number(args, &r->n_threads, "--threads N", "threads at most; by default one a processor");
    cli_text(args, &r->memory, "--memory SIZE",
             "bytes a sort may use, as 512M or 2G, before it goes to $TMPDIR (256M)");
    cli_progress_option(args, &r->quiet);
    cli_operands(args, places, "PLACE...", CLI_PLACE_HELP);
}

/* Reject options that contradict each other. */
static bool is_sensible(cli_args *args, request *r)
{
    const stoa_query_options *const o = &r->options;

    if (o->aggregates != NULL && o->columns != NULL) {
        cli_misused(args, "-a and -c exclude each other; name groups with --by");
    } else if (o->by != NULL && o->aggregates == NULL) {
        cli_misused(args, "--by needs aggregates: -a \"count()\"");
    } else if (o->having != NULL && o->aggregates == NULL) {
        cli_misused(args, "--having needs aggregates: -a \"count()\"");
    } else if (o->distinct && (o->aggregates != NULL || o->row_numbers)) {
        cli_misused(args, "--distinct goes with neither -a nor --rows");
    } else if (o->row_numbers && (o->aggregates != NULL || o->columns != NULL)) {
        cli_misused(args, "--rows goes with neither -a nor -c");
    } else if (r->sample == 0) {
        cli_misused(args, "--sample takes a number of rows, 1 or more");
    } else if (o->seed != 0 && r->sample == UINT64_MAX) {
        cli_misused(args, "--seed goes with --sample");
    } else if (r->trust && r->no_index) {
        cli_misused(args, "--trust and --no-index exclude each other");
    } else if (r->histogram != NULL &&
               (o->aggregates != NULL || o->columns != NULL || o->sort != NULL || o->row_numbers ||
                o->distinct || o->offset > 0 || r->sample != UINT64_MAX || r->limit != UINT64_MAX ||
                r->explain || r->answer.format != CLI_FORMAT_BY_NAME)) {
        cli_misused(args, "--histogram goes with -w and -o only");
    } else if (r->limit != UINT64_MAX && r->limit > INT64_MAX) {
        cli_misused(args, "-n %llu is too large", (unsigned long long)r->limit);
    } else {
        return true;
    }
    return false;
}

static stoa_status explain(const stoa_query *query, FILE *out, stoa_error *err)
{
    char *text = NULL;
    const stoa_status status = stoa_query_explain(query, &text, err);

    if (status == STOA_OK) {
        const size_t length = strlen(text);

        fputs(text, out);
        fputs(length > 0 && text[length - 1] == '\n' ? "" : "\n", out);
    }
    stoa_free(text);
    return status;
}

/* Read a stream to its end and ignore the rows. */
static stoa_status drain(struct ArrowArrayStream *stream, stoa_error *err)
{
    stoa_status status = STOA_OK;
    bool at_end = false;

    while (status == STOA_OK && !at_end) {
        struct ArrowArray batch = {0};

        status = stoa_stream_next(stream, &batch, err);
        at_end = batch.release == NULL;
        stoa_array_release(&batch);
    }
    return status;
}

static stoa_status answer(request *r, stoa_table *from, stoa_query *query, uint64_t *n_rows,
                          stoa_error *err)
{
    struct ArrowArrayStream stream = {0};
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_query_run(query, &stream, err));
    if (r->explain) {
        STOA_TRY(drain(&stream, err));
        cli_progress_clear();
        STOA_TRY(explain(query, r->answer.to.file, err));
    } else {
        r->answer.origin.table = from;
        r->answer.origin.are_rows = r->options.aggregates == NULL && !r->options.row_numbers;
        STOA_TRY(cli_answer_write(&r->answer, &stream, &r->options.listener, n_rows, err));
    }
    cli_progress_clear();
done:
    stoa_stream_release(&stream);
    return status;
}

/* Restrict the place's table to the rows that a column of another table lists. */
static stoa_status select_rows(cli_args *args, request *r, cli_place *place, stoa_error *err)
{
    const char *const colon = strrchr(r->rows_of, ':');
    char *text = NULL;
    cli_place other = {0};
    stoa_status status = STOA_OK;

    if (colon == NULL || colon[1] == '/' || colon[1] == '\0') {
        STOA_FAIL(err, STOA_EINVAL,
                  "names no column of row numbers; --rows-of takes "
                  "FILE[:PATH]:COLUMN");
    }
    text = cli_sprintf("%.*s", (int)(colon - r->rows_of), r->rows_of);
    other.follows = place->follows;
    STOA_TRY(cli_place_open_table(&other, text, STOA_FILE_READ, err));
    cli_texts_add(args, &r->answer.origin.inputs, cli_kept(args, other.place.file));
    stoa_column *const list = stoa_table_find(other.table, colon + 1);
    if (list == NULL) {
        STOA_FAIL(err, STOA_ENOTFOUND, "has no column '%s'", colon + 1);
    }
    place->from = place->table;
    STOA_TRY(stoa_layout_select_rows(place->from, list, stoa_table_n_rows(other.table),
                                     &place->table, err));
done:
    cli_place_close(&other);
    free(text);
    return stoa_at(err, status, "%s", r->rows_of);
}

static bool shows_first_rows(const request *r)
{
    return r->options.limit < 0 && !r->explain && r->options.aggregates == NULL &&
           r->options.by == NULL && cli_answer_is_shown(&r->answer);
}

/* Count the rows that the whole query would give. */
static stoa_status count_rows(const request *r, cli_place *place, uint64_t *n, stoa_error *err)
{
    stoa_query_options options = r->options;
    struct ArrowArrayStream stream = {0};
    struct ArrowArray batch = {0};
    stoa_query *query = NULL;
    stoa_status status = STOA_OK;

    *n = stoa_table_n_rows(place->table);
    if (options.where == NULL && options.sample == 0) {
        return STOA_OK;
    }
    options.columns = NULL;
    options.sort = NULL;
    options.row_numbers = false;
    options.limit = -1;
    options.aggregates = "count()";
    STOA_TRY(stoa_query_open(place->table, &options, &query, err));
    STOA_TRY(stoa_query_run(query, &stream, err));
    STOA_TRY(stoa_stream_next(&stream, &batch, err));
    *n = (uint64_t)((const int64_t *)batch.children[0]->buffers[1])[batch.children[0]->offset];
    cli_progress_clear();

done:
    stoa_array_release(&batch);
    stoa_stream_release(&stream);
    stoa_query_close(query);
    return status;
}

static stoa_status tell_rest(const request *r, cli_place *place, stoa_error *err)
{
    uint64_t n = 0;

    STOA_RETURN_NOT_OK(count_rows(r, place, &n, err));
    if (n > CLI_FIRST_ROWS) {
        cli_remark("the first %d of %llu rows; -n %llu shows all, -o FILE writes them",
                   CLI_FIRST_ROWS, (unsigned long long)n, (unsigned long long)n);
    }
    return STOA_OK;
}

static stoa_status ask(request *r, cli_place *place, stoa_error *err)
{
    const bool is_cut = shows_first_rows(r);
    uint64_t n_rows = 0;
    stoa_query *query = NULL;
    stoa_status status = STOA_OK;

    r->options.limit = is_cut ? CLI_FIRST_ROWS : r->options.limit;

    STOA_TRY(stoa_arrow_note_row_labels(place->table, err));
    STOA_TRY(stoa_query_open(place->table, &r->options, &query, err));
    if (!r->no_index && stoa_query_hint(query)[0] != '\0' &&
        !cli_place_tell_trust(place, r->found)) {
        cli_remark("%s: %s", place->name, stoa_query_hint(query));
    }
    STOA_TRY(answer(r, place->table, query, &n_rows, err));
    STOA_TRY(is_cut && n_rows == CLI_FIRST_ROWS ? tell_rest(r, place, err) : STOA_OK);
done:
    stoa_query_close(query);
    return status;
}

static stoa_status run(cli_args *args, request *r, const cli_texts *places, cli_place *place,
                       stoa_error *err)
{
    STOA_RETURN_NOT_OK(cli_place_parse_all(args, place, places, err));
    STOA_RETURN_NOT_OK(cli_place_open_file(place, STOA_FILE_READ, err));
    STOA_RETURN_NOT_OK(cli_place_find_table(place, err));
    if (r->rows_of != NULL) {
        STOA_RETURN_NOT_OK(select_rows(args, r, place, err));
    }
    const bool is_many = cli_place_is_many(place);
    if (r->rows_of == NULL && !r->no_index && !r->trust && !is_many) {
        r->found = cli_place_trust(place);
    }
    r->options.use_trusted = r->rows_of == NULL && !r->no_index && is_many;
    r->options.use_indexes =
        r->rows_of == NULL && !r->no_index && (r->trust || r->found == STOA_TRUST_HOLDS);
    cli_place_inputs(place, args, &r->answer.origin.inputs);
    const stoa_query_options *const o = &r->options;
    if (o->columns == NULL && o->aggregates == NULL && !o->row_numbers && r->histogram == NULL &&
        cli_place_columns(args, place, &r->options.columns) > 0) {
        args->status = CLI_NO;
    }
    STOA_RETURN_NOT_OK(cli_answer_open(&r->answer, err));
    STOA_RETURN_NOT_OK(r->histogram != NULL ? cli_histogram(args, place->table, r->histogram,
                                                            &r->options, r->answer.to.file, err)
                                            : ask(r, place, err));
    return cli_answer_finish(&r->answer, err);
}

static stoa_status query(cli_args *args, stoa_error *err)
{
    request r = {.options = STOA_QUERY_OPTIONS_INIT,
                 .limit = UINT64_MAX,
                 .sample = UINT64_MAX,
                 .answer = {.format = CLI_FORMAT_BY_NAME}};
    cli_texts places = {0};
    cli_place *const place = cli_place_new(args);

    declare(args, &r, &places);
    cli_widen_option(args, &place->widens);
    cli_files_options(args, &place->by_name, &place->is_strict);
    cli_follow_option(args, &place->follows);
    if (!cli_accepted(args) || !is_sensible(args, &r) ||
        !cli_accepted_memory(args, r.memory, &r.options.memory) ||
        !cli_answer_accepted(args, &r.answer, r.histogram != NULL || r.explain)) {
        return STOA_OK;
    }
    r.options.limit = r.limit == UINT64_MAX ? -1 : (int64_t)r.limit;
    r.options.sample = r.sample != UINT64_MAX ? r.sample : 0;
    r.options.threads = r.n_threads < UINT_MAX ? (unsigned)r.n_threads : UINT_MAX;
    r.answer.n_threads = r.options.threads;
    r.options.listener = cli_listener(r.quiet);
    args->subject = places.items[0];
    const stoa_status status = run(args, &r, &places, place, err);
    cli_answer_discard(&r.answer);
    return status;
}

const cli_command cmd_query = {
    "query", "ask a table: filter, columns, aggregates by groups, sort, limit",
    "stoa query run.h5:/events -w \"energy > 5 and label = 'muon'\" --sort energy:desc -n 10",
    query};
