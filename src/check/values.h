/*
 * The values of a dataset, read in bounded memory and compared by the orders of HEP001 §10.5.
 *
 * Integers widen to 64 bits and floats to double, both exactly, so that two values are bit-equal in
 * the file if and only if they are here. Only rows that have storage are read: rows in chunks that
 * were never written hold the fill value, and a file may claim 2^63 of them.
 */
#ifndef STOA_CHECK_VALUES_H
#define STOA_CHECK_VALUES_H

#include "check/checker.h"

typedef enum stoa_datum_kind {
    STOA_DATUM_NONE, /* no order, or too large to be read: not compared */
    STOA_DATUM_SIGNED,
    STOA_DATUM_UNSIGNED,
    STOA_DATUM_FLOAT,
    STOA_DATUM_FIXED,    /* fixed-length strings */
    STOA_DATUM_VARIABLE, /* variable-length strings: a char *, NULL is "" */
    STOA_DATUM_OPAQUE,
    STOA_DATUM_PACKED /* no order: fields and elements without the holes between them */
} stoa_datum_kind;

/* How elements of a datatype are held in memory. */
typedef struct stoa_datum_type {
    stoa_datum_kind kind;
    bool is_ordered;   /* has an order by §10.5, even if values are not compared here */
    hid_t memory_type; /* what libhdf5 is asked for; H5I_INVALID_HID for NONE */
    size_t size;
    H5T_str_t padding;
} stoa_datum_type;

void stoa_datum_type_of(hid_t file_type, stoa_datum_type *out);
/* For comparisons that need no order: compound, array and bitfield elements are PACKED (notes C6);
 * only those with references or variable lengths inside remain NONE. */
void stoa_datum_type_of_any(hid_t file_type, stoa_datum_type *out);
void stoa_datum_type_clear(stoa_datum_type *type);

/* <0, 0, >0; neither is NaN. -0.0 equals 0.0. */
int stoa_datum_compare(const stoa_datum_type *type, const void *a, const void *b);
/* Bit-equality (§8.5). */
bool stoa_datum_same(const stoa_datum_type *type, const void *a, const void *b);
bool stoa_datum_is_nan(const stoa_datum_type *type, const void *value);
/* The bytes that equal values share: -0.0 is 0.0, any NaN any other, padding is stripped. `room` (8
 * bytes) may hold them. */
const void *stoa_datum_key(const stoa_datum_type *type, const void *value, void *room,
                           size_t *length);
/* The value for a message, shortened. */
#define STOA_DATUM_TEXT 80
const char *stoa_datum_text(const stoa_datum_type *type, const void *value,
                            char text[STOA_DATUM_TEXT]);

/* Whether a dataset's fill value is as large as its elements; else nothing of it may be read. */
bool stoa_check_fill_fits(stoa_checker *checker, hid_t plist, hid_t type);
/* A dataset's fill value, one element; false where it is undefined or cannot be read. */
bool stoa_datum_fill(stoa_checker *checker, const stoa_datum_type *type, hid_t dataset,
                     void **fill);
/* A scalar attribute's value, the same way; `type` is not NONE. */
bool stoa_datum_attribute(stoa_checker *checker, const stoa_datum_type *type, hid_t attribute,
                          void **value);
/* Free an element from one of the two calls above; NULL is fine. */
void stoa_datum_free(const stoa_datum_type *type, void *value);

/* Strings that libhdf5 allocates while a slice is read; freed as a whole, and limited. */
typedef struct stoa_arena {
    void *blocks;
    size_t n_bytes;
    bool is_out_of_memory;
} stoa_arena;

/* Where a dataset's rows lie. */
typedef struct stoa_rows {
    uint64_t extent;
    uint64_t chunk_rows;  /* 0: one piece */
    size_t element_size;  /* bytes in the file */
    uint64_t chunk_bytes; /* of a chunk with filters, unpacked; 0: without, or not known */
    bool is_allocated;    /* one piece: it has storage */
    uint64_t *chunks;     /* chunked: numbers of the chunks that have storage, ascending */
    size_t n_chunks;
} stoa_rows;

typedef enum stoa_rows_status {
    STOA_ROWS_OK,
    STOA_ROWS_BROKEN,    /* cannot be read */
    STOA_ROWS_ELSEWHERE, /* in other files, which are not opened */
    STOA_ROWS_TOO_LARGE, /* a chunk or element is too large */
    STOA_ROWS_LACKING,   /* packed by a filter that is not there: checker->filter */
    STOA_ROWS_UNKNOWN    /* what its filters make of a chunk cannot be told before it is read */
} stoa_rows_status;

stoa_rows_status stoa_rows_of(stoa_checker *checker, hid_t dataset, stoa_rows *rows);
/* STOA_ROWS_LACKING or _OK: whether the filters of a dataset can be undone. */
stoa_rows_status stoa_rows_look_at_filters(stoa_checker *checker, hid_t dataset);
void stoa_rows_clear(stoa_rows *rows);
/* Say why rows were not judged. */
void stoa_rows_report(stoa_checker *checker, const char *path, stoa_rows_status status);

/* Look at one chunk with filters before libhdf5 unpacks it. */
stoa_rows_status stoa_chunk_look(stoa_checker *checker, hid_t dataset, hid_t plist,
                                 const hsize_t *offset, uint64_t chunk_bytes);

/* n elements from row `first` on; false: enough. */
typedef bool (*stoa_rows_visitor)(void *context, uint64_t first, const void *elements, size_t n);

/* Visit rows [first, first + count) slice by slice, whether they have storage or not. */
stoa_rows_status stoa_rows_read(stoa_checker *checker, hid_t dataset, const stoa_rows *rows,
                                hid_t memory_type, size_t size, uint64_t first, uint64_t count,
                                stoa_rows_visitor visitor, void *context);
/* The same, only rows below `n_rows` that have storage; *n_visited counts them. */
stoa_rows_status stoa_rows_read_stored(stoa_checker *checker, hid_t dataset, const stoa_rows *rows,
                                       hid_t memory_type, size_t size, uint64_t n_rows,
                                       stoa_rows_visitor visitor, void *context,
                                       uint64_t *n_visited);

#endif
