#include "layout/lh5/read/subset.h"

#include <stdlib.h>

#include "hdf/metadata/links.h"
#include "layout/common/writer.h"
#include "layout/lh5/read/lh5.h"

/* --- counting -------------------------------------------------------------------------------- */

static bool has_rows(stoa_lh5_kind kind)
{
    return kind == STOA_LH5_ARRAY || kind == STOA_LH5_FIXED_ARRAY ||
           kind == STOA_LH5_EQUAL_ARRAYS || kind == STOA_LH5_VECTORS ||
           kind == STOA_LH5_ENCODED_VECTORS || kind == STOA_LH5_ENCODED_ARRAYS ||
           kind == STOA_LH5_TABLE;
}

stoa_status stoa_lh5_count_lines(hid_t object, bool *is_one, uint64_t *n_rows, stoa_error *err)
{
    stoa_lh5_datatype type = {0};
    char *text = NULL;

    *is_one = false;
    STOA_RETURN_NOT_OK(stoa_lh5_type_if_valid(object, &type, &text, err));
    if (text != NULL && has_rows(type.kind)) {
        *is_one = true;
        *n_rows = stoa_lh5_count_rows(object);
    }
    free(text);
    stoa_lh5_datatype_clear(&type);
    return STOA_OK;
}

/* --- members --------------------------------------------------------------------------------- */

typedef struct members {
    stoa_subset_plan *plan;
    const stoa_axis_lines *rows;
    unsigned depth;
    stoa_error *err;
    stoa_status status;
} members;

static stoa_status select_object(stoa_subset_plan *plan, hid_t object, const stoa_axis_lines *rows,
                                 unsigned depth, stoa_error *err);

/* A member that may be absent, or a dataset that has no rows. */
static stoa_status select_member(stoa_subset_plan *plan, hid_t group, const char *name,
                                 const stoa_axis_lines *rows, unsigned depth, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t member = stoa_object_open(group, name);

    if (member < 0) {
        STOA_FAIL(err, STOA_EDATA, "has no '%s' (" STOA_LH5_VECTORS_RULE ")", name);
    }
    STOA_TRY(select_object(plan, member, rows, depth, err));

done:
    (void)stoa_layout_error_at(group, name, status, err);
    return stoa_hdf_close(&member, status, err);
}

/* Vectors: where they end, and the items of those that are kept. */
static stoa_status select_vectors(stoa_subset_plan *plan, hid_t group, const stoa_axis_lines *rows,
                                  unsigned depth, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_axis_lines *items = NULL;
    hid_t ends = stoa_object_open(group, STOA_LH5_LENGTHS);
    hid_t data = stoa_object_open(group, STOA_LH5_ITEMS);

    if (ends < 0 || data < 0 || H5Iget_type(ends) != H5I_DATASET) {
        STOA_FAIL(err, STOA_EDATA, "has no '%s' or '%s' (" STOA_LH5_VECTORS_RULE ")",
                  STOA_LH5_LENGTHS, STOA_LH5_ITEMS);
    }
    STOA_TRY(
        stoa_subset_select_lists(plan, ends, rows, false, stoa_lh5_count_rows(data), &items, err));
    STOA_TRY(select_object(plan, data, items, depth + 1, err));

done:
    status = stoa_hdf_close(&data, status, err);
    return stoa_hdf_close(&ends, status, err);
}

static herr_t see_column(hid_t group, const char *name, const H5L_info2_t *link, void *context)
{
    members *const m = context;

    (void)link;
    m->status = select_member(m->plan, group, name, m->rows, m->depth + 1, m->err);
    return m->status == STOA_OK ? 0 : 1;
}

static stoa_status select_table(stoa_subset_plan *plan, hid_t group, const stoa_axis_lines *rows,
                                unsigned depth, stoa_error *err)
{
    members m = {plan, rows, depth, err, STOA_OK};

    STOA_RETURN_NOT_OK(stoa_links_visit(group, see_column, &m, err));
    return m.status;
}

static stoa_status select_group(stoa_subset_plan *plan, hid_t group, stoa_lh5_kind kind,
                                const stoa_axis_lines *rows, unsigned depth, stoa_error *err)
{
    switch (kind) {
    case STOA_LH5_TABLE:
        return select_table(plan, group, rows, depth, err);
    case STOA_LH5_VECTORS:
        return select_vectors(plan, group, rows, depth, err);
    case STOA_LH5_ENCODED_VECTORS:
    case STOA_LH5_ENCODED_ARRAYS:
        STOA_RETURN_NOT_OK(select_member(plan, group, STOA_LH5_ENCODED, rows, depth + 1, err));
        return select_member(plan, group, STOA_LH5_DECODED_SIZE, rows, depth + 1, err);
    default:
        return stoa_fail(err, STOA_ELAYOUT, "is of a kind of which no rows can be taken");
    }
}

static stoa_status select_object(stoa_subset_plan *plan, hid_t object, const stoa_axis_lines *rows,
                                 unsigned depth, stoa_error *err)
{
    stoa_lh5_datatype type = {0};
    stoa_status status = STOA_OK;

    if (depth > STOA_LH5_MAX_TABLE_DEPTH) {
        return stoa_fail(err, STOA_EDATA, "is nested more than %d deep", STOA_LH5_MAX_TABLE_DEPTH);
    }
    STOA_TRY(stoa_lh5_type_of(object, &type, NULL, err));
    if (H5Iget_type(object) != H5I_DATASET) {
        STOA_TRY(select_group(plan, object, type.kind, rows, depth, err));
    } else if (type.kind != STOA_LH5_SCALAR) { /* such as one decoded size for all */
        STOA_TRY(stoa_subset_select(plan, object, rows, NULL, err));
    }

done:
    stoa_lh5_datatype_clear(&type);
    return status;
}

stoa_status stoa_lh5_select_rows(stoa_subset_plan *plan, hid_t object, const char *path,
                                 const stoa_axis_lines *rows, stoa_error *err)
{
    (void)path;
    return select_object(plan, object, rows, 0, err);
}
