#include "layout/arkouda/read/find_offsets.h"

#include "codec/bytes.h"
#include "column/read/validity.h"

enum { STRINGS_APART = 4096, BLOCK = 1 << 16 };

/* A scan of the bytes, block by block. */
typedef struct walk {
    const stoa_arkouda_array *values;
    uint8_t *block;
    uint64_t n;  /* bytes in the block */
    uint64_t at; /* position after the block */
    const stoa_validity_kernels *marks;
    uint8_t others[BLOCK / 8]; /* bit mask of the bytes that are not 0 */
} walk;

static stoa_status next_block(walk *w, uint64_t end, stoa_error *err)
{
    w->n = end - w->at < BLOCK ? end - w->at : BLOCK;
    const stoa_status status = stoa_arkouda_array_read(w->values, w->at, w->n, w->block, err);
    w->at += w->n;
    return status;
}

/* Count the zero bytes of the block. */
static uint64_t mark_nuls(walk *w)
{
    return w->marks->unequal[0](w->block, w->n, 0, w->others);
}

/* The zero bytes among [64 i, 64 i + 64) of the block. */
static uint64_t nuls_at(const walk *w, uint64_t i)
{
    const uint64_t left = w->n - i * 64;
    const uint64_t inside = left < 64 ? (UINT64_C(1) << left) - 1 : UINT64_MAX;

    return ~stoa_get_le64(w->others + i * 8) & inside;
}

/* Note string starts after the NULs of a block. `n` counts the NULs found before. */
static stoa_status note_block(stoa_arkouda_nuls *nuls, walk *w, uint64_t *n, stoa_error *err)
{
    uint64_t left = STRINGS_APART - *n % STRINGS_APART; /* NULs until the next start to note */
    uint64_t n_nuls = mark_nuls(w);

    *n += n_nuls;
    for (uint64_t i = 0; n_nuls >= left; i++) {
        uint64_t found = nuls_at(w, i);
        const uint64_t n_found = stoa_word_count(found);
        n_nuls -= n_found;
        if (n_found < left) {
            left -= n_found;
            continue;
        }
        for (; left > 1; left--) {
            found &= found - 1;
        }
        const uint64_t start = w->at - w->n + i * 64 + (uint64_t)__builtin_ctzll(found) + 1;
        STOA_RETURN_NOT_OK(stoa_buffer_append(&nuls->starts, &start, sizeof start, err));
        left = STRINGS_APART - stoa_word_count(found & (found - 1));
    }
    return STOA_OK;
}

static stoa_status find_in_file(stoa_arkouda_nuls *nuls, walk *w, size_t k, uint64_t *n,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t end = w->values->starts[k + 1];

    w->at = w->values->starts[k];
    while (w->at < end) {
        STOA_RETURN_NOT_OK(next_block(w, end, err));
        STOA_RETURN_NOT_OK(note_block(nuls, w, n, err));
    }
    if (end > w->values->starts[k] && w->block[w->n - 1] != 0) {
        status = stoa_fail(err, STOA_EDATA, "does not end with a NUL, as its last string must");
        STOA_RETURN_NOT_OK(stoa_arkouda_set_at(w->values->set, k, w->values->path, status, err));
    }
    return status;
}

stoa_status stoa_arkouda_nuls_find(stoa_arkouda_nuls *nuls, const stoa_arkouda_array *values,
                                   uint64_t *rows, stoa_error *err)
{
    uint8_t block[BLOCK];
    walk w = {
        .values = values, .block = block, .marks = stoa_validity_kernels_of(stoa_simd_of_cpu())};
    const uint64_t start = 0;
    uint64_t n = 0;

    STOA_RETURN_NOT_OK(stoa_buffer_append(&nuls->starts, &start, sizeof start, err));
    for (size_t k = 0; k < values->set->n; k++) {
        STOA_RETURN_NOT_OK(find_in_file(nuls, &w, k, &n, err));
        rows[k + 1] = n;
    }
    return STOA_OK;
}

stoa_status stoa_arkouda_nuls_read(const stoa_arkouda_nuls *nuls, const stoa_arkouda_array *values,
                                   uint64_t first, uint64_t count, int64_t *offsets,
                                   stoa_error *err)
{
    uint8_t block[BLOCK];
    const uint64_t *const starts = (const uint64_t *)(const void *)nuls->starts.data;
    const uint64_t end = stoa_arkouda_array_length(values);
    walk w = {.values = values,
              .block = block,
              .at = starts[first / STRINGS_APART],
              .marks = stoa_validity_kernels_of(stoa_simd_of_cpu())};
    uint64_t n = first - first % STRINGS_APART; /* the noted string to scan from */

    offsets[0] = (int64_t)w.at;
    while (n < first + count && w.at < end) {
        STOA_RETURN_NOT_OK(next_block(&w, end, err));
        const uint64_t n_nuls = mark_nuls(&w);
        if (n + n_nuls < first) {
            n += n_nuls;
            continue;
        }
        for (uint64_t i = 0; i * 64 < w.n && n < first + count; i++) {
            const uint64_t begin = w.at - w.n + i * 64;
            uint64_t found = nuls_at(&w, i);
            for (; found != 0 && n < first + count; found &= found - 1) {
                if (++n >= first) {
                    offsets[n - first] = (int64_t)begin + __builtin_ctzll(found) + 1;
                }
            }
        }
    }
    if (n < first + count) {
        return stoa_fail(err, STOA_EDATA, "%s: has other strings than when it was opened",
                         values->path);
    }
    return STOA_OK;
}

void stoa_arkouda_nuls_clear(stoa_arkouda_nuls *nuls)
{
    stoa_buffer_clear(&nuls->starts);
}
