/*
 * Datasets read without believing that a chunk is as long as its rows: past libhdf5 where that can
 * be (direct.h).
 *
 * Where it cannot, because the file is being written to, chunks are got from libhdf5 and unpacked
 * here if src/codec knows their filters. Others are unpacked once to know their length (unpack.h)
 * before libhdf5 unpacks them for good.
 */
#ifndef STOA_HDF_PACKED_H
#define STOA_HDF_PACKED_H

#include <stdbool.h>
#include <stdint.h>

#include "core/threads.h"
#include "hdf/chunk/vlen_check.h"
#include "hdf/read/direct.h"

typedef struct stoa_packed {
    hid_t dataset; /* borrowed */
    hid_t dcpl;
    hid_t type;
    hid_t mem_type; /* borrowed, as long as the dataset */
    int rank;
    hsize_t chunk[H5S_MAX_RANK];
    uint64_t chunk_bytes;     /* unpacked; 0: that is not looked at */
    bool has_lengths;         /* lists and texts, whose lengths are looked at */
    stoa_vlen_check *lengths; /* once that is so */
    bool is_ours;             /* plain elements, filters that are known */
    bool is_ours_alone;       /* and libhdf5 lacks one of them */
    stoa_pipeline *pipeline;  /* if so; NULL: nobody looked for one */
    stoa_scratch scratch;
    uint64_t *looked;       /* numbers of chunks, counted from 1, that have the right length */
    stoa_direct *direct;    /* NULL: libhdf5 reads; else most of the above is not there */
    stoa_read_context *own; /* where the caller has none to share */
} stoa_packed;

#define STOA_PACKED_INIT                                                                           \
    {                                                                                              \
        .dcpl = H5I_INVALID_HID, .type = H5I_INVALID_HID, .mem_type = H5I_INVALID_HID              \
    }

/*
 * Look at everything but the insides of chunks (stoa_chunks_check). Start from STOA_PACKED_INIT;
 * close after a failure as well, and before the dataset and the read context.
 *
 * @param mem_type  elements as stoa_packed_read() is to give them; H5I_INVALID_HID: it is only
 *                  looked at, for libhdf5 to read
 * @param read_context    what this dataset shares with others; NULL: nothing
 */
stoa_status stoa_packed_open(stoa_packed *packed, hid_t dataset, hid_t mem_type,
                             stoa_read_context *read_context, stoa_error *err);
/* The same for a dataset of any rank whose chunks were checked (stoa_chunks_check), to be read by
 * stoa_packed_read_box() or libhdf5. */
stoa_status stoa_packed_open_checked(stoa_packed *packed, hid_t dataset, stoa_error *err);
void stoa_packed_close(stoa_packed *packed);

/* Make sure that libhdf5 may read the box of `count` elements from `start` on. STOA_EDATA where a
 * chunk in it is too short, or filters are in an order that hides it, or a list or text is longer
 * than the file (vlen_check.h). */
stoa_status stoa_packed_look(stoa_packed *packed, const hsize_t *start, const hsize_t *count,
                             stoa_error *err);
/* Visit every chunk, by its first element, that has elements of a box, which is not empty. */
typedef stoa_status stoa_packed_visit(stoa_packed *packed, const hsize_t *offset, void *context,
                                      stoa_error *err);
stoa_status stoa_packed_go_through(stoa_packed *packed, const hsize_t *start, const hsize_t *count,
                                   stoa_packed_visit *visit, void *context, stoa_error *err);
/*
 * Read rows [first, first + count) of a one-dimensional dataset. A read of less than a chunk puts
 * the decoded chunk into the read context's cache, unless it is part of a scan by workers.
 *
 * @param scratch  of this thread; NULL: that of `packed`, which no other thread may use meanwhile
 * @param workers  the threads that scan the dataset, whose lock guards libhdf5. Chunks that Stoa
 *                 decodes are decoded in parallel, others one at a time by libhdf5. Not for
 *                 elements of variable length. NULL: one thread reads, which may call libhdf5;
 *                 with packed->direct, any thread may read
 */
stoa_status stoa_packed_read(stoa_packed *packed, uint64_t first, uint64_t count,
                             stoa_scratch *scratch, stoa_workers *workers, void *out,
                             stoa_error *err);

/*
 * Read a box of a dataset of any rank, where packed->is_ours.
 *
 * @param scratch, workers  as stoa_packed_read() takes them
 */
stoa_status stoa_packed_read_box(stoa_packed *packed, hid_t mem_type, const hsize_t *start,
                                 const hsize_t *count, stoa_scratch *scratch, stoa_workers *workers,
                                 void *out, stoa_error *err);

/*
 * Read a box of a dataset of any rank (0: its one element), once it is known that libhdf5 may: in
 * place of H5Dread(), which reads past the end of a chunk that is too short. Chunks that src/codec
 * can unpack are unpacked here, where the box has the whole of each or libhdf5 lacks a filter. Do
 * not call it if packed->direct is set.
 *
 * @param transfer  of libhdf5, as H5P_DEFAULT
 */
stoa_status stoa_packed_read_any(stoa_packed *packed, hid_t mem_type, const hsize_t *start,
                                 const hsize_t *count, hid_t transfer, void *out, stoa_error *err);

/* The same by H5Dread(), after stoa_packed_look(). No element is left half read: what a failed read
 * did not convert is zero. */
stoa_status stoa_packed_read_there(const stoa_packed *packed, hid_t mem_type, const hsize_t *start,
                                   const hsize_t *count, hid_t transfer, void *out,
                                   stoa_error *err);

/* Whether neither this code nor libhdf5 can undo a filter of a dataset, and its name. */
bool stoa_packed_lacks_filter(hid_t dataset, char *word, size_t size);

/* Elements of a flat type (stoa_type_is_flat) as another one, into `out`, which does not overlap.
 */
stoa_status stoa_convert(hid_t from_type, hid_t to_type, const void *from, uint64_t n, void *out,
                         stoa_error *err);

/* stoa_packed_read_any() for one read of a dataset that is not read often. Each chunk is unpacked
 * once where src/codec can, and where libhdf5 reads it, to know its length, before that.
 *
 * @param is_checked  its chunks were (stoa_chunks_check) */
stoa_status stoa_chunks_read(hid_t dataset, bool is_checked, hid_t mem_type, const hsize_t *start,
                             const hsize_t *count, hid_t transfer, void *out, stoa_error *err);

#endif
