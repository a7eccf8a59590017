#include "cli/inspect/array_summary.h"

#include <math.h>
#include <stdlib.h>

#include "arrow/build.h"
#include "cli/common/args.h"
#include "cli/common/progress.h"
#include "cli/output/batches.h"
#include "column/type/tensor.h"
#include "core/text.h"
#include "hdf/chunk/filters.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/metadata/types.h"
#include "table/open/table.h"

/* --- facts ----------------------------------------------------------------------------------- */

/* The rows, and the shape of one. */
static stoa_status find_shape(const stoa_table *table, cli_array_facts *facts, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_column *const column = stoa_table_column(table, stoa_table_n_columns(table) - 1);
    struct ArrowSchema schema = {.release = NULL};
    hsize_t cell[H5S_MAX_RANK];
    stoa_type type;
    int rank = 0;

    STOA_TRY(stoa_column_schema(column, &schema, err));
    STOA_TRY(stoa_type_of(&schema, &type, err));
    if (type.kind == STOA_KIND_FIXED_LIST) {
        STOA_TRY(stoa_tensor_shape(&schema, (uint64_t)type.width, cell, &rank, err));
        cell[0] = rank == 0 ? (hsize_t)type.width : cell[0];
        rank = rank == 0 ? 1 : rank;
    }
    facts->shape[0] = stoa_table_n_rows(table);
    for (int i = 0; i < rank; i++) {
        facts->shape[i + 1] = cell[i];
    }
    facts->rank = (unsigned)rank + 1;

done:
    stoa_schema_release(&schema);
    return status;
}

static void add_filters(hid_t dcpl, cli_array_facts *facts)
{
    const int n = H5Pget_nfilters(dcpl);

    for (int i = 0; i < n; i++) {
        char word[64];
        char *const before = facts->filters;
        stoa_filter_words(dcpl, (unsigned)i, word, sizeof word);
        facts->filters =
            cli_sprintf("%s%s%s", before != NULL ? before : "", before != NULL ? ", " : "", word);
        free(before);
    }
}

stoa_status cli_array_describe(const stoa_table *table, cli_array_facts *facts, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t dcpl = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;
    stoa_element element = {.mem_type = H5I_INVALID_HID};
    hsize_t chunk[H5S_MAX_RANK];

    *facts = (cli_array_facts){.type = NULL};
    STOA_HDF(err, type = H5Dget_type(table->group), "get the datatype");
    STOA_TRY(stoa_element_of(type, &element, err));
    facts->type = cli_copy(element.text);
    STOA_TRY(find_shape(table, facts, err));
    STOA_HDF(err, dcpl = stoa_dataset_properties(table->group), "get the creation properties");
    if (H5Pget_layout(dcpl) == H5D_CHUNKED) {
        int rank = 0;
        STOA_HDF(err, rank = H5Pget_chunk(dcpl, H5S_MAX_RANK, chunk), "get the chunk shape");
        for (int i = 0; i < rank; i++) {
            facts->chunk[i] = chunk[i];
        }
        facts->chunk_rank = (unsigned)rank;
        add_filters(dcpl, facts);
    }
    facts->n_bytes = H5Dget_storage_size(table->group);

done:
    stoa_element_clear(&element);
    status = stoa_hdf_close(&type, status, err);
    return stoa_hdf_close(&dcpl, status, err);
}

void cli_array_facts_clear(cli_array_facts *facts)
{
    free(facts->type);
    free(facts->filters);
    *facts = (cli_array_facts){.type = NULL};
}

/* --- statistics ------------------------------------------------------------------------------ */

/* Of the values of a column: their mean, and the sum of squared distances from it. */
typedef struct running {
    uint64_t n;
    uint64_t n_missing;
    uint64_t n_nan;
    double least;
    double greatest;
    double mean;
    double squares;
} running;

typedef struct statistics {
    running *columns;
    size_t n;
} statistics;

/* Add a block of values that are not NaN: means and sums of squares are put together by Chan's
 * formula. */
static void add_block(running *r, const double *values, size_t n)
{
    double sum = 0;
    double squares = 0;

    if (n == 0) {
        return;
    }
    r->least = r->n == 0 ? values[0] : r->least;
    r->greatest = r->n == 0 ? values[0] : r->greatest;
    for (size_t i = 0; i < n; i++) {
        sum += values[i];
        r->least = values[i] < r->least ? values[i] : r->least;
        r->greatest = values[i] > r->greatest ? values[i] : r->greatest;
    }
    const double mean = sum / (double)n;
    for (size_t i = 0; i < n; i++) {
        squares += (values[i] - mean) * (values[i] - mean);
    }
    const double apart = mean - r->mean;
    const double all = (double)r->n + (double)n;
    r->squares += squares + apart * apart * (double)r->n * (double)n / all;
    r->mean += apart * (double)n / all;
    r->n += n;
}

static double number_at(const stoa_view *items, int64_t i)
{
    if (stoa_kind_is_float(items->type.kind)) {
        return stoa_view_f64(items, i);
    }
    const int64_t integer = stoa_view_i64(items, i);
    return items->type.kind == STOA_KIND_UINT64 ? (double)(uint64_t)integer : (double)integer;
}

static stoa_status add_column(running *r, const stoa_view *column, stoa_error *err)
{
    stoa_view items = *column;
    double block[1024];
    size_t n = 0;

    if (column->type.kind == STOA_KIND_FIXED_LIST) {
        STOA_RETURN_NOT_OK(stoa_view_child(column, 0, &items, err));
        items.offset += column->offset * column->type.width;
        items.length = column->length * column->type.width;
    }
    if (!stoa_kind_is_float(items.type.kind) && !stoa_kind_is_integer(items.type.kind)) {
        return STOA_OK;
    }
    for (int64_t i = 0; i < items.length; i++) {
        const bool is_missing = stoa_view_is_null(&items, i);
        const double value = is_missing ? 0 : number_at(&items, i);
        r->n_missing += is_missing;
        r->n_nan += !is_missing && isnan(value);
        block[n] = value;
        n += !is_missing && !isnan(value);
        if (n == sizeof block / sizeof *block) {
            add_block(r, block, n);
            n = 0;
        }
    }
    add_block(r, block, n);
    return STOA_OK;
}

static stoa_status add_batch(void *context, const stoa_view *rows, stoa_error *err)
{
    const statistics *const s = context;

    for (size_t i = 0; i < s->n; i++) {
        stoa_view column;
        STOA_RETURN_NOT_OK(stoa_view_child(rows, (int64_t)i, &column, err));
        STOA_RETURN_NOT_OK(add_column(&s->columns[i], &column, err));
    }
    return STOA_OK;
}

static void put_number(cli_grid *grid, bool is_known, double value)
{
    char text[STOA_NUMBER_SIZE] = "";

    if (is_known) {
        (void)stoa_format_f64(value, text);
    }
    cli_grid_take_number(grid, cli_copy(text));
}

void cli_array_statistics_grid(cli_grid *grid, const char *of)
{
    const char *const titles[] = {of,      "values",   "missing", "NaN",
                                  "least", "greatest", "mean",    "stddev"};

    cli_grid_init(grid, 8, titles, "lrrrrrrr");
}

stoa_status cli_array_statistics(stoa_table *table, const stoa_listener *listener, cli_grid *grid,
                                 stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    statistics s = {.n = stoa_table_n_columns(table)};

    s.columns = cli_resize(NULL, s.n, sizeof *s.columns);
    for (size_t i = 0; i < s.n; i++) {
        s.columns[i] = (running){.n = 0};
    }
    options.listener = *listener;
    STOA_TRY(cli_each_batch(table, &options, add_batch, &s, err));
    for (size_t i = 0; i < s.n; i++) {
        const running *const r = &s.columns[i];
        if (r->n + r->n_missing + r->n_nan == 0) {
            continue; /* no numbers */
        }
        cli_grid_put(grid, "%s", stoa_table_column_name(table, i));
        cli_grid_count(grid, r->n + r->n_nan);
        cli_grid_count(grid, r->n_missing);
        cli_grid_count(grid, r->n_nan);
        put_number(grid, r->n > 0, r->least);
        put_number(grid, r->n > 0, r->greatest);
        put_number(grid, r->n > 0, r->mean);
        put_number(grid, r->n > 1, sqrt(r->squares / (double)(r->n - (r->n > 1))));
    }

done:
    free(s.columns);
    return status;
}
