/*
 * Groups of keys that have few values: codes of a dictionary, bits, integers of a small range,
 * numbers of texts (group_texts.c).
 *
 * Each key's value is a digit, a row's digits make one number, and a table has the group of each
 * number that was met. The table only remembers what the hash table (group.c) said: when a key's
 * range changes, it is emptied, and the groups stay as they are.
 */
#include <stdlib.h>
#include <string.h>

#include "query/group.h"

/* Numbers in the table at most: 1 MiB. */
#define MOST_NUMBERS (UINT64_C(1) << 18)
/* Windows of which more than a quarter of the rows were not met before go by the hash table, and
 * so do the next ones. */
enum { SPARSE_SHARE = 4, SPARSE_ROWS = 1024, SPARSE_WINDOWS = 8 };

/* A key's values in the window. */
typedef struct digits {
    stoa_operand operand; /* integers or BOOL: rows that are selected and not missing */
    const stoa_labels *labels;
    uint64_t least; /* integers: of those rows; */
    uint64_t range; /* greatest - least */
} digits;

static bool is_narrow(const stoa_evaluation *ev, const stoa_expr *expr)
{
    if (expr->op != STOA_OP_COLUMN) {
        return false;
    }
    switch (ev->scope->columns[expr->column].value.domain) {
    case STOA_DOMAIN_TEXT:
    case STOA_DOMAIN_BOOL:
    case STOA_DOMAIN_I64:
    case STOA_DOMAIN_U64:
    case STOA_DOMAIN_TIME:
        return true;
    default:
        return false;
    }
}

/* Ranges ------------------------------------------------------------------------------------ */

static bool is_missing(const stoa_operand *operand, int64_t row)
{
    return operand->mask != NULL && (operand->mask[row / 64] >> (row % 64) & 1) == 0;
}

static stoa_status load_labels(const stoa_expr *expr, stoa_evaluation *ev, stoa_error *err)
{
    stoa_labels *labels = NULL;

    if (!ev->scope->columns[expr->column].is_dictionary) {
        return STOA_OK;
    }
    return stoa_load_labels(ev, expr->column, &labels, err);
}

/* Load a key and make its digits cover the window; *found is false if they would be too many. */
static stoa_status fit_key(stoa_groups *groups, size_t k, stoa_evaluation *ev,
                           const uint8_t *selected, int64_t n_selected, digits *out, bool *found,
                           stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_key *key = &groups->keys[k];
    stoa_labels *labels = NULL;
    stoa_word ends[2];

    *out = (digits){.labels = NULL};
    if (ev->scope->columns[key->expr->column].is_dictionary) {
        STOA_TRY(stoa_load_codes(ev, key->expr->column, &labels, err));
        out->labels = labels;
        *found = (uint64_t)labels->n < MOST_NUMBERS;
        if (*found) {
            STOA_TRY(stoa_groups_labels(groups, k, labels, err));
            key->radix = (uint32_t)labels->n + 1;
        }
        return STOA_OK;
    }
    STOA_TRY(stoa_key_operand(key, ev, selected, n_selected, &out->operand, err));
    if (out->operand.kind == STOA_KIND_BOOL) {
        key->radix = 3;
        return STOA_OK;
    }
    *found = stoa_kind_is_integer(out->operand.kind);
    if (*found && out->operand.n_kept > 0) {
        groups->reduce->range[out->operand.kind](out->operand.values, out->operand.mask, ev->n,
                                                 ends);
        out->least = ends[0].u64;
        out->range = ends[1].u64 - ends[0].u64;
        *found = out->range < MOST_NUMBERS;
    }

done:
    return status;
}

static bool covers(const stoa_key *key, const digits *window)
{
    const uint64_t first = window->least - key->base;

    return key->radix > 1 && first < key->radix && window->range < key->radix - 1 - first;
}

/* The range of an integer key: that of the window, and the one before if `keep`. */
static void stretch_key(stoa_key *key, const digits *window, bool keep)
{
    uint64_t base = window->least;
    uint64_t range = window->range;

    if (keep && key->radix > 1) {
        /* Differences, for numbers of either sign: which of the two begins first. */
        const uint64_t before = (uint64_t)key->radix - 2;
        const uint64_t up = window->least - key->base;
        const uint64_t down = key->base - window->least;
        base = up < down ? key->base : window->least;
        range = up < down ? (up + range > before ? up + range : before)
                          : (down + before > range ? down + before : range);
    }
    if (range < MOST_NUMBERS) {
        key->base = base;
        key->radix = (uint32_t)range + 2;
    } else {
        key->base = window->least;
        key->radix = (uint32_t)window->range + 2;
    }
}

static uint64_t count_numbers(const stoa_groups *groups)
{
    uint64_t n = 1;

    for (size_t k = 0; k < groups->n_keys && n <= MOST_NUMBERS; k++) {
        n *= groups->keys[k].radix;
    }
    return n;
}

/* Stretch the keys that do not cover the window; if that is too much, all of them anew. */
static bool stretch_keys(stoa_groups *groups, const digits *windows)
{
    for (int keep = 1; keep >= 0; keep--) {
        for (size_t k = 0; k < groups->n_keys; k++) {
            stoa_key *key = &groups->keys[k];
            const digits *window = &windows[k];
            if (window->labels != NULL || window->operand.kind == STOA_KIND_BOOL) {
                continue;
            }
            if (window->operand.n_kept == 0) {
                key->radix = keep && key->radix > 0 ? key->radix : 1;
            } else if (!keep || !covers(key, window)) {
                stretch_key(key, window, keep);
                groups->is_stale = true;
            }
        }
        if (count_numbers(groups) <= MOST_NUMBERS) {
            return true;
        }
        groups->is_stale = true;
    }
    return false;
}

/* An empty table for the keys' ranges. */
static stoa_status renew_table(stoa_groups *groups, stoa_error *err)
{
    const size_t n = (size_t)count_numbers(groups);

    if (n > groups->n_dense) {
        free(groups->dense);
        groups->n_dense = 0;
        groups->dense = stoa_alloc(n, sizeof *groups->dense);
        if (groups->dense == NULL) {
            return stoa_fail_memory(err);
        }
        groups->n_dense = n;
    }
    memset(groups->dense, 0, n * sizeof *groups->dense);
    groups->is_stale = false;
    return STOA_OK;
}

/* Numbers ----------------------------------------------------------------------------------- */

#define ADD_DIGITS(ctype)                                                                          \
    do {                                                                                           \
        const ctype *from = window->operand.values;                                                \
        if (window->operand.mask == NULL) {                                                        \
            for (int64_t i = 0; i < n; i++) {                                                      \
                numbers[i] += ((uint32_t)from[i] - (uint32_t)base) * place;                        \
            }                                                                                      \
        } else {                                                                                   \
            for (int64_t i = 0; i < n; i++) {                                                      \
                const uint32_t digit = (uint32_t)from[i] - (uint32_t)base;                         \
                numbers[i] += (is_missing(&window->operand, i) ? missing : digit) * place;         \
            }                                                                                      \
        }                                                                                          \
    } while (0)

/* Rows that are not selected get any number: nobody looks it up. */
static void add_digits(const stoa_key *key, const digits *window, uint32_t place, int64_t n,
                       uint32_t *numbers)
{
    const uint32_t missing = key->radix - 1;
    const uint64_t base = key->base;

    if (window->labels != NULL) {
        for (int64_t i = 0; i < n; i++) {
            numbers[i] += window->labels->codes[i] * place;
        }
        return;
    }
    if (window->operand.n_kept == 0) { /* then there may be no values to look at */
        for (int64_t i = 0; i < n; i++) {
            numbers[i] += missing * place;
        }
        return;
    }
    switch (window->operand.kind) {
    case STOA_KIND_BOOL:
        for (int64_t i = 0; i < n; i++) {
            const bool bit = stoa_bit_get(window->operand.values, (uint64_t)i);
            numbers[i] += (is_missing(&window->operand, i) ? missing : bit) * place;
        }
        break;
    case STOA_KIND_INT8:
        ADD_DIGITS(int8_t);
        break;
    case STOA_KIND_INT16:
        ADD_DIGITS(int16_t);
        break;
    case STOA_KIND_INT32:
        ADD_DIGITS(int32_t);
        break;
    case STOA_KIND_UINT8:
        ADD_DIGITS(uint8_t);
        break;
    case STOA_KIND_UINT16:
        ADD_DIGITS(uint16_t);
        break;
    case STOA_KIND_UINT32:
        ADD_DIGITS(uint32_t);
        break;
    default:
        ADD_DIGITS(uint64_t);
        break;
    }
}

/* Groups ------------------------------------------------------------------------------------ */

/* The group of a row whose number was not met before. */
static stoa_status find_group(stoa_groups *groups, const digits *windows, int64_t row,
                              uint32_t *group, stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint64_t words[STOA_MAX_KEYS + 1] = {0};

    for (size_t k = 0; k < groups->n_keys; k++) {
        const digits *window = &windows[k];
        bool missing = false;
        if (window->labels != NULL) {
            STOA_TRY(stoa_key_of_code(&groups->keys[k], window->labels, window->labels->codes[row],
                                      &words[k], &missing, err));
        } else if (window->operand.n_kept == 0 || is_missing(&window->operand, row)) {
            missing = true;
        } else {
            words[k] = stoa_operand_integer(&window->operand, row);
        }
        words[groups->n_keys] |= (uint64_t)missing << k;
    }
    STOA_TRY(stoa_groups_assign_words(groups, words, 1, group, err));

done:
    return status;
}

/* Look up the numbers of up to 64 rows; false if one of them was not met before. */
static bool look_up(const uint32_t *table, const uint32_t *numbers, uint64_t rows, uint32_t *ids)
{
    unsigned n_new = 0;

    if (rows == UINT64_MAX) {
        for (int i = 0; i < 64; i++) {
            const uint32_t group = table[numbers[i]];
            ids[i] = group - 1;
            n_new += group == 0;
        }
        return n_new == 0;
    }
    for (int64_t i; stoa_next_bit(&rows, 0, &i);) {
        const uint32_t group = table[numbers[i]];
        ids[i] = group - 1;
        n_new += group == 0;
    }
    return n_new == 0;
}

static stoa_status look_up_all(stoa_groups *groups, const digits *windows,
                               const stoa_operand *selected, const uint32_t *numbers, uint32_t *ids,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    int64_t n_new = 0;

    for (int64_t at = 0; at < selected->n; at += 64) {
        uint64_t rows = stoa_operand_word(selected, at);
        if (look_up(groups->dense, numbers + at, rows, ids + at)) {
            continue;
        }
        for (int64_t row; stoa_next_bit(&rows, at, &row);) {
            uint32_t *known = &groups->dense[numbers[row]];
            if (*known == 0) {
                STOA_TRY(find_group(groups, windows, row, &ids[row], err));
                *known = ids[row] + 1;
                n_new++;
            }
            ids[row] = *known - 1;
        }
    }
    if (selected->n_kept >= SPARSE_ROWS && n_new > selected->n_kept / SPARSE_SHARE) {
        groups->n_sparse = SPARSE_WINDOWS;
    }

done:
    return status;
}

stoa_status stoa_groups_assign_dense(stoa_groups *groups, stoa_evaluation *ev,
                                     const uint8_t *selected, int64_t n_selected, uint32_t *ids,
                                     bool *found, stoa_error *err)
{
    stoa_status status = STOA_OK;
    digits *windows = stoa_pool_zero(&ev->pool, groups->n_keys, sizeof *windows);
    uint32_t *numbers = stoa_pool_zero(&ev->pool, (size_t)ev->n, sizeof *numbers);
    uint32_t place = 1;
    stoa_operand rows;

    STOA_TRY(windows != NULL && numbers != NULL ? STOA_OK : stoa_fail_memory(err));
    *found = groups->n_sparse == 0;
    groups->n_sparse -= groups->n_sparse > 0;
    for (size_t k = 0; *found && k < groups->n_keys; k++) {
        *found = is_narrow(ev, groups->keys[k].expr);
    }
    /* All labels before any codes: labels that are loaded anew may take others along. */
    for (size_t k = 0; *found && k < groups->n_keys; k++) {
        STOA_TRY(load_labels(groups->keys[k].expr, ev, err));
    }
    for (size_t k = 0; *found && k < groups->n_keys; k++) {
        STOA_TRY(fit_key(groups, k, ev, selected, n_selected, &windows[k], found, err));
    }
    *found = *found && stretch_keys(groups, windows);
    if (!*found) {
        goto done;
    }
    if (groups->is_stale || groups->dense == NULL) {
        STOA_TRY(renew_table(groups, err));
    }
    for (size_t k = 0; k < groups->n_keys; k++) {
        add_digits(&groups->keys[k], &windows[k], place, ev->n, numbers);
        place *= groups->keys[k].radix;
    }
    STOA_TRY(stoa_operand_load(ev, NULL, STOA_NEED_PRESENCE, selected, n_selected, &rows, err));
    STOA_TRY(look_up_all(groups, windows, &rows, numbers, ids, err));

done:
    return status;
}
