/*
 * The texts of a column that has few of them, and its rows as codes of these.
 *
 * Fixed-length strings are often the names of a few things, and take up many times the room of
 * their codes. A table that stays open learns the texts of such a column (learned.h); once every
 * chunk was seen, the column can be asked as one of categories is, though it stays one of strings
 * to everybody. Codes are kept in the table's cache of chunks, under its bound; those that are not
 * there are found anew.
 */
#ifndef STOA_COLUMN_LEXICON_H
#define STOA_COLUMN_LEXICON_H

#include "column/learned.h"

/* Different texts at most: codes are of one byte, or two. */
#define STOA_LEXICON_TEXTS 65536

/* Whether the column may be learned: cheap, and of a column that is loaded. */
bool stoa_lexicon_suits(const stoa_column *column);
/*
 * The column is about to be read: learn its texts from what is read, from the second call on.
 *
 * @param[out] lexicon  borrowed, to be left with stoa_lexicon_leave(); NULL: there is nothing to
 *                      learn (any more)
 */
stoa_status stoa_lexicon_join(stoa_column *column, stoa_lexicon **lexicon, stoa_error *err);
/* Where stoa_lexicon_join() may be called. NULL is fine. */
void stoa_lexicon_leave(stoa_lexicon *lexicon);
/* Rows of the column from `first` on, as they are stored: learn the chunks that are whole in them
 * and not known yet. Any thread may.
 *
 * @param keeps  their codes, in the cache */
void stoa_lexicon_learn(stoa_lexicon *lexicon, uint64_t first, uint64_t count,
                        const uint8_t *elements, bool keeps);
/* The column's lexicon, borrowed, if it has every text of the column; else NULL. Called where
 * stoa_lexicon_join() may be; what follows is for such a one, and for any thread. */
stoa_status stoa_lexicon_of(stoa_column *column, const stoa_lexicon **lexicon, stoa_error *err);

/* Bytes of a code: 1 or 2; of those that are learned so far, where there may be more. */
size_t stoa_lexicon_width(const stoa_lexicon *lexicon);
/* The labels, each once or, where texts that differ are shown alike, more often: a view of them, as
 * good as the lexicon, and an array. */
stoa_status stoa_lexicon_labels(const stoa_lexicon *lexicon, stoa_view *labels, stoa_error *err);
stoa_status stoa_lexicon_share_labels(const stoa_lexicon *lexicon, struct ArrowArray *out,
                                      stoa_error *err);
/* The code of missing rows; false where there are none. */
bool stoa_lexicon_missing(const stoa_lexicon *lexicon, uint64_t *code);
/* A field of the codes. */
stoa_status stoa_lexicon_schema(const stoa_lexicon *lexicon, const char *name,
                                struct ArrowSchema *out, stoa_error *err);

/* n elements as codes; false where one is no text of the column, so that the file was changed. */
bool stoa_lexicon_encode(const stoa_lexicon *lexicon, const uint8_t *elements, uint64_t n,
                         void *codes);
/* The codes of a chunk (its rows below NROWS), to be released; NULL where they are not here. */
stoa_held_chunk *stoa_lexicon_hold(const stoa_lexicon *lexicon, uint64_t chunk);
/* Those of the chunk's elements, which are kept from now on, and held; `found` is false as with
 * stoa_lexicon_encode(). NULL, too, where memory runs out. */
stoa_held_chunk *stoa_lexicon_keep(const stoa_lexicon *lexicon, uint64_t chunk,
                                   const uint8_t *elements, uint64_t n, bool *found);
/* NULL is fine. */
void stoa_lexicon_release(const stoa_lexicon *lexicon, stoa_held_chunk *held);

#endif
