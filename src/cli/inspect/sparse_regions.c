/* Prints the positions and values of a sparse array's defined elements: REGION_TYPE BLOCK and POINT
 * (sparse RFC §4.1). All of them are held in memory. */
#include <stdlib.h>
#include <string.h>

#include "cli/common/terminal.h"
#include "cli/inspect/ddl.h"
#include "cli/inspect/sparse.h"
#include "cli/output/cell.h"
#include "core/min_of.h"
#include "hdf/metadata/types.h"
#include "sparse/store/selection.h"
#include <stoa/sparse.h>

enum { WIDTH = 80 }; /* of a line that can be broken */

typedef struct regions {
    stoa_sink *sink;
    const stoa_sparse_info *info;
    uint64_t *elements; /* their numbers in the extent, ascending */
    uint64_t n;
    stoa_block *blocks;
    size_t n_blocks;
    bool has_values;         /* values are printed */
    const stoa_view *values; /* of all elements in order; for variable-length elements: */
    const stoa_element *element;
    const uint8_t *elements_in_memory;
} regions;

static void put_place(stoa_sink *sink, unsigned rank, const uint64_t *at)
{
    for (unsigned i = 0; i < rank; i++) {
        cli_ddl_print(sink, "%c%llu", i > 0 ? ',' : '(', (unsigned long long)at[i]);
    }
    stoa_sink_char(sink, ')');
}

static uint64_t number_of(const stoa_sparse_info *info, const uint64_t *at)
{
    uint64_t number = 0;

    for (unsigned i = 0; i < info->rank; i++) {
        number = number * info->extent[i] + at[i];
    }
    return number;
}

/* The number of a defined element among all of them. */
static uint64_t order_of(const regions *r, const uint64_t *at)
{
    return stoa_place_of_u64(r->elements, r->n, number_of(r->info, at));
}

static void put_value(const regions *r, stoa_sink *sink, uint64_t i)
{
    if (r->elements_in_memory != NULL) {
        const uint8_t *value = r->elements_in_memory + (size_t)i * r->element->size;
        const stoa_status status = cli_sparse_value(sink, r->element, value, sink->err);
        sink->status = sink->status != STOA_OK ? sink->status : status;
        return;
    }
    const bool is_text =
        r->values->type.kind == STOA_KIND_STRING || r->values->type.kind == STOA_KIND_LARGE_STRING;

    if (is_text) {
        size_t length = 0;
        const char *const bytes = stoa_view_bytes(r->values, (int64_t)i, &length);

        stoa_sink_char(sink, '"');
        cli_escaped(sink, bytes, length);
        stoa_sink_char(sink, '"');
    } else {
        cli_cell(sink, r->values, (int64_t)i);
    }
}

/* Print one row of a block. A line that grows too long is broken; the next one also begins with the
 * coordinates of its first element. */
static stoa_status put_row(const regions *r, uint64_t *at, uint64_t n, bool is_last)
{
    const unsigned last = r->info->rank - 1;
    uint64_t i = order_of(r, at);
    stoa_sink line = {.err = r->sink->err};
    stoa_sink value = {.err = r->sink->err};

    for (uint64_t left = n; left > 0; left--, at[last]++, i++) {
        value.text.size = 0;
        put_value(r, &value, i);
        stoa_sink_text(&value, left == 1 && is_last ? "" : ",");
        if (line.text.size > 0 && line.text.size + 1 + value.text.size > WIDTH) {
            stoa_sink_put(r->sink, line.text.data, line.text.size);
            stoa_sink_char(r->sink, '\n');
            line.text.size = 0;
        }
        if (line.text.size == 0) {
            stoa_sink_text(&line, "    ");
            put_place(&line, last + 1, at);
            stoa_sink_char(&line, ' ');
        }
        stoa_sink_char(&line, ' ');
        stoa_sink_put(&line, value.text.data, value.text.size);
    }
    stoa_sink_put(r->sink, line.text.data, line.text.size);
    stoa_sink_char(r->sink, '\n');
    at[last] -= n;
    const stoa_status status = value.status != STOA_OK ? value.status : line.status;
    stoa_sink_clear(&line);
    stoa_sink_clear(&value);
    return status;
}

/* Advance to the next row of a block; false after the last one. */
static bool next_row(const stoa_block *block, unsigned rank, uint64_t *at)
{
    for (unsigned i = rank - 1; i-- > 0;) {
        if (++at[i] < block->first[i] + block->count[i]) {
            return true;
        }
        at[i] = block->first[i];
    }
    return false;
}

static bool is_last_row(const stoa_block *block, unsigned rank, const uint64_t *at)
{
    bool is = true;

    for (unsigned i = 0; i + 1 < rank; i++) {
        is = is && at[i] + 1 == block->first[i] + block->count[i];
    }
    return is;
}

static stoa_status put_block(const regions *r, const stoa_block *block)
{
    const unsigned rank = r->info->rank;
    uint64_t at[H5S_MAX_RANK];

    for (unsigned i = 0; i < rank; i++) {
        at[i] = block->first[i] + block->count[i] - 1;
    }
    stoa_sink_text(r->sink, "  REGION_TYPE BLOCK ");
    put_place(r->sink, rank, block->first);
    stoa_sink_char(r->sink, '-');
    put_place(r->sink, rank, at);
    stoa_sink_char(r->sink, '\n');
    if (!r->has_values) {
        return STOA_OK;
    }
    memcpy(at, block->first, sizeof at);
    stoa_sink_text(r->sink, "  DATA {\n");
    do {
        STOA_RETURN_NOT_OK(put_row(r, at, block->count[rank - 1], is_last_row(block, rank, at)));
    } while (next_row(block, rank, at));
    stoa_sink_text(r->sink, "  }\n");
    return STOA_OK;
}

static bool is_point(const stoa_block *block, unsigned rank)
{
    bool is = true;

    for (unsigned i = 0; i < rank; i++) {
        is = is && block->count[i] == 1;
    }
    return is;
}

/* Print all isolated elements in one list, with line breaks. */
static stoa_status put_points(const regions *r)
{
    const unsigned rank = r->info->rank;
    stoa_sink point = {.err = r->sink->err};
    size_t length = 0; /* of the line; 0: not begun */

    for (size_t i = 0; i < r->n_blocks; i++) {
        if (!is_point(&r->blocks[i], rank)) {
            continue;
        }
        point.text.size = 0;
        put_place(&point, rank, r->blocks[i].first);
        if (length == 0) {
            stoa_sink_text(r->sink, "  REGION_TYPE POINT ");
            length = strlen("  REGION_TYPE POINT ");
        } else if (length + 2 + point.text.size >= WIDTH) {
            stoa_sink_text(r->sink, ",\n    ");
            length = 4;
        } else {
            stoa_sink_text(r->sink, ", ");
            length += 2;
        }
        stoa_sink_put(r->sink, point.text.data, point.text.size);
        length += point.text.size;
    }
    stoa_sink_text(r->sink, length > 0 ? "\n" : "");
    if (length > 0 && r->has_values) {
        stoa_sink_text(r->sink, "  DATA {\n");
        for (size_t i = 0; i < r->n_blocks; i++) {
            if (is_point(&r->blocks[i], rank)) {
                stoa_sink_text(r->sink, "    ");
                put_place(r->sink, rank, r->blocks[i].first);
                stoa_sink_char(r->sink, ' ');
                put_value(r, r->sink, order_of(r, r->blocks[i].first));
                stoa_sink_char(r->sink, '\n');
            }
        }
        stoa_sink_text(r->sink, "  }\n");
    }
    stoa_sink_clear(&point);
    return point.status;
}

static stoa_status put_regions(regions *r, const stoa_sparse_points *points, stoa_error *err)
{
    stoa_status status = STOA_OK;

    r->n = points->n;
    r->elements = stoa_alloc(points->n, sizeof *r->elements);
    STOA_TRY(r->elements != NULL ? STOA_OK : stoa_fail_memory(err));
    for (uint64_t i = 0; i < points->n; i++) {
        r->elements[i] = number_of(r->info, points->coordinates + i * r->info->rank);
    }
    STOA_TRY(stoa_blocks_of((int)r->info->rank, r->info->extent, r->elements, points->n, SIZE_MAX,
                            &r->blocks, &r->n_blocks, err));
    for (size_t i = 0; i < r->n_blocks; i++) {
        if (!is_point(&r->blocks[i], r->info->rank)) {
            STOA_TRY(put_block(r, &r->blocks[i]));
        }
    }
    STOA_TRY(put_points(r));

done:
    free(r->blocks);
    free(r->elements);
    return status;
}

/* Convert the values of points to Arrow data, and remove them from the points. */
static stoa_status decode(const stoa_element *element, stoa_sparse_points *points,
                          struct ArrowSchema *schema, struct ArrowArray *array, stoa_view *view,
                          stoa_error *err)
{
    void *const values = points->values;

    points->values = NULL;
    STOA_RETURN_NOT_OK(stoa_element_decode(element, values, (int64_t)points->n, NULL, array, err));
    STOA_RETURN_NOT_OK(stoa_element_schema(element, "", schema, err));
    return stoa_view_of(schema, array, view, err);
}

stoa_status cli_sparse_regions(stoa_sink *sink, hid_t dataset, const char *name, bool values,
                               stoa_error *err)
{
    regions r = {.sink = sink, .has_values = values};
    stoa_element element = {.mem_type = H5I_INVALID_HID};
    stoa_sparse_points points = {0};
    struct ArrowSchema schema = {0};
    struct ArrowArray array = {0};
    stoa_view view;
    stoa_sparse *sparse = NULL;
    stoa_sparse_info info = STOA_SPARSE_INFO_INIT;
    hid_t space = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_sparse_open_dataset(dataset, NULL, &sparse, err));
    STOA_TRY(stoa_sparse_describe(sparse, &info, err));
    STOA_HDF(err, space = H5Dget_space(dataset), "look up the extent");
    r.info = &info;
    STOA_TRY(cli_sparse_head(sink, info.type, space, name, 0));
    if (values) {
        STOA_TRY(stoa_element_of(info.type, &element, err));
        STOA_TRY(stoa_sparse_read(sparse, NULL, NULL, element.mem_type, &points, err));
        if (stoa_element_is_variable(&element)) {
            r.element = &element;
            r.elements_in_memory = points.values;
        } else {
            STOA_TRY(decode(&element, &points, &schema, &array, &view, err));
            r.values = &view;
        }
    } else {
        STOA_TRY(stoa_sparse_defined(sparse, NULL, NULL, &points, err));
    }
    STOA_TRY(put_regions(&r, &points, err));
    stoa_sink_text(sink, "}\n");
    status = sink->status;

done:
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    if (r.elements_in_memory != NULL) {
        stoa_element_reclaim(&element, points.values, (size_t)points.n);
    }
    stoa_sparse_points_clear(&points);
    stoa_element_clear(&element);
    status = stoa_hdf_close(&space, status, err);
    const stoa_status closed = stoa_sparse_commit(sparse, status == STOA_OK ? err : NULL);
    return status != STOA_OK ? status : closed;
}
