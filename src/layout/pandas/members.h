/*
 * A frame as the rows of a PyTables table. It is a stream of the members of pandas' table format
 * (PyTables notes §9.3) as plain columns for PyTables' writer.
 *
 * Columns that pandas can select by are separate members. The others are joined into blocks, one
 * for all columns of a type. pandas matches blocks by type when it appends.
 */
#ifndef STOA_LAYOUT_PANDAS_MEMBERS_H
#define STOA_LAYOUT_PANDAS_MEMBERS_H

#include "layout/pandas/codes.h"
#include "layout/pandas/shape.h"

/* A column of the source in the table. */
typedef struct stoa_pandas_member {
    stoa_pandas_shape shape;
    size_t column;        /* of the source */
    bool is_index;        /* the member "index" */
    bool is_level;        /* a column that is a level of the index */
    bool is_block;        /* in values_block_N, alone or with others */
    bool is_coded;        /* codes of categories */
    bool can_stand_alone; /* can be a data column, by which pandas can select */
    size_t item;          /* position in the block */
    size_t n_items;       /* items of the block if this is its first column; otherwise 1 */
    stoa_pandas_codes codes;
    char *name;          /* of the member; all columns of a block share it */
    size_t text_size;    /* strings: bytes per cell */
    const char *nan_rep; /* strings: the text of missing ones, borrowed; NULL if none is missing */
} stoa_pandas_member;

typedef struct stoa_pandas_members {
    const stoa_layout_source *source;
    /* Row labels first, then blocks, with the columns of a block next to each other. */
    stoa_pandas_member *all;
    size_t n;
    size_t n_labels;  /* the number of row label columns */
    size_t n_members; /* of the table, without the row counter */
    bool has_counter; /* the index counts rows, since there are no row label columns, or several */
    uint64_t n_rows;  /* rows streamed so far */
} stoa_pandas_members;

/* The caller releases it by stoa_pandas_members_clear(), also on failure. */
stoa_status stoa_pandas_members_make(const stoa_layout_source *source, stoa_pandas_members *members,
                                     stoa_error *err);
void stoa_pandas_members_clear(stoa_pandas_members *members);
/* Put the columns of each block next to each other, before names are given. `is_unique`: no two
 * columns have the same label (blocks.c). */
stoa_status stoa_pandas_arrange(stoa_pandas_members *members, bool is_unique, stoa_error *err);
/* Refuse texts that a cell does not hold, and row labels whose categories are no texts. */
stoa_status stoa_pandas_check_text(const stoa_pandas_member *member, stoa_error *err);
/* Whether its cells are fixed-length strings. */
bool stoa_pandas_is_text(const stoa_pandas_member *member);

/* The members' schema and facts. stoa_column_stats_free() releases the facts. */
stoa_status stoa_pandas_members_schema(const stoa_pandas_members *members,
                                       struct ArrowSchema *schema, stoa_column_stats **stats,
                                       stoa_error *err);
/* The rows of the source as members, which must outlive the stream (member_values.c). */
stoa_status stoa_pandas_members_stream(stoa_pandas_members *members,
                                       struct ArrowArrayStream *stream, stoa_error *err);

#endif
