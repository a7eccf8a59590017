/*
 * Entries of matrices (entries.h), in blocks of whole lines.
 *
 * The file is untrusted: pointers and indices are checked whenever they are read.
 */
#include "layout/common/entries.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "arrow/take.h"
#include "column/read/rows.h"
#include "core/memory.h"
#include "layout/common/block_table.h"
#include "sparse/array/arrow.h"

enum { BLOCK_ENTRIES = 1 << 16, MAX_LINES = 1 << 16 };

void stoa_entries_clear(stoa_entries *entries)
{
    stoa_column_close(entries->pointers);
    stoa_column_close(entries->lines);
    stoa_column_close(entries->indices);
    stoa_column_close(entries->values);
    stoa_buffer_clear(&entries->blocks);
    *entries = (stoa_entries){.rule = NULL};
}

static void close_entries(void *context)
{
    stoa_entries_clear(context);
    free(context);
}

/* Say which rule the file breaks. Returns the status. */
static stoa_status name_rule(const char *rule, stoa_status status, stoa_error *err)
{
    if (status == STOA_EDATA && rule != NULL) {
        stoa_advise(err, " (%s)", rule);
    }
    return status;
}

/* Read integers that are below `end`. */
static stoa_status read_integers(stoa_column *column, uint64_t first, uint64_t n, uint64_t end,
                                 uint64_t *out, stoa_error *err)
{
    stoa_column_rows rows = {.array.release = NULL};
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_column_rows_read(column, first, n, &rows, err));
    if (!stoa_kind_is_integer(rows.view.type.kind)) {
        STOA_FAIL(err, STOA_EDATA, "'%s' has no integers", stoa_column_name(column));
    }
    for (uint64_t i = 0; i < n; i++) {
        const int64_t number =
            stoa_view_is_null(&rows.view, (int64_t)i) ? -1 : stoa_view_i64(&rows.view, (int64_t)i);
        if (number < 0 || (uint64_t)number >= end) {
            STOA_FAIL(err, STOA_EDATA, "'%s' has %lld at %llu, which is outside of 0 to %llu",
                      stoa_column_name(column), (long long)number, (unsigned long long)(first + i),
                      (unsigned long long)end - 1);
        }
        out[i] = (uint64_t)number;
    }

done:
    stoa_column_rows_clear(&rows);
    return status;
}

/* --- lines ----------------------------------------------------------------------------------- */

static uint64_t count_stored(const stoa_entries *m)
{
    return m->indices != NULL ? m->indices->n_rows : m->lines->n_rows;
}

/* Read where n lines begin, and where the last one ends. */
static stoa_status read_pointers(const stoa_entries *m, uint64_t first, uint64_t n,
                                 uint64_t *pointers, stoa_error *err)
{
    for (uint64_t i = 0; m->pointers == NULL && i <= n; i++) {
        pointers[i] = first + i;
    }
    if (m->pointers == NULL) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(
        read_integers(m->pointers, first, n + 1, count_stored(m) + 1, pointers, err));
    for (uint64_t i = 0; i < n; i++) {
        if (pointers[i + 1] < pointers[i]) {
            return stoa_fail(err, STOA_EDATA, "'%s' has %llu after %llu, at %llu",
                             stoa_column_name(m->pointers), (unsigned long long)pointers[i + 1],
                             (unsigned long long)pointers[i], (unsigned long long)(first + i + 1));
        }
    }
    return STOA_OK;
}

/* Read the indices of n lines. */
static stoa_status read_lines(const stoa_entries *m, uint64_t first, uint64_t n, uint64_t *lines,
                              stoa_error *err)
{
    if (m->lines != NULL) {
        return read_integers(m->lines, first, n, m->box.extent[m->line_axis], lines, err);
    }
    for (uint64_t i = 0; i < n; i++) {
        lines[i] = first + i;
    }
    return STOA_OK;
}

/* Whether any line may have entries of the box; else those of its own range alone. */
static bool has_any_line(const stoa_entries *m)
{
    return m->lines != NULL || m->mirror != STOA_ENTRIES_ALL;
}

/* Whether entries must be looked at to know how many of them are in the box. */
static bool must_look(const stoa_entries *m)
{
    bool must = m->mirror != STOA_ENTRIES_ALL;

    for (unsigned i = 0; i < m->box.rank; i++) {
        must |= !stoa_array_box_is_whole(&m->box, i) && (i != m->line_axis || m->lines != NULL);
    }
    return must;
}

/* --- entries --------------------------------------------------------------------------------- */

/* What a block is made of. */
typedef struct block {
    int64_t *at[H5S_MAX_RANK]; /* coordinates */
    int64_t *picks;            /* the values among those read */
    uint64_t n;
    uint64_t n_stored; /* entries of the file, which come first */
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

/* Add an entry, if it is in the box. */
static void add_entry(const stoa_entries *m, const uint64_t at[2], uint64_t value, block *b)
{
    const stoa_array_box *const box = &m->box;

    for (unsigned i = 0; i < box->rank; i++) {
        if (at[i] < box->start[i] || at[i] - box->start[i] >= box->count[i]) {
            return;
        }
    }
    for (unsigned i = 0; i < box->rank; i++) {
        b->at[i][b->n] = (int64_t)at[i];
    }
    b->picks[b->n++] = (int64_t)value;
}

/* Lines with their entries, as they are read. */
typedef struct some_lines {
    uint64_t n;
    uint64_t *pointers;
    uint64_t *lines;
    uint64_t *indices;
} some_lines;

/* Add the entries that are stored, or those that follow from them. */
static stoa_status add_entries(const stoa_entries *m, const some_lines *s, bool is_mirrored,
                               block *b, stoa_error *err)
{
    const unsigned line_axis = m->line_axis;

    for (uint64_t line = 0; line < s->n; line++) {
        for (uint64_t k = s->pointers[line]; k < s->pointers[line + 1]; k++) {
            const uint64_t i = k - s->pointers[0];
            uint64_t at[2] = {0, 0};
            at[is_mirrored ? 1 - line_axis : line_axis] = s->lines[line];
            if (m->indices != NULL) {
                at[is_mirrored ? line_axis : 1 - line_axis] = s->indices[i];
            }
            if (m->mirror != STOA_ENTRIES_ALL && !is_mirrored &&
                (m->is_upper ? at[0] > at[1] : at[0] < at[1])) {
                return stoa_fail(err, STOA_EDATA,
                                 "there is an entry at %llu, %llu, outside of the "
                                 "%s triangle",
                                 (unsigned long long)at[0], (unsigned long long)at[1],
                                 m->is_upper ? "upper" : "lower");
            }
            if (!is_mirrored || at[0] != at[1]) {
                add_entry(m, at, m->is_iso ? 0 : i, b);
            }
        }
    }
    return STOA_OK;
}

/* The entries of lines [first, first + n), whose values begin with `*from`. */
static stoa_status find_entries(const stoa_entries *m, uint64_t first, uint64_t n, block *b,
                                uint64_t *from, uint64_t *n_read, stoa_error *err)
{
    some_lines s = {.n = n,
                    .pointers = stoa_alloc((size_t)n + 1, sizeof *s.pointers),
                    .lines = stoa_alloc((size_t)n, sizeof *s.lines)};
    const bool has_mirror = m->mirror != STOA_ENTRIES_ALL;
    stoa_status status = STOA_OK;

    STOA_TRY(s.pointers != NULL && s.lines != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(read_pointers(m, first, n, s.pointers, err));
    STOA_TRY(read_lines(m, first, n, s.lines, err));
    const uint64_t n_entries = s.pointers[n] - s.pointers[0];
    *from = m->is_iso ? 0 : s.pointers[0];
    *n_read = m->is_iso ? 1 : n_entries;
    STOA_TRY(make_block(b, m->box.rank, has_mirror ? 2 * n_entries : n_entries, err));
    if (m->indices != NULL) {
        s.indices = stoa_alloc((size_t)n_entries, sizeof *s.indices);
        STOA_TRY(s.indices != NULL ? STOA_OK : stoa_fail_memory(err));
        STOA_TRY(read_integers(m->indices, s.pointers[0], n_entries,
                               m->box.extent[1 - m->line_axis], s.indices, err));
    }
    STOA_TRY(add_entries(m, &s, false, b, err));
    b->n_stored = b->n;
    STOA_TRY(has_mirror ? add_entries(m, &s, true, b, err) : STOA_OK);

done:
    free(s.pointers);
    free(s.lines);
    free(s.indices);
    return status;
}

/* The entries of lines that are in the box. */
static stoa_status count_entries(const stoa_entries *m, uint64_t first, uint64_t n, uint64_t *count,
                                 stoa_error *err)
{
    block b = {.n = 0};
    uint64_t unused[2];

    const stoa_status status = find_entries(m, first, n, &b, &unused[0], &unused[1], err);
    *count = b.n;
    clear_block(&b);
    return status;
}

/* --- dividing -------------------------------------------------------------------------------- */

/* End a block before a line. */
static stoa_status end_block(stoa_entries *m, stoa_blocks *blocks, uint64_t line, uint64_t n,
                             stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_buffer_append(&m->blocks, &line, sizeof line, err));
    return stoa_blocks_add(blocks, n, err);
}

/* Divide n lines, whose pointers are given, into blocks. */
static stoa_status divide_lines(stoa_entries *m, stoa_blocks *blocks, uint64_t first, uint64_t n,
                                const uint64_t *pointers, stoa_error *err)
{
    uint64_t begin = 0;

    for (uint64_t i = 1; i <= n; i++) {
        uint64_t n_entries = pointers[i] - pointers[begin];
        if (i < n && n_entries < BLOCK_ENTRIES) {
            continue;
        }
        STOA_RETURN_NOT_OK(must_look(m) && n_entries > 0
                               ? count_entries(m, first + begin, i - begin, &n_entries, err)
                               : STOA_OK);
        STOA_RETURN_NOT_OK(end_block(m, blocks, first + i, n_entries, err));
        begin = i;
    }
    return STOA_OK;
}

static stoa_status divide_lines_in(stoa_entries *m, stoa_blocks *blocks, uint64_t at, uint64_t end,
                                   stoa_error *err)
{
    uint64_t *const pointers = stoa_alloc(MAX_LINES + 1, sizeof *pointers);
    stoa_status status = STOA_OK;

    STOA_RETURN_NO_MEMORY(err, pointers);
    while (at < end) {
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

/* The elements of lines of an array. */
static stoa_status find_elements(const stoa_entries *m, uint64_t first, uint64_t n, block *b,
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

/* Negate the numbers of the entries that are not stored. The array is a new one. */
static stoa_status negate_numbers(const stoa_view *view, const block *b, stoa_error *err)
{
    void *const numbers = (void *)(uintptr_t)view->values;

    for (uint64_t i = b->n_stored + (uint64_t)view->offset; i < b->n + (uint64_t)view->offset;
         i++) {
        switch (view->type.kind) {
        case STOA_KIND_FLOAT64:
            ((double *)numbers)[i] *= -1;
            break;
        case STOA_KIND_FLOAT32:
            ((float *)numbers)[i] *= -1;
            break;
        case STOA_KIND_INT64:
            ((uint64_t *)numbers)[i] = 0 - ((uint64_t *)numbers)[i];
            break;
        case STOA_KIND_INT32:
            ((uint32_t *)numbers)[i] = 0 - ((uint32_t *)numbers)[i];
            break;
        case STOA_KIND_INT16:
            ((uint16_t *)numbers)[i] = (uint16_t)(0 - ((uint16_t *)numbers)[i]);
            break;
        case STOA_KIND_INT8:
            ((uint8_t *)numbers)[i] = (uint8_t)(0 - ((uint8_t *)numbers)[i]);
            break;
        default:
            return stoa_fail(err, STOA_EDATA, "the values have no negative");
        }
    }
    return STOA_OK;
}

static stoa_status negate(const stoa_entries *m, const struct ArrowSchema *schema,
                          const struct ArrowArray *array, const block *b, stoa_error *err)
{
    stoa_view view;
    stoa_view part;

    STOA_RETURN_NOT_OK(stoa_view_of(schema, array, &view, err));
    if (view.type.kind != STOA_KIND_STRUCT) {
        return m->mirror == STOA_ENTRIES_NEGATIVE
                   ? negate_numbers(&view, b, err)
                   : stoa_fail(err, STOA_EDATA, "the values are not complex");
    }
    for (int64_t i = m->mirror == STOA_ENTRIES_NEGATIVE ? 0 : 1; i < 2; i++) {
        STOA_RETURN_NOT_OK(stoa_view_child(&view, i, &part, err));
        STOA_RETURN_NOT_OK(negate_numbers(&part, b, err));
    }
    return STOA_OK;
}

static stoa_status emit(const stoa_entries *m, block *b, uint64_t first, uint64_t n_read,
                        struct ArrowArray *out, stoa_error *err)
{
    stoa_column_rows rows = {.array.release = NULL};
    const unsigned rank = m->box.rank;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_column_rows_read(m->values, first, n_read, &rows, err));
    STOA_TRY(innermost(&rows.view, err));
    STOA_TRY(stoa_array_struct(out, (int64_t)b->n, (int64_t)rank + 1, err));
    for (unsigned i = 0; i < rank; i++) {
        void *const buffers[] = {NULL, b->at[i]};
        b->at[i] = NULL;
        STOA_TRY(stoa_array_make(out->children[i], (int64_t)b->n, 0, 2, buffers, err));
    }
    STOA_TRY(stoa_take_rows(&rows.view, b->picks, (int64_t)b->n, out->children[rank], err));
    STOA_TRY(m->mirror >= STOA_ENTRIES_NEGATIVE
                 ? negate(m, &rows.schema, out->children[rank], b, err)
                 : STOA_OK);

done:
    stoa_column_rows_clear(&rows);
    if (status != STOA_OK) {
        stoa_array_release(out);
    }
    return status;
}

static stoa_status read_block(void *context, size_t i, struct ArrowArray *out, stoa_error *err)
{
    const stoa_entries *const m = context;
    const uint64_t *const lines = (const uint64_t *)(const void *)m->blocks.data;
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
    return name_rule(m->rule, status, err);
}

/* --- opening --------------------------------------------------------------------------------- */

static stoa_status check_end(const stoa_entries *m, uint64_t i, uint64_t expected, stoa_error *err)
{
    uint64_t pointer = 0;

    STOA_RETURN_NOT_OK(read_integers(m->pointers, i, 1, count_stored(m) + 1, &pointer, err));
    return pointer == expected
               ? STOA_OK
               : stoa_fail(err, STOA_EDATA, "'%s' has %llu at %llu, not %llu",
                           stoa_column_name(m->pointers), (unsigned long long)pointer,
                           (unsigned long long)i, (unsigned long long)expected);
}

/* The parts have the lengths that belong together. Sets n_lines. */
static stoa_status check_lengths(stoa_entries *m, stoa_error *err)
{
    const uint64_t n_values = m->is_iso ? count_stored(m) : m->values->n_rows;

    m->n_lines = m->lines != NULL ? m->lines->n_rows : m->box.extent[m->line_axis];
    if (m->pointers == NULL && m->n_lines != count_stored(m)) {
        return stoa_fail(err, STOA_EDATA, "'%s' has %llu elements, '%s' %llu",
                         stoa_column_name(m->lines), (unsigned long long)m->n_lines,
                         stoa_column_name(m->indices), (unsigned long long)count_stored(m));
    }
    if (m->pointers != NULL &&
        (m->n_lines == UINT64_MAX || m->pointers->n_rows != m->n_lines + 1)) {
        return stoa_fail(err, STOA_EDATA, "'%s' has %llu elements, and there are %llu %s",
                         stoa_column_name(m->pointers), (unsigned long long)m->pointers->n_rows,
                         (unsigned long long)m->n_lines, m->line_axis == 0 ? "rows" : "columns");
    }
    if (count_stored(m) != n_values || (m->is_iso && m->values->n_rows != 1)) {
        return stoa_fail(err, STOA_EDATA, "'%s' has %llu elements, '%s' %llu",
                         stoa_column_name(m->indices != NULL ? m->indices : m->lines),
                         (unsigned long long)count_stored(m), stoa_column_name(m->values),
                         (unsigned long long)m->values->n_rows);
    }
    if (m->mirror != STOA_ENTRIES_ALL && m->box.extent[0] != m->box.extent[1]) {
        return stoa_fail(err, STOA_EDATA, "%llu x %llu is not square, as a symmetric matrix is",
                         (unsigned long long)m->box.extent[0],
                         (unsigned long long)m->box.extent[1]);
    }
    if (m->pointers != NULL) {
        STOA_RETURN_NOT_OK(check_end(m, 0, 0, err));
        STOA_RETURN_NOT_OK(check_end(m, m->n_lines, count_stored(m), err));
    }
    return STOA_OK;
}

static stoa_status divide_dense(stoa_entries *m, stoa_blocks *blocks, stoa_error *err)
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

static stoa_status make_schema(const stoa_entries *m, struct ArrowSchema *out, stoa_error *err)
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

static stoa_status divide(stoa_entries *m, stoa_blocks *blocks, stoa_error *err)
{
    const stoa_array_box *const box = &m->box;
    const bool is_any = !m->is_dense && has_any_line(m);
    const uint64_t first = is_any ? 0 : box->start[m->line_axis];
    const uint64_t end = is_any ? m->n_lines : first + box->count[m->line_axis];

    STOA_RETURN_NOT_OK(stoa_buffer_append(&m->blocks, &first, sizeof first, err));
    return m->is_dense ? divide_dense(m, blocks, err) : divide_lines_in(m, blocks, first, end, err);
}

stoa_status stoa_entries_open(hid_t object, const char *path, const char *file, const char *text,
                              stoa_entries *entries, stoa_array_box *box, stoa_table **table,
                              stoa_error *err)
{
    stoa_blocks blocks = {.n = 0};
    stoa_status status = STOA_OK;
    const char *const rule = entries->rule;
    stoa_entries *const m = stoa_alloc_zero(1, sizeof *m);

    STOA_TRY(m != NULL ? STOA_OK : stoa_fail_memory(err));
    *m = *entries;
    *entries = (stoa_entries){.rule = NULL};
    blocks.read = read_block;
    blocks.close = close_entries;
    blocks.context = m;
    m->width = 1;
    for (unsigned i = 1; i < m->box.rank; i++) {
        m->width *= m->box.extent[i];
    }
    STOA_TRY(m->is_dense ? STOA_OK : check_lengths(m, err));
    STOA_TRY(stoa_array_box_parse(text, &m->box, err));
    *box = m->box;
    box->is_dense = m->is_dense;
    box->is_by_column = m->pointers != NULL && m->line_axis == 1;
    STOA_TRY(make_schema(m, &blocks.schema, err));
    STOA_TRY(divide(m, &blocks, err));
    const hid_t taken = object;
    object = H5I_INVALID_HID;
    STOA_TRY(stoa_block_table_open(taken, path, file, "entries", &blocks, table, err));

done:
    stoa_entries_clear(entries);
    stoa_blocks_clear(&blocks);
    return stoa_hdf_close(&object, name_rule(rule, status, err), err);
}
