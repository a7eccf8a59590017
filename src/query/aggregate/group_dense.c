/*
 * Groups of keys with few values: codes of a dictionary, bits, integers of a small range, numbers
 * of texts (group_texts.c).
 *
 * Each key's value is a digit, and a row's digits form one number. A table maps each number that
 * was met to its group. The table is a cache of the hash table (group_hash.c): when a key's range
 * changes, it is cleared, and the groups stay as they are.
 */
#include <stdlib.h>
#include <string.h>

#include "query/aggregate/group.h"

/* Most numbers of the table, which then has 1 MiB. */
#define MAX_NUMBERS (UINT64_C(1) << 18)
/* If over 1/SPARSE_SHARE of a window's rows make new numbers, the next SPARSE_WINDOWS windows
 * use the hash table. */
enum { SPARSE_SHARE = 4, SPARSE_ROWS = 1024, SPARSE_WINDOWS = 8 };

/* A key in the window: integers, codes or BOOL, for rows that are selected and not missing. */
typedef struct window_key {
    stoa_operand operand;
    uint64_t least; /* the least value of those rows; set if integers do not fit the key's range */
    uint64_t range; /* greatest - least */
} window_key;

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
    case STOA_DOMAIN_DURATION:
        return true;
    default:
        return false;
    }
}

static bool is_missing(const stoa_operand *operand, int64_t row)
{
    return operand->mask != NULL && (operand->mask[row / 64] >> (row % 64) & 1) == 0;
}

static bool is_integer(const stoa_operand *operand)
{
    return operand->labels == NULL && operand->kind != STOA_KIND_BOOL;
}

/* Loading ----------------------------------------------------------------------------------- */

static stoa_status load_labels(const stoa_expr *expr, stoa_evaluation *ev, stoa_error *err)
{
    stoa_labels *labels = NULL;

    if (!ev->scope->columns[expr->column].is_dictionary) {
        return STOA_OK;
    }
    return stoa_load_labels(ev, expr->column, &labels, err);
}

/* Load a key. *found is false if it cannot have digits. Sets the digits of labels and bits. */
static stoa_status load_key(stoa_groups *groups, size_t k, stoa_evaluation *ev,
                            const uint8_t *selected, int64_t n_selected, stoa_operand *out,
                            bool *found, stoa_error *err)
{
    stoa_key *key = &groups->keys[k];

    STOA_RETURN_NOT_OK(stoa_key_operand(key, ev, selected, n_selected, out, err));
    if (out->labels != NULL) {
        *found = (uint64_t)out->labels->n < MAX_NUMBERS;
        STOA_RETURN_NOT_OK(*found ? stoa_groups_labels(groups, k, out->labels, err) : STOA_OK);
        key->n_values = *found ? (uint32_t)out->labels->n : 0;
    } else if (out->kind == STOA_KIND_BOOL) {
        key->n_values = 2;
    } else {
        *found = stoa_kind_is_integer(out->kind) || out->n_kept == 0;
    }
    if (out->n_kept < n_selected && !key->has_missing) {
        key->has_missing = true;
        groups->is_stale = true;
    }
    return STOA_OK;
}

/* Load all labels before any codes, since loading labels may invalidate other labels. */
static stoa_status load_keys(stoa_groups *groups, stoa_evaluation *ev, const uint8_t *selected,
                             int64_t n_selected, window_key *window, bool *found, stoa_error *err)
{
    for (size_t k = 0; *found && k < groups->n_keys; k++) {
        *found = is_narrow(ev, groups->keys[k].expr);
    }
    for (size_t k = 0; *found && k < groups->n_keys; k++) {
        STOA_RETURN_NOT_OK(load_labels(groups->keys[k].expr, ev, err));
    }
    for (size_t k = 0; *found && k < groups->n_keys; k++) {
        STOA_RETURN_NOT_OK(
            load_key(groups, k, ev, selected, n_selected, &window[k].operand, found, err));
    }
    return STOA_OK;
}

/* Ranges ------------------------------------------------------------------------------------ */

static bool covers(const stoa_key *key, const window_key *window)
{
    const uint64_t first = window->least - key->base;

    return first < key->n_values && window->range < key->n_values - first;
}

/* Set the range of an integer key to that of the window; with `keep`, extend the previous one. */
static void stretch_key(stoa_key *key, const window_key *window, bool keep)
{
    uint64_t base = window->least;
    uint64_t range = window->range;

    if (keep && key->n_values > 0) {
        /* Unsigned differences, for numbers of either sign, show which range begins first. */
        const uint64_t before = (uint64_t)key->n_values - 1;
        const uint64_t up = window->least - key->base;
        const uint64_t down = key->base - window->least;
        base = up < down ? key->base : window->least;
        range = up < down ? (up + range > before ? up + range : before)
                          : (down + before > range ? down + before : range);
    }
    if (range < MAX_NUMBERS) {
        key->base = base;
        key->n_values = (uint32_t)range + 1;
    } else {
        key->base = window->least;
        key->n_values = (uint32_t)window->range + 1;
    }
}

static uint32_t radix_of(const stoa_key *key)
{
    return key->n_values + key->has_missing;
}

static uint64_t count_numbers(const stoa_groups *groups)
{
    uint64_t n = 1;

    for (size_t k = 0; k < groups->n_keys && n <= MAX_NUMBERS; k++) {
        n *= radix_of(&groups->keys[k]);
    }
    return n;
}

/* Find the ranges of integer keys. Returns false if one exceeds the table. */
static bool find_ranges(const stoa_groups *groups, window_key *windows)
{
    stoa_word ends[2];

    for (size_t k = 0; k < groups->n_keys; k++) {
        const stoa_operand *operand = &windows[k].operand;
        if (is_integer(operand) && operand->n_kept > 0) {
            groups->reduce->range[operand->kind](operand->values, operand->mask, operand->n, ends);
            windows[k].least = ends[0].u64;
            windows[k].range = ends[1].u64 - ends[0].u64;
            if (windows[k].range >= MAX_NUMBERS) {
                return false;
            }
        }
    }
    return true;
}

/* Extend the keys that do not cover the window. If the table would be too large, restart all
 * ranges. */
static bool stretch_keys(stoa_groups *groups, window_key *windows)
{
    if (!find_ranges(groups, windows)) {
        return false;
    }
    groups->is_stale = true;
    for (int keep = 1; keep >= 0; keep--) {
        for (size_t k = 0; k < groups->n_keys; k++) {
            stoa_key *key = &groups->keys[k];
            const window_key *window = &windows[k];
            if (!is_integer(&window->operand)) {
                continue;
            }
            if (window->operand.n_kept == 0) {
                key->n_values = keep ? key->n_values : 0;
            } else if (!keep || !covers(key, window)) {
                stretch_key(key, window, keep);
            }
        }
        if (count_numbers(groups) <= MAX_NUMBERS) {
            return true;
        }
    }
    return false;
}

/* Clear the table, and allocate it for the keys' ranges. */
static stoa_status renew_table(stoa_groups *groups, stoa_error *err)
{
    const size_t n = (size_t)count_numbers(groups);

    if (n > groups->n_dense) {
        free(groups->dense);
        groups->n_dense = 0;
        groups->dense = stoa_alloc(n, sizeof *groups->dense);
        STOA_RETURN_NO_MEMORY(err, groups->dense);
        groups->n_dense = n;
    }
    memset(groups->dense, 0, n * sizeof *groups->dense);
    memset(groups->met, 0, sizeof groups->met);
    groups->is_stale = false;
    return STOA_OK;
}

/* Numbers ----------------------------------------------------------------------------------- */

static void add_bits(const stoa_operand *operand, const stoa_digits *how, uint32_t *numbers)
{
    for (int64_t i = 0; i < operand->n; i++) {
        const uint32_t bit = stoa_bit_get(operand->values, (uint64_t)i);
        numbers[i] = (how->is_first ? 0 : numbers[i]) +
                     (is_missing(operand, i) ? how->missing : bit) * how->place;
    }
}

/* Without rows that count, there may be no values to read. */
static void add_missing(const stoa_operand *operand, const stoa_digits *how, uint32_t *numbers)
{
    for (int64_t i = 0; i < operand->n; i++) {
        numbers[i] = (how->is_first ? 0 : numbers[i]) + how->missing * how->place;
    }
}

/* Make the rows' numbers. Returns false if a value has no digit. Numbers of rows that are not
 * selected are valid, but arbitrary. */
static bool make_numbers(const stoa_groups *groups, const window_key *windows, uint32_t *numbers)
{
    uint32_t place = 1;

    if (count_numbers(groups) > MAX_NUMBERS) {
        return false;
    }
    for (size_t k = 0; k < groups->n_keys; k++) {
        const stoa_key *key = &groups->keys[k];
        const stoa_operand *operand = &windows[k].operand;
        const stoa_digits how = {.base = is_integer(operand) ? key->base : 0,
                                 .missing = key->has_missing ? key->n_values : 0,
                                 .place = place,
                                 .is_first = k == 0};
        if (operand->n_kept == 0) {
            add_missing(operand, &how, numbers);
        } else if (operand->kind == STOA_KIND_BOOL) {
            add_bits(operand, &how, numbers);
        } else if (key->n_values == 0 || groups->kernels->digits[operand->kind](
                                             operand->values, operand->mask, operand->n, &how,
                                             numbers) >= key->n_values) {
            return false;
        }
        place *= radix_of(key);
    }
    return true;
}

/* Groups ------------------------------------------------------------------------------------ */

/* Find the group of a row whose number is new. */
static stoa_status find_group(stoa_groups *groups, const window_key *windows, int64_t row,
                              uint32_t *group, stoa_error *err)
{
    uint64_t words[STOA_MAX_KEYS + 1] = {0};

    for (size_t k = 0; k < groups->n_keys; k++) {
        const stoa_operand *operand = &windows[k].operand;
        bool missing = operand->n_kept == 0 || is_missing(operand, row);
        if (!missing) {
            words[k] = stoa_operand_integer(operand, row);
        }
        if (!missing && operand->labels != NULL) {
            const uint32_t code = (uint32_t)words[k];
            uint32_t number = 0;
            STOA_RETURN_NOT_OK(
                stoa_key_of_codes(&groups->keys[k], operand->labels, &code, NULL, 1, &number, err));
            missing = number == 0;
            words[k] = missing ? 0 : number - 1;
        }
        words[groups->n_keys] |= (uint64_t)missing << k;
    }
    return stoa_groups_assign_words(groups, words, 1, group, err);
}

/* Which of 64 rows have a new number. */
static uint64_t unknown_rows(const stoa_groups *groups, const uint32_t *numbers, bool are_few)
{
    uint64_t bits = 0;

    if (are_few) {
        return groups->kernels->unknown(numbers, groups->met);
    }
    for (int i = 0; i < 64; i++) {
        bits |= (uint64_t)(groups->dense[numbers[i]] == 0) << i;
    }
    return bits;
}

/* Find groups for new numbers, in the order of the rows. */
static stoa_status find_groups(stoa_groups *groups, const window_key *windows,
                               const stoa_operand *selected, const stoa_group_rows *rows,
                               stoa_error *err)
{
    const bool are_few = rows->n_numbers <= STOA_KNOWN_NUMBERS;
    int64_t n_new = 0;

    for (int64_t at = 0; at < selected->n; at += 64) {
        uint64_t left = unknown_rows(groups, rows->numbers + at, are_few);
        left &= stoa_operand_word(selected, at);
        for (int64_t row; stoa_next_bit(&left, at, &row);) {
            const uint32_t number = rows->numbers[row];
            uint32_t group = 0;
            if (groups->dense[number] == 0) {
                STOA_RETURN_NOT_OK(find_group(groups, windows, row, &group, err));
                groups->dense[number] = group + 1;
                n_new++;
                if (are_few) {
                    groups->met[number / 64] |= UINT64_C(1) << (number % 64);
                }
            }
        }
    }
    if (selected->n_kept >= SPARSE_ROWS && n_new > selected->n_kept / SPARSE_SHARE) {
        groups->n_sparse = SPARSE_WINDOWS;
    }
    return STOA_OK;
}

stoa_status stoa_groups_assign_dense(stoa_groups *groups, stoa_evaluation *ev,
                                     const uint8_t *selected, int64_t n_selected,
                                     stoa_group_rows *rows, bool *found, stoa_error *err)
{
    window_key *windows = stoa_arena_zero(&ev->arena, groups->n_keys, sizeof *windows);
    stoa_operand taken;

    STOA_RETURN_NO_MEMORY(err, windows);
    *found = groups->n_sparse == 0;
    groups->n_sparse -= groups->n_sparse > 0;
    STOA_RETURN_NOT_OK(load_keys(groups, ev, selected, n_selected, windows, found, err));
    *found =
        *found && (make_numbers(groups, windows, rows->numbers) ||
                   (stretch_keys(groups, windows) && make_numbers(groups, windows, rows->numbers)));
    if (!*found) {
        return STOA_OK;
    }
    if (groups->is_stale || groups->dense == NULL) {
        STOA_RETURN_NOT_OK(renew_table(groups, err));
    }
    for (int64_t i = ev->n; i % 64 != 0; i++) { /* read, but not counted */
        rows->numbers[i] = 0;
    }
    rows->n_numbers = (uint32_t)count_numbers(groups);
    rows->table = groups->dense;
    STOA_RETURN_NOT_OK(
        stoa_operand_load(ev, NULL, STOA_NEED_PRESENCE, selected, n_selected, &taken, err));
    return find_groups(groups, windows, &taken, rows, err);
}
