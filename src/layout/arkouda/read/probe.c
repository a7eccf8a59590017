/* Recognises Arkouda's objects, measures them for ls, and opens them. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/links.h"
#include "layout/arkouda/read/array_group.h"
#include "layout/arkouda/read/column.h"
#include "layout/common/extent.h"
#include "layout/layout.h"

/* Levels of groups whose datasets count to the size of an object. */
enum { SIZED_DEPTH = 3 };

/* --- sizes ----------------------------------------------------------------------------------- */

static uint64_t extent_of(hid_t dataset)
{
    hid_t space = H5Dget_space(dataset);
    const hssize_t n = space >= 0 ? H5Sget_simple_extent_npoints(space) : 0;

    (void)stoa_hdf_close(&space, STOA_OK, NULL);
    return n > 0 ? (uint64_t)n : 0;
}

/* The child that has one value per row. */
static const char *rows_child(const stoa_arkouda_class *sort)
{
    switch (sort->kind) {
    case STOA_ARKOUDA_STRINGS:
    case STOA_ARKOUDA_SEGARRAY:
        return STOA_ARKOUDA_SEGMENTS;
    case STOA_ARKOUDA_CATEGORICAL:
        return STOA_ARKOUDA_CODES;
    case STOA_ARKOUDA_GROUPBY:
        return STOA_ARKOUDA_PERMUTATION;
    case STOA_ARKOUDA_DATAFRAME:
        return STOA_ARKOUDA_FRAME_INDEX;
    case STOA_ARKOUDA_INDEX:
    case STOA_ARKOUDA_MULTIINDEX:
        return STOA_ARKOUDA_LEVEL "0";
    default:
        return sort->is_booleans ? STOA_ARKOUDA_BOOLEANS : STOA_ARKOUDA_LIMB "0";
    }
}

/* The rows of an object in one file, as far as the length of a dataset tells. */
static uint64_t count_rows(hid_t object, int depth)
{
    uint64_t n = 0;

    if (object < 0 || depth > 2) {
        return 0;
    }
    if (H5Iget_type(object) == H5I_DATASET) {
        return extent_of(object);
    }
    const stoa_arkouda_class sort = stoa_arkouda_class_of(object, true);
    hid_t child = stoa_object_open(object, rows_child(&sort));
    n = count_rows(child, depth + 1);
    (void)stoa_hdf_close(&child, STOA_OK, NULL);
    return n;
}

static herr_t count_link(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    (void)group;
    (void)name;
    (void)info;
    ++*(uint64_t *)context;
    return 0;
}

static uint64_t count_columns(hid_t object, const stoa_arkouda_class *sort)
{
    uint64_t n = 0;

    if (!stoa_arkouda_is_column(sort)) {
        (void)!stoa_links_visit(object, count_link, &n, NULL);
    }
    return stoa_arkouda_is_column(sort) ? 1 : n;
}

/* Rows that no dataset's length tells: of strings without offsets, and of multidimensional
 * arrays. */
static uint64_t rows_by_opening(stoa_arkouda_set *set, const char *path,
                                const stoa_arkouda_class *sort)
{
    stoa_error ignored = STOA_ERROR_INIT;
    stoa_column *column = NULL;
    uint64_t n = 0;

    if (stoa_arkouda_column_open(set, path, sort, "rows", &column, &ignored) == STOA_OK) {
        n = column->n_rows;
    }
    stoa_column_close(column);
    return n;
}

static bool says_rows(hid_t object, const stoa_arkouda_class *sort)
{
    return sort->kind != STOA_ARKOUDA_ARRAYVIEW &&
           (sort->kind != STOA_ARKOUDA_STRINGS ||
            stoa_object_exists(object, STOA_ARKOUDA_SEGMENTS));
}

/* Whether a path in the object's file leads to the object. An object behind an external link lies
 * elsewhere. */
static bool leads_to(hid_t object, const char *path)
{
    H5O_info2_t own;
    H5O_info2_t there;

    return H5Oget_info3(object, &own, H5O_INFO_BASIC) >= 0 &&
           H5Oget_info_by_name3(object, path, &there, H5O_INFO_BASIC, H5P_DEFAULT) >= 0 &&
           memcmp(&own.token, &there.token, sizeof own.token) == 0;
}

/* Measure an object over all files of the set. */
static void measure_in(stoa_arkouda_set *set, hid_t object, const char *path,
                       const stoa_arkouda_class *sort, stoa_object *shown)
{
    shown->n_rows = 0;
    shown->n_bytes = 0;
    for (size_t k = 0; k < set->n; k++) {
        hid_t part = stoa_arkouda_set_object(set, k, path);
        shown->n_rows += count_rows(part, 0);
        shown->n_bytes += part >= 0 ? stoa_bytes_within(part, SIZED_DEPTH) : 0;
        (void)stoa_hdf_close(&part, STOA_OK, NULL);
    }
    if (!says_rows(object, sort)) {
        shown->n_rows = rows_by_opening(set, path, sort);
    }
}

/* Measure an object in one file, if other files are missing. */
static void measure(hid_t object, const char *file, const stoa_arkouda_class *sort,
                    stoa_object *shown)
{
    stoa_error ignored = STOA_ERROR_INIT;
    stoa_arkouda_set *set = NULL;
    char *name = NULL; /* only looked up if needed, since libhdf5 searches the whole file for it */

    shown->n_rows = count_rows(object, 0);
    shown->n_bytes = stoa_bytes_within(object, SIZED_DEPTH);
    if (stoa_arkouda_set_open(object, file, &set, &ignored) != STOA_OK ||
        (set->n == 1 && says_rows(object, sort))) {
        goto done;
    }
    if (!leads_to(object, shown->path)) {
        name = stoa_hdf_name(object, H5Iget_name);
    }
    const char *const path = name != NULL ? name : shown->path;
    if (path[0] == '/') {
        measure_in(set, object, path, sort, shown);
    }

done:
    stoa_arkouda_set_release(set);
    free(name);
}

/* --- the layout ------------------------------------------------------------------------------ */

static stoa_status look(hid_t object, H5I_type_t type, bool *is_one, stoa_object *shown,
                        stoa_error *err)
{
    char *file = NULL;

    *is_one = false;
    if ((type != H5I_GROUP && type != H5I_DATASET) || stoa_object_is_at(object, "/")) {
        return STOA_OK;
    }
    file = stoa_hdf_name(object, H5Fget_name);
    STOA_RETURN_NO_MEMORY(err, file);
    const stoa_arkouda_class sort =
        stoa_arkouda_class_of(object, stoa_arkouda_is_signed(object, file));
    if (sort.is_known) {
        const stoa_error_stack errors = stoa_error_stack_begin();
        shown->layout = "arkouda";
        shown->kind = stoa_arkouda_class_name(&sort);
        shown->n_columns = count_columns(object, &sort);
        if (shown->path != NULL) {
            measure(object, file, &sort, shown);
        }
        *is_one = true;
        stoa_error_stack_discard(&errors);
    }
    free(file);
    return STOA_OK;
}

static stoa_status open_in_set(hid_t object, const char *path, const char *file, bool widens,
                               stoa_table **out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *table = NULL;
    stoa_arkouda_set *set = NULL;
    stoa_arkouda_class sort;
    char *own = stoa_hdf_name(object, H5Iget_name); /* `path` may be relative to a group */
    char *there =
        stoa_hdf_name(object, H5Fget_name); /* an external link may lead to another file */

    *out = NULL;
    STOA_TRY(stoa_foreign_begin(object, path, file, "arkouda", 0, &table, err));
    STOA_TRY(own != NULL && there != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_arkouda_set_open(object, there, &set, err));
    set->widens = widens;
    STOA_TRY(stoa_arkouda_class_in_set(set, own, true, &sort, err));
    STOA_TRY(stoa_arkouda_table_fill(table, set, own, &sort, err));
    *out = table;
    table = NULL;

done:
    stoa_table_close(table);
    stoa_arkouda_set_release(set);
    free(there);
    free(own);
    return status;
}

static stoa_status open_object(hid_t object, const char *path, const char *file, stoa_table **table,
                               stoa_error *err)
{
    return open_in_set(object, path, file, false, table, err);
}

static stoa_status open_widened(hid_t object, const char *path, const char *file,
                                stoa_table **table, stoa_error *err)
{
    return open_in_set(object, path, file, true, table, err);
}

const stoa_layout_class stoa_arkouda_objects = {look, open_object, false, open_widened, true};
