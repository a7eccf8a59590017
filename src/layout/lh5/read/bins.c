/* The bins of a histogram as rows: their ends along each axis, and their weights. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "core/memory.h"
#include "layout/lh5/read/histogram.h"
#include "table/open/foreign.h"

/* --- weights --------------------------------------------------------------------------------- */

/* The elements of a dataset of several dimensions as one sequence. */
typedef struct flattened {
    stoa_column *lines; /* one row for each index of the first dimension */
    uint64_t n_items;   /* of a row */
} flattened;

static stoa_status read_flattened(void *context, uint64_t first, uint64_t count,
                                  struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const flattened *const is = context;
    const uint64_t from = first / is->n_items;
    const uint64_t to = count == 0 ? from : (first + count - 1) / is->n_items + 1;
    struct ArrowArray lines = {.release = NULL};

    out->release = NULL;
    STOA_TRY(stoa_column_read(is->lines, from, to - from, &lines, err));
    stoa_array_move(lines.children[0], out);
    out->offset += (int64_t)(first - from * is->n_items);
    out->length = (int64_t)count;

done:
    stoa_array_release(&lines);
    return status;
}

static void close_flattened(void *context)
{
    flattened *const is = context;

    stoa_column_close(is->lines);
    free(is);
}

/* Takes ownership of `lines` in every case. */
static stoa_status flatten(stoa_column *lines, uint64_t n_rows, stoa_column **column,
                           stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowSchema item = {.release = NULL};
    char *stored = NULL;
    flattened *is = stoa_alloc(1, sizeof *is);

    if (is == NULL) {
        stoa_column_close(lines);
        return stoa_fail_memory(err);
    }
    *is = (flattened){lines, n_rows / lines->n_rows};
    STOA_TRY(stoa_column_schema(lines, &schema, err));
    STOA_TRY(stoa_schema_copy(schema.children[0], &item, err));
    STOA_TRY(stoa_schema_rename(&item, "weight", err));
    const stoa_column_source source = {
        .read_array = read_flattened, .close = close_flattened, .context = is};
    STOA_TRY(stoa_schema_get_text(&schema, "lh5.stored", &stored, err));
    STOA_TRY(stoa_schema_set(&item, "lh5.stored", stored != NULL ? stored : "", err));
    status = stoa_column_of_source(&item, n_rows, &source, column, err);
    is = NULL;

done:
    free(stored);
    if (is != NULL) {
        close_flattened(is);
    }
    stoa_schema_release(&item);
    stoa_schema_release(&schema);
    return status;
}

static stoa_status open_weights(const stoa_histogram *histogram, uint64_t n_rows,
                                stoa_column **column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *lines = NULL;

    *column = NULL;
    if (n_rows == 0) { /* an empty dataset has no row type */
        struct ArrowSchema schema = {.release = NULL};
        struct ArrowArray array = {.release = NULL};
        STOA_TRY(stoa_schema_make(&schema, "weight", "g", err));
        status = stoa_array_make(&array, 0, 0, 2, (void *const[]){NULL, stoa_alloc(0, 1)}, err);
        if (status != STOA_OK) {
            stoa_schema_release(&schema);
            return status;
        }
        return stoa_column_of_array(&schema, &array, column, err);
    }
    STOA_TRY(stoa_lh5_open_column(histogram->weights, "weight", &lines, err));
    if (lines->type.kind != STOA_KIND_FIXED_LIST) { /* one dimension */
        *column = lines;
        lines = NULL;
        goto done;
    }
    stoa_column *const taken = lines;
    lines = NULL;
    STOA_TRY(flatten(taken, n_rows, column, err));

done:
    stoa_column_close(lines);
    return status;
}

/* --- edges ----------------------------------------------------------------------------------- */

/* One end of the bins along an axis. */
typedef struct ends {
    stoa_axis axis;   /* its edges are a copy */
    uint64_t n_times; /* consecutive rows of the same bin */
    unsigned end;     /* 0: lower end, 1: upper end */
} ends;

static stoa_status read_ends(void *context, uint64_t first, uint64_t count, struct ArrowArray *out,
                             stoa_error *err)
{
    const ends *const is = context;
    double *const values = stoa_alloc((size_t)count, sizeof *values);

    STOA_RETURN_NO_MEMORY(err, values);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t bin = (first + i) / is->n_times % is->axis.n_bins;
        values[i] = stoa_axis_edge(&is->axis, bin + is->end);
    }
    return stoa_array_make(out, (int64_t)count, 0, 2, (void *const[]){NULL, values}, err);
}

static void close_ends(void *context)
{
    ends *const is = context;

    free(is->axis.edges);
    free(is);
}

static stoa_status open_ends(const stoa_axis *axis, const char *name, uint64_t n_times,
                             unsigned end, uint64_t n_rows, stoa_column **column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    ends *is = stoa_alloc(1, sizeof *is);

    *column = NULL;
    STOA_TRY(is != NULL ? STOA_OK : stoa_fail_memory(err));
    *is = (ends){*axis, n_times, end};
    is->axis.units = NULL;
    is->axis.spaced = NULL;
    is->axis.edges = NULL;
    if (axis->edges != NULL) {
        is->axis.edges = stoa_alloc((size_t)axis->n_bins + 1, sizeof *axis->edges);
        STOA_TRY(is->axis.edges != NULL ? STOA_OK : stoa_fail_memory(err));
        memcpy(is->axis.edges, axis->edges, ((size_t)axis->n_bins + 1) * sizeof *axis->edges);
    }
    STOA_TRY(stoa_schema_make(&schema, name, "g", err));
    const stoa_column_source source = {.read_array = read_ends, .close = close_ends, .context = is};
    is = NULL;
    STOA_TRY(stoa_column_of_source(&schema, n_rows, &source, column, err));
    (*column)->units = axis->units != NULL ? stoa_strdup(axis->units) : NULL;
    if (axis->units != NULL && (*column)->units == NULL) {
        stoa_column_close(*column);
        *column = NULL;
        STOA_TRY(stoa_fail_memory(err));
    }

done:
    if (is != NULL) {
        close_ends(is);
    }
    stoa_schema_release(&schema);
    return status;
}

/* --- rows ------------------------------------------------------------------------------------ */

/* Set the metadata that restore the axis from its bins. */
static stoa_status remark_on_axis(stoa_column *column, const stoa_axis *axis, stoa_error *err)
{
    char number[STOA_NUMBER_SIZE];
    char bins[STOA_NUMBER_SIZE];

    (void)stoa_format_u64(axis->number, number);
    (void)stoa_format_u64(axis->n_bins, bins);
    STOA_RETURN_NOT_OK(stoa_column_add_metadata(column, "lh5.number", number, err));
    STOA_RETURN_NOT_OK(stoa_column_add_metadata(column, "lh5.bins", bins, err));
    STOA_RETURN_NOT_OK(stoa_column_add_metadata(column, "lh5.closedleft",
                                                axis->is_closed_left ? "true" : "false", err));
    STOA_RETURN_NOT_OK(stoa_column_add_metadata(column, "lh5.spaced", axis->spaced, err));
    return stoa_column_add_metadata(column, "lh5.stored",
                                    axis->spaced == NULL ? axis->stored : NULL, err);
}

static stoa_status add_axis(stoa_table *table, const stoa_axis *axis, unsigned number,
                            uint64_t n_times, stoa_error *err)
{
    static const char *const ends_of_it[] = {"low", "high"};
    stoa_status status = STOA_OK;
    stoa_column *column = NULL;
    char name[32];

    for (unsigned end = 0; end < 2; end++) {
        (void)snprintf(name, sizeof name, "axis_%u.%s", number, ends_of_it[end]);
        STOA_RETURN_NOT_OK(open_ends(axis, name, n_times, end, table->n_rows, &column, err));
        status = end == 0 ? remark_on_axis(column, axis, err) : STOA_OK;
        if (status != STOA_OK) {
            stoa_column_close(column);
            return status;
        }
        STOA_RETURN_NOT_OK(stoa_foreign_add(table, column, err));
    }
    return status;
}

stoa_status stoa_lh5_add_bins(stoa_table *table, const stoa_histogram *histogram, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *weights = NULL;
    uint64_t n_rows = 1;

    for (unsigned i = 0; i < histogram->n_axes; i++) {
        if (__builtin_mul_overflow(n_rows, histogram->axes[i].n_bins, &n_rows)) {
            STOA_FAIL(err, STOA_EDATA, "there are more bins than 64 bits count");
        }
    }
    table->n_rows = n_rows;
    uint64_t n_times = n_rows;
    for (unsigned i = 0; i < histogram->n_axes; i++) {
        n_times = n_rows > 0 ? n_times / histogram->axes[i].n_bins : 1;
        STOA_TRY(add_axis(table, &histogram->axes[i], i, n_times, err));
    }
    STOA_TRY(open_weights(histogram, n_rows, &weights, err));
    STOA_TRY(stoa_column_add_metadata(weights, "lh5.object", "histogram", err));
    STOA_TRY(stoa_column_add_metadata(weights, "lh5.isdensity",
                                      histogram->is_density ? "true" : "false", err));
    stoa_column *const column = weights;
    weights = NULL;
    STOA_TRY(stoa_foreign_add(table, column, err));

done:
    stoa_column_close(weights);
    return status;
}
