/* The public calls for what a file holds beside its tables: listing and copying
 * (<stoa/layout.h>). */
#include "layout/convert/unconverted_objects.h"

#include <stdlib.h>
#include <string.h>

#include "hdf/copy/clone.h"
#include "hdf/copy/object_storage.h"
#include "sparse/format/filter.h"
#include "sparse/tools/relayout.h"

stoa_status stoa_layout_visit_unconverted(hid_t file, const char *const *tables, size_t n_tables,
                                          stoa_unconverted_visitor visitor, void *context,
                                          stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_unconverted_plan plan = {.tables = tables, .n_tables = n_tables};
    hid_t root = H5I_INVALID_HID;

    STOA_HDF(err, root = H5Gopen2(file, "/", H5P_DEFAULT), "open '/'");
    STOA_TRY(stoa_unconverted_plan_make(&plan, root, err));
    const stoa_unconverted_item *const items =
        (const stoa_unconverted_item *)(const void *)plan.items.data;
    for (size_t i = 0; i < plan.items.size / sizeof *items; i++) {
        if (!visitor(context, &items[i].shown)) {
            break;
        }
    }

done:
    stoa_unconverted_plan_clear(&plan);
    return stoa_hdf_close(&root, status, err);
}

/* Remove links where tables will be, so that nothing is written through a link into another
 * file. */
static stoa_status clear_way(hid_t to, const char *table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    H5L_info2_t info;
    char *way = stoa_strdup(table);

    STOA_TRY(way != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 1; table[1] != '\0' && i <= strlen(table); i++) {
        if (table[i] != '/' && table[i] != '\0') {
            continue;
        }
        way[i] = '\0';
        if (H5Lexists(to, way, H5P_DEFAULT) <= 0) {
            break;
        }
        STOA_HDF(err, H5Lget_info2(to, way, &info, H5P_DEFAULT), "look at '%s'", way);
        if (info.type != H5L_TYPE_HARD) {
            STOA_HDF(err, stoa_unlink(to, way), "remove the link '%s'", way);
        }
        way[i] = table[i];
    }

done:
    free(way);
    return status;
}

stoa_status stoa_layout_copy_unconverted(hid_t from, hid_t to, const char *const *tables,
                                         size_t n_tables, const stoa_listener *listener,
                                         stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_unconverted_plan plan = {.tables = tables, .n_tables = n_tables};
    stoa_relayouts none = {.n = 0};
    stoa_other_storage other = stoa_relayout_storage(&none);
    hid_t old = H5I_INVALID_HID;
    hid_t new = H5I_INVALID_HID;

    STOA_HDF(err, old = H5Gopen2(from, "/", H5P_DEFAULT), "open '/'");
    STOA_HDF(err, new = H5Gopen2(to, "/", H5P_DEFAULT), "open '/'");
    STOA_TRY(stoa_unconverted_plan_make(&plan, old, err));
    other.is_left = stoa_unconverted_plan_leaves;
    other.left = &plan;
    STOA_TRY(stoa_sparse_filter_register(err));
    STOA_TRY(stoa_clone_group(old, new, &other, listener, 0, err));
    for (size_t i = 0; i < n_tables; i++) {
        STOA_TRY(clear_way(new, tables[i], err));
    }

done:
    stoa_unconverted_plan_clear(&plan);
    status = stoa_hdf_close(&new, status, err);
    return stoa_hdf_close(&old, status, err);
}

stoa_status stoa_layout_link_unconverted(hid_t from, hid_t to, const char *const *tables,
                                         size_t n_tables, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_unconverted_plan plan = {.tables = tables, .n_tables = n_tables};
    hid_t old = H5I_INVALID_HID;
    hid_t new = H5I_INVALID_HID;

    STOA_HDF(err, old = H5Gopen2(from, "/", H5P_DEFAULT), "open '/'");
    STOA_HDF(err, new = H5Gopen2(to, "/", H5P_DEFAULT), "open '/'");
    STOA_TRY(stoa_unconverted_plan_make(&plan, old, err));
    const stoa_unconverted_item *const items =
        (const stoa_unconverted_item *)(const void *)plan.items.data;
    for (size_t i = 0; i < plan.items.size / sizeof *items; i++) {
        if (items[i].table != NULL && stoa_object_exists(new, items[i].table)) {
            STOA_HDF(
                err,
                H5Lcreate_hard(new, items[i].table, new, items[i].path, H5P_DEFAULT, H5P_DEFAULT),
                "link '%s'", items[i].path);
        }
    }

done:
    stoa_unconverted_plan_clear(&plan);
    status = stoa_hdf_close(&new, status, err);
    return stoa_hdf_close(&old, status, err);
}
