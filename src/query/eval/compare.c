/* Comparison of vectors: one loop for each operation and pair of types, with bitmaps as the
 * result. */
#include "query/eval/compare.h"

#include <stdlib.h>
#include <string.h>

#include "core/short_bytes.h"
#include "core/string_set.h"
#include "query/eval/eval.h"

/* Packs eight rows into a byte. A and B are expressions in `i`. */
#define PACK(condition)                                                                            \
    do {                                                                                           \
        int64_t i = 0;                                                                             \
        for (; i + 8 <= n; bits++) {                                                               \
            unsigned byte = 0;                                                                     \
            for (unsigned bit = 0; bit < 8; bit++, i++) {                                          \
                byte |= (unsigned)(condition) << bit;                                              \
            }                                                                                      \
            *bits = (uint8_t)byte;                                                                 \
        }                                                                                          \
        unsigned byte = 0;                                                                         \
        for (unsigned bit = 0; i < n; bit++, i++) {                                                \
            byte |= (unsigned)(condition) << bit;                                                  \
        }                                                                                          \
        if ((n & 7) != 0) {                                                                        \
            *bits = (uint8_t)byte;                                                                 \
        }                                                                                          \
    } while (0)

#define EACH_COMPARE(A, B)                                                                         \
    do {                                                                                           \
        switch (compare) {                                                                         \
        case STOA_EQ:                                                                              \
            PACK((A) == (B));                                                                      \
            break;                                                                                 \
        case STOA_NE:                                                                              \
            PACK((A) != (B));                                                                      \
            break;                                                                                 \
        case STOA_LT:                                                                              \
            PACK((A) < (B));                                                                       \
            break;                                                                                 \
        case STOA_LE:                                                                              \
            PACK((A) <= (B));                                                                      \
            break;                                                                                 \
        case STOA_GT:                                                                              \
            PACK((A) > (B));                                                                       \
            break;                                                                                 \
        default:                                                                                   \
            PACK((A) >= (B));                                                                      \
            break;                                                                                 \
        }                                                                                          \
    } while (0)

/* Compares with a constant or with a vector. Constants are on the right, as the binder ensures,
 * unless both sides are constant. */
#define DEFINE_COMPARE(name, ctype, field)                                                         \
    static void name(stoa_compare compare, const stoa_vector *left, const stoa_vector *right,      \
                     int64_t n, uint8_t *bits)                                                     \
    {                                                                                              \
        const ctype *a = left->as.field;                                                           \
        const ctype *b = right->as.field;                                                          \
        const int64_t step = !left->constant;                                                      \
        if (right->constant && !left->constant) {                                                  \
            const ctype value = b[0];                                                              \
            EACH_COMPARE(a[i], value);                                                             \
        } else if (right->constant || left->constant) {                                            \
            EACH_COMPARE(a[i * step], b[i * !right->constant]);                                    \
        } else {                                                                                   \
            EACH_COMPARE(a[i], b[i]);                                                              \
        }                                                                                          \
    }
DEFINE_COMPARE(compare_i64, int64_t, i64)
DEFINE_COMPARE(compare_u64, uint64_t, u64)
DEFINE_COMPARE(compare_f64, double, f64)

/* The orders (-1, 0, 1, or STOA_UNORDERED) that satisfy a comparison, as bits number order + 1. */
static unsigned accepted_orders(stoa_compare compare)
{
    static const unsigned accepted[] = {
        [STOA_EQ] = 2,     [STOA_NE] = 1 | 4 | 8, [STOA_LT] = 1,
        [STOA_LE] = 1 | 2, [STOA_GT] = 4,         [STOA_GE] = 4 | 2,
    };

    return accepted[compare];
}

bool stoa_order_passes(stoa_compare compare, int order)
{
    return accepted_orders(compare) >> (order + 1) & 1u;
}

#define PACK_ORDER(order) PACK(accepted >> ((order) + 1) & 1u)
#define AT(vector, field) (vector)->as.field[(vector)->constant ? 0 : i]

stoa_compare stoa_compare_mirrored(stoa_compare compare)
{
    static const stoa_compare mirrored[] = {
        [STOA_EQ] = STOA_EQ, [STOA_NE] = STOA_NE, [STOA_LT] = STOA_GT,
        [STOA_LE] = STOA_GE, [STOA_GT] = STOA_LT, [STOA_GE] = STOA_LE,
    };

    return mirrored[compare];
}

/* Numbers of different domains; operands are in the order I64, U64, F64. */
static void compare_mixed(stoa_compare compare, const stoa_vector *left, const stoa_vector *right,
                          int64_t n, uint8_t *bits)
{
    if (left->type.domain > right->type.domain) {
        compare_mixed(stoa_compare_mirrored(compare), right, left, n, bits);
        return;
    }
    const unsigned accepted = accepted_orders(compare);
    if (right->type.domain == STOA_DOMAIN_U64) {
        PACK_ORDER(stoa_order_i64_u64(AT(left, i64), AT(right, u64)));
    } else if (left->type.domain == STOA_DOMAIN_I64) {
        PACK_ORDER(stoa_order_i64_f64(AT(left, i64), AT(right, f64)));
    } else {
        PACK_ORDER(stoa_order_u64_f64(AT(left, u64), AT(right, f64)));
    }
}

static int order_bytes(stoa_bytes a, stoa_bytes b)
{
    const int order = stoa_compare_bytes(a.data, a.length, b.data, b.length);

    return (order > 0) - (order < 0);
}

static bool same_bytes(stoa_bytes a, stoa_bytes b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.data, b.data, a.length) == 0);
}

static void compare_bytes(stoa_compare compare, const stoa_vector *left, const stoa_vector *right,
                          int64_t n, uint8_t *bits)
{
    const unsigned accepted = accepted_orders(compare);

    if (compare == STOA_EQ) {
        PACK(same_bytes(AT(left, bytes), AT(right, bytes)));
    } else if (compare == STOA_NE) {
        PACK(!same_bytes(AT(left, bytes), AT(right, bytes)));
    } else {
        PACK_ORDER(order_bytes(AT(left, bytes), AT(right, bytes)));
    }
}

/* Compare a time of coarse ticks with one of fine ticks; `ratio` fine ticks are one coarse tick. */
static int order_times(int64_t coarse, int64_t fine, int64_t ratio)
{
    const int64_t rest = fine % ratio;
    const int64_t whole = fine / ratio - (rest < 0);

    if (coarse != whole) {
        return coarse < whole ? -1 : 1;
    }
    return rest != 0 ? -1 : 0;
}

static void compare_times(stoa_compare compare, const stoa_vector *left, const stoa_vector *right,
                          int64_t n, uint8_t *bits)
{
    const int64_t a = stoa_time_nanoseconds(left->type.unit);
    const int64_t b = stoa_time_nanoseconds(right->type.unit);

    if (a == b) {
        compare_i64(compare, left, right, n, bits);
    } else if (a < b) {
        compare_times(stoa_compare_mirrored(compare), right, left, n, bits);
    } else {
        const unsigned accepted = accepted_orders(compare);
        const int64_t ratio = a / b;
        PACK_ORDER(order_times(AT(left, i64), AT(right, i64), ratio));
    }
}

void stoa_compare_vectors(stoa_compare compare, const stoa_vector *left, const stoa_vector *right,
                          int64_t n, uint8_t *bits)
{
    const stoa_value_domain domain = left->type.domain;

    if (stoa_domain_is_ticks(domain)) {
        compare_times(compare, left, right, n, bits);
    } else if (stoa_domain_is_bytes(domain)) {
        compare_bytes(compare, left, right, n, bits);
    } else if (domain != right->type.domain) {
        compare_mixed(compare, left, right, n, bits);
    } else if (domain == STOA_DOMAIN_I64) {
        compare_i64(compare, left, right, n, bits);
    } else if (domain == STOA_DOMAIN_U64) {
        compare_u64(compare, left, right, n, bits);
    } else {
        compare_f64(compare, left, right, n, bits);
    }
}

/* Lists ------------------------------------------------------------------------------------- */

#define DEFINE_ORDER(name, ctype)                                                                  \
    static int name(const void *a, const void *b)                                                  \
    {                                                                                              \
        const ctype x = *(const ctype *)a;                                                         \
        const ctype y = *(const ctype *)b;                                                         \
        return (x > y) - (x < y);                                                                  \
    }
DEFINE_ORDER(order_i64, int64_t)
DEFINE_ORDER(order_u64, uint64_t)
DEFINE_ORDER(order_f64, double)

static int order_texts(const void *a, const void *b)
{
    return order_bytes(*(const stoa_bytes *)a, *(const stoa_bytes *)b);
}

typedef int order_function(const void *, const void *);

static order_function *order_of(stoa_value_domain domain, size_t *size)
{
    *size = sizeof(int64_t);
    switch (domain) {
    case STOA_DOMAIN_U64:
        return order_u64;
    case STOA_DOMAIN_F64:
        return order_f64;
    case STOA_DOMAIN_TEXT:
    case STOA_DOMAIN_BYTES:
        *size = sizeof(stoa_bytes);
        return order_texts;
    default:
        return order_i64;
    }
}

void stoa_in_sort(stoa_value_domain domain, void *values, int64_t *n)
{
    size_t size;
    order_function *order = order_of(domain, &size);
    uint8_t *all = values;
    int64_t kept = 0;

    for (int64_t i = 0; domain == STOA_DOMAIN_F64 && i < *n; i++) {
        double *numbers = values;
        numbers[kept] = numbers[i];
        kept += !isnan(numbers[i]); /* a NaN equals nothing, not even itself */
    }
    *n = domain == STOA_DOMAIN_F64 ? kept : *n;
    if (*n < 2) {
        return;
    }
    qsort(values, (size_t)*n, size, order);
    kept = 1;
    for (int64_t i = 1; i < *n; i++) {
        if (order(all + (size_t)(kept - 1) * size, all + (size_t)i * size) != 0) {
            memmove(all + (size_t)kept++ * size, all + (size_t)i * size, size);
        }
    }
    *n = kept;
}

/* A slot has a hash's lower half and the number of the entry + 1; 0 is free. The hash's upper bits
 * are the first slot to look at. */
static inline uint64_t slot_of(uint64_t hash, uint64_t entry)
{
    return hash << 32 | (entry + 1);
}

static inline uint64_t entry_of(uint64_t slot)
{
    return (slot & UINT32_MAX) - 1;
}

static uint64_t hash_text(stoa_bytes text)
{
    return stoa_hash_bytes(text.data, text.length, 0);
}

/* Zeros of both signs are equal. */
static uint64_t hash_number(stoa_value_domain domain, uint64_t bits)
{
    if (domain == STOA_DOMAIN_F64 && bits << 1 == 0) {
        bits = 0;
    }
    return stoa_hash_bytes(&bits, sizeof bits, 0);
}

stoa_status stoa_in_hash(stoa_arena *arena, stoa_expr *test, stoa_error *err)
{
    enum { FEW = 1024 }; /* most slots of so short a list stay empty, and end a search at once */
    const stoa_vector *const list = &test->value;
    const bool texts = stoa_domain_is_bytes(list->type.domain);
    unsigned bits = 4;

    while ((INT64_C(1) << bits) < list->n * (list->n < FEW ? 8 : 2)) {
        bits++;
    }
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    uint64_t *const slots = stoa_arena_zero(arena, (size_t)mask + 1, sizeof *slots);
    STOA_RETURN_NO_MEMORY(err, slots);
    for (int64_t i = 0; i < list->n; i++) {
        const uint64_t hash =
            texts ? hash_text(list->as.bytes[i]) : hash_number(list->type.domain, list->as.u64[i]);
        uint64_t at = hash >> (64 - bits);
        while (slots[at] != 0) {
            at = (at + 1) & mask;
        }
        slots[at] = slot_of(hash, (uint64_t)i);
    }
    test->slots = slots;
    test->shift = 64 - bits;
    return STOA_OK;
}

/* IS_SAME(entry) compares with an entry of the list. */
#define FIND(test, hash, IS_SAME)                                                                  \
    do {                                                                                           \
        const uint64_t mask = UINT64_MAX >> (test)->shift;                                         \
        for (uint64_t at = (hash) >> (test)->shift, slot; (slot = (test)->slots[at]) != 0;         \
             at = (at + 1) & mask) {                                                               \
            if (slot >> 32 == ((hash)&UINT32_MAX) && IS_SAME(entry_of(slot))) {                    \
                return true;                                                                       \
            }                                                                                      \
        }                                                                                          \
        return false;                                                                              \
    } while (0)

bool stoa_in_texts(stoa_bytes text, const stoa_expr *test)
{
    const uint64_t hash = hash_text(text);
    const stoa_bytes *const list = test->value.as.bytes;

#define SAME_TEXT(i)                                                                               \
    (list[i].length == text.length && stoa_same_bytes(list[i].data, text.data, text.length))
    FIND(test, hash, SAME_TEXT);
}

static bool in_numbers(uint64_t bits, const stoa_expr *test)
{
    const uint64_t hash = hash_number(test->value.type.domain, bits);

#define SAME_INTEGER(i) (test->value.as.u64[i] == bits)
    FIND(test, hash, SAME_INTEGER);
}

static bool in_floats(double value, const stoa_expr *test)
{
    const uint64_t hash = hash_number(STOA_DOMAIN_F64, (union {
                                                           double f64;
                                                           uint64_t u64;
                                                       }){value}
                                                           .u64);

#define SAME_FLOAT(i) (test->value.as.f64[i] == value)
    FIND(test, hash, SAME_FLOAT);
}

void stoa_in_vector(const stoa_vector *values, const stoa_expr *test, int64_t n, uint8_t *bits)
{
    if (test->value.n == 0) { /* lists, too, are asked for: `v in (null)` */
        memset(bits, 0, (size_t)stoa_bit_bytes((uint64_t)n));
    } else if (stoa_domain_is_bytes(values->type.domain)) {
        PACK(stoa_in_texts(AT(values, bytes), test));
    } else if (values->type.domain == STOA_DOMAIN_F64) {
        PACK(in_floats(AT(values, f64), test));
    } else {
        PACK(in_numbers(AT(values, u64), test));
    }
}
