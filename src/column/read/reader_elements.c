/* Reads the elements of a reader's rows: from the map of the file, the cache or decoded chunks. */
#include "column/read/reader_parts.h"

#include <string.h>

#include "column/read/decode.h"
#include "core/compact.h"

/* A read of less than 1/LITTLE_PART of a chunk looks in the cache first: another reader may have
 * decoded the chunk. */
enum { LITTLE_PART = 64 };

stoa_status stoa_column_reader_block(stoa_column_reader *reader, int which, size_t size,
                                     uint8_t **block, stoa_error *err)
{
    *block = stoa_scratch_block(&reader->own, which, size);
    return *block != NULL ? STOA_OK : stoa_fail_memory(err);
}

void stoa_column_reader_forget(stoa_column_reader *reader)
{
    stoa_direct_release(reader->direct, reader->held);
    reader->held = NULL;
    reader->kept = NULL;
    if (reader->column->member.is_direct) {
        stoa_row_member_forget(&reader->column->member, &reader->hold);
    }
}

stoa_status stoa_column_reader_copy(stoa_column_reader *reader, uint64_t first, uint64_t count,
                                    void *out, stoa_error *err)
{
    if (reader->column->member.is_direct) {
        return stoa_row_member_read_direct(&reader->column->member, &reader->hold, &reader->scratch,
                                           first, count, out, err);
    }
    return (reader->keeps ? stoa_direct_read_again : stoa_direct_read)(reader->direct, first, count,
                                                                       &reader->scratch, out, err);
}

/* Copy elements in memory form out of rows. */
static stoa_status gathered_elements(stoa_column_reader *reader, uint64_t first, uint64_t count,
                                     const uint8_t **elements, stoa_error *err)
{
    uint8_t *block = NULL;

    STOA_RETURN_NOT_OK(stoa_column_reader_block(
        reader, STOA_READER_ROWS, (size_t)count * reader->column->element.size, &block, err));
    STOA_RETURN_NOT_OK(stoa_column_reader_copy(reader, first, count, block, err));
    *elements = block;
    return STOA_OK;
}

/* Get elements in memory form: in the map of the file, or in the decoded chunk if they are in one.
 * Otherwise they are copied. */
static stoa_status chunk_elements(stoa_column_reader *reader, uint64_t first, uint64_t count,
                                  const uint8_t **elements, stoa_error *err)
{
    const uint64_t rows = stoa_direct_chunk_rows(reader->direct);
    const size_t size = reader->column->element.size;
    const uint64_t number = first / rows;
    const void *chunk = NULL;
    uint8_t *block = NULL;

    const bool may_look = /* each byte of a boolean is read once and becomes a bit */
        stoa_column_may_change(reader->column) || reader->column->type.kind == STOA_KIND_BOOL;
    *elements = may_look ? stoa_direct_mapped(reader->direct, first, count) : NULL;
    if (*elements != NULL) {
        return STOA_OK;
    }
    const bool is_kept = reader->kept != NULL && reader->kept_number == number;
    const bool is_little = !is_kept && count < rows / LITTLE_PART;

    if (is_little || count > rows - first % rows) {
        stoa_column_reader_forget(reader); /* the scratch is reused */
        STOA_RETURN_NOT_OK(
            stoa_column_reader_block(reader, STOA_READER_ROWS, (size_t)count * size, &block, err));
        STOA_RETURN_NOT_OK(is_little ? stoa_direct_look_up(reader->direct, first, count,
                                                           &reader->scratch, block, err)
                                     : stoa_column_reader_copy(reader, first, count, block, err));
        *elements = block;
        return STOA_OK;
    }
    if (!is_kept) {
        stoa_column_reader_forget(reader);
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
    return (reader->direct != NULL ? chunk_elements : gathered_elements)(reader, first, count,
                                                                         elements, err);
}

stoa_status stoa_column_reader_choose(stoa_column_reader *reader, uint64_t first, uint64_t count,
                                      const uint8_t *bits, uint64_t n, void *out, stoa_error *err)
{
    if (reader->column->member.is_direct) {
        return stoa_row_member_choose_direct(&reader->column->member, &reader->hold,
                                             &reader->scratch, first, count, bits, out, err);
    }
    const int place = stoa_compact_place(reader->column->element.size);
    const uint64_t number = first / stoa_direct_chunk_rows(reader->direct);
    const uint8_t *elements = NULL;
    bool found = false;

    if (reader->kept == NULL || reader->kept_number != number) {
        stoa_column_reader_forget(reader); /* the scratch is reused */
        STOA_RETURN_NOT_OK(stoa_direct_choose(reader->direct, first, count, bits, n,
                                              &reader->scratch, out, &found, err));
    }
    if (!found) {
        STOA_RETURN_NOT_OK(stoa_column_reader_elements(reader, first, count, &elements, err));
        (void)stoa_compact_kernels_of(stoa_simd_of_cpu())
            ->by_width[place](elements, bits, count, out);
    }
    return STOA_OK;
}

/* --- in the map of the file ------------------------------------------------------------------ */

stoa_status stoa_column_reader_peek(stoa_column_reader *reader, uint64_t first, uint64_t count,
                                    stoa_view *view, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_column *column = reader->column;

    *view = reader->frame;
    view->length = 0;
    STOA_TRY(stoa_column_check_rows(column, first, count, err));
    /* Integers might be used as offsets into memory, and the map may change. */
    if (reader->direct != NULL && stoa_column_may_change(column)) {
        view->values = stoa_direct_mapped(reader->direct, first, count);
        view->length = view->values != NULL ? (int64_t)count : 0;
    }

done:
    return stoa_column_at(column, status, err);
}

/* List the rows whose bit is set, and prefetch their elements. */
static uint64_t list_rows(const uint8_t *elements, size_t size, uint64_t n, const uint64_t *mask,
                          uint32_t *rows)
{
    const uint64_t n_words = (n + 63) / 64;
    uint64_t n_listed = 0;

    for (uint64_t first = 0; first < n_words; first += 64) {
        const uint64_t left = n_words - first;
        uint64_t marked = stoa_words_marked(mask + first, left < 64 ? (size_t)left : 64);
        for (; marked != 0; marked &= marked - 1) {
            const uint64_t w = first + (uint64_t)__builtin_ctzll(marked);
            for (uint64_t word = mask[w]; word != 0; word &= word - 1) {
                const uint64_t row = w * 64 + (uint64_t)__builtin_ctzll(word);
                __builtin_prefetch(elements + row * size);
                rows[n_listed++] = (uint32_t)row;
            }
        }
    }
    return n_listed;
}

static void gather(const uint8_t *elements, size_t size, const uint32_t *rows, uint64_t n,
                   uint8_t *out)
{
    for (uint64_t i = 0; size == sizeof(float) && i < n; i++) {
        memcpy(out + i * sizeof(float), elements + rows[i] * sizeof(float), sizeof(float));
    }
    for (uint64_t i = 0; size != sizeof(float) && i < n; i++) {
        memcpy(out + i * size, elements + rows[i] * size, size);
    }
}

stoa_status stoa_column_reader_keep(stoa_column_reader *reader, const void *elements, uint64_t n,
                                    uint64_t *mask, uint64_t *n_kept, stoa_error *err)
{
    const stoa_column *column = reader->column;
    const size_t size = column->element.size;
    const size_t chosen_bytes = ((size_t)*n_kept * size + 7) / 8 * 8; /* aligns `rows` */
    const size_t n_bytes = chosen_bytes + (size_t)*n_kept * sizeof(uint32_t);
    uint8_t *block = NULL;

    if (column->fill == NULL) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_column_reader_block(
        reader, STOA_READER_CHOSEN, n_bytes + (size_t)stoa_bit_bytes(*n_kept) + 1, &block, err));
    uint8_t *const chosen = block;
    uint32_t *const rows = (uint32_t *)(void *)(block + chosen_bytes);
    uint8_t *const validity = block + n_bytes;
    const uint64_t n_few = list_rows(elements, size, n, mask, rows);
    gather(elements, size, rows, n_few, chosen);
    const uint64_t n_missing =
        stoa_column_mark_valid(column, reader->marks, chosen, n_few, validity);
    for (uint64_t i = 0; n_missing > 0 && i < n_few; i++) {
        if (!stoa_bit_get(validity, i)) {
            mask[rows[i] / 64] &= ~(UINT64_C(1) << rows[i] % 64);
        }
    }
    *n_kept -= n_missing;
    return STOA_OK;
}
