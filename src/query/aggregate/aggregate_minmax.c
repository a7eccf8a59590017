/* min, max, bool_and, bool_or, first, last: aggregates that pick one value. `n` counts the values,
 * `a` holds the picked one. Of texts `a` is 1 if there is one, which a buffer of `texts` holds.
 * With `has_both`, `a` holds the least and `b` the greatest. arg_min, arg_max: `b` (or a buffer of
 * `keys`) holds the value's key. */
#include <math.h>
#include <string.h>

#include "core/string_set.h"
#include "query/aggregate/aggregate.h"

#define TEXTS(aggregate) ((stoa_buffer *)(void *)(aggregate)->texts.data)

/* Which value is kept, the old or the new one. RULE_RANGE keeps the least and the greatest. */
typedef enum rule { RULE_MIN, RULE_MAX, RULE_FIRST, RULE_LAST, RULE_RANGE } rule;

stoa_status stoa_pick_bind(const stoa_binder *binder, stoa_aggregate *aggregate, stoa_error *err)
{
    stoa_expr *arg = aggregate->arg;
    char source[STOA_SOURCE_SIZE];

    if (arg->type.domain == STOA_DOMAIN_OTHER) {
        return STOA_FAIL_SYNTAX(
            err, STOA_ETYPE, arg->syntax, "%s takes a plain value, and %s is a list or a struct",
            aggregate->kind->text.name, stoa_syntax_source(arg->syntax, source));
    }
    aggregate->result = arg->type;
    if (arg->type.domain == STOA_DOMAIN_BOOL) {
        aggregate->type.kind = STOA_KIND_BOOL;
        aggregate->result.domain = STOA_DOMAIN_I64;
        STOA_RETURN_NOT_OK(stoa_expr_cast(binder, STOA_DOMAIN_I64, &aggregate->arg, err));
    } else if (arg->op == STOA_OP_COLUMN &&
               stoa_type_of_values(&arg->type).kind != STOA_KIND_STRING &&
               stoa_type_of_values(&arg->type).kind != STOA_KIND_BINARY) {
        aggregate->type = binder->scope->columns[arg->column].plain; /* a float32 keeps its type */
    }
    return STOA_OK;
}

#define INLINE static inline __attribute__((always_inline))

/* A NaN is kept only if there is no other value. */
#define LESS_FLOAT(a, b) ((a) < (b) || (isnan(b) && !isnan(a)))
#define MORE_FLOAT(a, b) ((a) > (b) || (isnan(b) && !isnan(a)))

INLINE bool is_better(stoa_word value, stoa_word old, stoa_value_domain domain, rule by)
{
    switch (domain) {
    case STOA_DOMAIN_F64:
        return by == RULE_MIN ? LESS_FLOAT(value.f64, old.f64) : MORE_FLOAT(value.f64, old.f64);
    case STOA_DOMAIN_U64:
        return by == RULE_MIN ? value.u64 < old.u64 : value.u64 > old.u64;
    default:
        return by == RULE_MIN ? value.i64 < old.i64 : value.i64 > old.i64;
    }
}

/* Add the values of a cell to another one. */
INLINE void pick_number(stoa_cell *cell, const stoa_cell *more, stoa_value_domain domain, rule by)
{
    const bool is_new = cell->n == 0;
    const bool least = by == RULE_MIN || by == RULE_RANGE;

    if (is_new || by == RULE_LAST || (least && is_better(more->a, cell->a, domain, RULE_MIN)) ||
        (by == RULE_MAX && is_better(more->a, cell->a, domain, RULE_MAX))) {
        cell->a = more->a;
    }
    if (by == RULE_RANGE && (is_new || is_better(more->b, cell->b, domain, RULE_MAX))) {
        cell->b = more->b;
    }
    cell->n += more->n;
}

INLINE void pick_block(stoa_cell *cells, const stoa_block *block, stoa_value_domain domain, rule by)
{
    for (int64_t i = 0; i < block->n; i++) {
        const stoa_cell one = {.n = 1, .a = block->values[i], .b = block->values[i]};
        pick_number(&cells[block->ids != NULL ? block->ids[i] : 0], &one, domain, by);
    }
}

/* Domain and rule are constants in each call, so that a compiler makes a loop for each. */
#define PICK(by)                                                                                   \
    (domain == STOA_DOMAIN_F64   ? pick_block(cells, block, STOA_DOMAIN_F64, by)                   \
     : domain == STOA_DOMAIN_U64 ? pick_block(cells, block, STOA_DOMAIN_U64, by)                   \
                                 : pick_block(cells, block, STOA_DOMAIN_I64, by))

static void select_in_order(stoa_cell *cells, const stoa_block *block, stoa_value_domain domain,
                            rule by)
{
    switch (by) {
    case RULE_MIN:
        PICK(RULE_MIN);
        break;
    case RULE_MAX:
        PICK(RULE_MAX);
        break;
    case RULE_RANGE:
        PICK(RULE_RANGE);
        break;
    default: /* any domain: values are copied */
        pick_block(cells, block, STOA_DOMAIN_U64, by);
        break;
    }
}

static void select_each(stoa_aggregate *aggregate, const stoa_operand *operand, const uint32_t *ids,
                        rule by)
{
    stoa_block block;

    for (block.at = 0; stoa_block_next(&block, operand, ids);) {
        select_in_order(stoa_cells(aggregate), &block, aggregate->result.domain, by);
    }
}

/* The first of zeros of both signs counts, and an infinity may mean that all values were NaN. In
 * these cases the rows are examined one by one. */
static bool is_doubtful(stoa_word value, stoa_value_domain domain)
{
    return domain == STOA_DOMAIN_F64 && (value.f64 == 0 || isinf(value.f64));
}

/* Minimum and maximum of one group. */
static void select_extremes(stoa_aggregate *aggregate, const stoa_operand *operand, rule by)
{
    const stoa_value_domain domain = aggregate->result.domain;
    stoa_cell *cell = stoa_cells(aggregate);
    stoa_word *kept[2] = {by != RULE_MAX ? &cell->a : NULL, /* for the least, for the greatest */
                          by == RULE_RANGE ? &cell->b
                          : by == RULE_MAX ? &cell->a
                                           : NULL};
    stoa_word ends[2];

    aggregate->reduce->range[operand->kind](operand->values, operand->mask, operand->n, ends);
    for (int i = 0; i < 2; i++) {
        if (kept[i] != NULL && cell->n > 0 &&
            !is_better(ends[i], *kept[i], domain, i == 0 ? RULE_MIN : RULE_MAX)) {
            kept[i] = NULL;
        }
        if (kept[i] != NULL && is_doubtful(ends[i], domain)) {
            select_each(aggregate, operand, NULL, by);
            return;
        }
    }
    for (int i = 0; i < 2; i++) {
        if (kept[i] != NULL) {
            *kept[i] = ends[i];
        }
    }
    cell->n += operand->n_kept;
}

/* The first or last value of one group. */
static void select_end(stoa_aggregate *aggregate, const stoa_operand *operand, rule by)
{
    const stoa_operand one = stoa_operand_row(
        operand, by == RULE_FIRST ? stoa_operand_first(operand) : stoa_operand_last(operand));

    select_each(aggregate, &one, NULL, by);
    stoa_cells(aggregate)->n += operand->n_kept - 1;
}

static bool better_text(rule by, stoa_bytes value, const stoa_buffer *kept)
{
    if (by == RULE_FIRST || by == RULE_LAST) {
        return by == RULE_LAST;
    }
    const int order = stoa_compare_bytes(value.data, value.length, kept->data, kept->size);
    return by == RULE_MIN ? order < 0 : order > 0;
}

static stoa_status select_text(stoa_aggregate *aggregate, uint32_t group, stoa_bytes value,
                               int64_t n, rule by, stoa_error *err)
{
    stoa_cell *cell = &stoa_cells(aggregate)[group];
    stoa_buffer *kept = &TEXTS(aggregate)[group];

    if (cell->a.u64 == 0 || better_text(by, value, kept)) {
        cell->a.u64 = 1;
        kept->size = 0;
        STOA_RETURN_NOT_OK(stoa_buffer_append(kept, value.data, value.length, err));
    }
    cell->n += n;
    return STOA_OK;
}

/* Mark the codes of up to 64 rows of one group as met, and list those that are new. No branch
 * depends on a code, since no processor could foresee it. */
INLINE size_t meet_codes(const stoa_met *met, const uint32_t *codes, uint64_t rows, uint32_t *fresh)
{
    size_t n = 0;

    for (; rows != 0; rows &= rows - 1) {
        const uint32_t code = codes[__builtin_ctzll(rows)];
        uint8_t *const byte = &met->bits[code / 8];
        const unsigned bit = 1u << code % 8;
        fresh[n] = code;
        n += (*byte & bit) == 0;
        *byte = (uint8_t)(*byte | bit);
    }
    return n;
}

static bool is_met(const stoa_operand *operand, uint32_t code)
{
    const uint32_t *const codes = operand->values;
    bool is = stoa_has_code(codes, operand->n, code);

    if (is && operand->mask != NULL) { /* in a row that counts? */
        is = false;
        STOA_EACH_KEPT(row, operand)
        {
            is |= codes[row] == code;
        }
    }
    return is;
}

/* Look for the best of all labels: no other row matters then. */
static stoa_status look_for_end(stoa_aggregate *aggregate, const stoa_operand *operand, rule by,
                                stoa_error *err)
{
    if (!aggregate->may_end || aggregate->has_ended || !is_met(operand, aggregate->end)) {
        return STOA_OK;
    }
    aggregate->has_ended = true;
    return select_text(aggregate, 0, aggregate->end_text, 1, by, err);
}

/* The least or largest label of one group. */
static stoa_status select_label(stoa_aggregate *aggregate, const stoa_operand *operand,
                                const stoa_met *met, rule by, stoa_error *err)
{
    const stoa_bytes *const labels = operand->labels->values.as.bytes;
    const uint32_t *const codes = operand->values;
    uint32_t fresh[64];

    for (int64_t at = 0; !aggregate->has_ended && at < operand->n; at += 64) {
        const size_t n = meet_codes(met, codes + at, stoa_operand_word(operand, at), fresh);
        for (size_t i = 0; i < n; i++) { /* so that they are fetched at the same time */
            __builtin_prefetch(labels[fresh[i]].data);
        }
        for (size_t i = 0; i < n; i++) {
            STOA_RETURN_NOT_OK(select_text(aggregate, 0, labels[fresh[i]], 0, by, err));
        }
    }
    stoa_cells(aggregate)->n += operand->n_kept;
    return STOA_OK;
}

/* The least or largest label of each group. A label is looked at once. */
static stoa_status select_labels(stoa_aggregate *aggregate, const stoa_operand *operand,
                                 const uint32_t *ids, rule by, stoa_error *err)
{
    const stoa_bytes *const labels = operand->labels->values.as.bytes;
    const uint32_t *const codes = operand->values;
    stoa_met met;

    STOA_RETURN_NOT_OK(look_for_end(aggregate, operand, by, err));
    if (aggregate->only_looks) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_met_open(aggregate, operand->labels, &met, err));
    if (ids == NULL && met.bits != NULL) {
        return select_label(aggregate, operand, &met, by, err);
    }
    STOA_EACH_KEPT(row, operand)
    {
        const uint32_t group = ids != NULL ? ids[row] : 0;
        stoa_cells(aggregate)[group].n++;
        if (stoa_met_is_new(&met, group, codes[row])) {
            STOA_RETURN_NOT_OK(select_text(aggregate, group, labels[codes[row]], 0, by, err));
        }
    }
    return STOA_OK;
}

static stoa_status select_update(stoa_aggregate *aggregate, const stoa_operand *operand,
                                 const uint32_t *ids, rule by, stoa_error *err)
{
    if (operand->kind == STOA_KIND_DICTIONARY) {
        return select_labels(aggregate, operand, ids, by, err);
    }
    if (operand->kind == STOA_KIND_STRING) {
        const stoa_bytes *texts = operand->values;
        STOA_EACH_KEPT(row, operand)
        {
            STOA_RETURN_NOT_OK(
                select_text(aggregate, ids != NULL ? ids[row] : 0, texts[row], 1, by, err));
        }
    } else if (ids != NULL) {
        select_each(aggregate, operand, ids, by);
    } else if (by != RULE_FIRST && by != RULE_LAST) {
        select_extremes(aggregate, operand, by);
    } else {
        select_end(aggregate, operand, by);
    }
    return STOA_OK;
}

static stoa_status select_merge(stoa_aggregate *aggregate, const stoa_aggregate *from,
                                const uint32_t *ids, rule by, stoa_error *err)
{
    const bool texts = stoa_domain_is_bytes(aggregate->result.domain);

    for (uint32_t i = 0; i < from->n_groups; i++) {
        const uint32_t group = ids != NULL ? ids[i] : 0;
        const stoa_cell *more = &stoa_cells(from)[i];
        if (more->n > 0 && texts && more->a.u64 == 0) { /* its labels were looked at before */
            stoa_cells(aggregate)[group].n += more->n;
        } else if (more->n > 0 && texts) {
            const stoa_buffer *kept = &TEXTS(from)[i];
            const stoa_bytes value = {(const char *)kept->data, kept->size};
            STOA_RETURN_NOT_OK(select_text(aggregate, group, value, more->n, by, err));
        } else if (more->n > 0) {
            pick_number(&stoa_cells(aggregate)[group], more, aggregate->result.domain, by);
        }
    }
    return STOA_OK;
}

stoa_status stoa_pick_result(stoa_aggregate *aggregate, uint32_t first, uint32_t n,
                             stoa_arena *arena, stoa_vector *out, stoa_error *err)
{
    uint8_t *validity = NULL;

    if (aggregate->result.domain == STOA_DOMAIN_NULL) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_aggregate_validity(aggregate, 1, first, n, arena, &validity, err));
    out->validity = validity;
    if (stoa_domain_is_bytes(aggregate->result.domain)) {
        stoa_bytes *texts = stoa_arena_alloc(arena, n, sizeof *texts);
        STOA_RETURN_NO_MEMORY(err, texts);
        for (uint32_t i = 0; i < n; i++) {
            const stoa_buffer *kept = &TEXTS(aggregate)[first + i];
            texts[i] = (stoa_bytes){(const char *)kept->data, kept->size};
        }
        out->as.bytes = texts;
    } else {
        uint64_t *values = stoa_arena_alloc(arena, n, sizeof *values);
        STOA_RETURN_NO_MEMORY(err, values);
        const bool is_b = aggregate->has_both && aggregate->kind == &stoa_aggregate_max;
        for (uint32_t i = 0; i < n; i++) {
            const stoa_cell *cell = &stoa_cells(aggregate)[first + i];
            values[i] = is_b ? cell->b.u64 : cell->a.u64;
        }
        out->as.u64 = values;
    }
    return STOA_OK;
}

/* arg_min, arg_max ---------------------------------------------------------------------------- */

#define KEYS(aggregate) ((stoa_buffer *)(void *)(aggregate)->keys.data)

static stoa_status check_plain(stoa_aggregate *aggregate, const stoa_expr *expr, stoa_error *err)
{
    char source[STOA_SOURCE_SIZE];

    if (expr->type.domain != STOA_DOMAIN_OTHER) {
        return STOA_OK;
    }
    return STOA_FAIL_SYNTAX(err, STOA_ETYPE, expr->syntax,
                            "%s takes a plain value, and %s is a list or a struct",
                            aggregate->kind->text.name, stoa_syntax_source(expr->syntax, source));
}

static stoa_status arg_bind(const stoa_binder *binder, stoa_aggregate *aggregate, stoa_error *err)
{
    STOA_RETURN_NOT_OK(check_plain(aggregate, aggregate->by, err));
    if (aggregate->by->type.domain == STOA_DOMAIN_BOOL) {
        STOA_RETURN_NOT_OK(stoa_expr_cast(binder, STOA_DOMAIN_I64, &aggregate->by, err));
    }
    return stoa_pick_bind(binder, aggregate, err);
}

/* A value and its key: of each the word or the text. */
typedef struct keyed {
    stoa_word value;
    stoa_word key;
    stoa_bytes text;
    stoa_bytes key_text;
} keyed;

/* Put a value in the place of the group's, if its key is better. */
static stoa_status offer(stoa_aggregate *aggregate, uint32_t group, const keyed *one, int64_t n,
                         rule by, stoa_error *err)
{
    stoa_cell *const cell = &stoa_cells(aggregate)[group];
    const stoa_value_domain domain = aggregate->by->type.domain;
    const bool has_texts = stoa_domain_is_bytes(domain);
    const bool is_taken =
        cell->n == 0 || (has_texts ? better_text(by, one->key_text, &KEYS(aggregate)[group])
                                   : is_better(one->key, cell->b, domain, by));

    cell->n += n;
    if (is_taken && has_texts) {
        stoa_buffer *const key = &KEYS(aggregate)[group];
        key->size = 0;
        STOA_RETURN_NOT_OK(stoa_buffer_append(key, one->key_text.data, one->key_text.length, err));
    }
    if (is_taken && stoa_domain_is_bytes(aggregate->result.domain)) {
        stoa_buffer *const text = &TEXTS(aggregate)[group];
        text->size = 0;
        STOA_RETURN_NOT_OK(stoa_buffer_append(text, one->text.data, one->text.length, err));
    }
    if (is_taken) {
        cell->a = one->value;
        cell->b = one->key;
    }
    return STOA_OK;
}

/* The words of an operand's rows that count, one behind the other; NULL for texts. */
static const stoa_word *words_of(const stoa_operand *operand, stoa_word *words)
{
    stoa_block block;

    if (operand->kind == STOA_KIND_STRING) {
        return NULL;
    }
    for (block.at = 0; stoa_block_next(&block, operand, NULL); words += block.n) {
        memcpy(words, block.values, (size_t)block.n * sizeof *words);
    }
    return words;
}

static stoa_status arg_update(stoa_aggregate *aggregate, const stoa_operand *operand,
                              const uint32_t *ids, rule by, stoa_error *err)
{
    const size_t n = (size_t)operand->n_kept;
    stoa_buffer *const scratch = &aggregate->scratch;
    int64_t i = 0;

    scratch->size = 0;
    STOA_RETURN_NOT_OK(stoa_buffer_grow(scratch, 2 * n * sizeof(stoa_word), err));
    stoa_word *const words = (stoa_word *)(void *)scratch->data;
    const bool has_words = words_of(operand, words) != NULL;
    const bool has_keys = words_of(operand->by, words + n) != NULL;
    STOA_EACH_KEPT(row, operand)
    {
        keyed one = {.text = {NULL, 0}};
        if (has_words) {
            one.value = words[i];
        } else {
            one.text = ((const stoa_bytes *)operand->values)[row];
        }
        if (has_keys) {
            one.key = words[n + (size_t)i];
        } else {
            one.key_text = ((const stoa_bytes *)operand->by->values)[row];
        }
        i++;
        STOA_RETURN_NOT_OK(offer(aggregate, ids != NULL ? ids[row] : 0, &one, 1, by, err));
    }
    return STOA_OK;
}

static stoa_bytes text_at(const stoa_buffer *texts, uint32_t group)
{
    const stoa_buffer *const all = (const stoa_buffer *)(const void *)texts->data;

    return texts->size > 0 ? (stoa_bytes){(const char *)all[group].data, all[group].size}
                           : (stoa_bytes){NULL, 0};
}

static stoa_status arg_merge(stoa_aggregate *aggregate, const stoa_aggregate *from,
                             const uint32_t *ids, rule by, stoa_error *err)
{
    for (uint32_t i = 0; i < from->n_groups; i++) {
        const stoa_cell *const more = &stoa_cells(from)[i];
        const keyed one = {more->a, more->b, text_at(&from->texts, i), text_at(&from->keys, i)};
        if (more->n > 0) {
            STOA_RETURN_NOT_OK(offer(aggregate, ids != NULL ? ids[i] : 0, &one, more->n, by, err));
        }
    }
    return STOA_OK;
}

#define DEFINE_ARG(name, also, by, help)                                                           \
    static stoa_status name##_update(stoa_aggregate *aggregate, const stoa_operand *operand,       \
                                     const uint32_t *ids, stoa_error *err)                         \
    {                                                                                              \
        return arg_update(aggregate, operand, ids, by, err);                                       \
    }                                                                                              \
    static stoa_status name##_merge(stoa_aggregate *aggregate, const stoa_aggregate *from,         \
                                    const uint32_t *ids, stoa_error *err)                          \
    {                                                                                              \
        return arg_merge(aggregate, from, ids, by, err);                                           \
    }                                                                                              \
    const stoa_aggregate_kind stoa_aggregate_##name = {                                            \
        .text = {#name, also, #name "(x, y)", help, NULL},                                         \
        .form = STOA_TAKES_PAIR,                                                                   \
        .bind = arg_bind,                                                                          \
        .update = name##_update,                                                                   \
        .merge = name##_merge,                                                                     \
        .result = stoa_pick_result,                                                                \
    };
DEFINE_ARG(arg_min, "argmin min_by", RULE_MIN, "x of the first row with the least y")
DEFINE_ARG(arg_max, "argmax max_by", RULE_MAX, "x of the first row with the largest y")

/* One argument -------------------------------------------------------------------------------- */

static stoa_status bool_bind(const stoa_binder *binder, stoa_aggregate *aggregate, stoa_error *err)
{
    const stoa_expr *const arg = aggregate->arg;
    char source[STOA_SOURCE_SIZE];
    char type[64];

    if (arg->type.domain != STOA_DOMAIN_BOOL && arg->type.domain != STOA_DOMAIN_NULL) {
        return STOA_FAIL_SYNTAX(err, STOA_ETYPE, arg->syntax, "%s takes a condition, and %s is %s",
                                aggregate->kind->text.name, stoa_syntax_source(arg->syntax, source),
                                stoa_expr_type_name(binder, arg, type));
    }
    return stoa_pick_bind(binder, aggregate, err);
}

#define DEFINE_PICK(name, also, usage, by, needs, bind_it, help)                                   \
    static stoa_status name##_update(stoa_aggregate *aggregate, const stoa_operand *operand,       \
                                     const uint32_t *ids, stoa_error *err)                         \
    {                                                                                              \
        return select_update(aggregate, operand, ids, aggregate->has_both ? RULE_RANGE : (by),     \
                             err);                                                                 \
    }                                                                                              \
    static stoa_status name##_merge(stoa_aggregate *aggregate, const stoa_aggregate *from,         \
                                    const uint32_t *ids, stoa_error *err)                          \
    {                                                                                              \
        return select_merge(aggregate, from, ids, aggregate->has_both ? RULE_RANGE : (by), err);   \
    }                                                                                              \
    const stoa_aggregate_kind stoa_aggregate_##name = {                                            \
        .text = {#name, also, usage, help, NULL},                                                  \
        .form = STOA_TAKES_VALUE,                                                                  \
        .need = needs,                                                                             \
        .bind = bind_it,                                                                           \
        .update = name##_update,                                                                   \
        .merge = name##_merge,                                                                     \
        .result = stoa_pick_result,                                                                \
    };
DEFINE_PICK(min, NULL, "min(x)", RULE_MIN, STOA_NEED_CODES, stoa_pick_bind,
            "the least value; NaN only if there is nothing else")
DEFINE_PICK(max, NULL, "max(x)", RULE_MAX, STOA_NEED_CODES, stoa_pick_bind,
            "the largest value; NaN only if there is nothing else")
DEFINE_PICK(first, "any_value", "first(x)", RULE_FIRST, STOA_NEED_VALUES, stoa_pick_bind,
            "the first value in table order that is not missing")
DEFINE_PICK(last, NULL, "last(x)", RULE_LAST, STOA_NEED_VALUES, stoa_pick_bind,
            "the last value in table order that is not missing")
DEFINE_PICK(bool_and, NULL, "bool_and(c)", RULE_MIN, STOA_NEED_VALUES, bool_bind,
            "whether the condition is never false")
DEFINE_PICK(bool_or, NULL, "bool_or(c)", RULE_MAX, STOA_NEED_VALUES, bool_bind,
            "whether the condition is ever true")
