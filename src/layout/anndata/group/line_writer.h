/*
 * Writes the lines of a CSR or CSC group, gathered from other groups. A "line" is a row of CSR, or
 * a column of CSC.
 *
 * Lines are announced in order. Their entries are read, renumbered and written later, a chunk of
 * the result at a time, by several threads. Memory is bounded: two chunks a thread.
 */
#ifndef STOA_LAYOUT_ANNDATA_LINE_WRITER_H
#define STOA_LAYOUT_ANNDATA_LINE_WRITER_H

#include "layout/anndata/group/group.h"

typedef struct stoa_line_writer stoa_line_writer;

/* The datasets of a group, in the order of stoa_line_writer_open(). */
enum { STOA_LINE_ENDS, STOA_LINE_INDICES, STOA_LINE_VALUES, STOA_LINE_PARTS };

/* A group that lines are taken from. Borrowed, with all that it points to, until
 * stoa_line_writer_settle(). */
typedef struct stoa_line_source {
    stoa_anndata_group *group;
    const char *file; /* for messages; NULL: the caller says where an error is */
    const char *path;
    uint64_t n_across;      /* indices are below it */
    const uint32_t *places; /* shape (n_across,): the new index of each; NULL: `more` is added */
    bool drops;             /* some of these are STOA_LINE_DROPPED */
    uint64_t more;
} stoa_line_source;

/*
 * @param datasets  shape (STOA_LINE_PARTS,): new and empty, of one dimension, as long as there are
 *                  lines and entries at most; borrowed. NULL: entries are counted and not written
 * @param values    type of values in memory, as all groups have it; borrowed
 * @param index_size  4 or 8: of the indices in memory
 * @param threads   0: one per processor, at most 8
 * @param[out] writer  the caller closes it, before the datasets
 */
stoa_status stoa_line_writer_open(const hid_t *datasets, hid_t values, unsigned index_size,
                                  unsigned threads, stoa_line_writer **writer, stoa_error *err);
/* Take n adjacent lines. `at` has n + 1 numbers: where the first begins, and where each one ends.
 */
stoa_status stoa_line_writer_lines(stoa_line_writer *writer, const stoa_line_source *from,
                                   const int64_t *at, uint64_t n, stoa_error *err);
/* Take entries [begin, end) into a line that stoa_line_writer_end_line() ends. No place is dropped.
 */
stoa_status stoa_line_writer_entries(stoa_line_writer *writer, const stoa_line_source *from,
                                     int64_t begin, int64_t end, stoa_error *err);
stoa_status stoa_line_writer_end_line(stoa_line_writer *writer, stoa_error *err);
/* From now on the groups that lines were taken from are not needed. */
stoa_status stoa_line_writer_settle(stoa_line_writer *writer, stoa_error *err);
/* Write what is left, and cut the datasets to the entries that were kept. */
stoa_status stoa_line_writer_finish(stoa_line_writer *writer, stoa_error *err);
uint64_t stoa_line_writer_n_entries(const stoa_line_writer *writer);
void stoa_line_writer_close(stoa_line_writer *writer); /* NULL is allowed */

/* stoa_workers_open(), but at most `most` threads. */
stoa_status stoa_line_writer_workers(unsigned n, unsigned most, stoa_workers **workers,
                                     stoa_error *err);

#endif
