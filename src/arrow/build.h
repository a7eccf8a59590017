/*
 * Making Arrow schemas, arrays and streams.
 *
 * Every function that takes buffers or children takes them over in every case: on failure they are
 * released, so callers have one clean-up path. Memory comes from stoa_alloc() and goes by free(),
 * but for stoa_array_make_of_blocks().
 */
#ifndef STOA_ARROW_BUILD_H
#define STOA_ARROW_BUILD_H

#include "arrow/type.h"
#include "core/memory.h"

/* Schemas ---------------------------------------------------------------------------------- */

/* A nullable field of the given format ("i", "tsm:UTC", "w:12", ...) without metadata. */
stoa_status stoa_schema_make(struct ArrowSchema *schema, const char *name, const char *format,
                             stoa_error *err);
/* The same from a closed type (no children; DICTIONARY makes the index format). */
stoa_status stoa_schema_make_type(struct ArrowSchema *schema, const char *name,
                                  const stoa_type *type, stoa_error *err);
/* Room for n children, each zeroed (release == NULL); fill them with stoa_schema_make() or a
 * move. */
stoa_status stoa_schema_children(struct ArrowSchema *schema, int64_t n, stoa_error *err);
/* Give the field a dictionary whose values have the given format. */
stoa_status stoa_schema_dictionary(struct ArrowSchema *schema, const char *value_format,
                                   stoa_error *err);
/* Give the field another name. */
stoa_status stoa_schema_rename(struct ArrowSchema *schema, const char *name, stoa_error *err);
/* Add (or replace) one metadata pair. */
stoa_status stoa_schema_set(struct ArrowSchema *schema, const char *key, const char *value,
                            stoa_error *err);
/* All pairs that another field has, and it has not; of its parts as well: of structs those of the
 * same name, of lists the items. What says how values are to be understood (ARROW:extension:...)
 * goes along where both are of the same format alone. */
stoa_status stoa_schema_set_more(struct ArrowSchema *schema, const struct ArrowSchema *from,
                                 stoa_error *err);
/* A deep copy. */
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
 * An array over malloc'ed buffers (up to three; NULL entries allowed), taken over.
 *
 * buffers[0] is the validity bitmap or NULL (structs have that one alone). `null_count` may be -1
 * for "not counted", but then buffers[0] must be there.
 */
stoa_status stoa_array_make(struct ArrowArray *array, int64_t length, int64_t null_count,
                            int64_t n_buffers, void *const *buffers, stoa_error *err);
/* The same where all but buffers[0] are of stoa_blocks_take(), where they go back with the array,
 * on whatever thread that is. */
stoa_status stoa_array_make_of_blocks(struct ArrowArray *array, int64_t length, int64_t null_count,
                                      int64_t n_buffers, void *const *buffers, stoa_error *err);
/* An array of `length` values that are somebody else's, none of them missing. With the array goes
 * `give_back`, which is called with `lender` on whatever thread that is; also when this fails. */
stoa_status stoa_array_make_lent(struct ArrowArray *array, int64_t length, const void *values,
                                 void (*give_back)(void *lender), void *lender, stoa_error *err);
/* Value i goes where it belongs among `values`, which are zeros before; false: it is missing. */
typedef bool (*stoa_value_put)(const void *context, int64_t i, uint8_t *values);
/* n values of `width` bytes, or fewer bits, each given by `put`. */
stoa_status stoa_array_put(struct ArrowArray *array, int64_t n, size_t width, stoa_value_put put,
                           const void *context, stoa_error *err);
/* Room for n children, each zeroed; fill by moving arrays in. */
stoa_status stoa_array_children(struct ArrowArray *array, int64_t n, stoa_error *err);
/* An array of one child, as lists of any kind are; `items` is moved from in every case, and nothing
 * is left in `array` where this fails. */
stoa_status stoa_array_list(struct ArrowArray *array, int64_t length, int64_t null_count,
                            int64_t n_buffers, void *const *buffers, struct ArrowArray *items,
                            stoa_error *err);
/* Hang a dictionary on the array; `dictionary` is moved from in every case. */
stoa_status stoa_array_dictionary(struct ArrowArray *array, struct ArrowArray *dictionary,
                                  stoa_error *err);
/*
 * Another handle on an array: buffers are shared, counted, and freed with the last handle. `array`
 * itself is first made shareable. For dictionaries that many batches carry.
 */
stoa_status stoa_array_share(struct ArrowArray *array, struct ArrowArray *out, stoa_error *err);
/* Make rows missing: row i where bit `first` + i of `valid` is not set. Other handles do not see
 * it. */
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

/* What a stream's producer implements. `next` leaves out->release NULL at the end. */
typedef struct stoa_producer {
    stoa_status (*schema)(void *self, struct ArrowSchema *out, stoa_error *err);
    stoa_status (*next)(void *self, struct ArrowArray *out, stoa_error *err);
    void (*release)(void *self); /* may be NULL */
} stoa_producer;

/* A stream over a producer; `self` is given to producer->release when the stream goes (also when
 * this call fails). */
stoa_status stoa_stream_make(struct ArrowArrayStream *stream, const stoa_producer *producer,
                             void *self, stoa_error *err);
static inline void stoa_stream_release(struct ArrowArrayStream *stream)
{
    if (stream != NULL && stream->release != NULL) {
        stream->release(stream);
    }
}
/*
 * Pull from any stream, Stoa's own or foreign; errors arrive in `err` with the producer's text. For
 * a stream made by stoa_stream_make() the stoa_status survives the trip.
 */
stoa_status stoa_stream_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out,
                               stoa_error *err);
stoa_status stoa_stream_next(struct ArrowArrayStream *stream, struct ArrowArray *out,
                             stoa_error *err);

#endif
