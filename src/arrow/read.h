/*
 * Reads Arrow data from any producer.
 *
 * The C data interface does not give buffer sizes. So the reader checks what can be checked:
 * numbers of buffers and children, lengths, ascending offsets, and codes within the dictionary. For
 * the rest it trusts the producer.
 */
#ifndef STOA_ARROW_READ_H
#define STOA_ARROW_READ_H

#include <string.h>

#include "arrow/type.h"
#include "core/memory.h"

/* The buffers of an array. The accessors below add its offset. */
typedef struct stoa_view {
    stoa_type type;
    int64_t length;
    int64_t offset;          /* in every buffer, in values */
    int64_t null_count;      /* exact, never -1 */
    const uint8_t *validity; /* NULL: all valid */
    const void *values;      /* values, bits (BOOL), codes (DICTIONARY), or bytes of strings */
    const void *offsets;     /* int32_t or int64_t, by kind; else NULL */
    const struct ArrowArray *array;
    const struct ArrowSchema *schema;
} stoa_view;

/* Validate an array and its nested arrays against the schema, and make a view of the outer
 * level. */
stoa_status stoa_view_of(const struct ArrowSchema *schema, const struct ArrowArray *array,
                         stoa_view *view, stoa_error *err);
/* The same for an array that its producer has validated: only the outer level is checked. */
stoa_status stoa_view_of_sound(const struct ArrowSchema *schema, const struct ArrowArray *array,
                               stoa_view *view, stoa_error *err);
/* Child i of a list or struct. The parent's offset is added only for a struct, as the format
 * requires. */
stoa_status stoa_view_child(const stoa_view *view, int64_t i, stoa_view *child, stoa_error *err);
stoa_status stoa_view_dictionary(const stoa_view *view, stoa_view *dictionary, stoa_error *err);

static inline bool stoa_view_is_null(const stoa_view *view, int64_t i)
{
    return view->type.kind == STOA_KIND_NULL ||
           (view->validity != NULL && !stoa_bit_get(view->validity, (uint64_t)(view->offset + i)));
}
/* Find the next run of values that are not null, from row *first on. Sets *first to its start and
 * returns its length; 0 at the end. */
int64_t stoa_view_run(const stoa_view *view, int64_t *first);
/* Any integer, bool, date, timestamp or dictionary code as int64; unsigned 64-bit values keep their
 * bits. */
int64_t stoa_view_i64(const stoa_view *view, int64_t i);
/* Any floating-point kind as double. */
double stoa_view_f64(const stoa_view *view, int64_t i);
/* Offset i of a string, binary or list with offsets. Producers should align these, but need not. */
static inline int64_t stoa_view_offset(const stoa_view *view, int64_t i)
{
    const uint8_t *const offsets = view->offsets;
    const int64_t position = view->offset + i;
    int32_t narrow;
    int64_t wide;

    if (stoa_kind_is_wide(view->type.kind)) {
        memcpy(&wide, offsets + position * (int64_t)sizeof wide, sizeof wide);
        return wide;
    }
    memcpy(&narrow, offsets + position * (int64_t)sizeof narrow, sizeof narrow);
    return narrow;
}
/* The bytes of a string or binary, borrowed. For a dictionary use the view of its values. */
static inline const char *stoa_view_bytes(const stoa_view *view, int64_t i, size_t *length)
{
    const char *const bytes = view->values;
    int64_t first = (view->offset + i) * view->type.width;
    int64_t end = first + view->type.width;

    if (view->type.kind != STOA_KIND_FIXED_BINARY) {
        first = stoa_view_offset(view, i);
        end = stoa_view_offset(view, i + 1);
    }
    *length = (size_t)(end - first);
    return end != first ? bytes + first : "";
}
/* The range of child positions of list i. */
void stoa_view_range(const stoa_view *view, int64_t i, int64_t *first, int64_t *count);

/* Find a metadata value by key; false if absent. It is borrowed from the schema and not
 * NUL-terminated. */
bool stoa_schema_get(const struct ArrowSchema *schema, const char *key, const char **value,
                     size_t *length);
/* The same as a new NUL-terminated string for the caller to free(); NULL if absent. Fails only with
 * STOA_ENOMEM. */
stoa_status stoa_schema_get_text(const struct ArrowSchema *schema, const char *key, char **value,
                                 stoa_error *err);

#endif
