#include "layout/pytables/member_notes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "layout/pytables/pytables.h"
#include "layout/pytables/rows.h"

static const struct {
    const char *key;
    const char *attribute;
    const char *words;
} notes[] = {{STOA_PACK_WIDTH, "stoa_pytables_width", "width of the strings"},
             {STOA_PACK_CODES, "stoa_pytables_codes", "codes of the enumeration"}};
enum { N_NOTES = sizeof notes / sizeof *notes };

/* --- what a column says ---------------------------------------------------------------------- */

/* Codes that are not simply the numbers of the labels, which are written without a note. */
static bool are_numbers(const stoa_element *element)
{
    bool are = true;

    for (size_t i = 0; i < element->n_members && are; i++) {
        are = element->codes[i] == (int64_t)i;
    }
    return are;
}

static stoa_status print_codes(const stoa_element *element, char **text, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer out = {0};
    char name[64];

    STOA_TRY(stoa_buffer_print(&out, err, "%s\n",
                               stoa_type_name(&(stoa_type){.kind = element->kind}, name)));
    for (size_t i = 0; i < element->n_members; i++) {
        if (strchr(element->names[i], '\n') != NULL) {
            goto done;
        }
        STOA_TRY(stoa_buffer_print(&out, err, "%lld=%s\n", (long long)element->codes[i],
                                   element->names[i]));
    }
    STOA_TRY(stoa_buffer_detach_text(&out, text, err));

done:
    stoa_buffer_clear(&out);
    return status;
}

/* Note k of a column; NULL if it has none. The caller frees it. */
static stoa_status read_note(const stoa_table *table, bool stores, const stoa_column *column,
                             size_t k, char **text, stoa_error *err)
{
    const stoa_element *const element = &column->element;
    hid_t object = H5I_INVALID_HID;

    *text = NULL;
    if (table->layout == NULL) {
        object = stoa_object_open(table->group, column->name);
        *text = object >= 0 ? stoa_attribute_optional(object, notes[k].attribute) : NULL;
        return stoa_hdf_close(&object, STOA_OK, err);
    }
    if (!stores || column->member.rows == NULL) {
        return STOA_OK;
    }
    if (strcmp(notes[k].key, STOA_PACK_WIDTH) == 0 && element->class == STOA_ELEMENT_FIXED_STRING) {
        *text = stoa_format("%zu", element->size);
        return *text != NULL ? STOA_OK : stoa_fail_memory(err);
    }
    return strcmp(notes[k].key, STOA_PACK_CODES) == 0 && element->class == STOA_ELEMENT_ENUM &&
                   !are_numbers(element)
               ? print_codes(element, text, err)
               : STOA_OK;
}

/* --- from table to table --------------------------------------------------------------------- */

stoa_status stoa_pytables_recall_members(const stoa_table *from, bool stores,
                                         struct ArrowSchema *schema, stoa_error *err)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        struct ArrowSchema *const field = schema->children[i];
        const stoa_column *const column = stoa_table_find(from, field->name);
        for (size_t k = 0; column != NULL && k < N_NOTES; k++) {
            char *text = NULL;
            stoa_status status = read_note(from, stores, column, k, &text, err);
            if (status == STOA_OK && text != NULL) {
                status = stoa_schema_set(field, notes[k].key, text, err);
            }
            free(text);
            STOA_RETURN_NOT_OK(status);
        }
    }
    return STOA_OK;
}

static stoa_status save_note(hid_t table, const char *column, size_t k, const char *text,
                             stoa_error *err)
{
    hid_t object = stoa_object_open(table, column);
    const stoa_status status =
        object >= 0 ? stoa_attribute_write_utf8(object, notes[k].attribute, text, err) : STOA_OK;

    return stoa_hdf_close(&object, status, err);
}

stoa_status stoa_pytables_save_members(const stoa_table *from, hid_t table, stoa_error *err)
{
    for (size_t i = 0; i < from->n_columns; i++) {
        for (size_t k = 0; k < N_NOTES; k++) {
            char *text = NULL;
            stoa_status status = read_note(from, true, stoa_table_column(from, i), k, &text, err);
            if (status == STOA_OK && text != NULL) {
                status = save_note(table, from->columns[i]->name, k, text, err);
            }
            free(text);
            STOA_RETURN_NOT_OK(status);
        }
    }
    return STOA_OK;
}

/* --- facts ----------------------------------------------------------------------------------- */

stoa_status stoa_pytables_visit_members(const stoa_table *table, bool stores,
                                        stoa_layout_fact_visitor *visit, void *context,
                                        stoa_error *err)
{
    for (size_t k = 0; k < N_NOTES; k++) {
        for (size_t i = 0; i < table->n_columns; i++) {
            char *text = NULL;
            stoa_status status =
                read_note(table, stores, stoa_table_column(table, i), k, &text, err);
            if (status == STOA_OK && text != NULL) {
                const bool is_width = strcmp(notes[k].key, STOA_PACK_WIDTH) == 0;
                status = visit(context, notes[k].words, table->columns[i]->name,
                               is_width ? text : "", err);
            }
            free(text);
            STOA_RETURN_NOT_OK(status);
        }
    }
    return STOA_OK;
}

static stoa_status visit_indexes(const stoa_table *table, stoa_layout_fact_visitor *visit,
                                 void *context, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *path = stoa_pytables_index_path(table->path);
    hid_t group = H5I_INVALID_HID;

    STOA_TRY(path != NULL ? STOA_OK : stoa_fail_memory(err));
    if (H5Lexists(table->group, path, H5P_DEFAULT) > 0) {
        STOA_HDF(err, group = stoa_open_here(table->group, path), "open '%s'", path);
    }
    for (size_t i = 0; group >= 0 && i < table->n_columns; i++) {
        const char *const name = table->columns[i]->name;
        if (H5Lexists(group, name, H5P_DEFAULT) > 0) {
            STOA_TRY(visit(context, "index", name, "", err));
        }
    }

done:
    free(path);
    return stoa_hdf_close(&group, status, err);
}

/* Whether the default of column n is another than zero. */
static stoa_status has_default(hid_t dataset, size_t n, bool *has, stoa_error *err)
{
    enum { MOST = 256 };
    stoa_status status = STOA_OK;
    char name[48];
    uint8_t value[MOST] = {0};
    hid_t attribute = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;

    *has = false;
    (void)snprintf(name, sizeof name, "FIELD_%zu_FILL", n);
    if (!stoa_attribute_exists(dataset, name)) {
        return STOA_OK;
    }
    STOA_HDF(err, attribute = H5Aopen(dataset, name, H5P_DEFAULT), "open '%s'", name);
    STOA_HDF(err, type = H5Aget_type(attribute), "read the type of '%s'", name);
    const bool is_plain = H5Tget_class(type) == H5T_INTEGER || H5Tget_class(type) == H5T_FLOAT ||
                          H5Tget_class(type) == H5T_BITFIELD || H5Tget_class(type) == H5T_STRING;
    if (is_plain && H5Tis_variable_str(type) <= 0 && H5Aget_storage_size(attribute) <= MOST &&
        H5Aget_storage_size(attribute) == H5Tget_size(type)) {
        STOA_HDF(err, H5Aread(attribute, type, value), "read '%s'", name);
    }
    for (size_t i = 0; i < MOST; i++) {
        *has = *has || value[i] != 0;
    }

done:
    status = stoa_hdf_close(&type, status, err);
    return stoa_hdf_close(&attribute, status, err);
}

/* "FIELD_3_ATTR_run" of column 3 is its attribute `run`, except those that are shown otherwise. */
static stoa_status visit_attributes(const stoa_table *table, size_t n, const char *names,
                                    size_t size, stoa_layout_fact_visitor *visit, void *context,
                                    stoa_error *err)
{
    static const char *const shown[] = {"units", "description", "stoa_arrow_type", NULL};
    char prefix[48];

    (void)snprintf(prefix, sizeof prefix, "FIELD_%zu_ATTR_", n);
    for (size_t at = 0; at < size; at += strlen(names + at) + 1) {
        const char *const name = names + at + strlen(prefix);
        if (strncmp(names + at, prefix, strlen(prefix)) != 0 || stoa_is_listed(name, shown)) {
            continue;
        }
        char *const what = stoa_format("attribute '%s'", name);
        const stoa_status status = what != NULL
                                       ? visit(context, what, table->columns[n]->name, "", err)
                                       : stoa_fail_memory(err);
        free(what);
        STOA_RETURN_NOT_OK(status);
    }
    return STOA_OK;
}

stoa_status stoa_pytables_visit_facts(const stoa_table *table, stoa_layout_fact_visitor *visit,
                                      void *context, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer names = {0};
    bool are_listed = false;

    STOA_TRY(visit_indexes(table, visit, context, err));
    for (size_t i = 0; i < table->n_columns; i++) {
        bool has = false;
        STOA_TRY(has_default(table->group, i, &has, err));
        STOA_TRY(has ? visit(context, "default", table->columns[i]->name, "", err) : STOA_OK);
    }
    STOA_TRY(stoa_attribute_names(table->group, &names, &are_listed, err));
    for (size_t i = 0; i < table->n_columns; i++) {
        STOA_TRY(
            visit_attributes(table, i, (const char *)names.data, names.size, visit, context, err));
    }

done:
    stoa_buffer_clear(&names);
    return status;
}
