/*
 * Builds Arrow schemas, arrays and streams.
 *
 * Functions that get buffers or children own them from then on. On failure they release them, so
 * that callers have one clean-up path. Buffers come from stoa_alloc() and are freed with free();
 * stoa_array_make_of_blocks() is the exception.
 */
#ifndef STOA_ARROW_BUILD_H
#define STOA_ARROW_BUILD_H

#include "arrow/type.h"
#include "core/memory.h"

/* Schemas ---------------------------------------------------------------------------------- */

/* A nullable field of the given format ("i", "tsm:UTC", "w:12", ...) without metadata. */
stoa_status stoa_schema_make(struct ArrowSchema *schema, const char *name, const char *format,
                             stoa_error *err);
/* The same from a type without children; DICTIONARY gives the format of the indices. */
stoa_status stoa_schema_make_type(struct ArrowSchema *schema, const char *name,
                                  const stoa_type *type, stoa_error *err);
/* Add n zeroed children (release == NULL); fill them with stoa_schema_make() or a move. */
stoa_status stoa_schema_children(struct ArrowSchema *schema, int64_t n, stoa_error *err);
/* Add a dictionary whose values have the given format. */
stoa_status stoa_schema_dictionary(struct ArrowSchema *schema, const char *value_format,
                                   stoa_error *err);
/* Rename the field. */
stoa_status stoa_schema_rename(struct ArrowSchema *schema, const char *name, stoa_error *err);
/* Give the field another format, of values that lie in the same buffers. */
stoa_status stoa_schema_retype(struct ArrowSchema *schema, const char *format, stoa_error *err);
/* Add (or replace) one metadata pair. */
stoa_status stoa_schema_set(struct ArrowSchema *schema, const char *key, const char *value,
                            stoa_error *err);
/* Copy metadata pairs that the schema lacks from another field. Nested fields are included: struct
 * fields are matched by name, and list items with list items. Extension metadata
 * (ARROW:extension:...) is copied only between fields of the same format. */
stoa_status stoa_schema_set_more(struct ArrowSchema *schema, const struct ArrowSchema *from,
                                 stoa_error *err);
/* Deep copy. */
stoa_status stoa_schema_copy(const struct ArrowSchema *from, struct ArrowSchema *to,
                             stoa_error *err);
/* Move: the source is left with release == NULL. */
static inline void stoa_schema_move(struct ArrowSchema *from, struct ArrowSchema *to)
{
    *to = *from;
    from->release = NULL;
}
static inline void stoa_schema_release(struct ArrowSchema *schema)
{
    if (schema != NULL && schema->release != NULL) {
        schema->release(schema);
    }
}

/* Arrays ----------------------------------------------------------------------------------- */

/*
 * Make an array that owns up to three malloc'ed buffers; entries may be NULL.
 *
 * buffers[0] is the validity bitmap or NULL; a struct has no other buffer. `null_count` may be -1
 * for "not counted", but then buffers[0] must not be NULL.
 */
stoa_status stoa_array_make(struct ArrowArray *array, int64_t length, int64_t null_count,
                            int64_t n_buffers, void *const *buffers, stoa_error *err);
/* The same with all buffers but buffers[0] from stoa_buffer_pool_get(). They return there when the
 * array is released, on any thread. */
stoa_status stoa_array_make_of_blocks(struct ArrowArray *array, int64_t length, int64_t null_count,
                                      int64_t n_buffers, void *const *buffers, stoa_error *err);
/* Make an array of `length` borrowed values, none of them missing. When the array is released, or
 * if this call fails, `give_back` is called with `lender`, on any thread. */
stoa_status stoa_array_make_lent(struct ArrowArray *array, int64_t length, const void *values,
                                 void (*give_back)(void *lender), void *lender, stoa_error *err);
/* Store value i in `values`, which are zero before; return false if it is missing. */
typedef bool (*stoa_value_put)(const void *context, int64_t i, uint8_t *values);
/* Make an array of n values, each stored by `put`. Values have `width` bytes, or are bits. */
stoa_status stoa_array_put(struct ArrowArray *array, int64_t n, size_t width, stoa_value_put put,
                           const void *context, stoa_error *err);
/* Add n zeroed children; fill them by moving arrays in. */
stoa_status stoa_array_children(struct ArrowArray *array, int64_t n, stoa_error *err);
/* Make an array of structs, none of them missing, with n such children. */
stoa_status stoa_array_struct(struct ArrowArray *array, int64_t length, int64_t n, stoa_error *err);
/* Make an array with one child, such as a list of any kind. `items` is moved from in every case. On
 * failure `array` is left empty. */
stoa_status stoa_array_list(struct ArrowArray *array, int64_t length, int64_t null_count,
                            int64_t n_buffers, void *const *buffers, struct ArrowArray *items,
                            stoa_error *err);
/* Add a dictionary to the array; `dictionary` is moved from in every case. */
stoa_status stoa_array_dictionary(struct ArrowArray *array, struct ArrowArray *dictionary,
                                  stoa_error *err);
/* Make another handle on an array. The handles count references to shared buffers, which are freed
 * with the last handle. `array` itself becomes a handle. Used for dictionaries that many batches
 * share. */
stoa_status stoa_array_share(struct ArrowArray *array, struct ArrowArray *out, stoa_error *err);
/* Make row i missing if bit `first` + i of `valid` is not set. Other handles are not affected. */
stoa_status stoa_array_hide(struct ArrowArray *array, const uint8_t *valid, int64_t first,
                            stoa_error *err);
static inline void stoa_array_move(struct ArrowArray *from, struct ArrowArray *to)
{
    *to = *from;
    from->release = NULL;
}
static inline void stoa_array_release(struct ArrowArray *array)
{
    if (array != NULL && array->release != NULL) {
        array->release(array);
    }
}

/* Streams ---------------------------------------------------------------------------------- */

/* The callbacks of a stream's producer. `next` leaves out->release NULL at the end. */
typedef struct stoa_producer {
    stoa_status (*schema)(void *self, struct ArrowSchema *out, stoa_error *err);
    stoa_status (*next)(void *self, struct ArrowArray *out, stoa_error *err);
    void (*release)(void *self); /* may be NULL */
} stoa_producer;

/* Make a stream over a producer. When the stream is released, or if this call fails,
 * producer->release is called with `self`. */
stoa_status stoa_stream_make(struct ArrowArrayStream *stream, const stoa_producer *producer,
                             void *self, stoa_error *err);
static inline void stoa_stream_release(struct ArrowArrayStream *stream)
{
    if (stream != NULL && stream->release != NULL) {
        stream->release(stream);
    }
}
/* Read from any stream. Errors arrive in `err` with the producer's text. A stream made by
 * stoa_stream_make() also preserves the stoa_status. */
stoa_status stoa_stream_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out,
                               stoa_error *err);
stoa_status stoa_stream_next(struct ArrowArrayStream *stream, struct ArrowArray *out,
                             stoa_error *err);

#endif
