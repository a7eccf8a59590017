/* The shape of an ArrayView: a column of numbers, or of arrays of equal shape (write_plan.h). */
#include "layout/arkouda/write/write_plan.h"

#include <string.h>

#include "column/type/tensor.h"
#include "core/memory.h"

/* Upper bound on dimensions, beyond what real arrays have. */
enum { MAX_RANK = 32 };

/* The elements of a column: nesting depth, and number per row. */
typedef struct elements {
    const struct ArrowSchema *field;
    const stoa_column_stats *stats;
    int64_t dims[MAX_RANK];
    size_t rank;
    uint64_t n;       /* per row */
    bool has_missing; /* rows, or items that are arrays */
} elements;

/* Split a width into the dimensions that the field declares, or keep `width` as one. */
static stoa_status split_width(const struct ArrowSchema *field, int64_t width, elements *e,
                               stoa_error *err)
{
    hsize_t dims[H5S_MAX_RANK];
    int rank = 0;

    STOA_RETURN_NOT_OK(stoa_tensor_shape(field, (uint64_t)width, dims, &rank, err));
    if (rank == 0 || e->rank + (size_t)rank >= MAX_RANK) {
        e->dims[e->rank++] = width;
        return STOA_OK;
    }
    for (int i = 0; i < rank; i++) {
        e->dims[e->rank++] = (int64_t)dims[i];
    }
    return STOA_OK;
}

static stoa_status descend(elements *e, stoa_error *err)
{
    stoa_type type;

    for (;;) {
        STOA_RETURN_NOT_OK(stoa_type_of(e->field, &type, err));
        if (type.kind != STOA_KIND_FIXED_LIST) {
            break;
        }
        e->has_missing = e->has_missing || e->stats->n_missing > 0;
        if (e->rank + 1 >= MAX_RANK || (type.width > 0 && e->n > INT32_MAX)) {
            return stoa_fail(err, STOA_ETYPE, "column '%s' has more dimensions than an ArrayView",
                             e->field->name);
        }
        STOA_RETURN_NOT_OK(split_width(e->field, type.width, e, err));
        e->n *= (uint64_t)type.width;
        e->field = e->field->children[0];
        e->stats = &e->stats->fields[0];
    }
    return STOA_OK;
}

static stoa_status check_elements(const elements *e, const stoa_arkouda_column *column,
                                  const char *name, stoa_error *err)
{
    const bool is_number = column->shape.as == STOA_ARKOUDA_AS_NUMBERS;

    if ((!is_number && column->shape.as != STOA_ARKOUDA_AS_LIMBS) ||
        column->shape.kind != STOA_ARKOUDA_PDARRAY) {
        return stoa_fail(err, STOA_ETYPE,
                         "column '%s' is not of numbers, which alone an ArrayView is made of",
                         name);
    }
    if (e->has_missing ||
        (e->stats->n_missing > 0 && (!is_number || column->shape.stored != STOA_KIND_FLOAT64))) {
        return stoa_fail(err, STOA_ELOSS,
                         "column '%s' has missing values, which an ArrayView of other numbers than "
                         "floats cannot hold",
                         name);
    }
    return STOA_OK;
}

stoa_status stoa_arkouda_plan_shape(stoa_arkouda_plan *plan, const stoa_layout_source *source,
                                    const char *name, stoa_error *err)
{
    stoa_arkouda_entry *const entry = &plan->entries[0];
    const struct ArrowSchema *const field = source->schema->children[0];
    elements e = {.field = field,
                  .stats = &source->columns[0],
                  .dims = {(int64_t)source->n_rows},
                  .rank = 1,
                  .n = 1};

    *entry = (stoa_arkouda_entry){.object = STOA_ARKOUDA_NO_OBJECT};
    STOA_RETURN_NOT_OK(descend(&e, err));
    STOA_RETURN_NOT_OK(stoa_arkouda_column_type_of(e.field, e.stats, &entry->column, err));
    STOA_RETURN_NOT_OK(check_elements(&e, &entry->column, field->name, err));
    entry->column.shape.kind = STOA_ARKOUDA_ARRAYVIEW;
    plan->n_entries = 1;
    if (e.n > 0 && source->n_rows > INT64_MAX / e.n) {
        return stoa_fail(err, STOA_ERANGE, "column '%s' has too many elements", field->name);
    }
    plan->n_units = source->n_rows * e.n;
    plan->units_of_a_row = e.n;
    plan->rank = e.rank;
    plan->shape = stoa_alloc(e.rank, sizeof *plan->shape);
    entry->name = stoa_strdup(name);
    STOA_RETURN_NO_MEMORY(err, plan->shape != NULL && entry->name != NULL);
    memcpy(plan->shape, e.dims, e.rank * sizeof *plan->shape);
    return STOA_OK;
}
