/* Copies objects of an LH5 file that conversion does not write into the new file: structs, links,
 * unlisted groups and attributes (LH5 notes §2.2, §3). The converted objects are there already. */
#include <stdlib.h>

#include "core/memory.h"
#include "hdf/copy/object_storage.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "hdf/metadata/other_files.h"
#include "hdf/metadata/walk.h"
#include "layout/layout.h"
#include "layout/lh5/read/lh5.h"
#include "layout/lh5/write/saved_metadata.h"
#include "layout/lh5/write/writer.h"

/* A group and its converted counterpart. */
typedef struct pair {
    hid_t from;
    hid_t to;
    bool has_rest; /* copy all members; otherwise only attributes */
    bool is_open;  /* copy missing members: the group is neither a vector nor packed */
    unsigned depth;
    stoa_status status;
    stoa_error *err;
} pair;

/* --- attributes ------------------------------------------------------------------------------ */

static stoa_status copy_attributes(hid_t from, hid_t to, stoa_error *err)
{
    static const char *const notes[] = {"units", "description"};

    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++) {
        if (stoa_attribute_exists(to, notes[i]) && !stoa_attribute_exists(from, notes[i])) {
            STOA_RETURN_NOT_OK(stoa_attribute_delete(to, notes[i], err));
        }
    }
    return stoa_attributes_copy_readable(from, to, stoa_lh5_own, err);
}

typedef struct members {
    hid_t other;
    size_t n;
    bool all; /* the other group has all of them */
} members;

static herr_t count_member(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    members *const m = context;

    (void)group;
    (void)info;
    m->n++;
    m->all = m->all && H5Lexists(m->other, name, H5P_DEFAULT) > 0;
    return 0;
}

/* If a group has the same members as before, restore its datatype. It may have had none, listed
 * only some fields, or had another order than the Python package writes. */
static stoa_status keep_list(hid_t from, hid_t to, const stoa_lh5_datatype *said, const char *text,
                             stoa_error *err)
{
    members old = {.other = to, .all = true};
    members new = {.other = from, .all = true};

    STOA_RETURN_NOT_OK(stoa_links_visit(from, count_member, &old, err));
    STOA_RETURN_NOT_OK(stoa_links_visit(to, count_member, &new, err));
    if (!old.all || old.n != new.n) {
        return STOA_OK;
    }
    if (text == NULL && stoa_attribute_exists(to, "datatype")) {
        STOA_RETURN_NOT_OK(stoa_attribute_delete(to, "datatype", err));
    } else if (text != NULL && (said->kind == STOA_LH5_STRUCT || said->kind == STOA_LH5_TABLE ||
                                said->kind == STOA_LH5_HISTOGRAM)) {
        STOA_RETURN_NOT_OK(stoa_lh5_write_text(to, "datatype", text, err));
    }
    return STOA_OK;
}

/* --- links ----------------------------------------------------------------------------------- */

static stoa_status copy_link(const pair *p, const char *name, const H5L_info2_t *info,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char *file = NULL;
    const char *path = NULL;
    char *value = stoa_alloc_zero(info->u.val_size + 1, 1);

    STOA_TRY(value != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_HDF(err, H5Lget_val(p->from, name, value, info->u.val_size, H5P_DEFAULT), "read link '%s'",
             name);
    if (info->type == H5L_TYPE_SOFT) {
        STOA_HDF(err, H5Lcreate_soft(value, p->to, name, H5P_DEFAULT, H5P_DEFAULT),
                 "make link '%s'", name);
    } else if (info->type == H5L_TYPE_EXTERNAL) {
        STOA_HDF(err, H5Lunpack_elink_val(value, info->u.val_size, NULL, &file, &path),
                 "read link '%s'", name);
        STOA_HDF(err, H5Lcreate_external(file, path, p->to, name, H5P_DEFAULT, H5P_DEFAULT),
                 "make link '%s'", name);
    }

done:
    free(value);
    return status;
}

static stoa_status copy_into(hid_t from, hid_t to, bool has_rest, unsigned depth, stoa_error *err);

static stoa_status must_be_here(void *context, hid_t dataset, const char *path, stoa_error *err)
{
    (void)context;
    return !stoa_dataset_is_elsewhere(dataset)
               ? STOA_OK
               : stoa_fail(err, STOA_ELOSS,
                           "the values of '%s' lie in other files or datasets: they cannot be "
                           "copied with the rest",
                           path);
}

/* H5Ocopy() copies references to external or virtual storage, not the values. Fail instead of
 * losing them. */
static stoa_status refuse_values_elsewhere(hid_t object, const char *name, stoa_error *err)
{
    return H5Iget_type(object) == H5I_DATASET ? must_be_here(NULL, object, name, err)
           : H5Iget_type(object) == H5I_GROUP ? stoa_datasets_visit(object, must_be_here, NULL, err)
                                              : STOA_OK;
}

static stoa_status copy_member(const pair *p, const char *name, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t from = stoa_object_open(p->from, name);
    hid_t to = stoa_object_open(p->to, name);

    if (from >= 0 && to >= 0) {
        STOA_TRY(copy_into(from, to, p->has_rest, p->depth + 1, err));
    } else if (from >= 0 && p->is_open) {
        STOA_TRY(refuse_values_elsewhere(from, name, err));
        STOA_HDF(err, stoa_object_copy(p->from, name, p->to, name, H5P_DEFAULT, H5P_DEFAULT),
                 "copy '%s'", name);
    }

done:
    status = stoa_hdf_close(&to, status, err);
    return stoa_hdf_close(&from, status, err);
}

static herr_t visit(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    pair *const p = context;
    const htri_t exists = H5Lexists(p->to, name, H5P_DEFAULT);

    (void)group;
    if (info->type == H5L_TYPE_HARD) {
        p->status = copy_member(p, name, p->err);
    } else if (exists == 0 && p->is_open) {
        p->status = copy_link(p, name, info, p->err);
    }
    return p->status == STOA_OK ? 0 : -1;
}

/* --- objects --------------------------------------------------------------------------------- */

static stoa_status copy_into(hid_t from, hid_t to, bool has_rest, unsigned depth, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_lh5_datatype type = {0};
    char *text = NULL;
    const bool is_group = H5Iget_type(from) == H5I_GROUP;

    if (is_group != (H5Iget_type(to) == H5I_GROUP) || depth > STOA_LH5_MAX_TABLE_DEPTH) {
        return STOA_OK; /* packed on one side only, or a cycle */
    }
    STOA_TRY(copy_attributes(from, to, err));
    if (!is_group) {
        goto done;
    }
    STOA_TRY(stoa_lh5_type_if_valid(from, &type, &text, err));
    pair p = {from, to, has_rest, .depth = depth, .err = err};
    p.is_open =
        has_rest && (text == NULL || type.kind == STOA_LH5_TABLE ||
                     (type.kind == STOA_LH5_STRUCT && !stoa_attribute_exists(from, "codec")));
    status = stoa_links_visit(from, visit, &p, err);
    STOA_TRY(p.status != STOA_OK ? p.status : status);
    if (type.kind == STOA_LH5_STRUCT && has_rest && depth > 0) {
        stoa_lh5_drop_absent(to, &type);
        STOA_TRY(stoa_lh5_say_datatype(to, &type, err));
    }
    if (!has_rest || depth > 0) { /* the root follows when its list is complete */
        STOA_TRY(keep_list(from, to, &type, text, err));
    }

done:
    stoa_lh5_datatype_clear(&type);
    free(text);
    return status;
}

stoa_status stoa_lh5_copy_attributes(hid_t from, hid_t to, stoa_error *err)
{
    STOA_RETURN_NOT_OK(copy_into(from, to, false, 0, err));
    return stoa_lh5_drop_references(from, to, err);
}

stoa_status stoa_lh5_copy_unconverted(hid_t from, hid_t to, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t old = H5I_INVALID_HID;
    hid_t new = H5I_INVALID_HID;
    stoa_lh5_datatype type = {0};
    char *text = NULL;

    STOA_HDF(err, old = H5Gopen2(from, "/", H5P_DEFAULT), "open '/'");
    STOA_HDF(err, new = H5Gopen2(to, "/", H5P_DEFAULT), "open '/'");
    STOA_TRY(copy_into(old, new, true, 0, err));
    STOA_TRY(stoa_lh5_drop_references(old, new, err));
    STOA_TRY(stoa_lh5_type_of(old, &type, &text, err));
    if (type.kind == STOA_LH5_STRUCT) { /* its fields are listed beside those that were there */
        stoa_lh5_drop_absent(new, &type);
        STOA_TRY(type.n_names > 0
                     ? stoa_lh5_list_in(new, (const char *const *)type.names, type.n_names, err)
                     : STOA_OK);
    }
    STOA_TRY(keep_list(old, new, &type, text, err));
    STOA_HDF(err, stoa_flush(new), "flush the file");

done:
    stoa_lh5_datatype_clear(&type);
    free(text);
    status = stoa_hdf_close(&new, status, err);
    return stoa_hdf_close(&old, status, err);
}
