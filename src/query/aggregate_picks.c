/* min, max, first, last: one of the values. `n` counts them, `a` (or `texts`) holds the one. */
#include <math.h>
#include <string.h>

#include "core/strings.h"
#include "query/aggregate.h"

#define ENTRIES(buffer, ctype) ((ctype *)(void *)(buffer).data)

/* Which value stays, the one before or the new one. */
typedef enum rule { RULE_MIN, RULE_MAX, RULE_FIRST, RULE_LAST } rule;

static stoa_status pick_bind(const stoa_binder *binder, stoa_aggregate *aggregate, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_expr *arg = aggregate->arg;
    char source[STOA_SOURCE_SIZE];

    if (arg->type.domain == STOA_DOMAIN_OTHER) {
        STOA_TRY(STOA_FAIL_SYNTAX(err, STOA_ETYPE, arg->syntax,
                                  "%s takes a plain value, and %s is a list or a struct",
                                  aggregate->kind->name, stoa_syntax_source(arg->syntax, source)));
    }
    aggregate->result = arg->type;
    if (arg->type.domain == STOA_DOMAIN_BOOL) {
        aggregate->type.kind = STOA_KIND_BOOL;
        aggregate->result.domain = STOA_DOMAIN_I64;
        STOA_TRY(stoa_expr_cast(binder, STOA_DOMAIN_I64, &aggregate->arg, err));
    } else if (arg->op == STOA_OP_COLUMN &&
               stoa_type_of_values(&arg->type).kind != STOA_KIND_STRING &&
               stoa_type_of_values(&arg->type).kind != STOA_KIND_BINARY) {
        aggregate->type = binder->scope->columns[arg->column].type; /* a float32 stays one */
    }

done:
    return status;
}

/* A NaN is taken only where there is nothing else. */
#define BETTER_MIN(new, old) ((new) < (old))
#define BETTER_MAX(new, old) ((new) > (old))
#define BETTER_MIN_F64(new, old) ((new) < (old) || (isnan(old) && !isnan(new)))
#define BETTER_MAX_F64(new, old) ((new) > (old) || (isnan(old) && !isnan(new)))
#define BETTER_FIRST(new, old) ((void)(old), false)
#define BETTER_LAST(new, old) ((void)(old), true)

#define PICK(ctype, field, BETTER)                                                                 \
    do {                                                                                           \
        ctype *kept = ENTRIES(aggregate->a, ctype);                                                \
        for (int64_t i = 0; i < n; i++) {                                                          \
            if (values->validity == NULL || stoa_bit_get(values->validity, (uint64_t)i)) {         \
                const ctype value = values->as.field[i];                                           \
                if (counts[ids[i]]++ == 0 || BETTER(value, kept[ids[i]])) {                        \
                    kept[ids[i]] = value;                                                          \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    } while (0)

static void pick_numbers(stoa_aggregate *aggregate, const stoa_vector *values, const uint32_t *ids,
                         int64_t n, rule by)
{
    const stoa_value_domain domain = values->type.domain;
    int64_t *counts = ENTRIES(aggregate->n, int64_t);

    if (by == RULE_FIRST) {
        PICK(uint64_t, u64, BETTER_FIRST);
    } else if (by == RULE_LAST) {
        PICK(uint64_t, u64, BETTER_LAST);
    } else if (domain == STOA_DOMAIN_F64) {
        if (by == RULE_MIN) {
            PICK(double, f64, BETTER_MIN_F64);
        } else {
            PICK(double, f64, BETTER_MAX_F64);
        }
    } else if (domain == STOA_DOMAIN_U64) {
        if (by == RULE_MIN) {
            PICK(uint64_t, u64, BETTER_MIN);
        } else {
            PICK(uint64_t, u64, BETTER_MAX);
        }
    } else if (by == RULE_MIN) {
        PICK(int64_t, i64, BETTER_MIN);
    } else {
        PICK(int64_t, i64, BETTER_MAX);
    }
}

static bool better_text(rule by, stoa_bytes value, const stoa_buffer *kept)
{
    if (by == RULE_FIRST || by == RULE_LAST) {
        return by == RULE_LAST;
    }
    const int order = stoa_compare_bytes(value.data, value.length, kept->data, kept->size);
    return by == RULE_MIN ? order < 0 : order > 0;
}

static stoa_status pick_texts(stoa_aggregate *aggregate, const stoa_vector *values,
                              const uint32_t *ids, int64_t n, rule by, stoa_error *err)
{
    stoa_status status = STOA_OK;
    int64_t *counts = ENTRIES(aggregate->n, int64_t);
    stoa_buffer *texts = ENTRIES(aggregate->texts, stoa_buffer);

    for (int64_t i = 0; i < n; i++) {
        if (values->validity != NULL && !stoa_bit_get(values->validity, (uint64_t)i)) {
            continue;
        }
        stoa_buffer *kept = &texts[ids[i]];
        const stoa_bytes value = values->as.bytes[i];
        if (counts[ids[i]]++ == 0 || better_text(by, value, kept)) {
            kept->size = 0;
            STOA_TRY(stoa_buffer_append(kept, value.data, value.length, err));
        }
    }

done:
    return status;
}

static stoa_status pick_update(stoa_aggregate *aggregate, const stoa_vector *values,
                               const uint32_t *ids, int64_t n, rule by, stoa_error *err)
{
    if (values->type.domain == STOA_DOMAIN_TEXT || values->type.domain == STOA_DOMAIN_BYTES) {
        return pick_texts(aggregate, values, ids, n, by, err);
    }
    pick_numbers(aggregate, values, ids, n, by);
    return STOA_OK;
}

/* The picks of the other part are values as any other. */
static stoa_status pick_merge(stoa_aggregate *aggregate, const stoa_aggregate *from,
                              const uint32_t *ids, rule by, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_value_domain domain = aggregate->result.domain;
    const bool texts = domain == STOA_DOMAIN_TEXT || domain == STOA_DOMAIN_BYTES;
    const int64_t *more = ENTRIES(from->n, int64_t);

    for (uint32_t i = 0; i < from->n_groups; i++) {
        const uint8_t valid = more[i] > 0;
        stoa_vector value = {.type = aggregate->result, .n = 1, .validity = &valid};
        stoa_bytes text;
        if (texts) {
            const stoa_buffer *kept = &ENTRIES(from->texts, stoa_buffer)[i];
            text = (stoa_bytes){(const char *)kept->data, kept->size};
            value.as.bytes = &text;
        } else {
            value.as.u64 = &ENTRIES(from->a, uint64_t)[i];
        }
        STOA_TRY(pick_update(aggregate, &value, &ids[i], 1, by, err));
        ENTRIES(aggregate->n, int64_t)[ids[i]] += valid ? more[i] - 1 : 0;
    }

done:
    return status;
}

static stoa_status pick_result(stoa_aggregate *aggregate, uint32_t first, uint32_t n,
                               stoa_pool *pool, stoa_vector *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_value_domain domain = aggregate->result.domain;
    uint8_t *validity = NULL;

    if (domain == STOA_DOMAIN_NULL) {
        return STOA_OK;
    }
    STOA_TRY(stoa_aggregate_validity(aggregate, 1, first, n, pool, &validity, err));
    out->validity = validity;
    out->as.u64 = ENTRIES(aggregate->a, uint64_t) + first;
    if (domain == STOA_DOMAIN_TEXT || domain == STOA_DOMAIN_BYTES) {
        stoa_bytes *texts = stoa_pool_alloc(pool, n, sizeof *texts);
        STOA_TRY(texts != NULL ? STOA_OK : stoa_fail_memory(err));
        for (uint32_t i = 0; i < n; i++) {
            const stoa_buffer *kept = &ENTRIES(aggregate->texts, stoa_buffer)[first + i];
            texts[i] = (stoa_bytes){(const char *)kept->data, kept->size};
        }
        out->as.bytes = texts;
    }

done:
    return status;
}

#define DEFINE_PICK(name, rule_of)                                                                 \
    static stoa_status name##_update(stoa_aggregate *aggregate, const stoa_vector *values,         \
                                     const uint32_t *ids, int64_t n, stoa_error *err)              \
    {                                                                                              \
        return pick_update(aggregate, values, ids, n, rule_of, err);                               \
    }                                                                                              \
    static stoa_status name##_merge(stoa_aggregate *aggregate, const stoa_aggregate *from,         \
                                    const uint32_t *ids, stoa_error *err)                          \
    {                                                                                              \
        return pick_merge(aggregate, from, ids, rule_of, err);                                     \
    }                                                                                              \
    const stoa_aggregate_kind stoa_aggregate_##name = {                                            \
        #name, 1, pick_bind, name##_update, name##_merge, pick_result};
DEFINE_PICK(min, RULE_MIN)
DEFINE_PICK(max, RULE_MAX)
DEFINE_PICK(first, RULE_FIRST)
DEFINE_PICK(last, RULE_LAST)
