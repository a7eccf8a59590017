/* See arkouda_nuls.h. */
#include "layout/arkouda_nuls.h"

#include <string.h>

enum { STRINGS_APART = 4096, BLOCK = 1 << 16 };

/* A walk over bytes, a block at a time. */
typedef struct walk {
    const stoa_arkouda_array *values;
    uint8_t *block;
    uint64_t n;  /* in it */
    uint64_t at; /* of the whole, behind it */
} walk;

static stoa_status next_block(walk *w, uint64_t end, stoa_error *err)
{
    w->n = end - w->at < BLOCK ? end - w->at : BLOCK;
    const stoa_status status = stoa_arkouda_array_read(w->values, w->at, w->n, w->block, err);
    w->at += w->n;
    return status;
}

/* Strings of one block begin behind their NULs; `n` is how many were found before. */
static stoa_status note_block(stoa_arkouda_nuls *nuls, const walk *w, uint64_t *n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint8_t *from = w->block;
    const uint8_t *const end = w->block + w->n;

    while (from < end && (from = memchr(from, 0, (size_t)(end - from))) != NULL) {
        from++;
        if (++*n % STRINGS_APART == 0) {
            const uint64_t start = w->at - (uint64_t)(end - from);
            STOA_TRY(stoa_buffer_append(&nuls->starts, &start, sizeof start, err));
        }
    }

done:
    return status;
}

static stoa_status find_in_file(stoa_arkouda_nuls *nuls, walk *w, size_t k, uint64_t *n,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t end = w->values->starts[k + 1];

    w->at = w->values->starts[k];
    while (w->at < end) {
        STOA_TRY(next_block(w, end, err));
        STOA_TRY(note_block(nuls, w, n, err));
    }
    if (end > w->values->starts[k] && w->block[w->n - 1] != 0) {
        status = stoa_fail(err, STOA_EDATA, "does not end with a NUL, as its last string must");
        STOA_TRY(stoa_arkouda_set_at(w->values->set, k, w->values->path, status, err));
    }

done:
    return status;
}

stoa_status stoa_arkouda_nuls_find(stoa_arkouda_nuls *nuls, const stoa_arkouda_array *values,
                                   uint64_t *rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint8_t block[BLOCK];
    walk w = {.values = values, .block = block};
    const uint64_t start = 0;
    uint64_t n = 0;

    STOA_TRY(stoa_buffer_append(&nuls->starts, &start, sizeof start, err));
    for (size_t k = 0; k < values->set->n; k++) {
        STOA_TRY(find_in_file(nuls, &w, k, &n, err));
        rows[k + 1] = n;
    }

done:
    return status;
}

stoa_status stoa_arkouda_nuls_read(const stoa_arkouda_nuls *nuls, const stoa_arkouda_array *values,
                                   uint64_t first, uint64_t count, int64_t *offsets,
                                   stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint8_t block[BLOCK];
    const uint64_t *const starts = (const uint64_t *)(const void *)nuls->starts.data;
    const uint64_t end = stoa_arkouda_array_length(values);
    walk w = {.values = values, .block = block, .at = starts[first / STRINGS_APART]};
    uint64_t n = first - first % STRINGS_APART; /* the string that begins there */

    offsets[0] = (int64_t)w.at;
    while (n < first + count && w.at < end) {
        STOA_TRY(next_block(&w, end, err));
        const uint8_t *from = block;
        const uint8_t *const stop = block + w.n;
        while (n < first + count && from < stop &&
               (from = memchr(from, 0, (size_t)(stop - from))) != NULL) {
            from++;
            if (++n >= first) {
                offsets[n - first] = (int64_t)(w.at - (uint64_t)(stop - from));
            }
        }
    }
    if (n < first + count) {
        STOA_FAIL(err, STOA_EDATA, "%s: has other strings than when it was opened", values->path);
    }

done:
    return status;
}

void stoa_arkouda_nuls_clear(stoa_arkouda_nuls *nuls)
{
    stoa_buffer_clear(&nuls->starts);
}
