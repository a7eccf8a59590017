/* Hash groups. */
#include "query/group.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

stoa_status stoa_groups_open(stoa_groups *groups, const stoa_expr *const *exprs, size_t n_keys,
                             stoa_error *err)
{
    *groups = (stoa_groups){.n_keys = n_keys};
    groups->keys = stoa_alloc_zero(n_keys, sizeof *groups->keys);
    if (groups->keys == NULL) {
        return stoa_fail_memory(err);
    }
    for (size_t k = 0; k < n_keys; k++) {
        groups->keys[k].expr = exprs != NULL ? exprs[k] : NULL;
    }
    return STOA_OK;
}

void stoa_groups_clear(stoa_groups *groups)
{
    for (size_t k = 0; groups->keys != NULL && k < groups->n_keys; k++) {
        stoa_strings_clear(&groups->keys[k].texts);
        free(groups->keys[k].by_code);
    }
    free(groups->keys);
    free(groups->slots);
    stoa_buffer_clear(&groups->words);
    stoa_buffer_clear(&groups->hashes);
    *groups = (stoa_groups){0};
}

/* Words ------------------------------------------------------------------------------------- */

static uint64_t word_of_f64(double value)
{
    static const double nan = NAN;
    uint64_t word;

    value = isnan(value) ? nan : value + 0.0; /* -0 + 0 is +0 */
    memcpy(&word, &value, sizeof word);
    return word;
}

stoa_status stoa_words_of(const stoa_vector *vector, stoa_strings *texts, uint64_t *words,
                          size_t stride, stoa_error *err)
{
    const int64_t n = vector->n;

    switch (vector->type.domain) {
    case STOA_DOMAIN_NULL:
    case STOA_DOMAIN_OTHER:
        for (int64_t i = 0; i < n; i++) {
            words[(size_t)i * stride] = 0;
        }
        break;
    case STOA_DOMAIN_BOOL:
        for (int64_t i = 0; i < n; i++) {
            words[(size_t)i * stride] = stoa_bit_get(vector->as.bits, (uint64_t)i);
        }
        break;
    case STOA_DOMAIN_F64:
        for (int64_t i = 0; i < n; i++) {
            words[(size_t)i * stride] = word_of_f64(vector->as.f64[i]);
        }
        break;
    case STOA_DOMAIN_TEXT:
    case STOA_DOMAIN_BYTES:
        for (int64_t i = 0; i < n; i++) {
            uint32_t number = 0;
            if (!stoa_vector_is_null(vector, i)) {
                const stoa_bytes text = vector->as.bytes[i];
                const stoa_status status =
                    stoa_strings_add(texts, text.data, text.length, &number, err);
                if (status != STOA_OK) {
                    return status;
                }
            }
            words[(size_t)i * stride] = number;
        }
        break;
    default:
        for (int64_t i = 0; i < n; i++) {
            words[(size_t)i * stride] = vector->as.u64[i];
        }
        break;
    }
    return STOA_OK;
}

/* Missing values: word 0, and bit `k` of the row's last word. */
static void mark_missing(const stoa_vector *vector, size_t k, size_t n_keys, uint64_t *rows)
{
    for (int64_t i = 0; i < vector->n; i++) {
        uint64_t *row = rows + (size_t)i * (n_keys + 1);
        if (stoa_vector_is_null(vector, i)) {
            row[k] = 0;
            row[n_keys] |= UINT64_C(1) << k;
        }
    }
}

#define CODE_MISSING UINT64_MAX

/* Number the labels once a dictionary; equal labels get one number (they need not be distinct). */
static stoa_status number_labels(stoa_key *key, const stoa_labels *labels, stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (key->by_code != NULL && key->by_code_of == labels->generation) {
        return STOA_OK;
    }
    free(key->by_code);
    key->by_code = stoa_alloc((size_t)labels->n + 1, sizeof *key->by_code);
    STOA_TRY(key->by_code != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_words_of(&labels->texts, &key->texts, key->by_code, 1, err));
    for (int64_t i = 0; i <= labels->n; i++) {
        if (stoa_vector_is_null(&labels->texts, i)) {
            key->by_code[i] = CODE_MISSING;
        }
    }
    key->by_code_of = labels->generation;

done:
    return status;
}

/* Column k of the window's rows of words. */
static stoa_status key_words(stoa_groups *groups, size_t k, stoa_evaluation *ev, uint64_t *rows,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_key *key = &groups->keys[k];
    const size_t stride = groups->n_keys + 1;

    if (key->expr->op == STOA_OP_COLUMN && ev->scope->columns[key->expr->column].is_dictionary) {
        stoa_labels *labels = NULL;
        STOA_TRY(stoa_load_codes(ev, key->expr->column, &labels, err));
        STOA_TRY(number_labels(key, labels, err));
        for (int64_t i = 0; i < ev->n; i++) {
            const uint64_t word = key->by_code[labels->codes[i]];
            uint64_t *row = rows + (size_t)i * stride;
            row[k] = word != CODE_MISSING ? word : 0;
            row[groups->n_keys] |= (uint64_t)(word == CODE_MISSING) << k;
        }
    } else {
        stoa_vector vector;
        STOA_TRY(stoa_eval(ev, key->expr, &vector, err));
        STOA_TRY(stoa_vector_spread(&ev->pool, &vector, err));
        STOA_TRY(stoa_words_of(&vector, &key->texts, rows + k, stride, err));
        mark_missing(&vector, k, groups->n_keys, rows);
    }

done:
    return status;
}

/* The table --------------------------------------------------------------------------------- */

static stoa_status grow_slots(stoa_groups *groups, stoa_error *err)
{
    const uint64_t *hashes = (const uint64_t *)(const void *)groups->hashes.data;
    const size_t n_slots = groups->n_slots != 0 ? groups->n_slots * 2 : 1024;
    uint32_t *slots = stoa_alloc_zero(n_slots, sizeof *slots);

    if (slots == NULL) {
        return stoa_fail_memory(err);
    }
    for (uint32_t group = 0; group < groups->n_groups; group++) {
        size_t slot = (size_t)hashes[group] & (n_slots - 1);
        while (slots[slot] != 0) {
            slot = (slot + 1) & (n_slots - 1);
        }
        slots[slot] = group + 1;
    }
    free(groups->slots);
    groups->slots = slots;
    groups->n_slots = n_slots;
    return STOA_OK;
}

static uint64_t hash_words(const uint64_t *words, size_t n)
{
    uint64_t hash = 0x9e3779b97f4a7c15u;

    for (size_t i = 0; i < n; i++) {
        hash = (hash ^ words[i]) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 32;
    }
    return hash;
}

static stoa_status add_group(stoa_groups *groups, const uint64_t *words, uint64_t hash, size_t slot,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t size = (groups->n_keys + 1) * sizeof *words;

    if (groups->n_groups == UINT32_MAX - 1) {
        STOA_FAIL(err, STOA_ERANGE, "there are more than %u groups", UINT32_MAX - 1);
    }
    STOA_TRY(stoa_buffer_reserve(&groups->hashes, sizeof hash, err));
    STOA_TRY(stoa_buffer_append(&groups->words, words, size, err));
    STOA_TRY(stoa_buffer_append(&groups->hashes, &hash, sizeof hash, err));
    groups->slots[slot] = ++groups->n_groups;

done:
    return status;
}

stoa_status stoa_groups_assign_words(stoa_groups *groups, const uint64_t *words, int64_t n,
                                     uint32_t *ids, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t stride = groups->n_keys + 1;

    for (int64_t i = 0; i < n; i++) {
        const uint64_t *row = words + (size_t)i * stride;
        const uint64_t hash = hash_words(row, stride);
        if ((size_t)groups->n_groups * 2 >= groups->n_slots) {
            STOA_TRY(grow_slots(groups, err));
        }
        size_t slot = (size_t)hash & (groups->n_slots - 1);
        while (groups->slots[slot] != 0) {
            const size_t at = (groups->slots[slot] - 1) * stride * sizeof *row;
            if (memcmp(groups->words.data + at, row, stride * sizeof *row) == 0) {
                break;
            }
            slot = (slot + 1) & (groups->n_slots - 1);
        }
        if (groups->slots[slot] == 0) {
            STOA_TRY(add_group(groups, row, hash, slot, err));
        }
        ids[i] = groups->slots[slot] - 1;
    }

done:
    return status;
}

/* Bring the words of the selected rows to the front. */
static void pack_rows(const uint8_t *selected, int64_t n, size_t stride, uint64_t *rows)
{
    size_t to = 0;

    for (int64_t i = 0; i < n; i++) {
        if (stoa_bit_get(selected, (uint64_t)i)) {
            memmove(rows + to++ * stride, rows + (size_t)i * stride, stride * sizeof *rows);
        }
    }
}

/* The ids of the selected rows, from the front to their places. */
static void spread_ids(const uint8_t *selected, int64_t n, int64_t n_selected, uint32_t *ids)
{
    for (int64_t i = n - 1; i >= 0; i--) {
        if (stoa_bit_get(selected, (uint64_t)i)) {
            ids[i] = ids[--n_selected];
        }
    }
}

stoa_status stoa_groups_assign(stoa_groups *groups, stoa_evaluation *ev, const uint8_t *selected,
                               int64_t n_selected, uint32_t *ids, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t stride = groups->n_keys + 1;
    const bool all = selected == NULL || n_selected == ev->n;
    uint64_t *rows = stoa_pool_zero(&ev->pool, (size_t)ev->n * stride, sizeof *rows);

    STOA_TRY(rows != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t k = 0; k < groups->n_keys; k++) {
        STOA_TRY(key_words(groups, k, ev, rows, err));
    }
    if (!all) {
        pack_rows(selected, ev->n, stride, rows);
    }
    STOA_TRY(stoa_groups_assign_words(groups, rows, n_selected, ids, err));
    if (!all) {
        spread_ids(selected, ev->n, n_selected, ids);
    }

done:
    return status;
}

/* A key's word in `from` as a word of `into`: texts are numbered anew. */
static stoa_status move_word(stoa_key *into, const stoa_key *from, uint64_t *word, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_value_domain domain = from->expr->type.domain;
    uint32_t number = 0;
    size_t length;

    if (domain == STOA_DOMAIN_TEXT || domain == STOA_DOMAIN_BYTES) {
        const char *text = stoa_strings_get(&from->texts, (uint32_t)*word, &length);
        STOA_TRY(stoa_strings_add(&into->texts, text, length, &number, err));
        *word = number;
    }

done:
    return status;
}

stoa_status stoa_groups_merge(stoa_groups *into, const stoa_groups *from, uint32_t *ids,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t stride = from->n_keys + 1;
    const uint64_t *words = (const uint64_t *)(const void *)from->words.data;
    uint64_t row[STOA_MAX_KEYS + 1];

    for (uint32_t group = 0; group < from->n_groups; group++) {
        memcpy(row, words + group * stride, stride * sizeof *row);
        for (size_t k = 0; k < from->n_keys; k++) {
            if ((row[from->n_keys] >> k & 1) == 0) {
                STOA_TRY(move_word(&into->keys[k], &from->keys[k], &row[k], err));
            }
        }
        STOA_TRY(stoa_groups_assign_words(into, row, 1, &ids[group], err));
    }

done:
    return status;
}

/* Keys as columns --------------------------------------------------------------------------- */

stoa_status stoa_groups_key(const stoa_groups *groups, size_t k, uint32_t first, uint32_t n,
                            stoa_pool *pool, stoa_vector *out, stoa_error *err)
{
    const stoa_key *key = &groups->keys[k];
    const size_t stride = groups->n_keys + 1;
    const uint64_t *rows = (const uint64_t *)(const void *)groups->words.data + first * stride;
    const stoa_value_domain domain = key->expr->type.domain;
    const bool texts = domain == STOA_DOMAIN_TEXT || domain == STOA_DOMAIN_BYTES;
    uint8_t *validity = stoa_pool_zero(pool, stoa_bit_bytes(n), 1);
    uint8_t *bits = domain == STOA_DOMAIN_BOOL ? stoa_pool_zero(pool, stoa_bit_bytes(n), 1) : NULL;
    void *values = stoa_pool_alloc(pool, n, texts ? sizeof(stoa_bytes) : sizeof(uint64_t));

    if (validity == NULL || values == NULL || (domain == STOA_DOMAIN_BOOL && bits == NULL)) {
        return stoa_fail_memory(err);
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t word = rows[i * stride + k];
        const bool missing = rows[i * stride + groups->n_keys] >> k & 1;
        if (!missing) {
            stoa_bit_set(validity, i);
        }
        if (texts) {
            stoa_bytes *to = (stoa_bytes *)values + i;
            *to = (stoa_bytes){"", 0};
            if (!missing) {
                to->data = stoa_strings_get(&key->texts, (uint32_t)word, &to->length);
            }
        } else if (bits != NULL && word != 0) {
            stoa_bit_set(bits, i);
        } else {
            ((uint64_t *)values)[i] = word;
        }
    }
    *out = (stoa_vector){.type = key->expr->type, .n = n, .validity = validity};
    out->as.bits = bits != NULL ? bits : values;
    return STOA_OK;
}
