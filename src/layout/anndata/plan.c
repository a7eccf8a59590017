/* The walk over an AnnData file that separates frames and matrices from objects that are copied
 * unchanged (plan.h). Soft and external links are copied, and not followed. */
#include "layout/anndata/plan.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/metadata/links.h"
#include "hdf/metadata/walk.h"
#include "layout/anndata/anndata.h"
#include "layout/anndata/awkward_read.h"
#include "layout/common/extent.h"
#include "sparse/tools/storage.h"
#include "table/open/table.h"

/* --- names ----------------------------------------------------------------------------------- */

bool stoa_anndata_is_member(const char *name)
{
    static const char *const names[] = {"X",    "layers", "obs", "var", "obsm", "varm",
                                        "obsp", "varp",   "uns", "raw", NULL};

    return stoa_is_listed(name, names);
}

char *stoa_anndata_place(const char *path)
{
    return strncmp(path, "/raw.", 5) == 0 && strchr(path + 1, '/') == NULL
               ? stoa_format("/raw/%s", path + 5)
               : stoa_strdup(path);
}

/* Whether Stoa knows an encoding, or copies it unchanged on purpose. Others are copied with a
 * remark. */
static bool is_known(const char *encoding)
{
    static const char *const known[] = {"anndata",
                                        "raw",
                                        "dict",
                                        "dataframe",
                                        "array",
                                        "string-array",
                                        "categorical",
                                        "nullable-integer",
                                        "nullable-boolean",
                                        "nullable-string-array",
                                        "csr_matrix",
                                        "csc_matrix",
                                        "string",
                                        "numeric-scalar",
                                        "null",
                                        "rec-array",
                                        STOA_AWKWARD_ENCODING,
                                        NULL};

    return stoa_is_listed(encoding, known);
}

/* --- items ----------------------------------------------------------------------------------- */

size_t stoa_anndata_plan_count(const stoa_anndata_plan *plan)
{
    return plan->items.size / sizeof(stoa_anndata_item);
}

const stoa_anndata_item *stoa_anndata_plan_item(const stoa_anndata_plan *plan, size_t i)
{
    return (const stoa_anndata_item *)(const void *)plan->items.data + i;
}

bool stoa_anndata_plan_has(const void *plan, const H5O_token_t *token)
{
    const stoa_anndata_plan *const p = plan;
    uint32_t unused = 0;

    return stoa_string_set_find(&p->tokens, token, sizeof *token, &unused);
}

stoa_status stoa_anndata_plan_remark(stoa_anndata_plan *plan, const char *path, const char *why,
                                     stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_buffer_append(&plan->remarks, path, strlen(path) + 1, err));
    return stoa_buffer_append(&plan->remarks, why, strlen(why) + 1, err);
}

void stoa_anndata_plan_report(const stoa_anndata_plan *plan, stoa_anndata_remark remark,
                              void *context)
{
    const char *at = (const char *)plan->remarks.data;
    const char *const end = at != NULL ? at + plan->remarks.size : NULL;

    while (at < end) {
        const char *const why = at + strlen(at) + 1;
        remark(context, at, why);
        at = why + strlen(why) + 1;
    }
}

static stoa_status add_item(stoa_anndata_plan *plan, stoa_anndata_kind kind, const char *path,
                            size_t same)
{
    stoa_status status = STOA_OK;
    stoa_anndata_item item = {
        .kind = kind, .path = stoa_strdup(path), .target = stoa_anndata_place(path), .same = same};

    STOA_TRY(item.path != NULL && item.target != NULL ? STOA_OK : stoa_fail_memory(plan->err));
    STOA_TRY(stoa_buffer_append(&plan->items, &item, sizeof item, plan->err));
    return STOA_OK;

done:
    free(item.path);
    free(item.target);
    return status;
}

/* Add an object that is not copied: it belongs to the next item, or is left out. */
static stoa_status add_token(stoa_anndata_plan *plan, const H5O_token_t *token, bool has_item)
{
    const size_t number = has_item ? stoa_anndata_plan_count(plan) : SIZE_MAX;
    uint32_t unused = 0;

    STOA_RETURN_NOT_OK(
        stoa_string_set_add(&plan->tokens, token, sizeof *token, &unused, plan->err));
    return stoa_buffer_append(&plan->numbers, &number, sizeof number, plan->err);
}

static stoa_status take(stoa_anndata_plan *plan, stoa_anndata_kind kind, const H5O_token_t *token,
                        const char *path)
{
    const stoa_status status = add_token(plan, token, true);

    return status == STOA_OK ? add_item(plan, kind, path, 0) : status;
}

static stoa_status leave_out(stoa_anndata_plan *plan, const H5O_token_t *token, const char *path,
                             const char *why)
{
    const stoa_status status = add_token(plan, token, false);

    return status == STOA_OK && why != NULL ? stoa_anndata_plan_remark(plan, path, why, plan->err)
                                            : status;
}

/* --- classifying objects --------------------------------------------------------------------- */

static stoa_status remark_unknown(stoa_anndata_plan *plan, const char *encoding, const char *path)
{
    stoa_status status = STOA_OK;
    char *why = NULL;

    if (encoding != NULL && !is_known(encoding)) {
        why = stoa_format("is copied as it is: Stoa does not read '%.40s'", encoding);
        STOA_TRY(why != NULL ? STOA_OK : stoa_fail_memory(plan->err));
        STOA_TRY(stoa_anndata_plan_remark(plan, path, why, plan->err));
    }

done:
    free(why);
    return status;
}

/* Whether the values of a matrix can be elements of a sparse array, which complex numbers cannot. A
 * matrix without values is damaged, which is reported later. */
static bool are_plain(hid_t group)
{
    hid_t data = stoa_object_open(group, "data");
    hid_t type = data >= 0 && H5Iget_type(data) == H5I_DATASET ? H5Dget_type(data) : data;
    const bool are = type < 0 || H5Iget_type(type) != H5I_DATATYPE || stoa_type_is_plain(type);

    if (type != data) {
        (void)stoa_hdf_close(&type, STOA_OK, NULL);
    }
    (void)stoa_hdf_close(&data, STOA_OK, NULL);
    return are;
}

static stoa_status copy_matrix(stoa_anndata_plan *plan, const H5O_token_t *token, const char *path)
{
    uint32_t unused = 0;

    STOA_RETURN_NOT_OK(
        stoa_string_set_add(&plan->inside, token, sizeof *token, &unused, plan->err));
    return stoa_anndata_plan_remark(
        plan, path, "is copied as it is: no sparse array has such values", plan->err);
}

/* The encoding of a group, in the current form or in that from before 0.7 ("csr"); NULL if there is
 * none. */
static stoa_status read_encoding(hid_t group, char **encoding, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_attribute_read_optional(group, "encoding-type", encoding, err));
    if (*encoding == NULL) {
        STOA_RETURN_NOT_OK(stoa_attribute_read_optional(group, "h5sparse_format", encoding, err));
    }
    return STOA_OK;
}

static bool is_matrix(const char *encoding)
{
    return strcmp(encoding, "csr_matrix") == 0 || strcmp(encoding, "csc_matrix") == 0 ||
           strcmp(encoding, "csr") == 0 || strcmp(encoding, "csc") == 0;
}

static stoa_status sort_group(stoa_anndata_plan *plan, hid_t group, const H5O_token_t *token,
                              const char *path)
{
    stoa_status status = STOA_OK;
    char *encoding = NULL;
    bool is_own = false;

    STOA_TRY(stoa_table_probe(group, &is_own, plan->err));
    STOA_TRY(read_encoding(group, &encoding, plan->err));
    const char *const name = encoding != NULL ? encoding : "";
    if (strcmp(name, "dataframe") == 0 || (is_own && plan->is_out)) {
        status = take(plan, STOA_ANNDATA_FRAME, token, path);
    } else if (is_matrix(name)) {
        status = are_plain(group) ? take(plan, STOA_ANNDATA_GROUP, token, path)
                                  : copy_matrix(plan, token, path);
    } else {
        status = remark_unknown(plan, encoding, path);
    }

done:
    free(encoding);
    return status;
}

/* Whether a dataset is uns/FIELD_categories, and a field of obs or var has these labels. */
static bool is_old_label(const stoa_anndata_plan *plan, const char *path)
{
    static const char *const start = "/uns/";
    static const char *const end = "_categories";
    const size_t length = strlen(path);
    const size_t around = strlen(start) + strlen(end);
    char *field = NULL;
    bool is = false;

    if (length > around && strncmp(path, start, strlen(start)) == 0 &&
        stoa_ends_with(path, length, end)) {
        field = stoa_format("%.*s", (int)(length - around), path + strlen(start));
    }
    for (int i = 0; i < 2 && field != NULL && !is; i++) {
        const stoa_column *const column =
            plan->old[i] != NULL ? stoa_table_find(plan->old[i], field) : NULL;
        is = column != NULL && column->has_labels;
    }
    free(field);
    return is;
}

static stoa_status remark_dataset(stoa_anndata_plan *plan, hid_t dataset, const char *path)
{
    stoa_status status = STOA_OK;
    char *encoding = NULL;

    STOA_TRY(stoa_attribute_read_optional(dataset, "encoding-type", &encoding, plan->err));
    STOA_TRY(remark_unknown(plan, encoding, path));

done:
    free(encoding);
    return status;
}

static stoa_status sort_dataset(stoa_anndata_plan *plan, hid_t dataset, const H5O_token_t *token,
                                const char *path)
{
    const bool is_sparse = plan->is_out && stoa_is_structured(dataset);

    if (is_sparse && stoa_extent_rank(dataset) == 2) {
        return take(plan, STOA_ANNDATA_ARRAY, token, path);
    }
    if (is_sparse) {
        return leave_out(plan, token, path,
                         "is left out: AnnData's sparse arrays have two dimensions");
    }
    if (plan->is_old && stoa_anndata_is_old_frame(dataset)) {
        return take(plan, STOA_ANNDATA_FRAME, token, path);
    }
    if (plan->is_old &&
        (strcmp(path, "/obsm") == 0 || strcmp(path, "/varm") == 0 ||
         strcmp(path, "/raw.varm") == 0) &&
        stoa_class_of(dataset) == H5T_COMPOUND && stoa_extent_rank(dataset) == 1) {
        return take(plan, STOA_ANNDATA_FIELDS, token, path);
    }
    if (is_old_label(plan, path)) {
        return leave_out(plan, token, path, NULL); /* the frame contains them */
    }
    return remark_dataset(plan, dataset, path);
}

stoa_status stoa_anndata_plan_leave_bad(stoa_anndata_plan *plan, const char *path, const char *why,
                                        stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *const text = stoa_format("is left behind: %s", why);

    STOA_TRY(text != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_anndata_plan_remark(plan, path, text, err));
    plan->n_bad++;

done:
    free(text);
    return status;
}

/* An object that cannot be opened. */
static stoa_status see_bad(stoa_anndata_plan *plan, const H5O_token_t *token, const char *path)
{
    if (!plan->skips_bad) {
        return stoa_fail(plan->err, STOA_EDATA,
                         "'%s' cannot be opened; --skip-bad leaves it behind", path);
    }
    STOA_RETURN_NOT_OK(add_token(plan, token, false));
    return stoa_anndata_plan_leave_bad(plan, path, "it cannot be opened", plan->err);
}

static stoa_status sort_object(stoa_anndata_plan *plan, hid_t group, const char *name,
                               const H5O_info2_t *info, const char *path)
{
    stoa_status status = STOA_OK;
    const bool is_root = strcmp(plan->path, "/") == 0;
    const bool is_old_raw = plan->is_old && strncmp(name, "raw.", 4) == 0;
    hid_t object = H5I_INVALID_HID;

    if (is_root && plan->is_out && !stoa_anndata_is_member(name) && !is_old_raw) {
        return leave_out(plan, &info->token, path, "is left out: AnnData knows no such member");
    }
    object = stoa_object_open(group, name);
    if (object < 0) {
        return see_bad(plan, &info->token, path);
    }
    if (info->type == H5O_TYPE_GROUP) {
        STOA_TRY(sort_group(plan, object, &info->token, path));
    } else if (info->type == H5O_TYPE_DATASET) {
        STOA_TRY(sort_dataset(plan, object, &info->token, path));
    } else if (plan->is_out) {
        STOA_TRY(leave_out(plan, &info->token, path, "is left out: it holds no values"));
    }

done:
    return stoa_hdf_close(&object, status, plan->err);
}

/* --- the walk -------------------------------------------------------------------------------- */

/* Add another name of a planned object. */
static stoa_status see_again(stoa_anndata_plan *plan, uint32_t token, const char *path)
{
    size_t number = 0;

    memcpy(&number, plan->numbers.data + token * sizeof number, sizeof number);
    return number == SIZE_MAX ? STOA_OK : add_item(plan, STOA_ANNDATA_ALIAS, path, number);
}

static herr_t see_link(hid_t group, const char *name, const H5L_info2_t *link, void *context)
{
    stoa_anndata_plan *const plan = context;
    H5O_info2_t info;
    uint32_t number = 0;

    if (link->type != H5L_TYPE_HARD) {
        return 0;
    }
    char *const path =
        stoa_format("%s%s%s", plan->path, strcmp(plan->path, "/") == 0 ? "" : "/", name);
    if (path == NULL) {
        plan->status = stoa_fail_memory(plan->err);
    } else if (stoa_info_here(group, name, &info) < 0) {
        plan->status = see_bad(plan, &link->u.token, path);
    } else if (stoa_string_set_find(&plan->tokens, &info.token, sizeof info.token, &number)) {
        plan->status = see_again(plan, number, path);
    } else {
        plan->status = sort_object(plan, group, name, &info, path);
    }
    free(path);
    return plan->status == STOA_OK ? 0 : 1;
}

static herr_t note_inside(hid_t group, const char *name, const H5L_info2_t *link, void *context)
{
    stoa_anndata_plan *const plan = context;
    H5O_info2_t info;
    uint32_t unused = 0;

    if (link->type == H5L_TYPE_HARD && stoa_info_here(group, name, &info) >= 0 &&
        info.type == H5O_TYPE_GROUP) {
        plan->status =
            stoa_string_set_add(&plan->inside, &info.token, sizeof info.token, &unused, plan->err);
    }
    return plan->status == STOA_OK ? 0 : 1;
}

/* Everything inside a frame, table or matrix is a part of it, including nested groups. */
static stoa_status see_group(void *context, hid_t group, const char *path, bool *goes_on,
                             stoa_error *err)
{
    stoa_anndata_plan *const plan = context;
    H5O_info2_t info;
    bool is_part = false;
    uint32_t unused = 0;

    (void)goes_on;
    STOA_RETURN_HDF_ERROR(err, H5Oget_info3(group, &info, H5O_INFO_BASIC), "look at a group");
    STOA_RETURN_NOT_OK(stoa_table_probe(group, &is_part, err));
    is_part = is_part || stoa_anndata_plan_has(plan, &info.token) ||
              stoa_string_set_find(&plan->inside, &info.token, sizeof info.token, &unused);
    plan->path = path;
    STOA_RETURN_NOT_OK(stoa_links_visit(group, is_part ? note_inside : see_link, plan, err));
    return plan->status;
}

/* Check that obs or var is a frame. For a conversion to AnnData, a missing one is created. */
static stoa_status check_axis(const stoa_anndata_plan *plan, hid_t root, const char *name,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t object = stoa_object_open(root, name);
    H5O_info2_t info;
    bool is_own = false;

    if (object < 0 && plan->skips_bad) {
        return STOA_OK; /* it was named */
    }
    if (object < 0 && H5Lexists(root, name, H5P_DEFAULT) > 0) {
        STOA_FAIL(err, STOA_EDATA, "'/%s' leads nowhere", name);
    }
    if (object < 0 && !plan->is_out) {
        STOA_FAIL(err, STOA_EDATA, "there is no '/%s'", name);
    }
    if (object >= 0) {
        STOA_HDF(err, H5Oget_info3(object, &info, H5O_INFO_BASIC), "look at '/%s'", name);
        if (info.type == H5O_TYPE_GROUP) {
            STOA_TRY(stoa_table_probe(object, &is_own, err));
        }
        if (!is_own && !stoa_anndata_plan_has(plan, &info.token)) {
            STOA_FAIL(err, STOA_EDATA, "'/%s' is no frame", name);
        }
    }

done:
    return stoa_hdf_close(&object, status, err);
}

stoa_status stoa_anndata_plan_make(stoa_anndata_plan *plan, hid_t file, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t root = H5I_INVALID_HID;

    plan->err = err;
    STOA_HDF(err, root = H5Gopen2(file, "/", H5P_DEFAULT), "open '/'");
    plan->is_old = !stoa_attribute_exists(root, "encoding-type");
    if (stoa_anndata_is_old_file(root)) {
        STOA_TRY(stoa_anndata_open(root, "/obs", &plan->old[0], err));
        STOA_TRY(stoa_anndata_open(root, "/var", &plan->old[1], err));
    }
    STOA_TRY(stoa_groups_visit(root, see_group, plan, err));
    STOA_TRY(check_axis(plan, root, "obs", err));
    STOA_TRY(check_axis(plan, root, "var", err));

done:
    return stoa_hdf_close(&root, status, err);
}

void stoa_anndata_plan_clear(stoa_anndata_plan *plan)
{
    for (size_t i = 0; i < stoa_anndata_plan_count(plan); i++) {
        free(stoa_anndata_plan_item(plan, i)->path);
        free(stoa_anndata_plan_item(plan, i)->target);
    }
    stoa_table_close(plan->old[0]);
    stoa_table_close(plan->old[1]);
    stoa_buffer_clear(&plan->items);
    stoa_buffer_clear(&plan->numbers);
    stoa_buffer_clear(&plan->remarks);
    stoa_string_set_clear(&plan->tokens);
    stoa_string_set_clear(&plan->inside);
}
