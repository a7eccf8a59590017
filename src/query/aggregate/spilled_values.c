#include "query/aggregate/spilled_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/sort/sort_keys.h"

/* Told of a pass over at least FEW values. */
enum { FEW = 4096 };
enum { BLOCK = 8192, DIGIT = 16, N_DIGITS = 1 << DIGIT };

/* Writing ----------------------------------------------------------------------------------- */

stoa_status stoa_spilled_append(stoa_spilled *spilled, const double *values, const uint32_t *owners,
                                size_t n, stoa_error *err)
{
    static const uint32_t none[BLOCK] = {0};

    while (owners != NULL && spilled->owners.size / sizeof *none < spilled->n) {
        const uint64_t left = spilled->n - spilled->owners.size / sizeof *none;
        const size_t part = left < BLOCK ? (size_t)left : BLOCK;
        STOA_RETURN_NOT_OK(stoa_spill_append(&spilled->owners, none, part * sizeof *none, err));
    }
    if (owners != NULL) {
        STOA_RETURN_NOT_OK(stoa_spill_append(&spilled->owners, owners, n * sizeof *owners, err));
    }
    STOA_RETURN_NOT_OK(stoa_spill_append(&spilled->values, values, n * sizeof *values, err));
    spilled->n += n;
    return STOA_OK;
}

void stoa_spilled_clear(stoa_spilled *spilled)
{
    stoa_spill_close(&spilled->values);
    stoa_spill_close(&spilled->owners);
    spilled->n = 0;
}

/* Reading ----------------------------------------------------------------------------------- */

typedef struct block {
    uint64_t at; /* number of its first value; after a read, of the next one */
    size_t n;
    double values[BLOCK];
    uint32_t owners[BLOCK];
} block;

/* Read the next values; n is 0 at the end. */
static stoa_status next_block(const stoa_spilled *spilled, block *b, stoa_error *err)
{
    const uint64_t left = spilled->n - b->at;
    const uint64_t n_owned = spilled->owners.size / sizeof *b->owners;
    const uint64_t owned = b->at < n_owned ? n_owned - b->at : 0;

    STOA_RETURN_NOT_OK(stoa_aggregate_look(spilled->listener, err));
    b->n = left < BLOCK ? (size_t)left : BLOCK;
    STOA_RETURN_NOT_OK(stoa_spill_read(&spilled->values, b->at * sizeof *b->values, b->values,
                                       b->n * sizeof *b->values, err));
    memset(b->owners, 0, sizeof b->owners);
    STOA_RETURN_NOT_OK(stoa_spill_read(&spilled->owners, b->at * sizeof *b->owners, b->owners,
                                       (owned < b->n ? (size_t)owned : b->n) * sizeof *b->owners,
                                       err));
    b->at += b->n;
    return STOA_OK;
}

stoa_status stoa_spilled_gather(const stoa_spilled *spilled, uint32_t first, uint32_t n,
                                uint64_t *places, double *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    block *b = stoa_alloc_zero(1, sizeof *b);

    STOA_TRY(b != NULL ? STOA_OK : stoa_fail_memory(err));
    do {
        STOA_TRY(next_block(spilled, b, err));
        for (size_t i = 0; i < b->n; i++) {
            if (b->owners[i] - first < n) {
                out[places[b->owners[i] - first]++] = b->values[i];
            }
        }
    } while (b->n > 0);

done:
    free(b);
    return status;
}

/* Selecting --------------------------------------------------------------------------------- */

bool stoa_is_before(double a, double b)
{
    return a < b || (isnan(b) && !isnan(a));
}

/* Keys in the order of the values. Equal values have equal keys. */
static uint64_t key_of(double value)
{
    return isnan(value) ? UINT64_MAX : stoa_ordered_f64(value);
}

static double value_of(uint64_t key)
{
    const uint64_t bits = key >> 63 != 0 ? key & ~(UINT64_C(1) << 63) : ~key;
    double value = 0;

    memcpy(&value, &bits, sizeof value);
    return key == UINT64_MAX ? (double)NAN : value;
}

/* The values in question: those of a group whose keys begin with the known bits. */
typedef struct search {
    const stoa_spilled *spilled;
    uint32_t group;
    unsigned n_known; /* known bits of the key */
    uint64_t known;
    uint64_t place; /* rank among these values */
    uint64_t n;     /* number of these values; 0: not counted yet */
} search;

static bool is_in_question(const search *s, uint32_t owner, uint64_t key)
{
    return owner == s->group && (s->n_known == 0 || key >> (64 - s->n_known) == s->known);
}

/* Find the next digit of the key. */
static stoa_status narrow(search *s, uint64_t *counts, block *b, stoa_error *err)
{
    const unsigned shift = 64 - s->n_known - DIGIT;
    uint64_t digit = 0;

    memset(counts, 0, N_DIGITS * sizeof *counts);
    b->at = 0;
    do {
        STOA_RETURN_NOT_OK(next_block(s->spilled, b, err));
        for (size_t i = 0; i < b->n; i++) {
            const uint64_t key = key_of(b->values[i]);
            counts[key >> shift & (N_DIGITS - 1)] += is_in_question(s, b->owners[i], key);
        }
    } while (b->n > 0);
    while (digit + 1 < N_DIGITS && s->place >= counts[digit]) {
        s->place -= counts[digit++];
    }
    s->known = s->known << DIGIT | digit;
    s->n_known += DIGIT;
    s->n = counts[digit];
    return STOA_OK;
}

/* Select among the few remaining values. */
static stoa_status select_among(const search *s, block *b, double *room, double *value,
                                stoa_error *err)
{
    uint64_t n = 0;

    b->at = 0;
    do {
        STOA_RETURN_NOT_OK(next_block(s->spilled, b, err));
        for (size_t i = 0; i < b->n; i++) {
            if (n < s->n && is_in_question(s, b->owners[i], key_of(b->values[i]))) {
                room[n++] = b->values[i];
            }
        }
    } while (b->n > 0);
    STOA_RETURN_NOT_OK(
        stoa_select_place(room, (int64_t)n, (int64_t)s->place, s->spilled->listener, err));
    *value = room[s->place];
    return STOA_OK;
}

stoa_status stoa_spilled_value_at(const stoa_spilled *spilled, uint32_t group, uint64_t place,
                                  double *room, size_t n_room, double *value, stoa_error *err)
{
    stoa_status status = STOA_OK;
    search s = {.spilled = spilled, .group = group, .place = place};
    uint64_t *counts = stoa_alloc(N_DIGITS, sizeof *counts);
    block *b = stoa_alloc_zero(1, sizeof *b);

    STOA_TRY(counts != NULL && b != NULL ? STOA_OK : stoa_fail_memory(err));
    while (s.n_known < 64 && (s.n == 0 || s.n > n_room)) {
        STOA_TRY(narrow(&s, counts, b, err));
    }
    if (s.n_known == 64) { /* all remaining values are equal */
        *value = value_of(s.known);
    } else {
        STOA_TRY(select_among(&s, b, room, value, err));
    }

done:
    free(b);
    free(counts);
    return status;
}

static double middle_of_three(double a, double b, double c)
{
    if (stoa_is_before(b, a)) {
        const double swap = a;
        a = b;
        b = swap;
    }
    return !stoa_is_before(c, b) ? b : stoa_is_before(c, a) ? a : c;
}

static int order(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return stoa_is_before(y, x) - stoa_is_before(x, y);
}

stoa_status stoa_select_place(double *values, int64_t n, int64_t place,
                              const stoa_listener *listener, stoa_error *err)
{
    int64_t low = 0;
    int64_t high = n - 1;

    for (int rounds = 0; low < high; rounds++) {
        if (rounds == 128) { /* unfortunate pivots: the values may be chosen maliciously */
            qsort(values + low, (size_t)(high - low + 1), sizeof *values, order);
            break;
        }
        STOA_RETURN_NOT_OK(high - low >= FEW ? stoa_aggregate_look(listener, err) : STOA_OK);
        const double pivot =
            middle_of_three(values[low], values[low + (high - low) / 2], values[high]);
        int64_t i = low;
        int64_t j = high;
        while (i <= j) {
            while (stoa_is_before(values[i], pivot)) {
                i++;
            }
            while (stoa_is_before(pivot, values[j])) {
                j--;
            }
            if (i <= j) {
                const double swap = values[i];
                values[i++] = values[j];
                values[j--] = swap;
            }
        }
        if (place <= j) {
            high = j;
        } else if (place >= i) {
            low = i;
        } else {
            break;
        }
    }
    return STOA_OK;
}
