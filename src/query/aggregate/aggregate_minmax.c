/* min, max, first, last: aggregates that pick one value. `n` counts the values, `a` (or a buffer
 * of `texts`) holds the picked one. With `has_both`, `a` holds the least and `b` the greatest. */
#include <math.h>
#include <string.h>

#include "core/string_set.h"
#include "query/aggregate/aggregate.h"

#define TEXTS(aggregate) ((stoa_buffer *)(void *)(aggregate)->texts.data)

/* Which value is kept, the old or the new one. RULE_RANGE keeps the least and the greatest. */
typedef enum rule { RULE_MIN, RULE_MAX, RULE_FIRST, RULE_LAST, RULE_RANGE } rule;

static stoa_status select_bind(const stoa_binder *binder, stoa_aggregate *aggregate,
                               stoa_error *err)
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

    if (cell->n == 0 || better_text(by, value, kept)) {
        kept->size = 0;
        STOA_RETURN_NOT_OK(stoa_buffer_append(kept, value.data, value.length, err));
    }
    cell->n += n;
    return STOA_OK;
}

static stoa_status select_update(stoa_aggregate *aggregate, const stoa_operand *operand,
                                 const uint32_t *ids, rule by, stoa_error *err)
{
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
        if (more->n > 0 && texts) {
            const stoa_buffer *kept = &TEXTS(from)[i];
            const stoa_bytes value = {(const char *)kept->data, kept->size};
            STOA_RETURN_NOT_OK(select_text(aggregate, group, value, more->n, by, err));
        } else if (more->n > 0) {
            pick_number(&stoa_cells(aggregate)[group], more, aggregate->result.domain, by);
        }
    }
    return STOA_OK;
}

static stoa_status select_result(stoa_aggregate *aggregate, uint32_t first, uint32_t n,
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

#define DEFINE_PICK(name, also, by, help)                                                          \
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
    const stoa_aggregate_kind stoa_aggregate_##name = {{#name, also, #name "(x)", help, NULL},     \
                                                       1,                                          \
                                                       STOA_NEED_VALUES,                           \
                                                       select_bind,                                \
                                                       name##_update,                              \
                                                       name##_merge,                               \
                                                       select_result,                              \
                                                       NULL};
DEFINE_PICK(min, NULL, RULE_MIN, "the least value; NaN only if there is nothing else")
DEFINE_PICK(max, NULL, RULE_MAX, "the largest value; NaN only if there is nothing else")
DEFINE_PICK(first, "any_value", RULE_FIRST, "the first value in table order that is not missing")
DEFINE_PICK(last, NULL, RULE_LAST, "the last value in table order that is not missing")
