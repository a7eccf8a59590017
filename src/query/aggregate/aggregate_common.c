/* Shared by several kinds of aggregates. */
#include "query/aggregate/aggregate.h"

stoa_status stoa_aggregate_check_number(const stoa_binder *binder, stoa_aggregate *aggregate,
                                        stoa_error *err)
{
    stoa_expr *arg = aggregate->arg;
    char source[STOA_SOURCE_SIZE];
    char type[64];

    if (arg->type.domain == STOA_DOMAIN_BOOL) {
        return stoa_expr_cast(binder, STOA_DOMAIN_I64, &aggregate->arg, err);
    }
    if (arg->type.domain == STOA_DOMAIN_NULL || stoa_domain_is_number(arg->type.domain)) {
        return STOA_OK;
    }
    return STOA_FAIL_SYNTAX(err, STOA_ETYPE, arg->syntax, "%s takes a number, and %s is %s",
                            aggregate->kind->text.name, stoa_syntax_source(arg->syntax, source),
                            stoa_expr_type_name(binder, arg, type));
}

stoa_status stoa_aggregate_bind_f64(const stoa_binder *binder, stoa_aggregate *aggregate,
                                    stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_aggregate_check_number(binder, aggregate, err));
    STOA_RETURN_NOT_OK(stoa_expr_cast(binder, STOA_DOMAIN_F64, &aggregate->arg, err));
    aggregate->result.domain = STOA_DOMAIN_F64;
    return STOA_OK;
}

stoa_status stoa_aggregate_validity(const stoa_aggregate *aggregate, int64_t least, uint32_t first,
                                    uint32_t n, stoa_arena *arena, uint8_t **validity,
                                    stoa_error *err)
{
    const stoa_cell *cells = stoa_cells(aggregate) + first;

    *validity = stoa_arena_zero(arena, stoa_bit_bytes(n), 1);
    STOA_RETURN_NO_MEMORY(err, *validity);
    for (uint32_t i = 0; i < n; i++) {
        if (cells[i].n >= least) {
            stoa_bit_set(*validity, i);
        }
    }
    return STOA_OK;
}

/* Most bits of pairs that were met. */
#define MAX_BITS (UINT64_C(1) << 26)

stoa_status stoa_met_open(stoa_aggregate *aggregate, const stoa_labels *labels, stoa_met *met,
                          stoa_error *err)
{
    *met = (stoa_met){.stride = (uint64_t)labels->n + 1};
    if (aggregate->met_of != labels->generation ||
        aggregate->met_labels != labels->values.as.bytes) {
        aggregate->met.size = 0;
        aggregate->met_of = labels->generation;
        aggregate->met_labels = labels->values.as.bytes;
    }
    if (met->stride <= MAX_BITS / aggregate->n_groups) {
        const size_t wanted = (size_t)stoa_bit_bytes(met->stride * aggregate->n_groups);
        STOA_RETURN_NOT_OK(
            wanted > aggregate->met.size
                ? stoa_buffer_grow(&aggregate->met, wanted - aggregate->met.size, err)
                : STOA_OK);
        met->bits = aggregate->met.data;
    }
    return STOA_OK;
}

stoa_status stoa_aggregate_grow(const stoa_aggregate *aggregate, stoa_buffer *buffer, size_t size,
                                stoa_error *err)
{
    const size_t wanted = (size_t)aggregate->n_groups * size;

    return buffer->size < wanted ? stoa_buffer_grow(buffer, wanted - buffer->size, err) : STOA_OK;
}

stoa_status stoa_aggregate_extend(stoa_aggregate *aggregate, uint32_t n_groups, stoa_error *err)
{
    const stoa_expr *const by = aggregate->by;

    if (n_groups > aggregate->n_groups) {
        aggregate->n_groups = n_groups;
        STOA_RETURN_NOT_OK(
            stoa_aggregate_grow(aggregate, &aggregate->cells, sizeof(stoa_cell), err));
        if (stoa_domain_is_bytes(aggregate->result.domain)) {
            STOA_RETURN_NOT_OK(
                stoa_aggregate_grow(aggregate, &aggregate->texts, sizeof(stoa_buffer), err));
        }
        if (by != NULL && stoa_domain_is_bytes(by->type.domain)) {
            STOA_RETURN_NOT_OK(
                stoa_aggregate_grow(aggregate, &aggregate->keys, sizeof(stoa_buffer), err));
        }
    }
    return STOA_OK;
}
