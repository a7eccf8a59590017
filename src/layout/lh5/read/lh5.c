/* LH5 (LEGEND HDF5): tables, and other objects with rows as tables of one column (lh5.h). */
#include "layout/lh5/read/histogram.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/string_set.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "layout/common/extent.h"
#include "layout/layout.h"

/* --- listings --------------------------------------------------------------------------------- */

static const char *kind_of(const stoa_lh5_datatype *type)
{
    if (stoa_lh5_is_histogram(type)) {
        return "histogram";
    }
    switch (type->kind) {
    case STOA_LH5_SCALAR:
        return "scalar";
    case STOA_LH5_TABLE:
        return "table";
    case STOA_LH5_VECTORS:
        return "vectors";
    case STOA_LH5_ENCODED_VECTORS:
    case STOA_LH5_ENCODED_ARRAYS:
        return "encoded";
    case STOA_LH5_STRUCT:
        return NULL;
    default:
        return "array";
    }
}

/* Whether a text begins like a datatype. If its rest is invalid, the object is an unreadable LH5
 * object, and not one of another format. */
static bool begins_as_a_type(const char *text)
{
    static const char *const beginnings[] = {"array<", "array_of_", "fixedsize_array<", "table{"};
    bool does = false;

    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        does |= strncmp(text, beginnings[i], strlen(beginnings[i])) == 0;
    }
    return does;
}

/* Rows of a dataset, or of the first member of a group. */
static uint64_t count_rows(hid_t object, unsigned depth)
{
    static const char *const members[] = {STOA_LH5_LENGTHS, STOA_LH5_ENCODED};
    hsize_t extent[H5S_MAX_RANK] = {1};
    hid_t member = H5I_INVALID_HID;
    stoa_lh5_datatype type = {0};
    uint64_t n = 0;
    int rank = 0;

    if (H5Iget_type(object) == H5I_DATASET) {
        return stoa_extent_read(object, &rank, extent, NULL) == STOA_OK ? extent[0] : 0;
    }
    for (size_t i = 0; member < 0 && i < sizeof members / sizeof *members; i++) {
        member = stoa_object_open(object, members[i]);
    }
    if (member < 0 && stoa_lh5_type_of(object, &type, NULL, NULL) == STOA_OK && type.n_names > 0) {
        member = stoa_object_open(object, type.names[0]);
    }
    n = member >= 0 && depth < STOA_LH5_MAX_TABLE_DEPTH ? count_rows(member, depth + 1) : 0;
    stoa_lh5_datatype_clear(&type);
    (void)stoa_hdf_close(&member, STOA_OK, NULL);
    return n;
}

uint64_t stoa_lh5_count_rows(hid_t object)
{
    return count_rows(object, 0);
}

typedef struct weight {
    uint64_t n_bytes;
    unsigned depth;
    stoa_string_set seen; /* tokens of groups with several links, which count once */
} weight;

static bool is_weighed(weight *total, hid_t group)
{
    uint32_t number = 0;
    const uint32_t n = total->seen.count;
    H5O_info2_t info;

    return H5Oget_info3(group, &info, H5O_INFO_BASIC) < 0 ||
           (info.rc > 1 && (stoa_string_set_add(&total->seen, &info.token, sizeof info.token,
                                                &number, NULL) != STOA_OK ||
                            number < n));
}

static herr_t weigh(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    weight *const total = context;
    hid_t part = info->type == H5L_TYPE_HARD ? stoa_object_open(group, name) : H5I_INVALID_HID;

    if (part >= 0 && H5Iget_type(part) == H5I_DATASET) {
        total->n_bytes += H5Dget_storage_size(part);
    } else if (part >= 0 && H5Iget_type(part) == H5I_GROUP &&
               total->depth < STOA_LH5_MAX_TABLE_DEPTH && !is_weighed(total, part)) {
        total->depth++;
        (void)!stoa_links_visit(part, weigh, total, NULL);
        total->depth--;
    }
    (void)stoa_hdf_close(&part, STOA_OK, NULL);
    return 0;
}

/* The bins of a histogram are the elements of its weights. */
static void present_bins(hid_t group, stoa_object *shown)
{
    hid_t weights = stoa_object_open(group, "weights");
    hid_t space = weights >= 0 && H5Iget_type(weights) == H5I_DATASET ? H5Dget_space(weights)
                                                                      : H5I_INVALID_HID;
    const int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : 0;

    shown->n_rows = rank > 0 ? (uint64_t)H5Sget_simple_extent_npoints(space) : 0;
    shown->n_columns = 2 * (size_t)rank + 1;
    (void)stoa_hdf_close(&space, STOA_OK, NULL);
    (void)stoa_hdf_close(&weights, STOA_OK, NULL);
}

static stoa_status identify(hid_t object, H5I_type_t h5_type, bool *is_one, stoa_object *shown,
                            stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_lh5_datatype type = {0};
    char *text = NULL;
    weight total = {0};
    size_t most = 0;

    *is_one = false;
    STOA_TRY(stoa_attribute_read_optional(object, "datatype", &text, err));
    if (text == NULL) {
        return STOA_OK;
    }
    status = stoa_lh5_datatype_parse(text, &type, NULL);
    shown->kind = status == STOA_OK ? kind_of(&type) : begins_as_a_type(text) ? "array" : NULL;
    STOA_TRY(status != STOA_ENOMEM ? STOA_OK : stoa_fail_memory(err));
    *is_one = shown->kind != NULL;
    if (!*is_one) {
        goto done;
    }
    shown->layout = "lh5";
    shown->n_columns =
        type.kind == STOA_LH5_TABLE ? stoa_lh5_count_columns(object, &type, &most) : 1;
    if (stoa_lh5_is_histogram(&type)) {
        present_bins(object, shown);
    } else {
        shown->n_rows = stoa_lh5_count_rows(object);
    }
    if (h5_type == H5I_DATASET) {
        total.n_bytes = H5Dget_storage_size(object);
    } else {
        STOA_TRY(stoa_links_visit(object, weigh, &total, err));
    }
    shown->n_bytes = total.n_bytes;

done:
    stoa_string_set_clear(&total.seen);
    stoa_lh5_datatype_clear(&type);
    free(text);
    return status;
}

/* --- opening --------------------------------------------------------------------------------- */

/* Add a column. The first column determines the rows of the table. */
static stoa_status add_column(stoa_table *table, stoa_column *column, stoa_error *err)
{
    const stoa_column *const first = stoa_foreign_first(table);

    if (first == NULL) {
        table->n_rows = column->n_rows;
    } else if (column->n_rows != table->n_rows) {
        const stoa_status status = stoa_fail(
            err, STOA_EDATA, "column '%s' has %llu rows, '%s' %llu (LH5, table)", column->name,
            (unsigned long long)column->n_rows, first->name, (unsigned long long)table->n_rows);
        stoa_column_close(column);
        return status;
    }
    return stoa_foreign_add(table, column, err);
}

static stoa_status add_fields(stoa_table *table, hid_t group, const stoa_lh5_datatype *type,
                              const char *prefix, unsigned depth, stoa_error *err);

/* As `depth`: nested tables are left out. */
#define ALONE UINT_MAX

/* Add a field: a column, or the columns of a nested table. */
static stoa_status add_field(stoa_table *table, hid_t object, const char *name, unsigned depth,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_lh5_datatype type = {0};
    stoa_column *column = NULL;
    char *prefix = NULL;

    STOA_TRY(stoa_lh5_type_of(object, &type, NULL, err));
    if (type.kind == STOA_LH5_TABLE && H5Iget_type(object) == H5I_GROUP) {
        if (depth == ALONE) {
            goto done;
        }
        prefix = stoa_format("%s.", name);
        STOA_TRY(prefix != NULL ? STOA_OK : stoa_fail_memory(err));
        STOA_TRY(add_fields(table, object, &type, prefix, depth + 1, err));
    } else {
        STOA_TRY(stoa_lh5_open_column(object, name, &column, err));
        STOA_TRY(add_column(table, column, err));
    }

done:
    free(prefix);
    stoa_lh5_datatype_clear(&type);
    return status;
}

static stoa_status add_fields(stoa_table *table, hid_t group, const stoa_lh5_datatype *type,
                              const char *prefix, unsigned depth, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t length = strlen(prefix);
    hid_t member = H5I_INVALID_HID;
    char *name = stoa_strndup(prefix, length > 0 ? length - 1 : 0); /* without the dot */

    STOA_TRY(name != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_lh5_read_part_attributes(group, name, table, err));
    free(name);
    name = NULL;
    if (depth > STOA_LH5_MAX_TABLE_DEPTH && depth != ALONE) {
        STOA_FAIL(err, STOA_EDATA, "it has more than %d tables in each other",
                  STOA_LH5_MAX_TABLE_DEPTH);
    }
    for (size_t i = 0; i < type->n_names; i++) {
        name = stoa_format("%s%s", prefix, type->names[i]);
        STOA_TRY(name != NULL ? STOA_OK : stoa_fail_memory(err));
        member = stoa_object_open(group, type->names[i]);
        stoa_error why = STOA_ERROR_INIT;
        if (member < 0) {
            const bool is_there = H5Lexists(group, type->names[i], H5P_DEFAULT) > 0;
            (void)!stoa_fail(&why, STOA_EDATA,
                             is_there ? "'%s' cannot be opened (LH5, table)"
                                      : "there is no '%s', which its datatype lists (LH5, table)",
                             name);
        } else {
            (void)!add_field(table, member, name, depth, &why);
        }
        if (why.status != STOA_OK) {
            STOA_TRY(stoa_foreign_add_damaged(table, name, &why, err));
        }
        free(name);
        name = NULL;
        STOA_TRY(stoa_hdf_close(&member, STOA_OK, err));
    }

done:
    free(name);
    return stoa_hdf_close(&member, status, err);
}

static stoa_status add_bins(stoa_table *table, hid_t group, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_histogram histogram;

    STOA_RETURN_NOT_OK(stoa_lh5_read_part_attributes(group, "", table, err));
    STOA_RETURN_NOT_OK(stoa_lh5_histogram_open(group, &histogram, err));
    status = stoa_lh5_add_bins(table, &histogram, err);
    stoa_histogram_close(&histogram);
    return status;
}

static stoa_status fill_table(stoa_table *table, hid_t object, const char *name, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_lh5_datatype type = {0};
    stoa_column *column = NULL;

    STOA_TRY(stoa_lh5_type_of(object, &type, NULL, err));
    if (stoa_lh5_is_histogram(&type) && H5Iget_type(object) == H5I_GROUP) {
        STOA_TRY(add_bins(table, object, err));
    } else if (type.kind == STOA_LH5_TABLE && H5Iget_type(object) == H5I_GROUP) {
        STOA_TRY(stoa_lh5_check_columns(object, &type, err));
        STOA_TRY(add_fields(table, object, &type, "", 0, err));
    } else {
        STOA_TRY(stoa_lh5_open_column(object, name, &column, err));
        status = stoa_column_add_metadata(column, "lh5.object", kind_of(&type), err);
        if (status != STOA_OK) {
            stoa_column_close(column);
            goto done;
        }
        STOA_TRY(add_column(table, column, err));
    }

done:
    stoa_lh5_datatype_clear(&type);
    return status;
}

static stoa_status open_object(hid_t object, const char *path, const char *file, stoa_table **out,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *table = NULL;
    const char *const slash = strrchr(path, '/');
    const char *const name = slash != NULL && slash[1] != '\0' ? slash + 1 : "value";

    *out = NULL;
    STOA_TRY(stoa_foreign_begin(object, path, file, "lh5", 0, &table, err));
    STOA_TRY(fill_table(table, object, name, err));
    *out = table;
    table = NULL;

done:
    stoa_table_close(table);
    return status;
}

/* --- nested tables ---------------------------------------------------------------------------- */

static stoa_status open_alone(hid_t loc, const char *path, unsigned depth, stoa_table **out,
                              stoa_error *err);

/* Rows of a table that holds only tables: those of its first table. */
static stoa_status count_inner(hid_t loc, const char *path, const char *name, unsigned depth,
                               uint64_t *n_rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *table = NULL;
    char *inner = stoa_format("%s/%s", path, name);

    STOA_TRY(inner != NULL ? STOA_OK : stoa_fail_memory(err));
    if (depth > STOA_LH5_MAX_TABLE_DEPTH) {
        STOA_FAIL(err, STOA_EDATA, "it has more than %d tables in each other",
                  STOA_LH5_MAX_TABLE_DEPTH);
    }
    STOA_TRY(open_alone(loc, inner, depth + 1, &table, err));
    *n_rows = table->n_rows;

done:
    stoa_table_close(table);
    free(inner);
    return status;
}

static stoa_status open_alone(hid_t loc, const char *path, unsigned depth, stoa_table **out,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *table = NULL;
    stoa_lh5_datatype type = {0};
    char *file = stoa_hdf_name(loc, H5Fget_name);
    hid_t group = H5I_INVALID_HID;

    *out = NULL;
    STOA_TRY(file != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_HDF(err, group = stoa_open_here(loc, path), "open it");
    STOA_TRY(stoa_lh5_type_of(group, &type, NULL, err));
    STOA_HDF(err, H5Iinc_ref(group), "hold the group");
    STOA_TRY(stoa_foreign_begin(group, path, file, "lh5", 0, &table, err));
    STOA_TRY(add_fields(table, group, &type, "", ALONE, err));
    if (table->n_columns == 0 && type.n_names > 0) {
        STOA_TRY(count_inner(loc, path, type.names[0], depth, &table->n_rows, err));
    }
    *out = table;
    table = NULL;

done:
    stoa_table_close(table);
    stoa_lh5_datatype_clear(&type);
    status = stoa_hdf_close(&group, status, err);
    (void)stoa_within(err, status, "%s:%s", file != NULL ? file : "", path);
    free(file);
    return status;
}

stoa_status stoa_lh5_open_alone(hid_t loc, const char *path, stoa_table **table, stoa_error *err)
{
    return open_alone(loc, path, 0, table, err);
}

const stoa_layout_class stoa_lh5_objects = {.identify = identify, .open = open_object};
