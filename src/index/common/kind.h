/*
 * The interface of search-index kinds (HEP001 §10).
 *
 * A kind consists of the files src/index/<name>*.c and one constant, listed in registry.c. Other
 * code does not distinguish kinds. Indexes are derived data and untrusted (§16): shape, type and
 * bounds of everything read are checked. A damaged index is reported and never makes a query fail.
 */
#ifndef STOA_INDEX_KIND_H
#define STOA_INDEX_KIND_H

#include <stoa/index.h>
#include <stoa/progress.h>

#include "column/column.h"
#include "index/common/row_bits.h"
#include "index/common/rowset.h"
#include "index/common/tokens.h"

/* A value to compare a column with, in the column's comparison domain. */
typedef struct stoa_scalar {
    enum {
        STOA_SCALAR_I64,  /* signed integers, *stored* ticks of times, codes (enum, categorical) */
        STOA_SCALAR_U64,  /* unsigned integers, booleans */
        STOA_SCALAR_F64,  /* floats (float16 and float32 widen exactly) */
        STOA_SCALAR_BYTES /* strings without padding, opaque values */
    } kind;
    union {
        int64_t i64;
        uint64_t u64;
        double f64;
        struct {
            const char *data; /* borrowed */
            size_t length;
        } bytes;
    } as;
} stoa_scalar;

/* The values between two bounds. An unset bound is infinite. No interval contains NaN. */
typedef struct stoa_interval {
    bool has_low, has_high;
    bool low_open, high_open; /* exclude the bound itself */
    stoa_scalar low, high;
} stoa_interval;

/* What a predicate asks of one column: the value is in one of the intervals, or missing, or NaN. */
typedef struct stoa_test {
    const stoa_interval *intervals;
    size_t n_intervals;
    bool missing; /* rows with a missing value match */
    bool nan;     /* rows with a NaN that is not missing match */
} stoa_test;

/* An open index of any kind, defined by each kind's files. */
typedef struct stoa_index stoa_index;

typedef struct stoa_index_kind {
    const char *name;           /* name on the command line, such as "minmax" */
    const char *kind;           /* KIND attribute, such as "CHUNK_MINMAX" */
    const char *section;        /* where it is specified, such as "HEP001 §10.4" */
    bool is_cheap;              /* cheap to ask, with short answers: always worth using */
    bool lists_rows;            /* lists single rows; a scan beats a long list */
    bool reads_rows;            /* a question reads single rows of the column */
    const char *const *company; /* NULL-terminated attributes that refer to auxiliary datasets
                                   (§10.1); NULL if none */
    bool only_points;           /* only helps with bounded intervals, without missing rows or NaN */

    /* Whether a column of this type may have one; else STOA_ETYPE with the reason. */
    stoa_status (*accepts)(const stoa_column *column, stoa_error *err);
    /* Create the dataset(s) in the group `indexes` for rows [0, n_rows). `dataset` is the index,
     * with KIND and description but not yet linked from the column. */
    stoa_status (*build)(stoa_column *column, uint64_t n_rows, hid_t indexes, const char *name,
                         const stoa_index_options *options, hid_t *dataset, stoa_error *err);
    /* The options that an index was built with, as far as it records them, for an equivalent
     * rebuild. NULL if the kind has none. */
    void (*recall)(hid_t dataset, stoa_index_options *options);
    /* Whether older Stoa wrote the index in a form that is read and not written any more. A repair
     * builds it anew. NULL: there is no such form. */
    bool (*is_old)(hid_t dataset);
    /* Update an index from rows [0, n_old) to rows [0, n_rows) (§11.2 step 4). n_rows may be
     * smaller (§11.4). Rows below both are unchanged. */
    stoa_status (*append)(stoa_column *column, hid_t dataset, uint64_t n_old, uint64_t n_rows,
                          stoa_error *err);
    /* The same, but may replace the index by a new one of the same name if that is less work.
     * `indexes` is its group, or invalid if it is in none. NULL: use append(). */
    stoa_status (*extend)(stoa_column *column, hid_t dataset, uint64_t n_old, uint64_t n_rows,
                          hid_t indexes, stoa_error *err);
    /* Recompute and compare (§12), and tell the listener, which may be NULL. On a difference, *same
     * is false and `problem` (256 bytes) describes it. STOA_ETYPE if the specification allows such
     * an index on the column but Stoa does not support it. */
    stoa_status (*verify)(stoa_column *column, hid_t dataset, uint64_t n_rows,
                          const stoa_listener *listener, bool *same, char *problem,
                          stoa_error *err);
    /* Open it for queries; STOA_EDATA if shape or type violate the specification. */
    stoa_status (*open)(stoa_column *column, hid_t dataset, uint64_t n_rows, stoa_index **index,
                        stoa_error *err);
    /* Estimate cheaply how many rows `candidates` would hold; n_rows if the index does not help. */
    stoa_status (*estimate)(const stoa_index *index, const stoa_test *test, uint64_t *n_rows,
                            stoa_error *err);
    /* Set `candidates` to a superset and `certain` to a subset of the rows that pass the test, as
     * far as the index can tell. Both sets are cleared first. The result may be "all rows" and
     * "none" if a longer list would cost more than it saves. */
    stoa_status (*prune)(const stoa_index *index, const stoa_test *test, stoa_rowset *candidates,
                         stoa_rowset *certain, stoa_error *err);
    /* Return exactly the rows that pass the test, as a bitmap, for answers that would be long
     * lists. The caller releases it. *rows is NULL if the index cannot tell, or not cheaply enough
     * yet. NULL: the kind never can. */
    stoa_status (*rows)(const stoa_index *index, const stoa_test *test, stoa_row_bits **rows,
                        stoa_error *err);
    /* How the rows are ordered: n_ordered ranks with ascending values, then n_missing and n_nan
     * rows. NULL, like `ranked`, if the kind has no order. */
    void (*ranks)(const stoa_index *index, uint64_t *n_ordered, uint64_t *n_missing,
                  uint64_t *n_nan);
    /* Read the rows at ranks [first, first + count). */
    stoa_status (*ranked)(const stoa_index *index, uint64_t first, uint64_t count, uint64_t *rows,
                          stoa_error *err);
    /* Set `candidates` to a superset of the rows that hold the first `count` values of the column's
     * order, among all rows. It is all rows if there are not as many values for sure. NULL: the
     * kind knows no bounds of values. */
    stoa_status (*first)(const stoa_index *index, uint64_t count, bool descending,
                         stoa_rowset *candidates, stoa_error *err);
    /* Number of missing rows, and range of all other values as text; false if unknown. */
    bool (*summary)(const stoa_index *index, uint64_t *n_missing, char *low, char *high,
                    size_t size);
    void (*close)(stoa_index *index);
} stoa_index_kind;

extern const stoa_index_kind stoa_index_minmax;
extern const stoa_index_kind stoa_index_sorted;
extern const stoa_index_kind stoa_index_bitmap;
extern const stoa_index_kind stoa_index_bloom;

/* Write KIND and description of an index dataset (§10.3). The description names producer, version,
 * time and `parameters`, such as "k = 7, m_bits = 1024"; NULL if none. */
stoa_status stoa_index_describe(hid_t dataset, const char *kind, const char *parameters,
                                stoa_error *err);

/* Find a registered kind by KIND attribute or name; NULL if unknown. */
const stoa_index_kind *stoa_index_kind_find(const char *kind_or_name);
/* The same for a user's input: STOA_EINVAL with the list of names. */
stoa_status stoa_index_kind_named(const char *kind_or_name, const stoa_index_kind **kind,
                                  stoa_error *err);
/* Iterate over the registered kinds; NULL after the last. */
const stoa_index_kind *stoa_index_kind_at(size_t i);

/* Rows per chunk, and the number of chunks with n_rows rows. A column without chunks counts as one
 * chunk (notes D5). */
static inline uint64_t stoa_index_chunk_rows(const stoa_column *column, uint64_t n_rows)
{
    return column->chunk_rows != 0 ? column->chunk_rows : n_rows;
}
static inline uint64_t stoa_index_n_chunks(const stoa_column *column, uint64_t n_rows)
{
    return n_rows == 0 ? 0 : (n_rows - 1) / stoa_index_chunk_rows(column, n_rows) + 1;
}

/* Find a free name in the group: `stem`, else stem_2, stem_3, ... The caller frees *name. */
stoa_status stoa_index_free_name(hid_t indexes, const char *stem, char **name, stoa_error *err);
/* Make the creation properties of an index dataset. The caller closes them. */
stoa_status stoa_index_properties(int rank, const hsize_t *chunk, hid_t *creation, stoa_error *err);
/* Create an empty, extensible one-dimensional dataset, unfiltered or with scale-offset
 * (`is_packed`). A NULL `name` leaves it unlinked. */
stoa_status stoa_index_dataset(hid_t indexes, const char *name, hid_t type, uint64_t chunk,
                               bool is_packed, hid_t *dataset, stoa_error *err);
/* Get the length of a one-dimensional dataset. STOA_EDATA, with `what` it is and the section, if it
 * has another shape. */
stoa_status stoa_index_length(hid_t dataset, const char *what, const char *section,
                              uint64_t *length, stoa_error *err);

/* A resolved reference of a column's SEARCH_INDEX_LIST (§10.2). */
typedef struct stoa_index_link {
    hid_t dataset;               /* H5I_INVALID_HID if the reference does not resolve */
    char kind_text[32];          /* KIND as written, "" if unreadable */
    const stoa_index_kind *kind; /* NULL if ignored: unknown (§10.3) or `is_unsound` */
    bool is_unsound;             /* unsafe to read with libhdf5 */
    stoa_tokens tokens;
    bool is_stale; /* the tokens fail, so it must not be used (HEP001-2026-07 §12.2) */
} stoa_index_link;

/* Whether the link is of that kind, usable or not. */
bool stoa_index_link_is(const stoa_index_link *link, const stoa_index_kind *kind);

/* Read the links of a column, in order. A missing attribute is an empty list; STOA_EDATA if it is
 * malformed. Free with stoa_index_links_clear(). */
stoa_status stoa_index_links(const stoa_column *column, stoa_index_link **links, size_t *n,
                             stoa_error *err);
/* Whether the column has a list of links, of which some may be unusable. False if it cannot be
 * opened. */
bool stoa_index_is_linked(stoa_column *column);
void stoa_index_links_clear(stoa_index_link *links, size_t n);
/* STOA_EDATA if an index claims an extent that no edit could shrink (stoa_dataset_may_shrink()). */
stoa_status stoa_index_is_plausible(hid_t dataset, stoa_error *err);

/* Add to or remove from the column's SEARCH_INDEX_LIST. Removing the last entry deletes the
 * attribute. */
stoa_status stoa_index_link_add(stoa_column *column, hid_t dataset, stoa_error *err);
stoa_status stoa_index_link_remove(stoa_column *column, hid_t dataset, stoa_error *err);

/* Make every index serve one column (§10.2, notes D9). An index that several columns refer to stays
 * with the first. Call this before changes that would make it wrong for the others. */
stoa_status stoa_index_links_settle(stoa_column *const *columns, size_t n, stoa_error *err);

/* Recommend a kind from a sample of the column's rows. *kind is its name, or NULL if none can be
 * built. */
stoa_status stoa_index_advise_column(stoa_column *column, uint64_t n_rows, const char **kind,
                                     stoa_error *err);

/* Give the column's valid indexes the tokens of the next commit, before they are updated. Of all
 * others, which a commit must not make valid, the tokens become void. *n_written counts changed
 * indexes; flush before the first update. */
stoa_status stoa_index_tokens_ahead(stoa_column *column, size_t *n_written, stoa_error *err);
/* Void tokens that the next GENERATION would make valid, of indexes that are not valid now. */
stoa_status stoa_index_tokens_clear(stoa_column *column, const stoa_generation *generation,
                                    stoa_error *err);
/* Give those of the column's indexes that have the tokens of the last commit those of the next one,
 * once their content is complete and flushed. */
stoa_status stoa_index_tokens_behind(stoa_column *column, const stoa_generation *generation,
                                     stoa_error *err);
/* Void the tokens of all of the column's indexes, and flush, before its dataset is replaced by
 * one that they may not describe. */
stoa_status stoa_index_tokens_withdraw(stoa_column *column, stoa_error *err);

/* Update every index of the column to n_rows rows, for row edits (§11.2 step 4): from n_old rows,
 * of which the first n_same are unchanged. An index that cannot be updated is rebuilt, and so is
 * one whose tokens fail. Unknown or damaged ones are dropped with their reference. Fails if the
 * system refuses memory or a file. */
stoa_status stoa_index_change_all(hid_t table_group, stoa_column *column, uint64_t n_old,
                                  uint64_t n_same, uint64_t n_rows, stoa_error *err);
/* The same if no row changed but those that are new or gone. */
static inline stoa_status stoa_index_extend_all(hid_t table_group, stoa_column *column,
                                                uint64_t n_old, uint64_t n_rows, stoa_error *err)
{
    return stoa_index_change_all(table_group, column, n_old, n_old < n_rows ? n_old : n_rows,
                                 n_rows, err);
}
/* Rebuild or drop every index of a column whose dataset was rewritten. */
stoa_status stoa_index_rebuild_all(hid_t table_group, stoa_column *column, uint64_t n_rows,
                                   stoa_error *err);
/* Build and link an index on rows [0, n_rows), and create SEARCH_INDEXES if needed. NULL `options`
 * are the defaults. */
stoa_status stoa_index_build(hid_t table_group, stoa_column *column, const stoa_index_kind *kind,
                             uint64_t n_rows, const stoa_index_options *options, stoa_error *err);
/* Build an index anew in place of one that is wrong or unsound, and tell the listener. If it cannot
 * be built, it is gone. */
stoa_status stoa_index_replace(hid_t table_group, stoa_column *column, const stoa_index_link *link,
                               uint64_t n_rows, const stoa_listener *listener, stoa_error *err);
/* Unlink and delete indexes of a kind, or all if `kind` is NULL. An empty SEARCH_INDEXES is
 * deleted. */
stoa_status stoa_index_remove(hid_t table_group, stoa_column *column, const stoa_index_kind *kind,
                              stoa_error *err);

#endif
