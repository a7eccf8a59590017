/* Import Arrow streams into sparse arrays, batch by batch (<stoa/sparse_arrow.h>). */
#include <stdlib.h>
#include <string.h>

#include "core/progress.h"
#include "sparse/array/arrow.h"

typedef struct taking {
    struct ArrowArrayStream *stream;
    const stoa_listener *listener;
    struct ArrowSchema schema;
    unsigned rank;
    hid_t type; /* of values in memory */
    stoa_element element;
    stoa_buffer coordinates; /* uint64_t, shape (n, rank) */
    stoa_buffer values;
    uint64_t n;                 /* rows of the batch */
    uint64_t n_written;         /* rows before the batch */
    uint64_t end[H5S_MAX_RANK]; /* extent that all rows require */
} taking;

static stoa_status open_taking(struct ArrowArrayStream *stream, const stoa_listener *listener,
                               taking *t, stoa_error *err)
{
    stoa_type type;

    *t = (taking){.stream = stream, .listener = listener, .type = H5I_INVALID_HID};
    t->element.mem_type = H5I_INVALID_HID;
    STOA_RETURN_NOT_OK(stoa_stream_schema(stream, &t->schema, err));
    STOA_RETURN_NOT_OK(stoa_type_of(&t->schema, &type, err));
    if (type.kind != STOA_KIND_STRUCT || t->schema.n_children < 2 ||
        t->schema.n_children > H5S_MAX_RANK + 1) {
        return stoa_fail(
            err, STOA_ETYPE,
            "elements have 1 to %d columns of indices and one of values; these are %lld",
            H5S_MAX_RANK, type.kind == STOA_KIND_STRUCT ? (long long)t->schema.n_children : 1);
    }
    t->rank = (unsigned)t->schema.n_children - 1;
    for (unsigned i = 0; i < t->rank; i++) {
        const struct ArrowSchema *field = t->schema.children[i];
        char name[64];
        STOA_RETURN_NOT_OK(
            stoa_type_of(field->dictionary != NULL ? field->dictionary : field, &type, err));
        if (!stoa_kind_is_integer(type.kind)) {
            return stoa_fail(err, STOA_ETYPE, "column '%s' is %s; indices are integers",
                             field->name != NULL ? field->name : "", stoa_type_name(&type, name));
        }
    }
    STOA_RETURN_NOT_OK(stoa_arrow_value_type(t->schema.children[t->rank], &t->type, err));
    return stoa_element_of(t->type, &t->element, err);
}

static stoa_status close_taking(taking *t, stoa_status status, stoa_error *err)
{
    stoa_schema_release(&t->schema);
    stoa_element_clear(&t->element);
    stoa_buffer_clear(&t->coordinates);
    stoa_buffer_clear(&t->values);
    return stoa_hdf_close(&t->type, status, err);
}

/* --- one batch ------------------------------------------------------------------------------- */

/* Copy the indices of one dimension into the coordinates. Negative values become huge. `labels` has
 * the values of a dictionary; NULL if there is none. */
static uint64_t put_indices(const stoa_view *view, const stoa_view *labels, unsigned rank,
                            uint64_t *out)
{
    const int64_t *wide = (const int64_t *)view->values + view->offset;
    uint64_t most = 0;

    if (labels != NULL) {
        for (int64_t i = 0; i < view->length; i++) {
            const uint64_t at = (uint64_t)stoa_view_i64(labels, stoa_view_i64(view, i));
            out[(size_t)i * rank] = at;
            most = at > most ? at : most;
        }
        return most;
    }
    if (view->type.kind == STOA_KIND_INT64 || view->type.kind == STOA_KIND_UINT64) {
        for (int64_t i = 0; i < view->length; i++) {
            uint64_t at;
            memcpy(&at, wide + i, sizeof at);
            out[(size_t)i * rank] = at;
            most = at > most ? at : most;
        }
        return most;
    }
    for (int64_t i = 0; i < view->length; i++) {
        const uint64_t at = (uint64_t)stoa_view_i64(view, i);
        out[(size_t)i * rank] = at;
        most = at > most ? at : most;
    }
    return most;
}

static stoa_status read_indices(taking *t, const stoa_view *batch, stoa_error *err)
{
    t->coordinates.size = 0;
    STOA_RETURN_NOT_OK(
        stoa_buffer_reserve(&t->coordinates, (size_t)t->n * t->rank * sizeof(uint64_t), err));
    uint64_t *const out = (uint64_t *)(void *)t->coordinates.data;
    for (unsigned i = 0; i < t->rank && t->n > 0; i++) {
        stoa_view view;
        stoa_view labels = {.null_count = 0};
        STOA_RETURN_NOT_OK(stoa_view_child(batch, i, &view, err));
        const bool is_dictionary = view.type.kind == STOA_KIND_DICTIONARY;
        STOA_RETURN_NOT_OK(is_dictionary ? stoa_view_dictionary(&view, &labels, err) : STOA_OK);
        if (view.null_count > 0 || labels.null_count > 0) {
            return stoa_fail(err, STOA_EDATA, "a null is no index; leave its row out");
        }
        const uint64_t most = put_indices(&view, is_dictionary ? &labels : NULL, t->rank, out + i);
        if (most >= INT64_MAX) {
            return stoa_fail(err, STOA_ERANGE, "%lld is no index", (long long)most);
        }
        t->end[i] = most + 1 > t->end[i] ? most + 1 : t->end[i];
    }
    return STOA_OK;
}

static stoa_status import_batch(taking *t, const struct ArrowArray *array, stoa_error *err)
{
    stoa_view batch;
    stoa_view values;

    STOA_RETURN_NOT_OK(stoa_view_of(&t->schema, array, &batch, err));
    if (batch.null_count > 0) {
        return stoa_fail(err, STOA_EDATA, "a null is no element; leave its row out");
    }
    t->n = (uint64_t)batch.length;
    if (t->n > SIZE_MAX / 8 / t->rank / t->element.size) {
        return stoa_fail_memory(err);
    }
    STOA_RETURN_NOT_OK(read_indices(t, &batch, err));
    STOA_RETURN_NOT_OK(stoa_view_child(&batch, t->rank, &values, err));
    t->values.size = 0;
    STOA_RETURN_NOT_OK(stoa_buffer_reserve(&t->values, (size_t)t->n * t->element.size, err));
    return stoa_arrow_put_values(&values, &t->element, 0, values.length, t->values.data,
                                 t->element.size, err);
}

/* Grow the extent to hold all rows so far, and no more. When an extent shrinks, libhdf5 looks for
 * every chunk in the removed part, and a sparse array may have any number of these. */
static stoa_status grow(stoa_sparse *array, const taking *t, stoa_error *err)
{
    const stoa_shape *shape = stoa_store_shape(array->store);
    bool grows = false;

    for (unsigned i = 0; i < t->rank; i++) {
        grows = grows || t->end[i] > shape->extent[i];
    }
    return grows ? stoa_sparse_set_extent(array, t->end, err) : STOA_OK;
}

static stoa_status write_all(stoa_sparse *array, taking *t, bool grows, stoa_error *err)
{
    struct ArrowArray batch = {.release = NULL};
    stoa_status status = STOA_OK;

    for (;;) {
        STOA_TRY(stoa_stream_next(t->stream, &batch, err));
        if (batch.release == NULL) {
            break;
        }
        status = import_batch(t, &batch, err);
        STOA_TRY(stoa_at(err, status, "rows from %llu on", (unsigned long long)t->n_written));
        stoa_array_release(&batch);
        if (grows) {
            STOA_TRY(grow(array, t, err));
        }
        status = stoa_sparse_write(array, t->n, (const uint64_t *)(void *)t->coordinates.data,
                                   t->values.data, t->type, err);
        STOA_TRY(stoa_at(err, status, "rows from %llu on", (unsigned long long)t->n_written));
        t->n_written += t->n;
        STOA_TRY(stoa_report_progress(
            t->listener, &(stoa_progress){.stage = "writing", .rows = t->n_written}, err));
    }

done:
    stoa_array_release(&batch);
    return status;
}

stoa_status stoa_sparse_write_stream(stoa_sparse *array, struct ArrowArrayStream *stream,
                                     const stoa_listener *listener, uint64_t *n, stoa_error *err)
{
    taking t;
    stoa_status status = STOA_OK;

    STOA_TRY(open_taking(stream, listener, &t, err));
    const unsigned rank = stoa_store_shape(array->store)->rank;
    if (t.rank != rank) {
        STOA_FAIL(err, STOA_ETYPE, "the stream has %u columns of indices, the array %u dimensions",
                  t.rank, rank);
    }
    STOA_TRY(write_all(array, &t, false, err));

done:
    if (n != NULL) {
        *n = t.n_written;
    }
    return close_taking(&t, status, err);
}

/* --- creating an array ----------------------------------------------------------------------- */

static stoa_status create(hid_t loc, const char *path, const taking *t, const uint64_t *extent,
                          const stoa_sparse_options *options, const stoa_sparse_access *access,
                          stoa_sparse **array, stoa_error *err)
{
    stoa_sparse_options own = STOA_SPARSE_OPTIONS_INIT;
    uint8_t *fill = stoa_alloc_zero(1, t->element.size);
    stoa_status status = STOA_OK;

    STOA_TRY(fill != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_sparse_own_options(options, &own, err));
    if (own.fill == NULL) {
        STOA_TRY(stoa_arrow_get_fill(&t->schema, &t->element, fill, err));
        own.fill = fill;
    }
    STOA_TRY(stoa_sparse_create(loc, path, t->type, t->rank, extent, &own, access, array, err));

done:
    free(fill);
    return status;
}

stoa_status stoa_sparse_from_stream(hid_t loc, const char *path, struct ArrowArrayStream *stream,
                                    const uint64_t *extent, const stoa_sparse_options *options,
                                    const stoa_sparse_access *access, const stoa_listener *listener,
                                    stoa_sparse **array, stoa_error *err)
{
    taking t;
    uint64_t said[H5S_MAX_RANK] = {0};
    bool is_said = extent != NULL;
    stoa_sparse *made = NULL;
    stoa_status status = STOA_OK;

    *array = NULL;
    STOA_TRY(open_taking(stream, listener, &t, err));
    if (extent != NULL) {
        memcpy(said, extent, t.rank * sizeof *said);
    } else {
        STOA_TRY(stoa_arrow_get_shape(&t.schema, t.rank, said, &is_said, err));
    }
    STOA_TRY(create(loc, path, &t, said, options, access, &made, err));
    STOA_TRY(write_all(made, &t, !is_said, err));
    *array = made;
    made = NULL;

done:
    stoa_sparse_close(made); /* only after a failure */
    return close_taking(&t, status, err);
}
