/* The rows of a frame as those of a PyTables table (members.h). */
#include "layout/pandas/members.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "core/memory.h"
#include "layout/common/column_datasets.h"

/* --- values ---------------------------------------------------------------------------------- */

/* Strings, with pandas' text for missing ones. "U" has 64-bit offsets. */
static stoa_status make_texts(const stoa_pandas_member *member, const stoa_view *view,
                              struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_view labels = {.length = 0};
    stoa_buffer text = {0};
    const char *const nan_rep = member->nan_rep;
    int64_t *offsets = stoa_alloc_zero((size_t)view->length + 1, sizeof *offsets);

    STOA_TRY(offsets != NULL ? STOA_OK : stoa_fail_memory(err));
    if (view->type.kind == STOA_KIND_DICTIONARY) {
        STOA_TRY(stoa_view_dictionary(view, &labels, err));
    }
    for (int64_t i = 0; i < view->length; i++) {
        size_t length = 0;
        const char *const said = stoa_column_dataset_text(view, &labels, i, &length);
        if (said != NULL && stoa_pandas_is_nan(said, length, nan_rep)) {
            STOA_TRY(stoa_pandas_refuse_nan(&member->shape, nan_rep, err));
        }
        STOA_TRY(stoa_buffer_append(&text, said != NULL ? said : nan_rep,
                                    said != NULL ? length : strlen(nan_rep), err));
        offsets[i + 1] = (int64_t)text.size;
    }
    void *const buffers[] = {NULL, offsets, stoa_buffer_detach(&text)};
    offsets = NULL;
    STOA_TRY(stoa_array_make(out, view->length, 0, 3, buffers, err));

done:
    free(offsets);
    stoa_buffer_clear(&text);
    return status;
}

static stoa_status make_plain(const stoa_pandas_member *member, const stoa_view *view,
                              struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n = (size_t)view->length;
    uint8_t *values = stoa_alloc_zero(n + 1, sizeof(uint64_t));
    uint8_t *bits = NULL;

    STOA_TRY(values != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_pandas_plain(&member->shape, view, values, err));
    if (member->shape.as == STOA_PANDAS_BOOL) {
        bits = stoa_alloc_zero(stoa_bit_bytes(n) + 1, 1);
        STOA_TRY(bits != NULL ? STOA_OK : stoa_fail_memory(err));
        for (size_t i = 0; i < n; i++) {
            if (values[i] != 0) {
                stoa_bit_set(bits, i);
            }
        }
        free(values);
        values = bits;
    }
    void *const buffers[] = {NULL, values};
    values = NULL;
    STOA_TRY(stoa_array_make(out, view->length, 0, 2, buffers, err));

done:
    free(values);
    return status;
}

static stoa_status make_complex(const stoa_pandas_member *member, const stoa_view *view,
                                struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    void *values = NULL;

    STOA_TRY(stoa_array_struct(out, view->length, 2, err));
    for (int part = 0; part < 2; part++) {
        values = stoa_alloc((size_t)view->length + 1, sizeof(double));
        STOA_TRY(values != NULL ? STOA_OK : stoa_fail_memory(err));
        STOA_TRY(stoa_pandas_part(&member->shape, view, part, values, err));
        void *const buffers[] = {NULL, values};
        values = NULL;
        STOA_TRY(stoa_array_make(out->children[part], view->length, 0, 2, buffers, err));
    }

done:
    free(values);
    return status;
}

static stoa_status make_values(stoa_pandas_member *member, const stoa_view *view,
                               struct ArrowArray *out, stoa_error *err)
{
    return member->is_coded ? stoa_pandas_codes_make(&member->codes, &member->shape, view, out, err)
           : stoa_pandas_is_text(member)             ? make_texts(member, view, out, err)
           : member->shape.as == STOA_PANDAS_COMPLEX ? make_complex(member, view, out, err)
                                                     : make_plain(member, view, out, err);
}

/* --- blocks ---------------------------------------------------------------------------------- */

/* Interleave `n` arrays of `rows` values each, row by row. */
static stoa_status join_fixed(const struct ArrowArray *parts, size_t n, int64_t rows, size_t width,
                              struct ArrowArray *out, stoa_error *err)
{
    uint8_t *const values = stoa_alloc_zero((size_t)rows * n + 1, width);
    void *const buffers[] = {NULL, values};

    STOA_RETURN_NO_MEMORY(err, values);
    for (size_t k = 0; k < n; k++) {
        const uint8_t *const from = parts[k].buffers[1];
        for (size_t i = 0; i < (size_t)rows; i++) {
            memcpy(values + (i * n + k) * width, from + i * width, width);
        }
    }
    return stoa_array_make(out, rows * (int64_t)n, 0, 2, buffers, err);
}

static stoa_status join_bits(const struct ArrowArray *parts, size_t n, int64_t rows,
                             struct ArrowArray *out, stoa_error *err)
{
    uint8_t *const bits = stoa_alloc_zero((size_t)stoa_bit_bytes((uint64_t)rows * n) + 1, 1);
    void *const buffers[] = {NULL, bits};

    STOA_RETURN_NO_MEMORY(err, bits);
    for (size_t k = 0; k < n; k++) {
        for (uint64_t i = 0; i < (uint64_t)rows; i++) {
            if (stoa_bit_get(parts[k].buffers[1], i)) {
                stoa_bit_set(bits, i * n + k);
            }
        }
    }
    return stoa_array_make(out, rows * (int64_t)n, 0, 2, buffers, err);
}

static stoa_status join_texts(const struct ArrowArray *parts, size_t n, int64_t rows,
                              struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer text = {0};
    int64_t *offsets = stoa_alloc_zero((size_t)rows * n + 1, sizeof *offsets);

    STOA_TRY(offsets != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < (size_t)rows; i++) {
        for (size_t k = 0; k < n; k++) {
            const int64_t *const at = (const int64_t *)parts[k].buffers[1] + i;
            const size_t length = (size_t)(at[1] - at[0]);
            if (length > 0) {
                STOA_TRY(stoa_buffer_append(&text, (const char *)parts[k].buffers[2] + at[0],
                                            length, err));
            }
            offsets[i * n + k + 1] = (int64_t)text.size;
        }
    }
    void *const buffers[] = {NULL, offsets, stoa_buffer_detach(&text)};
    offsets = NULL;
    STOA_TRY(stoa_array_make(out, rows * (int64_t)n, 0, 3, buffers, err));

done:
    free(offsets);
    stoa_buffer_clear(&text);
    return status;
}

static stoa_status join(const stoa_pandas_member *member, const struct ArrowArray *parts,
                        int64_t rows, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n = member->n_items;
    const size_t width = (size_t)stoa_kind_width(member->shape.kind);
    struct ArrowArray *some = NULL;

    if (member->shape.as != STOA_PANDAS_COMPLEX) {
        return member->shape.as == STOA_PANDAS_BOOL ? join_bits(parts, n, rows, out, err)
               : stoa_pandas_is_text(member)        ? join_texts(parts, n, rows, out, err)
                                                    : join_fixed(parts, n, rows, width, out, err);
    }
    some = stoa_alloc(n, sizeof *some);
    STOA_TRY(some != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_array_struct(out, rows * (int64_t)n, 2, err));
    for (int i = 0; i < 2; i++) {
        for (size_t k = 0; k < n; k++) {
            some[k] = *parts[k].children[i];
        }
        STOA_TRY(join_fixed(some, n, rows, width, out->children[i], err));
    }

done:
    free(some);
    return status;
}

static stoa_status view_of_member(const stoa_pandas_member *member, const stoa_view *rows,
                                  stoa_view *view, stoa_error *err)
{
    return stoa_view_child(rows, (int64_t)member->column, view, err);
}

static stoa_status make_block(stoa_pandas_member *member, const stoa_view *rows,
                              struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n = member->n_items;
    stoa_view view;
    struct ArrowArray *parts = stoa_alloc_zero(n, sizeof *parts);

    STOA_TRY(parts != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n; i++) {
        STOA_TRY(view_of_member(&member[i], rows, &view, err));
        STOA_TRY(make_values(&member[i], &view, &parts[i], err));
    }
    if (n == 1) {
        stoa_array_move(&parts[0], out);
    } else {
        STOA_TRY(join(member, parts, rows->length, out, err));
    }

done:
    for (size_t i = 0; parts != NULL && i < n; i++) {
        stoa_array_release(&parts[i]);
    }
    free(parts);
    return status;
}

/* `member` is the first of its block. */
static stoa_status make_member(stoa_pandas_member *member, const stoa_view *rows,
                               struct ArrowArray *out, stoa_error *err)
{
    stoa_view view;

    if (!member->is_block) {
        STOA_RETURN_NOT_OK(view_of_member(member, rows, &view, err));
        return make_values(member, &view, out, err);
    }
    STOA_RETURN_NOT_OK(stoa_array_struct(out, rows->length, 1, err));
    return make_block(member, rows, out->children[0], err);
}

/* --- the stream ------------------------------------------------------------------------------ */

static stoa_status make_counter(uint64_t first, int64_t n, struct ArrowArray *out, stoa_error *err)
{
    int64_t *const numbers = stoa_alloc((size_t)n, sizeof *numbers);

    STOA_RETURN_NO_MEMORY(err, numbers);
    for (int64_t i = 0; i < n; i++) {
        numbers[i] = (int64_t)first + i;
    }
    void *const buffers[] = {NULL, numbers};
    return stoa_array_make(out, n, 0, 2, buffers, err);
}

static stoa_status stream_schema(void *self, struct ArrowSchema *out, stoa_error *err)
{
    return stoa_pandas_members_schema(self, out, NULL, err);
}

static stoa_status make_rows(stoa_pandas_members *members, const struct ArrowArray *batch,
                             struct ArrowArray *out, stoa_error *err)
{
    size_t at = members->has_counter;
    stoa_view rows;

    STOA_RETURN_NOT_OK(stoa_view_of(members->source->schema, batch, &rows, err));
    STOA_RETURN_NOT_OK(
        stoa_array_struct(out, rows.length, (int64_t)(members->n_members + at), err));
    if (members->has_counter) {
        STOA_RETURN_NOT_OK(make_counter(members->n_rows, rows.length, out->children[0], err));
    }
    for (size_t i = 0; i < members->n; i += members->all[i].n_items) {
        STOA_RETURN_NOT_OK(make_member(&members->all[i], &rows, out->children[at++], err));
    }
    members->n_rows += (uint64_t)rows.length;
    return STOA_OK;
}

static stoa_status stream_next(void *self, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_pandas_members *const members = self;
    struct ArrowArray batch = {.release = NULL};

    out->release = NULL;
    STOA_TRY(stoa_stream_next(members->source->stream, &batch, err));
    if (batch.release != NULL) {
        STOA_TRY(make_rows(members, &batch, out, err));
    }

done:
    stoa_array_release(&batch);
    if (status != STOA_OK) {
        stoa_array_release(out);
    }
    return status;
}

stoa_status stoa_pandas_members_stream(stoa_pandas_members *members,
                                       struct ArrowArrayStream *stream, stoa_error *err)
{
    static const stoa_producer producer = {stream_schema, stream_next, NULL};

    return stoa_stream_make(stream, &producer, members, err);
}
