/* Connector info strings, and wrapping of objects that were created below. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/ids.h"
#include "sparse/connector/connector_dataset.h"
#include "sparse/connector/connector_parts.h"

/* --- info ------------------------------------------------------------------------------------ */

void *stoa_on_info_copy(const void *info)
{
    const stoa_connector_info *old = info;
    stoa_connector_info *made = stoa_alloc_zero(1, sizeof *made);

    if (made != NULL) {
        made->below = old->below;
        (void)H5Iinc_ref(made->below);
        if (old->below_info != NULL &&
            H5VLcopy_connector_info(made->below, &made->below_info, old->below_info) < 0) {
            (void)H5Idec_ref(made->below);
            free(made);
            made = NULL;
        }
    }
    return made;
}

herr_t stoa_on_info_cmp(int *order, const void *one, const void *other)
{
    const stoa_connector_info *a = one;
    const stoa_connector_info *b = other;

    if (H5VLcmp_connector_cls(order, a->below, b->below) < 0) {
        return -1;
    }
    return *order != 0 ? 0 : H5VLcmp_connector_info(order, a->below, a->below_info, b->below_info);
}

herr_t stoa_on_info_free(void *info)
{
    stoa_connector_info *old = info;
    const hid_t stack = H5Eget_current_stack();

    if (old->below_info != NULL) {
        (void)H5VLfree_connector_info(old->below, old->below_info);
    }
    (void)H5Idec_ref(old->below);
    (void)H5Eset_current_stack(stack);
    free(old);
    return 0;
}

/* The syntax of HDF5_VOL_CONNECTOR after the connector's name: under_vol=VALUE;under_info={...} */
herr_t stoa_on_info_to_str(const void *info, char **text)
{
    const stoa_connector_info *of = info;
    H5VL_class_value_t value = (H5VL_class_value_t)-1;
    char *inner = NULL;

    *text = NULL;
    if (H5VLget_value(of->below, &value) < 0 ||
        H5VLconnector_info_to_str(of->below_info, of->below, &inner) < 0) {
        return -1;
    }
    /* libhdf5 frees the text with H5free_memory(). */
    char *made =
        stoa_format("under_vol=%u;under_info={%s}", (unsigned)value, inner != NULL ? inner : "");
    if (made != NULL) {
        *text = H5allocate_memory(strlen(made) + 1, false);
    }
    if (*text != NULL) {
        memcpy(*text, made, strlen(made) + 1);
    }
    free(made);
    (void)H5free_memory(inner);
    return *text != NULL ? 0 : -1;
}

herr_t stoa_on_info_from_str(const char *text, void **info)
{
    const char *inner = strstr(text, "under_info={");
    const char *end = strrchr(text, '}');
    unsigned value = 0;
    stoa_connector_info *made = NULL;
    char *part = NULL;

    *info = NULL;
    if (strncmp(text, "under_vol=", 10) != 0 || text[10] < '0' || text[10] > '9') {
        return -1;
    }
    value = (unsigned)strtoul(text + 10, NULL, 10);
    made = stoa_alloc_zero(1, sizeof *made);
    if (made == NULL) {
        return -1;
    }
    made->below = H5VLregister_connector_by_value((H5VL_class_value_t)value, H5P_DEFAULT);
    if (made->below < 0) {
        free(made);
        return -1;
    }
    if (inner != NULL && end != NULL && end > inner + 12) {
        part = stoa_strndup(inner + 12, (size_t)(end - inner - 12));
        if (part == NULL || H5VLconnector_str_to_info(part, made->below, &made->below_info) < 0) {
            free(part);
            (void)stoa_on_info_free(made);
            return -1;
        }
        free(part);
    }
    *info = made;
    return 0;
}

/* --- wrapping -------------------------------------------------------------------------------- */

void *stoa_on_get_object(const void *object)
{
    const stoa_link *link = object;

    return H5VLget_object(link->object, link->below);
}

/* A wrap context is a link, which a close does not free. Nothing is allocated here, because libhdf5
 * never closes an object if this fails during a close. */
herr_t stoa_on_get_wrap_context(const void *object, void **context)
{
    stoa_link *link = (stoa_link *)(uintptr_t)object;

    *context = NULL;
    if (link->n_contexts == 0 &&
        H5VLget_wrap_ctx(link->object, link->below, &link->below_context) < 0) {
        return -1;
    }
    link->n_contexts++;
    link->n_users++;
    *context = link;
    return 0;
}

void *stoa_on_wrap_object(void *object, H5I_type_t type, void *context)
{
    const stoa_link *c = context;
    void *inner = H5VLwrap_object(object, type, c->below, c->below_context);

    stoa_link *made = stoa_link_new(inner, c->below, c->file);

    /* libhdf5 creates ids of datasets by itself, and H5Aiterate2() and H5Ovisit3() hand them
     * out. */
    if (made != NULL && type == H5I_DATASET && stoa_linked_dataset_open(made) < 0) {
        stoa_link_free(made);
        return NULL;
    }
    return made;
}

void *stoa_on_unwrap_object(void *object)
{
    stoa_link *link = object;
    void *inner = H5VLunwrap_object(link->object, link->below);

    if (inner != NULL) {
        stoa_linked_dataset_leave(link);
        stoa_link_free(link);
    }
    return inner;
}

herr_t stoa_on_free_wrap_context(void *context)
{
    stoa_link *link = context;

    if (--link->n_contexts == 0 &&
        link->below_context != NULL) { /* NULL over the native connector */
        const hid_t stack = H5Eget_current_stack();
        (void)H5VLfree_wrap_ctx(link->below_context, link->below);
        (void)H5Eset_current_stack(stack);
        link->below_context = NULL;
    }
    stoa_link_free(link);
    return 0;
}
