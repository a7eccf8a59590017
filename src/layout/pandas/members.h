/*
 * A frame as the rows of a PyTables table: what pandas' table format keeps in its members (PyTables
 * notes §9.3), as a stream of plain columns for PyTables' writer.
 *
 * Columns that pandas can select by are members of their own. The others lie in blocks, as many
 * columns of one type as there are in one: pandas finds them again by type when it appends.
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
    bool is_block;        /* values_block_N, it or one with others */
    bool is_coded;        /* codes of categories */
    bool can_stand_alone; /* pandas could select by it */
    size_t item;          /* of the block */
    size_t n_items;       /* of the block, where it is the first; else 1 */
    stoa_pandas_codes codes;
    char *name;       /* of the member; those of a block have the same */
    size_t text_size; /* texts: bytes a cell */
} stoa_pandas_member;

typedef struct stoa_pandas_members {
    const stoa_layout_source *source;
    stoa_pandas_member
        *all; /* what labels the rows first, then blocks, columns of one side by side */
    size_t n;
    size_t n_labels;  /* of these label the rows */
    size_t n_members; /* of the table, the counter left out */
    bool has_counter; /* the index counts rows: there are no row labels, or several */
    uint64_t n_rows;  /* that were streamed so far */
} stoa_pandas_members;

/* Release with stoa_pandas_members_clear(), after a failure as well. */
stoa_status stoa_pandas_members_make(const stoa_layout_source *source, stoa_pandas_members *members,
                                     stoa_error *err);
void stoa_pandas_members_clear(stoa_pandas_members *members);
/* Columns of one block side by side, before anything is named; `is_unique`: no two are called
 * alike. (blocks.c) */
stoa_status stoa_pandas_arrange(stoa_pandas_members *members, bool is_unique, stoa_error *err);
/* Whether its cells are fixed strings. */
bool stoa_pandas_is_text(const stoa_pandas_member *member);

/* The members' schema, and what the rows hold: stoa_facts_free() releases it. */
stoa_status stoa_pandas_members_schema(const stoa_pandas_members *members,
                                       struct ArrowSchema *schema, stoa_facts **facts,
                                       stoa_error *err);
/* The source's rows as such; the members must outlive the stream (member_values.c). */
stoa_status stoa_pandas_members_stream(stoa_pandas_members *members,
                                       struct ArrowArrayStream *stream, stoa_error *err);

#endif
