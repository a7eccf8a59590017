/* A table on its way into another layout: read as often as a writer needs it, learned first. */
#ifndef STOA_LAYOUT_JOB_H
#define STOA_LAYOUT_JOB_H

#include <stoa/query.h>

#include "layout/missing.h"
#include "layout/narrow.h"
#include "layout/plain.h"
#include "layout/writer.h"

/* Start from {.table = ..., .options = ...}; end with stoa_layout_job_end() after any failure. */
typedef struct stoa_layout_job {
    stoa_table *table;                  /* borrowed */
    const stoa_layout_options *options; /* borrowed */
    const struct ArrowSchema *notes;    /* of fields, beside those of the table; NULL: none */
    char *where;                        /* rows that are taken; NULL: all. Owned */
    stoa_plain_which *plain;            /* which categories become plain values; NULL: none */
    stoa_query *query;
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    stoa_facts *facts;
    stoa_stand_ins *stand_ins;
    struct ArrowArrayStream filled; /* the stream with them */
    bool is_narrow;                 /* the schema has numbers of a narrower type than these */
    struct ArrowArrayStream narrow; /* as it has them */
    uint64_t n_rows;
    size_t *index_columns;
    size_t n_index_columns;
} stoa_layout_job;

/* Read all rows once: schema, facts, n_rows. What was learned before is forgotten. */
stoa_status stoa_layout_job_learn(stoa_layout_job *job, stoa_error *err);
/* index_columns: those that the options name, or else the table's own. Needs the schema. */
stoa_status stoa_layout_job_labels(stoa_layout_job *job, stoa_error *err);
/* Leave out rows with a missing value that is to be dropped, and learn what is left once more.
 * Needs the facts. */
stoa_status stoa_layout_job_drop(stoa_layout_job *job, const stoa_missing_rules *rules,
                                 stoa_error *err);
/* The options' values for missing ones. */
stoa_status stoa_layout_job_fill(stoa_layout_job *job, const stoa_missing_rules *rules,
                                 stoa_error *err);

/* Numbers that HEP001 has widened are what they were, if they still can be. Needs the facts, and
 * comes after the above. */
stoa_status stoa_layout_job_narrow(stoa_layout_job *job, stoa_error *err);

/* Start to read the rows, from the first; and end that. */
stoa_status stoa_layout_job_read(stoa_layout_job *job, stoa_error *err);
void stoa_layout_job_stop(stoa_layout_job *job);
/* What is to be written, with the rows that are being read. Borrows from the job. */
stoa_layout_source stoa_layout_job_source(stoa_layout_job *job);

void stoa_layout_job_end(stoa_layout_job *job);

/* Everything a stream holds, as a table of a temporary file in $TMPDIR; both are the caller's to
 * close. */
stoa_status stoa_layout_keep_rows(struct ArrowArrayStream *stream,
                                  const stoa_layout_options *options, hid_t *file,
                                  stoa_table **table, stoa_error *err);

/* End such a file. No error names it, which the user does not know: the caller says where. */
stoa_status stoa_layout_close_temporary(hid_t *file, stoa_status status, stoa_error *err);

#endif
