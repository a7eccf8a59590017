/* Counts the values of a histogram. bars.c draws it. */
#include "cli/plot/histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "cli/common/progress.h"
#include "cli/output/batches.h"
#include "cli/output/cell.h"
#include "cli/plot/bars.h"
#include "cli/plot/histogram_bins.h"
#include "cli/plot/spread.h"
#include "table/open/table.h"

enum { DEFAULT_BARS = 20, MAX_BINS = 1000 };

/* Numbers and times -------------------------------------------------------------------------- */

typedef struct numbers {
    cli_spread spread;
    cli_range range; /* of the bins */
    cli_bins bins;
    uint64_t *counts;
    uint64_t n_below; /* far values, which have no bin */
    uint64_t n_above;
} numbers;

/* A long double with a 64-bit mantissa represents every int64 and uint64 exactly. */
static long double value_of(const stoa_view *view, int64_t i)
{
    if (stoa_kind_is_float(view->type.kind)) {
        return stoa_view_f64(view, i);
    }
    if (view->type.kind == STOA_KIND_UINT64) {
        return (long double)(uint64_t)stoa_view_i64(view, i);
    }
    return (long double)stoa_view_i64(view, i);
}

static stoa_status find_range(void *context, const stoa_view *rows, stoa_error *err)
{
    numbers *const n = context;
    stoa_view column;

    STOA_RETURN_NOT_OK(stoa_view_child(rows, 0, &column, err));
    for (int64_t i = 0; i < rows->length; i++) {
        if (stoa_view_is_null(&column, i)) {
            n->spread.n_missing++;
        } else {
            cli_spread_add(&n->spread, value_of(&column, i));
        }
    }
    return STOA_OK;
}

static void count_value(numbers *n, long double value)
{
    const cli_bins *const bins = &n->bins;
    const long double end = bins->first + bins->step * (long double)bins->n;

    if (n->range.least > n->spread.range.least && value < bins->first) {
        n->n_below++;
    } else if (n->range.greatest < n->spread.range.greatest && value >= end) {
        n->n_above++;
    } else {
        n->counts[cli_bins_find(bins, value)]++;
    }
}

static stoa_status count_values(void *context, const stoa_view *rows, stoa_error *err)
{
    numbers *const n = context;
    stoa_view column;

    STOA_RETURN_NOT_OK(stoa_view_child(rows, 0, &column, err));
    for (int64_t i = 0; i < rows->length; i++) {
        if (!stoa_view_is_null(&column, i)) {
            const long double value = value_of(&column, i);

            /* A double represents every value at least approximately. Emulations of long double in
             * the range of double (valgrind) make LDBL_MAX infinite. */
            if (isfinite((double)value)) {
                count_value(n, value);
            }
        }
    }
    return STOA_OK;
}

static void note(FILE *out, uint64_t n, const char *what)
{
    if (n > 0) {
        fprintf(out, "%llu %s %s\n", (unsigned long long)n, cli_plural(n, "row", "rows"), what);
    }
}

/* Say how many values lie beyond the bins, and how far they go. */
static void note_far(FILE *out, const numbers *n, uint64_t n_far, bool is_above)
{
    const stoa_type *const type = &n->bins.type;
    const long double value = is_above ? n->spread.range.greatest : n->spread.range.least;
    char end[STOA_NUMBER_SIZE];

    if (stoa_kind_is_ticks(type->kind)) {
        (void)stoa_type_format_ticks(type, (int64_t)value, end);
    } else {
        (void)snprintf(end, sizeof end, "%.10Lg", value);
    }
    char *const what =
        cli_sprintf("%s, %s to %s", is_above ? "above" : "below", is_above ? "up" : "down", end);
    note(out, n_far, what);
    free(what);
}

static stoa_status draw_numbers(stoa_table *table, const stoa_query_options *options,
                                const char *name, const stoa_type *type, uint64_t n_bins, FILE *out,
                                stoa_error *err)
{
    numbers n = {.counts = NULL};
    cli_bars bars = {0};
    char *title = NULL;
    stoa_status status = STOA_OK;

    STOA_TRY(cli_each_batch(table, options, find_range, &n, err));
    n.range = n.spread.range;
    if (n_bins == 0 && n.spread.n > 0) {
        cli_spread_usual_range(&n.spread, &n.range);
        if (!stoa_kind_is_float(type->kind)) { /* between whole numbers */
            n.range.least = ceill(n.range.least);
            n.range.greatest = floorl(n.range.greatest);
        }
    }
    cli_bins_choose(&n.bins, &n.range, type, n_bins);
    n.counts = cli_resize(NULL, n.bins.n, sizeof *n.counts);
    memset(n.counts, 0, n.bins.n * sizeof *n.counts);
    STOA_TRY(cli_each_batch(table, options, count_values, &n, err));
    cli_progress_clear();
    for (size_t i = 0; i < n.bins.n; i++) {
        cli_bars_add(&bars, cli_bins_label(&n.bins, i), n.counts[i]);
    }
    title = cli_sprintf("%s%s", name, cli_bins_are_named_by_start(&n.bins) ? " from" : "");
    cli_bars_draw(&bars, title, true, out);
    note_far(out, &n, n.n_below, false);
    note_far(out, &n, n.n_above, true);
    note(out, n.spread.n_missing, "missing");
    note(out, n.spread.n_odd, "NaN or infinite");
done:
    cli_spread_clear(&n.spread);
    cli_bars_clear(&bars);
    free(title);
    free(n.counts);
    return status;
}

/* Labels ------------------------------------------------------------------------------------- */

static stoa_status add_groups(void *context, const stoa_view *rows, stoa_error *err)
{
    cli_bars *const bars = context;
    stoa_view labels;
    stoa_view counts;

    STOA_RETURN_NOT_OK(stoa_view_child(rows, 0, &labels, err));
    STOA_RETURN_NOT_OK(stoa_view_child(rows, 1, &counts, err));
    for (int64_t i = 0; i < rows->length; i++) {
        char *label = NULL;
        STOA_RETURN_NOT_OK(cli_cell_text(&labels, i, &label, err));
        cli_bars_add(bars, label, (uint64_t)stoa_view_i64(&counts, i));
    }
    return STOA_OK;
}

static int by_count(const void *a, const void *b)
{
    const cli_bar *const x = a;
    const cli_bar *const y = b;

    return x->count != y->count ? (x->count < y->count ? 1 : -1) : strcmp(x->label, y->label);
}

static stoa_status draw_labels(stoa_table *table, stoa_query_options options, const char *name,
                               uint64_t n_bars, FILE *out, stoa_error *err)
{
    cli_bars bars = {0};
    stoa_status status = STOA_OK;
    uint64_t n_others = 0;
    size_t n;

    options.by = options.columns;
    options.columns = NULL;
    options.aggregates = "count()";
    STOA_TRY(cli_each_batch(table, &options, add_groups, &bars, err));
    cli_progress_clear();
    qsort(bars.items, bars.n, sizeof *bars.items, by_count);
    n = bars.n;
    for (size_t i = (size_t)n_bars; i < n; i++) {
        n_others += bars.items[i].count;
    }
    bars.n = n < n_bars ? n : (size_t)n_bars;
    cli_bars_draw(&bars, name, false, out);
    if (n > bars.n) {
        fprintf(out, "%llu rows in %zu other values\n", (unsigned long long)n_others, n - bars.n);
    }
    bars.n = n;
done:
    cli_bars_clear(&bars);
    return status;
}

/* -------------------------------------------------------------------------------------------- */

/* Split "COL:BINS". */
static stoa_status parse(cli_args *args, const char *what, const char **name, uint64_t *n_bins,
                         stoa_error *err)
{
    const char *bins = NULL;

    *n_bins = 0;
    *name = cli_cut(args, what, ':', &bins);
    if (bins != NULL &&
        (!stoa_parse_u64(bins, strlen(bins), n_bins) || *n_bins == 0 || *n_bins > MAX_BINS)) {
        return stoa_fail(
            err, STOA_EINVAL,
            "--histogram %s: '%s' is no number of bins, 1 to %d; put a name that holds "
            "a colon in double quotes",
            what, bins, MAX_BINS);
    }
    return STOA_OK;
}

stoa_status cli_histogram(cli_args *args, stoa_table *table, const char *what,
                          const stoa_query_options *asked, FILE *out, stoa_error *err)
{
    stoa_query_options options = *asked;
    struct ArrowSchema schema = {0};
    const stoa_column *column;
    const char *name = NULL;
    uint64_t n_bins = 0;
    stoa_type type;
    stoa_status status = STOA_OK;

    STOA_TRY(parse(args, what, &name, &n_bins, err));
    column = stoa_table_find(table, name);
    if (column == NULL) {
        STOA_TRY(stoa_table_fail_name(table, name, err));
    }
    STOA_TRY(stoa_column_schema(column, &schema, err));
    STOA_TRY(stoa_type_of(&schema, &type, err));
    options.columns = cli_keep(args, cli_quoted(name));
    switch (type.kind) {
    case STOA_KIND_BOOL:
    case STOA_KIND_STRING:
    case STOA_KIND_LARGE_STRING:
    case STOA_KIND_DICTIONARY:
        status = draw_labels(table, options, name, n_bins != 0 ? n_bins : DEFAULT_BARS, out, err);
        break;
    default:
        if (!stoa_kind_is_integer(type.kind) && !stoa_kind_is_float(type.kind) &&
            !stoa_kind_is_ticks(type.kind)) {
            STOA_FAIL(err, STOA_ETYPE, "column '%s' holds no numbers, times or labels", name);
        }
        status = draw_numbers(table, &options, name, &type, n_bins, out, err);
    }
done:
    stoa_schema_release(&schema);
    return status;
}
