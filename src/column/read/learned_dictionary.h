/*
 * Learned dictionary: the distinct texts of a column that has few, and its rows as codes of them.
 *
 * Fixed-length strings are often the names of a few things, and take many times the space of codes.
 * An open table learns the texts of such a column (learned.h). Once all chunks were seen, the
 * column can be queried like a categorical one, although it is still presented as strings. The
 * codes of chunks are in the table's chunk cache, within its limit. Evicted codes are computed
 * again.
 */
#ifndef STOA_COLUMN_LEARNED_DICTIONARY_H
#define STOA_COLUMN_LEARNED_DICTIONARY_H

#include "column/read/learned.h"

/* Most distinct texts: codes have one or two bytes. */
#define STOA_LEARNED_DICTIONARY_TEXTS 65536

/* Whether the column qualifies. This is cheap; the column must be loaded. */
bool stoa_learned_dictionary_suits(const stoa_column *column);
/*
 * Get a dictionary that still learns, for a column that is about to be read. Learning begins with
 * the second call.
 *
 * @param[out] learned_dictionary  borrowed; release it with stoa_learned_dictionary_leave(). NULL:
 * there is nothing to learn (any more)
 */
stoa_status stoa_learned_dictionary_join(stoa_column *column,
                                         stoa_learned_dictionary **learned_dictionary,
                                         stoa_error *err);
/* Call it only where stoa_learned_dictionary_join() may be called. NULL is allowed. */
void stoa_learned_dictionary_leave(stoa_learned_dictionary *learned_dictionary);
/*
 * Learn from rows [first, first + count), given as stored: all chunks that lie entirely in them and
 * are not known yet. May be called on any thread.
 *
 * @param keeps  whether to put their codes into the cache
 */
void stoa_learned_dictionary_learn(stoa_learned_dictionary *learned_dictionary, uint64_t first,
                                   uint64_t count, const uint8_t *elements, bool keeps);
/* The column's dictionary, borrowed, if it holds every text of the column; else NULL. Call it only
 * where stoa_learned_dictionary_join() may be called. The functions below require such a
 * dictionary, and may be called on any thread. */
stoa_status stoa_learned_dictionary_of(stoa_column *column,
                                       const stoa_learned_dictionary **learned_dictionary,
                                       stoa_error *err);

/* Bytes of a code, 1 or 2. While the dictionary learns, this is for the texts known so far. */
size_t stoa_learned_dictionary_width(const stoa_learned_dictionary *learned_dictionary);
/* The labels, as a view that is valid as long as the dictionary, and as an array. A label occurs
 * more than once if different stored texts are presented alike. */
stoa_status stoa_learned_dictionary_labels(const stoa_learned_dictionary *learned_dictionary,
                                           stoa_view *labels, stoa_error *err);
stoa_status stoa_learned_dictionary_share_labels(const stoa_learned_dictionary *learned_dictionary,
                                                 struct ArrowArray *out, stoa_error *err);
/* The code of missing rows; false if no row is missing. */
bool stoa_learned_dictionary_missing(const stoa_learned_dictionary *learned_dictionary,
                                     uint64_t *code);
/* Make a dictionary-encoded field for the codes. */
stoa_status stoa_learned_dictionary_schema(const stoa_learned_dictionary *learned_dictionary,
                                           const char *name, struct ArrowSchema *out,
                                           stoa_error *err);

/* Encode n elements. False if one is not in the dictionary, because the file was changed. */
bool stoa_learned_dictionary_encode(const stoa_learned_dictionary *learned_dictionary,
                                    const uint8_t *elements, uint64_t n, void *codes);
/* Get the codes of a chunk (its rows below NROWS) from the cache. Release them; NULL if they are
 * not there. */
stoa_held_chunk *stoa_learned_dictionary_hold(const stoa_learned_dictionary *learned_dictionary,
                                              uint64_t chunk);
/* Encode a chunk's elements and put the codes into the cache. Release them. `found` is false if an
 * element is not in the dictionary. Returns NULL then, and if memory runs out. */
stoa_held_chunk *stoa_learned_dictionary_keep(const stoa_learned_dictionary *learned_dictionary,
                                              uint64_t chunk, const uint8_t *elements, uint64_t n,
                                              bool *found);
/* NULL is allowed. */
void stoa_learned_dictionary_release(const stoa_learned_dictionary *learned_dictionary,
                                     stoa_held_chunk *held);

#endif
