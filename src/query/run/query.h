/* A query: options, bound expressions, plan, and the state of its run. */
#ifndef STOA_QUERY_QUERY_H
#define STOA_QUERY_QUERY_H

#include <stoa/query.h>

#include "query/aggregate/partitions.h"
#include "query/bind/fields.h"
#include "query/parse/parameters.h"
#include "query/plan/plan.h"
#include "query/run/threshold.h"
#include "query/scan/batch.h"

/* Rows of an output batch, for groups and for sorted rows. */
#define STOA_OUTPUT_ROWS 65536

/* An output column: an expression, the row number, a group key, or an aggregate. */
typedef struct stoa_output {
    const char *name;
    const stoa_syntax *syntax;
    stoa_expr *expr;           /* NULL for row numbers and aggregates */
    stoa_aggregate *aggregate; /* NULL for others */
    stoa_expr *of_group;       /* with aggregates, except for keys: computed from the groups */
    stoa_type type;
    stoa_view labels; /* categories of a string column stored as codes; see decode_categories.h */
} stoa_output;

/* A sort key. With aggregates it is an output, or is computed from the groups. */
typedef struct stoa_order {
    const stoa_item *item;
    stoa_expr *expr;
    size_t output;       /* SIZE_MAX: none */
    stoa_expr *of_group; /* NULL: an output */
} stoa_order;

/* A batch group: output of consecutive morsels that were processed together (run_plain.c). */
typedef struct stoa_batch_group {
    struct stoa_batch_group_part *parts;
    size_t n_parts;
    size_t at;          /* the part that is handed out now */
    size_t next_batch;  /* number of its next batch */
    uint64_t n_rows;    /* handed out so far */
    size_t size;        /* morsels of the next batch group */
    stoa_status status; /* of the first part that failed */
    stoa_error error;
    struct stoa_batch_group_worker *workers;
} stoa_batch_group;

struct stoa_query {
    stoa_table *table;          /* the table of `fields`, if there are any */
    stoa_table *used;           /* the caller's table while a query uses it; else NULL */
    stoa_fields *fields;        /* of structs that the texts name; NULL: none */
    stoa_arena arena;           /* owns texts, trees, and the lists below */
    stoa_query_options options; /* the arena owns the texts */
    struct ArrowSchema table_schema;
    stoa_scope scope;
    stoa_parameters parameters;
    stoa_expr *where; /* NULL: every row */
    stoa_plan plan;

    stoa_output *outputs;
    size_t n_outputs;
    size_t n_by; /* group keys; they are the first outputs */
    bool aggregated;
    stoa_aggregate *aggregates;
    size_t n_aggregates;
    struct ArrowSchema group_schema; /* of the keys and the aggregates */
    stoa_scope group_scope;
    stoa_expr *having; /* of a group; NULL: every group */
    stoa_order *orders;
    bool *descending;
    size_t n_orders;
    stoa_use *wanted;               /* columns read by outputs, sort keys and aggregates */
    stoa_use *key_columns;          /* columns read by sort keys */
    struct ArrowSchema schema;      /* of the output */
    struct ArrowSchema sort_schema; /* the outputs followed by the sort keys */
    struct ArrowSchema find_schema; /* the row number followed by the sort keys */

    bool counting;          /* the only output is count() of all rows */
    stoa_rowset uncertain;  /* counting: candidates that must be tested */
    stoa_rowset ranked;     /* rows of the first ranks that were scanned */
    stoa_rowset ranked_now; /* and those that are being scanned */
    uint64_t n_places;      /* ranks that were scanned; 0: the index order was not used */

    bool running;
    stoa_workers *workers; /* borrowed from the table */
    stoa_scan scan;
    stoa_batch_group batch_group;
    bool grouped;   /* all rows were aggregated */
    stoa_key *keys; /* of the groups */
    stoa_groups groups;
    stoa_partition *partitions; /* the groups, when they are too many for `groups` alone; or NULL */
    uint64_t n_groups;
    uint64_t next_group;
    uint64_t sort_memory;     /* memory limit: for sorted rows, */
    uint64_t batch_memory;    /* and for incoming batches */
    bool is_sampling;         /* only the numbers of rows that pass are wanted */
    stoa_scan_counts sampled; /* of the scan for these */
    bool sorted;              /* all rows are in the sorter, or that failed */
    bool is_finding;          /* row numbers and keys are sorted, to find the first rows */
    stoa_rowset found;        /* the rows found */
    /* Their numbers and keys, in the order of the numbers: outputs and keys are taken from here
     * while the rows are read. release NULL: they are read, too. */
    struct ArrowArray found_keys;
    bool has_threshold;    /* finding: the first key can be tested against a threshold */
    stoa_threshold probed; /* one that holds for all rows, from a look at some of them */
    stoa_sorter sorter;
    uint64_t n_left; /* rows left within the limit, those of the offset included */
    uint64_t n_skip; /* of the offset, rows left */
};

/* Open a query as stoa_query_open(). What the indexes say is taken from `like`, an open query with
 * the same filter and index options, about a handle of the same table; NULL: they are asked. */
stoa_status stoa_query_open_like(stoa_table *table, const stoa_query_options *options,
                                 const stoa_query *like, stoa_query **out, stoa_error *err);

/* The rows to read from the result, those of the offset included. */
static inline uint64_t stoa_query_limit(const stoa_query *query)
{
    const stoa_query_options *const is = &query->options;

    return is->limit < 0 || (uint64_t)is->limit > UINT64_MAX - is->offset
               ? UINT64_MAX
               : (uint64_t)is->limit + is->offset;
}
/* Whether all rows of the plan are known to pass. */
static inline bool stoa_query_passes_all(const stoa_query *query)
{
    const stoa_plan *const plan = &query->plan;

    return query->where == NULL ||
           stoa_rowset_count(&plan->certain) == stoa_rowset_count(&plan->rows);
}

/* Bind the lists of the options: outputs, aggregates, orders. Make the schemas. */
stoa_status stoa_query_bind(stoa_query *query, stoa_error *err);
/* The next rows that pass, as output columns followed by sort keys. out->release is NULL at the
 * end. */
stoa_status stoa_query_next_rows(stoa_query *query, struct ArrowArray *out, stoa_error *err);
/* Start again, with the rows that the scan was restarted with. */
void stoa_query_restart_rows(stoa_query *query);
void stoa_query_clear_rows(stoa_query *query);
/* Put all rows into the query's sorter, and finish it. */
stoa_status stoa_query_sort_rows(stoa_query *query, stoa_error *err);
/* The number of the sort key that an output repeats; SIZE_MAX: none. Both are plain columns. */
size_t stoa_query_key_of(const stoa_query *query, const stoa_output *output);
/* Open a sorter of row numbers by the query's keys. A worker's sorter skips rows that the
 * query's own sorter knows to be too late. */
stoa_status stoa_query_open_finder(const stoa_query *query, stoa_sorter *sorter, bool is_worker,
                                   stoa_error *err);
/* The next groups. All rows that pass are aggregated before the first. Sort keys are repeated
 * outputs. */
stoa_status stoa_query_next_groups(stoa_query *query, struct ArrowArray *out, stoa_error *err);
/* The next rows or groups, in scan order. */
static inline stoa_status stoa_query_next_unsorted(stoa_query *query, struct ArrowArray *out,
                                                   stoa_error *err)
{
    return query->aggregated ? stoa_query_next_groups(query, out, err)
                             : stoa_query_next_rows(query, out, err);
}
/* The run of a query as a producer of batches. */
extern const stoa_producer stoa_query_producer;
stoa_status stoa_query_start(stoa_query *query, stoa_error *err);

#endif
