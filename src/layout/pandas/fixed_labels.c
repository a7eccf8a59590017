/* Writes the column labels in pandas' fixed format (fixed_write.h). */
#include "layout/pandas/fixed_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "layout/common/column_datasets.h"
#include "layout/pandas/frame.h"
#include "layout/pandas/freq.h"
#include "layout/pandas/pandas.h"
#include "layout/pickle/write.h"
#include "layout/pytables/pytables.h"

/* --- labels of one level --------------------------------------------------------------------- */

static size_t length_of(const stoa_pandas_label_part *part)
{
    return part->node != NULL ? part->node->as.bytes.length : strlen(part->text);
}

/* Fixed-length strings. */
static stoa_status put_texts(const stoa_pandas_fixed *f, const char *node,
                             const stoa_pandas_label_part *parts, size_t n, hid_t *dataset,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    size_t width = 1;
    char *block = NULL;

    for (size_t i = 0; i < n; i++) {
        const size_t length = length_of(&parts[i]);
        width = length > width ? length : width;
    }
    block = stoa_alloc_zero(n, width);
    STOA_TRY(block != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n; i++) {
        memcpy(block + i * width,
               parts[i].node != NULL ? parts[i].node->as.bytes.data : parts[i].text,
               length_of(&parts[i]));
    }
    STOA_TRY(stoa_pandas_fixed_texts(f, node, width, block, n, dataset, err));
    STOA_TRY(stoa_pytables_write_text(*dataset, "kind", "string", err));

done:
    free(block);
    return status;
}

/* Labels of several kinds, as pickled objects. */
static stoa_status put_objects(const stoa_pandas_fixed *f, const char *node,
                               const stoa_pandas_label_part *parts, size_t n, hid_t *dataset,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer pickle = {0};

    STOA_TRY(stoa_pickle_begin_objects(&pickle, n, false, err));
    for (size_t i = 0; i < n; i++) {
        STOA_TRY(stoa_pandas_put_label_or(&pickle, parts[i].node, parts[i].text, err));
    }
    STOA_TRY(stoa_pickle_end_objects(&pickle, err));
    STOA_TRY(stoa_pandas_fixed_objects(f, node, &pickle, dataset, err));
    STOA_TRY(stoa_pytables_write_text(*dataset, "kind", "object", err));

done:
    stoa_buffer_clear(&pickle);
    return status;
}

/* A number or time in pandas' unit. */
static void put_number(const stoa_pandas_label_part *p, const stoa_pandas_level *level,
                       stoa_kind kind, void *out)
{
    stoa_pandas_time time;
    int64_t value = 0;

    switch (level->as) {
    case STOA_PANDAS_INTEGERS:
        stoa_integer_put(out, (size_t)stoa_kind_width(kind), p->node->as.integer);
        return;
    case STOA_PANDAS_FLOATS:
        if (kind == STOA_KIND_FLOAT32) {
            *(float *)out = (float)p->node->as.number;
        } else {
            *(double *)out = p->node->as.number;
        }
        return;
    case STOA_PANDAS_TRUTHS:
        *(uint8_t *)out = p->node->as.truth;
        return;
    default:
        (void)stoa_pandas_time_of(p->node, &time);
        value = time.ticks == INT64_MIN             ? time.ticks
                : time.kind == STOA_PANDAS_IS_DELTA ? time.ticks * stoa_time_nanoseconds(time.unit)
                                                    : time.ticks;
        if (time.kind == STOA_PANDAS_IS_DATE) {
            const int32_t ordinal = (int32_t)(value + STOA_PANDAS_ORDINAL_OF_EPOCH);
            memcpy(out, &ordinal, sizeof ordinal);
        } else {
            memcpy(out, &value, sizeof value);
        }
    }
}

/* Write the kind of the labels in pandas' words. */
static stoa_status write_kind(const stoa_pandas_level *level, hid_t dataset, stoa_error *err)
{
    static const char *const units[] = {
        [STOA_TIME_SECOND] = "s", "ms", "us", [STOA_TIME_NANO] = "ns"};
    static const char *const kinds[] = {"string", "integer", "float", "bool"};
    char time[24];

    if (level->as != STOA_PANDAS_TIMES) {
        return stoa_pytables_write_text(dataset, "kind", kinds[level->as], err);
    }
    if (level->like.kind == STOA_PANDAS_IS_TIME) {
        (void)snprintf(time, sizeof time, "datetime64[%s]", units[level->like.unit]);
        STOA_RETURN_NOT_OK(stoa_pytables_write_text(dataset, "kind", time, err));
        STOA_RETURN_NOT_OK(stoa_pytables_write_text(dataset, "index_class", "datetime", err));
    } else if (level->like.kind == STOA_PANDAS_IS_PERIOD) {
        STOA_RETURN_NOT_OK(stoa_pytables_write_text(dataset, "kind", "integer", err));
        STOA_RETURN_NOT_OK(stoa_pytables_write_text(dataset, "index_class", "period", err));
        STOA_RETURN_NOT_OK(stoa_pandas_write_freq(dataset, &level->like.freq, err));
    } else {
        STOA_RETURN_NOT_OK(stoa_pytables_write_text(
            dataset, "kind", level->like.kind == STOA_PANDAS_IS_DATE ? "date" : "timedelta64",
            err));
    }
    if (level->like.zone[0] != '\0') {
        STOA_RETURN_NOT_OK(stoa_pytables_write_text(dataset, "tz", level->like.zone, err));
    }
    return STOA_OK;
}

static stoa_status put_numbers(const stoa_pandas_fixed *f, const char *node,
                               const stoa_pandas_level *level, const stoa_pandas_label_part *parts,
                               size_t n, hid_t *dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_pandas_stored as = level->as;
    const bool is_date = as == STOA_PANDAS_TIMES && level->like.kind == STOA_PANDAS_IS_DATE;
    const bool is_number = as == STOA_PANDAS_INTEGERS || as == STOA_PANDAS_FLOATS;
    const stoa_kind kind = is_number && level->kind != 0 ? level->kind
                           : as == STOA_PANDAS_FLOATS    ? STOA_KIND_FLOAT64
                           : as == STOA_PANDAS_TRUTHS    ? STOA_KIND_BOOL
                           : is_date                     ? STOA_KIND_INT32
                                                         : STOA_KIND_INT64;
    const size_t width = as == STOA_PANDAS_TRUTHS ? 1 : (size_t)stoa_kind_width(kind);
    uint8_t *values = stoa_alloc(n, width);

    STOA_TRY(values != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n; i++) {
        put_number(&parts[i], level, kind, values + i * width);
    }
    STOA_TRY(
        stoa_pandas_fixed_make(f, node, kind, stoa_pandas_dtype(kind), n, false, dataset, err));
    STOA_TRY(n > 0 ? stoa_pandas_fixed_put(*dataset, kind, 0, n, values, err) : STOA_OK);
    STOA_TRY(write_kind(level, *dataset, err));

done:
    free(values);
    return status;
}

static stoa_status put_parts(const stoa_pandas_fixed *f, const char *node,
                             const stoa_pandas_level *level, const stoa_pandas_label_part *parts,
                             size_t n, hid_t *dataset, stoa_error *err)
{
    /* For no labels, pandas has a RangeIndex. */
    static const stoa_pandas_level none = {.as = STOA_PANDAS_INTEGERS};

    if (n == 0 || level->as == STOA_PANDAS_INTEGERS) {
        return put_numbers(f, node, n == 0 ? &none : level, parts, n, dataset, err);
    }
    return level->as == STOA_PANDAS_TEXTS     ? put_texts(f, node, parts, n, dataset, err)
           : level->as == STOA_PANDAS_OBJECTS ? put_objects(f, node, parts, n, dataset, err)
                                              : put_numbers(f, node, level, parts, n, dataset, err);
}

/* --- labels of an axis ----------------------------------------------------------------------- */

/* Write the name of the column axis or of one of its levels. */
static stoa_status write_axis_name(const stoa_pandas_fixed *f, size_t level, hid_t dataset,
                                   stoa_error *err)
{
    const stoa_pickled *const names = stoa_pandas_names(f->source);
    const stoa_pickled *const name =
        stoa_pickled_count(names) == f->n_levels ? stoa_pickled_item(names, level) : NULL;

    return name != NULL && name->kind != STOA_PICKLE_NONE
               ? stoa_pandas_write_label(dataset, name, err)
               : STOA_OK;
}

/* Write the frequency of the labels, if it was noted for the same number of labels. */
static stoa_status write_axis_freq(const stoa_pandas_fixed *f, size_t n, hid_t dataset,
                                   stoa_error *err)
{
    const stoa_pandas_level *const level = &f->levels[0];
    const stoa_pickled *const count = stoa_pandas_axis_of(f->source, "n");
    stoa_pandas_freq freq;
    const bool is_true =
        level->as == STOA_PANDAS_TIMES &&
        (level->like.kind == STOA_PANDAS_IS_TIME || level->like.kind == STOA_PANDAS_IS_DELTA) &&
        count != NULL && count->kind == STOA_PICKLE_INT && count->as.integer == (int64_t)n &&
        stoa_pandas_freq_of_node(stoa_pandas_axis_of(f->source, "freq"), &freq);

    return is_true ? stoa_pandas_write_freq(dataset, &freq, err) : STOA_OK;
}

static stoa_status put_regular(const stoa_pandas_fixed *f, const char *axis,
                               const char *const *names, size_t n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t dataset = H5I_INVALID_HID;
    stoa_pandas_label_part *parts = stoa_alloc(n, sizeof *parts);

    STOA_TRY(parts != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n; i++) {
        parts[i] = stoa_pandas_part_of(f, names[i], 0);
    }
    STOA_TRY(put_parts(f, axis, &f->levels[0], parts, n, &dataset, err));
    STOA_TRY(write_axis_name(f, 0, dataset, err));
    STOA_TRY(strcmp(axis, "axis0") == 0 ? write_axis_freq(f, n, dataset, err) : STOA_OK);
    STOA_TRY(stoa_pandas_write_levels(f, axis, 1, err));

done:
    free(parts);
    return stoa_hdf_close(&dataset, status, err);
}

/* Find the distinct parts of a level, and the code of each label. */
static stoa_status number_parts(const stoa_pandas_fixed *f, size_t level, const char *const *names,
                                size_t n, stoa_pandas_label_part *parts, size_t *n_parts,
                                int32_t *codes, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_string_set distinct = {0};
    stoa_buffer said = {0};

    for (size_t i = 0; i < n; i++) {
        const stoa_pandas_label_part p = stoa_pandas_part_of(f, names[i], level);
        bool is_plain = true;
        uint32_t number = 0;
        codes[i] = -1;
        if (stoa_pandas_is_missing_part(&p)) {
            continue;
        }
        said.size = 0;
        STOA_TRY(stoa_pandas_put_node(&said, p.node, STOA_PANDAS_FOR_STOA, &is_plain, err));
        STOA_TRY(stoa_string_set_add(&distinct, said.data, said.size, &number, err));
        parts[number] = p;
        codes[i] = (int32_t)number;
    }
    *n_parts = distinct.count;

done:
    stoa_buffer_clear(&said);
    stoa_string_set_clear(&distinct);
    return status;
}

static stoa_status put_level(const stoa_pandas_fixed *f, const char *axis, size_t level,
                             const char *const *names, size_t n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_pandas_label_part *parts = stoa_alloc(n, sizeof *parts);
    int32_t *codes = stoa_alloc(n, sizeof *codes);
    size_t n_parts = 0;
    hid_t of_parts = H5I_INVALID_HID;
    hid_t of_codes = H5I_INVALID_HID;
    char node[96];

    STOA_TRY(parts != NULL && codes != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(number_parts(f, level, names, n, parts, &n_parts, codes, err));
    (void)snprintf(node, sizeof node, "%s_level%zu", axis, level);
    STOA_TRY(put_parts(f, node, &f->levels[level], parts, n_parts, &of_parts, err));
    STOA_TRY(write_axis_name(f, level, of_parts, err));
    (void)snprintf(node, sizeof node, "%s_label%zu", axis, level);
    STOA_TRY(stoa_pandas_fixed_make(f, node, STOA_KIND_INT32, "int32", n, false, &of_codes, err));
    STOA_TRY(stoa_pandas_fixed_put(of_codes, STOA_KIND_INT32, 0, n, codes, err));

done:
    free(parts);
    free(codes);
    status = stoa_hdf_close(&of_codes, status, err);
    return stoa_hdf_close(&of_parts, status, err);
}

static stoa_status put_labels(const stoa_pandas_fixed *f, const char *axis,
                              const char *const *names, size_t n, stoa_error *err)
{
    if (f->n_levels == 1) {
        return put_regular(f, axis, names, n, err);
    }
    for (size_t i = 0; i < f->n_levels; i++) {
        STOA_RETURN_NOT_OK(put_level(f, axis, i, names, n, err));
    }
    return stoa_pandas_write_levels(f, axis, f->n_levels, err);
}

stoa_status stoa_pandas_fixed_labels(const stoa_pandas_fixed *f, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char **names = stoa_alloc(f->n_columns, sizeof *names);
    size_t n = 0;
    char items[48];

    STOA_TRY(names != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < f->n_columns; i++) {
        const stoa_pandas_column_writer *const column = &f->columns[i];
        const char *const name = column->shape.field->name;
        if (!column->is_index) {
            names[n++] = name;
            (void)snprintf(items, sizeof items, "block%zu_items", column->number);
            STOA_TRY(put_labels(f, items, &name, 1, err));
        }
    }
    STOA_TRY(put_labels(f, "axis0", names, n, err));
    STOA_TRY(stoa_pandas_write_count(f->group, "nblocks", (int64_t)n, err));

done:
    free(names);
    return status;
}

stoa_status stoa_pandas_write_label(hid_t object, const stoa_pickled *label, stoa_error *err)
{
    stoa_buffer pickle = {0};
    bool is_plain = true;
    const stoa_status status =
        stoa_pandas_put_node(&pickle, label, STOA_PANDAS_FOR_PANDAS, &is_plain, err);

    if (status == STOA_OK && !is_plain) {
        stoa_buffer_clear(&pickle);
        return STOA_OK;
    }
    return stoa_pandas_write_pickle(object, "name", &pickle, status, err);
}

stoa_status stoa_pandas_write_freq(hid_t object, const stoa_pandas_freq *freq, stoa_error *err)
{
    stoa_buffer pickle = {0};
    const stoa_status status = stoa_pandas_put_freq(&pickle, freq, err);

    return stoa_pandas_write_pickle(object, "freq", &pickle, status, err);
}

/* "values" is the name that an unnamed Series gets when it is read. Without a name attribute,
 * pandas reads an unnamed Series. */
stoa_status stoa_pandas_write_series_name(const stoa_pandas_fixed *f, stoa_error *err)
{
    const char *name = "values";

    for (size_t i = 0; i < f->n_columns; i++) {
        name = f->columns[i].is_index ? name : f->columns[i].shape.field->name;
    }
    const stoa_pickled *const label = stoa_pandas_label_of(f->source, name);
    if (label != NULL) {
        return stoa_pandas_write_label(f->group, label, err);
    }
    return strcmp(name, "values") == 0 ? STOA_OK
                                       : stoa_pytables_write_text(f->group, "name", name, err);
}
