/*
 * The properties that all chunks of a structured dataset share, and their encoding in the filter's
 * parameters (docs/sparse-format.md §2).
 *
 * The words chosen by the user come first: the sections and their filters. The words derived from
 * the dataset follow: element size, chunk size, fill value. They are computed again whenever a
 * dataset is created, because the list may have served another one before.
 */
#ifndef STOA_SPARSE_FORMAT_H
#define STOA_SPARSE_FORMAT_H

#include "codec/pipeline.h"

/* In the range that The HDF Group leaves to unregistered filters. */
#define STOA_SPARSE_FILTER 53131
#define STOA_SPARSE_FILTER_NAME "stoa-sparse"

#define STOA_SPARSE_MAX_WORDS 256 /* H5Pget_filter2() refuses more */
#define STOA_SPARSE_MAX_FILL 64   /* bytes of a fill value; a longer one is stored in each chunk */
#define STOA_SPARSE_MAX_SLOTS 64

/* Sections of a structured chunk, by number. */
typedef enum stoa_section {
    STOA_SECTION_POSITIONS,
    STOA_SECTION_VALUES,
    STOA_SECTION_HEAP,
    STOA_MAX_SECTIONS
} stoa_section;

/* Element class, for the filters of section 1. */
typedef enum stoa_number_class {
    STOA_NUMBER_OTHER,
    STOA_NUMBER_UNSIGNED,
    STOA_NUMBER_SIGNED,
    STOA_NUMBER_FLOAT
} stoa_number_class;

/* The filters of a section, in the order of encoding. */
typedef struct stoa_section_filters {
    size_t n;
    uint32_t optional; /* bit i: filter i may be skipped if it fails */
    stoa_filter filters[STOA_MAX_FILTERS];
} stoa_section_filters;

typedef struct stoa_sparse_format {
    /* The user's part. */
    bool is_sparse;            /* otherwise every element is defined: dense variable-length data */
    bool has_heap;             /* three sections instead of two */
    bool has_references;       /* variable-length data are in the file's global heap */
    bool asks_for_plain_edges; /* H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS; recorded without effect */
    stoa_section_filters sections[STOA_MAX_SECTIONS];

    /* The dataset's part. */
    bool is_bound;       /* the dataset's part is set */
    uint64_t n_elements; /* of a chunk, 1 .. UINT32_MAX */
    size_t element_size; /* in the file, as libhdf5 would store them without us */
    stoa_number_class number;
    bool is_big_endian;
    bool fill_is_variable;  /* its slots are not empty; only the property list has all of it */
    bool fill_is_elsewhere; /* longer than STOA_SPARSE_MAX_FILL, and stored in the chunks */
    uint8_t fill[STOA_SPARSE_MAX_FILL]; /* element_size bytes, unless fill_is_elsewhere */
    /* The slots: where an element refers to variable-length data, if has_heap. A slot has slot_size
     * bytes in an element as libhdf5 sees it. In section 1 it is a length of 4 bytes. */
    size_t n_slots;
    size_t slot_size;
    uint32_t slots[STOA_SPARSE_MAX_SLOTS]; /* offsets in an element, ascending */
} stoa_sparse_format;

/* Number of sections of a chunk: 2 or 3. */
static inline unsigned stoa_sparse_n_sections(const stoa_sparse_format *format)
{
    return format->has_heap ? 3 : 2;
}

/* Bytes of one element in section 1. */
size_t stoa_sparse_value_size(const stoa_sparse_format *format);

/*
 * Encode the filter's client data.
 *
 * @param[out] words  STOA_SPARSE_MAX_WORDS words
 * @return STOA_ERANGE if these do not suffice
 */
stoa_status stoa_sparse_format_pack(const stoa_sparse_format *format, uint32_t *words,
                                    size_t *n_words, stoa_error *err);
/* Decode the filter's client data, which are untrusted. No words mean sparse without filters.
 * STOA_EDATA if they are invalid. */
stoa_status stoa_sparse_format_unpack(const uint32_t *words, size_t n_words,
                                      stoa_sparse_format *format, stoa_error *err);

#endif
