/* See cli/plot/plot_rows.h. */
#include "cli/plot/plot_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "cli/output/batches.h"
#include "cli/output/cell.h"
#include "column/column.h"

/* --- one pass -------------------------------------------------------------------------------- */

static stoa_query_options options_of(const cli_plot *plot)
{
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;

    options.where = plot->where;
    options.listener = plot->listener;
    options.threads = plot->n_threads;
    options.use_indexes = plot->use_indexes;
    return options;
}

typedef struct pass {
    const cli_plot *plot;
    cli_plot_visit *visit;
    void *context;
} pass;

static stoa_status open_column(const stoa_view *rows, int64_t i, cli_plot_column *column,
                               stoa_error *err)
{
    *column = (cli_plot_column){.has_labels = false};
    STOA_RETURN_NOT_OK(stoa_view_child(rows, i, &column->view, err));
    if (column->view.type.kind == STOA_KIND_DICTIONARY) {
        STOA_RETURN_NOT_OK(stoa_view_dictionary(&column->view, &column->labels, err));
        column->has_labels = true;
    }
    return STOA_OK;
}

static stoa_status visit_batch(void *context, const stoa_view *rows, stoa_error *err)
{
    const pass *const p = context;
    const int64_t n = rows->schema->n_children;
    cli_plot_column *const columns = cli_resize(NULL, (size_t)n + 1, sizeof *columns);
    cli_plot_batch batch = {.n = rows->length};
    stoa_status status = STOA_OK;
    int64_t at = 0;

    for (int64_t i = 0; i < n; i++) {
        STOA_TRY(open_column(rows, i, &columns[i], err));
    }
    batch.x = p->plot->x != NULL ? &columns[at++] : NULL;
    batch.weights = p->plot->weights != NULL ? &columns[at++] : NULL;
    batch.by = p->plot->by != NULL ? &columns[at++] : NULL;
    batch.columns = columns + at;
    batch.n_columns = (size_t)(n - at);
    status = p->visit(p->context, &batch, err);

done:
    free(columns);
    return status;
}

stoa_status cli_plot_each(stoa_table *table, const cli_plot *plot, uint64_t sample,
                          cli_plot_visit *visit, void *context, stoa_error *err)
{
    const char *const parts[] = {plot->x, plot->weights, plot->by, plot->columns};
    pass p = {plot, visit, context};
    stoa_query_options options = options_of(plot);
    char *columns = cli_copy("");

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i] != NULL) {
            cli_append(&columns, "%s%s", columns[0] != '\0' ? ", " : "", parts[i]);
        }
    }
    options.columns = columns;
    options.sample = sample;
    const stoa_status status = cli_each_batch(table, &options, visit_batch, &p, err);
    free(columns);
    return status;
}

/* --- columns --------------------------------------------------------------------------------- */

/* The schema of a list of columns, without reading them. */
static stoa_status schema_of(stoa_table *table, const cli_plot *plot, const char *columns,
                             struct ArrowSchema *schema, stoa_error *err)
{
    stoa_query_options options = options_of(plot);
    struct ArrowArrayStream stream = {.release = NULL};
    stoa_query *query = NULL;
    stoa_status status = STOA_OK;

    options.columns = columns;
    STOA_TRY(stoa_query_open(table, &options, &query, err));
    STOA_TRY(stoa_query_run(query, &stream, err));
    STOA_TRY(stoa_stream_schema(&stream, schema, err));

done:
    stoa_stream_release(&stream);
    stoa_query_close(query);
    return status;
}

static stoa_status describe(const stoa_table *table, const struct ArrowSchema *schema,
                            cli_plot_field *field, stoa_error *err)
{
    const stoa_column *const column = stoa_table_find(table, schema->name);
    const char *const units = column != NULL ? column->units : NULL;

    STOA_RETURN_NOT_OK(stoa_type_of(schema, &field->type, err));
    for (const struct ArrowSchema *at = schema; stoa_kind_is_list(field->type.kind);) {
        field->is_list = true;
        at = at->children[0];
        STOA_RETURN_NOT_OK(stoa_type_of(at, &field->type, err));
    }
    if (field->type.kind == STOA_KIND_DICTIONARY && !field->is_list) {
        STOA_RETURN_NOT_OK(stoa_type_of(schema->dictionary, &field->type, err));
    }
    field->name = cli_copy(schema->name);
    /* The units of a time say what its ticks count, which the axis shows as dates. */
    field->label = units != NULL && units[0] != '\0' && !stoa_kind_is_ticks(field->type.kind)
                       ? cli_sprintf("%s [%s]", schema->name, units)
                   : field->type.kind == STOA_KIND_DURATION ? cli_sprintf("%s [s]", schema->name)
                                                            : cli_copy(schema->name);
    return STOA_OK;
}

static stoa_status describe_one(stoa_table *table, const cli_plot *plot, const char *text,
                                cli_plot_field *field, stoa_error *err)
{
    struct ArrowSchema schema = {.release = NULL};
    stoa_status status = STOA_OK;

    if (text == NULL) {
        return STOA_OK;
    }
    STOA_TRY(schema_of(table, plot, text, &schema, err));
    if (schema.n_children != 1) {
        STOA_FAIL(err, STOA_EINVAL, "'%s' names %lld columns, where one is drawn", text,
                  (long long)schema.n_children);
    }
    STOA_TRY(describe(table, schema.children[0], field, err));

done:
    stoa_schema_release(&schema);
    return status;
}

stoa_status cli_plot_fields_of(stoa_table *table, const cli_plot *plot, cli_plot_fields *fields,
                               stoa_error *err)
{
    struct ArrowSchema schema = {.release = NULL};
    stoa_status status = STOA_OK;

    *fields = (cli_plot_fields){.n_columns = 0};
    STOA_TRY(describe_one(table, plot, plot->x, &fields->x, err));
    STOA_TRY(describe_one(table, plot, plot->weights, &fields->weights, err));
    STOA_TRY(describe_one(table, plot, plot->by, &fields->by, err));
    STOA_TRY(schema_of(table, plot, plot->columns, &schema, err));
    fields->columns = cli_resize(NULL, (size_t)schema.n_children + 1, sizeof *fields->columns);
    for (int64_t i = 0; i < schema.n_children; i++) {
        fields->columns[i] = (cli_plot_field){.is_list = false};
        fields->n_columns++;
        STOA_TRY(describe(table, schema.children[i], &fields->columns[i], err));
    }
    if (plot->weights != NULL && !cli_plot_is_number(&fields->weights.type)) {
        STOA_FAIL(err, STOA_ETYPE, "--weights %s: it holds no numbers", plot->weights);
    }
    if (plot->by != NULL && (fields->by.is_list || (!cli_plot_is_number(&fields->by.type) &&
                                                    !cli_plot_is_label(&fields->by.type)))) {
        STOA_FAIL(err, STOA_ETYPE, "--by %s: it holds no numbers, times or labels", plot->by);
    }

done:
    stoa_schema_release(&schema);
    return status;
}

static void clear_field(cli_plot_field *field)
{
    free(field->name);
    free(field->label);
}

void cli_plot_fields_clear(cli_plot_fields *fields)
{
    clear_field(&fields->x);
    clear_field(&fields->weights);
    clear_field(&fields->by);
    for (size_t i = 0; i < fields->n_columns; i++) {
        clear_field(&fields->columns[i]);
    }
    free(fields->columns);
    *fields = (cli_plot_fields){.n_columns = 0};
}

/* --- values ---------------------------------------------------------------------------------- */

bool cli_plot_is_number(const stoa_type *type)
{
    return stoa_kind_is_integer(type->kind) || stoa_kind_is_float(type->kind) ||
           stoa_kind_is_ticks(type->kind) || type->kind == STOA_KIND_BOOL;
}

bool cli_plot_is_label(const stoa_type *type)
{
    return stoa_kind_is_string(type->kind) || type->kind == STOA_KIND_BOOL;
}

/* The view that has the value of item *i, and where it is there. */
static const stoa_view *values_of(const cli_plot_column *column, int64_t *i)
{
    if (!column->has_labels) {
        return &column->view;
    }
    *i = stoa_view_i64(&column->view, *i);
    return &column->labels;
}

bool cli_plot_is_missing(const cli_plot_column *column, int64_t i)
{
    return stoa_view_is_null(&column->view, i) ||
           (column->has_labels &&
            stoa_view_is_null(&column->labels, stoa_view_i64(&column->view, i)));
}

/* A long double with a 64-bit mantissa represents every int64 and uint64 exactly. */
static long double number_of(const stoa_view *view, int64_t i)
{
    return stoa_kind_is_float(view->type.kind)   ? (long double)stoa_view_f64(view, i)
           : view->type.kind == STOA_KIND_UINT64 ? (long double)(uint64_t)stoa_view_i64(view, i)
                                                 : (long double)stoa_view_i64(view, i);
}

long double cli_plot_number(const cli_plot_column *column, int64_t i)
{
    if (cli_plot_is_missing(column, i)) {
        return NAN;
    }
    const stoa_view *const values = values_of(column, &i);
    return number_of(values, i);
}

double cli_plot_place(const stoa_type *type, long double value)
{
    return (double)(stoa_kind_is_ticks(type->kind) ? value / cli_ticks_a_second(type) : value);
}

void cli_plot_axis(cli_chart_axis *axis, const cli_plot_field *field, bool is_log)
{
    axis->label = cli_copy(field->label);
    axis->scale = stoa_kind_is_time(field->type.kind) ? CLI_SCALE_TIME
                  : is_log                            ? CLI_SCALE_LOG
                                                      : CLI_SCALE_LINEAR;
}

/* One end of a range, as a number of the type: ticks of times. */
static bool parse_end(const char *text, size_t length, const stoa_type *type, long double *value)
{
    stoa_time time;
    double number = 0;

    if (stoa_kind_is_ticks(type->kind)) {
        if (!stoa_type_parse_ticks(type, text, length, &time)) {
            return false;
        }
        *value = ((long double)time.seconds + time.nanoseconds / 1e9L) * cli_ticks_a_second(type);
        return true;
    }
    if (!stoa_parse_f64(text, length, &number) || !isfinite(number)) {
        return false;
    }
    *value = number;
    return true;
}

stoa_status cli_plot_range(const char *text, const stoa_type *type, bool is_log,
                           cli_bins_wanted *wanted, stoa_error *err)
{
    if (text == NULL) {
        return STOA_OK;
    }
    /* Times contain colons, so each of them is tried. */
    for (const char *colon = strchr(text, ':'); colon != NULL; colon = strchr(colon + 1, ':')) {
        if (parse_end(text, (size_t)(colon - text), type, &wanted->range[0]) &&
            parse_end(colon + 1, strlen(colon + 1), type, &wanted->range[1])) {
            if (wanted->range[0] >= wanted->range[1] || (is_log && wanted->range[0] <= 0)) {
                return stoa_fail(err, STOA_EINVAL, "the range '%s' is %s", text,
                                 is_log && wanted->range[0] <= 0
                                     ? "not above 0, as an axis of powers of ten needs"
                                     : "empty");
            }
            wanted->has_range = true;
            return STOA_OK;
        }
    }
    return stoa_fail(err, STOA_EINVAL, "'%s' is no range of the column's values, as %s", text,
                     stoa_kind_is_ticks(type->kind) ? "2026-01-01:2026-02-01" : "0:100");
}

stoa_status cli_plot_cut(cli_chart_axis *axis, const char *text, const stoa_type *type, bool is_log,
                         stoa_error *err)
{
    cli_bins_wanted wanted = {.n = 0};

    STOA_RETURN_NOT_OK(cli_plot_range(text, type, is_log, &wanted, err));
    if (wanted.has_range) {
        axis->range = (cli_range){true, cli_plot_place(type, wanted.range[0]),
                                  cli_plot_place(type, wanted.range[1])};
        axis->is_cut = true;
    }
    return STOA_OK;
}

/* --- groups ---------------------------------------------------------------------------------- */

static int compare_keys(const cli_plot_group *a, const cli_plot_group *b)
{
    if (a->is_missing != b->is_missing) {
        return a->is_missing ? 1 : -1;
    }
    if (a->bytes != NULL && b->bytes != NULL) {
        const size_t n = a->n_bytes < b->n_bytes ? a->n_bytes : b->n_bytes;
        const int found = memcmp(a->bytes, b->bytes, n);
        return found != 0 ? found : (a->n_bytes > b->n_bytes) - (a->n_bytes < b->n_bytes);
    }
    return (a->number > b->number) - (a->number < b->number);
}

static int compare_totals(const cli_plot_group *a, const cli_plot_group *b)
{
    return a->total != b->total ? (a->total < b->total ? 1 : -1) : compare_keys(a, b);
}

/* The value of a row as the key of a group. Bytes are borrowed. */
static void key_of(const cli_plot_column *by, int64_t i, cli_plot_group *key)
{
    *key = (cli_plot_group){.is_missing = cli_plot_is_missing(by, i)};
    if (key->is_missing) {
        return;
    }
    const stoa_view *const values = values_of(by, &i);
    if (stoa_kind_is_bytes(values->type.kind)) {
        const char *const bytes = stoa_view_bytes(values, i, &key->n_bytes);
        key->bytes = (char *)(uintptr_t)bytes; /* not written, and copied before it is kept */
    } else if (stoa_kind_is_float(values->type.kind)) {
        const double value = stoa_view_f64(values, i) + 0.0; /* -0 and 0 are one group */
        memcpy(&key->number, &value, sizeof value);
        key->number ^= key->number < 0 ? INT64_MAX : 0; /* in the order of the numbers */
        key->number = isnan(value) ? INT64_MAX : key->number;
    } else {
        key->number = stoa_view_i64(values, i);
    }
}

typedef struct gathering {
    cli_plot_groups *groups;
    size_t most;
} gathering;

static void drop_last(cli_plot_groups *groups)
{
    cli_plot_group *const last = &groups->all[--groups->n];

    groups->n_others++;
    groups->others += last->total;
    free(last->name);
    free(last->bytes);
}

static stoa_status gather(void *context, const stoa_view *rows, stoa_error *err)
{
    gathering *const g = context;
    cli_plot_groups *const groups = g->groups;
    cli_plot_column by;
    stoa_view counts;
    stoa_view totals;

    STOA_RETURN_NOT_OK(open_column(rows, 0, &by, err));
    STOA_RETURN_NOT_OK(stoa_view_child(rows, 1, &counts, err));
    STOA_RETURN_NOT_OK(stoa_view_child(rows, 2, &totals, err));
    for (int64_t i = 0; i < rows->length; i++) {
        cli_plot_group group;

        key_of(&by, i, &group);
        group.n_rows = (uint64_t)stoa_view_i64(&counts, i);
        group.total = stoa_view_is_null(&totals, i) ? 0 : (double)number_of(&totals, i);
        if (groups->n == g->most && compare_totals(&group, &groups->all[groups->n - 1]) > 0) {
            groups->n_others++;
            groups->others += group.total;
            continue;
        }
        STOA_RETURN_NOT_OK(cli_cell_text(&by.view, i, &group.name, err));
        if (group.bytes != NULL) {
            char *const bytes = cli_resize(NULL, group.n_bytes + 1, 1);
            memcpy(bytes, group.bytes, group.n_bytes);
            group.bytes = bytes;
        }
        groups->all = cli_one_more(groups->all, groups->n, sizeof *groups->all);
        size_t at = groups->n++;
        for (; at > 0 && compare_totals(&group, &groups->all[at - 1]) < 0; at--) {
            groups->all[at] = groups->all[at - 1];
        }
        groups->all[at] = group;
        if (groups->n > g->most) {
            drop_last(groups);
        }
    }
    return STOA_OK;
}

static int by_key(const void *a, const void *b)
{
    return compare_keys(a, b);
}

stoa_status cli_plot_groups_of(stoa_table *table, const cli_plot *plot, const char *by, size_t most,
                               cli_plot_groups *groups, stoa_error *err)
{
    stoa_query_options options = options_of(plot);
    gathering g = {groups, most};
    char *const sums = plot->weights != NULL ? cli_sprintf("count(), sum(%s)", plot->weights)
                                             : cli_copy("count(), count() + 0");
    bool are_numbers = true;

    *groups = (cli_plot_groups){.n = 0};
    options.by = by;
    options.aggregates = sums;
    const stoa_status status = cli_each_batch(table, &options, gather, &g, err);
    free(sums);
    if (status != STOA_OK) {
        return status;
    }
    for (size_t i = 0; i < groups->n; i++) {
        are_numbers = are_numbers && groups->all[i].bytes == NULL;
    }
    if (are_numbers && groups->n > 0) { /* which people look for in their order */
        qsort(groups->all, groups->n, sizeof *groups->all, by_key);
    }
    return STOA_OK;
}

size_t cli_plot_groups_find(const cli_plot_groups *groups, const cli_plot_column *by, int64_t i)
{
    cli_plot_group key;
    size_t at = 0;

    key_of(by, i, &key);
    while (at < groups->n && compare_keys(&key, &groups->all[at]) != 0) {
        at++;
    }
    return at;
}

void cli_plot_groups_clear(cli_plot_groups *groups)
{
    for (size_t i = 0; i < groups->n; i++) {
        free(groups->all[i].name);
        free(groups->all[i].bytes);
    }
    free(groups->all);
    *groups = (cli_plot_groups){.n = 0};
}
