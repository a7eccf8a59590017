/* The connector's class, and callbacks that only pass through. */
#include "sparse/connector/connector.h"

#include "hdf/ids.h"
#include "sparse/connector/connector_dataset.h"
#include "sparse/connector/connector_parts.h"
#include "sparse/format/filter.h"

/*
 * Callbacks that only pass a call to the connector below. `l` is the link of `object` in them.
 * PASS() is the general one, the others are of calls whose arguments are alike.
 */
#define PASS(name, result, ...)                                                                    \
    static herr_t name(__VA_ARGS__)                                                                \
    {                                                                                              \
        const stoa_link *l = object;                                                               \
        return result;                                                                             \
    }
#define PASS_ARGS(name, type, call)                                                                \
    PASS(name, stoa_link_pass(call, l, req), void *object, type *args, hid_t dxpl, void **req)
#define PASS_ARGS_AT(name, type, call)                                                             \
    PASS(name, stoa_link_pass(call, l, req), void *object, const H5VL_loc_params_t *where,         \
         type *args, hid_t dxpl, void **req)
#define PASS_OPEN(name, call, ...)                                                                 \
    static void *name(__VA_ARGS__)                                                                 \
    {                                                                                              \
        const stoa_link *l = object;                                                               \
        return stoa_link_result(call, l, req);                                                     \
    }
#define PASS_CLOSE(name, call)                                                                     \
    static herr_t name(void *object, hid_t dxpl, void **req)                                       \
    {                                                                                              \
        stoa_link *l = object;                                                                     \
        return stoa_link_closed(call, l, req);                                                     \
    }

/* --- attributes ------------------------------------------------------------------------------ */

PASS_OPEN(attr_create,
          H5VLattr_create(l->object, where, l->below, name, type, space, acpl, aapl, dxpl, req),
          void *object, const H5VL_loc_params_t *where, const char *name, hid_t type, hid_t space,
          hid_t acpl, hid_t aapl, hid_t dxpl, void **req)
PASS_OPEN(attr_open, H5VLattr_open(l->object, where, l->below, name, aapl, dxpl, req), void *object,
          const H5VL_loc_params_t *where, const char *name, hid_t aapl, hid_t dxpl, void **req)
PASS(attr_read, stoa_link_pass(H5VLattr_read(l->object, l->below, type, buf, dxpl, req), l, req),
     void *object, hid_t type, void *buf, hid_t dxpl, void **req)
PASS(attr_write, stoa_link_pass(H5VLattr_write(l->object, l->below, type, buf, dxpl, req), l, req),
     void *object, hid_t type, const void *buf, hid_t dxpl, void **req)
PASS_ARGS(attr_get, H5VL_attr_get_args_t, H5VLattr_get(l->object, l->below, args, dxpl, req))
PASS_ARGS_AT(attr_specific, H5VL_attr_specific_args_t,
             H5VLattr_specific(l->object, where, l->below, args, dxpl, req))
PASS_ARGS(attr_optional, H5VL_optional_args_t,
          H5VLattr_optional(l->object, l->below, args, dxpl, req))
PASS_CLOSE(attr_close, H5VLattr_close(l->object, l->below, dxpl, req))

/* --- datatypes ------------------------------------------------------------------------------- */

PASS_OPEN(datatype_commit,
          H5VLdatatype_commit(l->object, where, l->below, name, type, lcpl, tcpl, tapl, dxpl, req),
          void *object, const H5VL_loc_params_t *where, const char *name, hid_t type, hid_t lcpl,
          hid_t tcpl, hid_t tapl, hid_t dxpl, void **req)
PASS_OPEN(datatype_open, H5VLdatatype_open(l->object, where, l->below, name, tapl, dxpl, req),
          void *object, const H5VL_loc_params_t *where, const char *name, hid_t tapl, hid_t dxpl,
          void **req)
PASS_ARGS(datatype_get, H5VL_datatype_get_args_t,
          H5VLdatatype_get(l->object, l->below, args, dxpl, req))
PASS_ARGS(datatype_specific, H5VL_datatype_specific_args_t,
          H5VLdatatype_specific(l->object, l->below, args, dxpl, req))
PASS_ARGS(datatype_optional, H5VL_optional_args_t,
          H5VLdatatype_optional(l->object, l->below, args, dxpl, req))
PASS_CLOSE(datatype_close, H5VLdatatype_close(l->object, l->below, dxpl, req))

/* --- groups ---------------------------------------------------------------------------------- */

PASS_OPEN(group_create,
          H5VLgroup_create(l->object, where, l->below, name, lcpl, gcpl, gapl, dxpl, req),
          void *object, const H5VL_loc_params_t *where, const char *name, hid_t lcpl, hid_t gcpl,
          hid_t gapl, hid_t dxpl, void **req)
PASS_OPEN(group_open, H5VLgroup_open(l->object, where, l->below, name, gapl, dxpl, req),
          void *object, const H5VL_loc_params_t *where, const char *name, hid_t gapl, hid_t dxpl,
          void **req)
PASS_ARGS(group_get, H5VL_group_get_args_t, H5VLgroup_get(l->object, l->below, args, dxpl, req))

static herr_t group_specific(void *object, H5VL_group_specific_args_t *args, hid_t dxpl, void **req)
{
    const stoa_link *l = object;
    H5VL_group_specific_args_t inner = *args;

    if (args->op_type == H5VL_GROUP_MOUNT) {
        inner.args.mount.child_file = stoa_link_below(args->args.mount.child_file);
    }
    return stoa_link_pass(H5VLgroup_specific(l->object, l->below, &inner, dxpl, req), l, req);
}

PASS_ARGS(group_optional, H5VL_optional_args_t,
          H5VLgroup_optional(l->object, l->below, args, dxpl, req))
PASS_CLOSE(group_close, H5VLgroup_close(l->object, l->below, dxpl, req))

/* --- file links ------------------------------------------------------------------------------ */

static herr_t link_create(H5VL_link_create_args_t *args, void *object,
                          const H5VL_loc_params_t *where, hid_t lcpl, hid_t lapl, hid_t dxpl,
                          void **req)
{
    const stoa_link *l = object;
    H5VL_link_create_args_t inner = *args;

    if (args->op_type == H5VL_LINK_CREATE_HARD) {
        l = l != NULL ? l : args->args.hard.curr_obj; /* one of the two may be H5L_SAME_LOC */
        inner.args.hard.curr_obj = stoa_link_below(args->args.hard.curr_obj);
    }
    return stoa_link_pass(
        H5VLlink_create(&inner, stoa_link_below(object), where, l->below, lcpl, lapl, dxpl, req), l,
        req);
}

static herr_t link_copy(void *from, const H5VL_loc_params_t *there, void *to,
                        const H5VL_loc_params_t *here, hid_t lcpl, hid_t lapl, hid_t dxpl,
                        void **req)
{
    const stoa_link *l = from != NULL ? from : to;

    return stoa_link_pass(H5VLlink_copy(stoa_link_below(from), there, stoa_link_below(to), here,
                                        l->below, lcpl, lapl, dxpl, req),
                          l, req);
}

static herr_t link_move(void *from, const H5VL_loc_params_t *there, void *to,
                        const H5VL_loc_params_t *here, hid_t lcpl, hid_t lapl, hid_t dxpl,
                        void **req)
{
    const stoa_link *l = from != NULL ? from : to;

    return stoa_link_pass(H5VLlink_move(stoa_link_below(from), there, stoa_link_below(to), here,
                                        l->below, lcpl, lapl, dxpl, req),
                          l, req);
}

PASS_ARGS_AT(link_get, H5VL_link_get_args_t,
             H5VLlink_get(l->object, where, l->below, args, dxpl, req))
PASS_ARGS_AT(link_specific, H5VL_link_specific_args_t,
             H5VLlink_specific(l->object, where, l->below, args, dxpl, req))
PASS_ARGS_AT(link_optional, H5VL_optional_args_t,
             H5VLlink_optional(l->object, where, l->below, args, dxpl, req))

/* --- files and objects of any kind ------------------------------------------------------------ */

PASS_ARGS(file_get, H5VL_file_get_args_t, H5VLfile_get(l->object, l->below, args, dxpl, req))
/* libhdf5 itself wraps the file that H5VL_OBJECT_GET_FILE returns. */
PASS_ARGS_AT(object_get, H5VL_object_get_args_t,
             H5VLobject_get(l->object, where, l->below, args, dxpl, req))
PASS_ARGS_AT(object_optional, H5VL_optional_args_t,
             H5VLobject_optional(l->object, where, l->below, args, dxpl, req))

/* --- everything else ------------------------------------------------------------------------- */

static herr_t get_class(void *object, H5VL_get_conn_lvl_t level, const H5VL_class_t **class)
{
    const stoa_link *l = object;

    if (level == H5VL_GET_CONN_LVL_CURR) {
        *class = &stoa_connector_class;
        return 0;
    }
    return H5VLintrospect_get_conn_cls(l->object, l->below, level, class);
}

static herr_t get_capabilities(const void *info, uint64_t *flags)
{
    const stoa_connector_info *of = info;

    return H5VLintrospect_get_cap_flags(of != NULL ? of->below_info : NULL,
                                        of != NULL ? of->below : H5VL_NATIVE, flags);
}

static herr_t ask_optional(void *object, H5VL_subclass_t class, int op, uint64_t *flags)
{
    const stoa_link *l = object;

    if (class == H5VL_SUBCLS_DATASET && stoa_connector_is_our_op(op)) {
        *flags = H5VL_OPT_QUERY_SUPPORTED;
        return 0;
    }
    return H5VLintrospect_opt_query(l->object, l->below, class, op, flags);
}

static herr_t request_wait(void *req, uint64_t timeout, H5VL_request_status_t *status)
{
    stoa_link *l = req;
    const herr_t result = H5VLrequest_wait(l->object, l->below, timeout, status);

    if (result >= 0 && *status != H5VL_REQUEST_STATUS_IN_PROGRESS) {
        stoa_link_free(l);
    }
    return result;
}

static herr_t request_notify(void *req, H5VL_request_notify_t callback, void *context)
{
    stoa_link *l = req;

    return stoa_link_closed(H5VLrequest_notify(l->object, l->below, callback, context), l, NULL);
}

static herr_t request_cancel(void *req, H5VL_request_status_t *status)
{
    stoa_link *l = req;

    return stoa_link_closed(H5VLrequest_cancel(l->object, l->below, status), l, NULL);
}

static herr_t request_specific(void *req, H5VL_request_specific_args_t *args)
{
    const stoa_link *l = req;

    return H5VLrequest_specific(l->object, l->below, args);
}

static herr_t request_optional(void *req, H5VL_optional_args_t *args)
{
    const stoa_link *l = req;

    return H5VLrequest_optional(l->object, l->below, args);
}

static herr_t request_free(void *req)
{
    stoa_link *l = req;

    return stoa_link_closed(H5VLrequest_free(l->object, l->below), l, NULL);
}

PASS(blob_put, H5VLblob_put(l->object, l->below, buf, size, id, context), void *object,
     const void *buf, size_t size, void *id, void *context)
PASS(blob_get, H5VLblob_get(l->object, l->below, id, buf, size, context), void *object,
     const void *id, void *buf, size_t size, void *context)
PASS(blob_specific, H5VLblob_specific(l->object, l->below, id, args), void *object, void *id,
     H5VL_blob_specific_args_t *args)
PASS(blob_optional, H5VLblob_optional(l->object, l->below, id, args), void *object, void *id,
     H5VL_optional_args_t *args)
PASS(token_cmp, H5VLtoken_cmp(l->object, l->below, one, other, order), void *object,
     const H5O_token_t *one, const H5O_token_t *other, int *order)
PASS(token_to_str, H5VLtoken_to_str(l->object, type, l->below, token, text), void *object,
     H5I_type_t type, const H5O_token_t *token, char **text)
PASS(token_from_str, H5VLtoken_from_str(l->object, type, l->below, text, token), void *object,
     H5I_type_t type, const char *text, H5O_token_t *token)
PASS_ARGS(any_optional, H5VL_optional_args_t, H5VLoptional(l->object, l->below, args, dxpl, req))

/* libhdf5 may load the plugin while it looks for a connector for a file that it could not open. The
 * errors of that attempt stay in the stack. */
static herr_t initialize(hid_t list)
{
    const hid_t stack = H5Eget_current_stack();
    const herr_t result =
        stoa_sparse_filter_register(NULL) == STOA_OK ? stoa_connector_register_op() : -1;

    (void)list;
    (void)H5Eset_current_stack(stack);
    return result;
}

static herr_t terminate(void)
{
    return 0;
}

/* The capabilities of HDF5's native connector. */
#define CAPABILITIES                                                                               \
    (H5VL_CAP_FLAG_NATIVE_FILES | H5VL_CAP_FLAG_ATTR_BASIC | H5VL_CAP_FLAG_ATTR_MORE |             \
     H5VL_CAP_FLAG_DATASET_BASIC | H5VL_CAP_FLAG_DATASET_MORE | H5VL_CAP_FLAG_FILE_BASIC |         \
     H5VL_CAP_FLAG_FILE_MORE | H5VL_CAP_FLAG_GROUP_BASIC | H5VL_CAP_FLAG_GROUP_MORE |              \
     H5VL_CAP_FLAG_LINK_BASIC | H5VL_CAP_FLAG_LINK_MORE | H5VL_CAP_FLAG_OBJECT_BASIC |             \
     H5VL_CAP_FLAG_OBJECT_MORE | H5VL_CAP_FLAG_REF_BASIC | H5VL_CAP_FLAG_REF_MORE |                \
     H5VL_CAP_FLAG_OBJ_REF | H5VL_CAP_FLAG_REG_REF | H5VL_CAP_FLAG_ATTR_REF |                      \
     H5VL_CAP_FLAG_STORED_DATATYPES | H5VL_CAP_FLAG_CREATION_ORDER | H5VL_CAP_FLAG_ITERATE |       \
     H5VL_CAP_FLAG_STORAGE_SIZE | H5VL_CAP_FLAG_BY_IDX | H5VL_CAP_FLAG_GET_PLIST |                 \
     H5VL_CAP_FLAG_FLUSH_REFRESH | H5VL_CAP_FLAG_EXTERNAL_LINKS | H5VL_CAP_FLAG_HARD_LINKS |       \
     H5VL_CAP_FLAG_SOFT_LINKS | H5VL_CAP_FLAG_UD_LINKS | H5VL_CAP_FLAG_TRACK_TIMES |               \
     H5VL_CAP_FLAG_MOUNT | H5VL_CAP_FLAG_FILTERS | H5VL_CAP_FLAG_FILL_VALUES)

const H5VL_class_t stoa_connector_class = {
    .version = H5VL_VERSION,
    .value = STOA_CONNECTOR_VALUE,
    .name = STOA_CONNECTOR_NAME,
    .conn_version = 1,
    .cap_flags = CAPABILITIES,
    .initialize = initialize,
    .terminate = terminate,
    .info_cls = {sizeof(stoa_connector_info), stoa_on_info_copy, stoa_on_info_cmp,
                 stoa_on_info_free, stoa_on_info_to_str, stoa_on_info_from_str},
    .wrap_cls = {stoa_on_get_object, stoa_on_get_wrap_context, stoa_on_wrap_object,
                 stoa_on_unwrap_object, stoa_on_free_wrap_context},
    .attr_cls = {attr_create, attr_open, attr_read, attr_write, attr_get, attr_specific,
                 attr_optional, attr_close},
    .dataset_cls = {stoa_on_dataset_create, stoa_on_dataset_open, stoa_on_dataset_read,
                    stoa_on_dataset_write, stoa_on_dataset_get, stoa_on_dataset_specific,
                    stoa_on_dataset_optional, stoa_on_dataset_close},
    .datatype_cls = {datatype_commit, datatype_open, datatype_get, datatype_specific,
                     datatype_optional, datatype_close},
    .file_cls = {stoa_on_file_create, stoa_on_file_open, file_get, stoa_on_file_specific,
                 stoa_on_file_optional, stoa_on_file_close},
    .group_cls = {group_create, group_open, group_get, group_specific, group_optional, group_close},
    .link_cls = {link_create, link_copy, link_move, link_get, link_specific, link_optional},
    .object_cls = {stoa_on_object_open, stoa_on_object_copy, object_get, stoa_on_object_specific,
                   object_optional},
    .introspect_cls = {get_class, get_capabilities, ask_optional},
    .request_cls = {request_wait, request_notify, request_cancel, request_specific,
                    request_optional, request_free},
    .blob_cls = {blob_put, blob_get, blob_specific, blob_optional},
    .token_cls = {token_cmp, token_to_str, token_from_str},
    .optional = any_optional,
};

stoa_status stoa_connector_register(hid_t *connector, stoa_error *err)
{
    STOA_RETURN_HDF_ERROR(err,
                          *connector = H5VLregister_connector(&stoa_connector_class, H5P_DEFAULT),
                          "register connector %s", STOA_CONNECTOR_NAME);
    return STOA_OK;
}
