/* Few rows of a column, looked at where they lie in the map of the file; see reader.h. */
#include <string.h>

#include "column/present.h"
#include "column/reader.h"
#include "column/reader_parts.h"

stoa_status stoa_column_reader_peek(stoa_column_reader *reader, uint64_t first, uint64_t count,
                                    stoa_view *view, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_column *column = reader->column;

    *view = reader->frame;
    view->length = 0;
    STOA_TRY(stoa_column_reader_check(column, first, count, err));
    /* Integers might be taken for places in memory, and the map may change. */
    if (reader->direct != NULL && stoa_column_may_change(column)) {
        view->values = stoa_direct_mapped(reader->direct, first, count);
        view->length = view->values != NULL ? (int64_t)count : 0;
    }

done:
    return stoa_column_at(column, status, err);
}

/* The numbers of the rows whose bit is set, each asked for from memory at once. */
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
    const size_t chosen_bytes = ((size_t)*n_kept * size + 7) / 8 * 8; /* and rows are aligned */
    const size_t n_bytes = chosen_bytes + (size_t)*n_kept * sizeof(uint32_t);
    uint8_t *block = NULL;

    if (column->fill == NULL) {
        return STOA_OK;
    }
    block = stoa_scratch_block(&reader->own, STOA_READER_CHOSEN,
                               n_bytes + (size_t)stoa_bit_bytes(*n_kept) + 1);
    if (block == NULL) {
        return stoa_fail_memory(err);
    }
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
