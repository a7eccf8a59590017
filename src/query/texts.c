/* Tests of texts where they lie: lengths and first bytes decide before the whole text is looked at.
 */
#include <string.h>

#include "core/strings.h"
#include "query/eval.h"

/* Patterns without `_`, escapes, and a % inside are found as they are. */
typedef enum shape { SHAPE_ANY, SHAPE_WHOLE, SHAPE_START, SHAPE_END, SHAPE_PART } shape;

/* What is looked for, and where. */
typedef struct literal {
    shape shape;
    const char *data;
    size_t length;
} literal;

/* A pattern's literal; SHAPE_ANY if it has no such form. */
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
    /* A % takes whole characters: what follows it is not found in the middle of one. */
    if (open_start && out.length > 0 && ((unsigned char)out.data[0] & 0xc0) == 0x80) {
        return out;
    }
    out.shape =
        open_start ? (open_end ? SHAPE_PART : SHAPE_END) : (open_end ? SHAPE_START : SHAPE_WHOLE);
    return out;
}

static bool begins_with(const char *text, const literal *what)
{
    if (what->length >= sizeof(uint64_t)) {
        uint64_t a;
        uint64_t b;
        memcpy(&a, text, sizeof a);
        memcpy(&b, what->data, sizeof b);
        return a == b && memcmp(text, what->data, what->length) == 0;
    }
    for (size_t i = 0; i < what->length; i++) {
        if (text[i] != what->data[i]) {
            return false;
        }
    }
    return true;
}

static bool has_literal(const literal *what, const char *text, size_t length)
{
    if (length < what->length) {
        return false;
    }
    switch (what->shape) {
    case SHAPE_WHOLE:
        return length == what->length && begins_with(text, what);
    case SHAPE_START:
        return begins_with(text, what);
    case SHAPE_END:
        return begins_with(text + length - what->length, what);
    default:
        return what->length == 0 || memmem(text, length, what->data, what->length) != NULL;
    }
}

/* The one test that is not about a literal in its place. */
static bool passes(const stoa_expr *test, const char *text, size_t length)
{
    if (test->op == STOA_OP_LIKE) {
        const stoa_bytes pattern = test->value.as.bytes[0];
        return stoa_like(text, length, pattern.data, pattern.length, test->escape);
    }
    if (test->op == STOA_OP_IN) {
        return stoa_in_texts((stoa_bytes){text, length}, &test->value);
    }
    const stoa_bytes constant = test->args[1]->value.as.bytes[0];
    const int order = stoa_compare_bytes(text, length, constant.data, constant.length);
    return stoa_order_passes(test->compare, (order > 0) - (order < 0));
}

/* Of the rows of a word that are open, those that have the literal's length. Texts of other kinds
 * tell theirs one by one. */
static uint64_t same_length(const stoa_view *view, int64_t first, int n, size_t length)
{
    const uint8_t *const offsets = view->offsets;
    uint8_t flags[64] = {0};
    uint64_t word = 0;

    if (view->type.kind != STOA_KIND_STRING || length > INT32_MAX) {
        return UINT64_MAX;
    }
    for (int i = 0; i < n; i++) {
        int32_t ends[2];
        memcpy(ends, offsets + (size_t)(view->offset + first + i) * sizeof *ends, sizeof ends);
        flags[i] = ends[1] - ends[0] == (int32_t)length;
    }
    for (int i = 0; i < n; i++) {
        word |= (uint64_t)flags[i] << i;
    }
    return word;
}

void stoa_test_texts(const stoa_expr *test, const stoa_view *view, int64_t first, int64_t n,
                     const uint64_t *open, uint64_t *bits)
{
    const bool is_equality =
        test->op == STOA_OP_COMPARE && (test->compare == STOA_EQ || test->compare == STOA_NE);
    const bool others = is_equality && test->compare == STOA_NE;
    literal what = {0};

    if (test->op == STOA_OP_LIKE) {
        what = literal_of(test);
    } else if (is_equality) {
        const stoa_bytes constant = test->args[1]->value.as.bytes[0];
        what = (literal){SHAPE_WHOLE, constant.data, constant.length};
    }
    for (int64_t at = 0; at < n; at += 64) {
        const int n_word = n - at < 64 ? (int)(n - at) : 64;
        const uint64_t all = UINT64_MAX >> (64 - n_word);
        const uint64_t asked = open != NULL ? open[at / 64] & all : all;
        uint64_t rest = asked;
        uint64_t word = 0;
        if (rest != 0 && what.shape == SHAPE_WHOLE) {
            rest &= same_length(view, first + at, n_word, what.length);
        }
        for (; rest != 0; rest &= rest - 1) {
            const int i = __builtin_ctzll(rest);
            size_t length;
            const char *text = stoa_view_bytes(view, first + at + i, &length);
            const bool passed = what.shape != SHAPE_ANY ? has_literal(&what, text, length)
                                                        : passes(test, text, length);
            word |= (uint64_t)passed << i;
        }
        bits[at / 64] = others ? asked & ~word : word;
    }
}
