/*
 * HEP001 tables made with plain libhdf5. The tests of the checker thus do not depend on Stoa's own
 * writer.
 *
 * build_table() makes a conformant table `/t` of ten rows in chunks of four:
 *
 *     id     uint64   0 ... 9, the row index
 *     label  int8     codes of CATEGORIES/labels ("low", "mid", "high")
 *     x      float64  3, NaN, missing, 7.5 | missing, missing, NaN, NaN | -1, 2
 *     SEARCH_INDEXES/x_minmax   CHUNK_MINMAX of x
 *
 * A case then breaks one rule with the other calls. Objects are named by absolute paths. Attributes
 * and datasets that exist already are replaced.
 */
#ifndef STOA_TESTS_CONFORMANCE_BUILD_H
#define STOA_TESTS_CONFORMANCE_BUILD_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

#define N_ROWS 10
#define CHUNK 4

/* One entry of x_minmax. */
typedef struct minmax {
    double min, max;
    uint64_t nan_count, fill_count, n;
} minmax;

extern const double x_values[N_ROWS];
extern const minmax x_entries[3];
/* 9.9692099683868690e+36, from the bit pattern of HEP001 Table 1. */
double float_fill(void);

/* Create a file in memory. */
hid_t memory_file(void);
void build_table(hid_t file);
/* Write only CLASS, VERSION and NROWS. */
void build_empty(hid_t file, const char *path, uint64_t n_rows);

/* Create a string type, which the caller closes. */
hid_t string_type(size_t size, H5T_str_t padding, H5T_cset_t charset);
hid_t variable_string_type(void);
/* {FALSE = 0, TRUE = 1} over any base type. */
hid_t boolean_type(hid_t base);

void drop(hid_t file, const char *object, const char *attribute);
/* Write a scalar text attribute, fixed-length and null-terminated: UTF-8, ASCII, or as given. */
void put_text(hid_t file, const char *object, const char *attribute, const char *value);
void put_ascii(hid_t file, const char *object, const char *attribute, const char *value);
void put_string(hid_t file, const char *object, const char *attribute, const char *value,
                size_t size, H5T_str_t padding, H5T_cset_t charset);
void put_variable_string(hid_t file, const char *object, const char *attribute, const char *value);
/* The same text as an array of one. */
void put_one_string(hid_t file, const char *object, const char *attribute, const char *value,
                    H5T_cset_t charset);
void put_names(hid_t file, const char *object, const char *attribute, const char *const *names,
               size_t n, H5T_cset_t charset);
/* `dims` NULL: scalar; `rank` 0 with dims: a null dataspace. */
void put_values(hid_t file, const char *object, const char *attribute, hid_t file_type,
                hid_t memory_type, const void *values, int rank, const hsize_t *dims);
void put_value(hid_t file, const char *object, const char *attribute, hid_t file_type,
               hid_t memory_type, const void *value);
/* Write references of H5T_STD_REF. A NULL target is a null reference. */
void put_reference(hid_t file, const char *object, const char *attribute, const char *target);
void put_references(hid_t file, const char *object, const char *attribute,
                    const char *const *targets, size_t n);
/* Write one reference of the deprecated H5T_STD_REF_OBJ. */
void put_old_reference(hid_t file, const char *object, const char *attribute, const char *target,
                       bool scalar);

void make_group(hid_t file, const char *path);
void remove_link(hid_t file, const char *path);
/* Make a chunked dataset of N_ROWS rows. `fill` NULL: no fill value is set. `data` NULL: nothing is
 * written. Both have `memory_type`. */
void make_column(hid_t file, const char *path, hid_t file_type, hid_t memory_type, const void *fill,
                 const void *data);
/* The same with more choices. `chunk` 0: contiguous. `plist` has the other creation properties and
 * may be H5P_DEFAULT. */
void make_dataset(hid_t file, const char *path, hid_t file_type, hid_t memory_type,
                  const void *fill, const void *data, uint64_t n, uint64_t chunk, hid_t plist);
/* A creation property list with a filter that is unavailable once the caller has unregistered
 * it. */
#define LOST_FILTER 32001
hid_t lost_filter(void);
/* Replace the first chunk of a chunked dataset by one that unpacks to `n_bytes`, regardless of its
 * rows. `plist` has the dataset's filters. */
void shorten_chunk(hid_t file, const char *path, hid_t plist, size_t n_bytes);
/* Rewrite column-order: all columns and list columns of /t in order of their names. */
void list_columns(hid_t file);
/* Rewrite the entries of x_minmax. */
void write_entries(hid_t file, const minmax *entries, size_t n);
/* Make the CHUNK_MINMAX index `/t/SEARCH_INDEXES/name` of a column with values of `type`. `entries`
 * are packed in memory as {value, value, u64, u64, u64}. Also writes KIND, description and the
 * column's list. */
void make_minmax(hid_t file, const char *name, const char *column, hid_t file_type,
                 hid_t memory_type, const void *entries, size_t n);

/* --- the other three kinds (build_indexes.c) -------------------------------------------------- */

/* Each function makes one index with KIND, description and its own attributes, and adds it to the
 * column's list. An index of that name is replaced. */
#define SORTED "/t/SEARCH_INDEXES/sorted"
#define BITMAP "/t/SEARCH_INDEXES/bitmap"
#define VALUES "/t/SEARCH_INDEXES/values"
#define BLOOM "/t/SEARCH_INDEXES/bloom"

/* Write the column's SEARCH_INDEX_LIST: this index, and x_minmax if the column is x. */
void link_index(hid_t file, const char *column, const char *index);
void put_bool(hid_t file, const char *object, const char *attribute, bool value);
void put_u64(hid_t file, const char *object, const char *attribute, hid_t file_type,
             uint64_t value);

/* Rows in order. Entries have `file_type`, usually H5T_STD_U64LE. */
void make_sorted(hid_t file, const char *column, hid_t file_type, const uint64_t *rows, uint64_t n,
                 uint64_t fill_tail, uint64_t nan_tail);
/* `bits` holds n_values rows of n_bytes each. The values are in a separate dataset. */
void make_bitmap(hid_t file, const char *column, hid_t file_type, hid_t memory_type,
                 const void *values, uint64_t n_values, const uint8_t *bits, uint64_t n_bytes);
/* `filters` holds n_chunks rows of m_bytes each. */
void make_bloom(hid_t file, const char *column, const uint8_t *filters, uint64_t n_chunks,
                uint64_t m_bytes, uint16_t k, uint32_t seed);
/* Set the bits of one canonical value in a filter, computed in 64 bits or, if `whole`, without
 * wrapping. */
void bloom_insert(uint8_t *filter, uint64_t m_bytes, uint16_t k, uint32_t seed, const void *bytes,
                  size_t n, bool whole);

/* x and label of build_table(), as in their indexes. */
extern const uint64_t x_sorted[N_ROWS]; /* at the end, three rows of fill, then three of NaN */
extern const uint64_t label_sorted[N_ROWS];
extern const uint8_t label_bits[3][2]; /* of the codes 0, 1, 2 */
#define X_FILTER 16                    /* bytes; k is 3, the seed 0 */
void x_filters(uint8_t filters[3][X_FILTER]);

/* --- July 2026 (build_july.c) ---------------------------------------------------------------- */

/* build_table() with tokens: GENERATION of the table, and those of x_minmax. */
#define GENERATION 3
void build_july(hid_t file);
void put_tokens(hid_t file, const char *index, uint64_t generation, uint64_t n_rows);
/* {FALSE = 0, TRUE = 1, MISSING = missing} over H5T_STD_I8LE. */
hid_t nullable_type(int8_t missing);

/* Call after build_july(): the list column `/t/list` of twelve float32, two lists of it null. */
#define LIST "/t/list"
#define LIST_STRINGS LIST "/VALUES"
#define N_ELEMENTS 12
extern const uint64_t list_offsets[N_ROWS + 1];
extern const uint8_t list_mask[N_ROWS];
void build_list(hid_t file);
/* The same of strings, in a group STRING_VALUES. */
void build_string_list(hid_t file);
/* Make the group of a list or of strings with its CLASS and KIND, and its members. */
void make_list(hid_t file, const char *group);
void make_strings(hid_t file, const char *group);
void make_offsets(hid_t file, const char *group, const uint64_t *offsets, uint64_t n);
void make_mask(hid_t file, const char *group, const uint8_t *mask, uint64_t n);
void make_chars(hid_t file, const char *group, const char *chars, uint64_t n);

#endif
