#include "layout/common/missing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "layout/common/changed_columns.h"

/* The replacement in one column. */
typedef struct stand_in {
    const char *text; /* borrowed from the options; NULL: the column is not changed */
    stoa_type type;
    bool is_nan;   /* NaN: numbers become float64 */
    bool is_items; /* it stands for items of lists, whose type is `type` */
    uint8_t value[8];
} stand_in;

struct stoa_stand_ins {
    struct ArrowSchema schema; /* with the replacements */
    stand_in *columns;
    size_t n_columns;
};

/* --- choosing columns ------------------------------------------------------------------------ */

static bool is_number(stoa_kind kind)
{
    return stoa_kind_is_integer(kind) || kind == STOA_KIND_BOOL;
}

static bool parse_integer(const char *text, size_t length, stoa_kind kind, uint8_t *value)
{
    int64_t number = 0;
    uint64_t unsigned_number = 0;

    if (stoa_kind_is_signed(kind)) {
        if (!stoa_parse_i64(text, length, &number) || number < stoa_kind_min(kind) ||
            number > (int64_t)stoa_kind_max(kind)) {
            return false;
        }
    } else {
        if (!stoa_parse_u64(text, length, &unsigned_number) ||
            unsigned_number > stoa_kind_max(kind)) {
            return false;
        }
        number = (int64_t)unsigned_number;
    }
    stoa_integer_put(value, (size_t)stoa_kind_width(kind), number);
    return true;
}

bool stoa_number_of_text(const char *text, size_t length, stoa_kind kind, uint8_t *value)
{
    double number = 0;

    if (!stoa_kind_is_float(kind)) {
        return parse_integer(text, length, kind, value);
    }
    if (!stoa_parse_f64(text, length, &number)) {
        return false;
    }
    const float single = (float)number;
    const uint16_t half = stoa_f32_to_f16(single);
    const double held = kind == STOA_KIND_FLOAT64   ? number
                        : kind == STOA_KIND_FLOAT32 ? (double)single
                                                    : (double)stoa_f16_to_f32(half);
    if (isinf(held) && memchr(text, 'n', length) == NULL && memchr(text, 'N', length) == NULL) {
        return false; /* an integer out of range, not "inf" */
    }
    memcpy(value,
           kind == STOA_KIND_FLOAT64   ? (const void *)&number
           : kind == STOA_KIND_FLOAT32 ? (const void *)&single
                                       : (const void *)&half,
           (size_t)stoa_kind_width(kind));
    return true;
}

static bool parse_time(const char *text, const stoa_type *type, uint8_t *value)
{
    stoa_time time;
    int64_t ticks = 0;

    if (!stoa_type_parse_ticks(type, text, strlen(text), &time) ||
        !stoa_time_ticks(&time, type->unit, &ticks)) {
        return false;
    }
    stoa_integer_put(value, type->kind == STOA_KIND_DATE ? 4 : 8, ticks);
    return true;
}

/* Whether the text is a value of the column's type. */
static bool parse_value(const char *text, stand_in *in)
{
    const stoa_kind kind = in->type.kind;

    if (is_number(kind) && strcmp(text, "nan") == 0) {
        in->is_nan = true;
        return true;
    }
    if (kind == STOA_KIND_BOOL) {
        in->value[0] = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
        return in->value[0] || strcmp(text, "false") == 0 || strcmp(text, "0") == 0;
    }
    if (stoa_kind_is_integer(kind) || stoa_kind_is_float(kind)) {
        return stoa_number_of_text(text, strlen(text), kind, in->value);
    }
    if (stoa_kind_is_ticks(kind)) {
        return parse_time(text, &in->type, in->value);
    }
    return stoa_kind_is_string(kind);
}

/* For dictionaries, the replacement is a label. */
static stoa_status parse_as_type(const struct ArrowSchema *field, stand_in *in, bool *can,
                                 stoa_error *err)
{
    stoa_type values;

    STOA_RETURN_NOT_OK(stoa_type_of(field, &in->type, err));
    *can = true;
    if (in->type.kind == STOA_KIND_DICTIONARY) {
        STOA_RETURN_NOT_OK(stoa_type_of(field->dictionary, &values, err));
        *can = stoa_kind_is_string(values.kind);
    }
    return STOA_OK;
}

/* What an option is about. */
typedef enum subject { VALUES, BYTES, LISTS, ITEMS } subject;

/* What becomes of the rows of a column. */
static subject subject_of(const struct ArrowSchema *field)
{
    stoa_type type;

    if (stoa_type_of(field, &type, NULL) != STOA_OK) {
        return VALUES;
    }
    return type.kind == STOA_KIND_LIST || type.kind == STOA_KIND_LARGE_LIST       ? LISTS
           : type.kind == STOA_KIND_BINARY || type.kind == STOA_KIND_LARGE_BINARY ? BYTES
                                                                                  : VALUES;
}

static stoa_missing_way way_of_text(const stoa_missing_rules *rules, subject of, const char *text)
{
    if (text == NULL) {
        return STOA_MISSING_KEPT;
    }
    return rules->masks && strcmp(text, "mask") == 0                   ? STOA_MISSING_MASKED
           : rules->drops && strcmp(text, "drop") == 0                 ? STOA_MISSING_DROPPED
           : rules->empties && of != VALUES && strcmp(text, "[]") == 0 ? STOA_MISSING_EMPTIED
                                                                       : STOA_MISSING_FILLED;
}

/* The option for a column. Those of a column of lists say what becomes of a missing list, or what
 * stands for a missing item. */
static const stoa_missing_value *entry_of(const stoa_layout_options *options,
                                          const stoa_missing_rules *rules, const char *column,
                                          subject of)
{
    const stoa_missing_value *found = NULL;

    for (size_t i = 0; i < options->n_missing; i++) {
        const stoa_missing_value *const entry = &options->missing[i];
        const bool fills = way_of_text(rules, of, entry->value) == STOA_MISSING_FILLED;
        if ((of == LISTS && fills) || (of == ITEMS && !fills)) {
            continue;
        }
        if (entry->column != NULL && strcmp(entry->column, column) == 0) {
            return entry;
        }
        found = entry->column == NULL ? entry : found;
    }
    return found;
}

stoa_missing_way stoa_missing_way_of(const stoa_layout_options *options,
                                     const stoa_missing_rules *rules,
                                     const struct ArrowSchema *field)
{
    const subject of = subject_of(field);
    const stoa_missing_value *const entry = entry_of(options, rules, field->name, of);

    if (entry == NULL || (entry->column == NULL && rules->holds != NULL && rules->holds(field))) {
        return STOA_MISSING_KEPT;
    }
    return way_of_text(rules, of, entry->value);
}

/* Add the replacement to the statistics of the column. */
static stoa_status add_to_facts(const stand_in *in, stoa_column_stats *stats, stoa_error *err)
{
    uint32_t number;
    const stoa_kind kind = stoa_kind_is_ticks(in->type.kind) ? STOA_KIND_INT64 : in->type.kind;
    int64_t ticks = 0;

    stats->n_missing = 0;
    if (in->type.kind == STOA_KIND_DICTIONARY) {
        STOA_RETURN_NOT_OK(
            stoa_string_set_add(&stats->labels, in->text, strlen(in->text), &number, err));
    }
    if (in->type.kind == STOA_KIND_DICTIONARY || stoa_kind_is_string(in->type.kind)) {
        const size_t length = strlen(in->text);
        stats->domain.longest = length > stats->domain.longest ? length : stats->domain.longest;
        return STOA_OK;
    }
    if (in->is_nan || in->type.kind == STOA_KIND_BOOL) {
        return STOA_OK;
    }
    if (kind == STOA_KIND_INT64 && in->type.kind == STOA_KIND_DATE) {
        int32_t days;
        memcpy(&days, in->value, sizeof days);
        ticks = days;
    } else {
        memcpy(&ticks, in->value, sizeof ticks);
    }
    const stoa_domain one =
        stoa_domain_of(kind, stoa_kind_is_ticks(in->type.kind) ? (const void *)&ticks : in->value);
    stoa_domain_merge(&stats->domain, &one);
    return STOA_OK;
}

static bool is_exact(const stoa_domain *domain)
{
    const int64_t most = INT64_C(1) << 53;

    return (!domain->has_positive || domain->high <= (uint64_t)most) &&
           (!domain->has_negative || domain->low >= -most);
}

/* Use the value of an option. `field` is of the values that it stands for, in column `name`. */
static stoa_status use(const stoa_missing_value *entry, const char *name,
                       const struct ArrowSchema *field, stoa_column_stats *stats, stand_in *in,
                       bool *any, stoa_error *err)
{
    bool can = false;

    STOA_RETURN_NOT_OK(parse_as_type(field, in, &can, err));
    can = can && (in->type.kind == STOA_KIND_DICTIONARY || parse_value(entry->value, in));
    if (!can && entry->column != NULL) {
        return stoa_fail(err, STOA_EINVAL, "'%s' is no value that could stand in column '%s'",
                         entry->value, name);
    }
    if (can && in->is_nan && !is_exact(&stats->domain)) {
        return stoa_fail(
            err, STOA_ELOSS,
            "column '%s' has integers beyond 2^53, which float64 does not hold; give another "
            "value than nan",
            name);
    }
    if (can) {
        in->text = entry->value;
        *any = true;
        STOA_RETURN_NOT_OK(add_to_facts(in, stats, err));
    }
    return STOA_OK;
}

static stoa_status choose_for_items(const stoa_layout_options *options,
                                    const stoa_missing_rules *rules,
                                    const struct ArrowSchema *field, stoa_column_stats *stats,
                                    stand_in *in, bool *any, stoa_error *err)
{
    const stoa_missing_value *const entry = entry_of(options, rules, field->name, ITEMS);

    if (stats->n_fields == 0 || stats->fields[0].n_missing == 0 || entry == NULL ||
        (entry->column == NULL && rules->holds != NULL && rules->holds(field->children[0]))) {
        return STOA_OK;
    }
    in->is_items = true;
    return use(entry, field->name, field->children[0], &stats->fields[0], in, any, err);
}

static stoa_status choose(const stoa_layout_options *options, const stoa_missing_rules *rules,
                          const struct ArrowSchema *field, stoa_column_stats *stats, stand_in *in,
                          bool *any, stoa_error *err)
{
    const subject of = subject_of(field);
    const stoa_missing_way way =
        stats->n_missing > 0 ? stoa_missing_way_of(options, rules, field) : STOA_MISSING_KEPT;

    if (way == STOA_MISSING_EMPTIED) {
        stats->n_missing = 0;
    }
    if (of == LISTS) {
        return choose_for_items(options, rules, field, stats, in, any, err);
    }
    return way == STOA_MISSING_FILLED ? use(entry_of(options, rules, field->name, of), field->name,
                                            field, stats, in, any, err)
                                      : STOA_OK;
}

static stoa_status check_names(const stoa_layout_options *options, const struct ArrowSchema *schema,
                               stoa_error *err)
{
    for (size_t i = 0; i < options->n_missing; i++) {
        bool is_there = options->missing[i].column == NULL;
        for (int64_t k = 0; k < schema->n_children && !is_there; k++) {
            is_there = strcmp(schema->children[k]->name, options->missing[i].column) == 0;
        }
        if (!is_there) {
            return stoa_fail(err, STOA_ENOTFOUND, "missing values: there is no column '%s'",
                             options->missing[i].column);
        }
    }
    return STOA_OK;
}

/* A float64 field with the metadata of the original. */
static stoa_status make_float(struct ArrowSchema *field, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema made = {0};

    STOA_TRY(stoa_schema_make(&made, field->name, "g", err));
    STOA_TRY(stoa_field_keep_units(&made, field, err));
    stoa_schema_release(field);
    stoa_schema_move(&made, field);

done:
    stoa_schema_release(&made);
    return status;
}

stoa_status stoa_stand_ins_make(const stoa_layout_options *options, const stoa_missing_rules *rules,
                                struct ArrowSchema *schema, stoa_column_stats *stats,
                                stoa_stand_ins **made, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_stand_ins *ins = NULL;
    bool any = false;

    *made = NULL;
    STOA_TRY(check_names(options, schema, err));
    ins = stoa_alloc_zero(1, sizeof *ins);
    STOA_TRY(ins != NULL ? STOA_OK : stoa_fail_memory(err));
    ins->n_columns = (size_t)schema->n_children;
    ins->columns = stoa_alloc_zero(ins->n_columns, sizeof *ins->columns);
    STOA_TRY(ins->columns != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < ins->n_columns; i++) {
        STOA_TRY(
            choose(options, rules, schema->children[i], &stats[i], &ins->columns[i], &any, err));
    }
    if (!any) {
        goto done;
    }
    for (size_t i = 0; i < ins->n_columns; i++) {
        struct ArrowSchema *const field = schema->children[i];
        if (ins->columns[i].is_nan) {
            STOA_TRY(make_float(ins->columns[i].is_items ? field->children[0] : field, err));
        }
    }
    STOA_TRY(stoa_schema_copy(schema, &ins->schema, err));
    *made = ins;
    ins = NULL;

done:
    stoa_stand_ins_free(ins);
    return status;
}

void stoa_stand_ins_free(stoa_stand_ins *ins)
{
    if (ins != NULL) {
        stoa_schema_release(&ins->schema);
        free(ins->columns);
        free(ins);
    }
}

/* --- replacing ------------------------------------------------------------------------------- */

static stoa_status make_fixed(const stand_in *in, const stoa_view *view, struct ArrowArray *out,
                              stoa_error *err)
{
    const size_t width = in->is_nan ? sizeof(double) : (size_t)view->type.width;
    uint8_t *const values = stoa_alloc((size_t)view->length, width);
    void *const buffers[] = {NULL, values};

    STOA_RETURN_NO_MEMORY(err, values);
    for (int64_t i = 0; i < view->length; i++) {
        uint8_t *const cell = values + (size_t)i * width;
        if (in->is_nan) {
            const double number = stoa_view_is_null(view, i) ? NAN
                                  : view->type.kind == STOA_KIND_UINT64
                                      ? (double)(uint64_t)stoa_view_i64(view, i)
                                      : (double)stoa_view_i64(view, i);
            memcpy(cell, &number, sizeof number);
        } else {
            memcpy(cell,
                   stoa_view_is_null(view, i)
                       ? in->value
                       : (const uint8_t *)view->values + (size_t)(view->offset + i) * width,
                   width);
        }
    }
    return stoa_array_make(out, view->length, 0, 2, buffers, err);
}

static stoa_status make_bools(const stand_in *in, const stoa_view *view, struct ArrowArray *out,
                              stoa_error *err)
{
    uint8_t *const bits = stoa_alloc_zero((size_t)stoa_bit_bytes((uint64_t)view->length), 1);
    void *const buffers[] = {NULL, bits};

    STOA_RETURN_NO_MEMORY(err, bits);
    for (int64_t i = 0; i < view->length; i++) {
        if (stoa_view_is_null(view, i) ? in->value[0] != 0 : stoa_view_i64(view, i) != 0) {
            stoa_bit_set(bits, (uint64_t)i);
        }
    }
    return stoa_array_make(out, view->length, 0, 2, buffers, err);
}

/* The view's strings with nulls replaced by the text, then the text `n_more` times. */
static stoa_status make_texts(const char *text, const stoa_view *view, int64_t n_more,
                              struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const bool is_large = view->type.kind == STOA_KIND_LARGE_STRING;
    const int64_t n = view->length + n_more;
    stoa_buffer bytes = {0};
    int64_t *offsets = stoa_alloc_zero((size_t)n + 1, sizeof *offsets);
    void *buffers[3] = {NULL, NULL, NULL};

    STOA_TRY(offsets != NULL ? STOA_OK : stoa_fail_memory(err));
    for (int64_t i = 0; i < n; i++) {
        size_t length = strlen(text);
        const char *value = text;
        if (i < view->length && !stoa_view_is_null(view, i)) {
            value = stoa_view_bytes(view, i, &length);
        }
        STOA_TRY(stoa_buffer_append(&bytes, value, length, err));
        offsets[i + 1] = (int64_t)bytes.size;
    }
    if (!is_large && bytes.size > INT32_MAX) {
        STOA_FAIL(err, STOA_ERANGE, "strings of one batch are too long");
    }
    for (int64_t i = 0; !is_large && i <= n; i++) {
        const int32_t narrow = (int32_t)offsets[i];
        memcpy((uint8_t *)offsets + (size_t)i * sizeof narrow, &narrow, sizeof narrow);
    }
    STOA_TRY(stoa_buffer_reserve(&bytes, 1, err));
    buffers[1] = offsets;
    buffers[2] = stoa_buffer_detach(&bytes);
    offsets = NULL;
    STOA_TRY(stoa_array_make(out, n, 0, 3, buffers, err));

done:
    free(offsets);
    stoa_buffer_clear(&bytes);
    return status;
}

/* The position of the text among the labels; their number if it is not there. */
static int64_t find_label(const stoa_view *labels, const char *text)
{
    const size_t n = strlen(text);

    for (int64_t i = 0; i < labels->length; i++) {
        size_t length;
        const char *label = stoa_view_bytes(labels, i, &length);
        if (!stoa_view_is_null(labels, i) && length == n && memcmp(label, text, n) == 0) {
            return i;
        }
    }
    return labels->length;
}

static stoa_status make_codes(const stand_in *in, const stoa_view *view, struct ArrowArray *out,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray dictionary = {0};
    const size_t width = (size_t)stoa_kind_width(view->type.index);
    uint8_t *codes = stoa_alloc((size_t)view->length, width);
    stoa_view labels;

    STOA_TRY(codes != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_view_dictionary(view, &labels, err));
    const int64_t own = find_label(&labels, in->text);
    if ((uint64_t)own > stoa_kind_max(view->type.index)) {
        STOA_FAIL(err, STOA_ELOSS, "has no code left for the label '%s'", in->text);
    }
    for (int64_t i = 0; i < view->length; i++) {
        const int64_t code = stoa_view_is_null(view, i) ? own : stoa_view_i64(view, i);
        stoa_integer_put(codes + (size_t)i * width, width,
                         code < labels.length && stoa_view_is_null(&labels, code) ? own : code);
    }
    STOA_TRY(make_texts(in->text, &labels, own == labels.length, &dictionary, err));
    void *const buffers[] = {NULL, codes};
    codes = NULL;
    STOA_TRY(stoa_array_make(out, view->length, 0, 2, buffers, err));
    STOA_TRY(stoa_array_dictionary(out, &dictionary, err));

done:
    free(codes);
    stoa_array_release(&dictionary);
    return status;
}

static stoa_status fill_values(const stand_in *in, const stoa_view *view, struct ArrowArray *out,
                               stoa_error *err)
{
    if (view->type.kind == STOA_KIND_DICTIONARY) {
        return make_codes(in, view, out, err);
    }
    if (stoa_kind_is_string(view->type.kind)) {
        return make_texts(in->text, view, 0, out, err);
    }
    return view->type.kind == STOA_KIND_BOOL && !in->is_nan ? make_bools(in, view, out, err)
                                                            : make_fixed(in, view, out, err);
}

/* The same lists, of items without missing ones. */
static stoa_status make_lists(const stand_in *in, const stoa_view *view, struct ArrowArray *out,
                              stoa_error *err)
{
    struct ArrowArray filled = {.release = NULL};
    stoa_view items;

    STOA_RETURN_NOT_OK(stoa_view_child(view, 0, &items, err));
    STOA_RETURN_NOT_OK(fill_values(in, &items, &filled, err));
    return stoa_lists_with_items(view, &filled, out, err);
}

static stoa_status fill_column(const void *context, size_t i, const stoa_view *view,
                               const struct ArrowSchema *field, struct ArrowArray *out,
                               stoa_error *err)
{
    const stand_in *const in = &((const stoa_stand_ins *)context)->columns[i];

    (void)field;
    if (in->text == NULL) {
        return STOA_OK;
    }
    return in->is_items ? make_lists(in, view, out, err) : fill_values(in, view, out, err);
}

stoa_status stoa_stand_ins_stream(const stoa_stand_ins *ins, struct ArrowArrayStream *stream,
                                  stoa_error *err)
{
    return stoa_stream_change_columns(stream, &ins->schema, fill_column, ins, err);
}
