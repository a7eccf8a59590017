/* Returns rows as views of values. reader_elements.c reads the elements. */
#include "column/read/reader_parts.h"

#include <stdlib.h>
#include <string.h>

#include "column/read/block.h"
#include "column/read/decode.h"
#include "core/compact.h"
#include "hdf/metadata/fixed_texts.h"

/* Numbers, either in Arrow's form or converted by decode.c. */
static bool is_flat(const stoa_column *column)
{
    return stoa_column_is_numeric(column) && column->element.class != STOA_ELEMENT_ENUM;
}

/* Fixed-length strings, whose bytes and offsets are put in the reader's blocks. */
static bool is_text(const stoa_column *column)
{
    return column->element.class == STOA_ELEMENT_FIXED_STRING &&
           column->type.kind == STOA_KIND_STRING && column->element.size > 0;
}

/* Whether rows are read without libhdf5, by any number of readers. */
static bool is_ours(const stoa_column_reader *reader)
{
    return reader->direct != NULL || reader->column->member.is_direct;
}

/* Make the part that all views of the column share: the type and the dictionary. */
static stoa_status make_frame(stoa_column_reader *reader, stoa_error *err)
{
    stoa_column *column = reader->column;
    struct ArrowArray labels = {.release = NULL};

    reader->frame = (stoa_view){.schema = &reader->schema, .array = &reader->array};
    STOA_RETURN_NOT_OK(stoa_type_of(&reader->schema, &reader->frame.type, err));
    if (reader->frame.type.kind == STOA_KIND_DICTIONARY) {
        STOA_RETURN_NOT_OK(
            stoa_array_make(&reader->array, 0, 0, 2, (void *const[]){NULL, NULL}, err));
        STOA_RETURN_NOT_OK(
            reader->learned_dictionary != NULL
                ? stoa_learned_dictionary_share_labels(reader->learned_dictionary, &labels, err)
                : stoa_array_share(&column->dictionary, &labels, err));
        STOA_RETURN_NOT_OK(stoa_array_dictionary(&reader->array, &labels, err));
    }
    return STOA_OK;
}

/* Share the labels once. Sharing them later changes only a count, so readers need no lock for it.
 */
static stoa_status share_labels(stoa_column *column, stoa_error *err)
{
    struct ArrowArray labels = {.release = NULL};

    if (!column->source.is_free || column->type.kind != STOA_KIND_DICTIONARY) {
        return STOA_OK;
    }
    const stoa_status status = stoa_array_share(&column->dictionary, &labels, err);
    stoa_array_release(&labels);
    return status;
}

stoa_status stoa_column_reader_open(stoa_column_reader *reader, stoa_column *column,
                                    const stoa_learned_dictionary *learned_dictionary, bool is_bare,
                                    stoa_workers *workers, stoa_error *err)
{
    stoa_status status = STOA_OK;

    *reader = (stoa_column_reader){
        .column = column, .learned_dictionary = learned_dictionary, .workers = workers};
    reader->is_bare = is_bare && column->source.read_bare != NULL;
    reader->marks = stoa_validity_kernels_of(stoa_simd_of_cpu());
    reader->scratch = stoa_read_context_borrow(column->read_context);
    reader->own = stoa_read_context_borrow(column->read_context);
    STOA_TRY(
        reader->is_bare ? stoa_schema_copy(column->source.bare_schema, &reader->schema, err)
        : learned_dictionary != NULL
            ? stoa_learned_dictionary_schema(learned_dictionary, column->name, &reader->schema, err)
            : stoa_column_coded_schema(column, &reader->schema, err));
    STOA_TRY(stoa_column_direct(column, &reader->direct, err));
    STOA_TRY(share_labels(column, err));
    if (column->source.prepare != NULL) {
        status = column->source.prepare(column->source.context, column->read_context,
                                        &reader->is_free, err);
        STOA_TRY(stoa_column_at(column, status, err));
    }
    if (is_ours(reader) && (is_flat(column) || is_text(column))) {
        STOA_TRY(make_frame(reader, err));
    }

done:
    if (status != STOA_OK) {
        stoa_column_reader_close(reader);
    }
    return status;
}

/* Whether the elements can be returned unchanged. */
static bool needs_no_change(const stoa_column_reader *reader, const uint8_t *elements,
                            uint64_t count, const uint8_t *validity)
{
    const stoa_column *column = reader->column;

    if (column->type.kind == STOA_KIND_DICTIONARY) {
        return validity == NULL && column->dictionary.length > 0 &&
               reader->marks->below[stoa_validity_place(column->element.size)](
                   elements, count, (uint64_t)column->dictionary.length);
    }
    if (column->type.kind == STOA_KIND_TIMESTAMP || column->type.kind == STOA_KIND_DURATION) {
        return column->element.size == sizeof(int64_t) && column->time.ticks_per == 1 &&
               column->time.epoch_ticks == 0 && !column->time.is_split;
    }
    return stoa_column_is_as_stored(column);
}

/* Make a view of elements, converted if necessary. `is_complete`: none of them is missing. */
static stoa_status make_view(stoa_column_reader *reader, const uint8_t *elements, uint64_t count,
                             bool is_complete, stoa_view *view, stoa_error *err)
{
    const stoa_column *column = reader->column;
    uint8_t *validity = NULL;
    uint8_t *values = NULL;
    uint64_t n_missing = 0;

    if (column->fill != NULL && !is_complete) {
        STOA_RETURN_NOT_OK(stoa_column_reader_block(reader, STOA_READER_VALIDITY,
                                                    stoa_bit_bytes(count) + 1, &validity, err));
        n_missing = stoa_column_mark_valid(column, reader->marks, elements, count, validity);
        validity = n_missing != 0 ? validity : NULL;
    }
    *view = reader->frame;
    view->length = (int64_t)count;
    view->null_count = (int64_t)n_missing;
    view->validity = validity;
    view->values = elements;
    if (!needs_no_change(reader, elements, count, validity)) {
        STOA_RETURN_NOT_OK(stoa_column_reader_block(reader, STOA_READER_PRESENTED,
                                                    stoa_column_decode_bytes(column, count) + 1,
                                                    &values, err));
        STOA_RETURN_NOT_OK(stoa_column_decode(column, elements, count, validity, values, err));
        view->values = values;
    }
    return STOA_OK;
}

static stoa_status read_flat(stoa_column_reader *reader, uint64_t first, uint64_t count,
                             stoa_view *view, stoa_error *err)
{
    const uint8_t *elements = NULL;

    const bool is_complete = stoa_complete_has(reader->complete, first, count);
    STOA_RETURN_NOT_OK(stoa_column_reader_elements(reader, first, count, &elements, err));
    STOA_RETURN_NOT_OK(make_view(reader, elements, count, is_complete, view, err));
    if (!is_complete && view->null_count == 0) {
        stoa_complete_learn(reader->complete, first, count);
    }
    return STOA_OK;
}

/* Find the missing strings, and make Arrow's validity of them. NULL: none is missing. */
static stoa_status mark_texts(stoa_column_reader *reader, stoa_fixed_texts *texts,
                              const uint8_t *missing, uint8_t **validity, stoa_error *err)
{
    const size_t n_bytes = (size_t)stoa_bit_bytes((uint64_t)texts->n);

    *validity = NULL;
    texts->missing = missing;
    if (missing != NULL) {
        STOA_RETURN_NOT_OK(
            stoa_column_reader_block(reader, STOA_READER_VALIDITY, n_bytes + 1, validity, err));
        for (size_t i = 0; i < n_bytes; i++) {
            (*validity)[i] = (uint8_t)~missing[i];
        }
    }
    return STOA_OK;
}

/* Strings without padding stay where they were decoded. Others are copied behind the offsets. */
static stoa_status read_texts(stoa_column_reader *reader, uint64_t first, uint64_t count,
                              stoa_view *view, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_column *column = reader->column;
    stoa_fixed_texts texts = {
        .n = (int64_t)count, .size = column->element.size, .padding = column->element.padding};
    const size_t offset_bytes = ((size_t)count + 1) * sizeof(int32_t);
    uint8_t *missing = NULL;
    uint8_t *validity = NULL;
    uint8_t *block = NULL;
    uint64_t n_missing = 0;

    STOA_TRY(stoa_column_reader_elements(reader, first, count, &texts.elements, err));
    if (reader->learns != NULL) {
        stoa_learned_dictionary_learn(reader->learns, first, count, texts.elements,
                                      reader->keeps_codes);
    }
    if (!stoa_complete_has(reader->complete, first, count)) {
        STOA_TRY(stoa_column_missing(column, texts.elements, count, &missing, &n_missing, err));
        if (n_missing == 0) {
            stoa_complete_learn(reader->complete, first, count);
        }
    }
    STOA_TRY(mark_texts(reader, &texts, missing, &validity, err));
    const bool are_full = count <= INT32_MAX / texts.size && stoa_fixed_texts_are_full(&texts);
    const size_t text_bytes = are_full ? 0 : (size_t)count * texts.size + STOA_TEXTS_SLACK;
    STOA_TRY(stoa_column_reader_block(reader, STOA_READER_PRESENTED, offset_bytes + text_bytes,
                                      &block, err));
    int32_t *const offsets = (int32_t *)(void *)block;
    *view = reader->frame;
    view->length = (int64_t)count;
    view->null_count = (int64_t)n_missing;
    view->validity = validity;
    view->offsets = offsets;
    view->values = are_full ? texts.elements : block + offset_bytes;
    for (uint64_t i = 0; are_full && i <= count; i++) {
        offsets[i] = (int32_t)(i * texts.size);
    }
    if (!are_full && !stoa_fixed_texts_decode(&texts, block + offset_bytes, offsets)) {
        STOA_FAIL(err, STOA_ERANGE, "%llu strings are over 2 GiB; read fewer rows at once",
                  (unsigned long long)count);
    }

done:
    free(missing);
    return status;
}

/* --- codes of a learned dictionary ----------------------------------------------------------- */

/* A read of less than 1/CODED_PART of a chunk does not make the codes of the whole chunk. */
enum { CODED_PART = 64 };

/* Fail because the file was changed after the dictionary was learned. */
static stoa_status fail_unknown(uint64_t first, stoa_error *err)
{
    return stoa_fail(err, STOA_EDATA,
                     "a text from row %llu on was not there before: the file has been changed "
                     "while it was open",
                     (unsigned long long)first);
}

/* Get the codes of a chunk from the cache. If `makes` is set, make and cache them otherwise. */
static stoa_status hold_codes(stoa_column_reader *reader, uint64_t chunk, bool makes,
                              stoa_error *err)
{
    const stoa_column *column = reader->column;
    const uint64_t first = chunk * column->chunk_rows;
    const uint64_t left = column->n_rows - first;
    const uint64_t n = left < column->chunk_rows ? left : column->chunk_rows;
    const uint8_t *elements = NULL;
    bool found = true;

    if (reader->codes != NULL && reader->codes_number == chunk) {
        return STOA_OK;
    }
    stoa_learned_dictionary_release(reader->learned_dictionary, reader->codes);
    reader->codes = stoa_learned_dictionary_hold(reader->learned_dictionary, chunk);
    reader->codes_number = chunk;
    if (reader->codes == NULL && makes) {
        STOA_RETURN_NOT_OK(stoa_column_reader_elements(reader, first, n, &elements, err));
        reader->codes =
            stoa_learned_dictionary_keep(reader->learned_dictionary, chunk, elements, n, &found);
        STOA_RETURN_NOT_OK(found ? STOA_OK : fail_unknown(first, err));
    }
    return STOA_OK;
}

/* Get the codes of rows of one chunk: from the cache, or made in `room`. */
static stoa_status code_part(stoa_column_reader *reader, uint64_t first, uint64_t n, uint8_t *room,
                             const uint8_t **codes, stoa_error *err)
{
    const uint64_t rows = reader->column->chunk_rows;
    const size_t width = stoa_learned_dictionary_width(reader->learned_dictionary);
    const uint8_t *elements = NULL;

    STOA_RETURN_NOT_OK(
        hold_codes(reader, first / rows, reader->keeps_codes && n >= rows / CODED_PART, err));
    if (reader->codes != NULL) {
        *codes = stoa_held_bytes(reader->codes) + (size_t)(first % rows) * width;
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_column_reader_elements(reader, first, n, &elements, err));
    STOA_RETURN_NOT_OK(stoa_learned_dictionary_encode(reader->learned_dictionary, elements, n, room)
                           ? STOA_OK
                           : fail_unknown(first, err));
    *codes = room;
    return STOA_OK;
}

static stoa_status code_parts(stoa_column_reader *reader, uint64_t first, uint64_t count,
                              const uint8_t **codes, stoa_error *err)
{
    const uint64_t rows = reader->column->chunk_rows;
    const size_t width = stoa_learned_dictionary_width(reader->learned_dictionary);
    uint8_t *room = NULL;

    STOA_RETURN_NOT_OK(stoa_column_reader_block(reader, STOA_READER_PRESENTED,
                                                (size_t)count * width + 1, &room, err));
    if (count <= rows - first % rows) {
        STOA_RETURN_NOT_OK(code_part(reader, first, count, room, codes, err));
        return STOA_OK;
    }
    for (uint64_t at = 0, n; at < count; at += n) {
        const uint64_t left = rows - (first + at) % rows;
        const uint8_t *part = NULL;
        n = left < count - at ? left : count - at;
        STOA_RETURN_NOT_OK(code_part(reader, first + at, n, room + (size_t)at * width, &part, err));
        if (part != room + (size_t)at * width) {
            memcpy(room + (size_t)at * width, part, (size_t)n * width);
        }
    }
    *codes = room;
    return STOA_OK;
}

static stoa_status read_codes(stoa_column_reader *reader, uint64_t first, uint64_t count,
                              stoa_view *view, stoa_error *err)
{
    const int place =
        stoa_validity_place(stoa_learned_dictionary_width(reader->learned_dictionary));
    const uint8_t *codes = NULL;
    uint8_t *validity = NULL;
    uint64_t n_missing = 0;
    uint64_t missing;

    STOA_RETURN_NOT_OK(code_parts(reader, first, count, &codes, err));
    if (stoa_learned_dictionary_missing(reader->learned_dictionary, &missing)) {
        STOA_RETURN_NOT_OK(stoa_column_reader_block(reader, STOA_READER_VALIDITY,
                                                    stoa_bit_bytes(count) + 1, &validity, err));
        n_missing = reader->marks->unequal[place](codes, count, missing, validity);
    }
    *view = reader->frame;
    view->length = (int64_t)count;
    view->null_count = (int64_t)n_missing;
    view->validity = n_missing != 0 ? validity : NULL;
    view->values = codes;
    return STOA_OK;
}

/* --- any rows -------------------------------------------------------------------------------- */

/* Read opaque values, enums and other strings into an array, like those that libhdf5 reads. */
static stoa_status read_array(stoa_column_reader *reader, uint64_t first, uint64_t count,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *column = reader->column;
    stoa_block block = {.count = count};

    block.elements = stoa_alloc((size_t)count, column->element.size);
    STOA_TRY(block.elements != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_column_reader_copy(reader, first, count, block.elements, err));
    STOA_TRY(
        stoa_column_missing(column, block.elements, count, &block.missing, &block.n_missing, err));
    STOA_TRY(stoa_block_present(column, &block, &reader->array, err));

done:
    stoa_block_clear(&column->element, &block);
    return status;
}

/* Read rows of a source that is not free. */
static stoa_status read_locked(stoa_column_reader *reader, uint64_t first, uint64_t count,
                               stoa_error *err)
{
    const stoa_column_source *const source = &reader->column->source;
    stoa_status status = STOA_OK;

    stoa_workers_lock(reader->workers);
    status = reader->is_bare
                 ? source->read_bare(source->context, NULL, first, count, &reader->array, err)
                 : stoa_column_read_coded(reader->column, first, count, &reader->array, err);
    stoa_workers_unlock(reader->workers);
    return status;
}

stoa_status stoa_column_reader_rows(stoa_column_reader *reader, uint64_t first, uint64_t count,
                                    stoa_view *view, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *column = reader->column;

    STOA_TRY(stoa_column_check_rows(column, first, count, err));
    if (is_ours(reader) && is_flat(column)) {
        STOA_TRY(read_flat(reader, first, count, view, err));
        goto done;
    }
    if (is_ours(reader) && is_text(column)) {
        STOA_TRY((reader->learned_dictionary != NULL ? read_codes : read_texts)(reader, first,
                                                                                count, view, err));
        goto done;
    }
    stoa_array_release(&reader->array);
    if (is_ours(reader)) {
        STOA_TRY(read_array(reader, first, count, err));
    } else if (reader->is_free && reader->is_bare) {
        STOA_TRY(column->source.read_bare(column->source.context, &reader->scratch, first, count,
                                          &reader->array, err));
    } else if (reader->is_free) {
        STOA_TRY(column->source.read_free(column->source.context, &reader->scratch, &reader->own,
                                          first, count, &reader->array, err));
    } else if (column->source.is_free) {
        STOA_TRY(stoa_column_read_coded(column, first, count, &reader->array, err));
    } else {
        STOA_TRY(read_locked(reader, first, count, err));
    }
    STOA_TRY((column->source.is_sound ? stoa_view_of_sound
                                      : stoa_view_of)(&reader->schema, &reader->array, view, err));

done:
    return stoa_column_at(column, status, err);
}

bool stoa_column_reader_detach(stoa_column_reader *reader, uint64_t count, struct ArrowArray *out)
{
    struct ArrowArray *const array = &reader->array;

    if (is_ours(reader) || array->release == NULL || array->offset != 0 ||
        array->length != (int64_t)count) {
        return false;
    }
    stoa_array_move(array, out);
    return true;
}

/* --- selected rows --------------------------------------------------------------------------- */

bool stoa_column_reader_can_choose(const stoa_column_reader *reader)
{
    return is_ours(reader) && is_flat(reader->column) &&
           stoa_compact_place(reader->column->element.size) >= 0;
}

stoa_status stoa_column_reader_chosen(stoa_column_reader *reader, uint64_t first, uint64_t count,
                                      const uint8_t *bits, uint64_t n, void *room, stoa_view *view,
                                      stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_column *column = reader->column;
    uint8_t *chosen = room;

    STOA_TRY(stoa_column_check_rows(column, first, count, err));
    if (chosen == NULL) {
        STOA_TRY(stoa_column_reader_block(reader, STOA_READER_CHOSEN,
                                          (size_t)n * column->element.size, &chosen, err));
    }
    STOA_TRY(stoa_column_reader_choose(reader, first, count, bits, n, chosen, err));
    STOA_TRY(
        make_view(reader, chosen, n, stoa_complete_has(reader->complete, first, count), view, err));

done:
    return stoa_column_at(column, status, err);
}

void stoa_column_reader_pause(stoa_column_reader *reader)
{
    stoa_column_reader_forget(reader);
    stoa_read_context_return(reader->column->read_context, &reader->own);
    stoa_read_context_return(reader->column->read_context, &reader->scratch);
}

void stoa_column_reader_close(stoa_column_reader *reader)
{
    if (reader->column != NULL) {
        stoa_learned_dictionary_release(reader->learned_dictionary, reader->codes);
        stoa_column_reader_pause(reader);
    }
    stoa_array_release(&reader->array);
    stoa_schema_release(&reader->schema);
    *reader = (stoa_column_reader){.column = NULL};
}
