/*
 * A frame as the rows of a PyTables table: what pandas' table format keeps in its members (PyTables
 * notes §9.3), as a stream of plain columns for PyTables' writer.
 */
#ifndef STOA_LAYOUT_PANDAS_MEMBERS_H
#define STOA_LAYOUT_PANDAS_MEMBERS_H

#include "layout/pandas_shape.h"

/* What pandas takes for missing in strings. */
#define STOA_PANDAS_NAN "nan"

typedef struct stoa_pandas_member {
    stoa_pandas_shape shape;
    size_t column;   /* of the source */
    bool is_index;   /* the member "index" */
    bool is_level;   /* a column that is a level of the index */
    bool is_block;   /* values_block_N: its name is none that a member can have */
    bool is_coded;   /* codes of categories */
    stoa_kind codes; /* their kind */
    char *name;
    size_t text_size;      /* texts: bytes a cell */
    stoa_buffer labels;    /* coded, of categories that are no texts: their values */
    stoa_kind labels_kind; /* of these */
    uint64_t n_labels;
} stoa_pandas_member;

typedef struct stoa_pandas_members {
    const stoa_layout_source *source;
    stoa_pandas_member *all; /* the index first, where it is a column */
    size_t n;
    bool has_counter; /* the index counts rows: there are no row labels, or several */
    uint64_t n_rows;  /* that were streamed so far */
} stoa_pandas_members;

/* Release with stoa_pandas_members_clear(), after a failure as well. */
stoa_status stoa_pandas_members_make(const stoa_layout_source *source, stoa_pandas_members *members,
                                     stoa_error *err);
void stoa_pandas_members_clear(stoa_pandas_members *members);

/* The members' schema, and what the rows hold: stoa_facts_free() releases it. */
stoa_status stoa_pandas_members_schema(const stoa_pandas_members *members,
                                       struct ArrowSchema *schema, stoa_facts **facts,
                                       stoa_error *err);
/* The source's rows as such; the members must outlive the stream. */
stoa_status stoa_pandas_members_stream(stoa_pandas_members *members,
                                       struct ArrowArrayStream *stream, stoa_error *err);

#endif
