#include "layout/common/texts_as_categories.h"

#include <stdlib.h>

#include "core/string_set.h"
#include "layout/common/changed_columns.h"

typedef struct label_set {
    stoa_string_set texts; /* numbered as the labels are */
    struct ArrowArray labels;
} label_set;

struct stoa_label_sets {
    size_t n;
    label_set columns[]; /* labels.release is NULL where a column is no category */
};

void stoa_label_sets_free(stoa_label_sets *sets)
{
    for (size_t i = 0; sets != NULL && i < sets->n; i++) {
        stoa_string_set_clear(&sets->columns[i].texts);
        stoa_array_release(&sets->columns[i].labels);
    }
    free(sets);
}

/* Number the labels. *are_texts is false if one of them is missing or occurs twice. */
static stoa_status number_labels(const stoa_view *labels, stoa_string_set *texts, bool *are_texts,
                                 stoa_error *err)
{
    *are_texts = labels->type.kind == STOA_KIND_STRING;
    for (int64_t i = 0; i < labels->length && *are_texts; i++) {
        uint32_t number = 0;
        size_t length = 0;
        if (stoa_view_is_null(labels, i)) {
            *are_texts = false;
            break;
        }
        const char *const text = stoa_view_bytes(labels, i, &length);
        STOA_RETURN_NOT_OK(stoa_string_set_add(texts, text, length, &number, err));
        *are_texts = number == (uint32_t)i;
    }
    return STOA_OK;
}

/* Take the labels of a table's column, if they are strings. */
static stoa_status take_labels(stoa_column *column, label_set *set, bool *is_ordered,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray codes = {.release = NULL};
    bool are_texts = false;
    stoa_view view;
    stoa_view labels;

    STOA_TRY(stoa_column_schema(column, &schema, err));
    if (schema.dictionary == NULL) {
        goto done;
    }
    *is_ordered = (schema.flags & ARROW_FLAG_DICTIONARY_ORDERED) != 0;
    STOA_TRY(stoa_column_read(column, 0, 0, &codes, err));
    STOA_TRY(stoa_view_of(&schema, &codes, &view, err));
    STOA_TRY(stoa_view_dictionary(&view, &labels, err));
    STOA_TRY(number_labels(&labels, &set->texts, &are_texts, err));
    if (are_texts) {
        STOA_TRY(stoa_array_share(codes.dictionary, &set->labels, err));
    }

done:
    stoa_array_release(&codes);
    stoa_schema_release(&schema);
    return status;
}

/* The field of a stream's column, as categories if the table's column has some. */
static stoa_status make_field(const struct ArrowSchema *from, stoa_table *table, label_set *set,
                              struct ArrowSchema *to, stoa_error *err)
{
    stoa_column *const column = stoa_table_find(table, from->name);
    bool is_ordered = false;
    stoa_type type;

    STOA_RETURN_NOT_OK(stoa_type_of(from, &type, err));
    if (column != NULL && type.kind == STOA_KIND_STRING) {
        STOA_RETURN_NOT_OK(take_labels(column, set, &is_ordered, err));
    }
    if (set->labels.release == NULL) {
        return stoa_schema_copy(from, to, err);
    }
    STOA_RETURN_NOT_OK(stoa_schema_make(to, from->name, stoa_kind_format(STOA_KIND_INT32), err));
    STOA_RETURN_NOT_OK(stoa_schema_dictionary(to, from->format, err));
    to->flags |= is_ordered ? ARROW_FLAG_DICTIONARY_ORDERED : 0;
    return stoa_field_keep_units(to, from, err);
}

static stoa_status find_codes(const stoa_view *column, const stoa_string_set *texts, int32_t *codes,
                              uint8_t *validity, stoa_error *err)
{
    for (int64_t i = 0; i < column->length; i++) {
        uint32_t number = 0;
        size_t length = 0;
        if (!stoa_view_is_null(column, i)) {
            const char *const text = stoa_view_bytes(column, i, &length);
            if (!stoa_string_set_find(texts, text, length, &number)) {
                return stoa_fail(err, STOA_EDATA, "column '%s' has no category '%.*s'",
                                 column->schema->name, length < 40 ? (int)length : 40, text);
            }
            stoa_bit_set(validity, (uint64_t)i);
        }
        codes[i] = (int32_t)number;
    }
    return STOA_OK;
}

static stoa_status encode(const void *context, size_t i, const stoa_view *column,
                          const struct ArrowSchema *field, struct ArrowArray *out, stoa_error *err)
{
    const stoa_label_sets *const sets = context;
    label_set set = sets->columns[i];
    struct ArrowArray labels = {.release = NULL};
    stoa_status status = STOA_OK;
    int32_t *codes = NULL;
    uint8_t *validity = NULL;

    (void)field;
    if (set.labels.release == NULL) {
        return STOA_OK;
    }
    codes = stoa_alloc((size_t)column->length, sizeof *codes);
    validity = stoa_alloc_zero(stoa_bit_bytes((uint64_t)column->length), 1);
    STOA_TRY(codes != NULL && validity != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(find_codes(column, &set.texts, codes, validity, err));
    STOA_TRY(
        stoa_array_share(&((stoa_label_sets *)(uintptr_t)sets)->columns[i].labels, &labels, err));
    void *const buffers[] = {validity, codes};
    validity = NULL;
    codes = NULL;
    STOA_TRY(stoa_array_make(out, column->length, column->null_count, 2, buffers, err));
    STOA_TRY(stoa_array_dictionary(out, &labels, err));

done:
    free(codes);
    free(validity);
    stoa_array_release(&labels);
    return status;
}

stoa_status stoa_texts_as_categories(struct ArrowArrayStream *stream, stoa_table *table,
                                     stoa_label_sets **sets, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema plain = {.release = NULL};
    struct ArrowSchema coded = {.release = NULL};

    *sets = NULL;
    STOA_TRY(stoa_stream_schema(stream, &plain, err));
    const size_t n = (size_t)plain.n_children;
    *sets = stoa_alloc_zero(1, sizeof **sets + n * sizeof(label_set));
    STOA_TRY(*sets != NULL ? STOA_OK : stoa_fail_memory(err));
    (*sets)->n = n;
    STOA_TRY(stoa_schema_make(&coded, "", "+s", err));
    STOA_TRY(stoa_schema_children(&coded, plain.n_children, err));
    for (size_t i = 0; i < n; i++) {
        STOA_TRY(
            make_field(plain.children[i], table, &(*sets)->columns[i], coded.children[i], err));
    }
    STOA_TRY(stoa_stream_change_columns(stream, &coded, encode, *sets, err));

done:
    stoa_schema_release(&plain);
    stoa_schema_release(&coded);
    if (status != STOA_OK) {
        stoa_stream_release(stream);
    }
    return status;
}
