/*
 * Datasets that hold a table row by row: one compound element a row, as PyTables, H5TB and h5py
 * write them.
 *
 * A chunk is unpacked once for all the members that are asked for, kept in the read context's cache
 * as long as they are at it, and members are picked out of its rows. Members whose stored bytes are
 * not their bytes in memory, and datasets that cannot be read past libhdf5 (direct.h), are read by
 * libhdf5, which gives one member of a row as well as all of them.
 */
#ifndef STOA_HDF_COMPOUND_ROWS_H
#define STOA_HDF_COMPOUND_ROWS_H

#include "hdf/metadata/types.h"
#include "hdf/read/direct.h"
#include "hdf/read/packed.h"

/* An open dataset, shared by its members. For the thread that calls libhdf5. */
typedef struct stoa_rows stoa_rows;

/*
 * @param dataset  of rank 1 and a compound type; taken over in every case
 * @param read_context    borrowed, must be closed later
 * @return STOA_EDATA where it is damaged or is no such dataset
 */
stoa_status stoa_rows_open(hid_t dataset, stoa_read_context *read_context, stoa_rows **rows,
                           stoa_error *err);
/* One more who closes it. */
stoa_rows *stoa_rows_hold(stoa_rows *rows);
void stoa_rows_close(stoa_rows *rows);

/* Borrowed. */
hid_t stoa_rows_dataset(const stoa_rows *rows);
hid_t stoa_rows_type(const stoa_rows *rows);
uint64_t stoa_rows_extent(const stoa_rows *rows);
/* 0: not chunked. */
uint64_t stoa_rows_chunk_rows(const stoa_rows *rows);
/* Bytes of a row as stored. */
size_t stoa_rows_size(const stoa_rows *rows);

/* A member of rows, or one item of a member that is an array. */
typedef struct stoa_row_member {
    stoa_rows *rows; /* held; NULL: not open */
    hid_t mem_type;  /* what it is in memory; borrowed from its element */
    size_t mem_size;
    hid_t type;         /* what it is as stored: */
    size_t size;        /* so many bytes, */
    size_t offset;      /* that begin there in a row */
    bool is_flat;       /* they are those of the element, */
    bool swaps;         /* or would be if they were turned round */
    bool is_direct;     /* and rows are read past libhdf5 */
    hid_t read_type;    /* a compound of this member alone, for H5Dread(); */
    size_t read_offset; /* and where in it the item begins */
} stoa_row_member;

#define STOA_ROW_MEMBER_INIT                                                                       \
    {                                                                                              \
        .mem_type = H5I_INVALID_HID, .type = H5I_INVALID_HID, .read_type = H5I_INVALID_HID         \
    }
/* All of a member, whatever it is. */
#define STOA_WHOLE_MEMBER SIZE_MAX

/*
 * @param index  of the member in the row type
 * @param item   of a member that is an array: that one of its items, counted over all dimensions;
 *               else STOA_WHOLE_MEMBER
 * @param[out] element  what it is in memory; the caller's, and must outlive the member
 * @param[out] member   close it with stoa_row_member_close(); not open after a failure
 */
stoa_status stoa_row_member_open(stoa_rows *rows, unsigned index, size_t item,
                                 stoa_element *element, stoa_row_member *member, stoa_error *err);
void stoa_row_member_close(stoa_row_member *member);

/* What a thread has of a member's dataset. Zero-initialise; let go of it with
 * stoa_row_member_forget(). */
typedef struct stoa_row_member_hold {
    const uint8_t *chunk; /* rows of the chunk that was looked into last, or NULL */
    uint64_t number;
    stoa_held_chunk *held; /* what they are in; NULL: the scratch */
} stoa_row_member_hold;

/* Rows [first, first + count) in memory form into `out`, on any thread; only where
 * member->is_direct. */
stoa_status stoa_row_member_pick(const stoa_row_member *member, stoa_row_member_hold *hold,
                                 stoa_scratch *scratch, uint64_t first, uint64_t count, void *out,
                                 stoa_error *err);
void stoa_row_member_forget(const stoa_row_member *member, stoa_row_member_hold *hold);
/* The same by any way; where libhdf5 may be called. Variable-length parts are given back by
 * stoa_element_reclaim(). */
stoa_status stoa_row_member_read(const stoa_row_member *member, uint64_t first, uint64_t count,
                                 void *out, stoa_error *err);

#endif
