/* The public calls of <stoa/layout.h>: which layout an object is of. */
#include "layout/layout.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/attributes.h"
#include "hdf/links.h"
#include "layout/arkouda/kind.h"
#include "layout/arkouda/loose.h"

static const stoa_layout_class *const classes[] = {
    &stoa_layout_pandas_table,   &stoa_layout_pandas_fixed, &stoa_layout_anndata,
    &stoa_layout_pytables_array, &stoa_layout_anndata_old,  &stoa_layout_lh5,
    &stoa_layout_rows,           &stoa_layout_arkouda_root, &stoa_layout_arkouda};

stoa_status stoa_layout_find_class(hid_t object, const stoa_layout_class **found,
                                   stoa_object *shown, stoa_error *err)
{
    const H5I_type_t type = H5Iget_type(object);

    *found = NULL;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        bool is_one = false;
        const stoa_status status = classes[i]->look(object, type, &is_one, shown, err);
        if (status != STOA_OK) {
            return status;
        }
        if (is_one) {
            *found = classes[i];
            break;
        }
    }
    return STOA_OK;
}

/* --- opening --------------------------------------------------------------------------------- */

/* An array that says nothing of itself, as the first versions of Arkouda wrote them: who asks for
 * it by its name knows what it is, but for the parts of tables. LH5's say what they are, if they
 * say nothing that is understood. */
static stoa_status find_bare(hid_t object, const stoa_layout_class **class, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_layout_class *outer = NULL;
    stoa_object shown = {.path = NULL};
    hid_t parent = H5I_INVALID_HID;
    bool is_own = false;
    char *path = stoa_hdf_name(object, H5Iget_name);

    STOA_TRY(path != NULL ? STOA_OK : stoa_fail_memory(err));
    char *const slash = strrchr(path, '/');
    if (slash == NULL || stoa_attribute_exists(object, "datatype")) {
        goto done;
    }
    slash[slash == path] = '\0';
    parent = stoa_object_open(object, path);
    if (parent < 0) {
        goto done;
    }
    STOA_TRY(stoa_table_probe(parent, &is_own, err));
    STOA_TRY(stoa_layout_find_class(parent, &outer, &shown, err));
    if (!is_own && (outer == NULL || outer->is_open)) {
        *class = &stoa_layout_arkouda;
    }

done:
    free(path);
    return stoa_hdf_close(&parent, status, err);
}

/* Of a layout that is not HEP001; STOA_ELAYOUT where there is none. */
static stoa_status open_other(hid_t loc, const char *path, const char *file, bool widens,
                              stoa_table **table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_layout_class *class = NULL;
    stoa_object shown = {.path = NULL}; /* is not shown to anybody */
    hid_t object = H5I_INVALID_HID;

    STOA_HDF(err, object = stoa_open_here(loc, path), "open it");
    STOA_TRY(stoa_layout_find_class(object, &class, &shown, err));
    if (class == NULL && stoa_arkouda_sort_of(object, true).is_known) {
        STOA_TRY(find_bare(object, &class, err));
    }
    if (class == NULL) {
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

static stoa_status open_any(hid_t loc, const char *path, bool widens, stoa_table **table,
                            stoa_error *err)
{
    stoa_error why = STOA_ERROR_INIT;
    stoa_status status = stoa_hep001_open(loc, path, table, &why);
    char *file = NULL;

    const bool is_loose =
        (status == STOA_ELAYOUT || status == STOA_ENOTFOUND) && stoa_arkouda_is_loose(loc, path);
    if (status != STOA_ELAYOUT && !is_loose) {
        if (status != STOA_OK && err != NULL) {
            *err = why;
        }
        return status;
    }
    file = stoa_hdf_name(loc, H5Fget_name);
    if (file == NULL) {
        return stoa_fail_memory(err);
    }
    status = is_loose ? stoa_arkouda_loose_open(loc, path, file, widens, table, err)
                      : open_other(loc, path, file, widens, table, err);
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
    STOA_RETURN_NOT_OK(stoa_open_options_take(options, &own, err));
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
