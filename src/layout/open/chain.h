/*
 * A chain: tables of several files, or several of one file, whose rows follow one another.
 *
 * The tables are opened one after the other when the chain is made, to see that they fit together.
 * They are opened again when their rows are read. Then few stay open, the ones used last.
 */
#ifndef STOA_LAYOUT_CHAIN_H
#define STOA_LAYOUT_CHAIN_H

#include <stoa/file.h>
#include <stoa/layout.h>

#include "core/string_set.h"
#include "table/open/table.h"

/* Short tables stay open in greater number, since opening one takes longer than reading it. Each
 * takes two descriptors. */
enum { STOA_CHAIN_SHORT_ROWS = 65536, STOA_CHAIN_N_SHORT = 64, STOA_CHAIN_N_LONG = 8 };

typedef struct stoa_chain_file stoa_chain_file;

typedef struct stoa_chain_slot {
    size_t part;
    stoa_chain_file *file; /* NULL: the caller's */
    stoa_table *table;     /* NULL if the slot is free */
    uint64_t used;         /* time of the last use */
} stoa_chain_slot;

/* Shared by the columns and the table, and closed with the last of them. Used only where libhdf5
 * may be called. */
typedef struct stoa_chain {
    size_t n_holders;
    hid_t loc; /* in the first file, which the caller keeps open */
    char **files;
    size_t n_files;
    char *path; /* as it was named */
    stoa_table_parts parts;
    stoa_table *first; /* part 0, which stays open */
    stoa_file_options how;
    stoa_file_patience patience;
    stoa_chain_slot slots[STOA_CHAIN_N_SHORT + STOA_CHAIN_N_LONG];
    uint64_t clock;
} stoa_chain;

/* Make a chain with the parts that the path means in each file. Their first table is opened, their
 * numbers of rows are not known yet. */
stoa_status stoa_chain_open(hid_t first, const char *const *files, size_t n, const char *path,
                            stoa_chain **chain, stoa_error *err);
void stoa_chain_hold(stoa_chain *chain);
void stoa_chain_release(stoa_chain *chain);
/* The table of part k, borrowed until the next call. */
stoa_status stoa_chain_table(stoa_chain *chain, size_t k, stoa_table **table, stoa_error *err);

/* A column of the chain, as it is found out part by part. Zero-initialise. */
typedef struct stoa_chain_column {
    stoa_chain *chain;
    char *name;
    struct ArrowSchema schema; /* as it is presented */
    bool is_united;            /* a category of strings: `labels` has those of all parts */
    bool is_ordered;           /* all parts have the same labels, and say that they are ordered */
    stoa_string_set labels;
    bool has_value;     /* a part is known to have a value */
    uint8_t *is_absent; /* a bit for each part: all of its rows are missing; NULL: of none */
    int32_t *codes;     /* code of each label of one part; -1: missing */
    size_t codes_of;    /* that part */
    int64_t n_codes;    /* 0: none are kept */
} stoa_chain_column;

/* Add what part k has: a column of the table; or none, NULL, if all of its rows are missing. The
 * error names the column. */
stoa_status stoa_chain_column_add(stoa_chain_column *column, size_t k,
                                  const stoa_files_options *options, stoa_column *from,
                                  stoa_error *err);
/* Make a column of `n_rows` rows. `column` is taken over, even on failure. */
stoa_status stoa_chain_column_make(stoa_chain_column *column, uint64_t n_rows, stoa_column **out,
                                   stoa_error *err);
void stoa_chain_column_free(stoa_chain_column *column);

/* Whether all rows of part k are missing. */
static inline bool stoa_chain_is_absent(const stoa_chain_column *column, size_t k)
{
    return column->is_absent != NULL && stoa_bit_get(column->is_absent, k);
}
bool stoa_chain_same_type(const struct ArrowSchema *a, const struct ArrowSchema *b);
/* Metadata that a field keeps if its type changes, NULL-ended; and a call that gives a field those
 * of another one. */
extern const char *const stoa_chain_kept[];
stoa_status stoa_chain_keep_texts(struct ArrowSchema *to, const struct ArrowSchema *from,
                                  stoa_error *err);

/* Whether a path is a pattern: it has `*`, `?` or `[`, and does not end like a slice, `[0:5]`. */
bool stoa_path_is_pattern(const char *path);
/* Whether an object has that very name, or the path is no pattern. */
bool stoa_path_is_literal(hid_t loc, const char *path);
/* Visits the objects that a pattern matches, part by part between slashes, by name. Links to other
 * files are not followed. */
typedef stoa_status (*stoa_path_visit)(void *context, const char *path, stoa_error *err);
stoa_status stoa_paths_match(hid_t loc, const char *pattern, stoa_path_visit visit, void *context,
                             stoa_error *err);

#endif
