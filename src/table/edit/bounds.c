#include "table/edit/bounds.h"

#include <string.h>

#include "column/read/block.h"
#include "column/type/parse_value.h"
#include "column/write/encode.h"
#include "hdf/metadata/attributes.h"

/* --- A bound as text -------------------------------------------------------------------------- */

static stoa_status check_type(const stoa_column *column, stoa_error *err)
{
    const stoa_element *element = &column->element;
    const bool is_number = (element->class == STOA_ELEMENT_INTEGER && !element->is_bitfield) ||
                           element->class == STOA_ELEMENT_FLOAT;
    char type[64];

    if (!is_number || stoa_column_is_categorical(column)) {
        return stoa_fail(err, STOA_ETYPE,
                         "column '%s' is %s; valid_min and valid_max are for numbers and times "
                         "(HEP001 §8.5)",
                         column->name, stoa_type_name(&column->type, type));
    }
    if (column->type.kind == STOA_KIND_BOOL) {
        return stoa_fail(err, STOA_ETYPE,
                         "the range 0 to 1 is what makes '%s' a column of booleans (HEP001 §8.5)",
                         column->name);
    }
    return STOA_OK;
}

static stoa_status parse_bound(const stoa_column *column, const char *text, uint8_t *bound,
                               stoa_error *err)
{
    const stoa_value_form form = {.element = &column->element,
                                  .type = &column->type,
                                  .time = column->is_time ? &column->time : NULL,
                                  .units = column->units,
                                  .name = column->name};

    STOA_RETURN_NOT_OK(stoa_parse_value(&form, text, bound, err));
    return stoa_element_is_nan(&column->element, bound)
               ? stoa_fail(err, STOA_EINVAL, "'%.100s' is no number", text)
               : STOA_OK;
}

/* --- Bounds and values ------------------------------------------------------------------------ */

static stoa_status add_to_domain(void *context, uint64_t first, const stoa_view *view,
                                 stoa_error *err)
{
    (void)first;
    return stoa_domain_add(context, view, err);
}

/* Format a value that the bound excludes; "" if it is not known. */
static void excluded_text(const stoa_column *column, const stoa_domain *domain, bool is_low,
                          char out[STOA_NUMBER_SIZE])
{
    const stoa_time_units *units = &column->time;
    int64_t ticks = 0;

    out[0] = '\0';
    if (column->element.class == STOA_ELEMENT_FLOAT) {
        (void)stoa_format_f64(is_low ? domain->low_f : domain->high_f, out);
    } else if (column->is_time && (is_low || domain->has_positive)) {
        const int64_t count = is_low ? domain->low : (int64_t)domain->high;
        if (!__builtin_mul_overflow(count, units->ticks_per, &ticks) &&
            !__builtin_add_overflow(ticks, units->epoch_ticks, &ticks)) {
            (void)stoa_type_format_ticks(&column->type, ticks, out);
        }
    } else if (is_low) {
        (void)stoa_format_i64(domain->low, out);
    } else if (domain->has_positive) {
        (void)stoa_format_u64(domain->high, out);
    }
}

/* `with` is a copy of the column that has the new bound. */
static stoa_status check_bounds(stoa_column *column, const stoa_column *with, uint64_t n_rows,
                                bool is_low, const char *text, stoa_error *err)
{
    stoa_domain domain = {0};
    char value[STOA_NUMBER_SIZE];

    if (with->valid_min != NULL && with->valid_max != NULL) {
        const stoa_domain low = stoa_domain_of(column->element.kind, with->valid_min);
        if (!stoa_column_spans(with, &low)) {
            return stoa_fail(err, STOA_ERANGE, "valid_min of '%s' would be above its valid_max",
                             column->name);
        }
        if (column->fill != NULL && !column->fill_is_nan) {
            const stoa_domain fill = stoa_domain_of(column->element.kind, column->fill);
            if (stoa_column_spans(with, &fill)) {
                return stoa_fail(err, STOA_ERANGE,
                                 "the range of '%s' would include its fill value, which stands for "
                                 "'missing' (HEP001 §8.5)",
                                 column->name);
            }
        }
    }
    STOA_RETURN_NOT_OK(stoa_column_visit(column, 0, n_rows, add_to_domain, &domain, err));
    if (!stoa_column_spans(with, &domain)) {
        excluded_text(column, &domain, is_low, value);
        return stoa_fail(err, STOA_ERANGE, "'%s' holds %s, which %s = %.100s would exclude",
                         column->name, value[0] != '\0' ? value : "a value",
                         is_low ? "valid_min" : "valid_max", text);
    }
    return STOA_OK;
}

/* An element may have fewer bits than its memory form, so the stored bound is read back and
 * compared. */
static stoa_status write_bound(const stoa_column *column, const char *name, const uint8_t *bound,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    uint8_t stored[8] = {0};
    bool found = false;

    STOA_HDF(err, type = H5Dget_type(column->dataset), "get the datatype");
    STOA_TRY(stoa_attribute_write_scalar(column->dataset, name, type, column->element.mem_type,
                                         bound, err));
    STOA_TRY(stoa_attribute_read_scalar(column->dataset, name, column->element.mem_type, stored,
                                        &found, err));
    if (!found || memcmp(stored, bound, column->element.size) != 0) {
        STOA_FAIL(err, STOA_ERANGE, "%s does not fit into %s", name, column->element.text);
    }

done:
    return stoa_hdf_close(&type, status, err);
}

stoa_status stoa_bound_write(stoa_column *column, uint64_t n_rows, bool is_low, const char *text,
                             stoa_error *err)
{
    stoa_column with = *column;
    uint8_t bound[8] = {0};

    STOA_RETURN_NOT_OK(check_type(column, err));
    STOA_RETURN_NOT_OK(parse_bound(column, text, bound, err));
    *(is_low ? &with.valid_min : &with.valid_max) = bound;
    STOA_RETURN_NOT_OK(check_bounds(column, &with, n_rows, is_low, text, err));
    return write_bound(column, is_low ? "valid_min" : "valid_max", bound, err);
}

stoa_status stoa_bound_may_go(stoa_column *column, uint64_t n_rows, stoa_error *err)
{
    const stoa_element *element = &column->element;
    stoa_domain domain = {0};

    if ((element->class != STOA_ELEMENT_INTEGER && element->class != STOA_ELEMENT_FLOAT) ||
        element->kind == STOA_KIND_FLOAT16 || stoa_column_is_categorical(column)) {
        return STOA_OK; /* their values cannot equal a recommended fill value */
    }
    if (column->type.kind == STOA_KIND_BOOL) {
        return check_type(column, err);
    }
    STOA_RETURN_NOT_OK(stoa_column_visit(column, 0, n_rows, add_to_domain, &domain, err));
    if (element->class == STOA_ELEMENT_FLOAT
            ? domain.has_float_fill
            : (domain.sentinels & (1u << (element->kind - STOA_KIND_INT8))) != 0) {
        return stoa_fail(
            err, STOA_ERANGE,
            "'%s' holds the value that HEP001 recommends for 'missing', so that its range "
            "must be declared (§8.5)",
            column->name);
    }
    return STOA_OK;
}
