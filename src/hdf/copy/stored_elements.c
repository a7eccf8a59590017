#include "hdf/copy/stored_elements.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/chunk/chunk_list.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/read/checked_reader.h"

/* Elements are read in pieces of about this size. */
#define PIECE_BYTES ((uint64_t)1 << 22)

/* A dataset that is visited. */
typedef struct walk {
    stoa_box_visit visit;
    void *context;
    hid_t dataset;
    hid_t type;
    stoa_checked_reader reader;
    size_t size;
    int rank;
    hsize_t extent[H5S_MAX_RANK];
    hsize_t chunk[H5S_MAX_RANK];
    stoa_buffer offsets; /* of the stored chunks: hsize_t[rank] each */
    stoa_error *err;
    stoa_status status;
} walk;

static stoa_status visit_box(walk *w, const hsize_t *start, const hsize_t *count, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_box box = {.type = w->type, .rank = w->rank, .start = start, .count = count, .n = 1};
    hid_t space = H5I_INVALID_HID;
    hsize_t n = 0;
    bool is_read = false;

    for (int i = 0; i < w->rank; i++) {
        box.n *= (size_t)count[i];
    }
    n = box.n;
    box.elements = stoa_alloc_zero(box.n, w->size);
    STOA_TRY(box.elements != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_HDF(err, space = H5Screate_simple(1, &n, NULL), "make a dataspace");
    STOA_TRY(stoa_checked_reader_read_any(&w->reader, w->type, start, count, H5P_DEFAULT,
                                          box.elements, err));
    is_read = true;
    STOA_TRY(w->visit(w->context, &box, err));

done:
    if (is_read) {
        (void)H5Treclaim(w->type, space, H5P_DEFAULT, box.elements);
    }
    free(box.elements);
    return stoa_hdf_close(&space, status, err);
}

/* Visit a box in pieces that fit into memory. The last dimensions are kept whole if possible. */
static stoa_status visit_in_pieces(walk *w, const hsize_t *start, const hsize_t *count,
                                   stoa_error *err)
{
    hsize_t piece[H5S_MAX_RANK] = {0};
    hsize_t at[H5S_MAX_RANK] = {0};
    uint64_t room = PIECE_BYTES / w->size + 1;
    int i;

    for (i = w->rank; i-- > 0;) {
        if (count[i] == 0) {
            return STOA_OK;
        }
        piece[i] = count[i] < room ? count[i] : room;
        room = room / piece[i] > 0 ? room / piece[i] : 1;
        at[i] = 0;
    }
    do {
        hsize_t from[H5S_MAX_RANK];
        hsize_t size[H5S_MAX_RANK];
        for (i = 0; i < w->rank; i++) {
            from[i] = start[i] + at[i];
            size[i] = count[i] - at[i] < piece[i] ? count[i] - at[i] : piece[i];
        }
        STOA_RETURN_NOT_OK(visit_box(w, from, size, err));
        for (i = w->rank - 1; i >= 0 && (at[i] += piece[i]) >= count[i]; i--) {
            at[i] = 0;
        }
    } while (i >= 0);
    return STOA_OK;
}

static int note_chunk(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t size,
                      void *context)
{
    walk *w = context;

    (void)mask;
    (void)address;
    (void)size;
    w->status = stoa_buffer_append(&w->offsets, offset, (size_t)w->rank * sizeof *offset, w->err);
    return w->status == STOA_OK ? H5_ITER_CONT : H5_ITER_STOP;
}

static stoa_status visit_chunks(walk *w, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_chunks_list(w->dataset, note_chunk, w, err));
    STOA_RETURN_NOT_OK(w->status);
    const size_t step = (size_t)w->rank * sizeof(hsize_t);
    for (size_t at = 0; at + step <= w->offsets.size; at += step) {
        hsize_t start[H5S_MAX_RANK];
        hsize_t count[H5S_MAX_RANK];
        bool is_inside = true;
        memcpy(start, w->offsets.data + at, step);
        for (int i = 0; i < w->rank; i++) {
            is_inside = is_inside && start[i] < w->extent[i];
            count[i] = is_inside && w->extent[i] - start[i] < w->chunk[i] ? w->extent[i] - start[i]
                                                                          : w->chunk[i];
        }
        if (is_inside) {
            STOA_RETURN_NOT_OK(visit_in_pieces(w, start, count, err));
        }
    }
    return STOA_OK;
}

stoa_status stoa_stored_elements_visit(hid_t dataset, stoa_box_visit visit, void *context,
                                       stoa_error *err)
{
    static const hsize_t origin[H5S_MAX_RANK];
    stoa_status status = STOA_OK;
    hid_t creation = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    H5D_space_status_t stored = H5D_SPACE_STATUS_NOT_ALLOCATED;
    walk w = {.visit = visit,
              .context = context,
              .dataset = dataset,
              .type = H5I_INVALID_HID,
              .reader = STOA_CHECKED_READER_INIT,
              .err = err};

    STOA_HDF(err, H5Dget_space_status(dataset, &stored), "look for its storage");
    if (stored == H5D_SPACE_STATUS_NOT_ALLOCATED) {
        goto done; /* nothing was ever written */
    }
    STOA_HDF(err, w.type = H5Dget_type(dataset), "get the datatype");
    STOA_HDF(err, space = H5Dget_space(dataset), "get the shape");
    STOA_HDF(err, w.rank = H5Sget_simple_extent_dims(space, w.extent, NULL), "get the shape");
    STOA_HDF(err, creation = stoa_dataset_properties(dataset), "get the creation properties");
    w.size = H5Tget_size(w.type);
    if (w.size == 0) {
        STOA_FAIL(err, STOA_EDATA, "has elements of no size: the file is damaged");
    }
    STOA_TRY(stoa_checked_reader_open(&w.reader, dataset, H5I_INVALID_HID, NULL, err));
    if (H5Pget_layout(creation) == H5D_CHUNKED) {
        STOA_HDF(err, H5Pget_chunk(creation, H5S_MAX_RANK, w.chunk), "get the chunk shape");
        STOA_TRY(visit_chunks(&w, err));
    } else {
        STOA_TRY(visit_in_pieces(&w, origin, w.extent, err));
    }

done:
    stoa_checked_reader_close(&w.reader);
    stoa_buffer_clear(&w.offsets);
    status = stoa_hdf_close(&creation, status, err);
    status = stoa_hdf_close(&space, status, err);
    return stoa_hdf_close(&w.type, status, err);
}
