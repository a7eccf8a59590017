#include "column/labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/decode_dictionary.h"
#include "column/read/decode.h"
#include "column/values.h"
#include "column/write/categories.h"
#include "core/memory.h"
#include "hdf/chunk/chunk_checks.h"

/* Convert elements whose Arrow form differs from the stored one: times and booleans. */
static stoa_status convert(const stoa_column *labels, const uint8_t *elements, uint64_t n,
                           uint8_t *values, stoa_error *err)
{
    if (labels->is_time) {
        return stoa_column_to_ticks(labels, elements, n, NULL, values, err);
    }
    for (uint64_t i = 0; i < n; i++) {
        if (elements[i] > 1) {
            return stoa_fail(err, STOA_EDATA,
                             "a label of booleans is %u, neither FALSE nor TRUE (HEP001 §6)",
                             elements[i]);
        }
        values[i / 8] |= (uint8_t)(elements[i] << (i % 8));
    }
    return STOA_OK;
}

/* Convert n labels. Takes over the elements, but not their variable-length parts. */
static stoa_status decode(const stoa_column *labels, void *elements, uint64_t n,
                          struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint8_t *values = NULL;

    if (stoa_column_is_as_stored(labels)) {
        return stoa_element_decode(&labels->element, elements, (int64_t)n, NULL, out, err);
    }
    values = stoa_alloc_zero((size_t)n + 1, sizeof(int64_t));
    STOA_TRY(values != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(convert(labels, elements, n, values, err));
    void *const buffers[] = {NULL, values};
    values = NULL;
    STOA_TRY(stoa_array_make(out, (int64_t)n, 0, 2, buffers, err));

done:
    free(values);
    free(elements);
    return status;
}

/* Replace the codes of an enumeration by the names of its members. */
static stoa_status spell_members(const stoa_column *labels, struct ArrowSchema *schema,
                                 struct ArrowArray *array, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray texts = {.release = NULL};
    stoa_view codes;
    stoa_view members;

    STOA_TRY(stoa_view_of(schema, array, &codes, err));
    STOA_TRY(stoa_view_dictionary(&codes, &members, err));
    STOA_TRY(stoa_decode_dictionary(&codes, &members, STOA_KIND_STRING, &texts, err));
    stoa_schema_release(schema);
    STOA_TRY(stoa_schema_make(schema, labels->name, stoa_kind_format(STOA_KIND_STRING), err));
    stoa_array_release(array);
    stoa_array_move(&texts, array);

done:
    stoa_array_release(&texts);
    return status;
}

stoa_status stoa_labels_read(const stoa_column *labels, struct ArrowSchema *schema,
                             struct ArrowArray *array, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_element *const element = &labels->element;
    const hsize_t n = labels->extent;
    void *elements = NULL;
    void *copy = NULL;
    bool is_read = false;

    if (n > STOA_CATEGORIES_MAX_LABELS || n > STOA_CATEGORIES_MAX_BYTES / element->size) {
        return stoa_fail(err, STOA_EDATA, "the categories dataset has %llu labels of %zu bytes",
                         (unsigned long long)n, element->size);
    }
    STOA_TRY(stoa_chunks_check(labels->dataset, err));
    elements = stoa_alloc_zero((size_t)n, element->size);
    copy = stoa_alloc((size_t)n, element->size);
    STOA_TRY(elements != NULL && copy != NULL ? STOA_OK : stoa_fail_memory(err));
    if (n > 0) {
        STOA_TRY(stoa_chunks_read(labels->dataset, true, element->mem_type, &(hsize_t){0}, &n,
                                  H5P_DEFAULT, elements, err));
        is_read = true;
    }
    STOA_TRY(stoa_column_value_schema(labels, schema, err));
    if (labels->units != NULL) {
        STOA_TRY(stoa_schema_set(schema, "units", labels->units, err));
    }
    /* Decoding takes over its block, but libhdf5 must reclaim pointers in it. */
    memcpy(copy, elements, (size_t)n * element->size);
    void *const taken = copy;
    copy = NULL;
    STOA_TRY(decode(labels, taken, n, array, err));
    if (element->class == STOA_ELEMENT_ENUM && labels->type.kind == STOA_KIND_DICTIONARY) {
        STOA_TRY(spell_members(labels, schema, array, err));
    }

done:
    if (is_read) {
        stoa_element_reclaim(element, elements, (size_t)n);
    }
    free(elements);
    free(copy);
    return status;
}

void stoa_label_text(const stoa_column *labels, const void *element, char *out)
{
    const struct ArrowSchema schema = {.name = "label"};
    const stoa_type *const type = &labels->type;
    uint8_t value[sizeof(uint64_t)] = {0};
    const stoa_view view = {.type = *type, .length = 1, .values = value, .schema = &schema};

    (void)snprintf(out, STOA_NUMBER_SIZE, "a value of %.32s", labels->element.text);
    if (labels->element.size > sizeof value) {
        return;
    }
    if (stoa_column_is_as_stored(labels)) {
        memcpy(value, element, labels->element.size);
    } else if (convert(labels, element, 1, value, NULL) != STOA_OK) {
        return;
    }
    if (stoa_kind_is_ticks(type->kind)) {
        (void)stoa_type_format_ticks(type, stoa_view_i64(&view, 0), out);
    } else if (type->kind == STOA_KIND_BOOL) {
        (void)snprintf(out, STOA_NUMBER_SIZE, "%s",
                       stoa_view_i64(&view, 0) != 0 ? "true" : "false");
    } else if (stoa_kind_is_float(type->kind)) {
        (void)stoa_format_f64(stoa_view_f64(&view, 0), out);
    } else if (type->kind == STOA_KIND_UINT64) {
        (void)stoa_format_u64((uint64_t)stoa_view_i64(&view, 0), out);
    } else if (stoa_kind_is_integer(type->kind)) {
        (void)stoa_format_i64(stoa_view_i64(&view, 0), out);
    }
}
