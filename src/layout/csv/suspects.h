/*
 * Columns that a few values keep from being numbers, times or booleans.
 *
 * The first pass looks at some values of every column that it takes for text. If these look like
 * numbers, the second pass counts the values that do not. Other columns cost nothing.
 */
#ifndef STOA_LAYOUT_CSV_SUSPECTS_H
#define STOA_LAYOUT_CSV_SUSPECTS_H

#include "layout/csv/columns.h"

typedef struct stoa_csv_suspect {
    size_t column;
    stoa_csv_look look;  /* of nearly all values */
    uint64_t n_values;   /* not missing */
    uint64_t n_bad;      /* of another look */
    uint32_t null_words; /* a bit for each word among them that often means missing */
    bool has_others;     /* other bad values */
    uint8_t *is_bad;     /* of a category: for each label, 1 + whether it is bad; 0: unknown */
    bool has_integers;   /* and the least and greatest of them, which `clean` does not know */
    int64_t least;
    int64_t greatest;
    uint64_t low; /* ranks of two integers that were taken */
    uint64_t high;
    bool has_fractions;       /* `clean` knows one of them */
    stoa_csv_inference clean; /* of the others */
} stoa_csv_suspect;

/* Zero-initialise. */
typedef struct stoa_csv_suspects {
    stoa_csv_suspect *items;
    size_t n;
} stoa_csv_suspects;

/* Find them after the first pass. */
stoa_status stoa_csv_suspects_find(stoa_csv_suspects *suspects, const stoa_csv_columns *columns,
                                   stoa_error *err);
/* Count in a batch of the second pass. */
stoa_status stoa_csv_suspects_count(stoa_csv_suspects *suspects, const struct ArrowSchema *schema,
                                    const struct ArrowArray *batch, stoa_error *err);
/* The remark on a suspect; NULL if there is none, or memory ran out. The caller frees it. */
char *stoa_csv_suspect_text(stoa_csv_suspect *suspect, const stoa_csv_columns *columns);
void stoa_csv_suspects_clear(stoa_csv_suspects *suspects);

#endif
