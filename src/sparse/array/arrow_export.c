/* Export sparse arrays as Arrow streams (<stoa/sparse_arrow.h>). A batch has whole chunks, enough
 * of them to be worth its overhead. */
#include <stdlib.h>
#include <string.h>

#include "sparse/array/arrow.h"
#include "sparse/store/clip.h"

enum { BATCH_ROWS = 1 << 16 }; /* at least, except in the last batch */

struct stoa_sparse_rows {
    stoa_sparse *array;
    unsigned rank;
    stoa_element element;
    stoa_box box;
    stoa_buffer numbers;  /* uint64_t; of the chunks */
    size_t next;          /* index of the next chunk */
    stoa_buffer *indices; /* int64_t; one buffer per dimension */
    uint8_t *values;      /* of the batch, as elements in memory */
    size_t n_room;        /* capacity in elements */
    uint64_t n;           /* rows of the batch */
};

/* Whether elements have h5py's boolean type, an enumeration of FALSE and TRUE. */
static bool is_bool(const stoa_element *e)
{
    return e->class == STOA_ELEMENT_ENUM && e->kind == STOA_KIND_INT8 && e->n_members == 2 &&
           e->codes[0] == 0 && e->codes[1] == 1 && strcmp(e->names[0], "FALSE") == 0 &&
           strcmp(e->names[1], "TRUE") == 0;
}

/* --- schema ---------------------------------------------------------------------------------- */

static const char *name_of(unsigned rank, unsigned dimension, char *room, size_t size)
{
    static const char *const plane[] = {"row", "column"};

    if (rank > 2) {
        (void)snprintf(room, size, "dim%u", dimension);
        return room;
    }
    return rank == 2 ? plane[dimension] : "index";
}

/* The fill value in the memory type. */
static stoa_status fill_of(const stoa_sparse_rows *s, uint8_t **fill, stoa_error *err)
{
    const size_t size = H5Tget_size(s->array->type);

    *fill = stoa_alloc(1, size);
    STOA_RETURN_NO_MEMORY(err, *fill);
    memcpy(*fill, stoa_store_fill(s->array->store), size);
    return stoa_elements_convert(s->array->type, s->element.mem_type, 1, fill, err);
}

stoa_status stoa_arrow_entries_schema(unsigned rank, const uint64_t *extent,
                                      struct ArrowSchema *out, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_schema_make(out, "", "+s", err));
    STOA_RETURN_NOT_OK(stoa_schema_children(out, (int64_t)rank + 1, err));
    for (unsigned i = 0; i < rank; i++) {
        char room[16];
        STOA_RETURN_NOT_OK(
            stoa_schema_make(out->children[i], name_of(rank, i, room, sizeof room), "l", err));
        out->children[i]->flags &= ~(int64_t)ARROW_FLAG_NULLABLE;
    }
    return stoa_arrow_put_shape(out, rank, extent, err);
}

static stoa_status make_schema(void *self, struct ArrowSchema *out, stoa_error *err)
{
    const stoa_sparse_rows *s = self;
    const stoa_shape *shape = stoa_store_shape(s->array->store);
    struct ArrowSchema *value = NULL;
    uint8_t *fill = NULL;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_arrow_entries_schema(shape->rank, shape->extent, out, err));
    value = out->children[shape->rank];
    STOA_TRY(is_bool(&s->element) ? stoa_schema_make(value, "value", "b", err)
                                  : stoa_element_schema(&s->element, "value", value, err));
    value->flags &= ~(int64_t)ARROW_FLAG_NULLABLE;
    STOA_TRY(fill_of(s, &fill, err));
    STOA_TRY(stoa_arrow_put_fill(out, &s->element, fill, err));

done:
    free(fill);
    return status;
}

/* --- rows ------------------------------------------------------------------------------------ */

/* Make space for n more rows. */
static stoa_status make_room(stoa_sparse_rows *s, size_t n, stoa_error *err)
{
    const size_t from_size = H5Tget_size(s->array->type);
    const size_t size = from_size > s->element.size ? from_size : s->element.size;
    const size_t n_all = (size_t)s->n + n;

    for (unsigned i = 0; i < s->rank; i++) {
        STOA_RETURN_NOT_OK(stoa_buffer_reserve(&s->indices[i], n * sizeof(int64_t), err));
    }
    if (n_all > s->n_room) {
        uint8_t *const longer = stoa_realloc(s->values, n_all, size);
        STOA_RETURN_NO_MEMORY(err, longer);
        s->values = longer;
        s->n_room = n_all;
    }
    return STOA_OK;
}

/* Coordinates of ascending positions, computed once per row. */
static void put_coordinates(stoa_sparse_rows *s, const uint64_t *offset,
                            const stoa_sparse_chunk *chunk)
{
    const stoa_shape *shape = stoa_store_shape(s->array->store);
    const unsigned last = shape->rank - 1;
    const uint64_t width = shape->chunk[last];
    uint64_t at[H5S_MAX_RANK];

    for (size_t i = 0; i < chunk->n;) {
        const uint64_t begin = chunk->positions[i] - chunk->positions[i] % width;
        size_t end = i + 1;
        while (end < chunk->n && chunk->positions[end] < begin + width) {
            end++;
        }
        stoa_shape_element(shape, offset, begin, at);
        for (unsigned d = 0; d < shape->rank; d++) {
            stoa_buffer *to = &s->indices[d];
            int64_t *out = (int64_t *)(void *)(to->data + to->size);
            for (size_t k = i; k < end; k++) {
                *out++ = (int64_t)(d == last ? at[d] + (chunk->positions[k] - begin) : at[d]);
            }
            to->size += (end - i) * sizeof *out;
        }
        i = end;
    }
}

/* Append the elements of a chunk that are in the box. */
static stoa_status add_chunk(stoa_sparse_rows *s, uint64_t number, stoa_error *err)
{
    stoa_store *store = s->array->store;
    const stoa_shape *shape = stoa_store_shape(store);
    const size_t size = H5Tget_size(s->array->type);
    const stoa_sparse_chunk *chunk = NULL;
    stoa_sparse_chunk clipped = {.n = 0};
    stoa_box part;
    uint64_t offset[H5S_MAX_RANK];
    stoa_status status = STOA_OK;

    stoa_shape_offset(shape, number, offset);
    STOA_TRY(stoa_store_read_chunk(store, number, true, &chunk, err));
    if (chunk->n == 0) {
        goto done;
    }
    STOA_TRY(make_room(s, chunk->n, err));
    clipped.positions = stoa_alloc(chunk->n, sizeof *clipped.positions);
    STOA_TRY(clipped.positions != NULL ? STOA_OK : stoa_fail_memory(err));
    clipped.values = s->values + s->n * size; /* converted when the batch is complete */
    (void)stoa_box_of_chunk(shape, &s->box, offset, &part);
    stoa_clip(shape, &part, size, chunk, &clipped);
    put_coordinates(s, offset, &clipped);
    s->n += clipped.n;

done:
    free(clipped.positions);
    return status;
}

/* --- batches --------------------------------------------------------------------------------- */

static stoa_status decode_bools(const uint8_t *values, uint64_t n, struct ArrowArray *out,
                                stoa_error *err)
{
    uint8_t *const bits = stoa_alloc_zero((size_t)stoa_bit_bytes(n), 1);
    void *const buffers[] = {NULL, bits};

    STOA_RETURN_NO_MEMORY(err, bits);
    for (uint64_t i = 0; i < n; i++) {
        if (values[i] != 0) {
            stoa_bit_set(bits, i);
        }
    }
    return stoa_array_make(out, (int64_t)n, 0, 2, buffers, err);
}

static stoa_status decode_values(stoa_sparse_rows *s, struct ArrowArray *out, stoa_error *err)
{
    uint8_t *values = NULL;
    stoa_status status = STOA_OK;

    STOA_RETURN_NOT_OK(
        stoa_elements_convert(s->array->type, s->element.mem_type, s->n, &s->values, err));
    values = s->values;
    s->values = NULL;
    s->n_room = 0;
    if (is_bool(&s->element)) {
        status = decode_bools(values, s->n, out, err);
        free(values);
    } else {
        status = stoa_element_decode(&s->element, values, (int64_t)s->n, NULL, out, err);
    }
    return status;
}

static stoa_status make_batch(stoa_sparse_rows *s, struct ArrowArray *out, stoa_error *err)
{
    const unsigned rank = s->rank;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_array_struct(out, (int64_t)s->n, (int64_t)rank + 1, err));
    for (unsigned i = 0; i < rank; i++) {
        void *const buffers[] = {NULL, stoa_buffer_detach(&s->indices[i])};
        STOA_TRY(stoa_array_make(out->children[i], (int64_t)s->n, 0, 2, buffers, err));
    }
    STOA_TRY(decode_values(s, out->children[rank], err));

done:
    for (unsigned i = 0; i < rank; i++) {
        s->indices[i].size = 0; /* after a failure, they were not handed over */
    }
    s->n = 0;
    return status;
}

static stoa_status next_batch(void *self, struct ArrowArray *out, stoa_error *err)
{
    stoa_sparse_rows *s = self;
    const uint64_t *numbers = (const uint64_t *)(const void *)s->numbers.data;
    const size_t n_chunks = s->numbers.size / sizeof *numbers;

    while (s->next < n_chunks && s->n < BATCH_ROWS) {
        STOA_RETURN_NOT_OK(add_chunk(s, numbers[s->next], err));
        s->next++;
    }
    if (s->n > 0) {
        STOA_RETURN_NOT_OK(make_batch(s, out, err));
    }
    return STOA_OK;
}

void stoa_sparse_rows_close(stoa_sparse_rows *s)
{
    for (unsigned i = 0; s->indices != NULL && i < s->rank; i++) {
        stoa_buffer_clear(&s->indices[i]);
    }
    free(s->indices);
    free(s->values);
    stoa_buffer_clear(&s->numbers);
    stoa_element_clear(&s->element);
    free(s);
}

static void release(void *self)
{
    stoa_sparse_rows_close(self);
}

stoa_status stoa_sparse_rows_open(stoa_sparse *array, const uint64_t *start, const uint64_t *count,
                                  stoa_sparse_rows **rows, stoa_error *err)
{
    const stoa_shape *shape = stoa_store_shape(array->store);
    stoa_sparse_rows *s = stoa_alloc_zero(1, sizeof *s);
    stoa_status status = STOA_OK;

    *rows = NULL;
    STOA_RETURN_NO_MEMORY(err, s);
    s->array = array;
    s->rank = shape->rank;
    s->element.mem_type = H5I_INVALID_HID;
    s->box = stoa_sparse_box(array, start, count);
    STOA_TRY(stoa_shape_holds(shape, &s->box, err));
    STOA_TRY(stoa_element_of(array->type, &s->element, err));
    if (stoa_element_is_variable(&s->element)) {
        STOA_FAIL(err, STOA_ETYPE,
                  "elements of variable length are read by stoa_sparse_read(), not as Arrow data");
    }
    s->indices = stoa_alloc_zero(shape->rank, sizeof *s->indices);
    STOA_TRY(s->indices != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_store_chunks(array->store, &s->box, &s->numbers, err));
    *rows = s;
    return STOA_OK;

done:
    stoa_sparse_rows_close(s);
    return status;
}

stoa_status stoa_sparse_rows_schema(stoa_sparse_rows *rows, struct ArrowSchema *out,
                                    stoa_error *err)
{
    return make_schema(rows, out, err);
}

/* The defined elements of a chunk that are in the box. */
static stoa_status count_chunk(stoa_sparse_rows *s, uint64_t number, uint64_t *n, stoa_error *err)
{
    const stoa_shape *shape = stoa_store_shape(s->array->store);
    const stoa_sparse_chunk *chunk = NULL;
    stoa_sparse_chunk clipped = {.n = 0};
    stoa_box part;
    uint64_t offset[H5S_MAX_RANK];

    stoa_shape_offset(shape, number, offset);
    STOA_RETURN_NOT_OK(stoa_store_read_chunk(s->array->store, number, false, &chunk, err));
    clipped.positions = stoa_alloc(chunk->n, sizeof *clipped.positions);
    STOA_RETURN_NO_MEMORY(err, clipped.positions);
    (void)stoa_box_of_chunk(shape, &s->box, offset, &part);
    stoa_clip(shape, &part, 0, chunk, &clipped);
    *n = clipped.n;
    free(clipped.positions);
    return STOA_OK;
}

stoa_status stoa_sparse_rows_count(stoa_sparse_rows *rows, size_t *at, uint64_t *n, stoa_error *err)
{
    const uint64_t *numbers = (const uint64_t *)(const void *)rows->numbers.data;
    const size_t n_chunks = rows->numbers.size / sizeof *numbers;

    *n = 0;
    while (*at < n_chunks && *n < BATCH_ROWS) {
        uint64_t more = 0;
        STOA_RETURN_NOT_OK(count_chunk(rows, numbers[*at], &more, err));
        *n += more;
        ++*at;
    }
    return STOA_OK;
}

stoa_status stoa_sparse_rows_read(stoa_sparse_rows *rows, size_t at, struct ArrowArray *out,
                                  stoa_error *err)
{
    rows->next = at;
    return next_batch(rows, out, err);
}

stoa_status stoa_sparse_stream(stoa_sparse *array, const uint64_t *start, const uint64_t *count,
                               struct ArrowArrayStream *stream, stoa_error *err)
{
    static const stoa_producer producer = {make_schema, next_batch, release};
    stoa_sparse_rows *rows = NULL;

    *stream = (struct ArrowArrayStream){.release = NULL};
    STOA_RETURN_NOT_OK(stoa_sparse_rows_open(array, start, count, &rows, err));
    return stoa_stream_make(stream, &producer, rows, err); /* owned by it, also after a failure */
}
