/* Groups: keys as words, and keys as columns again. */
#include "query/aggregate/group.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/float_bits.h"

/* Keys -------------------------------------------------------------------------------------- */

stoa_status stoa_keys_open(const stoa_expr *const *exprs, size_t n_keys, stoa_key **keys,
                           stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_key *made = stoa_alloc_zero(n_keys, sizeof *made);

    *keys = NULL;
    STOA_RETURN_NO_MEMORY(err, made);
    for (size_t k = 0; k < n_keys; k++) {
        made[k].expr = exprs[k];
        made[k].owns_texts = true;
        if (stoa_domain_is_bytes(exprs[k]->type.domain)) {
            STOA_TRY(stoa_text_numbers_open(&made[k].texts, err));
        }
    }
    *keys = made;
    made = NULL;

done:
    stoa_keys_close(made, n_keys);
    return status;
}

stoa_status stoa_keys_share(const stoa_key *from, size_t n_keys, stoa_key **keys, stoa_error *err)
{
    *keys = stoa_alloc_zero(n_keys, sizeof **keys);
    STOA_RETURN_NO_MEMORY(err, *keys);
    for (size_t k = 0; k < n_keys; k++) {
        (*keys)[k] = stoa_key_share(&from[k]);
    }
    return STOA_OK;
}

stoa_key stoa_key_share(const stoa_key *from)
{
    return (stoa_key){.expr = from->expr,
                      .texts = from->texts,
                      .labels = from->labels,
                      .has_one_dictionary = from->has_one_dictionary};
}

void stoa_key_clear(stoa_key *key)
{
    if (key->owns_texts) {
        stoa_text_numbers_close(key->texts);
    }
    if (key->owns_codes) {
        free(key->by_code);
    }
    free(key->memos);
    *key = (stoa_key){.expr = NULL};
}

void stoa_keys_close(stoa_key *keys, size_t n_keys)
{
    for (size_t k = 0; keys != NULL && k < n_keys; k++) {
        stoa_key_clear(&keys[k]);
    }
    free(keys);
}

/* States ------------------------------------------------------------------------------------ */

void stoa_groups_open(stoa_groups *groups, stoa_key *keys, size_t n_keys)
{
    const stoa_simd simd = stoa_simd_of_cpu();

    *groups = (stoa_groups){.keys = keys,
                            .n_keys = n_keys,
                            .reduce = stoa_reductions_of(simd),
                            .kernels = stoa_group_kernels_of(simd)};
    for (size_t k = 0; keys != NULL && k < n_keys; k++) { /* the digits are those of a state */
        keys[k].n_values = 0;
        keys[k].has_missing = false;
    }
}

void stoa_groups_clear(stoa_groups *groups)
{
    free(groups->slots);
    free(groups->dense);
    stoa_buffer_clear(&groups->words);
    stoa_buffer_clear(&groups->hashes);
    *groups = (stoa_groups){0};
}

/* Words ------------------------------------------------------------------------------------- */

uint64_t stoa_word_of_f64(double value)
{
    static const double nan = NAN;

    return stoa_bits_of_f64(isnan(value) ? nan : value + 0.0); /* -0 + 0 is +0 */
}

/* The selected rows of a window, and where the words of their keys go: `stride` words per row. */
typedef struct key_rows {
    const uint8_t *selected;
    const uint32_t *rows;
    int64_t n;
    uint64_t *words;
    size_t stride;
} key_rows;

/* Make word k of each row from a vector. For a missing value the word is 0, and bit k of the
 * last word is set. */
static void words_of(const stoa_vector *vector, size_t k, const key_rows *to)
{
    for (int64_t i = 0; i < to->n; i++) {
        uint64_t *row = to->words + (size_t)i * to->stride;
        const uint32_t at = to->rows[i];
        if (stoa_vector_is_null(vector, at)) {
            row[to->stride - 1] |= UINT64_C(1) << k;
            continue;
        }
        switch (vector->type.domain) {
        case STOA_DOMAIN_OTHER:
            break;
        case STOA_DOMAIN_BOOL:
            row[k] = stoa_bit_get(vector->as.bits, at);
            break;
        case STOA_DOMAIN_F64:
            row[k] = stoa_word_of_f64(vector->as.f64[at]);
            break;
        default:
            row[k] = vector->as.u64[at];
            break;
        }
    }
}

/* Texts that a vector holds. */
static stoa_status numbers_of_vector(stoa_key *key, stoa_evaluation *ev, const key_rows *to,
                                     uint32_t *numbers, stoa_error *err)
{
    const char **const texts = stoa_arena_alloc(&ev->arena, (size_t)to->n, sizeof *texts);
    size_t *const lengths = stoa_arena_alloc(&ev->arena, (size_t)to->n, sizeof *lengths);
    uint32_t *const found = stoa_arena_alloc(&ev->arena, (size_t)to->n, sizeof *found);
    size_t n = 0;
    stoa_vector vector;

    STOA_RETURN_NO_MEMORY(err, texts != NULL && lengths != NULL && found != NULL);
    STOA_RETURN_NOT_OK(stoa_eval_rows(ev, key->expr, to->selected, &vector, err));
    STOA_RETURN_NOT_OK(stoa_vector_spread(&ev->arena, &vector, err));
    for (int64_t i = 0; i < to->n; i++) {
        numbers[i] = !stoa_vector_is_null(&vector, to->rows[i]);
        if (numbers[i] != 0) {
            texts[n] = vector.as.bytes[to->rows[i]].data;
            lengths[n++] = vector.as.bytes[to->rows[i]].length;
        }
    }
    STOA_RETURN_NOT_OK(stoa_text_numbers_add(key->texts, texts, lengths, n, found, err));
    n = 0;
    for (int64_t i = 0; i < to->n; i++) {
        numbers[i] = numbers[i] != 0 ? found[n++] + 1 : 0;
    }
    return STOA_OK;
}

/* Texts of a column without a dictionary. */
static stoa_status numbers_of_column(stoa_key *key, stoa_evaluation *ev, const key_rows *to,
                                     uint32_t *numbers, stoa_error *err)
{
    stoa_operand texts;

    STOA_RETURN_NOT_OK(stoa_key_operand(key, ev, to->selected, to->n, &texts, err));
    for (int64_t i = 0; i < to->n; i++) {
        const uint32_t at = to->rows[i];
        const bool is_there = stoa_operand_word(&texts, at - at % 64) >> (at % 64) & 1;
        numbers[i] = is_there ? ((const uint32_t *)texts.values)[at] + 1 : 0;
    }
    return STOA_OK;
}

/* The numbers of the rows' texts, plus one; 0: missing. */
static stoa_status key_numbers(stoa_groups *groups, size_t k, stoa_evaluation *ev,
                               const key_rows *to, uint32_t **numbers, stoa_error *err)
{
    stoa_key *const key = &groups->keys[k];
    stoa_labels *labels = NULL;

    *numbers = stoa_arena_alloc(&ev->arena, (size_t)to->n, sizeof **numbers);
    STOA_RETURN_NO_MEMORY(err, *numbers);
    if (key->expr->op == STOA_OP_COLUMN && ev->scope->columns[key->expr->column].is_dictionary) {
        STOA_RETURN_NOT_OK(stoa_load_codes(ev, key->expr->column, &labels, err));
        STOA_RETURN_NOT_OK(stoa_groups_labels(groups, k, labels, err));
        return stoa_key_of_codes(key, labels, labels->codes, to->rows, to->n, *numbers, err);
    }
    return (stoa_key_is_text(key, ev) ? numbers_of_column : numbers_of_vector)(key, ev, to,
                                                                               *numbers, err);
}

static stoa_status key_words(stoa_groups *groups, size_t k, stoa_evaluation *ev, const key_rows *to,
                             stoa_error *err)
{
    uint32_t *numbers = NULL;
    stoa_vector vector;

    if (groups->keys[k].texts == NULL) {
        STOA_RETURN_NOT_OK(stoa_eval_rows(ev, groups->keys[k].expr, to->selected, &vector, err));
        STOA_RETURN_NOT_OK(stoa_vector_spread(&ev->arena, &vector, err));
        words_of(&vector, k, to);
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(key_numbers(groups, k, ev, to, &numbers, err));
    for (int64_t i = 0; i < to->n; i++) {
        uint64_t *const row = to->words + (size_t)i * to->stride;
        row[k] = numbers[i] - (numbers[i] != 0);
        row[to->stride - 1] |= (uint64_t)(numbers[i] == 0) << k;
    }
    return STOA_OK;
}

/* Assignment -------------------------------------------------------------------------------- */

/* The positions of the selected rows. */
static uint32_t *list_rows(stoa_evaluation *ev, const uint8_t *selected, int64_t n_selected)
{
    uint32_t *rows = stoa_arena_alloc(&ev->arena, (size_t)n_selected, sizeof *rows);
    int64_t n = 0;

    for (int64_t row = 0; rows != NULL && row < ev->n; row++) {
        if (selected == NULL || stoa_bit_get(selected, (uint64_t)row)) {
            rows[n++] = (uint32_t)row;
        }
    }
    return rows;
}

stoa_status stoa_groups_words(stoa_groups *groups, stoa_evaluation *ev, const uint8_t *selected,
                              int64_t n_selected, const uint64_t **words, const uint32_t **rows,
                              stoa_error *err)
{
    key_rows to = {.selected = selected, .n = n_selected, .stride = groups->n_keys + 1};

    to.words = stoa_arena_zero(&ev->arena, (size_t)to.n * to.stride, sizeof *to.words);
    to.rows = list_rows(ev, to.selected, to.n);
    STOA_RETURN_NO_MEMORY(err, to.words != NULL && to.rows != NULL);
    for (size_t k = 0; k < groups->n_keys; k++) {
        STOA_RETURN_NOT_OK(key_words(groups, k, ev, &to, err));
    }
    *words = to.words;
    *rows = to.rows;
    return STOA_OK;
}

stoa_status stoa_groups_numbers(stoa_groups *groups, stoa_evaluation *ev, const uint8_t *selected,
                                int64_t n_selected, const uint32_t **numbers, const uint32_t **rows,
                                stoa_error *err)
{
    const key_rows to = {
        .selected = selected, .rows = list_rows(ev, selected, n_selected), .n = n_selected};
    uint32_t *found = NULL;

    STOA_RETURN_NO_MEMORY(err, to.rows);
    STOA_RETURN_NOT_OK(key_numbers(groups, 0, ev, &to, &found, err));
    *numbers = found;
    *rows = to.rows;
    return STOA_OK;
}

static stoa_status assign_hashed(stoa_groups *groups, stoa_evaluation *ev, const uint8_t *selected,
                                 int64_t n_selected, uint32_t *ids, stoa_error *err)
{
    const uint64_t *words = NULL;
    const uint32_t *rows = NULL;
    uint32_t *const packed = stoa_arena_alloc(&ev->arena, (size_t)n_selected, sizeof *packed);

    STOA_RETURN_NO_MEMORY(err, packed);
    STOA_RETURN_NOT_OK(stoa_groups_words(groups, ev, selected, n_selected, &words, &rows, err));
    STOA_RETURN_NOT_OK(stoa_groups_assign_words(groups, words, n_selected, packed, err));
    for (int64_t i = 0; i < n_selected; i++) {
        ids[rows[i]] = packed[i];
    }
    return STOA_OK;
}

stoa_status stoa_groups_assign(stoa_groups *groups, stoa_evaluation *ev, const uint8_t *selected,
                               int64_t n_selected, stoa_group_rows *rows, stoa_error *err)
{
    bool found = n_selected == 0;

    selected = n_selected < ev->n ? selected : NULL;
    rows->table = NULL;
    if (!found) {
        STOA_RETURN_NOT_OK(
            stoa_groups_assign_dense(groups, ev, selected, n_selected, rows, &found, err));
    }
    if (!found) {
        STOA_RETURN_NOT_OK(assign_hashed(groups, ev, selected, n_selected, rows->numbers, err));
    }
    rows->n_groups = groups->n_groups;
    rows->n_numbers = rows->table != NULL ? rows->n_numbers : groups->n_groups;
    return STOA_OK;
}

const uint32_t *stoa_group_ids(stoa_group_rows *rows, int64_t n)
{
    for (int64_t i = 0; rows->table != NULL && i < n; i++) {
        rows->numbers[i] = rows->table[rows->numbers[i]] - 1;
    }
    rows->table = NULL;
    rows->n_numbers = rows->n_groups;
    return rows->numbers;
}

/* Merging ----------------------------------------------------------------------------------- */

stoa_status stoa_groups_merge(stoa_groups *into, const stoa_groups *from, uint32_t first,
                              uint32_t n, uint32_t *ids, stoa_error *err)
{
    const size_t stride = from->n_keys + 1;
    const uint64_t *const words = (const uint64_t *)(const void *)from->words.data;

    return stoa_groups_assign_words(into, words + first * stride, n, ids + first, err);
}

/* Keys as columns --------------------------------------------------------------------------- */

stoa_status stoa_groups_key(const stoa_groups *groups, size_t k, uint32_t first, uint32_t n,
                            stoa_arena *arena, stoa_vector *out, stoa_error *err)
{
    const stoa_key *key = &groups->keys[k];
    const size_t stride = groups->n_keys + 1;
    const uint64_t *rows = (const uint64_t *)(const void *)groups->words.data + first * stride;
    const stoa_value_domain domain = key->expr->type.domain;
    const bool texts = stoa_domain_is_bytes(domain);
    uint8_t *validity = stoa_arena_zero(arena, stoa_bit_bytes(n), 1);
    uint8_t *bits =
        domain == STOA_DOMAIN_BOOL ? stoa_arena_zero(arena, stoa_bit_bytes(n), 1) : NULL;
    void *values = stoa_arena_alloc(arena, n, texts ? sizeof(stoa_bytes) : sizeof(uint64_t));

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
                to->data = stoa_key_text(key, (uint32_t)word, &to->length);
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
