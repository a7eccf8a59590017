/*
 * H5Ocopy() of datasets of variable-length elements.
 *
 * When libhdf5 copies such a dataset, it follows the references in dense chunks. Our filter cannot
 * make these if the data are in section 2. Such a dataset is therefore created anew and filled with
 * the defined elements and the attributes. If the data are in the global heap, libhdf5 copies the
 * dataset. Elements that are defined and empty are then defined again, because dense chunks do not
 * show them.
 */
#include <stdlib.h>
#include <string.h>

#include "hdf/ids.h"
#include "sparse/array/array.h"
#include "sparse/connector/connector_copy.h"
#include "sparse/connector/connector_parts.h"

static const H5VL_loc_params_t self = {.type = H5VL_OBJECT_BY_SELF, .obj_type = H5I_DATASET};

/* A copy from one dataset to another, using the objects below. */
typedef struct copying {
    stoa_link *from;
    stoa_link *to;
    hid_t dxpl;
} copying;

/* --- attributes ------------------------------------------------------------------------------ */

static stoa_status count_attributes(const copying *c, hsize_t *n, stoa_error *err)
{
    H5O_info2_t info;
    H5VL_object_get_args_t args = {.op_type = H5VL_OBJECT_GET_INFO};

    args.args.get_info.oinfo = &info;
    args.args.get_info.fields = H5O_INFO_NUM_ATTRS;
    STOA_RETURN_HDF_ERROR(
        err, H5VLobject_get(c->from->object, &self, c->from->below, &args, c->dxpl, NULL),
        "count attributes");
    *n = info.num_attrs;
    return STOA_OK;
}

static stoa_status get_name(const copying *c, void *attribute, char **name, stoa_error *err)
{
    H5VL_attr_get_args_t args = {.op_type = H5VL_ATTR_GET_NAME};
    size_t length = 0;

    args.args.get_name.loc_params =
        (H5VL_loc_params_t){.type = H5VL_OBJECT_BY_SELF, .obj_type = H5I_ATTR};
    args.args.get_name.attr_name_len = &length;
    for (int i = 0; i < 2; i++) { /* first the length, then the name */
        STOA_RETURN_HDF_ERROR(err, H5VLattr_get(attribute, c->from->below, &args, c->dxpl, NULL),
                              "look up an attribute's name");
        if (i == 0) {
            *name = stoa_alloc_zero(length + 1, 1);
            STOA_RETURN_NO_MEMORY(err, *name);
            args.args.get_name.buf = *name;
            args.args.get_name.buf_size = length + 1;
        }
    }
    return STOA_OK;
}

/* The properties of an attribute. */
typedef struct facts {
    hid_t type;
    hid_t space;
    hid_t acpl;
} facts;

static stoa_status get_facts(const copying *c, void *attribute, facts *f, stoa_error *err)
{
    H5VL_attr_get_args_t args = {.op_type = H5VL_ATTR_GET_TYPE};

    STOA_RETURN_HDF_ERROR(err, H5VLattr_get(attribute, c->from->below, &args, c->dxpl, NULL),
                          "look up an attribute's type");
    f->type = args.args.get_type.type_id;
    args.op_type = H5VL_ATTR_GET_SPACE;
    STOA_RETURN_HDF_ERROR(err, H5VLattr_get(attribute, c->from->below, &args, c->dxpl, NULL),
                          "look up an attribute's shape");
    f->space = args.args.get_space.space_id;
    args.op_type = H5VL_ATTR_GET_ACPL;
    STOA_RETURN_HDF_ERROR(err, H5VLattr_get(attribute, c->from->below, &args, c->dxpl, NULL),
                          "look up how an attribute was made");
    f->acpl = args.args.get_acpl.acpl_id;
    return STOA_OK;
}

/* References are invalid in another file. H5Ocopy() leaves them empty too. */
static stoa_status copy_value(const copying *c, void *from, void *to, const facts *f,
                              stoa_error *err)
{
    const hssize_t n = H5Sget_simple_extent_npoints(f->space);
    const bool is_empty =
        H5Tdetect_class(f->type, H5T_REFERENCE) > 0 && c->from->file != c->to->file;
    const hid_t below = c->from->below;
    void *value = NULL;
    stoa_status status = STOA_OK;

    if (n <= 0) {
        return STOA_OK;
    }
    value = stoa_alloc_zero((size_t)n, H5Tget_size(f->type));
    STOA_RETURN_NO_MEMORY(err, value);
    if (!is_empty) {
        STOA_HDF(err, H5VLattr_read(from, below, f->type, value, c->dxpl, NULL),
                 "read an attribute");
    }
    STOA_HDF(err, H5VLattr_write(to, c->to->below, f->type, value, c->dxpl, NULL),
             "write an attribute");

done:
    if (stoa_vlen_is_in(f->type)) {
        (void)H5Treclaim(f->type, f->space, H5P_DEFAULT, value);
    }
    free(value);
    return status;
}

static stoa_status copy_attribute(const copying *c, hsize_t number, H5_index_t order,
                                  stoa_error *err)
{
    H5VL_loc_params_t where = {.type = H5VL_OBJECT_BY_IDX, .obj_type = H5I_DATASET};
    facts f = {H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID};
    void *attribute = NULL;
    void *copy = NULL;
    char *name = NULL;
    stoa_status status = STOA_OK;

    where.loc_data.loc_by_idx.name = ".";
    where.loc_data.loc_by_idx.idx_type = order;
    where.loc_data.loc_by_idx.order = H5_ITER_INC;
    where.loc_data.loc_by_idx.n = number;
    where.loc_data.loc_by_idx.lapl_id = H5P_LINK_ACCESS_DEFAULT;
    attribute = H5VLattr_open(c->from->object, &where, c->from->below, NULL,
                              H5P_ATTRIBUTE_ACCESS_DEFAULT, c->dxpl, NULL);
    STOA_HDF(err, attribute != NULL ? 0 : -1, "open an attribute");
    STOA_TRY(get_name(c, attribute, &name, err));
    STOA_TRY(get_facts(c, attribute, &f, err));
    copy = H5VLattr_create(c->to->object, &self, c->to->below, name, f.type, f.space, f.acpl,
                           H5P_ATTRIBUTE_ACCESS_DEFAULT, c->dxpl, NULL);
    STOA_HDF(err, copy != NULL ? 0 : -1, "make an attribute");
    STOA_TRY(copy_value(c, attribute, copy, &f, err));

done:
    if (copy != NULL) {
        (void)H5VLattr_close(copy, c->to->below, c->dxpl, NULL);
    }
    if (attribute != NULL) {
        (void)H5VLattr_close(attribute, c->from->below, c->dxpl, NULL);
    }
    free(name);
    status = stoa_hdf_close(&f.acpl, status, err);
    status = stoa_hdf_close(&f.space, status, err);
    return stoa_hdf_close(&f.type, status, err);
}

/* Copy in creation order, if it is tracked. */
static stoa_status copy_attributes(const copying *c, hid_t dcpl, stoa_error *err)
{
    unsigned tracked = 0;
    hsize_t n = 0;

    STOA_RETURN_HDF_ERROR(err, H5Pget_attr_creation_order(dcpl, &tracked),
                          "ask for the order of attributes");
    STOA_RETURN_NOT_OK(count_attributes(c, &n, err));
    for (hsize_t i = 0; i < n; i++) {
        STOA_RETURN_NOT_OK(copy_attribute(
            c, i, (tracked & H5P_CRT_ORDER_INDEXED) != 0 ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME,
            err));
    }
    return STOA_OK;
}

/* --- elements -------------------------------------------------------------------------------- */

/* View a dataset as an array of <stoa/sparse.h>, with the members that a merge needs. */
static stoa_sparse array_of(const stoa_link *link)
{
    return (stoa_sparse){.dataset = H5I_INVALID_HID,
                         .type = link->dataset->below.type,
                         .native = link->dataset->below.type,
                         .is_shared = true,
                         .store = link->dataset->store};
}

static stoa_status copy_elements(const copying *c, stoa_error *err)
{
    stoa_sparse from = array_of(c->from);
    stoa_sparse to = array_of(c->to);

    STOA_RETURN_NOT_OK(stoa_sparse_merge(&to, &from, err));
    return stoa_store_flush(to.store, err);
}

/* --- the dataset ----------------------------------------------------------------------------- */

void stoa_copy_remove(const stoa_copy_target *t, hid_t dxpl)
{
    H5VL_loc_params_t where = {.type = H5VL_OBJECT_BY_NAME, .obj_type = t->here->obj_type};
    H5VL_link_specific_args_t args = {.op_type = H5VL_LINK_DELETE};
    const stoa_error_stack errors = stoa_error_stack_begin();

    where.loc_data.loc_by_name.name = t->name;
    where.loc_data.loc_by_name.lapl_id = H5P_LINK_ACCESS_DEFAULT;
    (void)H5VLlink_specific(t->at->object, &where, t->at->below, &args, dxpl, NULL);
    stoa_error_stack_end(&errors);
}

stoa_status stoa_copy_alike(stoa_link *from, const stoa_copy_target *t, hid_t dxpl, stoa_error *err)
{
    copying c = {.from = from, .dxpl = dxpl};
    hid_t dcpl = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_below_get(from, H5VL_DATASET_GET_DCPL, &dcpl, err));
    STOA_TRY(stoa_below_space(from, &space, err));
    STOA_HDF(err, type = H5Tcopy(from->dataset->below.type), "copy a datatype");
    c.to = stoa_on_dataset_create(t->at, t->here, t->name, t->lcpl, type, space, dcpl,
                                  H5P_DATASET_ACCESS_DEFAULT, dxpl, NULL);
    STOA_HDF(err, c.to != NULL ? 0 : -1, "make the copy '%s'", t->name);
    if (c.to->dataset == NULL) {
        STOA_FAIL(err, STOA_EDATA, "the copy is no dataset of structured chunks");
    }
    STOA_TRY(copy_elements(&c, err));
    STOA_TRY(t->has_attributes ? copy_attributes(&c, dcpl, err) : STOA_OK);

done:
    if (c.to != NULL && stoa_on_dataset_close(c.to, dxpl, NULL) < 0 && status == STOA_OK) {
        status = stoa_fail(err, STOA_EHDF5, "the copy '%s' cannot be closed", t->name);
    }
    if (c.to != NULL && status != STOA_OK) {
        stoa_copy_remove(t, dxpl);
    }
    status = stoa_hdf_close(&space, status, err);
    status = stoa_hdf_close(&type, status, err);
    return stoa_hdf_close(&dcpl, status, err);
}

bool stoa_copy_is_variable(const stoa_link *dataset)
{
    return dataset->dataset != NULL && stoa_store_vlen(dataset->dataset->store) != NULL;
}

stoa_link *stoa_copy_open(const stoa_link *at, const H5VL_loc_params_t *there, const char *name,
                          hid_t dxpl)
{
    H5VL_loc_params_t where = {.type = H5VL_OBJECT_BY_NAME, .obj_type = there->obj_type};
    H5I_type_t type = H5I_BADID;
    const stoa_error_stack errors = stoa_error_stack_begin();

    where.loc_data.loc_by_name.name = name;
    where.loc_data.loc_by_name.lapl_id = H5P_LINK_ACCESS_DEFAULT;
    void *below = H5VLobject_open(at->object, &where, at->below, &type, dxpl, NULL);
    stoa_link *opened = NULL;
    if (below != NULL && type == H5I_DATASET) {
        opened = stoa_link_dataset(below, at, dxpl, NULL);
    } else if (below != NULL && type == H5I_GROUP) {
        (void)H5VLgroup_close(below, at->below, dxpl, NULL);
    } else if (below != NULL) {
        (void)H5VLdatatype_close(below, at->below, dxpl, NULL);
    }
    stoa_error_stack_discard(&errors);
    return opened;
}

/* --- defined and empty elements -------------------------------------------------------------- */

/* Positions of a chunk that are defined in one dataset and not in the other. */
static stoa_status find_missing(stoa_store *from, stoa_store *to, uint64_t number, stoa_buffer *had,
                                stoa_buffer *missing, stoa_error *err)
{
    const stoa_sparse_chunk *chunk = NULL;
    size_t k = 0;

    had->size = 0;
    missing->size = 0;
    STOA_RETURN_NOT_OK(stoa_store_read_chunk(to, number, false, &chunk, err));
    STOA_RETURN_NOT_OK(
        stoa_buffer_append(had, chunk->positions, chunk->n * sizeof *chunk->positions, err));
    const uint32_t *there = (const uint32_t *)(const void *)had->data;
    const size_t n = chunk->n;
    STOA_RETURN_NOT_OK(stoa_store_read_chunk(from, number, false, &chunk, err));
    for (size_t i = 0; i < chunk->n; i++) {
        while (k < n && there[k] < chunk->positions[i]) {
            k++;
        }
        if (k == n || there[k] != chunk->positions[i]) {
            STOA_RETURN_NOT_OK(
                stoa_buffer_append(missing, &chunk->positions[i], sizeof *chunk->positions, err));
        }
    }
    return STOA_OK;
}

/* Define these elements as empty. libhdf5 has copied all others. */
static stoa_status define_empty(stoa_store *to, uint64_t number, const stoa_buffer *missing,
                                const uint8_t *nothing, stoa_error *err)
{
    const uint32_t *position = (const uint32_t *)(const void *)missing->data;
    uint64_t offset[H5S_MAX_RANK];
    uint64_t at[H5S_MAX_RANK];

    stoa_shape_offset(stoa_store_shape(to), number, offset);
    for (size_t i = 0; i < missing->size / sizeof *position; i++) {
        stoa_shape_element(stoa_store_shape(to), offset, position[i], at);
        STOA_RETURN_NOT_OK(stoa_store_write(to, at, 1, nothing, NULL, err));
    }
    return STOA_OK;
}

stoa_status stoa_copy_empty(stoa_store *from, stoa_store *to, stoa_error *err)
{
    const stoa_box all = stoa_shape_all(stoa_store_shape(from));
    uint8_t *nothing = stoa_alloc_zero(1, stoa_sparse_value_size(stoa_store_format(to)));
    stoa_buffer numbers = {NULL, 0, 0};
    stoa_buffer had = {NULL, 0, 0};
    stoa_buffer missing = {NULL, 0, 0};
    stoa_status status = STOA_OK;

    STOA_TRY(nothing != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_store_chunks(from, &all, &numbers, err));
    const uint64_t *number = (const uint64_t *)(const void *)numbers.data;
    for (size_t i = 0; i < numbers.size / sizeof *number; i++) {
        STOA_TRY(find_missing(from, to, number[i], &had, &missing, err));
        STOA_TRY(define_empty(to, number[i], &missing, nothing, err));
    }
    STOA_TRY(stoa_store_flush(to, err));

done:
    free(nothing);
    stoa_buffer_clear(&missing);
    stoa_buffer_clear(&had);
    stoa_buffer_clear(&numbers);
    return status;
}

/* Copy by libhdf5, then define the elements that it does not see. */
static stoa_status copy_referring(stoa_link *from, const stoa_copy_target *t, hid_t dxpl,
                                  stoa_error *err)
{
    stoa_link *copy = NULL;
    stoa_status status = STOA_OK;

    STOA_RETURN_HDF_ERROR(err,
                          H5VLobject_copy(from->object, &self, ".", t->at->object, t->here, t->name,
                                          from->below, t->ocpypl, t->lcpl, dxpl, NULL),
                          "copy '%s'", t->name);
    copy = stoa_copy_open(t->at, t->here, t->name, dxpl);
    if (copy != NULL && stoa_copy_is_variable(copy)) {
        status = stoa_copy_empty(from->dataset->store, copy->dataset->store, err);
    }
    if (copy != NULL) {
        (void)stoa_on_dataset_close(copy, dxpl, NULL);
    }
    return status;
}

herr_t stoa_copy_dataset(stoa_link *from, const H5VL_loc_params_t *there, const char *name,
                         const stoa_copy_target *t, hid_t dxpl, bool *is_one)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_link *source = stoa_copy_open(from, there, name, dxpl);
    stoa_status status = STOA_OK;

    *is_one = source != NULL && stoa_copy_is_variable(source);
    if (*is_one) {
        status = stoa_store_format(source->dataset->store)->has_heap
                     ? stoa_copy_alike(source, t, dxpl, &err)
                     : copy_referring(source, t, dxpl, &err);
    }
    if (source != NULL) {
        (void)stoa_on_dataset_close(source, dxpl, NULL);
    }
    return status == STOA_OK ? 0 : stoa_link_fail(&err);
}
