/* Rows of a column, for one of several threads. */
#include "column/reader_parts.h"

#include <stdlib.h>

#include "column/block.h"
#include "column/present.h"
#include "core/compact.h"
#include "hdf/fixed_texts.h"

/* Less than this part of a chunk is looked up: others may have unpacked it already. */
enum { LITTLE_PART = 64 };

stoa_status stoa_column_reader_block(stoa_column_reader *reader, int which, size_t size,
                                     uint8_t **block, stoa_error *err)
{
    *block = stoa_scratch_block(&reader->own, which, size);
    return *block != NULL ? STOA_OK : stoa_fail_memory(err);
}

/* Numbers in memory as Arrow has them, or as a loop of present.c makes them. */
static bool is_flat(const stoa_column *column)
{
    return stoa_column_is_numeric(column) && column->element.class != STOA_ELEMENT_ENUM;
}

/* Fixed-length strings, whose texts and offsets are made in the reader's blocks. */
static bool is_text(const stoa_column *column)
{
    return column->element.class == STOA_ELEMENT_FIXED_STRING &&
           column->type.kind == STOA_KIND_STRING && column->element.size > 0;
}

/* Whether the rows are read here, by any number of readers, and not by libhdf5. */
static bool is_ours(const stoa_column_reader *reader)
{
    return reader->direct != NULL || reader->column->member.is_direct;
}

/* What every view of the column has: its type, and the dictionary beneath. */
static stoa_status make_frame(stoa_column_reader *reader, stoa_error *err)
{
    stoa_column *column = reader->column;
    struct ArrowArray labels = {.release = NULL};

    reader->frame = (stoa_view){.schema = &reader->schema, .array = &reader->array};
    STOA_RETURN_NOT_OK(stoa_type_of(&reader->schema, &reader->frame.type, err));
    if (reader->frame.type.kind == STOA_KIND_DICTIONARY) {
        STOA_RETURN_NOT_OK(
            stoa_array_make(&reader->array, 0, 0, 2, (void *const[]){NULL, NULL}, err));
        STOA_RETURN_NOT_OK(reader->lexicon != NULL
                               ? stoa_lexicon_share_labels(reader->lexicon, &labels, err)
                               : stoa_array_share(&column->dictionary, &labels, err));
        STOA_RETURN_NOT_OK(stoa_array_dictionary(&reader->array, &labels, err));
    }
    return STOA_OK;
}

/* Once shared, labels are not touched by who shares them: readers need no lock to do it. */
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
                                    const stoa_lexicon *lexicon, stoa_workers *workers,
                                    stoa_error *err)
{
    stoa_status status = STOA_OK;

    *reader = (stoa_column_reader){.column = column, .lexicon = lexicon, .workers = workers};
    reader->marks = stoa_marks_of(stoa_simd_of_cpu());
    reader->scratch = stoa_shelf_borrow(column->shelf);
    reader->own = stoa_shelf_borrow(column->shelf);
    STOA_TRY(lexicon != NULL ? stoa_lexicon_schema(lexicon, column->name, &reader->schema, err)
                             : stoa_column_coded_schema(column, &reader->schema, err));
    STOA_TRY(stoa_column_direct(column, &reader->direct, err));
    STOA_TRY(share_labels(column, err));
    if (column->source.prepare != NULL) {
        status =
            column->source.prepare(column->source.context, column->shelf, &reader->is_free, err);
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

/* The chunk that was unpacked last is of no use any more. */
static void forget_chunk(stoa_column_reader *reader)
{
    stoa_direct_release(reader->direct, reader->held);
    reader->held = NULL;
    reader->kept = NULL;
    if (reader->column->member.is_direct) {
        stoa_row_member_forget(&reader->column->member, &reader->hold);
    }
}

static stoa_status copy_elements(stoa_column_reader *reader, uint64_t first, uint64_t count,
                                 void *out, stoa_error *err)
{
    if (reader->column->member.is_direct) {
        return stoa_row_member_pick(&reader->column->member, &reader->hold, &reader->scratch, first,
                                    count, out, err);
    }
    return (reader->keeps ? stoa_direct_read_again : stoa_direct_read)(reader->direct, first, count,
                                                                       &reader->scratch, out, err);
}

/* Elements in memory form, picked out of rows. */
static stoa_status picked_elements(stoa_column_reader *reader, uint64_t first, uint64_t count,
                                   const uint8_t **elements, stoa_error *err)
{
    uint8_t *block = NULL;

    STOA_RETURN_NOT_OK(stoa_column_reader_block(
        reader, STOA_READER_ROWS, (size_t)count * reader->column->element.size, &block, err));
    STOA_RETURN_NOT_OK(copy_elements(reader, first, count, block, err));
    *elements = block;
    return STOA_OK;
}

/* Elements in memory form: where they lie in the map of the file, or their chunk was unpacked, if
 * they lie in one. */
static stoa_status chunk_elements(stoa_column_reader *reader, uint64_t first, uint64_t count,
                                  const uint8_t **elements, stoa_error *err)
{
    const uint64_t rows = stoa_direct_chunk_rows(reader->direct);
    const size_t size = reader->column->element.size;
    const uint64_t number = first / rows;
    const void *chunk = NULL;
    uint8_t *block = NULL;

    const bool may_look = /* bools become bits, of what each byte was when it was looked at */
        stoa_column_may_change(reader->column) || reader->column->type.kind == STOA_KIND_BOOL;
    *elements = may_look ? stoa_direct_mapped(reader->direct, first, count) : NULL;
    if (*elements != NULL) {
        return STOA_OK;
    }
    const bool is_kept = reader->kept != NULL && reader->kept_number == number;
    const bool is_little = !is_kept && count < rows / LITTLE_PART;

    if (is_little || count > rows - first % rows) {
        forget_chunk(reader); /* the scratch is used for others */
        STOA_RETURN_NOT_OK(
            stoa_column_reader_block(reader, STOA_READER_ROWS, (size_t)count * size, &block, err));
        STOA_RETURN_NOT_OK(is_little ? stoa_direct_look_up(reader->direct, first, count,
                                                           &reader->scratch, block, err)
                                     : copy_elements(reader, first, count, block, err));
        *elements = block;
        return STOA_OK;
    }
    if (!is_kept) {
        forget_chunk(reader);
        STOA_RETURN_NOT_OK(
            reader->keeps
                ? stoa_direct_hold(reader->direct, number, &reader->scratch, &chunk, &reader->held,
                                   err)
                : stoa_direct_chunk(reader->direct, number, &reader->scratch, &chunk, err));
        reader->kept = chunk;
        reader->kept_number = number;
    }
    *elements = reader->kept + (size_t)(first % rows) * size;
    return STOA_OK;
}

stoa_status stoa_column_reader_elements(stoa_column_reader *reader, uint64_t first, uint64_t count,
                                        const uint8_t **elements, stoa_error *err)
{
    return (reader->direct != NULL ? chunk_elements : picked_elements)(reader, first, count,
                                                                       elements, err);
}

/* Whether the elements are values as they are. */
static bool needs_no_change(const stoa_column_reader *reader, const uint8_t *elements,
                            uint64_t count, const uint8_t *validity)
{
    const stoa_column *column = reader->column;

    if (column->type.kind == STOA_KIND_DICTIONARY) {
        return validity == NULL && column->dictionary.length > 0 &&
               reader->marks->below[stoa_marks_place(column->element.size)](
                   elements, count, (uint64_t)column->dictionary.length);
    }
    if (column->type.kind == STOA_KIND_TIMESTAMP || column->type.kind == STOA_KIND_DURATION) {
        return column->element.size == sizeof(int64_t) && column->time.ticks_per == 1 &&
               column->time.epoch_ticks == 0 && !column->time.is_split;
    }
    return stoa_column_is_as_stored(column);
}

/* Elements as a view of values. */
static stoa_status show(stoa_column_reader *reader, const uint8_t *elements, uint64_t count,
                        stoa_view *view, stoa_error *err)
{
    const stoa_column *column = reader->column;
    uint8_t *validity = NULL;
    uint8_t *values = NULL;
    uint64_t n_missing = 0;

    if (column->fill != NULL) {
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
                                                    stoa_column_present_bytes(column, count) + 1,
                                                    &values, err));
        STOA_RETURN_NOT_OK(stoa_column_present(column, elements, count, validity, values, err));
        view->values = values;
    }
    return STOA_OK;
}

static stoa_status read_flat(stoa_column_reader *reader, uint64_t first, uint64_t count,
                             stoa_view *view, stoa_error *err)
{
    const uint8_t *elements = NULL;

    STOA_RETURN_NOT_OK(stoa_column_reader_elements(reader, first, count, &elements, err));
    return show(reader, elements, count, view, err);
}

/* Which texts are there, for Arrow; NULL: all of them. */
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

/* Texts without padding are left where they were unpacked; the others follow the offsets. */
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
        stoa_lexicon_learn(reader->learns, first, count, texts.elements, reader->keeps_codes);
    }
    STOA_TRY(stoa_column_missing(column, texts.elements, count, &missing, &n_missing, err));
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
    if (!are_full && !stoa_fixed_texts_take(&texts, block + offset_bytes, offsets)) {
        STOA_FAIL(err, STOA_ERANGE, "%llu strings are over 2 GiB; read fewer rows at once",
                  (unsigned long long)count);
    }

done:
    free(missing);
    return status;
}

/* Opaque values, enums, strings of other types: made into an array, like those that libhdf5 reads.
 */
static stoa_status read_array(stoa_column_reader *reader, uint64_t first, uint64_t count,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *column = reader->column;
    stoa_block block = {.count = count};

    block.elements = stoa_alloc((size_t)count, column->element.size);
    STOA_TRY(block.elements != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(copy_elements(reader, first, count, block.elements, err));
    STOA_TRY(
        stoa_column_missing(column, block.elements, count, &block.missing, &block.n_missing, err));
    STOA_TRY(stoa_column_array(column, &block, &reader->array, err));

done:
    stoa_block_clear(&column->element, &block);
    return status;
}

stoa_status stoa_column_reader_check(const stoa_column *column, uint64_t first, uint64_t count,
                                     stoa_error *err)
{
    const unsigned long long end = first + count;

    if (first <= column->n_rows && count <= column->n_rows - first) {
        return STOA_OK;
    }
    return stoa_fail(err, STOA_ERANGE, "'%s': rows %llu to %llu pass NROWS %llu (HEP001 §7.3)",
                     column->name, (unsigned long long)first, end,
                     (unsigned long long)column->n_rows);
}

stoa_status stoa_column_reader_rows(stoa_column_reader *reader, uint64_t first, uint64_t count,
                                    stoa_view *view, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *column = reader->column;

    STOA_TRY(stoa_column_reader_check(column, first, count, err));
    if (is_ours(reader) && is_flat(column)) {
        STOA_TRY(read_flat(reader, first, count, view, err));
        goto done;
    }
    if (is_ours(reader) && is_text(column)) {
        STOA_TRY((reader->lexicon != NULL ? stoa_column_reader_codes
                                          : read_texts)(reader, first, count, view, err));
        goto done;
    }
    stoa_array_release(&reader->array);
    if (is_ours(reader)) {
        STOA_TRY(read_array(reader, first, count, err));
    } else if (reader->is_free) {
        STOA_TRY(column->source.read_free(column->source.context, &reader->scratch, &reader->own,
                                          first, count, &reader->array, err));
    } else if (column->source.is_free) {
        STOA_TRY(stoa_column_read_coded(column, first, count, &reader->array, err));
    } else {
        stoa_workers_lock(reader->workers);
        status = stoa_column_read_coded(column, first, count, &reader->array, err);
        stoa_workers_unlock(reader->workers);
        STOA_TRY(status);
    }
    STOA_TRY((column->source.is_sound ? stoa_view_of_sound
                                      : stoa_view_of)(&reader->schema, &reader->array, view, err));

done:
    return stoa_column_at(column, status, err);
}

bool stoa_column_reader_take(stoa_column_reader *reader, uint64_t count, struct ArrowArray *out)
{
    struct ArrowArray *const array = &reader->array;

    if (is_ours(reader) || array->release == NULL || array->offset != 0 ||
        array->length != (int64_t)count) {
        return false;
    }
    stoa_array_move(array, out);
    return true;
}

/* Chosen rows ------------------------------------------------------------------------------- */

bool stoa_column_reader_can_choose(const stoa_column_reader *reader)
{
    return reader->direct != NULL && is_flat(reader->column) &&
           stoa_compact_place(reader->column->element.size) >= 0;
}

stoa_status stoa_column_reader_chosen(stoa_column_reader *reader, uint64_t first, uint64_t count,
                                      const uint8_t *bits, uint64_t n, void *room, stoa_view *view,
                                      stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_column *column = reader->column;
    const int place = stoa_compact_place(column->element.size);
    const uint64_t number = first / stoa_direct_chunk_rows(reader->direct);
    const uint8_t *elements = NULL;
    uint8_t *chosen = room;
    bool found = false;

    STOA_TRY(stoa_column_reader_check(column, first, count, err));
    if (chosen == NULL) {
        STOA_TRY(stoa_column_reader_block(reader, STOA_READER_CHOSEN,
                                          (size_t)n * column->element.size, &chosen, err));
    }
    if (reader->kept == NULL || reader->kept_number != number) {
        forget_chunk(reader); /* the scratch is used for others */
        STOA_TRY(stoa_direct_choose(reader->direct, first, count, bits, n, &reader->scratch, chosen,
                                    &found, err));
    }
    if (!found) {
        STOA_TRY(stoa_column_reader_elements(reader, first, count, &elements, err));
        (void)stoa_compact_kernels_of(stoa_simd_of_cpu())
            ->by_width[place](elements, bits, count, chosen);
    }
    STOA_TRY(show(reader, chosen, n, view, err));

done:
    return stoa_column_at(column, status, err);
}

void stoa_column_reader_pause(stoa_column_reader *reader)
{
    forget_chunk(reader);
    stoa_shelf_return(reader->column->shelf, &reader->own);
    stoa_shelf_return(reader->column->shelf, &reader->scratch);
}

void stoa_column_reader_close(stoa_column_reader *reader)
{
    if (reader->column != NULL) {
        stoa_lexicon_release(reader->lexicon, reader->codes);
        stoa_column_reader_pause(reader);
    }
    stoa_array_release(&reader->array);
    stoa_schema_release(&reader->schema);
    *reader = (stoa_column_reader){.column = NULL};
}
