/*
 * Appends rows to a row-wise table of PyTables or H5TB, or to another extensible compound dataset.
 *
 * 1. All rows are checked before any is written, so that a value that does not fit refuses them
 *    all.
 * 2. PyTables' indexes of the table are marked as stale before its rows change. PyTables would
 *    trust them otherwise, and miss the new rows (PyTables notes §5.2).
 */
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "core/memory.h"
#include "hdf/copy/object_storage.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "layout/common/pack.h"
#include "layout/pytables/pytables.h"
#include "layout/pytables/row_writer.h"
#include "table/open/table.h"

/* --- indexes --------------------------------------------------------------------------------- */

/* Whether an index is of the kind "full". PyTables uses such an index for sorted reads even if it
 * is marked as stale. */
static bool is_full(hid_t group)
{
    hid_t indices = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;
    bool is = true; /* an index that cannot be examined is removed, too */

    const stoa_error_stack errors = stoa_error_stack_begin();
    indices = stoa_open_here(group, "indices");
    type = indices >= 0 ? H5Dget_type(indices) : H5I_INVALID_HID;
    if (type >= 0) {
        is = H5Tget_size(type) == sizeof(uint64_t);
    }
    stoa_error_stack_discard(&errors);
    (void)stoa_hdf_close(&type, STOA_OK, NULL);
    (void)stoa_hdf_close(&indices, STOA_OK, NULL);
    return is;
}

typedef struct marker {
    int depth;
    stoa_buffer doomed; /* char *: names of links to delete */
    stoa_status status;
    stoa_error *err;
} marker;

static stoa_status mark_below(hid_t group, int depth, stoa_error *err);

static stoa_status mark_index(hid_t group, const char *name, marker *m, stoa_error *err)
{
    stoa_status status = STOA_OK;
    static const int32_t dirty = 1;
    hid_t index = H5I_INVALID_HID;
    char *doomed = NULL;

    STOA_HDF(err, index = stoa_open_here(group, name), "open the index '%s'", name);
    if (H5Iget_type(index) != H5I_GROUP) {
        goto done;
    }
    if (!stoa_attribute_is(index, "CLASS", "INDEX")) {
        STOA_TRY(mark_below(index, m->depth + 1, err));
        goto done;
    }
    if (is_full(index)) {
        doomed = stoa_strdup(name);
        STOA_TRY(doomed != NULL ? STOA_OK : stoa_fail_memory(err));
        STOA_TRY(stoa_buffer_append(&m->doomed, &doomed, sizeof doomed, err));
        doomed = NULL;
    } else {
        STOA_TRY(stoa_attribute_write_scalar(index, "DIRTY", H5T_STD_I32LE, H5T_NATIVE_INT32,
                                             &dirty, err));
    }

done:
    free(doomed);
    return stoa_hdf_close(&index, status, err);
}

static herr_t see_link(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    marker *const m = context;

    if (info->type == H5L_TYPE_HARD) {
        m->status = mark_index(group, name, m, m->err);
    }
    return m->status == STOA_OK ? 0 : -1;
}

/* Nested columns add a level of groups. */
static stoa_status mark_below(hid_t group, int depth, stoa_error *err)
{
    enum { MAX_DEPTH = 32 };
    stoa_status status = STOA_OK;
    marker m = {.depth = depth, .err = err};

    if (depth > MAX_DEPTH) {
        STOA_FAIL(err, STOA_EDATA, "the groups of its indexes lie too deep in each other");
    }
    status = stoa_links_visit(group, see_link, &m, err);
    STOA_TRY(m.status != STOA_OK ? m.status : status);
    for (size_t i = 0; i < m.doomed.size / sizeof(char *); i++) {
        STOA_HDF(err, stoa_unlink(group, ((char **)(void *)m.doomed.data)[i]), "delete an index");
    }

done:
    for (size_t i = 0; i < m.doomed.size / sizeof(char *); i++) {
        free(((char **)(void *)m.doomed.data)[i]);
    }
    stoa_buffer_clear(&m.doomed);
    return status;
}

stoa_status stoa_pytables_mark_indexes(hid_t loc, const char *path, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *indexes = stoa_pytables_index_path(path);
    hid_t group = H5I_INVALID_HID;
    htri_t exists = 0;

    STOA_TRY(indexes != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_HDF(err, exists = H5Lexists(loc, indexes, H5P_DEFAULT), "look for '%s'", indexes);
    if (exists > 0) {
        STOA_HDF(err, group = stoa_open_here(loc, indexes), "open '%s'", indexes);
        STOA_TRY(mark_below(group, 0, err));
    }

done:
    free(indexes);
    return stoa_hdf_close(&group, status, err);
}

/* --- types ----------------------------------------------------------------------------------- */

static stoa_status refuse(const stoa_pack *part, const char *why, stoa_error *err)
{
    return stoa_fail(err, STOA_ETYPE, "column '%s' %s", part->field->name, why);
}

/* Whether all integers fit. */
static bool integers_fit(const stoa_column_stats *stats, hid_t member)
{
    const size_t size = H5Tget_size(member);
    const stoa_kind first = H5Tget_sign(member) == H5T_SGN_NONE ? STOA_KIND_UINT8 : STOA_KIND_INT8;
    const int place = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;

    return stoa_domain_fits(&stats->domain, (stoa_kind)((int)first + place));
}

/* Whether all numbers are exact in a float of the member's size. */
static bool floats_fit(const stoa_pack *part, hid_t member)
{
    const stoa_domain *const domain = &part->stats->domain;
    const size_t size = H5Tget_size(member);
    const int64_t exact = INT64_C(1) << (size >= 8 ? 53 : size == 4 ? 24 : 11);

    if (part->how == STOA_PACK_BYTES) {
        return (!domain->has_positive || domain->high <= (uint64_t)exact) &&
               (!domain->has_negative || domain->low >= -exact);
    }
    return size >= part->size || domain->n_values == 0 ||
           (size == 4 ? domain->is_float32 : domain->is_float16);
}

static bool labels_fit(const stoa_string_set *labels, hid_t member)
{
    bool fit = true;

    for (uint32_t i = 0; fit && i < labels->count; i++) {
        size_t length;
        const char *label = stoa_string_set_get(labels, i, &length);
        bool found = false;
        for (int k = 0; !found && k < H5Tget_nmembers(member); k++) {
            char *name = H5Tget_member_name(member, (unsigned)k);
            found = name != NULL && strlen(name) == length && memcmp(name, label, length) == 0;
            (void)H5free_memory(name);
        }
        fit = found;
    }
    return fit;
}

/* Check that the cells of a part convert to the member's type without loss. */
static stoa_status check_member(const stoa_pack *part, hid_t member, stoa_error *err)
{
    const H5T_class_t class = H5Tget_class(member);
    const bool is_number = part->how == STOA_PACK_BYTES || part->how == STOA_PACK_FLOAT;

    if (H5Tequal(part->stored, member) > 0) {
        return STOA_OK;
    }
    if (stoa_kind_is_integer(part->type.kind) && class == H5T_INTEGER) {
        return integers_fit(part->stats, member)
                   ? STOA_OK
                   : refuse(part, "has values that its integers do not hold", err);
    }
    if (is_number && !stoa_kind_is_ticks(part->type.kind) && class == H5T_FLOAT) {
        return floats_fit(part, member)
                   ? STOA_OK
                   : refuse(part, "has values that its floats do not hold", err);
    }
    if (H5Tget_class(part->stored) == H5T_STRING && class == H5T_STRING &&
        H5Tis_variable_str(member) == 0) {
        return part->size <= H5Tget_size(member)
                   ? STOA_OK
                   : refuse(part, "has strings that are longer than its field", err);
    }
    if (part->how == STOA_PACK_CODE && class == H5T_ENUM) {
        return labels_fit(&part->stats->labels, member)
                   ? STOA_OK
                   : refuse(part, "has labels that its enumeration lacks", err);
    }
    return refuse(part, "is of another type there", err);
}

static stoa_status check_members(const stoa_pack *rows, hid_t type, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t member = H5I_INVALID_HID;

    if (H5Tget_nmembers(type) != (int)rows->n_parts) {
        STOA_FAIL(err, STOA_ETYPE, "the table has %d columns, the rows have %zu",
                  H5Tget_nmembers(type), rows->n_parts);
    }
    for (size_t i = 0; i < rows->n_parts; i++) {
        const stoa_pack *const part = &rows->parts[i];
        const stoa_error_stack errors = stoa_error_stack_begin();
        const int at = H5Tget_member_index(type, part->field->name);
        stoa_error_stack_discard(&errors);
        if (at < 0) {
            STOA_FAIL(err, STOA_ETYPE, "the table has no column '%s'", part->field->name);
        }
        STOA_HDF(err, member = H5Tget_member_type(type, (unsigned)at), "read a field's type");
        STOA_TRY(check_member(part, member, err));
        status = stoa_hdf_close(&member, status, err);
    }

done:
    return stoa_hdf_close(&member, status, err);
}

/* --- rows ------------------------------------------------------------------------------------ */

static stoa_status check_growth(hid_t dataset, hsize_t *n_rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t space = H5I_INVALID_HID;
    hsize_t most = 0;

    STOA_HDF(err, space = H5Dget_space(dataset), "get the shape");
    STOA_HDF(err, H5Sget_simple_extent_dims(space, n_rows, &most), "get the shape");
    if (most != H5S_UNLIMITED) {
        STOA_FAIL(err, STOA_ELAYOUT, "the dataset cannot grow; convert it first");
    }

done:
    return stoa_hdf_close(&space, status, err);
}

stoa_status stoa_pytables_append(const stoa_layout_source *source, hid_t dataset, const char *path,
                                 stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_pack rows = {.stored = H5I_INVALID_HID};
    hid_t type = H5I_INVALID_HID;
    hsize_t n_old = 0;

    STOA_HDF(err, type = H5Dget_type(dataset), "get the datatype");
    STOA_TRY(check_growth(dataset, &n_old, err));
    const stoa_pack_rules rules = {"the table", true, 0, type};
    STOA_TRY(stoa_pack_make(source->schema, source->columns, &rules, &rows, err));
    STOA_TRY(check_members(&rows, type, err));
    STOA_TRY(stoa_pytables_mark_indexes(dataset, path, err));
    STOA_TRY(stoa_pytables_put_rows(source, &rows, dataset, type, n_old, err));
    if (stoa_attribute_exists(dataset, "NROWS")) {
        const int64_t n_rows = (int64_t)(n_old + source->n_rows);
        STOA_TRY(stoa_attribute_write_scalar(dataset, "NROWS", H5T_STD_I64LE, H5T_NATIVE_INT64,
                                             &n_rows, err));
    }

done:
    stoa_pack_clear(&rows);
    return stoa_hdf_close(&type, status, err);
}
