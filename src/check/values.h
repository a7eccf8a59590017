/*
 * Reads the values of a dataset in bounded memory, and compares them by the orders of HEP001 §10.5.
 *
 * Integers widen to 64 bits and floats to double, both exactly, so two values are bit-equal in
 * memory if and only if they are in the file. Only rows that have storage are read. Rows in chunks
 * that were never written hold the fill value, and a file may claim 2^63 of them.
 */
#ifndef STOA_CHECK_VALUES_H
#define STOA_CHECK_VALUES_H

#include "check/checker.h"

typedef enum stoa_datum_kind {
    STOA_DATUM_NONE, /* no order, or too large to read: not compared */
    STOA_DATUM_SIGNED,
    STOA_DATUM_UNSIGNED,
    STOA_DATUM_FLOAT,
    STOA_DATUM_FIXED,    /* fixed-length strings */
    STOA_DATUM_VARIABLE, /* variable-length strings: a char *; NULL is "" */
    STOA_DATUM_OPAQUE,
    STOA_DATUM_PACKED /* no order: fields and elements packed without padding between them */
} stoa_datum_kind;

/* The form of a datatype's elements in memory. */
typedef struct stoa_datum_type {
    stoa_datum_kind kind;
    bool is_ordered;   /* has an order by §10.5, even if values are not compared here */
    hid_t memory_type; /* type to read with; H5I_INVALID_HID for NONE */
    size_t size;
    H5T_str_t padding;
} stoa_datum_type;

void stoa_datum_type_of(hid_t file_type, stoa_datum_type *out);
/* For comparisons that need no order. Compound, array and bitfield elements are PACKED (notes C6).
 * Only types that contain references or variable-length data remain NONE. */
void stoa_datum_type_of_any(hid_t file_type, stoa_datum_type *out);
void stoa_datum_type_clear(stoa_datum_type *type);

/* @return <0, 0 or >0; neither value is NaN, and -0.0 equals 0.0 */
int stoa_datum_compare(const stoa_datum_type *type, const void *a, const void *b);
/* Bit-equality (§8.5). */
bool stoa_datum_same(const stoa_datum_type *type, const void *a, const void *b);
bool stoa_datum_is_nan(const stoa_datum_type *type, const void *value);
/* The canonical missing-value test (§8.5); `fill` may be NULL. */
bool stoa_datum_is_missing(const stoa_datum_type *type, const void *fill, const void *value);
/* The bytes that equal values share: -0.0 becomes 0.0, all NaNs are one, padding is stripped. They
 * may be stored in `room` (8 bytes). */
const void *stoa_datum_key(const stoa_datum_type *type, const void *value, void *room,
                           size_t *length);
/* The value as text for a message, shortened. */
#define STOA_DATUM_TEXT 80
const char *stoa_datum_text(const stoa_datum_type *type, const void *value,
                            char text[STOA_DATUM_TEXT]);

/* Whether a dataset's fill value has the size of its elements; if not, it must not be read. */
bool stoa_check_fill_fits(stoa_checker *checker, hid_t plist, hid_t type);
/* A dataset's fill value, one element; false if it is undefined or unreadable. */
bool stoa_datum_fill(stoa_checker *checker, const stoa_datum_type *type, hid_t dataset,
                     void **fill);
/* A scalar attribute's value in the same form; `type` is not NONE. */
bool stoa_datum_attribute(stoa_checker *checker, const stoa_datum_type *type, hid_t attribute,
                          void **value);
/* Free an element from stoa_datum_fill() or stoa_datum_attribute(); it may be NULL. */
void stoa_datum_free(const stoa_datum_type *type, void *value);

/* Strings that libhdf5 allocates while it reads a slice. They are limited, and freed together. */
typedef struct stoa_check_arena {
    void *blocks;
    size_t n_bytes;
    bool is_out_of_memory;
} stoa_check_arena;

/* How a dataset's rows are stored. */
typedef struct stoa_rows {
    uint64_t extent;
    uint64_t chunk_rows;  /* 0: not chunked */
    size_t element_size;  /* bytes in the file */
    uint64_t chunk_bytes; /* size of a decoded chunk; 0: without filters, or unknown */
    bool is_allocated;    /* not chunked: has storage */
    uint64_t *chunks;     /* chunked: numbers of the chunks with storage, ascending */
    size_t n_chunks;
} stoa_rows;

typedef enum stoa_rows_status {
    STOA_ROWS_OK,
    STOA_ROWS_BROKEN,    /* cannot be read */
    STOA_ROWS_ELSEWHERE, /* in other files, which are not opened */
    STOA_ROWS_TOO_LARGE, /* a chunk or element is too large */
    STOA_ROWS_LACKING,   /* a filter is missing: checker->filter */
    STOA_ROWS_UNKNOWN    /* the decoded size of a chunk cannot be known before it is read */
} stoa_rows_status;

stoa_rows_status stoa_rows_of(stoa_checker *checker, hid_t dataset, stoa_rows *rows);
/* Whether the filters of a dataset can be undone: STOA_ROWS_OK or STOA_ROWS_LACKING. */
stoa_rows_status stoa_rows_check_filters(stoa_checker *checker, hid_t dataset);
void stoa_rows_clear(stoa_rows *rows);
/* Report why rows were not checked. */
void stoa_rows_report(stoa_checker *checker, const char *path, stoa_rows_status status);

/* Validate n filtered chunks before libhdf5 decodes them. Each has `rank` offsets. */
stoa_rows_status stoa_chunks_validate(stoa_checker *checker, hid_t dataset, hid_t plist,
                                      const hsize_t *offsets, int rank, size_t n,
                                      uint64_t chunk_bytes);

/* Called with n elements from row `first` on; return false to stop. */
typedef bool (*stoa_rows_visitor)(void *context, uint64_t first, const void *elements, size_t n);

/* Visit rows [first, first + count) in slices, with or without storage. */
stoa_rows_status stoa_rows_read(stoa_checker *checker, hid_t dataset, const stoa_rows *rows,
                                hid_t memory_type, size_t size, uint64_t first, uint64_t count,
                                stoa_rows_visitor visitor, void *context);
/* The same for rows below `n_rows` that have storage; *n_visited counts them. */
stoa_rows_status stoa_rows_read_stored(stoa_checker *checker, hid_t dataset, const stoa_rows *rows,
                                       hid_t memory_type, size_t size, uint64_t n_rows,
                                       stoa_rows_visitor visitor, void *context,
                                       uint64_t *n_visited);

#endif
