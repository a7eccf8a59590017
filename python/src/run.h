/* A query that runs on a table, as the batches of its result. Like the handle it knows no Python.
 */
#ifndef PYSTOA_RUN_H
#define PYSTOA_RUN_H

#include "call.h"
#include "handle.h"

typedef struct pystoa_run pystoa_run;

/* How a query uses the search indexes of its table. */
typedef enum pystoa_indexes {
    PYSTOA_INDEXES_TRUSTED, /* if this user's Stoa trusts them */
    PYSTOA_INDEXES_ALL,
    PYSTOA_INDEXES_NONE
} pystoa_indexes;

/**
 * Plan a query.
 *
 * @param options   without listener; its texts and parameters are copied
 * @param progress  a new reference to a callable; NULL: none. The run gives it back
 */
stoa_status pystoa_run_open(pystoa_handle *handle, stoa_query_options options,
                            pystoa_indexes indexes, PyObject *progress, pystoa_run **run,
                            stoa_error *err);
/**
 * Begin it, which its schema and its batches need.
 *
 * @param requested the types that a consumer wants, for stoa_stream_cast(); NULL: none
 */
stoa_status pystoa_run_begin(pystoa_run *run, const struct ArrowSchema *requested, stoa_error *err);
/* Call these without the GIL. A batch with release == NULL ends the result, and gives up the file.
 */
stoa_status pystoa_run_schema(pystoa_run *run, struct ArrowSchema *out, stoa_error *err);
stoa_status pystoa_run_next(pystoa_run *run, struct ArrowArray *out, stoa_error *err);
/* Read all that is left, and discard it. */
stoa_status pystoa_run_drain(pystoa_run *run, stoa_error *err);
/* The plan; after the end of the result with statistics. Release it with stoa_free(). */
stoa_status pystoa_run_explain(pystoa_run *run, char **text, stoa_error *err);
/* The rows that indexes leave for the filter: see stoa_query_visit_candidates(). */
stoa_status pystoa_run_candidates(pystoa_run *run, stoa_row_range_visitor visitor, void *context,
                                  stoa_error *err);
/* Why indexes are not used: "" if they are. Borrowed. */
const char *pystoa_run_hint(const pystoa_run *run);
/* The plan stays until the run is closed, even behind the end. */
void pystoa_run_keep_plan(pystoa_run *run);
/* May be called with or without the GIL. NULL is allowed. */
void pystoa_run_close(pystoa_run *run);

/* Make a stream for other libraries of it, which closes the run when it is released. */
void pystoa_run_export(pystoa_run *run, struct ArrowArrayStream *out);

#endif
