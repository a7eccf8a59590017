/*
 * What all chunks of a structured dataset have in common, and how the parameters of its filter say
 * it (docs/sparse-format.md §2).
 *
 * Words that the user chose (which sections there are, the filters of each) come first; those that
 * follow from the dataset (element size, chunk size, fill value) are computed anew whenever a
 * creation list meets a dataset, as a list may have served another one before.
 */
#ifndef STOA_SPARSE_FORMAT_H
#define STOA_SPARSE_FORMAT_H

#include "codec/pipeline.h"

/* From the numbers that The HDF Group leaves to filters it has not registered. */
#define STOA_SPARSE_FILTER 53131
#define STOA_SPARSE_FILTER_NAME "stoa-sparse"

#define STOA_SPARSE_MAX_WORDS 256 /* more, and H5Pget_filter2() refuses */
#define STOA_SPARSE_MAX_FILL 64   /* bytes of a fill value; a longer one stands in each chunk */
#define STOA_SPARSE_MAX_SLOTS 64

/* Sections of a structured chunk, by number. */
typedef enum stoa_section {
    STOA_SECTION_POSITIONS,
    STOA_SECTION_VALUES,
    STOA_SECTION_HEAP,
    STOA_MAX_SECTIONS
} stoa_section;

/* What the filters of section 1 may want to know of the elements. */
typedef enum stoa_number_class {
    STOA_NUMBER_OTHER,
    STOA_NUMBER_UNSIGNED,
    STOA_NUMBER_SIGNED,
    STOA_NUMBER_FLOAT
} stoa_number_class;

/* The filters of a section, first to last. */
typedef struct stoa_section_filters {
    size_t n;
    uint32_t optional; /* bit i: filter i may be left out where it fails */
    stoa_filter filters[STOA_MAX_FILTERS];
} stoa_section_filters;

typedef struct stoa_sparse_format {
    /* The user's part. */
    bool is_sparse;            /* else every element is defined: dense data of variable length */
    bool has_heap;             /* three sections, not two */
    bool has_references;       /* data of variable length lie in the file's global heap */
    bool asks_for_plain_edges; /* H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS; kept, and no more */
    stoa_section_filters sections[STOA_MAX_SECTIONS];

    /* The dataset's part. */
    bool is_bound;       /* it is there */
    uint64_t n_elements; /* of a chunk, 1 .. UINT32_MAX */
    size_t element_size; /* in the file, as libhdf5 without us would store them */
    stoa_number_class number;
    bool is_big_endian;
    bool fill_is_variable;  /* its slots are not nothing: only the creation list has all of it */
    bool fill_is_elsewhere; /* longer than STOA_SPARSE_MAX_FILL: the chunks have it */
    uint8_t fill[STOA_SPARSE_MAX_FILL]; /* element_size bytes, unless fill_is_elsewhere */
    /* Where an element refers to data of variable length: has_heap. Each slot has slot_size bytes
     * in an element as libhdf5 sees it, and 4, the length, in section 1. */
    size_t n_slots;
    size_t slot_size;
    uint32_t slots[STOA_SPARSE_MAX_SLOTS]; /* offsets in an element, ascending */
} stoa_sparse_format;

/* Sections of a chunk: 2 or 3. */
static inline unsigned stoa_sparse_n_sections(const stoa_sparse_format *format)
{
    return format->has_heap ? 3 : 2;
}

/* Bytes of one element in section 1. */
size_t stoa_sparse_value_size(const stoa_sparse_format *format);

/*
 * The filter's client data.
 *
 * @param[out] words    STOA_SPARSE_MAX_WORDS of them
 * @return STOA_ERANGE where they do not suffice
 */
stoa_status stoa_sparse_format_pack(const stoa_sparse_format *format, uint32_t *words,
                                    size_t *n_words, stoa_error *err);
/* The same backwards; nothing is believed. No words: sparse, without filters. STOA_EDATA where they
 * make no sense. */
stoa_status stoa_sparse_format_unpack(const uint32_t *words, size_t n_words,
                                      stoa_sparse_format *format, stoa_error *err);

#endif
