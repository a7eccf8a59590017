/* The entries of a matrix as a table: its coordinates and the values. */
#ifndef STOA_LAYOUT_ENTRIES_H
#define STOA_LAYOUT_ENTRIES_H

#include "layout/common/slice.h"
#include "table/open/table.h"

/* Entries that a matrix does not store, since they follow from those of one triangle. */
typedef enum stoa_entries_mirror {
    STOA_ENTRIES_ALL,      /* there are none */
    STOA_ENTRIES_EQUAL,    /* a symmetric matrix */
    STOA_ENTRIES_NEGATIVE, /* skew-symmetric */
    STOA_ENTRIES_CONJUGATE /* Hermitian: the field "i" is negated */
} stoa_entries_mirror;

/*
 * What the entries are made of. Zero-initialise. A "line" is a row or a column of a compressed
 * matrix, or a single entry. Its entries follow one another.
 */
typedef struct stoa_entries {
    bool is_dense;         /* a line is a row of `values`; no other column is set */
    unsigned line_axis;    /* the dimension of the lines */
    stoa_array_box box;    /* rank and extent */
    stoa_column *pointers; /* where each line begins, and the end; NULL: a line is one entry */
    stoa_column *lines;    /* the index of each line; NULL: they are all there, in their order */
    stoa_column *indices;  /* along the other dimension; NULL if there is none */
    stoa_column *values;
    bool is_iso;                /* all entries have the first of `values` */
    stoa_entries_mirror mirror; /* the matrix is square then */
    bool is_upper;              /* the triangle that is stored */
    const char *rule;           /* what defines the parts, for messages; NULL: nothing is added */
    uint64_t width;             /* set by stoa_entries_open(): dense elements of a line */
    uint64_t n_lines;           /* the same: those that are stored */
    stoa_buffer blocks; /* the same: uint64_t, the line that each block begins with; the end */
} stoa_entries;

/* Close the columns. */
void stoa_entries_clear(stoa_entries *entries);

/*
 * See stoa_layout.open_entries. Entries have the order of the file. Those that follow from others
 * come after them, some at a time.
 *
 * @param entries  consumed in every case, as `object` is
 * @return STOA_EDATA if lengths, pointers or indices contradict one another
 */
stoa_status stoa_entries_open(hid_t object, const char *path, const char *file, const char *text,
                              stoa_entries *entries, stoa_array_box *box, stoa_table **table,
                              stoa_error *err);

#endif
