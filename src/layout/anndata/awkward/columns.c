/* Nodes of awkward arrays as columns (columns.h). A range of rows reads the ranges of the parts
 * that it needs. Integers of the file are checked here, before they are followed. */
#include "layout/anndata/awkward/columns.h"

#include <stdio.h>
#include <stdlib.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "arrow/take.h"
#include "column/read/foreign.h"
#include "column/read/rows.h"

void stoa_awkward_parts_clear(stoa_awkward_parts *parts)
{
    for (size_t i = 0; i < parts->n_columns; i++) {
        stoa_column_close(parts->columns[i]);
    }
    free((void *)parts->columns);
    parts->columns = NULL;
    parts->n_columns = 0;
}

/* --- fixed sizes, records -------------------------------------------------------------------- */

static stoa_status read_fixed(const stoa_awkward_parts *parts, uint64_t first, uint64_t count,
                              struct ArrowArray *out, stoa_error *err)
{
    struct ArrowArray items = {.release = NULL};

    STOA_RETURN_NOT_OK(
        stoa_column_read(parts->columns[0], first * parts->size, count * parts->size, &items, err));
    return stoa_array_list(out, (int64_t)count, 0, 1, (void *const[]){NULL}, &items, err);
}

static stoa_status read_records(const stoa_awkward_parts *parts, uint64_t first, uint64_t count,
                                struct ArrowArray *out, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_array_struct(out, (int64_t)count, (int64_t)parts->n_columns, err));
    for (size_t i = 0; i < parts->n_columns; i++) {
        STOA_RETURN_NOT_OK(
            stoa_column_read(parts->columns[i], first, count, out->children[i], err));
    }
    return STOA_OK;
}

/* --- masks ----------------------------------------------------------------------------------- */

/* Set a bit for each row that is there. `mask` begins with the byte of row `first`. */
static void mark_valid(const stoa_awkward_parts *parts, const stoa_view *mask, uint64_t first,
                       uint64_t count, uint8_t *valid)
{
    const bool are_bits = parts->class == STOA_AWKWARD_BIT_MASKED;

    for (uint64_t i = 0; i < count; i++) {
        const unsigned shift = parts->lsb_order ? (first + i) & 7 : 7 - ((first + i) & 7);
        const bool is = are_bits
                            ? (stoa_view_i64(mask, (int64_t)((first & 7) + i) >> 3) >> shift & 1)
                            : stoa_view_i64(mask, (int64_t)i) != 0;
        if (is == parts->valid_when) {
            stoa_bit_set(valid, i);
        }
    }
}

static stoa_status read_masked(const stoa_awkward_parts *parts, uint64_t first, uint64_t count,
                               struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const bool are_bits = parts->class == STOA_AWKWARD_BIT_MASKED;
    const uint64_t from = are_bits ? first >> 3 : first;
    const uint64_t end = are_bits ? stoa_bit_bytes(first + count) : first + count;
    uint8_t *const valid = stoa_alloc_zero((size_t)stoa_bit_bytes(count) + 1, 1);
    stoa_column_rows mask = {.array.release = NULL};

    STOA_TRY(valid != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_column_rows_read(parts->columns[1], from, end - from, &mask, err));
    mark_valid(parts, &mask.view, first, count, valid);
    STOA_TRY(stoa_column_read(parts->columns[0], first, count, out, err));
    STOA_TRY(stoa_array_hide(out, valid, 0, err));

done:
    stoa_column_rows_clear(&mask);
    free(valid);
    return status;
}

/* --- missing values -------------------------------------------------------------------------- */

/* Values that one value of a type takes, lists of fixed length counted whole. */
static uint64_t count_values(const struct ArrowSchema *schema)
{
    uint64_t n = 0;
    stoa_type type;

    if (stoa_type_of(schema, &type, NULL) != STOA_OK ||
        (type.kind != STOA_KIND_STRUCT && type.kind != STOA_KIND_FIXED_LIST)) {
        return 1;
    }
    for (int64_t i = 0; i < schema->n_children && n < UINT32_MAX; i++) {
        n += count_values(schema->children[i]);
    }
    n = n < UINT32_MAX ? n : UINT32_MAX;
    return type.kind == STOA_KIND_FIXED_LIST ? n * (uint64_t)type.width : n;
}

/* --- rows by their number -------------------------------------------------------------------- */

/* The rows of the values that an index needs: from the smallest to behind the largest. */
typedef struct window {
    uint64_t first;
    uint64_t end;
    uint64_t n_missing;
} window;

static stoa_status find_window(const stoa_awkward_parts *parts, const stoa_view *index,
                               uint64_t first, window *w, stoa_error *err)
{
    const uint64_t n = parts->columns[0]->n_rows;

    *w = (window){.first = UINT64_MAX};
    for (int64_t i = 0; i < index->length; i++) {
        const int64_t row = stoa_view_i64(index, i);
        if (row < 0 && parts->class == STOA_AWKWARD_OPTIONS) {
            w->n_missing++;
        } else if (row < 0 || (uint64_t)row >= n) {
            return stoa_fail(err, STOA_EDATA, "%s is %lld at entry %llu, and there are %llu values",
                             parts->columns[1]->name, (long long)row,
                             (unsigned long long)(first + (uint64_t)i), (unsigned long long)n);
        } else {
            w->first = (uint64_t)row < w->first ? (uint64_t)row : w->first;
            w->end = (uint64_t)row + 1 > w->end ? (uint64_t)row + 1 : w->end;
        }
    }
    w->first = w->first < w->end ? w->first : w->end;
    return STOA_OK;
}

/* A file of few bytes can have any number of missing lists of any fixed length. */
static stoa_status check_missing(const stoa_awkward_parts *parts, const stoa_column_rows *values,
                                 const window *w, stoa_error *err)
{
    const uint64_t each = count_values(&values->schema);

    if (w->n_missing > 0 && each > ((uint64_t)1 << 28) / w->n_missing &&
        parts->columns[0]->n_rows < w->n_missing >> 8) {
        return stoa_fail(err, STOA_ERANGE,
                         "%llu values are missing that have %llu parts each; read fewer rows",
                         (unsigned long long)w->n_missing, (unsigned long long)each);
    }
    return STOA_OK;
}

/* Values in the order of the index. */
static stoa_status pick(const stoa_column_rows *values, const stoa_view *index, const window *w,
                        struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    int64_t *const at = stoa_alloc((size_t)index->length, sizeof *at);

    STOA_TRY(at != NULL ? STOA_OK : stoa_fail_memory(err));
    for (int64_t i = 0; i < index->length; i++) {
        const int64_t row = stoa_view_i64(index, i);
        at[i] = row < 0 ? -1 : row - (int64_t)w->first;
    }
    STOA_TRY(stoa_take_rows(&values->view, at, index->length, out, err));

done:
    free(at);
    return status;
}

static stoa_status read_indexed(const stoa_awkward_parts *parts, uint64_t first, uint64_t count,
                                struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column_rows index = {.array.release = NULL};
    stoa_column_rows values = {.array.release = NULL};
    window w;

    STOA_TRY(stoa_column_rows_read(parts->columns[1], first, count, &index, err));
    STOA_TRY(find_window(parts, &index.view, first, &w, err));
    STOA_TRY(stoa_column_rows_read(parts->columns[0], w.first, w.end - w.first, &values, err));
    STOA_TRY(check_missing(parts, &values, &w, err));
    STOA_TRY(pick(&values, &index.view, &w, out, err));

done:
    stoa_column_rows_clear(&values);
    stoa_column_rows_clear(&index);
    return status;
}

/* --- lists by their starts and stops --------------------------------------------------------- */

static stoa_status check_range(const stoa_awkward_parts *parts, int64_t start, int64_t stop,
                               uint64_t entry, stoa_error *err)
{
    if (start < 0 || stop < start || (uint64_t)stop > parts->columns[0]->n_rows) {
        return stoa_fail(
            err, STOA_EDATA, "%s and %s are %lld and %lld at entry %llu, and there are %llu values",
            parts->columns[1]->name, parts->columns[2]->name, (long long)start, (long long)stop,
            (unsigned long long)entry, (unsigned long long)parts->columns[0]->n_rows);
    }
    return STOA_OK;
}

/* Find what lists need, and where they end in it. `offsets` has one more than there are lists. */
static stoa_status find_ranges(const stoa_awkward_parts *parts, const stoa_view *starts,
                               const stoa_view *stops, uint64_t first, int64_t *offsets, window *w,
                               stoa_error *err)
{
    *w = (window){.first = UINT64_MAX};
    offsets[0] = 0;
    for (int64_t i = 0; i < starts->length; i++) {
        const int64_t start = stoa_view_i64(starts, i);
        const int64_t stop = stoa_view_i64(stops, i);
        STOA_RETURN_NOT_OK(check_range(parts, start, stop, first + (uint64_t)i, err));
        if (start < stop) {
            w->first = (uint64_t)start < w->first ? (uint64_t)start : w->first;
            w->end = (uint64_t)stop > w->end ? (uint64_t)stop : w->end;
        }
        if (stop - start > INT64_MAX - offsets[i]) {
            return stoa_fail(err, STOA_ERANGE, "its lists have more than 2^63 items");
        }
        offsets[i + 1] = offsets[i] + (stop - start);
    }
    w->first = w->first < w->end ? w->first : w->end;
    return STOA_OK;
}

/* A file of few bytes can have any number of lists of the same values. */
static stoa_status check_overlap(const window *w, int64_t n_items, stoa_error *err)
{
    if (n_items > 1 << 28 && (uint64_t)n_items / 16 > w->end - w->first) {
        return stoa_fail(err, STOA_ERANGE,
                         "its lists have %lld items of %llu values; read fewer rows",
                         (long long)n_items, (unsigned long long)(w->end - w->first));
    }
    return STOA_OK;
}

static stoa_status pick_items(const stoa_column_rows *values, const stoa_view *starts,
                              const stoa_view *stops, const window *w, int64_t n,
                              struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_view *const source = &values->view;
    stoa_row_source *const picks = stoa_alloc((size_t)n, sizeof *picks);
    int64_t at = 0;

    STOA_TRY(picks != NULL ? STOA_OK : stoa_fail_memory(err));
    for (int64_t i = 0; i < starts->length; i++) {
        const int64_t stop = stoa_view_i64(stops, i);
        for (int64_t row = stoa_view_i64(starts, i); row < stop; row++) {
            picks[at++] = (stoa_row_source){row - (int64_t)w->first, 0};
        }
    }
    STOA_TRY(stoa_take(&source, 1, picks, n, out, err));

done:
    free(picks);
    return status;
}

static stoa_status read_ranges(const stoa_awkward_parts *parts, uint64_t first, uint64_t count,
                               struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column_rows starts = {.array.release = NULL};
    stoa_column_rows stops = {.array.release = NULL};
    stoa_column_rows values = {.array.release = NULL};
    struct ArrowArray items = {.release = NULL};
    int64_t *offsets = stoa_alloc((size_t)count + 1, sizeof *offsets);
    window w;

    STOA_TRY(offsets != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_column_rows_read(parts->columns[1], first, count, &starts, err));
    STOA_TRY(stoa_column_rows_read(parts->columns[2], first, count, &stops, err));
    STOA_TRY(find_ranges(parts, &starts.view, &stops.view, first, offsets, &w, err));
    STOA_TRY(check_overlap(&w, offsets[count], err));
    STOA_TRY(stoa_column_rows_read(parts->columns[0], w.first, w.end - w.first, &values, err));
    STOA_TRY(pick_items(&values, &starts.view, &stops.view, &w, offsets[count], &items, err));
    void *const buffers[] = {NULL, offsets};
    offsets = NULL;
    STOA_TRY(stoa_array_list(out, (int64_t)count, 0, 2, buffers, &items, err));

done:
    stoa_column_rows_clear(&values);
    stoa_column_rows_clear(&stops);
    stoa_column_rows_clear(&starts);
    free(offsets);
    return status;
}

/* --- making ---------------------------------------------------------------------------------- */

static stoa_status read_rows(void *context, uint64_t first, uint64_t count, struct ArrowArray *out,
                             stoa_error *err)
{
    const stoa_awkward_parts *const parts = context;
    stoa_status status = STOA_OK;

    out->release = NULL;
    switch (parts->class) {
    case STOA_AWKWARD_FIXED:
        status = read_fixed(parts, first, count, out, err);
        break;
    case STOA_AWKWARD_RECORDS:
        status = read_records(parts, first, count, out, err);
        break;
    case STOA_AWKWARD_BYTE_MASKED:
    case STOA_AWKWARD_BIT_MASKED:
        status = read_masked(parts, first, count, out, err);
        break;
    case STOA_AWKWARD_RANGES:
        status = read_ranges(parts, first, count, out, err);
        break;
    default:
        status = read_indexed(parts, first, count, out, err);
        break;
    }
    if (status != STOA_OK) {
        stoa_array_release(out);
    }
    return status;
}

static void close_parts(void *context)
{
    stoa_awkward_parts_clear(context);
    free(context);
}

static stoa_status make_schema(const char *name, const stoa_awkward_parts *parts,
                               struct ArrowSchema *out, stoa_error *err)
{
    const bool is_list = parts->class == STOA_AWKWARD_FIXED || parts->class == STOA_AWKWARD_RANGES;
    char format[32] = "+s";

    if (!is_list && parts->class != STOA_AWKWARD_RECORDS) {
        STOA_RETURN_NOT_OK(stoa_column_schema(parts->columns[0], out, err));
        return stoa_schema_rename(out, name, err);
    }
    if (parts->class == STOA_AWKWARD_FIXED) {
        (void)snprintf(format, sizeof format, "+w:%llu", (unsigned long long)parts->size);
    } else if (is_list) {
        (void)snprintf(format, sizeof format, "+L");
    }
    STOA_RETURN_NOT_OK(stoa_schema_make(out, name, format, err));
    STOA_RETURN_NOT_OK(stoa_schema_children(out, is_list ? 1 : (int64_t)parts->n_columns, err));
    for (int64_t i = 0; i < out->n_children; i++) {
        STOA_RETURN_NOT_OK(stoa_column_schema(parts->columns[i], out->children[i], err));
    }
    return is_list ? stoa_schema_rename(out->children[0], "item", err) : STOA_OK;
}

stoa_status stoa_awkward_combine(const char *name, stoa_awkward_parts *parts, uint64_t n_rows,
                                 stoa_column **column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    stoa_awkward_parts *own = stoa_alloc(1, sizeof *own);

    *column = NULL;
    STOA_TRY(own != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(make_schema(name, parts, &schema, err));
    *own = *parts;
    *parts = (stoa_awkward_parts){.n_columns = 0};
    const stoa_column_source source = {
        .read_array = read_rows, .close = close_parts, .context = own};
    own = NULL;
    STOA_TRY(stoa_column_of_source(&schema, n_rows, &source, column, err));

done:
    free(own);
    stoa_awkward_parts_clear(parts);
    stoa_schema_release(&schema);
    return status;
}
