/* Objects of the connector, and the files to which they belong. */
#include <stdlib.h>

#include "core/memory.h"
#include "hdf/ids.h"
#include "sparse/connector/connector_parts.h"

/* --- files ----------------------------------------------------------------------------------- */

/* Global state of the connector. libhdf5 has no place for it. */
static stoa_linked_file *open_files;

size_t stoa_cache_of_list(hid_t fapl)
{
    uint64_t n_bytes = 0;
    const stoa_error_stack errors = stoa_error_stack_begin();

    if (fapl != H5P_DEFAULT && H5Pexist(fapl, STOA_CACHE_PROPERTY) > 0) {
        (void)H5Pget(fapl, STOA_CACHE_PROPERTY, &n_bytes); /* stays 0 after a failure */
    }
    stoa_error_stack_discard(&errors);
    return (size_t)n_bytes;
}

/* NULL is allowed. */
static void leave_file(stoa_linked_file *file)
{
    if (file == NULL || --file->n_links > 0) {
        return;
    }
    for (stoa_linked_file **at = &open_files; *at != NULL; at = &(*at)->next) {
        if (*at == file) {
            *at = file->next;
            break;
        }
    }
    free(file);
}

herr_t stoa_linked_file_move(stoa_link *link, unsigned long number, bool can_write)
{
    stoa_linked_file *file = open_files;

    while (file != NULL && file->number != number) {
        file = file->next;
    }
    if (file == NULL) {
        file = stoa_alloc_zero(1, sizeof *file);
        if (file == NULL) {
            return -1;
        }
        file->number = number;
        file->next = open_files;
        open_files = file;
    }
    file->can_write = file->can_write || can_write;
    file->n_links++;
    leave_file(link->file);
    link->file = file;
    return 0;
}

herr_t stoa_linked_file_join(stoa_link *link)
{
    unsigned long number = 0;
    unsigned intent = 0;
    H5VL_file_get_args_t args = {.op_type = H5VL_FILE_GET_FILENO};

    args.args.get_fileno.fileno = &number;
    if (H5VLfile_get(link->object, link->below, &args, H5P_DATASET_XFER_DEFAULT, NULL) < 0) {
        return -1;
    }
    args.op_type = H5VL_FILE_GET_INTENT;
    args.args.get_intent.flags = &intent;
    if (H5VLfile_get(link->object, link->below, &args, H5P_DATASET_XFER_DEFAULT, NULL) < 0) {
        return -1;
    }
    return stoa_linked_file_move(link, number, (intent & H5F_ACC_RDWR) != 0);
}

/* --- links ----------------------------------------------------------------------------------- */

static stoa_link *link_of(void *object)
{
    return object;
}

void *stoa_link_below(void *object)
{
    return object != NULL ? link_of(object)->object : NULL;
}

void *stoa_link_new(void *object, hid_t connector, stoa_linked_file *file)
{
    stoa_link *made = object != NULL ? stoa_alloc_zero(1, sizeof *made) : NULL;

    if (made != NULL) {
        made->object = object;
        made->below = connector;
        made->file = file;
        made->n_users = 1;
        (void)H5Iinc_ref(connector);
        if (file != NULL) {
            file->n_links++;
        }
    }
    return made;
}

void stoa_link_free(stoa_link *link)
{
    if (--link->n_users > 0) {
        return;
    }
    const stoa_error_stack errors = stoa_error_stack_begin();

    /* Preserves the error stack of an earlier failure. */
    const hid_t stack = H5Eget_current_stack();
    (void)H5Idec_ref(link->below);
    (void)H5Eset_current_stack(stack);
    stoa_error_stack_end(&errors);
    leave_file(link->file);
    free(link);
}

void stoa_link_request(void **req, const stoa_link *link)
{
    if (req != NULL && *req != NULL) {
        *req = stoa_link_new(*req, link->below, NULL);
    }
}

void *stoa_link_result(void *object, const stoa_link *of, void **req)
{
    stoa_link_request(req, of);
    return stoa_link_new(object, of->below, of->file);
}

herr_t stoa_link_pass(herr_t result, const stoa_link *link, void **req)
{
    stoa_link_request(req, link);
    return result;
}

herr_t stoa_link_closed(herr_t result, stoa_link *link, void **req)
{
    stoa_link_request(req, link);
    if (result >= 0) {
        stoa_link_free(link);
    }
    return result;
}

herr_t stoa_link_fail(const stoa_error *err)
{
    (void)H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_VOL, H5E_CANTOPERATE,
                   "%s%s%s", err->where, err->where[0] != 0 ? ": " : "", err->message);
    return -1;
}
