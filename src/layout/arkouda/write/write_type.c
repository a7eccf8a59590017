#include "layout/arkouda/write/write_type.h"

#include <string.h>

/* --- types ----------------------------------------------------------------------------------- */

static bool is_extension(const struct ArrowSchema *field, const char *name)
{
    const char *found = NULL;
    size_t length = 0;

    return stoa_schema_get(field, "ARROW:extension:name", &found, &length) &&
           length == strlen(name) && memcmp(found, name, length) == 0;
}

static void numbers(stoa_arkouda_column_type *shape, stoa_arkouda_kind kind, stoa_kind stored,
                    int64_t per)
{
    shape->as = STOA_ARKOUDA_AS_NUMBERS;
    shape->kind = kind;
    shape->stored = stored;
    shape->per = per;
}

/* Eight bytes per limb, and at least one limb (§E.3). */
static void limbs(const struct ArrowSchema *field, stoa_arkouda_column_type *shape)
{
    const char *text = NULL;
    size_t length = 0;

    shape->as = STOA_ARKOUDA_AS_LIMBS;
    shape->kind = STOA_ARKOUDA_PDARRAY;
    shape->n_limbs = ((uint32_t)shape->type.width + 7) / 8;
    shape->n_limbs += shape->n_limbs == 0;
    if (!stoa_schema_get(field, "ARROW:extension:metadata", &text, &length) ||
        !stoa_parse_i64(text, length, &shape->max_bits) || shape->max_bits <= 0) {
        shape->max_bits = -1;
    }
}

/* Choose the type that readers give narrower ones: int64 for all integers but uint64, float64 for
 * all floats (§E.1). */
static bool choose(const struct ArrowSchema *field, stoa_arkouda_column_type *shape)
{
    const stoa_kind kind = shape->type.kind;

    if (kind == STOA_KIND_BOOL) {
        numbers(shape, STOA_ARKOUDA_PDARRAY, STOA_KIND_BOOL, 0);
    } else if (stoa_kind_is_ticks(kind)) {
        numbers(shape, kind == STOA_KIND_DURATION ? STOA_ARKOUDA_TIMEDELTA : STOA_ARKOUDA_DATETIME,
                STOA_KIND_INT64, stoa_time_nanoseconds(shape->type.unit));
    } else if (kind == STOA_KIND_UINT64 && is_extension(field, STOA_ARKOUDA_EXTENSION_IPV4)) {
        numbers(shape, STOA_ARKOUDA_IPV4, STOA_KIND_UINT64, 0);
    } else if (stoa_kind_is_integer(kind)) {
        numbers(shape, STOA_ARKOUDA_PDARRAY,
                kind == STOA_KIND_UINT64 ? STOA_KIND_UINT64 : STOA_KIND_INT64, 0);
    } else if (stoa_kind_is_float(kind)) {
        numbers(shape, STOA_ARKOUDA_PDARRAY, STOA_KIND_FLOAT64, 0);
    } else if (kind == STOA_KIND_FIXED_BINARY &&
               is_extension(field, STOA_ARKOUDA_EXTENSION_BIGINT)) {
        limbs(field, shape);
    } else if (stoa_kind_is_string(kind)) {
        shape->as = STOA_ARKOUDA_AS_TEXTS;
        shape->kind = STOA_ARKOUDA_STRINGS;
    } else {
        return false;
    }
    return true;
}

static bool has_text_labels(const struct ArrowSchema *field)
{
    stoa_type labels;

    return stoa_type_of(field->dictionary, &labels, NULL) == STOA_OK &&
           stoa_kind_is_string(labels.kind);
}

/* Arkouda has no SegArrays of datetimes and similar kinds. */
static bool choose_items(stoa_arkouda_column *column)
{
    const struct ArrowSchema *const item = column->field->children[0];

    return stoa_type_of(item, &column->items.type, NULL) == STOA_OK &&
           column->items.type.kind != STOA_KIND_DICTIONARY && choose(item, &column->items) &&
           (column->items.kind == STOA_ARKOUDA_PDARRAY ||
            column->items.kind == STOA_ARKOUDA_STRINGS);
}

static stoa_status choose_column(stoa_arkouda_column *column, stoa_error *err)
{
    stoa_arkouda_column_type *const shape = &column->shape;
    char text[64];
    bool is_known = false;

    STOA_RETURN_NOT_OK(stoa_type_of(column->field, &shape->type, err));
    if (shape->type.kind == STOA_KIND_DICTIONARY) {
        shape->as = STOA_ARKOUDA_AS_CODES;
        shape->kind = STOA_ARKOUDA_CATEGORICAL;
        is_known = has_text_labels(column->field);
    } else if (stoa_kind_is_list(shape->type.kind)) {
        shape->as = STOA_ARKOUDA_AS_LISTS;
        shape->kind = STOA_ARKOUDA_SEGARRAY;
        is_known = choose_items(column);
    } else {
        is_known = choose(column->field, shape);
    }
    if (!is_known) {
        return stoa_fail(err, STOA_ETYPE,
                         "column '%s' is of type %s%s, which Arkouda has no array of; leave it out",
                         column->field->name, stoa_type_name(&shape->type, text),
                         shape->as == STOA_ARKOUDA_AS_LISTS
                             ? " of other things than numbers and strings"
                         : shape->as == STOA_ARKOUDA_AS_CODES ? " of labels that are no strings"
                                                              : "");
    }
    return STOA_OK;
}

/* --- values ---------------------------------------------------------------------------------- */

/* Whether all times fit in 64 bits as nanoseconds, and none equals NaT. */
static bool times_fit(const stoa_arkouda_column_type *shape, const stoa_domain *domain)
{
    const int64_t most = INT64_MAX / shape->per;
    const bool is_low = domain->has_negative && domain->low < -most;
    const bool is_high = domain->has_positive && domain->high > (uint64_t)most;

    return domain->n_values == 0 || (!is_low && !is_high);
}

static stoa_status check_items(const stoa_arkouda_column *column, stoa_error *err)
{
    const stoa_column_stats *const items = &column->stats->fields[0];

    if (items->n_missing > 0 && !(column->items.as == STOA_ARKOUDA_AS_NUMBERS &&
                                  column->items.stored == STOA_KIND_FLOAT64)) {
        return stoa_fail(err, STOA_ELOSS,
                         "column '%s' has lists with missing items, which a SegArray of Arkouda "
                         "cannot hold; --missing '%s=VALUE' says what stands for them",
                         column->field->name, column->field->name);
    }
    return STOA_OK;
}

static stoa_status check_values(const stoa_arkouda_column *column, stoa_error *err)
{
    const stoa_column_stats *const stats = column->stats;
    const bool is_list = column->shape.as == STOA_ARKOUDA_AS_LISTS;

    if (column->shape.per != 0 && !times_fit(&column->shape, &stats->domain)) {
        return stoa_fail(
            err, STOA_ELOSS,
            "column '%s' has %s, which Arkouda, in nanoseconds of 64 bits, cannot hold",
            column->field->name,
            column->shape.type.kind == STOA_KIND_DURATION
                ? "durations of more than 292 years"
                : "times outside of the years 1678 to 2262");
    }
    const stoa_arkouda_column_type *const texts = is_list ? &column->items : &column->shape;
    if ((texts->as == STOA_ARKOUDA_AS_TEXTS || texts->as == STOA_ARKOUDA_AS_CODES) &&
        (is_list ? stats->fields[0].domain.has_nul : stats->domain.has_nul)) {
        return stoa_fail(err, STOA_ELOSS,
                         "column '%s' has a text with a NUL in it, where Arkouda's strings end",
                         column->field->name);
    }
    if (is_list) {
        STOA_RETURN_NOT_OK(check_items(column, err));
    }
    return STOA_OK;
}

stoa_status stoa_arkouda_column_type_of(const struct ArrowSchema *field,
                                        const stoa_column_stats *stats, stoa_arkouda_column *column,
                                        stoa_error *err)
{
    *column = (stoa_arkouda_column){.field = field, .stats = stats};
    STOA_RETURN_NOT_OK(choose_column(column, err));
    return check_values(column, err);
}

bool stoa_arkouda_holds_missing(const struct ArrowSchema *field)
{
    stoa_arkouda_column column = {.field = field};

    return choose_column(&column, NULL) == STOA_OK &&
           (column.shape.as == STOA_ARKOUDA_AS_CODES ||
            (column.shape.as == STOA_ARKOUDA_AS_NUMBERS &&
             (column.shape.per != 0 || column.shape.stored == STOA_KIND_FLOAT64)));
}

const stoa_missing_rules stoa_arkouda_missing = {.holds = stoa_arkouda_holds_missing,
                                                 .drops = true,
                                                 .masks = true};
