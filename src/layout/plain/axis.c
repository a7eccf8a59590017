/* The axis of an array whose elements lie at equal distances: the attributes Xstart and Xspacing
 * (GWOSC). */
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "layout/plain/plain.h"

/* Rows at equal distances. */
typedef struct steps {
    double first;
    double step;
} steps;

typedef struct numbering {
    const steps *steps;
    uint64_t first;
} numbering;

static bool put_step(const void *context, int64_t i, uint8_t *values)
{
    const numbering *const n = context;
    const double value = n->steps->first + (double)(n->first + (uint64_t)i) * n->steps->step;

    memcpy(values + (size_t)i * sizeof value, &value, sizeof value);
    return true;
}

static stoa_status read_steps(void *context, uint64_t first, uint64_t count, struct ArrowArray *out,
                              stoa_error *err)
{
    const numbering n = {context, first};

    return stoa_array_put(out, (int64_t)count, sizeof(double), put_step, &n, err);
}

stoa_status stoa_plain_add_axis(stoa_table *table, hid_t dataset, double from, double by,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    stoa_column *column = NULL;
    char *label = NULL;
    steps own = {0, 0};
    steps *s = NULL;

    if (!stoa_plain_number(dataset, "Xstart", &own.first) ||
        !stoa_plain_number(dataset, "Xspacing", &own.step)) {
        return STOA_OK;
    }
    own.first += from * own.step;
    own.step *= by;
    s = stoa_alloc(1, sizeof *s);
    STOA_TRY(s != NULL ? STOA_OK : stoa_fail_memory(err));
    *s = own;
    STOA_TRY(stoa_attribute_read_optional(dataset, "Xlabel", &label, err));
    STOA_TRY(stoa_schema_make(&schema, label != NULL && label[0] != '\0' ? label : "x",
                              stoa_kind_format(STOA_KIND_FLOAT64), err));
    const stoa_column_source source = {.read_array = read_steps, .close = free, .context = s};
    s = NULL;
    STOA_TRY(stoa_column_of_source(&schema, table->n_rows, &source, &column, err));
    STOA_TRY(stoa_attribute_read_optional(dataset, "Xunits", &column->units, err));
    status = stoa_foreign_add(table, column, err);
    column = NULL;

done:
    free(s);
    free(label);
    stoa_schema_release(&schema);
    stoa_column_close(column);
    return status;
}
