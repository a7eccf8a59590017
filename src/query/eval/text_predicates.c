/* Tests of texts in place. Lengths and first bytes are compared before whole texts. */
#include <string.h>

#include "core/short_bytes.h"
#include "core/string_set.h"
#include "index/common/order_keys.h"
#include "query/eval/eval.h"

/* Patterns without `_`, escapes, or a % inside are searched as literals. */
typedef enum shape { SHAPE_ANY, SHAPE_WHOLE, SHAPE_START, SHAPE_END, SHAPE_PART } shape;

/* A literal, and where in the text it must be. */
typedef struct literal {
    shape shape;
    const char *data;
    size_t length;
} literal;

/* The literal of a pattern; SHAPE_ANY if it does not have one of these forms. */
static literal literal_of(const stoa_expr *like)
{
    const stoa_bytes pattern = like->value.as.bytes[0];
    const bool open_start = pattern.length > 0 && pattern.data[0] == '%';
    const bool open_end = pattern.length > 1 && pattern.data[pattern.length - 1] == '%';
    literal out = {.data = pattern.data + open_start,
                   .length = pattern.length - open_start - open_end};

    for (size_t i = 0; i < pattern.length; i++) {
        const bool outer = (i == 0 && open_start) || (i == pattern.length - 1 && open_end);
        const unsigned char byte = (unsigned char)pattern.data[i];
        if (byte == like->escape || byte == '_' || (byte == '%' && !outer)) {
            return out;
        }
    }
    /* A % matches whole characters, so the text after it must not begin within one. */
    if (open_start && out.length > 0 && ((unsigned char)out.data[0] & 0xc0) == 0x80) {
        return out;
    }
    out.shape =
        open_start ? (open_end ? SHAPE_PART : SHAPE_END) : (open_end ? SHAPE_START : SHAPE_WHOLE);
    return out;
}

static bool has_literal(const literal *what, const char *text, size_t length)
{
    if (length < what->length) {
        return false;
    }
    switch (what->shape) {
    case SHAPE_WHOLE:
        return length == what->length && stoa_same_bytes(text, what->data, what->length);
    case SHAPE_START:
        return stoa_same_bytes(text, what->data, what->length);
    case SHAPE_END:
        return stoa_same_bytes(text + length - what->length, what->data, what->length);
    default:
        return stoa_find_bytes(text, length, what->data, what->length) != SIZE_MAX;
    }
}

/* The verdicts on texts whose first bytes are less, as a number, than those of a constant, and on
 * those whose first bytes are greater. They decide most comparisons. */
typedef struct by_beginning {
    uint64_t word;
    bool less;
    bool greater;
} by_beginning;

static by_beginning beginning_of(const stoa_expr *compare)
{
    const stoa_bytes constant = compare->args[1]->value.as.bytes[0];

    return (by_beginning){stoa_key_of_bytes(constant.data, constant.length),
                          stoa_order_passes(compare->compare, -1),
                          stoa_order_passes(compare->compare, 1)};
}

/* Compare the text with the constant. */
static inline bool compares(const stoa_expr *test, const by_beginning *begins, const char *text,
                            size_t length)
{
    const stoa_bytes constant = test->args[1]->value.as.bytes[0];
    const uint64_t word = stoa_key_of_bytes(text, length);

    if (word != begins->word) {
        return word < begins->word ? begins->less : begins->greater;
    }
    const int order = stoa_compare_bytes(text, length, constant.data, constant.length);
    return stoa_order_passes(test->compare, (order > 0) - (order < 0));
}

/* A pattern that is no literal, or a list. */
static bool matches(const stoa_expr *test, const char *text, size_t length)
{
    if (test->op == STOA_OP_IN) {
        return stoa_in_texts((stoa_bytes){text, length}, test);
    }
    const stoa_bytes pattern = test->value.as.bytes[0];

    return stoa_like(text, length, pattern.data, pattern.length, test->escape);
}

/* Equality ---------------------------------------------------------------------------------- */

/* Of the texts at base + ends[i] whose bits are set, find those whose first and last bytes equal
 * the literal's. All have its length. If all bits of a word are set, there are no branches. */
#define DEFINE_SAME_ENDS(type)                                                                     \
    static inline bool has_##type(const char *text, size_t skip, type low, type high)              \
    {                                                                                              \
        type a;                                                                                    \
        type b;                                                                                    \
        memcpy(&a, text, sizeof a);                                                                \
        memcpy(&b, text + skip, sizeof b);                                                         \
        return (a == low) & (b == high);                                                           \
    }                                                                                              \
    static uint64_t same_##type(const char *base, const int32_t *ends, uint64_t rest,              \
                                const literal *what)                                               \
    {                                                                                              \
        const size_t skip = what->length - sizeof(type);                                           \
        uint64_t word = 0;                                                                         \
        type low;                                                                                  \
        type high;                                                                                 \
        memcpy(&low, what->data, sizeof low);                                                      \
        memcpy(&high, what->data + skip, sizeof high);                                             \
        if (rest == UINT64_MAX) {                                                                  \
            for (int i = 0; i < 64; i++) {                                                         \
                word |= (uint64_t)has_##type(base + ends[i], skip, low, high) << i;                \
            }                                                                                      \
            return word;                                                                           \
        }                                                                                          \
        for (; rest != 0; rest &= rest - 1) {                                                      \
            const int i = __builtin_ctzll(rest);                                                   \
            word |= (uint64_t)has_##type(base + ends[i], skip, low, high) << i;                    \
        }                                                                                          \
        return word;                                                                               \
    }

DEFINE_SAME_ENDS(uint8_t)
DEFINE_SAME_ENDS(uint16_t)
DEFINE_SAME_ENDS(uint32_t)
DEFINE_SAME_ENDS(uint64_t)

/* Two overlapping loads cover a text of up to sixteen bytes, and the ends of longer ones. */
static uint64_t same_texts(const char *base, const int32_t *ends, uint64_t rest,
                           const literal *what)
{
    uint64_t word = rest;

    if (what->length >= sizeof(uint64_t)) {
        word = same_uint64_t(base, ends, rest, what);
    } else if (what->length >= sizeof(uint32_t)) {
        word = same_uint32_t(base, ends, rest, what);
    } else if (what->length >= sizeof(uint16_t)) {
        word = same_uint16_t(base, ends, rest, what);
    } else if (what->length > 0) {
        word = same_uint8_t(base, ends, rest, what);
    }
    for (uint64_t left = what->length > 2 * sizeof left ? word : 0; left != 0; left &= left - 1) {
        const int i = __builtin_ctzll(left);
        if (memcmp(base + ends[i], what->data, what->length) != 0) {
            word &= ~(UINT64_C(1) << i);
        }
    }
    return word;
}

/* Of up to 64 texts from row `first` on whose bits in `asked` are set, find those equal to the
 * literal. */
static uint64_t equal_texts(const stoa_filter_kernels *filter, const stoa_view *view, int64_t first,
                            int n, uint64_t asked, const literal *what)
{
    const uint8_t *const offsets = view->offsets;
    const stoa_bounds bounds = {.low = what->length};
    int32_t ends[65];
    int32_t lengths[64];
    uint64_t word;

    memcpy(ends, offsets + (size_t)(view->offset + first) * sizeof *ends,
           ((size_t)n + 1) * sizeof *ends);
    for (int i = 0; i < n; i++) {
        lengths[i] = ends[i + 1] - ends[i];
    }
    filter->within[STOA_LANE_32](lengths, n, &bounds, &word);
    return same_texts(view->values, ends, asked & word, what);
}

void stoa_test_texts(const stoa_filter_kernels *filter, const stoa_expr *test,
                     const stoa_view *view, int64_t first, int64_t n, const uint64_t *open,
                     uint64_t *bits)
{
    const bool is_equality =
        test->op == STOA_OP_COMPARE && (test->compare == STOA_EQ || test->compare == STOA_NE);
    const bool is_order = test->op == STOA_OP_COMPARE && !is_equality;
    const bool others = is_equality && test->compare == STOA_NE;
    by_beginning begins = {0};
    literal what = {0};

    if (test->op == STOA_OP_LIKE) {
        what = literal_of(test);
    } else if (is_equality) {
        const stoa_bytes constant = test->args[1]->value.as.bytes[0];
        what = (literal){SHAPE_WHOLE, constant.data, constant.length};
    } else if (is_order) {
        begins = beginning_of(test);
    }
    const bool by_words = what.shape == SHAPE_WHOLE && what.length <= INT32_MAX &&
                          view->type.kind == STOA_KIND_STRING;
    for (int64_t at = 0; at < n; at += 64) {
        const int n_word = n - at < 64 ? (int)(n - at) : 64;
        const uint64_t all = UINT64_MAX >> (64 - n_word);
        const uint64_t asked = open != NULL ? open[at / 64] & all : all;
        uint64_t rest = asked;
        uint64_t word = 0;
        if (by_words && rest != 0) {
            word = equal_texts(filter, view, first + at, n_word, asked, &what);
            rest = 0;
        }
        for (; rest != 0; rest &= rest - 1) {
            const int i = __builtin_ctzll(rest);
            size_t length;
            const char *text = stoa_view_bytes(view, first + at + i, &length);
            const bool passed = what.shape != SHAPE_ANY ? has_literal(&what, text, length)
                                : is_order              ? compares(test, &begins, text, length)
                                                        : matches(test, text, length);
            word |= (uint64_t)passed << i;
        }
        bits[at / 64] = others ? asked & ~word : word;
    }
}
