/* A table of the rows of another table whose numbers a column lists. The rows come in the order of
 * the list, and may repeat. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "arrow/take.h"
#include "core/memory.h"
#include "layout/common/categories_as_text.h"
#include "layout/layout.h"

enum {
    LIST_ROWS = 1 << 20, /* rows of the list that are read at a time */
    NEAR_ROWS = 64 /* rows at most this far apart are read together, with the rows between them */
};

/* Shared by the columns, and closed with the last of them. */
typedef struct picked {
    size_t n_holders;
    stoa_table *table;
    stoa_buffer rows; /* of uint64_t */
} picked;

static void release(picked *p)
{
    if (p != NULL && --p->n_holders == 0) {
        stoa_buffer_clear(&p->rows);
        free(p);
    }
}

/* The list ---------------------------------------------------------------------------------- */

static stoa_status add_numbers(picked *p, const stoa_view *view, stoa_error *err)
{
    const uint64_t n_rows = stoa_table_n_rows(p->table);
    const bool is_signed = stoa_kind_is_signed(view->type.kind);

    for (int64_t i = 0; i < view->length; i++) {
        const size_t n = p->rows.size / sizeof(uint64_t);
        if (stoa_view_is_null(view, i)) {
            return stoa_fail(err, STOA_EDATA,
                             "its row %zu is missing, where a row number should be", n);
        }
        const int64_t number = stoa_view_i64(view, i);
        const uint64_t row = (uint64_t)number;
        if (is_signed && number < 0) {
            return stoa_fail(err, STOA_ERANGE,
                             "its row %zu says %" PRId64 ", which is no row number", n, number);
        }
        if (row >= n_rows) {
            return stoa_fail(err, STOA_ERANGE,
                             "its row %zu says %" PRIu64 ", and the table has %" PRIu64
                             " rows, numbered from 0",
                             n, row, n_rows);
        }
        STOA_RETURN_NOT_OK(stoa_buffer_append(&p->rows, &row, sizeof row, err));
    }
    return STOA_OK;
}

static stoa_status read_list(picked *p, stoa_column *list, uint64_t n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {0};
    struct ArrowArray array = {0};
    stoa_type type;
    char name[64];
    stoa_view view;

    STOA_TRY(stoa_column_schema(list, &schema, err));
    STOA_TRY(stoa_type_of(&schema, &type, err));
    if (!stoa_kind_is_integer(type.kind)) {
        STOA_FAIL(err, STOA_ETYPE, "is %s, where a column of row numbers should be, integers",
                  stoa_type_name(&type, name));
    }
    for (uint64_t at = 0; at < n; at += LIST_ROWS) {
        STOA_TRY(stoa_column_read(list, at, n - at < LIST_ROWS ? n - at : LIST_ROWS, &array, err));
        STOA_TRY(stoa_view_of(&schema, &array, &view, err));
        STOA_TRY(add_numbers(p, &view, err));
        stoa_array_release(&array);
    }

done:
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    return status;
}

/* Rows -------------------------------------------------------------------------------------- */

/* A column of the table. */
typedef struct chosen {
    picked *picked;
    stoa_column *column;
    struct ArrowSchema schema;
} chosen;

static void close_chosen(void *context)
{
    chosen *const c = context;

    release(c->picked);
    stoa_schema_release(&c->schema);
    free(c);
}

/* A requested row, and its position in the result. */
typedef struct wanted {
    uint64_t row;
    uint64_t place;
} wanted;

static int by_row(const void *a, const void *b)
{
    const uint64_t left = ((const wanted *)a)->row;
    const uint64_t right = ((const wanted *)b)->row;

    return left < right ? -1 : left > right;
}

/* Read the runs of rows that cover the requested rows, which are sorted. `picks` gets the place of
 * each. */
static stoa_status read_stretches(const chosen *c, const wanted *rows, uint64_t n,
                                  stoa_buffer *arrays, stoa_row_source *picks, stoa_error *err)
{
    stoa_status status = STOA_OK;

    for (uint64_t i = 0; i < n;) {
        const uint64_t first = rows[i].row;
        const uint32_t source = (uint32_t)(arrays->size / sizeof(struct ArrowArray));
        struct ArrowArray array = {0};
        uint64_t end = first + 1;
        for (; i < n && rows[i].row <= end + NEAR_ROWS; i++) {
            end = rows[i].row + 1;
            picks[rows[i].place] = (stoa_row_source){(int64_t)(rows[i].row - first), source};
        }
        STOA_RETURN_NOT_OK(
            stoa_categories_as_text_read(c->column, first, end - first, &array, err));
        status = stoa_buffer_append(arrays, &array, sizeof array, err);
        if (status != STOA_OK) {
            stoa_array_release(&array);
            return status;
        }
    }
    return status;
}

static stoa_status take(const chosen *c, struct ArrowArray *arrays, size_t n_arrays,
                        const stoa_row_source *picks, uint64_t n, struct ArrowArray *out,
                        stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_view *views = stoa_alloc_zero(n_arrays, sizeof *views);
    const stoa_view **sources = stoa_alloc_zero(n_arrays, sizeof(stoa_view *));

    STOA_TRY(views != NULL && sources != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n_arrays; i++) {
        STOA_TRY(stoa_view_of(&c->schema, &arrays[i], &views[i], err));
        sources[i] = &views[i];
    }
    STOA_TRY(stoa_take(sources, n_arrays, picks, (int64_t)n, out, err));

done:
    free(views);
    free(sources);
    return status;
}

static stoa_status read_rows(void *context, uint64_t first, uint64_t count, struct ArrowArray *out,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    const chosen *const c = context;
    const uint64_t *const rows = (const uint64_t *)(const void *)c->picked->rows.data;
    stoa_buffer arrays = {0};
    wanted *sorted = NULL;
    stoa_row_source *picks = NULL;

    if (count == 0) {
        return stoa_categories_as_text_read(c->column, 0, 0, out, err);
    }
    sorted = stoa_alloc((size_t)count, sizeof *sorted);
    picks = stoa_alloc((size_t)count, sizeof *picks);
    STOA_TRY(sorted != NULL && picks != NULL ? STOA_OK : stoa_fail_memory(err));
    for (uint64_t i = 0; i < count; i++) {
        sorted[i] = (wanted){rows[first + i], i};
    }
    qsort(sorted, (size_t)count, sizeof *sorted, by_row);
    STOA_TRY(read_stretches(c, sorted, count, &arrays, picks, err));
    STOA_TRY(take(c, (struct ArrowArray *)(void *)arrays.data,
                  arrays.size / sizeof(struct ArrowArray), picks, count, out, err));

done:
    for (size_t i = 0; i < arrays.size / sizeof(struct ArrowArray); i++) {
        stoa_array_release((struct ArrowArray *)(void *)arrays.data + i);
    }
    stoa_buffer_clear(&arrays);
    free(sorted);
    free(picks);
    return status;
}

/* Opening ----------------------------------------------------------------------------------- */

static stoa_status add_column(picked *p, stoa_column *from, stoa_table *table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {0};
    stoa_column *column = NULL;
    chosen *c = stoa_alloc_zero(1, sizeof *c);

    STOA_TRY(c != NULL ? STOA_OK : stoa_fail_memory(err));
    c->picked = p;
    c->column = from;
    p->n_holders++;
    STOA_TRY(stoa_categories_as_text_schema(from, &c->schema, err));
    STOA_TRY(stoa_schema_copy(&c->schema, &schema, err));
    const stoa_column_source source = {
        .read_array = read_rows, .close = close_chosen, .context = c};
    c = NULL;
    STOA_TRY(stoa_column_of_source(&schema, table->n_rows, &source, &column, err));
    STOA_TRY(stoa_foreign_add(table, column, err));

done:
    if (c != NULL) {
        close_chosen(c);
    }
    return status;
}

stoa_status stoa_layout_select_rows(stoa_table *from, stoa_column *list, uint64_t n_list,
                                    stoa_table **table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t object = H5I_INVALID_HID;
    picked *p = stoa_alloc_zero(1, sizeof *p);

    *table = NULL;
    STOA_RETURN_NO_MEMORY(err, p);
    p->n_holders = 1;
    p->table = from;
    STOA_TRY(read_list(p, list, n_list, err));
    STOA_HDF(err, object = H5Oopen(from->group, ".", H5P_DEFAULT), "open it");
    const hid_t taken = object;
    object = H5I_INVALID_HID;
    STOA_TRY(stoa_foreign_begin(taken, from->path, from->file, "rows",
                                p->rows.size / sizeof(uint64_t), table, err));
    for (size_t i = 0; i < from->n_columns; i++) {
        STOA_TRY(add_column(p, from->columns[i], *table, err));
    }

done:
    if (status != STOA_OK) {
        stoa_table_close(*table);
        *table = NULL;
    }
    release(p);
    return stoa_hdf_close(&object, status, err);
}
