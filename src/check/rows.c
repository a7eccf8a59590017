/* Reads rows in slices, in bounded memory whatever the file claims. */
#include <stdlib.h>
#include <string.h>

#include "check/values.h"
#include "core/min_of.h"
#include "hdf/chunk/chunk_list.h"
#include "hdf/chunk/unpack.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/read/checked_reader.h"

/* A slice needs at most this much memory, and its strings at most four times that. */
#define SLICE_BYTES ((size_t)16 << 20)
#define ARENA_BYTES (4 * SLICE_BYTES)
/* libhdf5 holds a whole chunk in memory to undo its filters. */
#define MAX_CHUNK_BYTES ((uint64_t)256 << 20)
#define MAX_STRINGS 65536

/* --- strings that libhdf5 allocates ---------------------------------------------------------- */

static void *arena_alloc(size_t size, void *context)
{
    stoa_check_arena *arena = context;
    max_align_t *block = NULL;

    if (size > ARENA_BYTES - arena->n_bytes) {
        return NULL; /* the read fails and is repeated with fewer rows */
    }
    block = stoa_alloc(1, sizeof *block + size);
    if (block == NULL) {
        arena->is_out_of_memory = true;
        return NULL;
    }
    memcpy(block, &arena->blocks, sizeof arena->blocks);
    arena->blocks = block;
    arena->n_bytes += size;
    return block + 1;
}

static void arena_free(void *block, void *context)
{
    (void)block; /* freed with all others, in arena_clear() */
    (void)context;
}

static void arena_clear(stoa_check_arena *arena)
{
    while (arena->blocks != NULL) {
        void *next = NULL;
        memcpy(&next, arena->blocks, sizeof next);
        free(arena->blocks);
        arena->blocks = next;
    }
    arena->n_bytes = 0;
}

static hid_t arena_transfer(stoa_check_arena *arena)
{
    hid_t plist = H5Pcreate(H5P_DATASET_XFER);

    if (plist >= 0 && H5Pset_vlen_mem_manager(plist, arena_alloc, arena, arena_free, arena) < 0) {
        (void)stoa_hdf_close(&plist, STOA_OK, NULL);
    }
    return plist;
}

/* --- where rows are stored ------------------------------------------------------------------- */

typedef struct chunk_list {
    stoa_checker *checker;
    stoa_buffer numbers;
    unsigned all_filters; /* filter mask with all bits set */
    uint64_t chunk_rows;
    uint64_t chunk_bytes; /* 0: unknown */
    uint64_t most;        /* upper bound: each chunk has at least one byte in the file */
    bool is_broken;
} chunk_list;

static int visit_chunk(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t size,
                       void *context)
{
    chunk_list *list = context;
    const uint64_t number = offset[0] / list->chunk_rows;

    if (address == HADDR_UNDEF) {
        return H5_ITER_CONT;
    }
    if (stoa_buffer_append(&list->numbers, &number, sizeof number, NULL) != STOA_OK) {
        stoa_check_memory(list->checker);
    }
    list->is_broken = list->numbers.size / sizeof number > list->most ||
                      !stoa_chunk_fits(list->all_filters, mask, size, list->chunk_bytes);
    return list->is_broken || stoa_check_over(list->checker) ? H5_ITER_STOP : H5_ITER_CONT;
}

static stoa_rows_status list_chunks(stoa_checker *checker, hid_t dataset, hid_t plist,
                                    size_t stored_size, stoa_rows *rows)
{
    chunk_list list = {.checker = checker,
                       .all_filters = stoa_mask_of_all(plist),
                       .chunk_rows = rows->chunk_rows,
                       .chunk_bytes = rows->chunk_rows * stored_size};
    hsize_t file_size = 0;
    hid_t file = H5Iget_file_id(dataset);
    const bool is_file = file >= 0 && H5Fget_filesize(file, &file_size) >= 0;

    (void)stoa_hdf_close(&file, STOA_OK, NULL);
    /* Chunks that are only in libhdf5's cache have an address, but no place in the file yet. */
    list.most = file_size + ((uint64_t)1 << 20);
    if (!is_file || stoa_chunks_list(dataset, visit_chunk, &list, NULL) != STOA_OK ||
        list.is_broken) {
        stoa_buffer_clear(&list.numbers);
        return STOA_ROWS_BROKEN;
    }
    rows->n_chunks = list.numbers.size / sizeof(uint64_t);
    rows->chunks = stoa_buffer_detach(&list.numbers);
    if (rows->n_chunks > 1) {
        qsort(rows->chunks, rows->n_chunks, sizeof(uint64_t), stoa_order_u64);
    }
    return STOA_ROWS_OK;
}

/* Whether all bytes of the dataset are in this file. */
static bool is_inside(hid_t plist, H5D_layout_t layout)
{
    return layout != H5D_VIRTUAL && H5Pget_external_count(plist) == 0;
}

stoa_rows_status stoa_rows_check_filters(stoa_checker *checker, hid_t dataset)
{
    return stoa_checked_reader_lacks_filter(dataset, checker->filter, sizeof checker->filter)
               ? STOA_ROWS_LACKING
               : STOA_ROWS_OK;
}

stoa_rows_status stoa_rows_of(stoa_checker *checker, hid_t dataset, stoa_rows *rows)
{
    stoa_rows_status status = STOA_ROWS_BROKEN;
    hsize_t extent = 0;
    hsize_t chunk = 0;
    H5D_space_status_t allocation = H5D_SPACE_STATUS_ERROR;
    hid_t space = H5Dget_space(dataset);
    hid_t type = H5Dget_type(dataset);
    hid_t plist = stoa_dataset_properties(dataset);
    const H5D_layout_t layout = H5Pget_layout(plist);

    *rows = (stoa_rows){0};
    rows->element_size = H5Tget_size(type);
    if (H5Sget_simple_extent_ndims(space) == 1 &&
        H5Sget_simple_extent_dims(space, &extent, NULL) == 1 && rows->element_size > 0 &&
        stoa_check_fill_fits(checker, plist, type)) {
        rows->extent = extent;
        if (!is_inside(plist, layout)) {
            status = STOA_ROWS_ELSEWHERE;
        } else if (layout == H5D_CHUNKED) {
            status = stoa_rows_check_filters(checker, dataset);
            if (status == STOA_ROWS_OK && (H5Pget_chunk(plist, 1, &chunk) != 1 || chunk == 0)) {
                status = STOA_ROWS_BROKEN;
            } else if (status == STOA_ROWS_OK) {
                rows->chunk_rows = chunk;
                rows->chunk_bytes = H5Pget_nfilters(plist) > 0 ? chunk * stoa_stored_size(type) : 0;
                status = chunk > MAX_CHUNK_BYTES / rows->element_size
                             ? STOA_ROWS_TOO_LARGE
                             : list_chunks(checker, dataset, plist, stoa_stored_size(type), rows);
            }
        } else if (H5Dget_space_status(dataset, &allocation) >= 0) {
            rows->is_allocated = allocation != H5D_SPACE_STATUS_NOT_ALLOCATED;
            status = STOA_ROWS_OK;
        }
    }
    (void)stoa_hdf_close(&plist, STOA_OK, NULL);
    (void)stoa_hdf_close(&type, STOA_OK, NULL);
    (void)stoa_hdf_close(&space, STOA_OK, NULL);
    return status;
}

void stoa_rows_clear(stoa_rows *rows)
{
    free(rows->chunks);
    *rows = (stoa_rows){0};
}

void stoa_rows_report(stoa_checker *checker, const char *path, stoa_rows_status status)
{
    switch (status) {
    case STOA_ROWS_BROKEN:
        stoa_check_report(checker, path, STOA_RULE_UNREADABLE,
                          "the values cannot be read; a chunk is damaged");
        break;
    case STOA_ROWS_ELSEWHERE:
        stoa_check_report(checker, path, STOA_RULE_NOT_READ,
                          "the values lie in other files (external or virtual storage) and are not "
                          "judged");
        break;
    case STOA_ROWS_TOO_LARGE:
        stoa_check_report(checker, path, STOA_RULE_NOT_READ,
                          "a chunk or a value is too large to be judged in bounded memory");
        break;
    case STOA_ROWS_LACKING:
        stoa_check_report(checker, path, STOA_RULE_NOT_READ,
                          "the values are packed by the filter '%s', which this libhdf5 does not "
                          "have, and are not judged; install its plugin and set HDF5_PLUGIN_PATH",
                          checker->filter);
        break;
    case STOA_ROWS_UNKNOWN:
        stoa_check_report(checker, path, STOA_RULE_NOT_READ,
                          "its filters are in an order that cannot be undone safely; the values "
                          "are not judged");
        break;
    case STOA_ROWS_OK:
        break;
    }
}

/* --- reading --------------------------------------------------------------------------------- */

static stoa_rows_status status_of(stoa_unpacked unpacked)
{
    switch (unpacked) {
    case STOA_UNPACKED_WHOLE:
        return STOA_ROWS_OK;
    case STOA_UNPACKED_SHORT:
        return STOA_ROWS_BROKEN;
    case STOA_UNPACKED_HUGE:
        return STOA_ROWS_TOO_LARGE;
    default:
        return STOA_ROWS_UNKNOWN;
    }
}

/* Chunks that are validated together, each by one thread. */
#define TOGETHER 32

typedef struct validation {
    hid_t dataset;
    hid_t plist;
    const hsize_t *offsets;
    int rank;
    uint64_t chunk_bytes;
    stoa_unpacked unpacked[TOGETHER];
} validation;

static stoa_status validate_chunk(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    validation *v = context;

    (void)worker;
    return stoa_chunk_unpacks(v->dataset, v->plist, v->offsets + part * (uint64_t)v->rank,
                              v->chunk_bytes, &v->unpacked[part], err);
}

stoa_rows_status stoa_chunks_validate(stoa_checker *checker, hid_t dataset, hid_t plist,
                                      const hsize_t *offsets, int rank, size_t n,
                                      uint64_t chunk_bytes)
{
    for (size_t at = 0; at < n && !stoa_check_over(checker); at += TOGETHER) {
        validation v = {dataset, plist, offsets + at * (size_t)rank, rank, chunk_bytes, {0}};
        const size_t count = n - at < TOGETHER ? n - at : TOGETHER;

        if (stoa_workers_run(checker->workers, count, validate_chunk, &v, checker->err) !=
            STOA_OK) {
            stoa_check_memory(checker);
            break;
        }
        for (size_t i = 0; i < count; i++) {
            if (status_of(v.unpacked[i]) != STOA_ROWS_OK) {
                return status_of(v.unpacked[i]);
            }
        }
    }
    return STOA_ROWS_OK;
}

/* Validate the chunks of rows [first, first + count) before libhdf5 decodes them. */
static stoa_rows_status validate_chunks(stoa_checker *checker, hid_t dataset, const stoa_rows *rows,
                                        uint64_t first, uint64_t count)
{
    stoa_rows_status status = STOA_ROWS_OK;
    hid_t plist = H5I_INVALID_HID;
    size_t i = 0;

    if (rows->chunk_rows == 0 || rows->chunk_bytes == 0 || count == 0) {
        return STOA_ROWS_OK;
    }
    plist = stoa_dataset_properties(dataset);
    i = stoa_place_of_u64(rows->chunks, rows->n_chunks, first / rows->chunk_rows);
    while (status == STOA_ROWS_OK && !stoa_check_over(checker)) {
        hsize_t offsets[TOGETHER];
        size_t n = 0;
        for (; n < TOGETHER && i < rows->n_chunks &&
               rows->chunks[i] <= (first + count - 1) / rows->chunk_rows;
             i++) {
            offsets[n++] = rows->chunks[i] * rows->chunk_rows;
        }
        if (n == 0) {
            break;
        }
        status = stoa_chunks_validate(checker, dataset, plist, offsets, 1, n, rows->chunk_bytes);
    }
    (void)stoa_hdf_close(&plist, STOA_OK, NULL);
    return status;
}

/* Uses the common read path, which undoes filters that libhdf5 lacks. */
static bool read_slice(hid_t dataset, hid_t memory_type, hid_t transfer, uint64_t first, size_t n,
                       void *elements)
{
    const hsize_t start = first;
    const hsize_t count = n;

    return stoa_chunks_read(dataset, true, memory_type, &start, &count, transfer, elements, NULL) ==
           STOA_OK;
}

/* Parameters of a read, whichever rows it covers. */
typedef struct reading {
    stoa_checker *checker;
    hid_t dataset;
    hid_t memory_type;
    size_t size;
    stoa_rows_visitor visitor;
    void *context;
    bool is_variable; /* libhdf5 allocates its strings */
    bool is_enough;   /* the visitor returned false */
    uint64_t most;    /* rows in a slice */
    void *elements;
    stoa_check_arena arena;
    hid_t transfer;
} reading;

static stoa_rows_status begin(reading *r, const stoa_rows *rows, uint64_t count)
{
    const size_t slice = r->size >= SLICE_BYTES ? 1 : SLICE_BYTES / r->size;

    r->transfer = H5I_INVALID_HID;
    if (rows->element_size > 2 * SLICE_BYTES || r->size > 4 * SLICE_BYTES) {
        return STOA_ROWS_TOO_LARGE;
    }
    r->is_variable = H5Tdetect_class(r->memory_type, H5T_STRING) > 0;
    r->most = r->is_variable && slice > MAX_STRINGS ? MAX_STRINGS : slice;
    r->most = r->most > count ? count : r->most;
    r->elements = stoa_alloc_zero((size_t)r->most, r->size);
    r->transfer = arena_transfer(&r->arena);
    if (r->elements == NULL || r->transfer < 0) {
        stoa_check_memory(r->checker);
    }
    return STOA_ROWS_OK;
}

static void end(reading *r)
{
    (void)stoa_hdf_close(&r->transfer, STOA_OK, NULL);
    free(r->elements);
}

static stoa_rows_status read_range(reading *r, const stoa_rows *rows, uint64_t first,
                                   uint64_t count)
{
    const stoa_rows_status status = validate_chunks(r->checker, r->dataset, rows, first, count);

    if (status != STOA_ROWS_OK) {
        return status;
    }
    for (uint64_t row = first; row < first + count && !r->is_enough;) {
        const uint64_t left = first + count - row;
        const size_t n = (size_t)(left < r->most ? left : r->most);

        stoa_check_tell(r->checker, row);
        if (stoa_check_over(r->checker)) {
            break;
        }
        if (!read_slice(r->dataset, r->memory_type, r->transfer, row, n, r->elements)) {
            arena_clear(&r->arena);
            if (r->arena.is_out_of_memory) {
                stoa_check_memory(r->checker);
                break;
            }
            if (!r->is_variable || n == 1) {
                return STOA_ROWS_BROKEN;
            }
            r->most = n / 2; /* fewer strings may fit */
            continue;
        }
        r->is_enough = !r->visitor(r->context, row, r->elements, n);
        arena_clear(&r->arena);
        row += n;
    }
    return STOA_ROWS_OK;
}

stoa_rows_status stoa_rows_read(stoa_checker *checker, hid_t dataset, const stoa_rows *rows,
                                hid_t memory_type, size_t size, uint64_t first, uint64_t count,
                                stoa_rows_visitor visitor, void *context)
{
    reading r = {checker, dataset, memory_type, size, visitor, context, .is_enough = false};
    stoa_rows_status status = begin(&r, rows, count);

    if (status == STOA_ROWS_OK) {
        status = read_range(&r, rows, first, count);
    }
    end(&r);
    return status;
}

/* Adjacent chunks are read as one range. */
static stoa_rows_status read_chunks(reading *r, const stoa_rows *rows, uint64_t n_rows,
                                    uint64_t *n_visited)
{
    stoa_rows_status status = STOA_ROWS_OK;

    for (size_t i = 0; i < rows->n_chunks && status == STOA_ROWS_OK && !r->is_enough;) {
        size_t end_of_run = i + 1;
        while (end_of_run < rows->n_chunks &&
               rows->chunks[end_of_run] == rows->chunks[i] + (end_of_run - i)) {
            end_of_run++;
        }
        if (rows->chunks[i] > n_rows / rows->chunk_rows) {
            break; /* also keeps the product below from overflowing */
        }
        const uint64_t first = rows->chunks[i] * rows->chunk_rows;
        const uint64_t left = n_rows - first;
        const uint64_t n_chunks = end_of_run - i;
        const uint64_t count =
            n_chunks > left / rows->chunk_rows ? left : n_chunks * rows->chunk_rows;
        status = read_range(r, rows, first, count);
        *n_visited += count;
        i = end_of_run;
    }
    return status;
}

stoa_rows_status stoa_rows_read_stored(stoa_checker *checker, hid_t dataset, const stoa_rows *rows,
                                       hid_t memory_type, size_t size, uint64_t n_rows,
                                       stoa_rows_visitor visitor, void *context,
                                       uint64_t *n_visited)
{
    reading r = {checker, dataset, memory_type, size, visitor, context, .is_enough = false};
    stoa_rows_status status = STOA_ROWS_OK;

    *n_visited = 0;
    n_rows = n_rows < rows->extent ? n_rows : rows->extent;
    status = begin(&r, rows, n_rows);
    if (status == STOA_ROWS_OK && rows->chunk_rows > 0) {
        status = read_chunks(&r, rows, n_rows, n_visited);
    } else if (status == STOA_ROWS_OK && rows->is_allocated) {
        status = read_range(&r, rows, 0, n_rows);
        *n_visited = n_rows;
    }
    end(&r);
    return status;
}
