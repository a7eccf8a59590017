/* The public calls of <stoa/layout.h> that open tables of any layout. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/links.h"
#include "layout/registry.h"
#include "sparse/tools/storage.h"

/* --- opening --------------------------------------------------------------------------------- */

/* Whether an object is a part of a table, which says more of it than the object itself. */
static stoa_status is_part(hid_t object, bool *is, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_layout_class *outer = NULL;
    stoa_object shown = {.path = NULL};
    hid_t parent = H5I_INVALID_HID;
    bool is_own = false;
    char *path = stoa_hdf_name(object, H5Iget_name);

    *is = false;
    STOA_TRY(path != NULL ? STOA_OK : stoa_fail_memory(err));
    char *const slash = strrchr(path, '/');
    if (slash == NULL || path[1] == '\0') {
        goto done;
    }
    slash[slash == path] = '\0';
    parent = stoa_object_open(object, path);
    if (parent < 0) {
        goto done;
    }
    STOA_TRY(stoa_table_probe(parent, &is_own, err));
    STOA_TRY(stoa_layout_find_class(parent, &outer, &shown, err));
    *is = is_own || (outer != NULL && !outer->is_open);

done:
    free(path);
    return stoa_hdf_close(&parent, status, err);
}

/* Open an object that declares nothing, as the user who names it knows what it is. *table is NULL
 * if it cannot be a table. */
static stoa_status open_rest(hid_t object, const char *path, const char *file, stoa_table **table,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_layout_rest *rest = NULL;
    stoa_layout_found found = {.is_table = false};
    bool is_inner = false;

    STOA_TRY(is_part(object, &is_inner, err));
    if (is_inner || stoa_layout_is_said(object) || stoa_is_structured(object)) {
        goto done;
    }
    STOA_TRY(stoa_layout_find_rest(object, &rest, &found, err));
    for (size_t i = 0; rest == NULL && stoa_layouts[i] != NULL; i++) {
        if (stoa_layouts[i]->may_be != NULL && stoa_layouts[i]->may_be(object)) {
            STOA_HDF(err, H5Iinc_ref(object), "hold it");
            STOA_TRY(stoa_layouts[i]->bare->open(object, path, file, table, err));
            goto done;
        }
    }
    if (rest != NULL) {
        STOA_HDF(err, H5Iinc_ref(object), "hold it");
        STOA_TRY(rest->open(object, path, file, stoa_layout_is_claimed, table, err));
    }

done:
    stoa_buffer_clear(&found.parts);
    return status;
}

/* Open a table of a layout other than HEP001. STOA_ELAYOUT if there is none. */
static stoa_status open_other(hid_t loc, const char *path, const char *file, bool widens,
                              stoa_table **table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_layout_class *class = NULL;
    stoa_object shown = {.path = NULL}; /* required, but not used */
    hid_t object = H5I_INVALID_HID;
    bool is_array = false;

    STOA_HDF(err, object = stoa_open_here(loc, path), "open it");
    STOA_TRY(stoa_layout_find_class(object, &class, &shown, err));
    if (class == NULL) {
        STOA_TRY(stoa_layout_open_entries(loc, path, file, &is_array, NULL, table, err));
        STOA_TRY(is_array ? STOA_OK : open_rest(object, path, file, table, err));
        if (is_array || *table != NULL) {
            goto done;
        }
        STOA_FAIL(err, STOA_ELAYOUT,
                  "is no table of a layout that Stoa knows; 'stoa ls %s' lists "
                  "those that are",
                  file);
    }
    const hid_t taken = object;
    object = H5I_INVALID_HID;
    STOA_TRY((widens && class->open_widened != NULL ? class->open_widened
                                                    : class->open)(taken, path, file, table, err));

done:
    return stoa_hdf_close(&object, status, err);
}

/* The layout whose tables are not single objects, if the path names such a table; NULL
 * otherwise. */
static const stoa_layout_paths *paths_of(hid_t loc, const char *path)
{
    const stoa_layout_paths *found = NULL;

    for (size_t i = 0; found == NULL && stoa_layouts[i] != NULL; i++) {
        const stoa_layout_paths *const paths = stoa_layouts[i]->paths;
        found = paths != NULL && paths->is_one(loc, path) ? paths : NULL;
    }
    return found;
}

/* Whether a path may name a part of an array, as "/X[10:20, :]". */
static bool has_box(const char *path)
{
    const size_t length = strlen(path);

    return length > 0 && path[length - 1] == ']' && strchr(path, '[') != NULL;
}

static stoa_status open_any(hid_t loc, const char *path, bool widens, stoa_table **table,
                            stoa_error *err)
{
    stoa_error why = STOA_ERROR_INIT;
    stoa_status status = stoa_hep001_open(loc, path, table, &why);
    const bool may_be = status == STOA_ELAYOUT || status == STOA_ENOTFOUND;
    const stoa_layout_paths *paths = NULL;
    bool is_array = false;
    char *file = NULL;

    if (may_be && has_box(path)) {
        file = stoa_hdf_name(loc, H5Fget_name);
        STOA_RETURN_NO_MEMORY(err, file);
        status = stoa_layout_open_entries(loc, path, file, &is_array, NULL, table, err);
        if (is_array || status != STOA_OK) {
            goto done;
        }
        status = why.status;
    }
    paths = may_be ? paths_of(loc, path) : NULL;
    if (status != STOA_ELAYOUT && paths == NULL) {
        if (status != STOA_OK && err != NULL) {
            *err = why;
        }
        free(file);
        return status;
    }
    file = file != NULL ? file : stoa_hdf_name(loc, H5Fget_name);
    STOA_RETURN_NO_MEMORY(err, file);
    status = paths != NULL ? paths->open(loc, path, file, widens, table, err)
                           : open_other(loc, path, file, widens, table, err);
done:
    (void)stoa_within(err, status, "%s:%s", file, path);
    free(file);
    return status;
}

stoa_status stoa_table_open(hid_t loc, const char *path, stoa_table **table, stoa_error *err)
{
    return open_any(loc, path, false, table, err);
}

stoa_status stoa_table_open_with(hid_t loc, const char *path, const stoa_open_options *options,
                                 stoa_table **table, stoa_error *err)
{
    stoa_open_options own;

    *table = NULL;
    STOA_RETURN_NOT_OK(stoa_open_options_copy(options, &own, err));
    STOA_RETURN_NOT_OK(stoa_table_open(loc, path, table, err));
    stoa_open_options_apply(&own, *table);
    return STOA_OK;
}

stoa_status stoa_table_open_file(const char *file, const char *path,
                                 const stoa_file_options *options, stoa_table **table,
                                 stoa_error *err)
{
    stoa_file *opened = NULL;

    *table = NULL;
    STOA_RETURN_NOT_OK(stoa_file_open_with(file, STOA_FILE_READ, options, &opened, err));
    return stoa_table_keep(opened, path, stoa_table_open, table, err);
}

stoa_status stoa_table_open_widened(hid_t loc, const char *path, stoa_table **table,
                                    stoa_error *err)
{
    return open_any(loc, path, true, table, err);
}
