/* Writes the row labels in pandas' fixed format, and their frequency (fixed_write.h). */
#include <stdlib.h>

#include "core/memory.h"
#include "layout/pandas/codes.h"
#include "layout/pandas/fixed_write.h"
#include "layout/pandas/frame.h"
#include "layout/pytables/pytables.h"

stoa_status stoa_pandas_fixed_write_labels(const stoa_pandas_fixed *f,
                                           const stoa_pandas_column_writer *column, hid_t dataset,
                                           stoa_error *err)
{
    const stoa_pickled *const label = stoa_pandas_index_label(f->source, column->number);
    const char *const name =
        label == NULL ? stoa_pandas_index_name(f->source, column->number) : NULL;

    const bool is_fixed = column->text_width > 0;

    STOA_RETURN_NOT_OK(stoa_pytables_write_text(
        dataset, "kind", stoa_pandas_label_kind(&column->shape, is_fixed ? "string" : "object"),
        err));
    if (is_fixed && !column->is_level && column->shape.stats->n_missing > 0) {
        STOA_RETURN_NOT_OK(stoa_pytables_write_text(dataset, "nan_rep", STOA_PANDAS_NAN, err));
    }
    if (label != NULL && label->kind != STOA_PICKLE_NONE) {
        STOA_RETURN_NOT_OK(stoa_pandas_write_label(dataset, label, err));
    } else if (name != NULL) {
        STOA_RETURN_NOT_OK(stoa_pytables_write_text(dataset, "name", name, err));
    }
    if (column->shape.as == STOA_PANDAS_TIME) {
        STOA_RETURN_NOT_OK(stoa_pytables_write_text(dataset, "index_class", "datetime", err));
    } else if (column->shape.as == STOA_PANDAS_PERIOD) {
        STOA_RETURN_NOT_OK(stoa_pytables_write_text(dataset, "index_class", "period", err));
        STOA_RETURN_NOT_OK(stoa_pandas_write_freq(dataset, &column->shape.freq, err));
    }
    if (column->shape.zone != NULL) {
        STOA_RETURN_NOT_OK(stoa_pytables_write_text(dataset, "tz", column->shape.zone, err));
    }
    return STOA_OK;
}

void stoa_pandas_fixed_expect_freq(const stoa_pandas_fixed *f, stoa_pandas_column_writer *column)
{
    const stoa_pandas_shape *const shape = &column->shape;
    const int64_t per = stoa_time_nanoseconds(shape->type.unit);
    int64_t first = 0;
    int64_t last = 0;

    column->has_freq = column->is_index && !column->is_level &&
                       (shape->as == STOA_PANDAS_TIME || shape->as == STOA_PANDAS_DELTA) &&
                       stoa_pandas_declared_freq(f->source, &column->freq, &first, &last);
    if (column->has_freq && (shape->zone == NULL || column->freq.offset < STOA_PANDAS_DAY)) {
        const int64_t step = stoa_pandas_freq_step(&column->freq);
        column->step = step / per;
        column->has_freq = step % per == 0;
    }
}

stoa_status stoa_pandas_fixed_write_true_freq(const stoa_pandas_fixed *f,
                                              const stoa_pandas_column_writer *column,
                                              stoa_error *err)
{
    const stoa_pandas_run *const run = &column->run;
    stoa_pandas_freq freq;
    int64_t first = 0;
    int64_t last = 0;

    return column->has_freq && stoa_pandas_declared_freq(f->source, &freq, &first, &last) &&
                   !run->is_broken && run->first == first && run->last == last
               ? stoa_pandas_write_freq(column->dataset, &column->freq, err)
               : STOA_OK;
}

/* Write 0, 1 ... if there are no row labels. */
static stoa_status number_rows(const stoa_pandas_fixed *f, stoa_error *err)
{
    enum { AT_ONCE = 65536 };
    stoa_status status = STOA_OK;
    const uint64_t n = f->source->n_rows;
    int64_t *numbers = stoa_alloc(AT_ONCE, sizeof *numbers);
    hid_t dataset = H5I_INVALID_HID;

    STOA_TRY(numbers != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_pandas_fixed_make(f, f->rows, STOA_KIND_INT64, "int64", n, false, &dataset, err));
    for (uint64_t first = 0; first < n; first += AT_ONCE) {
        const uint64_t now = n - first < AT_ONCE ? n - first : AT_ONCE;
        for (uint64_t i = 0; i < now; i++) {
            numbers[i] = (int64_t)(first + i);
        }
        STOA_TRY(stoa_pandas_fixed_put(dataset, STOA_KIND_INT64, first, now, numbers, err));
    }
    STOA_TRY(stoa_pytables_write_text(dataset, "kind", "integer", err));

done:
    free(numbers);
    return stoa_hdf_close(&dataset, status, err);
}

stoa_status stoa_pandas_fixed_write_index(const stoa_pandas_fixed *f, stoa_error *err)
{
    const size_t n = f->source->n_index_columns;

    STOA_RETURN_NOT_OK(n == 0 ? number_rows(f, err) : STOA_OK);
    return stoa_pandas_write_levels(f, f->rows, n, err);
}
