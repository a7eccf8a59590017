/* Lookups in the list of layouts (registry.h). */
#include <stdlib.h>
#include <stoa/version.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "hdf/metadata/types.h"
#include "layout/common/extent.h"
#include "layout/registry.h"
#include "sparse/tools/storage.h"
#include "table/open/table.h"

/* --- layouts --------------------------------------------------------------------------------- */

const stoa_layout *stoa_layout_find(const char *name)
{
    for (size_t i = 0; stoa_layouts[i] != NULL; i++) {
        if (strcmp(stoa_layouts[i]->name, name) == 0) {
            return stoa_layouts[i];
        }
    }
    return NULL;
}

const stoa_layout *stoa_layout_home(void)
{
    size_t i = 0;

    while (!stoa_layouts[i]->is_home) {
        i++;
    }
    return stoa_layouts[i];
}

const stoa_layout *stoa_layout_find_listed(const char *name)
{
    for (size_t i = 0; name != NULL && stoa_layouts[i] != NULL; i++) {
        const stoa_layout *const layout = stoa_layouts[i];
        if (layout->shown_as != NULL ? stoa_is_listed(name, layout->shown_as)
                                     : strcmp(layout->name, name) == 0) {
            return layout;
        }
    }
    return NULL;
}

const stoa_layout *stoa_layout_of(const stoa_table *table)
{
    return stoa_layout_find_listed(stoa_table_layout(table));
}

bool stoa_layout_writes(const stoa_layout *layout)
{
    return layout->writer != NULL || layout->files != NULL || layout->write_table != NULL;
}

bool stoa_layout_is_written(const char *layout)
{
    const stoa_layout *const found = layout != NULL ? stoa_layout_find(layout) : NULL;

    return found != NULL && stoa_layout_writes(found);
}

const char *stoa_layout_name(size_t i)
{
    for (size_t k = 0; stoa_layouts[k] != NULL; k++) {
        if (stoa_layout_writes(stoa_layouts[k]) && i-- == 0) {
            return stoa_layouts[k]->name;
        }
    }
    return NULL;
}

char *stoa_layout_list_of(const char *const *names)
{
    stoa_buffer out = {0};
    const char *name = NULL;

    for (size_t i = 0; (name = names != NULL ? names[i] : stoa_layout_name(i)) != NULL; i++) {
        if (stoa_buffer_print(&out, NULL, "%s%s", i > 0 ? ", " : "", name) != STOA_OK) {
            stoa_buffer_clear(&out);
            break;
        }
    }
    return stoa_buffer_detach(&out);
}

const stoa_missing_rules *stoa_layout_missing(const stoa_layout *layout)
{
    static const stoa_missing_rules none = {.holds = NULL};

    return layout->writer != NULL    ? &layout->writer->missing
           : layout->missing != NULL ? layout->missing
                                     : &none;
}

static const stoa_layout_option *option_in(const stoa_layout *layout, const char *key)
{
    const stoa_layout_option *option = layout->options;

    while (option != NULL && option->key != NULL && strcmp(option->key, key) != 0) {
        option++;
    }
    return option != NULL && option->key != NULL ? option : NULL;
}

const stoa_layout_option *stoa_layout_option_of(const stoa_layout *layout, const char *key)
{
    const stoa_layout_option *found = option_in(layout, key);

    for (size_t i = 0; found == NULL && stoa_layouts[i] != NULL; i++) {
        found = option_in(stoa_layouts[i], key);
        found = found != NULL && found->is_of_source ? found : NULL;
    }
    return found;
}

/* --- objects --------------------------------------------------------------------------------- */

static stoa_status ask_classes(hid_t object, bool vague, const stoa_layout_class **found,
                               stoa_object *shown, stoa_error *err)
{
    const H5I_type_t type = H5Iget_type(object);

    for (size_t i = 0; stoa_layouts[i] != NULL && *found == NULL; i++) {
        const stoa_layout_class *const *const classes = stoa_layouts[i]->classes;
        for (size_t k = 0; classes != NULL && classes[k] != NULL && *found == NULL; k++) {
            bool is_one = false;
            if (classes[k]->is_vague == vague) {
                STOA_RETURN_NOT_OK(classes[k]->identify(object, type, &is_one, shown, err));
            }
            *found = is_one ? classes[k] : NULL;
        }
    }
    return STOA_OK;
}

stoa_status stoa_layout_find_class(hid_t object, const stoa_layout_class **found,
                                   stoa_object *shown, stoa_error *err)
{
    *found = NULL;
    STOA_RETURN_NOT_OK(ask_classes(object, false, found, shown, err));
    return *found == NULL ? ask_classes(object, true, found, shown, err) : STOA_OK;
}

/* Whether a dataset is a sparse array, damaged or not. */
static bool is_sparse(hid_t dataset, stoa_array_object *shown)
{
    const bool is = stoa_is_structured(dataset);
    int rank = 0;

    if (is) {
        (void)!stoa_extent_read(dataset, &rank, shown->extent, NULL);
        shown->layout = "sparse";
        shown->kind = "array";
        shown->rank = rank > 0 ? (unsigned)rank : 0;
        shown->n_bytes = H5Dget_storage_size(dataset);
    }
    return is;
}

bool stoa_layout_is_array(hid_t object, stoa_array_object *shown)
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    bool is = H5Iget_type(object) == H5I_DATASET && is_sparse(object, shown);

    for (size_t i = 0; stoa_layouts[i] != NULL && !is; i++) {
        is = stoa_layouts[i]->identify_array != NULL &&
             stoa_layouts[i]->identify_array(object, shown);
    }
    stoa_error_stack_discard(&errors);
    return is;
}

const char *const *stoa_layout_parts_of_array(hid_t object)
{
    const char *const *parts = NULL;

    for (size_t i = 0; stoa_layouts[i] != NULL && parts == NULL; i++) {
        parts = stoa_layouts[i]->parts_of_array != NULL ? stoa_layouts[i]->parts_of_array(object)
                                                        : NULL;
    }
    return parts;
}

bool stoa_layout_is_said(hid_t object)
{
    bool is = false;

    for (size_t i = 0; stoa_layouts[i] != NULL && !is; i++) {
        is = stoa_layouts[i]->is_said != NULL && stoa_layouts[i]->is_said(object);
    }
    return is;
}

stoa_status stoa_layout_is_claimed(hid_t object, bool *is_claimed, stoa_error *err)
{
    stoa_error why = STOA_ERROR_INIT;
    const stoa_layout_class *class = NULL;
    stoa_object table = {.path = NULL};
    stoa_array_object array = {.path = NULL};
    bool is_own = false;
    stoa_status status =
        H5Iget_type(object) == H5I_GROUP ? stoa_table_probe(object, &is_own, &why) : STOA_OK;

    *is_claimed = is_own || stoa_layout_is_said(object) || stoa_layout_is_array(object, &array);
    if (status == STOA_OK && !*is_claimed) {
        status = ask_classes(object, false, &class, &table, &why);
    }
    *is_claimed = *is_claimed || class != NULL || status != STOA_OK;
    return status == STOA_ENOMEM ? stoa_fail_memory(err) : STOA_OK;
}

bool stoa_layout_is_whole(hid_t file)
{
    bool is = false;

    for (size_t i = 0; stoa_layouts[i] != NULL && !is; i++) {
        is = stoa_layouts[i]->whole != NULL && stoa_layouts[i]->whole->is_one(file);
    }
    return is;
}

stoa_status stoa_layout_find_rest(hid_t object, const stoa_layout_rest **rest,
                                  stoa_layout_found *found, stoa_error *err)
{
    *rest = NULL;
    *found = (stoa_layout_found){.is_table = false};
    for (size_t i = 0; stoa_layouts[i] != NULL && *rest == NULL; i++) {
        const stoa_layout_rest *const one = stoa_layouts[i]->rest;
        if (one != NULL) {
            STOA_RETURN_NOT_OK(one->identify(object, stoa_layout_is_claimed, found, err));
            *rest = found->is_table || found->is_array ? one : NULL;
        }
    }
    return STOA_OK;
}

stoa_status stoa_layout_find_file(const char *name, char **found, stoa_error *err)
{
    *found = NULL;
    for (size_t i = 0; stoa_layouts[i] != NULL && *found == NULL; i++) {
        if (stoa_layouts[i]->find_file != NULL) {
            STOA_RETURN_NOT_OK(stoa_layouts[i]->find_file(name, found, err));
        }
    }
    return STOA_OK;
}

bool stoa_layout_is_hidden(const char *path)
{
    bool is = false;

    for (size_t i = 0; stoa_layouts[i] != NULL && !is; i++) {
        is = stoa_layouts[i]->is_hidden != NULL && stoa_layouts[i]->is_hidden(path);
    }
    return is;
}

stoa_status stoa_layout_prepare(stoa_table *from, const stoa_layout *to, stoa_error *err)
{
    for (size_t i = 0; to->is_home && stoa_layouts[i] != NULL; i++) {
        if (stoa_layouts[i]->free_names != NULL) {
            STOA_RETURN_NOT_OK(stoa_layouts[i]->free_names(from, err));
        }
    }
    return STOA_OK;
}

/* Whether an object, or the root of its file, declares that it is of the layout. */
static bool is_said(const stoa_layout *layout, hid_t object)
{
    hid_t root = H5I_INVALID_HID;
    bool is = layout->is_said == NULL || layout->is_said(object);

    if (!is && (root = H5Gopen2(object, "/", H5P_DEFAULT)) >= 0) {
        is = layout->is_said(root);
        (void)stoa_hdf_close(&root, STOA_OK, NULL);
    }
    return is;
}

/* The elements and extents of a dataset. */
static stoa_status describe_dataset(hid_t dataset, stoa_buffer *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_element element = {.text = ""};
    hid_t type = H5Dget_type(dataset);

    STOA_HDF(err, type, "read a datatype");
    STOA_TRY(stoa_element_or_time_of(type, &element, err));
    STOA_TRY(stoa_buffer_print(out, err, "%s · ", element.text));
    STOA_TRY(stoa_extent_print(dataset, out, err));

done:
    stoa_element_clear(&element);
    return stoa_hdf_close(&type, status, err);
}

/* What a listing of tables says of an object; for others, what is stored. */
static stoa_status describe_plainly(hid_t object, stoa_layout_description *shown, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_layout_class *class = NULL;
    stoa_object listed = {.path = ""};
    stoa_buffer out = {0};
    const bool is_group = H5Iget_type(object) == H5I_GROUP;
    char *left_out = NULL;
    bool is_own = false;

    STOA_TRY(stoa_layout_find_class(object, &class, &listed, err));
    if (class == NULL && is_group) {
        STOA_TRY(stoa_table_describe(object, false, &is_own, &listed, &left_out, err));
    }
    shown->is_opened = is_group && (class == NULL || class->is_open);
    shown->is_table = class != NULL || is_own;
    if (shown->is_table) {
        STOA_TRY(stoa_buffer_print(&out, err, "%s %s · %llu rows", listed.layout, listed.kind,
                                   (unsigned long long)listed.n_rows));
    } else if (!is_group) {
        STOA_TRY(describe_dataset(object, &out, err));
    }
    STOA_TRY(stoa_buffer_detach_text(&out, &shown->words, err));

done:
    free(left_out);
    stoa_buffer_clear(&out);
    return status;
}

stoa_status stoa_layout_describe(hid_t object, stoa_layout_description *shown, stoa_error *err)
{
    *shown = (stoa_layout_description){.words = NULL};
    for (size_t i = 0; stoa_layouts[i] != NULL; i++) {
        if (stoa_layouts[i]->describe != NULL && is_said(stoa_layouts[i], object)) {
            return stoa_layouts[i]->describe(object, shown, err);
        }
    }
    return describe_plainly(object, shown, err);
}

void stoa_layout_names_clear(stoa_layout_names *names)
{
    free(names->at);
    free(names->text);
    *names = (stoa_layout_names){.at = NULL};
}

void stoa_layout_description_clear(stoa_layout_description *shown)
{
    stoa_layout_names_clear(&shown->names);
    free(shown->words);
    *shown = (stoa_layout_description){.words = NULL};
}

stoa_status stoa_layout_find_histogram(hid_t loc, const char *path, bool *is_one,
                                       stoa_histogram *histogram, stoa_error *err)
{
    *is_one = false;
    for (size_t i = 0; stoa_layouts[i] != NULL && !*is_one; i++) {
        if (stoa_layouts[i]->find_histogram != NULL) {
            STOA_RETURN_NOT_OK(stoa_layouts[i]->find_histogram(loc, path, is_one, histogram, err));
        }
    }
    return STOA_OK;
}

stoa_status stoa_layout_visit_user_attributes(const stoa_table *table,
                                              stoa_user_attribute_visit visit, void *context,
                                              stoa_error *err)
{
    const stoa_layout *const layout = stoa_layout_of(table);

    return layout != NULL && layout->visit_user_attributes != NULL
               ? layout->visit_user_attributes(table, visit, context, err)
               : STOA_OK;
}
