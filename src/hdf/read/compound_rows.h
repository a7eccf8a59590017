/*
 * Tables that are stored row by row: one compound element per row, as PyTables, H5TB and h5py write
 * them.
 *
 * A chunk is decoded once for all members that are read. It stays in the read context's cache while
 * they are read, and their values are copied out of its rows.
 *
 * libhdf5 reads the rest: members that need a datatype conversion, and datasets that direct.h does
 * not support. It can read single members of a row.
 */
#ifndef STOA_HDF_COMPOUND_ROWS_H
#define STOA_HDF_COMPOUND_ROWS_H

#include "hdf/metadata/types.h"
#include "hdf/read/checked_reader.h"
#include "hdf/read/direct.h"

/* An open dataset, shared by its members. Only for the thread that calls libhdf5. */
typedef struct stoa_rows stoa_rows;

/*
 * @param dataset  of rank 1 and a compound type; consumed in every case
 * @param read_context  borrowed; close it after the rows
 * @return STOA_EDATA if the dataset is damaged, STOA_ELAYOUT if it is not such a dataset
 */
stoa_status stoa_rows_open(hid_t dataset, stoa_read_context *read_context, stoa_rows **rows,
                           stoa_error *err);
/* Add a reference. Each holder calls stoa_rows_close(). */
stoa_rows *stoa_rows_hold(stoa_rows *rows);
void stoa_rows_close(stoa_rows *rows);

/* Borrowed. */
hid_t stoa_rows_dataset(const stoa_rows *rows);
hid_t stoa_rows_type(const stoa_rows *rows);
uint64_t stoa_rows_extent(const stoa_rows *rows);
/* 0 if the dataset is not chunked. */
uint64_t stoa_rows_chunk_rows(const stoa_rows *rows);
/* Bytes of a row as stored. */
size_t stoa_rows_size(const stoa_rows *rows);

/* A member of the rows, or one item of an array member. */
typedef struct stoa_row_member {
    stoa_rows *rows; /* a reference; NULL: not open */
    hid_t mem_type;  /* type in memory, borrowed from the element */
    size_t mem_size;
    hid_t type;         /* stored type */
    size_t size;        /* stored size in bytes */
    size_t offset;      /* byte offset in the stored row */
    bool is_flat;       /* stored and memory form have the same bytes, perhaps swapped */
    bool swaps;         /* the stored bytes are in the other order */
    bool is_direct;     /* is flat, and the rows are read without libhdf5 */
    hid_t read_type;    /* a compound of this member only, for H5Dread() */
    size_t read_offset; /* byte offset of the item in `read_type` */
} stoa_row_member;

#define STOA_ROW_MEMBER_INIT                                                                       \
    {                                                                                              \
        .mem_type = H5I_INVALID_HID, .type = H5I_INVALID_HID, .read_type = H5I_INVALID_HID         \
    }
/* The whole member, not an item of it. */
#define STOA_WHOLE_MEMBER SIZE_MAX

/*
 * @param index  of the member in the row type
 * @param item  for an array member: the index of one item, counted over all dimensions; else
 *              STOA_WHOLE_MEMBER
 * @param[out] element  the type in memory. The caller frees it, after the member.
 * @param[out] member  close it with stoa_row_member_close(); not open after a failure
 */
stoa_status stoa_row_member_open(stoa_rows *rows, unsigned index, size_t item,
                                 stoa_element *element, stoa_row_member *member, stoa_error *err);
void stoa_row_member_close(stoa_row_member *member);

/* The chunk that a thread currently reads a member from. Zero-initialise; release it with
 * stoa_row_member_forget(). */
typedef struct stoa_row_member_hold {
    const uint8_t *chunk; /* rows of the chunk that was read last, or NULL */
    uint64_t number;
    stoa_held_chunk *held; /* the cached chunk that has them; NULL if they are in the scratch */
} stoa_row_member_hold;

/* Read rows [first, first + count) in memory form into `out`. Requires member->is_direct. May be
 * called on any thread. */
stoa_status stoa_row_member_read_direct(const stoa_row_member *member, stoa_row_member_hold *hold,
                                        stoa_scratch *scratch, uint64_t first, uint64_t count,
                                        void *out, stoa_error *err);
/* The same for the rows of one chunk whose bit is set. Bit 0 of `bits` is row `first`. */
stoa_status stoa_row_member_choose_direct(const stoa_row_member *member, stoa_row_member_hold *hold,
                                          stoa_scratch *scratch, uint64_t first, uint64_t count,
                                          const uint8_t *bits, void *out, stoa_error *err);
void stoa_row_member_forget(const stoa_row_member *member, stoa_row_member_hold *hold);
/* The same for every member. Call it only where libhdf5 may be called. Free variable-length parts
 * with stoa_element_reclaim(). */
stoa_status stoa_row_member_read(const stoa_row_member *member, uint64_t first, uint64_t count,
                                 void *out, stoa_error *err);

#endif
