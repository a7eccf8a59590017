/* A column is rewritten if a value does not fit (HEP001 §8.5). */
#include "column/write/write.h"

#include <stdlib.h>
#include <string.h>

#include "column/type/cf_attributes.h"
#include "column/write/encode.h"
#include "column/write/stored_form.h"
#include "core/memory.h"
#include "hdf/metadata/attributes.h"

/* A dataset that would lose more chunks than this is rewritten instead. */
#define MAX_CHUNKS_GONE (UINT64_C(1) << 20)

stoa_status stoa_column_reload(stoa_column *column, uint64_t n_rows, const char *vocabulary,
                               stoa_error *err)
{
    stoa_column *fresh = NULL;

    STOA_RETURN_HDF_ERROR(err, H5Iinc_ref(column->dataset), "hold column '%s'", column->name);
    STOA_RETURN_NOT_OK(
        stoa_column_open(column->dataset, column->name, n_rows, vocabulary, &fresh, err));
    fresh->generation = column->generation;
    fresh->has_old_references = column->has_old_references;
    /* Others point to the column: swap the contents and close the old ones. */
    const stoa_column old = *column;
    *column = *fresh;
    *fresh = old;
    stoa_column_close(fresh);
    return STOA_OK;
}

static void reclaim(const stoa_column *column, void **elements, int64_t n)
{
    stoa_element_reclaim(&column->element, *elements, *elements != NULL ? (size_t)n : 0);
    free(*elements);
    *elements = NULL;
}

/* Rewrite the column. The number of labels is filled in. */
static stoa_status rewrite(stoa_column_writer *writer, stoa_rewriting how, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *fresh = NULL;

    how.n_labels = writer->book != NULL ? writer->book->labels.count : 0;
    STOA_TRY(stoa_column_flush(writer->column, err)); /* it will be read */
    STOA_TRY(stoa_column_rewrite_type(writer->column, writer->n_rows, &how, &fresh, err));
    writer->was_replaced = true;
    if (writer->leave != NULL) {
        STOA_TRY(writer->leave(writer->column, err));
    }
    STOA_TRY(stoa_column_publish(writer->group, writer->column, fresh, err));

done:
    stoa_column_close(fresh);
    return stoa_at(err, status, "%s", writer->column->name);
}

stoa_status stoa_column_rewrite(stoa_column_writer *writer, const stoa_domain *extra,
                                const stoa_storage *storage, stoa_error *err)
{
    return rewrite(
        writer,
        (stoa_rewriting){.domain = extra,
                         .extent = storage != NULL ? storage->extent : writer->column->extent,
                         .storage = storage},
        err);
}

/* libhdf5 looks up every chunk to be removed, written or not. For very many, that takes years. */
stoa_status stoa_column_can_resize(const stoa_column *column, uint64_t extent, bool *can,
                                   stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t space = H5I_INVALID_HID;
    hsize_t max = 0;

    *can = false;
    if (column->chunk_rows == 0 ||
        (extent < column->extent &&
         (column->extent - extent) / column->chunk_rows > MAX_CHUNKS_GONE)) {
        return STOA_OK;
    }
    STOA_HDF(err, space = H5Dget_space(column->dataset), "get the shape");
    STOA_HDF(err, H5Sget_simple_extent_dims(space, NULL, &max), "get the shape");
    *can = max == H5S_UNLIMITED || extent <= max;

done:
    return stoa_hdf_close(&space, status, err);
}

/* `extra`: values yet to be written, which a rewritten column must hold as well. */
static stoa_status resize(stoa_column_writer *writer, uint64_t extent, const stoa_domain *extra,
                          stoa_error *err)
{
    stoa_column *column = writer->column;
    bool can = false;

    if (extent == column->extent) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_column_can_resize(column, extent, &can, err));
    if (!can) {
        STOA_RETURN_NOT_OK(
            rewrite(writer, (stoa_rewriting){.domain = extra, .extent = extent}, err));
    }
    STOA_RETURN_NOT_OK(stoa_column_open_writer(column, err));
    STOA_RETURN_NOT_OK(stoa_chunk_writer_resize(column->writer, extent, err));
    column->extent = extent;
    return STOA_OK;
}

stoa_status stoa_column_resize(stoa_column_writer *writer, uint64_t extent, stoa_error *err)
{
    return resize(writer, extent, NULL, err);
}

static stoa_status fail_chosen(const stoa_column *column, stoa_error *err)
{
    return stoa_fail(err, STOA_ELOSS,
                     "'%s' holds the fill value that was chosen for it as a value, which would be "
                     "missing (HEP001 §8.5); choose another",
                     column->name);
}

stoa_status stoa_column_fit_codes(stoa_column_writer *writer, stoa_error *err)
{
    const stoa_categories *const book = writer->book;

    if (book == NULL || stoa_column_holds_codes(writer->column, book->labels.count)) {
        return STOA_OK;
    }
    if (writer->keeps_fill && stoa_column_fill_is_code(writer->column, book->labels.count)) {
        return fail_chosen(writer->column, err);
    }
    return stoa_column_rewrite(writer, NULL, NULL, err);
}

/* Make the datatype and fill suit the values, as far as is known before they are encoded. */
static stoa_status make_fit(stoa_column_writer *writer, const stoa_view *view,
                            const stoa_domain *domain, stoa_error *err)
{
    const stoa_column *column = writer->column;

    if (writer->book != NULL) {
        STOA_RETURN_NOT_OK(stoa_column_fit_codes(writer, err));
    } else if (view->null_count < view->length) {
        if (!stoa_column_holds(column, domain)) {
            STOA_RETURN_NOT_OK(stoa_column_rewrite(writer, domain, NULL, err));
        }
    }
    if (column->fill == NULL && view->null_count > 0) {
        STOA_RETURN_NOT_OK(stoa_column_rewrite(writer, domain, NULL, err));
    }
    return STOA_OK;
}

/* An enumeration marks missing values only by its member MISSING (§8.5). */
static stoa_status check_enum(const stoa_column *column, const stoa_view *view, stoa_error *err)
{
    const stoa_element *element = &column->element;

    if (element->class != STOA_ELEMENT_ENUM || view->null_count == 0) {
        return STOA_OK;
    }
    for (size_t i = 0; i < element->n_members; i++) {
        if (strcmp(element->names[i], "MISSING") == 0) {
            return STOA_OK;
        }
    }
    return stoa_fail(err, STOA_ELOSS,
                     "'%s' is an enumeration without a member MISSING, so no value of it can be "
                     "missing (HEP001 §8.5)",
                     column->name);
}

stoa_status stoa_column_elements_of(const stoa_column *column, const stoa_view *view,
                                    void **elements, bool *collides, stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint8_t *missing = NULL;
    uint64_t n_missing = 0;

    STOA_TRY(check_enum(column, view, err));
    STOA_TRY(stoa_column_encode(column, view, elements, err));
    STOA_TRY(
        stoa_column_missing(column, *elements, (uint64_t)view->length, &missing, &n_missing, err));
    *collides = n_missing > (uint64_t)view->null_count;
    if (*collides && column->element.class == STOA_ELEMENT_ENUM) {
        STOA_FAIL(err, STOA_ELOSS,
                  "'%s': the member that stands for missing values was given as a value "
                  "(HEP001 §8.5)",
                  column->name);
    }

done:
    free(missing);
    return status;
}

stoa_status stoa_column_show_fill(const stoa_column *column, bool *shows_fill, stoa_error *err)
{
    if (!*shows_fill && stoa_cf_has_fill(&column->element, column->type.kind, true) &&
        !stoa_attribute_exists(column->dataset, STOA_CF_FILL)) {
        STOA_RETURN_NOT_OK(stoa_cf_write_fill(column->dataset, err));
    }
    *shows_fill = true;
    return STOA_OK;
}

stoa_status stoa_column_no_fill_left(const stoa_column *column, stoa_error *err)
{
    return stoa_fail(err, STOA_ELOSS,
                     "a value of '%s' equals its fill value, and %s has no other (HEP001 §8.5)",
                     column->name, column->element.text);
}

/* Encoded values. */
typedef struct encoded {
    const uint8_t *elements;
    uint64_t n;
} encoded;

static stoa_status show_encoded(void *context, stoa_elements_look look, void *looker,
                                stoa_error *err)
{
    const encoded *const values = context;

    (void)err;
    look(looker, values->elements, values->n);
    return STOA_OK;
}

/* Rewrite the column with another fill than the one that elements of its type equal. */
static stoa_status change_fill(stoa_column_writer *writer, const stoa_domain *domain,
                               const void *elements, int64_t n, stoa_error *err)
{
    const stoa_column *column = writer->column;
    encoded values = {elements, (uint64_t)n};
    const stoa_elements_to_come to_come = {show_encoded, &values};

    if (writer->keeps_fill) {
        return fail_chosen(column, err);
    }
    return rewrite(
        writer,
        (stoa_rewriting){
            .domain = domain, .extent = column->extent, .fill_is_taken = true, .to_come = &to_come},
        err);
}

/* Encode the values. If one equals the fill, rewrite the column with another fill. */
static stoa_status encode_apart(stoa_column_writer *writer, const stoa_view *view,
                                const stoa_domain *domain, void **elements, stoa_error *err)
{
    stoa_column *column = writer->column;
    bool collides = false;

    STOA_RETURN_NOT_OK(stoa_column_elements_of(column, view, elements, &collides, err));
    if (collides) {
        /* Elements with variable parts are of the same type afterwards. */
        STOA_RETURN_NOT_OK(change_fill(writer, domain, *elements, view->length, err));
        reclaim(column, elements, view->length);
        STOA_RETURN_NOT_OK(stoa_column_elements_of(column, view, elements, &collides, err));
    }
    if (collides) {
        STOA_RETURN_NOT_OK(stoa_column_no_fill_left(column, err));
    }
    return STOA_OK;
}

stoa_status stoa_column_batch_check(stoa_column_writer *writer, const stoa_view *view,
                                    stoa_column_batch *batch, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_column *column = writer->column;

    batch->length = view->length;
    if (view->length == 0) {
        return STOA_OK;
    }
    STOA_TRY(stoa_column_accepts(column, view, err));
    STOA_TRY(stoa_stored_form_of(column, view, writer->book, &batch->plain, err));
    STOA_TRY(check_enum(column, &batch->plain.view, err));
    batch->domain.has_missing = batch->plain.view.null_count > 0;
    if (writer->book == NULL && batch->plain.view.null_count < view->length) {
        STOA_TRY(stoa_domain_add(&batch->domain, &batch->plain.view, err));
    }

done:
    return stoa_at(err, status, "%s", column->name);
}

/* Have the incomplete last chunk in memory. */
static stoa_status begin_chunks(stoa_column_writer *writer, stoa_error *err)
{
    stoa_column *column = writer->column;
    uint64_t extent = 0;

    STOA_RETURN_NOT_OK(stoa_column_open_writer(column, err));
    if (column->writer->is_ours) {
        STOA_RETURN_NOT_OK(stoa_chunk_writer_begin(column->writer, &extent, err));
        if (writer->n_rows % column->writer->chunk_rows != 0) {
            STOA_RETURN_NOT_OK(stoa_chunk_writer_hold(column->writer, writer->n_rows, err));
        }
    }
    return STOA_OK;
}

stoa_status stoa_column_batch_fit_elements(stoa_column_writer *writer, uint64_t length,
                                           stoa_column_batch *batch, stoa_error *err)
{
    batch->length = (int64_t)length;
    return length > 0 ? stoa_at(err, begin_chunks(writer, err), "%s", writer->column->name)
                      : STOA_OK;
}

stoa_status stoa_column_batch_fit(stoa_column_writer *writer, stoa_column_batch *batch,
                                  stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *column = writer->column;
    const uint64_t end = writer->n_rows + (uint64_t)batch->length;

    if (batch->length == 0) {
        return STOA_OK;
    }
    STOA_TRY(make_fit(writer, &batch->plain.view, &batch->domain, err));
    if (end > column->extent) { /* before encoding: may rewrite the column with another fill */
        STOA_TRY(resize(writer, end, &batch->domain, err));
    }
    STOA_TRY(begin_chunks(writer, err));

done:
    return stoa_at(err, status, "%s", column->name);
}

/* Compress complete chunks: first the incomplete last one, if the elements fill it. If no more
 * follow, compress incomplete ones, too. */
static stoa_status pack_chunks(const stoa_column_writer *writer, stoa_column_batch *batch,
                               stoa_scratch *scratch, stoa_error *err)
{
    stoa_chunk_writer *chunks = writer->column->writer;
    const uint8_t *elements = batch->elements;
    const size_t size = writer->column->element.size;
    const uint64_t n = (uint64_t)batch->length;
    stoa_packed_chunk packed;
    bool is_packed = false;

    if (writer->n_rows % chunks->chunk_rows != 0) {
        STOA_RETURN_NOT_OK(stoa_chunk_complete(chunks, writer->n_rows, elements, n, batch->is_last,
                                               scratch, &packed, &batch->bytes, &batch->n_taken,
                                               &is_packed, err));
    }
    if (is_packed) {
        STOA_RETURN_NOT_OK(stoa_buffer_append(&batch->chunks, &packed, sizeof packed, err));
    }
    while (batch->n_taken < n && (batch->is_last || n - batch->n_taken >= chunks->chunk_rows)) {
        const uint64_t left = n - batch->n_taken;
        const uint64_t n_now = left < chunks->chunk_rows ? left : chunks->chunk_rows;
        packed.number = (writer->n_rows + batch->n_taken) / chunks->chunk_rows;
        STOA_RETURN_NOT_OK(stoa_chunk_pack(chunks, elements + (size_t)batch->n_taken * size, n_now,
                                           scratch, &packed, &batch->bytes, err));
        STOA_RETURN_NOT_OK(stoa_buffer_append(&batch->chunks, &packed, sizeof packed, err));
        batch->n_taken += n_now;
    }
    return STOA_OK;
}

stoa_status stoa_column_batch_pack(const stoa_column_writer *writer, stoa_column_batch *batch,
                                   stoa_scratch *scratch, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_column *column = writer->column;

    if (batch->length == 0 || stoa_element_is_variable(&column->element)) {
        return STOA_OK; /* encoded later: after a failure, libhdf5 must reclaim variable parts */
    }
    if (batch->elements == NULL) {
        STOA_TRY(stoa_column_elements_of(column, &batch->plain.view, &batch->elements,
                                         &batch->collides, err));
    }
    if (!batch->collides && stoa_chunk_writer_packs(column->writer)) {
        STOA_TRY(pack_chunks(writer, batch, scratch, err));
    }

done:
    return stoa_at(err, status, "%s", column->name);
}

/* Write the compressed chunks. */
static stoa_status put_chunks(stoa_column *column, const stoa_column_batch *batch, stoa_error *err)
{
    size_t at = 0;

    for (size_t i = 0; i < batch->chunks.size; i += sizeof(stoa_packed_chunk)) {
        stoa_packed_chunk packed;
        memcpy(&packed, batch->chunks.data + i, sizeof packed);
        STOA_RETURN_NOT_OK(stoa_chunk_put(column->writer, &packed, batch->bytes.data + at, err));
        at += packed.n_bytes;
    }
    if (at != 0) {
        STOA_RETURN_NOT_OK(stoa_chunk_writer_settle(column->writer, err));
    }
    return STOA_OK;
}

stoa_status stoa_column_batch_put(stoa_column_writer *writer, stoa_column_batch *batch,
                                  stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *column = writer->column;

    if (batch->length == 0) {
        return STOA_OK;
    }
    if (batch->elements == NULL || batch->collides) {
        reclaim(column, &batch->elements, batch->length);
        STOA_TRY(encode_apart(writer, &batch->plain.view, &batch->domain, &batch->elements, err));
    } else {
        STOA_TRY(put_chunks(column, batch, err));
    }
    STOA_TRY(stoa_column_write_elements(
        column, writer->n_rows + batch->n_taken, (uint64_t)batch->length - batch->n_taken,
        (const uint8_t *)batch->elements + (size_t)batch->n_taken * column->element.size, err));
    if (batch->domain.has_missing) {
        STOA_TRY(stoa_column_show_fill(column, &writer->shows_fill, err));
    }
    writer->n_rows += (uint64_t)batch->length;
    writer->n_values += (uint64_t)(batch->length - batch->plain.view.null_count);

done:
    return stoa_at(err, status, "%s", column->name);
}

void stoa_column_batch_clear(const stoa_column_writer *writer, stoa_column_batch *batch)
{
    reclaim(writer->column, &batch->elements, batch->length);
    stoa_stored_form_clear(&batch->plain);
    stoa_buffer_clear(&batch->chunks);
    stoa_buffer_clear(&batch->bytes);
    *batch = (stoa_column_batch){.length = 0};
}
