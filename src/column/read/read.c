/* Reads rows of a column as Arrow arrays, and describes the column's Arrow type. */
#include <stdlib.h>
#include <string.h>

#include "arrow/cast/original.h"
#include "arrow/decode_dictionary.h"
#include "column/read/block.h"
#include "column/read/decode.h"
#include "column/type/tensor.h"
#include "column/values.h"
#include "core/memory.h"

const char *stoa_column_name(const stoa_column *column)
{
    return column->name;
}

bool stoa_column_is_ordered(const stoa_column *column)
{
    if (column->list != NULL) {
        return false;
    }
    switch (column->element.class) {
    case STOA_ELEMENT_INTEGER:
        return !column->element.is_bitfield;
    case STOA_ELEMENT_OPAQUE:
        return !column->element.is_raw;
    case STOA_ELEMENT_FLOAT:
        return !column->element.is_odd; /* only the three formats of §10.5 (notes D10) */
    case STOA_ELEMENT_FIXED_STRING:
    case STOA_ELEMENT_STRING:
    case STOA_ELEMENT_ENUM:
        return true;
    default:
        return false;
    }
}

int64_t stoa_column_code(const stoa_column *column, int64_t position)
{
    if (column->element.class == STOA_ELEMENT_ENUM && position >= 0 &&
        (size_t)position < column->element.n_members) {
        return column->element.codes[position];
    }
    return position;
}

/* Set a bound as text in the field metadata. */
static stoa_status set_bound(const stoa_column *column, const char *key, const uint8_t *bound,
                             struct ArrowSchema *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray array = {.release = NULL};
    struct ArrowSchema schema = {.release = NULL};
    stoa_view view;
    char text[STOA_NUMBER_SIZE];

    if (bound == NULL || column->type.kind == STOA_KIND_BOOL ||
        (column->element.class != STOA_ELEMENT_INTEGER &&
         column->element.class != STOA_ELEMENT_FLOAT)) {
        return STOA_OK;
    }
    void *copy = stoa_alloc(1, column->element.size);
    STOA_TRY(copy != NULL ? STOA_OK : stoa_fail_memory(err));
    memcpy(copy, bound, column->element.size);
    STOA_TRY(stoa_element_decode(&column->element, copy, 1, NULL, &array, err));
    STOA_TRY(stoa_element_schema(&column->element, "bound", &schema, err));
    STOA_TRY(stoa_view_of(&schema, &array, &view, err));
    if (column->element.class == STOA_ELEMENT_FLOAT) {
        (void)(column->element.kind == STOA_KIND_FLOAT64
                   ? stoa_format_f64(stoa_view_f64(&view, 0), text)
                   : stoa_format_f32((float)stoa_view_f64(&view, 0), text));
    } else if (column->element.kind == STOA_KIND_UINT64) {
        (void)stoa_format_u64((uint64_t)stoa_view_i64(&view, 0), text);
    } else {
        (void)stoa_format_i64(stoa_view_i64(&view, 0), text);
    }
    STOA_TRY(stoa_schema_set(out, key, text, err));

done:
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    return status;
}

static stoa_status set_text(struct ArrowSchema *out, const char *key, const char *text,
                            stoa_error *err)
{
    return text != NULL ? stoa_schema_set(out, key, text, err) : STOA_OK;
}

/* Set the metadata of an Arrow extension type, if the field still has the storage type that the
 * extension had. A note of the original type is for any storage type that holds its values. */
static stoa_status set_note(struct ArrowSchema *field, const char *note, const char *metadata,
                            stoa_error *err)
{
    const size_t length = note != NULL ? strcspn(note, " ") : 0;

    if (note == NULL || note[length] == '\0' || field->dictionary != NULL ||
        ((strncmp(note, field->format, length) != 0 || field->format[length] != '\0') &&
         strcmp(note + length + 1, STOA_ORIGINAL) != 0)) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(set_text(field, "ARROW:extension:name", note + length + 1, err));
    return set_text(field, "ARROW:extension:metadata", metadata, err);
}

/* Arrays of several dimensions are tensors, unless they are of another extension type. */
static stoa_status set_tensor(const stoa_column *column, struct ArrowSchema *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *shape = NULL;

    if (stoa_schema_get(out, "ARROW:extension:name", &(const char *){NULL}, &(size_t){0})) {
        return STOA_OK;
    }
    STOA_TRY(stoa_tensor_of_element(&column->element, &shape, err));
    if (shape != NULL) {
        STOA_TRY(stoa_schema_set(out, "ARROW:extension:name", STOA_TENSOR, err));
        STOA_TRY(stoa_schema_set(out, "ARROW:extension:metadata", shape, err));
    }

done:
    free(shape);
    return status;
}

static stoa_status set_extension(const stoa_column *column, struct ArrowSchema *out,
                                 stoa_error *err)
{
    const char *const note = column->extension;
    const size_t n_item = strlen(STOA_COLUMN_EXTENSION_ITEM);
    const bool is_of_items = note != NULL && strncmp(note, STOA_COLUMN_EXTENSION_ITEM, n_item) == 0;
    struct ArrowSchema *const items =
        out->n_children == 1 && column->element.class != STOA_ELEMENT_COMPOUND ? out->children[0]
                                                                               : NULL;

    if (!is_of_items) {
        STOA_RETURN_NOT_OK(set_note(out, note, column->extension_metadata, err));
    } else if (items != NULL) {
        STOA_RETURN_NOT_OK(set_note(items, note + n_item, column->extension_metadata, err));
    }
    if (items != NULL) {
        STOA_RETURN_NOT_OK(
            set_note(items, column->item_extension, column->item_extension_metadata, err));
    }
    return STOA_OK;
}

/* Make the schema of the rows, without field metadata. */
static stoa_status make_field(const stoa_column *column, bool is_text, struct ArrowSchema *out,
                              stoa_error *err)
{
    if (column->source.read_array != NULL) {
        return stoa_schema_copy(&column->source_schema, out, err);
    }
    STOA_RETURN_NOT_OK(
        is_text ? stoa_schema_make(out, column->name, stoa_kind_format(STOA_KIND_STRING), err)
                : stoa_column_value_schema(column, out, err));
    if (stoa_column_is_categorical(column) && !is_text) {
        STOA_RETURN_NOT_OK(stoa_schema_dictionary(out, column->dictionary_schema.format, err));
        stoa_schema_release(out->dictionary);
        STOA_RETURN_NOT_OK(stoa_schema_copy(&column->dictionary_schema, out->dictionary, err));
        out->flags |= column->is_ordered ? ARROW_FLAG_DICTIONARY_ORDERED : 0;
    }
    return set_text(out, "stoa.datatype", column->element.text, err);
}

static stoa_status make_schema(const stoa_column *column, bool coded, struct ArrowSchema *out,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;

    out->release = NULL;
    STOA_TRY(stoa_column_load(column, err));
    STOA_TRY(make_field(column, column->is_text && !coded, out, err));
    if (column->units == NULL || column->outer_units == NULL ||
        strcmp(column->units, column->outer_units) != 0) { /* else the lists' field has them */
        STOA_TRY(set_text(out, "units", column->units, err));
    }
    STOA_TRY(set_text(out, "units_vocabulary", column->units_vocabulary, err));
    STOA_TRY(set_text(out, "description", column->description, err));
    STOA_TRY(set_bound(column, "valid_min", column->valid_min, out, err));
    STOA_TRY(set_bound(column, "valid_max", column->valid_max, out, err));
    STOA_TRY(set_extension(column, out, err));
    STOA_TRY(column->source.read_array == NULL ? set_tensor(column, out, err) : STOA_OK);
    if (stoa_kind_is_integer(column->type.kind) || stoa_kind_is_float(column->type.kind)) {
        STOA_TRY(set_text(out, STOA_COLUMN_ARROW_TYPE, column->narrower, err));
    }
    for (size_t i = 0; i < column->n_metadata; i++) {
        STOA_TRY(stoa_schema_set(out, column->metadata[i].key, column->metadata[i].value, err));
    }

done:
    if (status != STOA_OK) {
        stoa_schema_release(out);
    }
    return stoa_at(err, status, "%s", column->name);
}

stoa_status stoa_column_schema(const stoa_column *column, struct ArrowSchema *out, stoa_error *err)
{
    stoa_status status = stoa_idle_begin(column->idle, err);

    if (status == STOA_OK) {
        status = make_schema(column, false, out, err);
        stoa_idle_end(column->idle);
    }
    return status;
}

stoa_status stoa_column_coded_schema(const stoa_column *column, struct ArrowSchema *out,
                                     stoa_error *err)
{
    return make_schema(column, true, out, err);
}

/* Convert elements whose Arrow form differs from the stored one: booleans, times, category codes.
 */
static stoa_status present(stoa_column *column, stoa_block *block, struct ArrowArray *out,
                           stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t n = block->count;
    void *values = NULL;
    struct ArrowArray labels = {.release = NULL};

    for (uint64_t i = 0; block->missing != NULL && i < stoa_bit_bytes(n); i++) {
        block->missing[i] = (uint8_t)~block->missing[i];
    }
    if (column->type.kind == STOA_KIND_DICTIONARY) {
        STOA_TRY(
            stoa_column_decode(column, block->elements, n, block->missing, block->elements, err));
        values = block->elements;
        block->elements = NULL;
    } else {
        values = stoa_alloc(stoa_column_decode_bytes(column, n), 1);
        STOA_TRY(values != NULL ? STOA_OK : stoa_fail_memory(err));
        STOA_TRY(stoa_column_decode(column, block->elements, n, block->missing, values, err));
    }
    void *const buffers[] = {block->missing, values};
    block->missing = NULL;
    values = NULL;
    STOA_TRY(stoa_array_make(out, (int64_t)n, (int64_t)block->n_missing, 2, buffers, err));
    if (column->type.kind == STOA_KIND_DICTIONARY) {
        STOA_TRY(stoa_array_share(&column->dictionary, &labels, err));
        STOA_TRY(stoa_array_dictionary(out, &labels, err));
    }

done:
    free(values);
    if (status != STOA_OK) {
        stoa_array_release(out);
    }
    return status;
}

stoa_status stoa_block_present(stoa_column *column, stoa_block *block, struct ArrowArray *out,
                               stoa_error *err)
{
    out->release = NULL;
    return stoa_column_is_as_stored(column) ? stoa_block_decode(&column->element, block, out, err)
                                            : present(column, block, out, err);
}

stoa_status stoa_column_read_coded(stoa_column *column, uint64_t first, uint64_t count,
                                   struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_block block = {.elements = NULL};

    out->release = NULL;
    STOA_TRY(stoa_column_load(column, err));
    STOA_TRY(stoa_column_check_rows(column, first, count, err));
    if (column->source.read_array != NULL) {
        STOA_TRY(column->source.read_array(column->source.context, first, count, out, err));
        goto done;
    }
    STOA_TRY(stoa_block_read(column, first, count, &block, err));
    STOA_TRY(stoa_block_present(column, &block, out, err));

done:
    stoa_block_clear(&column->element, &block);
    return stoa_column_at(column, status, err);
}

stoa_status stoa_column_read(stoa_column *column, uint64_t first, uint64_t count,
                             struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray coded = {.release = NULL};
    stoa_view codes;
    stoa_view labels;
    bool is_used = false;

    out->release = NULL;
    STOA_TRY(stoa_idle_begin(column->idle, err));
    is_used = true;
    STOA_TRY(stoa_column_read_coded(column, first, count, &coded, err));
    if (!column->is_text) {
        stoa_array_move(&coded, out);
        goto done;
    }
    STOA_TRY(stoa_column_coded_schema(column, &schema, err));
    STOA_TRY(stoa_view_of(&schema, &coded, &codes, err));
    STOA_TRY(stoa_view_dictionary(&codes, &labels, err));
    STOA_TRY(stoa_decode_dictionary(&codes, &labels, STOA_KIND_STRING, out, err));

done:
    stoa_array_release(&coded);
    stoa_schema_release(&schema);
    if (is_used) {
        stoa_idle_end(column->idle);
    }
    return stoa_column_at(column, status, err);
}
