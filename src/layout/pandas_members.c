/* See pandas_members.h. */
#include "layout/pandas_members.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "core/memory.h"
#include "layout/facts.h"
#include "layout/lines.h"
#include "layout/pandas_frame.h"

/* --- which members --------------------------------------------------------------------------- */

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Whether PyTables, and pandas' attributes beside it, can hold a column of that name. */
static bool is_possible_name(const char *name)
{
    return name[0] != '\0' && name[0] != '_' && strchr(name, '/') == NULL &&
           strcmp(name, "index") != 0 && !begins(name, "FIELD_") && !begins(name, "values_block_");
}

/* Whether they do so without a warning: it is an identifier, too. */
static bool is_member_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

    return is_possible_name(name) && strspn(name, letters) == strlen(name) &&
           (name[0] < '0' || name[0] > '9');
}

/* Codes as pandas has them: the smallest that number all categories. */
static stoa_kind codes_kind(const stoa_facts *facts)
{
    const uint32_t n = facts->labels.count;

    return n == 0 || n > INT16_MAX ? STOA_KIND_INT32
           : n > INT8_MAX          ? STOA_KIND_INT16
                                   : STOA_KIND_INT8;
}

static bool is_text(const stoa_pandas_member *member)
{
    return !member->is_coded &&
           (member->shape.as == STOA_PANDAS_TEXT || member->shape.as == STOA_PANDAS_CATEGORY);
}

static stoa_status check_text(const stoa_pandas_member *member, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const struct ArrowSchema *const field = member->shape.field;
    stoa_type labels = {.kind = STOA_KIND_STRING};

    if (member->shape.facts->domain.has_last_nul) {
        STOA_FAIL(err, STOA_ELOSS,
                  "column '%s' has a text that ends with a NUL, which pandas' table format cannot "
                  "hold; pandas-fixed can",
                  field->name);
    }
    if (member->shape.as == STOA_PANDAS_CATEGORY) {
        STOA_TRY(stoa_type_of(field->dictionary, &labels, err));
    }
    if (!stoa_kind_is_string(labels.kind)) {
        STOA_FAIL(err, STOA_ETYPE, "column '%s' labels the rows, with categories that are no texts",
                  field->name);
    }

done:
    return status;
}

/* pandas makes an index of every data column when it appends, which PyTables refuses of uint64 and
 * of the cells with a shape that pandas keeps complex numbers in. Levels are data columns in any
 * case. */
static bool is_data_column(const stoa_pandas_member *member, const char *name)
{
    const bool is_uint64 =
        member->shape.as == STOA_PANDAS_NUMBER && member->shape.kind == STOA_KIND_UINT64;
    const bool is_complex = member->shape.as == STOA_PANDAS_COMPLEX;

    return member->is_level ? is_possible_name(name)
                            : is_member_name(name) && !is_uint64 && !is_complex;
}

static stoa_status name_member(const stoa_pandas_members *members, stoa_pandas_member *member,
                               stoa_error *err)
{
    const char *const name = member->shape.field->name;
    /* pandas finds a block by its place among the values. */
    const size_t place = members->n - (members->has_counter ? 1 : 2);

    member->is_block = !member->is_index && (!is_data_column(member, name) ||
                                             stoa_pandas_label_of(members->source, name) != NULL);
    if (member->is_block && member->is_level) {
        return stoa_fail(err, STOA_ETYPE,
                         "row labels called '%s' are none that pandas' table format can keep; "
                         "rename the column",
                         name);
    }
    member->name = member->is_index   ? stoa_strdup("index")
                   : member->is_block ? stoa_format("values_block_%zu", place)
                                      : stoa_strdup(name);
    return member->name != NULL ? STOA_OK : stoa_fail_memory(err);
}

static stoa_status add_member(stoa_pandas_members *members, size_t column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_layout_source *const source = members->source;
    stoa_pandas_member *const member = &members->all[members->n++];

    member->column = column;
    member->is_index = !members->has_counter && source->index_columns[0] == column;
    member->is_level = members->has_counter && stoa_pandas_is_index(source, column);
    STOA_TRY(stoa_pandas_shape_of(source->schema->children[column], &source->columns[column],
                                  "pandas' table format", &member->shape, err));
    if (member->shape.as == STOA_PANDAS_COMPLEX && (member->is_index || member->is_level)) {
        STOA_FAIL(err, STOA_ETYPE, "column '%s' labels the rows, with complex numbers",
                  member->shape.field->name);
    }
    member->is_coded =
        member->shape.as == STOA_PANDAS_CATEGORY && !member->is_index && !member->is_level;
    member->codes = codes_kind(member->shape.facts);
    STOA_TRY(name_member(members, member, err));
    if (is_text(member)) {
        const size_t longest = member->shape.facts->domain.longest;
        const size_t least = member->shape.facts->n_missing > 0 ? strlen(STOA_PANDAS_NAN) : 1;
        STOA_TRY(check_text(member, err));
        member->text_size = longest > least ? longest : least;
    }

done:
    return status;
}

stoa_status stoa_pandas_members_make(const stoa_layout_source *source, stoa_pandas_members *members,
                                     stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n = (size_t)source->schema->n_children;

    *members = (stoa_pandas_members){.source = source, .has_counter = source->n_index_columns != 1};
    if (n == source->n_index_columns) {
        STOA_FAIL(err, STOA_ETYPE,
                  "a frame without columns is none that pandas' table format can hold; "
                  "pandas-fixed can");
    }
    members->all = stoa_alloc_zero(n, sizeof *members->all);
    STOA_TRY(members->all != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < source->n_index_columns; i++) {
        STOA_TRY(add_member(members, source->index_columns[i], err));
    }
    for (size_t i = 0; i < n; i++) {
        if (!stoa_pandas_is_index(source, i)) {
            STOA_TRY(add_member(members, i, err));
        }
    }

done:
    return status;
}

void stoa_pandas_members_clear(stoa_pandas_members *members)
{
    for (size_t i = 0; i < members->n; i++) {
        stoa_pandas_shape_clear(&members->all[i].shape);
        stoa_buffer_clear(&members->all[i].labels);
        free(members->all[i].name);
    }
    free(members->all);
    members->all = NULL;
    members->n = 0;
}

/* --- their schema ---------------------------------------------------------------------------- */

static const char *format_of(const stoa_pandas_member *member)
{
    return is_text(member)
               ? "U"
               : stoa_kind_format(member->is_coded ? member->codes : member->shape.kind);
}

static stoa_status make_values_field(const stoa_pandas_member *member, const char *name,
                                     struct ArrowSchema *field, stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (member->shape.as != STOA_PANDAS_COMPLEX) {
        return stoa_schema_make(field, name, format_of(member), err);
    }
    STOA_TRY(stoa_schema_make(field, name, "+s", err));
    STOA_TRY(stoa_schema_children(field, 2, err));
    STOA_TRY(stoa_schema_make(field->children[0], "r", format_of(member), err));
    STOA_TRY(stoa_schema_make(field->children[1], "i", format_of(member), err));

done:
    return status;
}

static stoa_status make_field(const stoa_pandas_member *member, struct ArrowSchema *field,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (!member->is_block) {
        return make_values_field(member, member->name, field, err);
    }
    STOA_TRY(stoa_schema_make(field, member->name, "+w:1", err));
    STOA_TRY(stoa_schema_children(field, 1, err));
    STOA_TRY(make_values_field(member, "item", field->children[0], err));

done:
    return status;
}

static void learn(const stoa_pandas_member *member, stoa_facts *facts)
{
    stoa_facts *const inner = member->is_block ? &facts->fields[0] : facts;

    inner->domain = member->shape.facts->domain;
    inner->domain.longest = member->text_size;
}

stoa_status stoa_pandas_members_schema(const stoa_pandas_members *members,
                                       struct ArrowSchema *schema, stoa_facts **facts,
                                       stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n_first = members->has_counter;

    STOA_TRY(stoa_schema_make(schema, "", "+s", err));
    STOA_TRY(stoa_schema_children(schema, (int64_t)(members->n + n_first), err));
    if (members->has_counter) {
        STOA_TRY(stoa_schema_make(schema->children[0], "index", "l", err));
    }
    for (size_t i = 0; i < members->n; i++) {
        STOA_TRY(make_field(&members->all[i], schema->children[i + n_first], err));
    }
    if (facts != NULL) {
        STOA_TRY(stoa_facts_make(schema, facts, err));
        for (size_t i = 0; i < members->n; i++) {
            learn(&members->all[i], &(*facts)[i + n_first]);
        }
    }

done:
    return status;
}

/* --- values ---------------------------------------------------------------------------------- */

static stoa_status refuse_nan(const stoa_pandas_member *member, stoa_error *err)
{
    return stoa_fail(err, STOA_ELOSS,
                     "column '%s' has the text '" STOA_PANDAS_NAN
                     "', which pandas' table format takes for missing; pandas-fixed does not",
                     member->shape.field->name);
}

static bool is_nan(const char *text, size_t length)
{
    return length == strlen(STOA_PANDAS_NAN) && memcmp(text, STOA_PANDAS_NAN, length) == 0;
}

/* Texts, missing ones as pandas writes them; "U" has offsets of 64 bits. */
static stoa_status make_texts(const stoa_pandas_member *member, const stoa_view *view,
                              struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_view labels = {.length = 0};
    stoa_buffer text = {0};
    int64_t *offsets = stoa_alloc_zero((size_t)view->length + 1, sizeof *offsets);

    STOA_TRY(offsets != NULL ? STOA_OK : stoa_fail_memory(err));
    if (view->type.kind == STOA_KIND_DICTIONARY) {
        STOA_TRY(stoa_view_dictionary(view, &labels, err));
    }
    for (int64_t i = 0; i < view->length; i++) {
        size_t length = 0;
        const char *const said = stoa_line_text(view, &labels, i, &length);
        if (said != NULL && is_nan(said, length)) {
            STOA_TRY(refuse_nan(member, err));
        }
        STOA_TRY(stoa_buffer_append(&text, said != NULL ? said : STOA_PANDAS_NAN,
                                    said != NULL ? length : strlen(STOA_PANDAS_NAN), err));
        offsets[i + 1] = (int64_t)text.size;
    }
    void *const buffers[] = {NULL, offsets, stoa_buffer_take(&text)};
    offsets = NULL;
    STOA_TRY(stoa_array_make(out, view->length, 0, 3, buffers, err));

done:
    free(offsets);
    stoa_buffer_clear(&text);
    return status;
}

static stoa_status make_plain(const stoa_pandas_member *member, const stoa_view *view,
                              struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n = (size_t)view->length;
    uint8_t *values = stoa_alloc_zero(n + 1, sizeof(uint64_t));
    uint8_t *bits = NULL;

    STOA_TRY(values != NULL ? STOA_OK : stoa_fail_memory(err));
    stoa_pandas_plain(&member->shape, view, values);
    if (member->shape.as == STOA_PANDAS_BOOL) {
        bits = stoa_alloc_zero(stoa_bit_bytes(n) + 1, 1);
        STOA_TRY(bits != NULL ? STOA_OK : stoa_fail_memory(err));
        for (size_t i = 0; i < n; i++) {
            if (values[i] != 0) {
                stoa_bit_set(bits, i);
            }
        }
        free(values);
        values = bits;
    }
    void *const buffers[] = {NULL, values};
    values = NULL;
    STOA_TRY(stoa_array_make(out, view->length, 0, 2, buffers, err));

done:
    free(values);
    return status;
}

static stoa_status make_complex(const stoa_pandas_member *member, const stoa_view *view,
                                struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    void *const none[] = {NULL};
    void *values = NULL;

    STOA_TRY(stoa_array_make(out, view->length, 0, 1, none, err));
    STOA_TRY(stoa_array_children(out, 2, err));
    for (int part = 0; part < 2; part++) {
        values = stoa_alloc((size_t)view->length + 1, sizeof(double));
        STOA_TRY(values != NULL ? STOA_OK : stoa_fail_memory(err));
        STOA_TRY(stoa_pandas_part(&member->shape, view, part, values, err));
        void *const buffers[] = {NULL, values};
        values = NULL;
        STOA_TRY(stoa_array_make(out->children[part], view->length, 0, 2, buffers, err));
    }

done:
    free(values);
    return status;
}

/* The number of each label of a batch among all; -1: a missing one. */
static stoa_status number_labels(stoa_pandas_member *member, const stoa_view *labels,
                                 int32_t **numbers, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const bool is_texts = stoa_kind_is_string(labels->type.kind);

    *numbers = stoa_alloc((size_t)labels->length, sizeof **numbers);
    STOA_TRY(*numbers != NULL ? STOA_OK : stoa_fail_memory(err));
    for (int64_t i = 0; i < labels->length; i++) {
        uint32_t number = (uint32_t)i;
        size_t length = 0;
        const char *const text = is_texts ? stoa_view_bytes(labels, i, &length) : NULL;
        const bool is_missing =
            stoa_view_is_null(labels, i) ||
            (is_texts && !stoa_strings_find(&member->shape.facts->labels, text, length, &number));
        if (!is_missing && is_texts && is_nan(text, length)) {
            STOA_TRY(refuse_nan(member, err));
        }
        (*numbers)[i] = is_missing ? -1 : (int32_t)number;
    }

done:
    return status;
}

/* Categories that are numbers, kept to be written: those of the first batch, which all have. */
static stoa_status keep_labels(stoa_pandas_member *member, const stoa_view *labels, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_kind kind = labels->type.kind;

    if (stoa_kind_is_string(kind) || member->n_labels > 0) {
        return STOA_OK;
    }
    if (!stoa_kind_is_integer(kind) && !stoa_kind_is_float(kind)) {
        STOA_FAIL(err, STOA_ETYPE, "column '%s' has categories that are no texts and no numbers",
                  member->shape.field->name);
    }
    STOA_TRY(stoa_buffer_grow(&member->labels,
                              (size_t)labels->length * (size_t)stoa_kind_width(kind), err));
    stoa_line_numbers(labels, member->labels.data);
    member->n_labels = (uint64_t)labels->length;
    member->labels_kind = kind;

done:
    return status;
}

static stoa_status make_codes(stoa_pandas_member *member, const stoa_view *view,
                              struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t width = (size_t)stoa_kind_width(member->codes);
    stoa_view labels;
    int32_t *numbers = NULL;
    uint8_t *codes = stoa_alloc_zero((size_t)view->length + 1, width);

    STOA_TRY(codes != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_view_dictionary(view, &labels, err));
    STOA_TRY(keep_labels(member, &labels, err));
    STOA_TRY(number_labels(member, &labels, &numbers, err));
    for (int64_t i = 0; i < view->length; i++) {
        const int32_t code = stoa_view_is_null(view, i) ? -1 : numbers[stoa_view_i64(view, i)];
        stoa_integer_put(codes + (size_t)i * width, width, code);
    }
    void *const buffers[] = {NULL, codes};
    codes = NULL;
    STOA_TRY(stoa_array_make(out, view->length, 0, 2, buffers, err));

done:
    free(numbers);
    free(codes);
    return status;
}

static stoa_status make_values(stoa_pandas_member *member, const stoa_view *view,
                               struct ArrowArray *out, stoa_error *err)
{
    return member->is_coded                          ? make_codes(member, view, out, err)
           : is_text(member)                         ? make_texts(member, view, out, err)
           : member->shape.as == STOA_PANDAS_COMPLEX ? make_complex(member, view, out, err)
                                                     : make_plain(member, view, out, err);
}

static stoa_status make_member(stoa_pandas_member *member, const stoa_view *view,
                               struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    void *const none[] = {NULL};

    if (!member->is_block) {
        return make_values(member, view, out, err);
    }
    STOA_TRY(stoa_array_make(out, view->length, 0, 1, none, err));
    STOA_TRY(stoa_array_children(out, 1, err));
    STOA_TRY(make_values(member, view, out->children[0], err));

done:
    return status;
}

static stoa_status make_counter(uint64_t first, int64_t n, struct ArrowArray *out, stoa_error *err)
{
    int64_t *const numbers = stoa_alloc((size_t)n, sizeof *numbers);

    if (numbers == NULL) {
        return stoa_fail_memory(err);
    }
    for (int64_t i = 0; i < n; i++) {
        numbers[i] = (int64_t)first + i;
    }
    void *const buffers[] = {NULL, numbers};
    return stoa_array_make(out, n, 0, 2, buffers, err);
}

/* --- the stream ------------------------------------------------------------------------------ */

static stoa_status stream_schema(void *self, struct ArrowSchema *out, stoa_error *err)
{
    return stoa_pandas_members_schema(self, out, NULL, err);
}

static stoa_status make_rows(stoa_pandas_members *members, const struct ArrowArray *batch,
                             struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n_first = members->has_counter;
    void *const none[] = {NULL};
    stoa_view rows;

    STOA_TRY(stoa_view_of(members->source->schema, batch, &rows, err));
    STOA_TRY(stoa_array_make(out, rows.length, 0, 1, none, err));
    STOA_TRY(stoa_array_children(out, (int64_t)(members->n + n_first), err));
    if (members->has_counter) {
        STOA_TRY(make_counter(members->n_rows, rows.length, out->children[0], err));
    }
    for (size_t i = 0; i < members->n; i++) {
        stoa_view view;
        STOA_TRY(stoa_view_child(&rows, (int64_t)members->all[i].column, &view, err));
        STOA_TRY(make_member(&members->all[i], &view, out->children[i + n_first], err));
    }
    members->n_rows += (uint64_t)rows.length;

done:
    return status;
}

static stoa_status stream_next(void *self, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_pandas_members *const members = self;
    struct ArrowArray batch = {.release = NULL};

    out->release = NULL;
    STOA_TRY(stoa_stream_next(members->source->stream, &batch, err));
    if (batch.release != NULL) {
        STOA_TRY(make_rows(members, &batch, out, err));
    }

done:
    stoa_array_release(&batch);
    if (status != STOA_OK) {
        stoa_array_release(out);
    }
    return status;
}

stoa_status stoa_pandas_members_stream(stoa_pandas_members *members,
                                       struct ArrowArrayStream *stream, stoa_error *err)
{
    static const stoa_producer producer = {stream_schema, stream_next, NULL};

    return stoa_stream_make(stream, &producer, members, err);
}
