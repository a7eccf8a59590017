/*
 * Looking at Arrow data that somebody else made.
 *
 * The C data interface carries no buffer sizes, so what can be checked is checked (counts of
 * buffers and children, lengths, ascending offsets, codes inside the dictionary) and the rest is
 * the producer's word.
 */
#ifndef STOA_ARROW_READ_H
#define STOA_ARROW_READ_H

#include "arrow/type.h"
#include "core/memory.h"

/* An array's buffers, with its offset applied by the accessors below. */
typedef struct stoa_view {
    stoa_type type;
    int64_t length;
    int64_t offset;          /* into every buffer */
    int64_t null_count;      /* counted, never -1 */
    const uint8_t *validity; /* NULL: all valid */
    const void *values;      /* values, bits (BOOL), codes (DICTIONARY), or bytes of strings */
    const void *offsets;     /* int32_t or int64_t, by kind; else NULL */
    const struct ArrowArray *array;
    const struct ArrowSchema *schema;
} stoa_view;

/* Check the array against its schema, the nested arrays included, and look at its outer level. */
stoa_status stoa_view_of(const struct ArrowSchema *schema, const struct ArrowArray *array,
                         stoa_view *view, stoa_error *err);
/* The same of an array whose maker has looked at all that it says: nothing is checked but its outer
 * level. */
stoa_status stoa_view_of_sound(const struct ArrowSchema *schema, const struct ArrowArray *array,
                               stoa_view *view, stoa_error *err);
/* Child i of a struct or list, unsliced by the parent's offset (struct children: the parent's
 * offset is added, as the format demands). */
stoa_status stoa_view_child(const stoa_view *view, int64_t i, stoa_view *child, stoa_error *err);
stoa_status stoa_view_dictionary(const stoa_view *view, stoa_view *dictionary, stoa_error *err);

static inline bool stoa_view_is_null(const stoa_view *view, int64_t i)
{
    return view->type.kind == STOA_KIND_NULL ||
           (view->validity != NULL && !stoa_bit_get(view->validity, (uint64_t)(view->offset + i)));
}
/* Values that are not null side by side: how many, from row *first on, which moves to the first of
 * them; 0: there are none any more. */
int64_t stoa_view_run(const stoa_view *view, int64_t *first);
/* Integers, bools, dates, timestamps, dictionary codes: as int64 (uint64 kinds: the same bits). */
int64_t stoa_view_i64(const stoa_view *view, int64_t i);
/* Any float kind, as double. */
double stoa_view_f64(const stoa_view *view, int64_t i);
/* Strings and binaries of any kind; borrowed. Dictionary: use the dictionary's view. */
const char *stoa_view_bytes(const stoa_view *view, int64_t i, size_t *length);
/* Lists: the range of child positions of item i. */
void stoa_view_range(const stoa_view *view, int64_t i, int64_t *first, int64_t *count);

/* A metadata value by key; false if absent. Borrowed from the schema, not NUL-terminated. */
bool stoa_schema_get(const struct ArrowSchema *schema, const char *key, const char **value,
                     size_t *length);
/* The same as a fresh NUL-terminated string (free()), NULL if absent; only STOA_ENOMEM fails. */
stoa_status stoa_schema_get_text(const struct ArrowSchema *schema, const char *key, char **value,
                                 stoa_error *err);

#endif
