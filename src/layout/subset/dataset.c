/*
 * Copies the selected elements of one dataset (plan.h).
 *
 * The copy is written in blocks of whole chunks, so that each is encoded once. For each block, the
 * source is read in windows of whole chunks, so that few are decoded twice. Both are bounded, but
 * hold at least one chunk. A cell is what lies at one row and one column: all further dimensions.
 * The elements of a list are columns of one row, so that runs of them are copied at once.
 */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/chunk/chunk_checks.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/metadata/other_files.h"
#include "hdf/read/checked_reader.h"
#include "layout/common/extent.h"
#include "layout/subset/plan.h"

enum {
    MAX_BYTES = 4 << 20, /* of a block, and of a window */
    MAX_LINES = 1 << 18  /* rows or columns of a block */
};

/* One of the first two dimensions. */
typedef struct axis {
    const stoa_axis_lines *lines;
    uint64_t n;      /* in the source */
    uint64_t n_out;  /* in the copy */
    uint64_t window; /* lines of the source that are read at once */
    uint64_t block;  /* lines of the copy that are written at once */
    stoa_line_cursor at;
    uint64_t *numbers; /* in the source, of the lines of a block */
    uint64_t first;    /* in the copy, of the block */
    uint64_t count;    /* in the block */
} axis;

typedef struct picker {
    const stoa_subset_item *item;
    hid_t source;
    hid_t copy;
    hid_t type;
    int rank;
    hsize_t extent[H5S_MAX_RANK]; /* of the source */
    size_t cell;                  /* bytes */
    axis axes[2];                 /* rows, columns */
    bool has_parts;               /* elements have parts of their own in memory */
    stoa_checked_reader reader;
    uint8_t *in;
    uint8_t *out;
} picker;

/* --- sizes ----------------------------------------------------------------------------------- */

/* The axis of a dimension. */
static int axis_of(const picker *p, int dimension)
{
    return p->rank == 1 ? 1 : dimension;
}

/* Rows and columns of a chunk; of a dataset without chunks, one row of all columns. */
static stoa_status chunk_of(const picker *p, hid_t dataset, uint64_t n_columns, uint64_t *chunk,
                            stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t creation = H5I_INVALID_HID;
    hsize_t own[H5S_MAX_RANK];

    chunk[0] = 1;
    chunk[1] = p->rank > 1 ? n_columns : 1;
    STOA_HDF(err, creation = stoa_dataset_properties(dataset), "get the creation properties");
    if (H5Pget_layout(creation) == H5D_CHUNKED) {
        STOA_HDF(err, H5Pget_chunk(creation, p->rank, own), "get the chunk's shape");
        chunk[axis_of(p, 0)] = own[0];
        chunk[1] = p->rank > 1 ? own[1] : chunk[1];
    }

done:
    return stoa_hdf_close(&creation, status, err);
}

static uint64_t at_most(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* As many whole chunks as the limits allow: all columns if possible, then rows. */
static void choose_window(const uint64_t *chunk, const uint64_t *n, size_t cell, uint64_t *size)
{
    const uint64_t most = MAX_BYTES / (cell > 0 ? cell : 1);
    const uint64_t columns = at_most(most / chunk[0], MAX_LINES);

    size[1] = columns >= n[1] ? n[1] : columns / chunk[1] * chunk[1];
    size[1] = size[1] > 0 ? size[1] : at_most(chunk[1], n[1]);
    const uint64_t rows = at_most(most / (size[1] > 0 ? size[1] : 1), MAX_LINES);
    size[0] = rows >= n[0] ? n[0] : rows / chunk[0] * chunk[0];
    size[0] = size[0] > 0 ? size[0] : at_most(chunk[0], n[0]);
}

static stoa_status choose_sizes(picker *p, stoa_error *err)
{
    const uint64_t n[2] = {p->axes[0].n, p->axes[1].n};
    const uint64_t n_out[2] = {p->axes[0].n_out, p->axes[1].n_out};
    uint64_t chunk[2];
    uint64_t size[2];

    STOA_RETURN_NOT_OK(chunk_of(p, p->source, n[1], chunk, err));
    choose_window(chunk, n, p->cell, size);
    p->axes[0].window = size[0];
    p->axes[1].window = size[1];
    STOA_RETURN_NOT_OK(chunk_of(p, p->copy, n_out[1], chunk, err));
    choose_window(chunk, n_out, p->cell, size);
    p->axes[0].block = size[0];
    p->axes[1].block = size[1];
    return STOA_OK;
}

static stoa_status allocate(picker *p, stoa_error *err)
{
    for (int i = 0; i < 2; i++) {
        p->axes[i].numbers = stoa_alloc((size_t)p->axes[i].block, sizeof(uint64_t));
        STOA_RETURN_NO_MEMORY(err, p->axes[i].numbers);
    }
    p->in = stoa_alloc_zero((size_t)(p->axes[0].window * p->axes[1].window), p->cell);
    p->out = stoa_alloc_zero((size_t)(p->axes[0].block * p->axes[1].block), p->cell);
    return p->in != NULL && p->out != NULL ? STOA_OK : stoa_fail_memory(err);
}

static stoa_status open(picker *p, stoa_error *err)
{
    STOA_RETURN_HDF_ERROR(err, p->type = H5Dget_type(p->source), "get the datatype");
    STOA_RETURN_NOT_OK(stoa_extent_read(p->source, &p->rank, p->extent, err));
    p->cell = H5Tget_size(p->type);
    for (int i = 2; i < p->rank; i++) {
        if (p->extent[i] > 0 && p->cell > SIZE_MAX / p->extent[i]) {
            return stoa_fail(err, STOA_EDATA, "a row is larger than memory");
        }
        p->cell *= (size_t)p->extent[i];
    }
    p->axes[0] = (axis){.n = 1, .n_out = 1};
    for (int i = 0; i < 2 && i < p->rank; i++) {
        const stoa_axis_lines *const lines = i == 0 ? p->item->rows : p->item->columns;
        p->axes[axis_of(p, i)] = (axis){.lines = lines,
                                        .n = p->extent[i],
                                        .n_out = lines != NULL ? lines->n_kept : p->extent[i]};
    }
    p->has_parts = !stoa_type_is_flat(p->type);
    if (p->cell == 0 || p->axes[0].n_out == 0 || p->axes[1].n_out == 0) {
        return STOA_OK; /* nothing to read */
    }
    STOA_RETURN_NOT_OK(choose_sizes(p, err));
    STOA_RETURN_NOT_OK(allocate(p, err));
    STOA_RETURN_NOT_OK(stoa_chunks_check(p->source, err));
    return stoa_checked_reader_open_checked(&p->reader, p->source, err);
}

/* --- reading --------------------------------------------------------------------------------- */

/* The lines of the next block. False if there is none. */
static bool next_block(axis *a)
{
    stoa_range run;

    a->first += a->count;
    a->count = 0;
    while (stoa_axis_lines_next(a->lines, &a->at, a->n, a->block - a->count, &run)) {
        for (uint64_t i = 0; i < run.count; i++) {
            a->numbers[a->count++] = run.first + i;
        }
    }
    return a->count > 0;
}

/* The lines of a block from `from` on that are in the same window. */
static uint64_t within_window(const axis *a, uint64_t from)
{
    const uint64_t end = (a->numbers[from] / a->window + 1) * a->window;
    uint64_t low = from + 1;
    uint64_t high = a->count;

    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (a->numbers[middle] < end) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low - from;
}

/* A part of a block: some of its rows and columns, and the window that has them. */
typedef struct part {
    uint64_t from[2]; /* in the block */
    uint64_t n[2];
    hsize_t start[H5S_MAX_RANK]; /* in the source */
    hsize_t count[H5S_MAX_RANK];
} part;

/* What is not compressed need not be read in whole chunks. */
static void find_window(const picker *p, part *w)
{
    for (int i = 0; i < p->rank; i++) {
        const int k = axis_of(p, i);
        if (k > 1) {
            w->start[i] = 0;
            w->count[i] = p->extent[i];
        } else {
            const axis *const a = &p->axes[k];
            const uint64_t first = a->numbers[w->from[k]];
            const uint64_t last = a->numbers[w->from[k] + w->n[k] - 1];
            const bool is_whole = p->reader.chunk_bytes > 0;
            w->start[i] = is_whole ? first / a->window * a->window : first;
            w->count[i] = is_whole ? at_most(a->window, a->n - w->start[i]) : last - first + 1;
        }
    }
}

/* Move cells of a window into the block. Parts of their own move with them. */
static void gather(const picker *p, const part *w)
{
    const axis *const rows = &p->axes[0];
    const axis *const columns = &p->axes[1];
    const uint64_t top = p->rank > 1 ? w->start[0] : 0;
    const uint64_t left = p->rank > 1 ? w->start[1] : w->start[0];
    const uint64_t width = p->rank > 1 ? w->count[1] : w->count[0];
    const uint64_t *const numbers = columns->numbers + w->from[1];

    for (uint64_t r = 0; r < w->n[0]; r++) {
        uint8_t *const line = p->in + (rows->numbers[w->from[0] + r] - top) * width * p->cell;
        uint8_t *to = p->out + ((w->from[0] + r) * columns->count + w->from[1]) * p->cell;
        for (uint64_t c = 0, n; c < w->n[1]; c += n) {
            for (n = 1; c + n < w->n[1] && numbers[c + n] == numbers[c] + n; n++) {
            }
            uint8_t *const from = line + (numbers[c] - left) * p->cell;
            memcpy(to, from, (size_t)n * p->cell);
            if (p->has_parts) {
                memset(from, 0, (size_t)n * p->cell);
            }
            to += n * p->cell;
        }
    }
}

/* Free the parts of their own that elements have. */
static stoa_status reclaim(const picker *p, void *elements, uint64_t n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const hsize_t n_elements = n * (p->cell / H5Tget_size(p->type));
    hid_t space = H5I_INVALID_HID;

    if (!p->has_parts || n == 0) {
        return STOA_OK;
    }
    STOA_HDF(err, space = H5Screate_simple(1, &n_elements, NULL), "make a dataspace");
    STOA_HDF(err, H5Treclaim(p->type, space, H5P_DEFAULT, elements), "free elements");
    memset(elements, 0, (size_t)n * p->cell);

done:
    return stoa_hdf_close(&space, status, err);
}

static stoa_status read_part(picker *p, part *w, stoa_error *err)
{
    find_window(p, w);
    STOA_RETURN_NOT_OK(stoa_checked_reader_read_any(&p->reader, p->type, w->start, w->count,
                                                    H5P_DEFAULT, p->in, err));
    gather(p, w);
    return reclaim(p, p->in, w->count[0] * (p->rank > 1 ? w->count[1] : 1), err);
}

static stoa_status read_block(picker *p, stoa_error *err)
{
    part w = {.from = {0}};

    for (w.from[0] = 0; w.from[0] < p->axes[0].count; w.from[0] += w.n[0]) {
        w.n[0] = within_window(&p->axes[0], w.from[0]);
        for (w.from[1] = 0; w.from[1] < p->axes[1].count; w.from[1] += w.n[1]) {
            w.n[1] = within_window(&p->axes[1], w.from[1]);
            STOA_RETURN_NOT_OK(read_part(p, &w, err));
        }
    }
    return STOA_OK;
}

/* --- writing --------------------------------------------------------------------------------- */

static uint64_t integer_at(const uint8_t *at, size_t size, bool is_big)
{
    uint64_t value = 0;

    for (size_t i = 0; i < size; i++) {
        value |= (uint64_t)at[is_big ? size - 1 - i : i] << 8 * i;
    }
    return value;
}

/* Replace the codes of labels. A negative one stands for a missing value, and stays. */
static stoa_status change_codes(const picker *p, uint64_t n, stoa_error *err)
{
    const size_t size = H5Tget_size(p->type);
    const bool is_big = H5Tget_order(p->type) == H5T_ORDER_BE;
    const bool is_signed = H5Tget_sign(p->type) == H5T_SGN_2;

    for (uint64_t i = 0; i < n; i++) {
        uint8_t *const at = p->out + i * size;
        const uint64_t code = integer_at(at, size, is_big);
        if (is_signed && (code >> (8 * size - 1) & 1) != 0) {
            continue;
        }
        if (code >= p->item->n_codes || p->item->codes[code] == STOA_LINE_DROPPED) {
            return stoa_fail(err, STOA_EDATA, "has the code %llu; there are %llu labels",
                             (unsigned long long)code, (unsigned long long)p->item->n_codes);
        }
        const uint32_t made = p->item->codes[code];
        for (size_t k = 0; k < size; k++) {
            at[is_big ? size - 1 - k : k] = (uint8_t)(k < sizeof made ? made >> 8 * k : 0);
        }
    }
    return STOA_OK;
}

static stoa_status write_block(const picker *p, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hsize_t start[H5S_MAX_RANK] = {0};
    hsize_t count[H5S_MAX_RANK];
    hid_t space = H5I_INVALID_HID;
    hid_t memory = H5I_INVALID_HID;
    const uint64_t n = p->axes[0].count * p->axes[1].count;

    if (p->item->codes != NULL) {
        STOA_TRY(change_codes(p, n, err));
    }
    for (int i = 0; i < p->rank; i++) {
        const int k = axis_of(p, i);
        start[i] = k < 2 ? p->axes[k].first : 0;
        count[i] = k < 2 ? p->axes[k].count : p->extent[i];
    }
    STOA_HDF(err, space = H5Dget_space(p->copy), "get the shape");
    STOA_HDF(err, H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL),
             "select elements");
    STOA_HDF(err, memory = H5Screate_simple(p->rank, count, NULL), "make a dataspace");
    STOA_HDF(err, H5Dwrite(p->copy, p->type, memory, space, H5P_DEFAULT, p->out), "write elements");

done:
    status = stoa_hdf_close(&memory, status, err);
    return stoa_hdf_close(&space, status, err);
}

static stoa_status copy_all(picker *p, stoa_error *err)
{
    axis *const rows = &p->axes[0];
    axis *const columns = &p->axes[1];

    if (p->out == NULL) {
        return STOA_OK;
    }
    while (next_block(rows)) {
        columns->at = (stoa_line_cursor){0};
        columns->first = columns->count = 0;
        while (next_block(columns)) {
            STOA_RETURN_NOT_OK(read_block(p, err));
            STOA_RETURN_NOT_OK(write_block(p, err));
            STOA_RETURN_NOT_OK(reclaim(p, p->out, rows->count * columns->count, err));
        }
    }
    return STOA_OK;
}

stoa_status stoa_subset_copy_elements(const stoa_subset_item *item, hid_t source, hid_t copy,
                                      stoa_error *err)
{
    picker p = {.item = item,
                .source = source,
                .copy = copy,
                .type = H5I_INVALID_HID,
                .reader = STOA_CHECKED_READER_INIT};
    stoa_status status = STOA_OK;

    STOA_TRY(open(&p, err));
    STOA_TRY(copy_all(&p, err));

done:
    if (status != STOA_OK && p.out != NULL) { /* of a block that was not written */
        (void)reclaim(&p, p.in, p.axes[0].window * p.axes[1].window, NULL);
        (void)reclaim(&p, p.out, p.axes[0].block * p.axes[1].block, NULL);
    }
    stoa_checked_reader_close(&p.reader);
    for (int i = 0; i < 2; i++) {
        free(p.axes[i].numbers);
    }
    free(p.in);
    free(p.out);
    return stoa_hdf_close(&p.type, status, err);
}
