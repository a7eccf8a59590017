/*
 * Recommending a kind of index for a column, from a sample of its rows.
 *
 * The rules, as documented in docs/indexes.md:
 * - Booleans, enums, categoricals: bitmap.
 * - Numbers, times, strings, opaque values with similar values in neighbouring rows: minmax.
 * - Otherwise, few distinct values among many rows: bitmap.
 * - Otherwise, strings and opaque values: bloom.
 * - Otherwise, integers and times with almost only distinct values: sorted.
 * - Otherwise minmax, which costs next to nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "core/string_set.h"
#include "index/common/block_scan.h"
#include "index/common/equality_key.h"
#include "index/common/order.h"

/* The sample: evenly spread windows of consecutive rows. */
enum { MAX_WINDOWS = 32, WINDOW_ROWS = 1024 };
/* Neighbouring rows are similar if at most this share of window pairs overlap. */
static const double clustered_share = 0.25;
/* Limits for few distinct values: their number, and the rows per value. */
enum { FEW_VALUES = 256, ROWS_A_VALUE = 16 };
/* Almost only distinct values: at least this share. */
static const double unique_share = 0.9;

/* The values of the sample. */
typedef struct sample {
    const stoa_column *column;
    stoa_string_set keys;
    uint64_t n_values;          /* except missing ones and NaN */
    uint32_t lows[MAX_WINDOWS]; /* key numbers of each window's smallest and largest value */
    uint32_t highs[MAX_WINDOWS];
    size_t n_windows; /* windows with values */
} sample;

static stoa_scalar scalar_of(const sample *s, uint32_t number)
{
    size_t length;
    const char *bytes = stoa_string_set_get(&s->keys, number, &length);

    return stoa_key_scalar(s->column, bytes, length);
}

static int compare(const sample *s, uint32_t a, uint32_t b)
{
    const stoa_scalar x = scalar_of(s, a);
    const stoa_scalar y = scalar_of(s, b);
    int order = 0;

    (void)stoa_scalar_compare(&x, &y, &order);
    return order;
}

static stoa_status add_window(void *context, uint64_t first, const stoa_block *block,
                              stoa_error *err)
{
    sample *s = context;
    const uint64_t n_before = s->n_values;
    uint32_t low = 0;
    uint32_t high = 0;
    stoa_key key;

    (void)first;
    for (uint64_t i = 0; i < block->count; i++) {
        uint32_t number;
        if ((block->missing != NULL && stoa_bit_get(block->missing, i)) ||
            !stoa_key_of(s->column, block->elements + i * s->column->element.size, &key)) {
            continue;
        }
        STOA_RETURN_NOT_OK(stoa_string_set_add(&s->keys, key.bytes, key.length, &number, err));
        low = s->n_values == n_before || compare(s, number, low) < 0 ? number : low;
        high = s->n_values == n_before || compare(s, number, high) > 0 ? number : high;
        s->n_values++;
    }
    if (s->n_values > n_before && s->n_windows < MAX_WINDOWS) {
        s->lows[s->n_windows] = low;
        s->highs[s->n_windows++] = high;
    }
    return STOA_OK;
}

/* Whether so few windows overlap that a query for one value can skip most of them. */
static bool is_clustered(const sample *s)
{
    size_t n_pairs = 0;
    size_t n_overlapping = 0;

    for (size_t i = 0; i < s->n_windows; i++) {
        for (size_t k = 0; k < i; k++) {
            n_pairs++;
            n_overlapping += compare(s, s->lows[i], s->highs[k]) <= 0 &&
                             compare(s, s->lows[k], s->highs[i]) <= 0;
        }
    }
    return (double)n_overlapping <= clustered_share * (double)n_pairs;
}

static bool is_text(const stoa_column *column)
{
    const stoa_element_class class = column->element.class;

    return class == STOA_ELEMENT_FIXED_STRING || class == STOA_ELEMENT_STRING ||
           class == STOA_ELEMENT_OPAQUE;
}

static const char *judge(const sample *s)
{
    const bool is_float = s->column->element.class == STOA_ELEMENT_FLOAT;

    if (is_clustered(s)) {
        return "minmax";
    }
    if (s->keys.count <= FEW_VALUES && (uint64_t)s->keys.count * ROWS_A_VALUE <= s->n_values) {
        return "bitmap";
    }
    if (is_text(s->column)) {
        return "bloom";
    }
    return !is_float && (double)s->keys.count >= unique_share * (double)s->n_values ? "sorted"
                                                                                    : "minmax";
}

/* The advice if the column may have such an index, else minmax, else NULL. */
static const char *allowed(const stoa_column *column, const char *advice)
{
    const char *const names[] = {advice, "minmax"};

    for (size_t i = 0; i < 2; i++) {
        const stoa_index_kind *kind = stoa_index_kind_find(names[i]);
        if (kind != NULL && kind->accepts(column, NULL) == STOA_OK) {
            return kind->name;
        }
    }
    return NULL;
}

stoa_status stoa_index_advise_column(stoa_column *column, uint64_t n_rows, const char **kind,
                                     stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t step = n_rows / MAX_WINDOWS > WINDOW_ROWS ? n_rows / MAX_WINDOWS : WINDOW_ROWS;
    sample s = {.column = column};

    *kind = NULL;
    if (allowed(column, "minmax") == NULL) {
        return STOA_OK;
    }
    if (column->type.kind == STOA_KIND_BOOL || column->type.kind == STOA_KIND_DICTIONARY) {
        *kind = allowed(column, "bitmap");
        return STOA_OK;
    }
    for (uint64_t first = 0; first < n_rows; first += step) {
        const uint64_t left = n_rows - first;
        STOA_TRY(stoa_block_scan(column, first, first + (left < WINDOW_ROWS ? left : WINDOW_ROWS),
                                 "looking", NULL, add_window, &s, err));
    }
    *kind = allowed(column, judge(&s));

done:
    stoa_string_set_clear(&s.keys);
    return stoa_column_at(column, status, err);
}
