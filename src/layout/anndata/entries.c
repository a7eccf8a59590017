/*
 * Entries of AnnData's matrices (entries.h), in blocks of whole lines. A "line" is a row of a CSR
 * group or of an array, or a column of a CSC group.
 *
 * The file is untrusted: pointers and indices are checked whenever they are read.
 */
#include "layout/anndata/entries.h"

#include <stdlib.h>
#include <stoa/matrix_group.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "arrow/take.h"
#include "core/memory.h"
#include "hdf/metadata/links.h"
#include "layout/anndata/anndata.h"
#include "layout/common/block_table.h"
#include "layout/common/extent.h"
#include "layout/common/slice.h"
#include "sparse/array/arrow.h"

enum { BLOCK_ENTRIES = 1 << 16, MAX_LINES = 1 << 16 };

typedef struct matrix {
    bool is_dense;
    unsigned line_axis; /* the dimension of the lines */
    stoa_array_box box;
    uint64_t width;        /* of an array: elements of a line */
    stoa_column *pointers; /* of a group */
    stoa_column *indices;
    stoa_column *values; /* of an array: its lines */
    stoa_buffer lines;   /* uint64_t: the line that each block begins with, and the end */
} matrix;

static void close_matrix(void *context)
{
    matrix *const m = context;

    stoa_column_close(m->pointers);
    stoa_column_close(m->indices);
    stoa_column_close(m->values);
    stoa_buffer_clear(&m->lines);
    free(m);
}

/* Read rows of a column with a view of them. The caller releases both structs. */
static stoa_status read_column(stoa_column *column, uint64_t first, uint64_t n,
                               struct ArrowSchema *schema, struct ArrowArray *array,
                               stoa_view *view, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_column_schema(column, schema, err));
    STOA_RETURN_NOT_OK(stoa_column_read(column, first, n, array, err));
    return stoa_view_of(schema, array, view, err);
}

/* Read integers that are below `end`. */
static stoa_status read_integers(stoa_column *column, uint64_t first, uint64_t n, uint64_t end,
                                 uint64_t *out, stoa_error *err)
{
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};
    stoa_status status = STOA_OK;
    stoa_view view;

    STOA_TRY(read_column(column, first, n, &schema, &array, &view, err));
    if (!stoa_kind_is_integer(view.type.kind)) {
        STOA_FAIL(err, STOA_EDATA, "'%s' has no integers", stoa_column_name(column));
    }
    for (uint64_t i = 0; i < n; i++) {
        const int64_t number =
            stoa_view_is_null(&view, (int64_t)i) ? -1 : stoa_view_i64(&view, (int64_t)i);
        if (number < 0 || (uint64_t)number >= end) {
            STOA_FAIL(err, STOA_EDATA, "'%s' has %lld at %llu, which is outside of 0 to %llu",
                      stoa_column_name(column), (long long)number, (unsigned long long)(first + i),
                      (unsigned long long)end - 1);
        }
        out[i] = (uint64_t)number;
    }

done:
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    return status;
}

/* --- lines of a group ------------------------------------------------------------------------ */

/* Read where n lines begin, and where the last one ends. */
static stoa_status read_pointers(const matrix *m, uint64_t first, uint64_t n, uint64_t *pointers,
                                 stoa_error *err)
{
    STOA_RETURN_NOT_OK(
        read_integers(m->pointers, first, n + 1, m->values->n_rows + 1, pointers, err));
    for (uint64_t i = 0; i < n; i++) {
        if (pointers[i + 1] < pointers[i]) {
            return stoa_fail(err, STOA_EDATA, "'indptr' has %llu after %llu, at %llu",
                             (unsigned long long)pointers[i + 1], (unsigned long long)pointers[i],
                             (unsigned long long)(first + i + 1));
        }
    }
    return STOA_OK;
}

static bool is_boxed_across(const matrix *m)
{
    return !m->is_dense && !stoa_array_box_is_whole(&m->box, 1 - m->line_axis);
}

static bool is_across(const matrix *m, uint64_t index)
{
    const unsigned axis = 1 - m->line_axis;

    return index >= m->box.start[axis] && index - m->box.start[axis] < m->box.count[axis];
}

/* The entries of lines that are in the box. */
static stoa_status count_entries(const matrix *m, const uint64_t *pointers, uint64_t n_lines,
                                 uint64_t *n, stoa_error *err)
{
    const uint64_t n_all = pointers[n_lines] - pointers[0];
    uint64_t *indices = NULL;
    stoa_status status = STOA_OK;

    *n = n_all;
    if (n_all == 0 || !is_boxed_across(m)) {
        return STOA_OK;
    }
    indices = stoa_alloc((size_t)n_all, sizeof *indices);
    STOA_RETURN_NO_MEMORY(err, indices);
    *n = 0;
    STOA_TRY(read_integers(m->indices, pointers[0], n_all, m->box.extent[1 - m->line_axis], indices,
                           err));
    for (uint64_t i = 0; i < n_all; i++) {
        *n += is_across(m, indices[i]);
    }

done:
    free(indices);
    return status;
}

/* End a block before a line. */
static stoa_status end_block(matrix *m, stoa_blocks *blocks, uint64_t line, uint64_t n,
                             stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_buffer_append(&m->lines, &line, sizeof line, err));
    return stoa_blocks_add(blocks, n, err);
}

/* Divide n lines, whose pointers are given, into blocks. */
static stoa_status divide_lines(matrix *m, stoa_blocks *blocks, uint64_t first, uint64_t n,
                                const uint64_t *pointers, stoa_error *err)
{
    uint64_t begin = 0;

    for (uint64_t i = 1; i <= n; i++) {
        uint64_t n_entries = 0;
        if (i < n && pointers[i] - pointers[begin] < BLOCK_ENTRIES) {
            continue;
        }
        STOA_RETURN_NOT_OK(count_entries(m, pointers + begin, i - begin, &n_entries, err));
        STOA_RETURN_NOT_OK(end_block(m, blocks, first + i, n_entries, err));
        begin = i;
    }
    return STOA_OK;
}

static stoa_status divide_group(matrix *m, stoa_blocks *blocks, stoa_error *err)
{
    const uint64_t end = m->box.start[m->line_axis] + m->box.count[m->line_axis];
    uint64_t *const pointers = stoa_alloc(MAX_LINES + 1, sizeof *pointers);
    stoa_status status = STOA_OK;

    STOA_RETURN_NO_MEMORY(err, pointers);
    for (uint64_t at = m->box.start[m->line_axis]; at < end;) {
        const uint64_t n = end - at < MAX_LINES ? end - at : MAX_LINES;
        STOA_TRY(read_pointers(m, at, n, pointers, err));
        STOA_TRY(divide_lines(m, blocks, at, n, pointers, err));
        at += n;
    }

done:
    free(pointers);
    return status;
}

/* --- blocks ---------------------------------------------------------------------------------- */

/* What a block is made of. */
typedef struct block {
    int64_t *at[H5S_MAX_RANK]; /* coordinates */
    int64_t *picks;            /* the values among those read */
    uint64_t n;
} block;

static stoa_status make_block(block *b, unsigned rank, uint64_t n, stoa_error *err)
{
    b->n = 0;
    b->picks = stoa_alloc((size_t)n, sizeof *b->picks);
    STOA_RETURN_NO_MEMORY(err, b->picks);
    for (unsigned i = 0; i < rank; i++) {
        b->at[i] = stoa_alloc((size_t)n, sizeof *b->at[i]);
        STOA_RETURN_NO_MEMORY(err, b->at[i]);
    }
    return STOA_OK;
}

static void clear_block(block *b)
{
    free(b->picks);
    for (unsigned i = 0; i < H5S_MAX_RANK; i++) {
        free(b->at[i]);
    }
}

/* The coordinates of lines [first, first + n) of a group, whose entries begin with `*from`. */
static stoa_status find_entries(const matrix *m, uint64_t first, uint64_t n, block *b,
                                uint64_t *from, uint64_t *n_read, stoa_error *err)
{
    uint64_t *const pointers = stoa_alloc((size_t)n + 1, sizeof *pointers);
    uint64_t *indices = NULL;
    stoa_status status = STOA_OK;

    STOA_TRY(pointers != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(read_pointers(m, first, n, pointers, err));
    *from = pointers[0];
    *n_read = pointers[n] - pointers[0];
    indices = stoa_alloc((size_t)*n_read, sizeof *indices);
    STOA_TRY(indices != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(make_block(b, 2, *n_read, err));
    STOA_TRY(
        read_integers(m->indices, *from, *n_read, m->box.extent[1 - m->line_axis], indices, err));
    for (uint64_t line = 0; line < n; line++) {
        for (uint64_t i = pointers[line] - *from; i < pointers[line + 1] - *from; i++) {
            if (is_across(m, indices[i])) {
                b->at[m->line_axis][b->n] = (int64_t)(first + line);
                b->at[1 - m->line_axis][b->n] = (int64_t)indices[i];
                b->picks[b->n++] = (int64_t)i;
            }
        }
    }

done:
    free(pointers);
    free(indices);
    return status;
}

/* The same for lines of an array. */
static stoa_status find_elements(const matrix *m, uint64_t first, uint64_t n, block *b,
                                 stoa_error *err)
{
    const stoa_array_box *const box = &m->box;
    uint64_t at[H5S_MAX_RANK];
    uint64_t n_all = n;

    for (unsigned i = 1; i < box->rank; i++) {
        n_all *= box->count[i];
    }
    STOA_RETURN_NOT_OK(make_block(b, box->rank, n_all, err));
    memcpy(at, box->start, sizeof at);
    at[0] = first;
    while (b->n < n_all) {
        uint64_t place = at[0] - first;
        for (unsigned i = 1; i < box->rank; i++) {
            place = place * box->extent[i] + at[i];
        }
        for (unsigned i = 0; i < box->rank; i++) {
            b->at[i][b->n] = (int64_t)at[i];
        }
        b->picks[b->n++] = (int64_t)place;
        for (unsigned i = box->rank; i-- > 0;) {
            if (++at[i] < box->start[i] + box->count[i] || i == 0) {
                break;
            }
            at[i] = box->start[i];
        }
    }
    return STOA_OK;
}

/* The elements of fixed-size lists, however deep; those of other columns are their rows. */
static stoa_status innermost(stoa_view *view, stoa_error *err)
{
    while (view->type.kind == STOA_KIND_FIXED_LIST) {
        stoa_view child;
        STOA_RETURN_NOT_OK(stoa_view_child(view, 0, &child, err));
        *view = child;
    }
    return STOA_OK;
}

static stoa_status emit(const matrix *m, block *b, uint64_t first, uint64_t n_read,
                        struct ArrowArray *out, stoa_error *err)
{
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};
    const unsigned rank = m->box.rank;
    void *const none[] = {NULL};
    stoa_status status = STOA_OK;
    stoa_view values;

    STOA_TRY(read_column(m->values, first, n_read, &schema, &array, &values, err));
    STOA_TRY(innermost(&values, err));
    STOA_TRY(stoa_array_make(out, (int64_t)b->n, 0, 1, none, err));
    STOA_TRY(stoa_array_children(out, (int64_t)rank + 1, err));
    for (unsigned i = 0; i < rank; i++) {
        void *const buffers[] = {NULL, b->at[i]};
        b->at[i] = NULL;
        STOA_TRY(stoa_array_make(out->children[i], (int64_t)b->n, 0, 2, buffers, err));
    }
    STOA_TRY(stoa_take_rows(&values, b->picks, (int64_t)b->n, out->children[rank], err));

done:
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    if (status != STOA_OK) {
        stoa_array_release(out);
    }
    return status;
}

static stoa_status read_block(void *context, size_t i, struct ArrowArray *out, stoa_error *err)
{
    const matrix *const m = context;
    const uint64_t *const lines = (const uint64_t *)(const void *)m->lines.data;
    const uint64_t n_lines = lines[i + 1] - lines[i];
    block b = {.n = 0};
    uint64_t first = lines[i];
    uint64_t n_read = n_lines;
    stoa_status status = STOA_OK;

    STOA_TRY(m->is_dense ? find_elements(m, lines[i], n_lines, &b, err)
                         : find_entries(m, lines[i], n_lines, &b, &first, &n_read, err));
    STOA_TRY(emit(m, &b, first, n_read, out, err));

done:
    clear_block(&b);
    return status;
}

/* --- opening --------------------------------------------------------------------------------- */

static stoa_status open_group(hid_t group, matrix *m, stoa_error *err)
{
    stoa_matrix_group_info info = STOA_MATRIX_GROUP_INFO_INIT;

    STOA_RETURN_NOT_OK(stoa_matrix_group_describe(group, ".", &info, err));
    m->line_axis = info.form == STOA_MATRIX_CSC ? 1 : 0;
    m->box.rank = 2;
    m->box.extent[0] = info.n_rows;
    m->box.extent[1] = info.n_columns;
    STOA_RETURN_NOT_OK(stoa_anndata_values(group, "indptr", "indptr", &m->pointers, err));
    STOA_RETURN_NOT_OK(stoa_anndata_values(group, "indices", "indices", &m->indices, err));
    STOA_RETURN_NOT_OK(stoa_anndata_values(group, "data", "data", &m->values, err));
    const uint64_t n_lines = m->box.extent[m->line_axis];
    if (n_lines == UINT64_MAX || m->pointers->n_rows != n_lines + 1) {
        return stoa_fail(err, STOA_EDATA, "'indptr' has %llu elements, and there are %llu %s",
                         (unsigned long long)m->pointers->n_rows, (unsigned long long)n_lines,
                         m->line_axis == 0 ? "rows" : "columns");
    }
    if (m->indices->n_rows != m->values->n_rows) {
        return stoa_fail(err, STOA_EDATA, "'indices' has %llu elements, 'data' %llu",
                         (unsigned long long)m->indices->n_rows,
                         (unsigned long long)m->values->n_rows);
    }
    return STOA_OK;
}

static stoa_status open_array(hid_t dataset, matrix *m, stoa_error *err)
{
    int rank = 0;
    hid_t own = H5I_INVALID_HID;

    STOA_RETURN_NOT_OK(stoa_extent_read(dataset, &rank, m->box.extent, err));
    m->is_dense = true;
    m->box.rank = (unsigned)rank;
    m->width = 1;
    for (int i = 1; i < rank; i++) {
        m->width *= m->box.extent[i];
    }
    STOA_RETURN_HDF_ERROR(err, own = stoa_open_here(dataset, "."), "open it");
    return stoa_column_of_dataset("value", own, 0, STOA_WHOLE_ROWS, &m->values, err);
}

static stoa_status divide_array(matrix *m, stoa_blocks *blocks, stoa_error *err)
{
    const uint64_t end = m->box.start[0] + m->box.count[0];
    const uint64_t width = m->width > 0 ? m->width : 1;
    const uint64_t n_lines = width < BLOCK_ENTRIES ? BLOCK_ENTRIES / width : 1;
    uint64_t n_each = 1;

    for (unsigned i = 1; i < m->box.rank; i++) {
        n_each *= m->box.count[i];
    }
    for (uint64_t at = m->box.start[0]; at < end && n_each > 0;) {
        const uint64_t n = end - at < n_lines ? end - at : n_lines;
        at += n;
        STOA_RETURN_NOT_OK(end_block(m, blocks, at, n * n_each, err));
    }
    return STOA_OK;
}

static stoa_status make_schema(const matrix *m, struct ArrowSchema *out, stoa_error *err)
{
    struct ArrowSchema values = {.release = NULL};
    stoa_status status = STOA_OK;
    uint64_t extent[H5S_MAX_RANK];

    memcpy(extent, m->box.extent, sizeof extent);
    STOA_TRY(stoa_arrow_entries_schema(m->box.rank, extent, out, err));
    STOA_TRY(stoa_column_schema(m->values, &values, err));
    const struct ArrowSchema *value = &values;
    while (value->n_children == 1) {
        value = value->children[0];
    }
    STOA_TRY(stoa_schema_copy(value, out->children[m->box.rank], err));
    STOA_TRY(stoa_schema_rename(out->children[m->box.rank], "value", err));

done:
    stoa_schema_release(&values);
    return status;
}

stoa_status stoa_anndata_open_entries(hid_t object, const char *path, const char *file,
                                      const char *text, stoa_array_box *box, stoa_table **table,
                                      stoa_error *err)
{
    stoa_blocks blocks = {.n = 0};
    stoa_status status = STOA_OK;
    matrix *const m = stoa_alloc_zero(1, sizeof *m);

    STOA_TRY(m != NULL ? STOA_OK : stoa_fail_memory(err));
    blocks.read = read_block;
    blocks.close = close_matrix;
    blocks.context = m;
    STOA_TRY(H5Iget_type(object) == H5I_GROUP ? open_group(object, m, err)
                                              : open_array(object, m, err));
    STOA_TRY(stoa_array_box_parse(text, &m->box, err));
    *box = m->box;
    box->is_dense = m->is_dense;
    STOA_TRY(make_schema(m, &blocks.schema, err));
    const uint64_t first = m->box.start[m->line_axis];
    STOA_TRY(stoa_buffer_append(&m->lines, &first, sizeof first, err));
    STOA_TRY(m->is_dense ? divide_array(m, &blocks, err) : divide_group(m, &blocks, err));
    const hid_t taken = object;
    object = H5I_INVALID_HID;
    STOA_TRY(stoa_block_table_open(taken, path, file, "entries", &blocks, table, err));

done:
    stoa_blocks_clear(&blocks);
    return stoa_hdf_close(&object, status, err);
}
