/* stoa export: write a whole table as text, or a sparse array in formats of other programs. */
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "cli/common/args.h"
#include "cli/common/layouts.h"
#include "cli/common/progress.h"
#include "cli/output/store.h"
#include "cli/transfer/export_sparse.h"
#include "layout/input/arrow_labels.h"

enum { BY_NAME = -1 };

typedef struct request {
    cli_args *args;
    int format;
    const stoa_matrix_file *matrix; /* NULL: other formats */
    stoa_matrix_form form;
    const char *to;
    cli_store store;
    const char *columns;
    const char *where;
    bool no_formulas;
    bool quiet;
    cli_place *place;
    cli_place *group; /* target of a group export */
    cli_output output;
    uint64_t n;
    bool is_sparse;
} request;

static stoa_status export_table(request *r, const stoa_listener *listener, stoa_error *err)
{
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    struct ArrowArrayStream stream = {0};
    stoa_query *query = NULL;
    stoa_status status = STOA_OK;

    options.listener = *listener;
    options.where = r->where;
    options.columns = r->columns;
    if (r->columns == NULL && cli_place_columns(r->args, r->place, &options.columns) > 0) {
        r->args->status = CLI_NO;
    }
    STOA_TRY(stoa_arrow_note_row_labels(r->place->table, err));
    STOA_TRY(stoa_query_open(r->place->table, &options, &query, err));
    STOA_TRY(stoa_query_run(query, &stream, err));
    if (r->format == CLI_STORED) {
        cli_store_origin origin = {.table = r->place->table, .are_rows = true};
        cli_place_inputs(r->place, r->args, &origin.inputs);
        STOA_TRY(cli_store_write(&r->store, r->to, &stream, &origin, listener, &r->n, err));
    } else {
        STOA_TRY(cli_output_write(&r->output, &stream, (cli_format)r->format, &r->n, err));
    }
done:
    stoa_stream_release(&stream);
    stoa_query_close(query);
    return status;
}

/* The format of files of matrices is their suffix. */
static const char *name_of(const stoa_matrix_file *matrix)
{
    return matrix->suffixes[0] + 1;
}

static bool is_among(const char *const *names, size_t n, const char *name)
{
    bool is = false;

    for (size_t i = 0; i < n && !is; i++) {
        is = strcmp(names[i], name) == 0;
    }
    return is;
}

/* The formats of cli_formats, then those of export_sparse.h. */
static const char *const *formats_of(cli_args *args)
{
    cli_texts formats = {0};

    for (size_t i = 0; cli_formats[i] != NULL; i++) {
        cli_texts_add(args, &formats, cli_formats[i]);
    }
    cli_texts_add(args, &formats, "csr");
    cli_texts_add(args, &formats, "csc");
    for (size_t i = 0; cli_matrix_layout(i) != NULL; i++) {
        const char *const name = name_of(cli_matrix_layout(i)->matrix);
        if (!is_among(formats.items, formats.n, name)) {
            cli_texts_add(args, &formats, name);
        }
    }
    cli_texts_add(args, &formats, NULL);
    return formats.items;
}

/* The files of matrices that are a format, or that a file is one of; NULL if there are none. */
static const stoa_matrix_file *find_matrix(const char *format, const char *file)
{
    for (size_t i = 0; cli_matrix_layout(i) != NULL; i++) {
        const stoa_matrix_file *const matrix = cli_matrix_layout(i)->matrix;
        if (format != NULL ? strcmp(name_of(matrix), format) == 0
                           : cli_is_called_so(matrix, file)) {
            return matrix;
        }
    }
    return NULL;
}

/* Rows of a table may have the suffix of a matrix. What is at the place decides. */
static stoa_status look_at_place(request *r, stoa_error *err)
{
    if (r->matrix != NULL && r->format >= 0 && r->format < CLI_CSR) {
        bool is_one = false;
        STOA_RETURN_NOT_OK(cli_has_matrix(r->place, &is_one, err));
        r->matrix = is_one ? r->matrix : NULL;
    }
    r->is_sparse = r->matrix != NULL || (r->format != CLI_STORED && cli_is_sparse(r->place));
    return STOA_OK;
}

static stoa_status export_group(request *r, stoa_error *err)
{
    r->is_sparse = true;
    STOA_RETURN_NOT_OK(cli_place_parse(r->place, r->args->subject, err));
    STOA_RETURN_NOT_OK(cli_place_parse(r->group, r->to, err));
    const stoa_listener listener = cli_listener(r->quiet);
    const char *const codec = r->store.options.codec;
    return r->format == CLI_WHOLE
               ? cli_export_whole(r->place, r->group, codec, &listener, &r->n, err)
               : cli_export_group(r->place, r->format, r->group, codec, &listener, &r->n, err);
}

static stoa_status export_file(request *r, stoa_error *err)
{
    const stoa_listener listener = cli_listener(r->quiet);

    STOA_RETURN_NOT_OK(cli_place_parse(r->place, r->args->subject, err));
    STOA_RETURN_NOT_OK(cli_place_open_file(r->place, STOA_FILE_READ, err));
    STOA_RETURN_NOT_OK(look_at_place(r, err));
    if (r->is_sparse && (r->columns != NULL || r->where != NULL)) {
        return stoa_fail(err, STOA_EINVAL, "is no table; -c and -w are for tables");
    }
    if (!r->is_sparse) {
        STOA_RETURN_NOT_OK(cli_place_find_table(r->place, err));
    }
    if (r->format != CLI_STORED) {
        STOA_RETURN_NOT_OK(cli_output_open(&r->output, r->to, err));
        r->output.no_formulas = r->no_formulas;
        r->output.codec = r->store.options.codec;
    }
    STOA_RETURN_NOT_OK(r->is_sparse ? cli_export_sparse(r->place, r->format, r->matrix, r->form,
                                                        &r->output, &listener, &r->n, err)
                                    : export_table(r, &listener, err));
    if (r->format != CLI_STORED) {
        STOA_RETURN_NOT_OK(cli_output_finish(&r->output, err));
    }
    return STOA_OK;
}

static stoa_status run(request *r, stoa_error *err)
{
    const bool is_group = r->matrix == NULL &&
                          (r->format == CLI_CSR || r->format == CLI_CSC || r->format == CLI_WHOLE);

    if (!is_group && !cli_codec_accepted(r->args, r->store.options.codec, r->format)) {
        return STOA_OK;
    }
    if (is_group && (r->columns != NULL || r->where != NULL)) {
        return cli_misused(r->args, "-c and -w are for tables, not for -f csr and csc");
    }
    if (!cli_store_accepted(r->args, &r->store, r->to, r->format == CLI_STORED) ||
        !cli_formulas_accepted(r->args, r->no_formulas, r->format)) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(is_group ? export_group(r, err) : export_file(r, err));
    cli_progress_clear();
    if (strcmp(r->to, "-") != 0) {
        cli_remark("%s: %llu %s exported from %s", r->to, (unsigned long long)r->n,
                   r->is_sparse ? cli_plural(r->n, "entry", "entries")
                                : cli_plural(r->n, "row", "rows"),
                   r->place->name);
    }
    return STOA_OK;
}

/* Find the format of OUTPUT. False if nothing says it. */
static bool choose_format(request *r, const char *const *formats)
{
    const stoa_matrix_file *const by_name = find_matrix(NULL, r->to);
    const bool is_form = r->format == CLI_CSR || r->format == CLI_CSC;

    if (r->format >= 0) {
        r->matrix = !is_form                                ? find_matrix(formats[r->format], NULL)
                    : by_name != NULL && by_name->has_forms ? by_name
                                                            : NULL;
        r->form = r->format == CLI_CSR   ? STOA_MATRIX_CSR
                  : r->format == CLI_CSC ? STOA_MATRIX_CSC
                                         : STOA_MATRIX_COO;
        return true;
    }
    if (cli_store_is_meant(&r->store, r->to) || cli_whole_layout(r->to) != NULL) {
        r->format = cli_store_is_meant(&r->store, r->to) ? CLI_STORED : CLI_WHOLE;
        return true;
    }
    const cli_format format = strcmp(r->to, "-") == 0 ? CLI_FORMAT_BY_NAME : cli_format_of(r->to);
    r->matrix = by_name;
    r->format = format != CLI_FORMAT_BY_NAME ? (int)format : BY_NAME;
    return r->matrix != NULL || r->format != BY_NAME;
}

static const char *help_of(cli_args *args, const char *const *formats)
{
    size_t n = CLI_CSR;

    while (formats[n] != NULL) {
        n++;
    }
    char *const all = cli_join(formats, CLI_CSR, ", ");
    char *const others = cli_join(formats + CLI_CSR, n - CLI_CSR, ", ");
    char *const help =
        cli_sprintf("%s; of a matrix also %s, where csr and csc may be an OUTPUT.npz; "
                    "by default what OUTPUT's suffix says",
                    all, others);
    free(all);
    free(others);
    return cli_keep(args, help);
}

static stoa_status export(cli_args *args, stoa_error *err)
{
    request r = {.args = args,
                 .format = BY_NAME,
                 .place = cli_place_new(args),
                 .group = cli_place_new(args)};
    const char *const *const formats = formats_of(args);

    cli_choice(args, &r.format, formats, "-f, --format FORMAT", help_of(args, formats));
    cli_text(args, &r.columns, "-c, --columns A,B", "only these columns, in this order");
    cli_text(args, &r.where, "-w, --where EXPR", "only rows for which EXPR is true");
    cli_store_options(args, &r.store);
    cli_text(args, &r.store.options.codec, "--codec NAME",
             "how a table is packed, or a Parquet file, or the datasets of csr and csc, which are "
             "not by default");
    cli_widen_option(args, &r.place->widens);
    cli_files_options(args, &r.place->by_name, &r.place->is_strict);
    cli_formulas_option(args, &r.no_formulas);
    cli_follow_option(args, &r.place->follows);
    cli_progress_option(args, &r.quiet);
    cli_operand(args, &args->subject, "PLACE", CLI_PLACE_HELP);
    cli_operand(
        args, &r.to, "OUTPUT",
        "a file, which appears when it is whole; - for stdout; FILE.h5:/PATH makes a table; of "
        "csr and csc FILE:PATH; FILE.h5ad, a new file, takes a matrix");
    if (!cli_accepted(args)) {
        return STOA_OK;
    }
    if (!choose_format(&r, formats)) {
        return cli_output_misnamed(args, r.to);
    }
    const stoa_status status = run(&r, err);
    cli_output_discard(&r.output);
    return status;
}

const cli_command cmd_export = {"export",
                                "write a table as CSV, JSON, Arrow or Parquet, a matrix as .mtx",
                                "stoa export run.h5:/events events.csv", export};
