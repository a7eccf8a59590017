/* A query: what was asked, bound and planned, and how far its one run has come. */
#ifndef STOA_QUERY_QUERY_H
#define STOA_QUERY_QUERY_H

#include <stoa/query.h>

#include "query/aggregate.h"
#include "query/batch.h"
#include "query/fields.h"
#include "query/parameters.h"
#include "query/plan.h"
#include "query/sort.h"

/* Rows of a batch that a query makes of groups or of sorted rows. */
#define STOA_OUTPUT_ROWS 65536
/* Bytes that a sort may take up, if the caller does not say how many. */
#define STOA_SORT_MEMORY (UINT64_C(1) << 28)

/* A column of the answer. One of: an expression, the row number, a group key, an aggregate. */
typedef struct stoa_output {
    const char *name;
    const stoa_syntax *syntax;
    stoa_expr *expr;           /* NULL for row numbers and aggregates */
    stoa_aggregate *aggregate; /* NULL for others */
    stoa_type type;
    stoa_view labels; /* of a column of strings that are kept as categories; see shown.h */
} stoa_output;

/* A key of the order: in plain queries an expression, with aggregates the number of an output. */
typedef struct stoa_order {
    stoa_expr *expr;
    size_t output;
} stoa_order;

/* Rows of the answer that are ready: a run of spans, done together (run_plain.c). */
typedef struct stoa_wave {
    struct stoa_wave_part *parts;
    size_t n_parts;
    size_t at;          /* the part that is handed out */
    size_t next_batch;  /* of its batches */
    uint64_t n_rows;    /* handed out */
    size_t size;        /* spans of the next wave */
    stoa_status status; /* of the first part that failed */
    stoa_error error;
    struct stoa_wave_worker *workers;
} stoa_wave;

struct stoa_query {
    stoa_table *table;          /* that of `fields`, where there are some */
    stoa_table *used;           /* that it was opened for, and is in use; else NULL */
    stoa_fields *fields;        /* of structs that the texts name; NULL: none */
    stoa_pool pool;             /* texts, trees, and the lists below */
    stoa_query_options options; /* texts are the pool's */
    struct ArrowSchema table_schema;
    stoa_scope scope;
    stoa_parameters parameters;
    stoa_expr *where; /* NULL: every row */
    stoa_plan plan;

    stoa_output *outputs;
    size_t n_outputs;
    size_t n_by; /* outputs that are group keys come first */
    bool aggregated;
    stoa_aggregate *aggregates;
    size_t n_aggregates;
    stoa_order *orders;
    bool *descending;
    size_t n_orders;
    bool *wanted;                   /* columns that outputs, keys and aggregates read */
    bool *key_columns;              /* columns that keys read */
    struct ArrowSchema schema;      /* of the answer */
    struct ArrowSchema sort_schema; /* the same, and the sort keys */
    struct ArrowSchema find_schema; /* the row number, and the sort keys */

    bool counting;          /* nothing but count() of all rows together */
    stoa_rowset uncertain;  /* counting: candidates that must be looked at */
    stoa_rowset ranked;     /* rows at the first places of the order that were looked at */
    stoa_rowset ranked_now; /* and those that are being looked at */
    uint64_t n_places;      /* of the order that were looked at; 0: the order was not used */

    bool running;
    stoa_workers *workers; /* the table's, borrowed */
    stoa_scan scan;
    stoa_wave wave;
    bool grouped; /* all rows were taken in */
    stoa_groups groups;
    uint32_t n_groups;
    uint32_t next_group;
    uint64_t sort_memory; /* of the memory allowed: what is sorted, */
    uint64_t wave_memory; /* and what comes in */
    bool sorted;          /* all rows were taken in, or that failed */
    bool is_finding;      /* row numbers and keys are sorted, to find the first rows */
    stoa_rowset found;    /* those */
    stoa_sorter sorter;
    uint64_t n_left; /* rows the limit leaves */
};

/* Bind the lists of the options: outputs, aggregates, orders; schemas. */
stoa_status stoa_query_bind(stoa_query *query, stoa_error *err);
/* The next rows that pass, as output columns followed by sort keys; out->release is NULL at the
 * end. */
stoa_status stoa_query_next_rows(stoa_query *query, struct ArrowArray *out, stoa_error *err);
/* Begin again, with the rows that the scan was restarted with. */
void stoa_query_restart_rows(stoa_query *query);
void stoa_query_clear_rows(stoa_query *query);
/* All of them, into the query's sorter, which is finished then. */
stoa_status stoa_query_sort_rows(stoa_query *query, stoa_error *err);
/* A sorter of row numbers by the query's keys; a worker's leaves out what the query's own sorter
 * knows to be too late. */
stoa_status stoa_query_open_finder(const stoa_query *query, stoa_sorter *sorter, bool is_worker,
                                   stoa_error *err);
/* The next groups; every row that passes is taken in before the first. Their sort keys are outputs
 * again. */
stoa_status stoa_query_next_groups(stoa_query *query, struct ArrowArray *out, stoa_error *err);
/* The next rows or groups, as they come. */
static inline stoa_status stoa_query_next_unsorted(stoa_query *query, struct ArrowArray *out,
                                                   stoa_error *err)
{
    return query->aggregated ? stoa_query_next_groups(query, out, err)
                             : stoa_query_next_rows(query, out, err);
}
/* The run, as a producer. */
extern const stoa_producer stoa_query_producer;
stoa_status stoa_query_start(stoa_query *query, stoa_error *err);

#endif
