/*
 * Safe reading of datasets whose chunks may be shorter than their rows.
 *
 * The dataset is read without libhdf5 if possible (direct.h), but not while the file is open for
 * writing. Then libhdf5 delivers the stored chunks, and they are decoded here if src/codec
 * implements their filters. Other chunks are decoded once to verify their length (unpack.h) before
 * libhdf5 decodes them.
 */
#ifndef STOA_HDF_CHECKED_READER_H
#define STOA_HDF_CHECKED_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/threads.h"
#include "hdf/chunk/vlen_check.h"
#include "hdf/read/direct.h"

typedef struct stoa_checked_reader {
    hid_t dataset; /* borrowed */
    hid_t dcpl;
    hid_t type;
    hid_t mem_type; /* borrowed; must live as long as the dataset is open */
    int rank;
    hsize_t chunk[H5S_MAX_RANK];
    uint64_t chunk_bytes;     /* decoded size; 0 if the dataset is not chunked or has no filters */
    bool has_lengths;         /* variable-length elements, whose lengths must be checked */
    stoa_vlen_check *lengths; /* NULL until the first check */
    bool is_ours;             /* fixed-size elements, and src/codec implements all filters */
    bool is_ours_alone;       /* and libhdf5 lacks a filter */
    stoa_pipeline *pipeline;  /* usable if `is_ours`; NULL if there are no filters */
    stoa_scratch scratch;
    uint64_t *checked;      /* numbers of verified chunks, counted from 1; a hash table */
    stoa_direct *direct;    /* NULL: libhdf5 reads. Otherwise most of the above is unset. */
    stoa_read_context *own; /* if the caller has none */
} stoa_checked_reader;

#define STOA_CHECKED_READER_INIT                                                                   \
    {                                                                                              \
        .dcpl = H5I_INVALID_HID, .type = H5I_INVALID_HID, .mem_type = H5I_INVALID_HID              \
    }

/*
 * Check all of a dataset except the contents of chunks (stoa_chunks_check). Start from
 * STOA_CHECKED_READER_INIT. Close it also after a failure, and before the dataset and the read
 * context.
 *
 * @param mem_type  the elements that stoa_checked_reader_read() returns; H5I_INVALID_HID if libhdf5
 * will read and only the checks are needed
 * @param read_context  shared with other datasets, or NULL
 */
stoa_status stoa_checked_reader_open(stoa_checked_reader *reader, hid_t dataset, hid_t mem_type,
                                     stoa_read_context *read_context, stoa_error *err);
/* The same for a dataset of any rank that has passed stoa_chunks_check(). Read it with
 * stoa_checked_reader_read_box() or libhdf5. */
stoa_status stoa_checked_reader_open_checked(stoa_checked_reader *reader, hid_t dataset,
                                             stoa_error *err);
void stoa_checked_reader_close(stoa_checked_reader *reader);

/* Check that libhdf5 may read the box of `count` elements from `start` on. STOA_EDATA if one of its
 * chunks is too short, if the order of the filters hides that, or if a list or string is longer
 * than the file (vlen_check.h). */
stoa_status stoa_checked_reader_check(stoa_checked_reader *reader, const hsize_t *start,
                                      const hsize_t *count, stoa_error *err);
/* Visit every chunk of a box by its first element. The box must not be empty. */
typedef stoa_status stoa_checked_reader_visit(stoa_checked_reader *reader, const hsize_t *offset,
                                              void *context, stoa_error *err);
stoa_status stoa_checked_reader_visit_chunks(stoa_checked_reader *reader, const hsize_t *start,
                                             const hsize_t *count, stoa_checked_reader_visit *visit,
                                             void *context, stoa_error *err);
/*
 * Read rows [first, first + count) of a one-dimensional dataset. A read of less than a chunk puts
 * the decoded chunk into the read context's cache, unless it is part of a scan by workers.
 *
 * With `workers`, chunks that Stoa decodes are decoded in parallel, others one at a time by
 * libhdf5. Elements of variable length do not allow workers.
 *
 * @param scratch  of this thread; NULL: that of `reader`, which no other thread may use meanwhile
 * @param workers  the threads that scan the dataset, whose lock guards libhdf5. NULL: one thread
 *                 reads, which may call libhdf5; with reader->direct, any thread may read.
 */
stoa_status stoa_checked_reader_read(stoa_checked_reader *reader, uint64_t first, uint64_t count,
                                     stoa_scratch *scratch, stoa_workers *workers, void *out,
                                     stoa_error *err);

/*
 * Read a box of a dataset of any rank. Requires reader->is_ours.
 *
 * @param scratch, workers  as for stoa_checked_reader_read()
 */
stoa_status stoa_checked_reader_read_box(stoa_checked_reader *reader, hid_t mem_type,
                                         const hsize_t *start, const hsize_t *count,
                                         stoa_scratch *scratch, stoa_workers *workers, void *out,
                                         stoa_error *err);

/*
 * Read a box of a dataset of any rank, after the checks that libhdf5 needs. Rank 0 has one element.
 * This replaces H5Dread(), which reads past the end of a chunk that is too short.
 *
 * Chunks are decoded here if src/codec implements their filters, and the box covers all of each
 * chunk or libhdf5 lacks a filter. Do not call it if reader->direct is set.
 *
 * @param transfer  transfer properties of libhdf5, for example H5P_DEFAULT
 */
stoa_status stoa_checked_reader_read_any(stoa_checked_reader *reader, hid_t mem_type,
                                         const hsize_t *start, const hsize_t *count, hid_t transfer,
                                         void *out, stoa_error *err);

/* The same with H5Dread(), after stoa_checked_reader_check(). After a failure, elements that were
 * not converted are zero. */
stoa_status stoa_checked_reader_read_by_libhdf5(const stoa_checked_reader *reader, hid_t mem_type,
                                                const hsize_t *start, const hsize_t *count,
                                                hid_t transfer, void *out, stoa_error *err);

/* Whether a dataset has a filter that neither this code nor libhdf5 can decode, and its name. */
bool stoa_checked_reader_lacks_filter(hid_t dataset, char *word, size_t size);

/* Convert elements of a flat type (stoa_type_is_flat) into `out`, which must not overlap `from`. */
stoa_status stoa_convert(hid_t from_type, hid_t to_type, const void *from, uint64_t n, void *out,
                         stoa_error *err);

/*
 * stoa_checked_reader_read_any() for a single read. Each chunk is decoded once if src/codec can
 * decode it. A chunk that libhdf5 reads is decoded before that as well, to check its length.
 *
 * @param is_checked  the dataset has passed stoa_chunks_check()
 */
stoa_status stoa_chunks_read(hid_t dataset, bool is_checked, hid_t mem_type, const hsize_t *start,
                             const hsize_t *count, hid_t transfer, void *out, stoa_error *err);

#endif
