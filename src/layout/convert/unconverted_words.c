/* Descriptions of objects that no table holds (unconverted_objects.h). */
#include <stdlib.h>
#include <string.h>

#include "hdf/metadata/types.h"
#include "layout/common/extent.h"
#include "layout/convert/unconverted_objects.h"

stoa_status stoa_unconverted_describe(hid_t object, const char *said, char **words, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const H5I_type_t type = H5Iget_type(object);
    stoa_buffer out = {0};
    stoa_element element = {.mem_type = H5I_INVALID_HID};
    hid_t stored = type == H5I_DATASET    ? H5Dget_type(object)
                   : type == H5I_DATATYPE ? H5Tcopy(object)
                                          : H5I_INVALID_HID;
    const char *text = said != NULL ? said : type == H5I_GROUP ? "group" : "?";

    if (said == NULL && stored >= 0) {
        status = stoa_element_of(stored, &element, NULL);
        STOA_TRY(status != STOA_ENOMEM ? STOA_OK : stoa_fail_memory(err));
        text = status == STOA_OK ? element.text : text;
    }
    STOA_TRY(stoa_buffer_print(&out, err, "%s", text));
    if (type == H5I_DATASET) {
        STOA_TRY(stoa_buffer_print(&out, err, " · "));
        STOA_TRY(stoa_extent_print(object, &out, err));
    }

done:
    stoa_element_clear(&element);
    status = stoa_hdf_close(&stored, status, err);
    if (status != STOA_OK) {
        stoa_buffer_clear(&out);
    }
    *words = stoa_buffer_detach(&out);
    return status;
}

typedef struct naming {
    stoa_buffer out;
    const stoa_layout *of;
    stoa_status status;
    stoa_error *err;
} naming;

/* Attributes that a layout sets on its groups are not the user's. If the group is of no layout,
 * only layouts without stoa_layout_members count, since the others would have recognised it. */
static bool is_of_layout(const naming *n, const char *name)
{
    bool is = n->of != NULL && n->of->is_own_attribute(name);

    for (size_t i = 0; n->of == NULL && stoa_layouts[i] != NULL && !is; i++) {
        const stoa_layout *const layout = stoa_layouts[i];
        is = layout->members == NULL && layout->is_own_attribute != NULL &&
             layout->is_own_attribute(name);
    }
    return is;
}

static herr_t name_attribute(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
    naming *const n = context;

    (void)object;
    (void)info;
    if (!is_of_layout(n, name)) {
        n->status = stoa_buffer_print(&n->out, n->err, "%s%s", n->out.size > 0 ? ", " : "", name);
    }
    return n->status == STOA_OK ? 0 : -1;
}

stoa_status stoa_unconverted_name_attributes(hid_t object, const stoa_layout *of, char **names,
                                             stoa_error *err)
{
    naming n = {.of = of, .err = err};
    const stoa_error_stack errors = stoa_error_stack_begin();

    (void)H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, NULL, name_attribute, &n);
    stoa_error_stack_discard(&errors);
    if (n.status != STOA_OK) {
        stoa_buffer_clear(&n.out);
    }
    *names = stoa_buffer_detach(&n.out);
    return n.status;
}

char *stoa_unconverted_target(hid_t group, const char *name, const H5L_info2_t *info)
{
    const char *file = NULL;
    const char *path = NULL;
    unsigned flags = 0;
    char *text = NULL;
    char *const value = stoa_alloc_zero(info->u.val_size + 1, 1);

    if (value == NULL) {
        return NULL;
    }
    const bool is_read = H5Lget_val(group, name, value, info->u.val_size, H5P_DEFAULT) >= 0;
    if (is_read && info->type == H5L_TYPE_SOFT) {
        text = stoa_format("-> %s", value);
    } else if (is_read && info->type == H5L_TYPE_EXTERNAL &&
               H5Lunpack_elink_val(value, info->u.val_size, &flags, &file, &path) >= 0) {
        text = stoa_format("-> %s:%s", file, path);
    } else {
        text = stoa_strdup("-> ?");
    }
    free(value);
    return text;
}
