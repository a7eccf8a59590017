#include "layout/anndata/root_members.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/copy/object_storage.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "hdf/metadata/walk.h"
#include "layout/anndata/anndata.h"
#include "layout/anndata/awkward_read.h"

/* --- places ---------------------------------------------------------------------------------- */

typedef struct mover {
    stoa_error *err;
    stoa_status status;
} mover;

static stoa_status move_one(hid_t root, const char *name, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t raw = H5I_INVALID_HID;

    if (!stoa_object_exists(root, "raw")) {
        STOA_HDF(err, raw = H5Gcreate2(root, "raw", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                 "make group '/raw'");
    } else {
        STOA_HDF(err, raw = H5Gopen2(root, "raw", H5P_DEFAULT), "open group '/raw'");
    }
    if (stoa_object_exists(raw, name + 4)) {
        STOA_FAIL(err, STOA_EDATA, "there are both '/%s' and '/raw/%s'", name, name + 4);
    }
    STOA_HDF(err, H5Lmove(root, name, raw, name + 4, H5P_DEFAULT, H5P_DEFAULT), "move '/%s'", name);

done:
    return stoa_hdf_close(&raw, status, err);
}

static herr_t see_raw(hid_t root, const char *name, const H5L_info2_t *link, void *context)
{
    mover *const m = context;

    (void)link;
    if (strncmp(name, "raw.", 4) == 0 && name[4] != '\0') {
        m->status = move_one(root, name, m->err);
    }
    return m->status == STOA_OK ? 0 : 1;
}

stoa_status stoa_anndata_move_raw(hid_t root, stoa_error *err)
{
    mover m = {.err = err};
    const stoa_status status = stoa_links_visit(root, see_raw, &m, err);

    return m.status != STOA_OK ? m.status : status;
}

/* --- encodings ------------------------------------------------------------------------------- */

static stoa_status encode_dataset(void *context, hid_t dataset, const char *path, stoa_error *err)
{
    (void)context;
    (void)path;
    return stoa_anndata_encode_plain(dataset, err);
}

static stoa_status encode_group(void *context, hid_t group, const char *path, bool *visits,
                                stoa_error *err)
{
    const bool is_new = !stoa_attribute_exists(group, "encoding-type");

    (void)context;
    *visits = true;
    if (is_new && (strcmp(path, "/") == 0 || strcmp(path, "/raw") == 0)) {
        STOA_RETURN_NOT_OK(
            stoa_anndata_encode(group, path[1] == '\0' ? "anndata" : "raw", "0.1.0", err));
    }
    return stoa_anndata_encode_plain(group, err);
}

stoa_status stoa_anndata_encode_all(hid_t root, stoa_error *err)
{
    return stoa_datasets_visit_in(root, NULL, encode_group, encode_dataset, NULL, NULL, err);
}

/* --- links ----------------------------------------------------------------------------------- */

typedef struct mender {
    stoa_anndata_plan *plan;
    const char *path; /* of the group */
    stoa_error *err;
    stoa_status status;
} mender;

/* Why AnnData cannot follow a link; NULL if it can. AnnData descends into every group, without end
 * if a link leads back. */
static const char *trouble_with(hid_t group, const char *name, const H5L_info2_t *link)
{
    const char *why = NULL;

    if (link->type != H5L_TYPE_SOFT) {
        return "is left out: it leads to another file";
    }
    hid_t object = stoa_object_open(group, name);
    if (object < 0) {
        return "is left out: it leads nowhere";
    }
    if (H5Iget_type(object) == H5I_GROUP) {
        char *const encoding = stoa_attribute_optional(object, "encoding-type");
        const bool is_leaf =
            encoding != NULL &&
            (strcmp(encoding, "dataframe") == 0 || strcmp(encoding, STOA_AWKWARD_ENCODING) == 0 ||
             strcmp(encoding, "csr_matrix") == 0 || strcmp(encoding, "csc_matrix") == 0);
        why = is_leaf ? NULL : "is left out: it leads to a group that is elsewhere";
        free(encoding);
    }
    (void)stoa_hdf_close(&object, STOA_OK, NULL);
    return why;
}

static stoa_status remove_link(hid_t group, const char *name, const char *path, stoa_error *err)
{
    STOA_RETURN_HDF_ERROR(err, stoa_unlink(group, name), "remove the link '%s'", path);
    return STOA_OK;
}

static herr_t see_link(hid_t group, const char *name, const H5L_info2_t *link, void *context)
{
    mender *const m = context;
    const char *const why = link->type != H5L_TYPE_HARD ? trouble_with(group, name, link) : NULL;

    if (why == NULL) {
        return 0;
    }
    char *const path = stoa_format("%s%s%s", m->path, m->path[1] != '\0' ? "/" : "", name);
    m->status = path != NULL ? stoa_anndata_plan_remark(m->plan, path, why, m->err)
                             : stoa_fail_memory(m->err);
    if (m->status == STOA_OK) {
        m->status = remove_link(group, name, path, m->err);
    }
    free(path);
    return m->status == STOA_OK ? 0 : 1;
}

static stoa_status see_group(void *context, hid_t group, const char *path, bool *goes_on,
                             stoa_error *err)
{
    mender *const m = context;

    (void)goes_on;
    m->path = path;
    STOA_RETURN_NOT_OK(stoa_links_visit(group, see_link, m, err));
    return m->status;
}

stoa_status stoa_anndata_mend_links(hid_t root, stoa_anndata_plan *plan, stoa_error *err)
{
    mender m = {.plan = plan, .err = err};

    return stoa_groups_visit(root, see_group, &m, err);
}
