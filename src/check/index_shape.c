/* Shapes of search indexes, and reads of those that consist of bits (HEP001 §10.4 to §10.7). */
#include "check/index_rules.h"
#include "hdf/chunk/chunk_checks.h"
#include "hdf/chunk/chunk_list.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/read/checked_reader.h"

/* libhdf5 holds a whole chunk in memory to undo its filters. */
#define MAX_CHUNK_BYTES ((uint64_t)256 << 20)

uint64_t stoa_chunks_needed(const stoa_rows *rows, uint64_t n_rows)
{
    if (rows->chunk_rows == 0) {
        return n_rows > 0;
    }
    return n_rows / rows->chunk_rows + (n_rows % rows->chunk_rows != 0);
}

uint64_t stoa_rows_of_chunk(const stoa_rows *rows, uint64_t chunk, uint64_t n_rows, uint64_t *first)
{
    *first = chunk * rows->chunk_rows;
    const uint64_t left = n_rows - *first;

    return rows->chunk_rows == 0 || left < rows->chunk_rows ? left : rows->chunk_rows;
}

bool stoa_rows_are_stored(const stoa_rows *rows, uint64_t chunk, size_t *next)
{
    if (rows->chunk_rows == 0) {
        return rows->is_allocated;
    }
    while (*next < rows->n_chunks && rows->chunks[*next] < chunk) {
        (*next)++;
    }
    return *next < rows->n_chunks && rows->chunks[*next] == chunk;
}

int stoa_check_shape(hid_t dataset, uint64_t dims[2])
{
    hsize_t extent[H5S_MAX_RANK] = {0};
    hid_t space = H5Dget_space(dataset);
    const int rank = H5Sget_simple_extent_type(space) == H5S_NULL
                         ? -1
                         : H5Sget_simple_extent_dims(space, extent, NULL);

    dims[0] = extent[0];
    dims[1] = extent[1];
    (void)stoa_hdf_close(&space, STOA_OK, NULL);
    return rank;
}

void stoa_check_length(stoa_checker *checker, const char *path, const char *unit, uint64_t length,
                       uint64_t needed, stoa_rule_id too_short, stoa_rule_id residue)
{
    if (length < needed) {
        stoa_check_report(checker, path, too_short, "the index has %llu %s; NROWS needs %llu",
                          (unsigned long long)length, unit, (unsigned long long)needed);
    } else if (length > needed) {
        stoa_check_report(checker, path, residue,
                          "the index has %llu %s; the last %llu are residue",
                          (unsigned long long)length, unit, (unsigned long long)(length - needed));
    }
}

bool stoa_check_bytes(stoa_checker *checker, const stoa_subject *index, stoa_rule_id rule)
{
    hid_t type = H5Dget_type(index->id);
    const bool is_bytes = stoa_check_is_unsigned(type, 1);

    (void)stoa_hdf_close(&type, STOA_OK, NULL);
    if (!is_bytes) {
        stoa_check_report(checker, index->path, rule, "the index must be of uint8");
    }
    return is_bytes;
}

typedef struct chunk_walk {
    stoa_checker *checker;
    hid_t dataset;
    hid_t plist;
    uint64_t chunk_bytes;
    stoa_buffer offsets; /* two hsize_t per chunk */
} chunk_walk;

static int remember_chunk(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t size,
                          void *context)
{
    chunk_walk *w = context;

    (void)mask;
    (void)size;
    if (address != HADDR_UNDEF &&
        stoa_buffer_append(&w->offsets, offset, 2 * sizeof *offset, w->checker->err) != STOA_OK) {
        stoa_check_memory(w->checker);
        return H5_ITER_STOP;
    }
    return H5_ITER_CONT;
}

/* Check every filtered chunk after the walk: during the walk libhdf5 allows no other chunk
 * query. */
static stoa_rows_status check_filtered(chunk_walk *w)
{
    stoa_rows_status status = STOA_ROWS_OK;

    if (H5Pget_nfilters(w->plist) <= 0) {
        return STOA_ROWS_OK;
    }
    if (stoa_chunks_list(w->dataset, remember_chunk, w, NULL) != STOA_OK) {
        status = STOA_ROWS_BROKEN;
    }
    if (status == STOA_ROWS_OK && !stoa_check_over(w->checker)) {
        status = stoa_chunks_validate(w->checker, w->dataset, w->plist,
                                      (const hsize_t *)(const void *)w->offsets.data, 2,
                                      w->offsets.size / (2 * sizeof(hsize_t)), w->chunk_bytes);
    }
    stoa_buffer_clear(&w->offsets);
    return status;
}

stoa_rows_status stoa_grid_check(stoa_checker *checker, hid_t dataset)
{
    hsize_t chunk[2] = {0, 0};
    stoa_rows_status status = STOA_ROWS_OK;
    chunk_walk walk = {checker, dataset, stoa_dataset_properties(dataset), 0, {NULL, 0, 0}};
    const H5D_layout_t layout = H5Pget_layout(walk.plist);

    if (layout == H5D_VIRTUAL || H5Pget_external_count(walk.plist) != 0) {
        status = STOA_ROWS_ELSEWHERE;
    } else if (layout == H5D_CHUNKED &&
               (H5Pget_chunk(walk.plist, 2, chunk) != 2 || chunk[0] == 0 || chunk[1] == 0)) {
        status = STOA_ROWS_BROKEN;
    } else if (layout == H5D_CHUNKED && chunk[0] > MAX_CHUNK_BYTES / chunk[1]) {
        status = STOA_ROWS_TOO_LARGE;
    } else if (stoa_rows_check_filters(checker, dataset) == STOA_ROWS_LACKING) {
        status = STOA_ROWS_LACKING;
    } else {
        switch (stoa_chunks_check(dataset, NULL)) {
        case STOA_OK:
            break;
        case STOA_ENOMEM:
            stoa_check_memory(checker);
            break;
        default:
            status = STOA_ROWS_BROKEN;
            break;
        }
    }
    if (status == STOA_ROWS_OK && layout == H5D_CHUNKED && !stoa_check_over(checker)) {
        walk.chunk_bytes = chunk[0] * chunk[1];
        status = check_filtered(&walk);
    }
    (void)stoa_hdf_close(&walk.plist, STOA_OK, NULL);
    return status;
}

stoa_rows_status stoa_grid_read(hid_t dataset, uint64_t first_row, uint64_t n_rows,
                                uint64_t first_byte, uint64_t n_bytes, uint8_t *bytes)
{
    const hsize_t start[2] = {first_row, first_byte};
    const hsize_t count[2] = {n_rows, n_bytes};

    return stoa_chunks_read(dataset, true, H5T_NATIVE_UINT8, start, count, H5P_DEFAULT, bytes,
                            NULL) == STOA_OK
               ? STOA_ROWS_OK
               : STOA_ROWS_BROKEN;
}
