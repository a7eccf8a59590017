#include "column/write/plain_form.h"

#include <stdlib.h>

#include "core/memory.h"

void stoa_stored_form_clear(stoa_stored_form *plain)
{
    free(plain->validity);
    free(plain->integers);
    *plain = (stoa_stored_form){.validity = NULL};
}

stoa_status stoa_stored_form_start(stoa_stored_form *plain, const stoa_view *view, stoa_error *err)
{
    plain->integers = stoa_alloc_zero((size_t)view->length, sizeof *plain->integers);
    plain->validity = stoa_alloc_zero(stoa_bit_bytes((uint64_t)view->length), 1);
    STOA_RETURN_NO_MEMORY(err, plain->integers != NULL && plain->validity != NULL);
    plain->view = (stoa_view){.type = {.kind = STOA_KIND_INT64, .width = sizeof *plain->integers},
                              .length = view->length,
                              .null_count = view->length,
                              .validity = plain->validity,
                              .values = plain->integers,
                              .array = view->array,
                              .schema = view->schema};
    return STOA_OK;
}

void stoa_stored_form_put(stoa_stored_form *plain, int64_t i, int64_t value)
{
    plain->integers[i] = value;
    stoa_bit_set(plain->validity, (uint64_t)i);
    plain->view.null_count--;
}

/* Convert the ticks of the view to stored counts of the column. */
static stoa_status to_counts(const stoa_column *column, const stoa_view *view,
                             stoa_stored_form *plain, stoa_error *err)
{
    const stoa_time_units *time = &column->time;
    const stoa_rescaling scale = stoa_rescaling_of(view->type.unit, time->unit);

    STOA_RETURN_NOT_OK(stoa_stored_form_start(plain, view, err));
    for (int64_t i = 0; i < view->length; i++) {
        int64_t tick;
        if (stoa_view_is_null(view, i)) {
            continue;
        }
        if (__builtin_mul_overflow(stoa_view_i64(view, i), scale.up, &tick) ||
            tick % scale.down != 0 ||
            __builtin_sub_overflow(tick / scale.down, time->epoch_ticks, &tick) ||
            tick % time->ticks_per != 0) {
            return stoa_fail(
                err, STOA_ELOSS,
                "'%s' counts %s; a time that is finer, between two, or out of range would be "
                "lost",
                column->name, column->units);
        }
        stoa_stored_form_put(plain, i, tick / time->ticks_per);
    }
    return STOA_OK;
}

/* If a dictionary has null entries, make the rows that refer to them null. */
static stoa_status drop_null_labels(const stoa_view *view, stoa_stored_form *plain, stoa_error *err)
{
    stoa_view labels;

    STOA_RETURN_NOT_OK(stoa_view_dictionary(view, &labels, err));
    if (labels.null_count == 0) {
        return STOA_OK;
    }
    plain->validity = stoa_alloc_zero(stoa_bit_bytes((uint64_t)(view->offset + view->length)), 1);
    STOA_RETURN_NO_MEMORY(err, plain->validity);
    plain->view.validity = plain->validity;
    plain->view.null_count = view->length;
    for (int64_t i = 0; i < view->length; i++) {
        if (!stoa_view_is_null(view, i) && !stoa_view_is_null(&labels, stoa_view_i64(view, i))) {
            stoa_bit_set(plain->validity, (uint64_t)(view->offset + i));
            plain->view.null_count--;
        }
    }
    return STOA_OK;
}

stoa_status stoa_plain_form_of(const stoa_column *column, const stoa_view *view,
                               stoa_stored_form *plain, stoa_error *err)
{
    *plain = (stoa_stored_form){.view = *view};
    if (view->null_count == view->length) {
        return STOA_OK; /* of any type, since there is no value */
    }
    if (column->is_time) {
        return to_counts(column, view, plain, err);
    }
    return view->type.kind == STOA_KIND_DICTIONARY ? drop_null_labels(view, plain, err) : STOA_OK;
}
