/* Chooses how column labels are stored in pandas' fixed format (fixed_write.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "layout/pandas/fixed_write.h"
#include "layout/pandas/frame.h"

stoa_pandas_label_part stoa_pandas_part_of(const stoa_pandas_fixed *f, const char *name,
                                           size_t level)
{
    const stoa_pickled *const label = f->has_labels ? stoa_pandas_label_of(f->source, name) : NULL;

    return (stoa_pandas_label_part){f->n_levels > 1 ? stoa_pickled_item(label, level) : label,
                                    name};
}

bool stoa_pandas_is_missing_part(const stoa_pandas_label_part *p)
{
    stoa_pandas_time time;

    return p->node != NULL && (p->node->kind == STOA_PICKLE_NONE ||
                               (p->node->kind == STOA_PICKLE_FLOAT && isnan(p->node->as.number)) ||
                               (stoa_pandas_time_of(p->node, &time) && time.ticks == INT64_MIN));
}

/* pandas stores durations in nanoseconds here, and dates as days, which cannot be missing. */
static bool fits_time(const stoa_pandas_time *time)
{
    const int64_t most = INT64_MAX / stoa_time_nanoseconds(time->unit);

    if (time->kind == STOA_PANDAS_IS_DATE) {
        return time->ticks != INT64_MIN;
    }
    return time->kind != STOA_PANDAS_IS_DELTA || time->ticks == INT64_MIN ||
           (time->ticks <= most && time->ticks >= -most);
}

/* The storage form of one label. pandas reads the string "nan" as missing. */
static stoa_pandas_stored stored_as(const stoa_pandas_label_part *p, stoa_pandas_time *time)
{
    if (p->node == NULL) {
        return strcmp(p->text, "nan") == 0 ? STOA_PANDAS_OBJECTS : STOA_PANDAS_TEXTS;
    }
    switch (p->node->kind) {
    case STOA_PICKLE_TEXT:
        return stoa_pickled_is_text(p->node, "nan") ? STOA_PANDAS_OBJECTS : STOA_PANDAS_TEXTS;
    case STOA_PICKLE_INT:
        return STOA_PANDAS_INTEGERS;
    case STOA_PICKLE_FLOAT:
        return STOA_PANDAS_FLOATS;
    case STOA_PICKLE_BOOL:
        return STOA_PANDAS_TRUTHS;
    default:
        return stoa_pandas_time_of(p->node, time) && fits_time(time) ? STOA_PANDAS_TIMES
                                                                     : STOA_PANDAS_OBJECTS;
    }
}

static void learn(stoa_pandas_level *level, const stoa_pandas_label_part *p)
{
    stoa_pandas_time time = {.ticks = 0};
    const stoa_pandas_stored as = stored_as(p, &time);
    const bool is_alike = as != STOA_PANDAS_TIMES ||
                          (time.kind == level->like.kind && time.unit == level->like.unit &&
                           strcmp(time.zone, level->like.zone) == 0 &&
                           stoa_pandas_freq_is_same(&time.freq, &level->like.freq));

    if (!level->is_known) {
        *level = (stoa_pandas_level){.as = as, .is_known = true, .like = time};
    } else if (as != level->as || !is_alike) {
        level->as = STOA_PANDAS_OBJECTS;
    }
}

/* Whether a numeric kind holds all labels. */
static bool holds_all(const stoa_pandas_fixed *f, stoa_kind kind)
{
    bool holds = true;

    for (size_t i = 0; holds && i < f->n_columns; i++) {
        const stoa_pandas_label_part p = stoa_pandas_part_of(f, f->columns[i].shape.field->name, 0);
        const bool is_integer = p.node != NULL && p.node->kind == STOA_PICKLE_INT;
        if (f->columns[i].is_index) {
            continue;
        }
        holds = !is_integer || !stoa_kind_is_integer(kind)
                    ? stoa_kind_is_float(kind)
                    : stoa_pandas_kind_holds(kind, p.node->as.integer);
    }
    return holds;
}

/* Use the noted kind of numbers if it is not the 64-bit kind. */
static void learn_kind(stoa_pandas_fixed *f)
{
    const stoa_pickled *const dtype = stoa_pandas_axis_of(f->source, "dtype");
    const stoa_pandas_stored as = f->levels[0].as;

    for (stoa_kind kind = STOA_KIND_INT8; f->n_levels == 1 && kind <= STOA_KIND_FLOAT64;
         kind = (stoa_kind)(kind + 1)) {
        const char *const name = stoa_pandas_dtype(kind);
        if (name != NULL && stoa_pickled_is_text(dtype, name) && holds_all(f, kind) &&
            (stoa_kind_is_float(kind) ? as == STOA_PANDAS_FLOATS : as == STOA_PANDAS_INTEGERS) &&
            kind != STOA_KIND_FLOAT16) {
            f->levels[0].kind = kind;
        }
    }
}

/* By labels, or else by the names of the columns, since two of them cannot have the same label. */
stoa_status stoa_pandas_fixed_plan_labels(stoa_pandas_fixed *f, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_pandas_labels_are_unique(f->source, &f->has_labels, err));
    f->n_levels = f->has_labels ? stoa_pandas_n_levels(f->source) : 1;
    f->levels = stoa_alloc_zero(f->n_levels, sizeof *f->levels);
    STOA_RETURN_NO_MEMORY(err, f->levels);
    for (size_t i = 0; i < f->n_columns; i++) {
        for (size_t k = 0; !f->columns[i].is_index && k < f->n_levels; k++) {
            const stoa_pandas_label_part p =
                stoa_pandas_part_of(f, f->columns[i].shape.field->name, k);
            if (f->n_levels == 1 || !stoa_pandas_is_missing_part(&p)) {
                learn(&f->levels[k], &p);
            }
        }
    }
    learn_kind(f);
    return STOA_OK;
}
