/*
 * HEP001 tables made with plain libhdf5, so that what the checker is tested with owes nothing to
 * Stoa's own writer.
 *
 * build_table() makes `/t`, conformant, of ten rows in chunks of four:
 *
 *     id     uint64   0 ... 9, the row index
 *     label  int8     codes of CATEGORIES/labels ("low", "mid", "high")
 *     x      float64  3, NaN, missing, 7.5 | missing, missing, NaN, NaN | -1, 2
 *     SEARCH_INDEXES/x_minmax   CHUNK_MINMAX of x
 *
 * A case then breaks one rule of it with the other calls. Objects are named by their absolute path;
 * attributes and datasets that are there already are replaced.
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

/* A new file in memory. */
hid_t memory_file(void);
void build_table(hid_t file);
/* Only CLASS, VERSION and NROWS. */
void build_empty(hid_t file, const char *path, uint64_t n_rows);

/* A string type of the library's user: closed by the caller. */
hid_t string_type(size_t size, H5T_str_t padding, H5T_cset_t charset);
hid_t variable_string_type(void);
/* {FALSE = 0, TRUE = 1} over any base type. */
hid_t boolean_type(hid_t base);

void drop(hid_t file, const char *object, const char *attribute);
/* Scalar, fixed-length, null-terminated: UTF-8, ASCII, or any. */
void put_text(hid_t file, const char *object, const char *attribute, const char *value);
void put_ascii(hid_t file, const char *object, const char *attribute, const char *value);
void put_string(hid_t file, const char *object, const char *attribute, const char *value,
                size_t size, H5T_str_t padding, H5T_cset_t charset);
void put_variable_string(hid_t file, const char *object, const char *attribute, const char *value);
/* The same text, as an array of one. */
void put_one_string(hid_t file, const char *object, const char *attribute, const char *value,
                    H5T_cset_t charset);
void put_names(hid_t file, const char *object, const char *attribute, const char *const *names,
               size_t n, H5T_cset_t charset);
/* `dims` NULL: scalar; `rank` 0 with dims: a null dataspace. */
void put_values(hid_t file, const char *object, const char *attribute, hid_t file_type,
                hid_t memory_type, const void *values, int rank, const hsize_t *dims);
void put_value(hid_t file, const char *object, const char *attribute, hid_t file_type,
               hid_t memory_type, const void *value);
/* References of H5T_STD_REF; a NULL target is a null reference. */
void put_reference(hid_t file, const char *object, const char *attribute, const char *target);
void put_references(hid_t file, const char *object, const char *attribute,
                    const char *const *targets, size_t n);
/* One reference of the deprecated H5T_STD_REF_OBJ. */
void put_old_reference(hid_t file, const char *object, const char *attribute, const char *target,
                       bool scalar);

void make_group(hid_t file, const char *path);
void remove_link(hid_t file, const char *path);
/* A chunked dataset of N_ROWS rows; `fill` NULL: none is set; `data` NULL: nothing is written. Both
 * are in `memory_type`. */
void make_column(hid_t file, const char *path, hid_t file_type, hid_t memory_type, const void *fill,
                 const void *data);
/* The same with everything to choose: `chunk` 0 is contiguous; `plist` (may be H5P_DEFAULT) brings
 * what else the dataset needs. */
void make_dataset(hid_t file, const char *path, hid_t file_type, hid_t memory_type,
                  const void *fill, const void *data, uint64_t n, uint64_t chunk, hid_t plist);
/* A creation property list with a filter that nobody has once the caller has unregistered it. */
#define LOST_FILTER 32001
hid_t lost_filter(void);
/* Replace the first chunk of a chunked dataset, whose filters the list has, by one that unpacks to
 * `n_bytes`, whatever its rows need. */
void shorten_chunk(hid_t file, const char *path, hid_t plist, size_t n_bytes);
/* Write column-order anew: all columns of /t in order of their names. */
void list_columns(hid_t file);
/* Write the entries of x_minmax anew. */
void write_entries(hid_t file, const minmax *entries, size_t n);
/* A CHUNK_MINMAX index `/t/SEARCH_INDEXES/name` of a column with values of `type`; `entries` are in
 * memory as {value, value, u64, u64, u64}, packed. Also KIND, description and the column's list. */
void make_minmax(hid_t file, const char *name, const char *column, hid_t file_type,
                 hid_t memory_type, const void *entries, size_t n);

/* --- the other three kinds (build_indexes.c) -------------------------------------------------- */

/* Each makes one index with KIND, description and its own attributes, and adds it to the column's
 * list; what was there under that name is replaced. */
#define SORTED "/t/SEARCH_INDEXES/sorted"
#define BITMAP "/t/SEARCH_INDEXES/bitmap"
#define VALUES "/t/SEARCH_INDEXES/values"
#define BLOOM "/t/SEARCH_INDEXES/bloom"

/* The column's SEARCH_INDEX_LIST: x_minmax, where the column is x, and this index. */
void link_index(hid_t file, const char *column, const char *index);
void put_bool(hid_t file, const char *object, const char *attribute, bool value);
void put_u64(hid_t file, const char *object, const char *attribute, hid_t file_type,
             uint64_t value);

/* Rows in order; entries of `file_type` (H5T_STD_U64LE will do). */
void make_sorted(hid_t file, const char *column, hid_t file_type, const uint64_t *rows, uint64_t n,
                 uint64_t fill_tail, uint64_t nan_tail);
/* `bits` holds n_values rows of n_bytes each; the values are in a dataset beside it. */
void make_bitmap(hid_t file, const char *column, hid_t file_type, hid_t memory_type,
                 const void *values, uint64_t n_values, const uint8_t *bits, uint64_t n_bytes);
/* `filters` holds n_chunks rows of m_bytes each. */
void make_bloom(hid_t file, const char *column, const uint8_t *filters, uint64_t n_chunks,
                uint64_t m_bytes, uint16_t k, uint32_t seed);
/* Set the bits of one canonical value in a filter: in 64 bits, or (`whole`) without wrapping. */
void bloom_insert(uint8_t *filter, uint64_t m_bytes, uint16_t k, uint32_t seed, const void *bytes,
                  size_t n, bool whole);

/* x and label of build_table(), as their indexes have them. */
extern const uint64_t x_sorted[N_ROWS]; /* three rows of fill, then three of NaN, at the end */
extern const uint64_t label_sorted[N_ROWS];
extern const uint8_t label_bits[3][2]; /* of the codes 0, 1, 2 */
#define X_FILTER 16                    /* bytes; k is 3, the seed 0 */
void x_filters(uint8_t filters[3][X_FILTER]);

#endif
