/*
 * Search-index kinds behind one interface (HEP001 §10).
 *
 * A kind is one file, src/index/<name>.c, that ends in one constant named in registry.c. Nobody
 * else asks which kind it holds. Indexes are derivative and untrusted (§16): whatever is read from
 * one is checked for shape, type and bounds, and a damaged one is a problem to report, never a
 * failure of the query.
 */
#ifndef STOA_INDEX_KIND_H
#define STOA_INDEX_KIND_H

#include <stoa/index.h>
#include <stoa/progress.h>

#include "column/column.h"
#include "index/row_bits.h"
#include "index/rowset.h"

/* A value to compare a column with, in the column's own comparison domain. */
typedef struct stoa_scalar {
    enum {
        STOA_SCALAR_I64,  /* signed integers, times as *stored* ticks, codes (enum, categorical) */
        STOA_SCALAR_U64,  /* unsigned integers, bool */
        STOA_SCALAR_F64,  /* floats (float16 and float32 widen exactly) */
        STOA_SCALAR_BYTES /* strings without padding, opaque */
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

/* Values between two bounds; NaN lies in no interval. An unset bound is infinite. */
typedef struct stoa_interval {
    bool has_low, has_high;
    bool low_open, high_open; /* the bound itself is outside */
    stoa_scalar low, high;
} stoa_interval;

/* What a predicate asks of one column: the value lies in one of the intervals, or is missing, or is
 * NaN. */
typedef struct stoa_test {
    const stoa_interval *intervals;
    size_t n_intervals;
    bool missing; /* rows whose value is missing match */
    bool nan;     /* rows whose value is a NaN that is data match */
} stoa_test;

/* An opened index of any kind; the kind's file knows the rest. */
typedef struct stoa_index stoa_index;

typedef struct stoa_index_kind {
    const char *name;    /* as the command line spells it: "minmax" */
    const char *kind;    /* the KIND attribute: "CHUNK_MINMAX" */
    const char *section; /* where its rules are written: "HEP001 §10.4" */
    bool is_cheap;       /* once it is open, asking costs next to nothing and the answer is short:
                            always worth having, where a list of rows may cost more than it saves */
    bool lists_rows;     /* one by one, wherever they are: a scan is done sooner than a long list */
    const char *const *company; /* attributes that lead to what accompanies it (§10.1), NULL after
                                   the last; NULL: nothing does */
    bool only_points; /* it helps only where values between two bounds are asked for, no missing
                         row and no NaN */

    /* Whether a column of this type may have one; else STOA_ETYPE with the reason. */
    stoa_status (*accepts)(const stoa_column *column, stoa_error *err);
    /* Make the dataset(s) in group `indexes`, describing rows [0, n_rows); `dataset` is the index
     * dataset, KIND and description written, not yet linked from the column. */
    stoa_status (*build)(stoa_column *column, uint64_t n_rows, hid_t indexes, const char *name,
                         const stoa_index_options *options, hid_t *dataset, stoa_error *err);
    /* The options an existing index was built with, as far as it says, so that it can be built
     * again as it was. NULL: the kind has none. */
    void (*recall)(hid_t dataset, stoa_index_options *options);
    /* Make an existing index describe rows [0, n_rows) where it described [0, n_old) (§11.2 step
     * 4); n_rows may be smaller (§11.4). Rows below both are as they were. */
    stoa_status (*append)(stoa_column *column, hid_t dataset, uint64_t n_old, uint64_t n_rows,
                          stoa_error *err);
    /* The same for an index in the group `indexes`, or in none (invalid), that may be replaced by
     * another one of its name, if that is less work. NULL: append() is all there is. */
    stoa_status (*extend)(stoa_column *column, hid_t dataset, uint64_t n_old, uint64_t n_rows,
                          hid_t indexes, stoa_error *err);
    /* Recompute and compare (§12); *same is false and `problem` (256 bytes) says where it
     * differs. STOA_ETYPE: the section allows one on the column, but Stoa neither uses nor judges
     * it. */
    stoa_status (*verify)(stoa_column *column, hid_t dataset, uint64_t n_rows, bool *same,
                          char *problem, stoa_error *err);
    /* Read it for use in queries; STOA_EDATA if its shape or type is not what the section says. */
    stoa_status (*open)(stoa_column *column, hid_t dataset, uint64_t n_rows, stoa_index **index,
                        stoa_error *err);
    /* About how many rows `candidates` of the same test would hold, cheaply; n_rows: no help. */
    stoa_status (*estimate)(const stoa_index *index, const stoa_test *test, uint64_t *n_rows,
                            stoa_error *err);
    /* Set `candidates` to a superset of the rows that pass the test and `certain` to a subset of
     * those, as far as the index alone can say (both are empty sets or are cleared first). May say
     * "all rows" and "none" where a longer list would cost more than it saves. */
    stoa_status (*prune)(const stoa_index *index, const stoa_test *test, stoa_rowset *candidates,
                         stoa_rowset *certain, stoa_error *err);
    /* The rows that pass the test and no others, where a list of them would be long; to be
     * released. *rows is NULL where the index cannot say, or not cheaply enough yet. NULL: the kind
     * never can. */
    stoa_status (*rows)(const stoa_index *index, const stoa_test *test, stoa_row_bits **rows,
                        stoa_error *err);
    /* How the rows are ordered: the first n_ordered ranks hold values, ascending, the following
     * n_missing and n_nan rows have none. NULL (and `ranked`): the kind has no order. */
    void (*ranks)(const stoa_index *index, uint64_t *n_ordered, uint64_t *n_missing,
                  uint64_t *n_nan);
    /* The rows at ranks [first, first + count), into `rows`. */
    stoa_status (*ranked)(const stoa_index *index, uint64_t first, uint64_t count, uint64_t *rows,
                          stoa_error *err);
    /* Over all rows: count of missing rows, and the range of the others as text; false: unknown. */
    bool (*summary)(const stoa_index *index, uint64_t *n_missing, char *low, char *high,
                    size_t size);
    void (*close)(stoa_index *index);
} stoa_index_kind;

extern const stoa_index_kind stoa_index_minmax;
extern const stoa_index_kind stoa_index_sorted;
extern const stoa_index_kind stoa_index_bitmap;
extern const stoa_index_kind stoa_index_bloom;

/* What every search-index dataset says of itself (§10.3): KIND, and a description that names the
 * producer, its version, the time and (NULL: none) the parameters, as "k = 7, m_bits = 1024". */
stoa_status stoa_index_describe(hid_t dataset, const char *kind, const char *parameters,
                                stoa_error *err);

/* The registry: kinds by KIND attribute or by name; NULL if unknown. */
const stoa_index_kind *stoa_index_kind_find(const char *kind_or_name);
/* The same, where the user asks for it: STOA_EINVAL with the names that there are. */
stoa_status stoa_index_kind_named(const char *kind_or_name, const stoa_index_kind **kind,
                                  stoa_error *err);
/* Walk the registry: NULL after the last. */
const stoa_index_kind *stoa_index_kind_at(size_t i);

/* A name that is free in the group: `stem`, else stem_2, stem_3, ...; *name is the caller's. */
stoa_status stoa_index_free_name(hid_t indexes, const char *stem, char **name, stoa_error *err);
/* An empty one-dimensional dataset that can grow, unfiltered or (`is_packed`) by scale-offset;
 * `name` NULL: linked nowhere yet. */
stoa_status stoa_index_dataset(hid_t indexes, const char *name, hid_t type, uint64_t chunk,
                               bool is_packed, hid_t *dataset, stoa_error *err);

/* One reference of a column's SEARCH_INDEX_LIST, resolved (§10.2). */
typedef struct stoa_index_link {
    hid_t dataset;               /* H5I_INVALID_HID if the reference does not resolve */
    char kind_text[32];          /* KIND as written, "" if unreadable */
    const stoa_index_kind *kind; /* NULL if unknown: ignored (§10.3); also if libhdf5 cannot read
                                    the dataset without harm */
    bool is_unsound;             /* the latter */
} stoa_index_link;

/* Whether the link is of that kind, be it of use or not. */
bool stoa_index_link_is(const stoa_index_link *link, const stoa_index_kind *kind);

/* The links of a column, in order. A missing attribute is an empty list; a malformed one
 * STOA_EDATA. Free with stoa_index_links_clear(). */
stoa_status stoa_index_links(const stoa_column *column, stoa_index_link **links, size_t *n,
                             stoa_error *err);
void stoa_index_links_clear(stoa_index_link *links, size_t n);
/* STOA_EDATA where an index claims an extent that no edit could cut (stoa_dataset_may_shrink()). */
stoa_status stoa_index_is_plausible(hid_t dataset, stoa_error *err);

/* Add to / remove from the column's SEARCH_INDEX_LIST (the attribute goes with its last entry). */
stoa_status stoa_index_link_add(stoa_column *column, hid_t dataset, stoa_error *err);
stoa_status stoa_index_link_remove(stoa_column *column, hid_t dataset, stoa_error *err);

/* An index serves one column (§10.2, notes D9): one that several refer to is left to the first of
 * them, before anything is changed that would make it wrong for the others. */
stoa_status stoa_index_links_settle(stoa_column *const *columns, size_t n, stoa_error *err);

/* The name of the kind that is likely to help queries on the column, by a look at some of its rows;
 * NULL if none may be built. */
stoa_status stoa_index_advise_column(stoa_column *column, uint64_t n_rows, const char **kind,
                                     stoa_error *err);

/* For table appends: bring every index of the column to n_rows; one that cannot be brought there is
 * built again, or dropped (unknown kind, damaged), reference and all (§11.2 step 4). Fails where
 * the system refuses memory or a file. */
stoa_status stoa_index_extend_all(hid_t table_group, stoa_column *column, uint64_t n_old,
                                  uint64_t n_rows, stoa_error *err);
/* Rebuild or drop every index of a column whose dataset was rewritten. */
stoa_status stoa_index_rebuild_all(hid_t table_group, stoa_column *column, uint64_t n_rows,
                                   stoa_error *err);
/* Build and link one on rows [0, n_rows), creating SEARCH_INDEXES if need be. `options` NULL: the
 * defaults. */
stoa_status stoa_index_build(hid_t table_group, stoa_column *column, const stoa_index_kind *kind,
                             uint64_t n_rows, const stoa_index_options *options, stoa_error *err);
/* Unlink and delete; the group goes with its last dataset. `kind` NULL: all. */
stoa_status stoa_index_remove(hid_t table_group, stoa_column *column, const stoa_index_kind *kind,
                              stoa_error *err);

#endif
