/* Counts the values of a histogram. bars.c draws it. */
#include "cli/output/histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "cli/common/progress.h"
#include "cli/output/bars.h"
#include "cli/output/batches.h"
#include "cli/output/cell.h"
#include "cli/output/histogram_bins.h"
#include "table/open/table.h"

enum { DEFAULT_BARS = 20, MAX_BINS = 1000 };

/* Numbers and times -------------------------------------------------------------------------- */

typedef struct numbers {
    cli_range range;
    cli_bins bins;
    uint64_t *counts;
    uint64_t n_missing;
    uint64_t n_unbounded; /* NaN and infinite */
} numbers;

/* Tests the value as a double, which represents every value at least approximately. Emulations of
 * long double in the range of double (valgrind) make LDBL_MAX infinite. */
static bool is_bounded(long double value)
{
    return isfinite((double)value);
}

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
            n->n_missing++;
            continue;
        }
        const long double value = value_of(&column, i);

        if (!is_bounded(value)) {
            n->n_unbounded++;
        } else {
            cli_range_add(&n->range, value);
        }
    }
    return STOA_OK;
}

static stoa_status count_values(void *context, const stoa_view *rows, stoa_error *err)
{
    numbers *const n = context;
    stoa_view column;

    STOA_RETURN_NOT_OK(stoa_view_child(rows, 0, &column, err));
    for (int64_t i = 0; i < rows->length; i++) {
        if (!stoa_view_is_null(&column, i)) {
            const long double value = value_of(&column, i);

            if (is_bounded(value)) {
                n->counts[cli_bins_find(&n->bins, value)]++;
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

static stoa_status draw_numbers(stoa_table *table, const stoa_query_options *options,
                                const char *name, const stoa_type *type, uint64_t n_bins, FILE *out,
                                stoa_error *err)
{
    numbers n = {.counts = NULL};
    cli_bars bars = {0};
    char *title = NULL;
    stoa_status status = STOA_OK;

    STOA_TRY(cli_each_batch(table, options, find_range, &n, err));
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
    note(out, n.n_missing, "missing");
    note(out, n.n_unbounded, "NaN or infinite");
done:
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
