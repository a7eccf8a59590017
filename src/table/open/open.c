/* Opening a HEP001 table: identification, version, NROWS, columns and their order (§7, §8.2,
 * §9). */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "column/list/list.h"
#include "core/memory.h"
#include "core/sized_struct.h"
#include "hdf/file/descriptor.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "hdf/metadata/other_files.h"
#include "hdf/metadata/references.h"
#include "table/open/table.h"

/* The highest MAJOR version that this library reads (§7.2). */
#define MAJOR_VERSION 1

/* Only MAJOR decides, compared as a number (§7.2): "10.0" is newer than "2.0". */
static stoa_status read_version(stoa_table *table, stoa_error *err)
{
    char *end = NULL;

    STOA_RETURN_NOT_OK(stoa_attribute_read_text(table->group, "VERSION", &table->version, err));
    if (table->version == NULL) {
        return stoa_fail(err, STOA_EDATA, "a table without VERSION (HEP001 §7.2); see stoa check");
    }
    const unsigned long major = strtoul(table->version, &end, 10);
    if (end == table->version || table->version[0] < '0' || table->version[0] > '9' ||
        *end != '.') {
        return stoa_fail(err, STOA_EDATA, "VERSION '%s' is not MAJOR.MINOR (HEP001 §7.2)",
                         table->version);
    }
    if (major > MAJOR_VERSION) {
        return stoa_fail(
            err, STOA_EVERSION,
            "VERSION '%s' is newer than %d.x, the newest this program reads (HEP001 §7.2); "
            "get a newer Stoa",
            table->version, MAJOR_VERSION);
    }
    return STOA_OK;
}

/* State of the iteration over the group's links. */
typedef struct finder {
    stoa_table *table;
    bool is_own; /* Stoa opened the file itself */
    size_t capacity;
    stoa_status status;
    stoa_error *err;
} finder;

/* Whether a table is an array itself, of another layout: its only column has its name. */
static bool is_array(const stoa_table *table, const char *column)
{
    const char *const slash = strrchr(table->path, '/');

    return table->layout != NULL && slash != NULL && strcmp(slash + 1, column) == 0 &&
           (H5Iget_type(table->group) != H5I_GROUP || !stoa_object_exists(table->group, column));
}

stoa_status stoa_column_note_place(const stoa_table *table, stoa_column *column, stoa_error *err)
{
    if (is_array(table, column->name)) {
        column->place = stoa_format("%s:%s", table->file, table->path);
        return column->place != NULL ? STOA_OK : stoa_fail_memory(err);
    }
    column->place = stoa_format("%s:%s/%s", table->file,
                                strcmp(table->path, "/") == 0 ? "" : table->path, column->name);
    return column->place != NULL ? STOA_OK : stoa_fail_memory(err);
}

/* In a read-only file the dataset or group is closed, and opened again when it is needed. */
static stoa_status note_column(const stoa_table *table, hid_t object, const char *name,
                               stoa_column **column, stoa_error *err)
{
    const bool is_list = H5Iget_type(object) == H5I_GROUP;

    if (table->is_read_only) {
        (void)stoa_hdf_close(&object, STOA_OK, NULL);
    }
    if (is_list) {
        return stoa_list_note(object, table->group, name, table->n_rows, table->units_vocabulary,
                              column, err);
    }
    return table->is_read_only ? stoa_column_note_link(table->group, name, table->n_rows,
                                                       table->units_vocabulary, column, err)
                               : stoa_column_note(object, name, table->n_rows,
                                                  table->units_vocabulary, column, err);
}

static stoa_status add_column(finder *found, hid_t object, const char *name, H5O_token_t token)
{
    stoa_status status = STOA_OK;
    stoa_table *table = found->table;
    stoa_column *column = NULL;

    if (table->n_columns == found->capacity) {
        const size_t capacity = found->capacity * 2 + 16;
        stoa_column **columns = stoa_realloc(table->columns, capacity, sizeof(stoa_column *));
        if (columns == NULL) {
            (void)stoa_hdf_close(&object, STOA_OK, NULL);
            return stoa_fail_memory(found->err);
        }
        table->columns = columns;
        found->capacity = capacity;
    }
    status = note_column(table, object, name, &column, found->err);
    if (status == STOA_OK) {
        status = stoa_column_note_place(table, column, found->err);
    }
    if (status != STOA_OK) {
        stoa_column_close(column);
        return status;
    }
    column->read_context = table->read_context;
    column->generation = table->generation;
    column->token = token;
    column->home = table->group;
    table->columns[table->n_columns++] = column;
    return STOA_OK;
}

stoa_status stoa_table_load(const stoa_table *table, stoa_error *err)
{
    for (size_t i = 0; i < table->n_columns; i++) {
        STOA_RETURN_NOT_OK(stoa_column_load(table->columns[i], err));
    }
    return STOA_OK;
}

/* Record a link that is not a column (§8.2). */
static herr_t leave_out(finder *found, hid_t group, const char *name, const H5L_info2_t *info)
{
    found->status =
        stoa_unknown_objects_add(&found->table->left_out, group, name, info, found->err);
    return found->status == STOA_OK ? 0 : -1;
}

/* A dataset that cannot be opened is damaged, or newer than libhdf5. While nothing changes, it is a
 * column that cannot be read, which is an error of this column alone, once it is loaded. An edit
 * could not keep it in step with the others. */
static stoa_status check_unopened(const stoa_table *table, hid_t group, const char *name,
                                  bool *is_column, stoa_error *err)
{
    stoa_error unread = STOA_ERROR_INIT;
    H5O_info2_t object;
    const stoa_error_stack errors = stoa_error_stack_begin();
    const bool is_other =
        H5Oget_info_by_name3(group, name, &object, H5O_INFO_BASIC, H5P_DEFAULT) >= 0 &&
        object.type != H5O_TYPE_DATASET;
    /* Open it again to collect the reasons. */
    hid_t dataset = is_other ? H5I_INVALID_HID : H5Dopen2(group, name, H5P_DEFAULT);
    const stoa_status status =
        is_other ? STOA_OK
                 : stoa_hdf_fail(table->is_read_only ? &unread : err, "open column '%s'", name);

    (void)stoa_hdf_close(&dataset, STOA_OK, NULL);
    stoa_error_stack_end(&errors);
    *is_column = !is_other && table->is_read_only && status != STOA_ENOMEM;
    return *is_column ? STOA_OK : status == STOA_ENOMEM ? stoa_fail_memory(err) : status;
}

static stoa_status check_shape(hid_t dataset, const char *name, bool *is_column, stoa_error *err)
{
    hid_t space = H5I_INVALID_HID;

    STOA_RETURN_HDF_ERROR(err, space = H5Dget_space(dataset), "get the shape of column '%s'", name);
    *is_column =
        H5Sget_simple_extent_type(space) == H5S_SIMPLE && H5Sget_simple_extent_ndims(space) == 1;
    return stoa_hdf_close(&space, STOA_OK, err);
}

/* Decide what a link is that leads to no dataset that can be opened. The group of a list column is
 * opened. */
static stoa_status find_list(const finder *found, hid_t group, const char *name, hid_t *object,
                             bool *is_column)
{
    STOA_RETURN_NOT_OK(stoa_list_column_at(group, name, object, found->err));
    *is_column = *object >= 0;
    return *is_column ? STOA_OK : check_unopened(found->table, group, name, is_column, found->err);
}

/* Columns are the rank-1 datasets directly in the group, and the groups of list columns (§8.2,
 * HEP001-2026-07 §8.2); the checker reports other objects. Datasets are opened without querying the
 * object type first, since there may be thousands. */
static herr_t visit_link(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    finder *found = context;

    if (info->type != H5L_TYPE_HARD) {
        return leave_out(found, group, name, info);
    }
    const stoa_error_stack errors = stoa_error_stack_begin();
    hid_t object = stoa_column_dataset_open(group, name);
    stoa_error_stack_discard(&errors);
    bool is_column = true;
    if (object < 0) {
        found->status = find_list(found, group, name, &object, &is_column);
    } else if (found->is_own || stoa_extent_is_here(object)) { /* elsewhere it may be a column */
        found->status = check_shape(object, name, &is_column, found->err);
    }
    if (found->status != STOA_OK || !is_column) {
        (void)stoa_hdf_close(&object, STOA_OK, NULL);
        return found->status == STOA_OK ? leave_out(found, group, name, info) : -1;
    }
    found->status = add_column(found, object, name, info->u.token);
    return found->status == STOA_OK ? 0 : -1;
}

static stoa_status find_columns(stoa_table *table, stoa_error *err)
{
    const hid_t access = stoa_access_here(table->group);
    finder found = {.table = table, .is_own = access == H5P_DEFAULT, .err = err};
    stoa_access_close(access);
    const stoa_status status = stoa_links_visit(table->group, visit_link, &found, err);

    for (size_t i = 0; i < table->n_columns; i++) {
        table->columns[i]->is_one_of_many =
            table->is_read_only && table->n_columns > STOA_MANY_COLUMNS;
    }
    return found.status != STOA_OK ? found.status : status;
}

static int compare_name(const void *name, const void *entry)
{
    const stoa_column *const *column = entry;

    return strcmp(name, (*column)->name);
}

/* Sort columns, which were found in name order, by column-order (§7.4). Unlisted columns come last;
 * unknown names are ignored. */
static stoa_status order_columns(stoa_table *table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_error ignored = STOA_ERROR_INIT;
    char **names = NULL;
    size_t n = 0;
    size_t next = 0;
    stoa_column **ordered = NULL;
    bool *taken = NULL;

    status = stoa_attribute_read_names(table->group, "column-order", &names, &n, &ignored);
    if (status == STOA_ENOMEM) {
        STOA_TRY(stoa_fail_memory(err));
    }
    if (status != STOA_OK || n == 0 || table->n_columns == 0) {
        status = STOA_OK; /* treat it as absent; the checker reports damage */
        goto done;
    }
    ordered = stoa_alloc(table->n_columns, sizeof(stoa_column *));
    taken = stoa_alloc_zero(table->n_columns, sizeof *taken);
    STOA_TRY(ordered != NULL && taken != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n; i++) {
        stoa_column **entry = bsearch(names[i], table->columns, table->n_columns,
                                      sizeof(stoa_column *), compare_name);
        if (entry != NULL && !taken[entry - table->columns]) {
            taken[entry - table->columns] = true;
            ordered[next++] = *entry;
        }
    }
    for (size_t k = 0; k < table->n_columns; k++) {
        if (!taken[k]) {
            ordered[next++] = table->columns[k];
        }
    }
    free(table->columns);
    table->columns = ordered;
    ordered = NULL;

done:
    free(names);
    free(taken);
    free(ordered);
    return status;
}

static stoa_status note_names(stoa_table *table, stoa_error *err)
{
    uint32_t number = 0;

    for (size_t i = 0; i < table->n_columns; i++) {
        const char *const name = table->columns[i]->name;
        STOA_RETURN_NOT_OK(stoa_string_set_add(&table->names, name, strlen(name), &number, err));
    }
    return STOA_OK;
}

/* Whether an object is the column's dataset, without opening that dataset. */
static bool leads_to(const stoa_table *table, hid_t object, const stoa_column *column)
{
    H5O_info2_t found;
    H5O_info2_t home;
    int order = 1;

    return H5Oget_info3(object, &found, H5O_INFO_BASIC) >= 0 &&
           H5Oget_info3(table->group, &home, H5O_INFO_BASIC) >= 0 && found.fileno == home.fileno &&
           H5Otoken_cmp(table->group, &found.token, &column->token, &order) >= 0 && order == 0;
}

/* Read INDEX_COLUMNS (§9) and match targets by object identity (notes B7). Without it, `_index`
 * names the only column. List columns label no rows (HEP001-2026-07 §7.4). */
static stoa_status find_index_columns(stoa_table *table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_error ignored = STOA_ERROR_INIT;
    hid_t *targets = NULL;
    size_t n = 0;
    char *name = NULL;

    /* The checker reports a malformed INDEX_COLUMNS. */
    if (stoa_references_read(table->group, "INDEX_COLUMNS", &targets, &n, &ignored) ==
        STOA_ENOMEM) {
        STOA_TRY(stoa_fail_memory(err));
    }
    STOA_TRY(stoa_attribute_read_optional(table->group, "_index", &name, err));
    table->index_columns = stoa_alloc_zero(n + 1, sizeof(stoa_column *));
    STOA_TRY(table->index_columns != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; targets[i] >= 0 && k < table->n_columns; k++) {
            if (table->columns[k]->list == NULL && leads_to(table, targets[i], table->columns[k])) {
                table->index_columns[table->n_index_columns++] = table->columns[k];
                break;
            }
        }
    }
    const stoa_column *const named = name != NULL ? stoa_table_find_noted(table, name) : NULL;
    if (n == 0 && named != NULL && named->list == NULL) {
        table->index_columns[table->n_index_columns++] = named;
    }

done:
    for (size_t i = 0; i < n; i++) {
        (void)stoa_hdf_close(&targets[i], STOA_OK, NULL);
    }
    free(targets);
    free(name);
    return status;
}

stoa_status stoa_table_open_group(hid_t group, const char *path, const char *file,
                                  stoa_table **table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    bool found = false;
    stoa_table *made = stoa_alloc_zero(1, sizeof *made);

    *table = NULL;
    if (made == NULL) {
        (void)stoa_hdf_close(&group, STOA_OK, NULL);
        return stoa_fail_memory(err);
    }
    made->group = group;
    made->is_read_only = stoa_file_of_is_read_only(group);
    STOA_TRY(stoa_read_context_open(&made->read_context, err));
    made->file = stoa_strdup(file);
    made->path = stoa_hdf_name(group, H5Iget_name);
    if (made->path != NULL && made->path[0] == '\0') {
        free(made->path);
        made->path = stoa_strdup(path);
    }
    STOA_TRY(made->file != NULL && made->path != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_table_probe(group, &found, err));
    if (!found) {
        STOA_FAIL(err, STOA_ELAYOUT,
                  "a group that is no table: CLASS is not COLUMN_TABLE (HEP001 §7.1)");
    }
    STOA_TRY(read_version(made, err));
    STOA_TRY(stoa_attribute_read_u64(group, "NROWS", &made->n_rows, &found, err));
    if (!found) {
        STOA_FAIL(err, STOA_EDATA, "a table without NROWS (HEP001 §7.3); see stoa check");
    }
    made->generation = stoa_alloc_zero(1, sizeof *made->generation);
    STOA_TRY(made->generation != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_generation_read(group, made->n_rows, made->generation, err));
    STOA_TRY(stoa_attribute_read_optional(group, "TITLE", &made->title, err));
    STOA_TRY(stoa_attribute_read_optional(group, "description", &made->description, err));
    STOA_TRY(stoa_attribute_read_optional(group, "units_vocabulary", &made->units_vocabulary, err));
    STOA_TRY(find_columns(made, err));
    STOA_TRY(order_columns(made, err));
    STOA_TRY(note_names(made, err));
    STOA_TRY(find_index_columns(made, err));
    *table = made;

done:
    if (status != STOA_OK) {
        (void)stoa_at(err, status, "%s:%s", file, made->path != NULL ? made->path : path);
        stoa_table_clear(made);
        free(made);
    }
    return status;
}

stoa_status stoa_hep001_open(hid_t loc, const char *path, stoa_table **table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    H5O_info2_t object;
    hid_t group = H5I_INVALID_HID;
    char *file = stoa_hdf_name(loc, H5Fget_name);

    *table = NULL;
    STOA_RETURN_NO_MEMORY(err, file);
    const stoa_error_stack errors = stoa_error_stack_begin();
    const herr_t exists = stoa_info_here(loc, path, &object);
    stoa_error_stack_discard(&errors);
    if (exists < 0) {
        STOA_TRY(stoa_object_not_found(loc, path, "no such object", file, err));
    }
    if (object.type != H5O_TYPE_GROUP) {
        STOA_FAIL(err, STOA_ELAYOUT, "is no group and so no table (HEP001 §7.1)");
    }
    STOA_HDF(err, group = stoa_open_here(loc, path), "open the group");
    STOA_TRY(stoa_table_open_group(group, path, file, table, err));

done:
    (void)stoa_at(err, status, "%s:%s", file, path);
    free(file);
    return status;
}

stoa_status stoa_open_options_copy(const stoa_open_options *options, stoa_open_options *own,
                                   stoa_error *err)
{
    *own = (stoa_open_options)STOA_OPEN_OPTIONS_INIT;
    return STOA_SIZED_COPY(own, options, map, "STOA_OPEN_OPTIONS_INIT", err);
}

void stoa_open_options_apply(const stoa_open_options *options, stoa_table *table)
{
    if (options->memory != 0) {
        stoa_read_context_limit(table->read_context, options->memory);
    }
    if (options->map) {
        stoa_read_context_map(table->read_context);
    }
}

stoa_status stoa_hep001_open_with(hid_t loc, const char *path, const stoa_open_options *options,
                                  stoa_table **table, stoa_error *err)
{
    stoa_open_options own;

    *table = NULL;
    STOA_RETURN_NOT_OK(stoa_open_options_copy(options, &own, err));
    STOA_RETURN_NOT_OK(stoa_hep001_open(loc, path, table, err));
    stoa_open_options_apply(&own, *table);
    return STOA_OK;
}

void stoa_table_clear(stoa_table *table)
{
    stoa_table_close_indexes(table);
    stoa_workers_close(table->workers);
    for (size_t i = 0; i < table->n_columns; i++) {
        stoa_column_close(table->columns[i]);
    }
    free(table->columns);
    free(table->generation);
    free(table->index_columns);
    stoa_field_metadata_free(table->metadata, table->n_metadata);
    stoa_unknown_objects_clear(&table->left_out);
    stoa_string_set_clear(&table->names);
    stoa_read_context_close(table->read_context);
    if (table->parts != NULL) {
        table->parts->close(table->parts->context);
    }
    (void)stoa_hdf_close(&table->group, STOA_OK, NULL);
    free(table->path);
    free(table->file);
    free(table->version);
    free(table->title);
    free(table->description);
    free(table->units_vocabulary);
    free(table->frame);
}
