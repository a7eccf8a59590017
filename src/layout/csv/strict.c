#include "layout/csv/strict.h"

#include <stdlib.h>
#include <string.h>

/* What a column's values are, without their widths and units; NULL if all are missing. */
static const char *nature_of(const stoa_csv_column *column)
{
    const stoa_kind kind = column->type.kind;

    return column->guess.n_values == 0   ? NULL
           : stoa_kind_is_integer(kind)  ? "integers"
           : stoa_kind_is_float(kind)    ? "floats"
           : kind == STOA_KIND_BOOL      ? "truth values"
           : kind == STOA_KIND_DATE      ? "dates"
           : kind == STOA_KIND_TIMESTAMP ? "times"
           : kind == STOA_KIND_DURATION  ? "durations"
                                         : "text";
}

static const stoa_csv_column *column_called(const stoa_csv_columns *columns, const char *name)
{
    for (size_t i = 0; i < columns->n; i++) {
        if (strcmp(columns->items[i].name, name) == 0) {
            return &columns->items[i];
        }
    }
    return NULL;
}

stoa_status stoa_csv_compare_types(const stoa_csv_columns *columns, const stoa_csv_columns *file,
                                   const char *name, stoa_csv_nature *known, stoa_error *err)
{
    for (size_t i = 0; i < columns->n; i++) {
        const stoa_csv_column *const column = &columns->items[i];
        const stoa_csv_column *const own = column_called(file, column->name);
        const char *const is = own != NULL && !column->is_typed ? nature_of(own) : NULL;

        if (is != NULL && known[i].is != NULL && strcmp(is, known[i].is) != 0) {
            stoa_at(err, STOA_EDATA, "%s", name);
            return stoa_fail(err, STOA_EDATA,
                             "column '%s' has %s, and %s in '%s'; without --strict one type holds "
                             "both",
                             column->name, is, known[i].is, known[i].file);
        }
        if (is != NULL && known[i].is == NULL) {
            known[i] = (stoa_csv_nature){is, name};
        }
    }
    return STOA_OK;
}
