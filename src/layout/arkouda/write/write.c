/*
 * Writes a table as Arkouda objects, in one file or in one per locale:
 * stoa_arkouda_files_write_table().
 *
 * Arkouda's arrays do not grow, and each file holds a range of the rows (§K). So the sizes of all
 * objects in a file are known before the first one is created. The files are filled one after the
 * other in a single pass over the rows.
 */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/copy/object_storage.h"
#include "hdf/metadata/attributes.h"
#include "layout/arkouda/write/write_files.h"
#include "layout/arkouda/write/write_groups.h"
#include "layout/arkouda/write/write_parts.h"
#include "layout/arkouda/write/write_plan.h"
#include "layout/common/column_datasets.h"
#include "table/open/table.h"

typedef struct writing {
    stoa_arkouda_files *files;
    stoa_layout_conversion conversion;
    stoa_arkouda_plan plan;
    stoa_arkouda_groups groups;
    bool no_offsets;
    uint64_t k;   /* the current file; files->n after the last */
    hid_t parent; /* the group of its objects */
} writing;

/* --- one file -------------------------------------------------------------------------------- */

static uint64_t first_of(const writing *w, uint64_t k)
{
    return stoa_arkouda_first_row(w->plan.n_units, k, w->files->n);
}

/* Write the file's part of an array in memory. */
static stoa_status put_part(const writing *w, const char *name, const int64_t *values, uint64_t n,
                            stoa_error *err)
{
    const uint64_t first = stoa_arkouda_first_row(n, w->k, w->files->n);
    const uint64_t end = stoa_arkouda_first_row(n, w->k + 1, w->files->n);

    return stoa_arkouda_put_array(w->parent, name, STOA_KIND_INT64, end - first, values + first,
                                  err);
}

static stoa_status put_groups(const writing *w, stoa_error *err)
{
    const stoa_arkouda_groups *const g = &w->groups;

    STOA_RETURN_NOT_OK(put_part(w, STOA_ARKOUDA_SEGMENTS, g->segments, g->n_groups, err));
    STOA_RETURN_NOT_OK(put_part(w, STOA_ARKOUDA_PERMUTATION, g->permutation, g->n_rows, err));
    return put_part(w, STOA_ARKOUDA_UNIQUE_KEY, g->unique, g->n_groups, err);
}

/* Write row numbers as the index of a DataFrame without row labels. */
static stoa_status count_rows(const writing *w, stoa_error *err)
{
    enum { AT_ONCE = 65536 };
    stoa_status status = STOA_OK;
    const uint64_t first = first_of(w, w->k);
    const uint64_t n = first_of(w, w->k + 1) - first;
    int64_t *values = stoa_alloc(AT_ONCE, sizeof *values);
    hid_t dataset = H5I_INVALID_HID;

    STOA_TRY(values != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_arkouda_make_array(w->parent, STOA_ARKOUDA_FRAME_INDEX, STOA_KIND_INT64,
                                     STOA_ARKOUDA_PDARRAY, n, &dataset, err));
    for (uint64_t at = 0; at < n; at += AT_ONCE) {
        const uint64_t now = n - at < AT_ONCE ? n - at : AT_ONCE;
        for (uint64_t i = 0; i < now; i++) {
            values[i] = (int64_t)(first + at + i);
        }
        STOA_TRY(stoa_column_dataset_write(dataset, H5T_NATIVE_INT64, at, now, values, err));
    }

done:
    free(values);
    return stoa_hdf_close(&dataset, status, err);
}

/* Write Rank and Shape, which are the same in every file (§K). */
static stoa_status write_shape(const writing *w, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const hsize_t rank = w->plan.rank;
    hid_t object = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    hid_t attribute = H5I_INVALID_HID;

    STOA_HDF(err, object = H5Oopen(w->parent, w->plan.entries[0].name, H5P_DEFAULT), "open it");
    STOA_TRY(stoa_arkouda_write_number(object, STOA_ARKOUDA_RANK, (int64_t)rank, err));
    STOA_HDF(err, space = H5Screate_simple(1, &rank, NULL), "make a dataspace");
    STOA_TRY(
        stoa_attribute_make(object, STOA_ARKOUDA_SHAPE, H5T_STD_I64LE, space, &attribute, err));
    STOA_HDF(err, H5Awrite(attribute, H5T_NATIVE_INT64, w->plan.shape),
             "write attribute '" STOA_ARKOUDA_SHAPE "'");

done:
    status = stoa_hdf_close(&attribute, status, err);
    status = stoa_hdf_close(&space, status, err);
    return stoa_hdf_close(&object, status, err);
}

static stoa_status make_parent(writing *w, hid_t root, stoa_error *err)
{
    const stoa_arkouda_plan *const plan = &w->plan;
    const bool is_index = plan->form == STOA_ARKOUDA_LEVELS;
    const stoa_arkouda_kind index =
        plan->n_columns > 1 ? STOA_ARKOUDA_MULTIINDEX : STOA_ARKOUDA_INDEX;

    STOA_RETURN_NOT_OK(stoa_arkouda_make_group(root, plan->name, &w->parent, err));
    return stoa_arkouda_label_counted(w->parent,
                                      is_index                            ? index
                                      : plan->form == STOA_ARKOUDA_GROUPS ? STOA_ARKOUDA_GROUPBY
                                                                          : STOA_ARKOUDA_DATAFRAME,
                                      is_index                            ? STOA_ARKOUDA_NUM_IDX
                                      : plan->form == STOA_ARKOUDA_GROUPS ? STOA_ARKOUDA_NUM_KEYS
                                                                          : STOA_ARKOUDA_NUM_COLS,
                                      plan->n_columns, err);
}

static stoa_status begin_parent(writing *w, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t root = H5I_INVALID_HID;

    STOA_HDF(err, root = H5Gopen2(stoa_file_id(w->files->all[w->k].file), "/", H5P_DEFAULT),
             "open '/'");
    if (w->plan.name == NULL) {
        w->parent = root;
        root = H5I_INVALID_HID;
    } else {
        STOA_TRY(make_parent(w, root, err));
    }

done:
    return stoa_hdf_close(&root, status, err);
}

/* Whether an entry is labelled as a plain array: keys, levels, and the index of a DataFrame. */
static bool is_plain(const stoa_arkouda_plan *plan, size_t entry)
{
    return plan->form == STOA_ARKOUDA_LEVELS || plan->form == STOA_ARKOUDA_GROUPS ||
           (plan->form == STOA_ARKOUDA_FRAME && plan->has_index && entry == 0);
}

static stoa_status begin_file(writing *w, stoa_error *err)
{
    STOA_RETURN_NOT_OK(begin_parent(w, err));
    const stoa_arkouda_locale locale = {w->parent, w->k, w->files->n};
    for (size_t i = 0; i < w->plan.n_entries; i++) {
        stoa_arkouda_entry *const entry = &w->plan.entries[i];
        STOA_RETURN_NOT_OK(
            stoa_arkouda_object_make(&locale, entry, is_plain(&w->plan, i), w->no_offsets, err));
    }
    if (w->plan.form == STOA_ARKOUDA_VIEW) {
        STOA_RETURN_NOT_OK(write_shape(w, err));
    } else if (w->plan.form == STOA_ARKOUDA_GROUPS) {
        STOA_RETURN_NOT_OK(put_groups(w, err));
    } else if (w->plan.form == STOA_ARKOUDA_FRAME && !w->plan.has_index) {
        STOA_RETURN_NOT_OK(count_rows(w, err));
    }
    return STOA_OK;
}

static stoa_status end_file(writing *w, stoa_status status, stoa_error *err)
{
    for (size_t i = 0; i < w->plan.n_entries; i++) {
        status = stoa_arkouda_object_close(&w->plan.entries[i].object, status, err);
    }
    return stoa_hdf_close(&w->parent, status, err);
}

/* --- all files ------------------------------------------------------------------------------- */

static stoa_status next_file(writing *w, stoa_error *err)
{
    STOA_RETURN_NOT_OK(end_file(w, STOA_OK, err));
    w->k++;
    return w->k < w->files->n ? begin_file(w, err) : STOA_OK;
}

static stoa_status put_mask(stoa_arkouda_object *object, const stoa_view *view, int64_t first,
                            int64_t count, stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint8_t *mask = stoa_alloc((size_t)count, 1);

    STOA_TRY(mask != NULL ? STOA_OK : stoa_fail_memory(err));
    for (int64_t i = 0; i < count; i++) {
        mask[i] = stoa_view_is_null(view, first + i);
    }
    STOA_TRY(stoa_column_dataset_write(object->target.values, H5T_NATIVE_UINT8, object->n_rows,
                                       (uint64_t)count, mask, err));
    object->n_rows += (uint64_t)count;

done:
    free(mask);
    return status;
}

/* Write units [at, at + n) of a batch, all of which belong to the open file. */
static stoa_status put_units(writing *w, const stoa_view *rows, int64_t at, int64_t n,
                             stoa_error *err)
{
    for (size_t i = 0; i < w->plan.n_entries; i++) {
        stoa_arkouda_entry *const entry = &w->plan.entries[i];
        int64_t first = 0;
        int64_t count = rows->length;
        stoa_view view;
        STOA_RETURN_NOT_OK(
            stoa_arkouda_plan_view(&w->plan, entry, rows, &view, &first, &count, err));
        STOA_RETURN_NOT_OK(entry->is_mask
                               ? put_mask(&entry->object, &view, first + at, n, err)
                               : stoa_arkouda_object_put(entry, &view, first + at, n, err));
    }
    return STOA_OK;
}

static stoa_status put_batch(void *context, const stoa_view *rows, uint64_t first, stoa_error *err)
{
    writing *const w = context;
    const uint64_t begin = first * w->plan.units_of_a_row;
    const uint64_t units = (uint64_t)rows->length * w->plan.units_of_a_row;

    for (uint64_t at = 0; at < units;) {
        const uint64_t room = first_of(w, w->k + 1) - (begin + at);
        const uint64_t n = room < units - at ? room : units - at;
        if (n == 0) {
            STOA_RETURN_NOT_OK(next_file(w, err));
            continue;
        }
        STOA_RETURN_NOT_OK(put_units(w, rows, (int64_t)at, (int64_t)n, err));
        at += n;
    }
    return STOA_OK;
}

static stoa_status put_all(writing *w, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_layout_conversion_read(&w->conversion, err));
    const stoa_layout_source source = stoa_layout_conversion_source(&w->conversion);
    STOA_TRY(begin_file(w, err));
    STOA_TRY(stoa_layout_each_batch(&source, put_batch, w, err));
    while (w->k < w->files->n) {
        STOA_TRY(next_file(w, err));
    }

done:
    return end_file(w, status, err);
}

/* --- before the rows are written ------------------------------------------------------------- */

static stoa_status free_name(const stoa_arkouda_file *one, const char *name, bool replace,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    const hid_t file = stoa_file_id(one->file);
    htri_t is_there = 0;

    STOA_HDF(err, is_there = H5Lexists(file, name, H5P_DEFAULT), "look for '%s'", name);
    if (is_there > 0 && !replace) {
        STOA_FAIL(err, STOA_EEXISTS,
                  "an object called '%s' is there already; choose another name, "
                  "or replace it by --force",
                  name);
    }
    if (is_there > 0) {
        STOA_HDF(err, stoa_unlink(file, name), "delete '%s'", name);
    }

done:
    return stoa_at(err, status, "%s", one->name);
}

/* Free each name in each file before anything is written. */
static stoa_status free_names(const writing *w, stoa_error *err)
{
    const bool replace = w->conversion.options->replace;

    for (uint64_t k = 0; k < w->files->n; k++) {
        for (size_t i = 0; i < (w->plan.name != NULL ? 1 : w->plan.n_entries); i++) {
            const char *const name = w->plan.name != NULL ? w->plan.name : w->plan.entries[i].name;
            STOA_RETURN_NOT_OK(free_name(&w->files->all[k], name, replace, err));
        }
    }
    return STOA_OK;
}

static stoa_status measure(writing *w, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_layout_conversion_read(&w->conversion, err));
    const stoa_layout_source source = stoa_layout_conversion_source(&w->conversion);
    STOA_TRY(stoa_arkouda_plan_measure(&w->plan, &source, w->files->n, err));

done:
    stoa_layout_conversion_stop(&w->conversion);
    return status;
}

static stoa_status find_groups(writing *w, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n = w->plan.n_entries;
    stoa_arkouda_key *keys = stoa_alloc(n, sizeof *keys);

    STOA_TRY(keys != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n; i++) {
        const stoa_arkouda_entry *const entry = &w->plan.entries[i];
        keys[i] = (stoa_arkouda_key){&entry->column, &entry->labels, entry->position};
    }
    STOA_TRY(stoa_layout_conversion_read(&w->conversion, err));
    const stoa_layout_source source = stoa_layout_conversion_source(&w->conversion);
    STOA_TRY(stoa_arkouda_groups_make(&source, keys, n, &w->groups, err));

done:
    free(keys);
    stoa_layout_conversion_stop(&w->conversion);
    return status;
}

static stoa_status prepare(writing *w, stoa_arkouda_form form, const char *name, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_layout_conversion_learn(&w->conversion, err));
    STOA_RETURN_NOT_OK(stoa_layout_conversion_drop(&w->conversion, &stoa_arkouda_missing, err));
    STOA_RETURN_NOT_OK(stoa_layout_conversion_labels(&w->conversion, err));
    STOA_RETURN_NOT_OK(stoa_layout_conversion_fill(&w->conversion, &stoa_arkouda_missing, err));
    const stoa_layout_source source = stoa_layout_conversion_source(&w->conversion);
    STOA_RETURN_NOT_OK(stoa_arkouda_plan_make(&source, form, name, w->files->n, &w->plan, err));
    if (stoa_arkouda_plan_is_open(&w->plan, &source, w->files->n)) {
        STOA_RETURN_NOT_OK(measure(w, err));
    }
    STOA_RETURN_NOT_OK(stoa_arkouda_plan_settle(&w->plan, err));
    return form == STOA_ARKOUDA_GROUPS ? find_groups(w, err) : STOA_OK;
}

/* --- the public calls ------------------------------------------------------------------------ */

static stoa_status copy_options(const stoa_layout_options *options, stoa_layout_options *own,
                                stoa_arkouda_form *form, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_layout_options_copy(options, own, err));
    own->layout = own->layout != NULL ? own->layout : "arkouda";
    if (strcmp(own->layout, "arkouda") != 0) {
        return stoa_fail(err, STOA_EINVAL, "Arkouda's files do not hold the layout '%s'",
                         own->layout);
    }
    return stoa_arkouda_form_of(stoa_layout_setting_of(own, "as"), form, err);
}

stoa_status stoa_arkouda_files_write_table(stoa_arkouda_files *files, stoa_table *from,
                                           const char *name, const stoa_layout_options *options,
                                           uint64_t *n_rows, stoa_error *err)
{
    const stoa_status entered = stoa_table_enter(from, err);
    stoa_status status = STOA_OK;
    stoa_layout_options own;
    stoa_arkouda_form form = STOA_ARKOUDA_COLUMNS;
    writing w = {.files = files, .parent = H5I_INVALID_HID};

    files->has_failed = true; /* until the write has succeeded */
    STOA_TRY(entered);
    STOA_TRY(copy_options(options, &own, &form, err));
    w.conversion =
        (stoa_layout_conversion){.table = from, .options = &own, .plain = stoa_categories_all};
    w.no_offsets = stoa_layout_setting_of(&own, "no-offsets") != NULL &&
                   !files->is_distributed; /* as Arkouda does: §F.1 */
    STOA_TRY(prepare(&w, form, name, err));
    STOA_TRY(free_names(&w, err));
    STOA_TRY(put_all(&w, err));
    files->has_failed = false;

done:
    if (entered == STOA_OK) {
        stoa_table_leave(from);
    }
    if (n_rows != NULL) {
        *n_rows = status == STOA_OK ? w.conversion.n_rows : 0;
    }
    stoa_arkouda_plan_clear(&w.plan);
    stoa_arkouda_groups_clear(&w.groups);
    stoa_layout_conversion_end(&w.conversion);
    return stoa_at(err, status, "%s", files->name);
}

stoa_status stoa_arkouda_files_write(stoa_arkouda_files *files, struct ArrowArrayStream *stream,
                                     const char *name, const stoa_layout_options *options,
                                     uint64_t *n_rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_layout_options own;
    stoa_arkouda_form form;
    hid_t file = H5I_INVALID_HID;
    stoa_table *table = NULL;

    STOA_TRY(copy_options(options, &own, &form, err));
    STOA_TRY(stoa_layout_keep_rows(stream, &own, &file, &table, err));
    STOA_TRY(stoa_arkouda_files_write_table(files, table, name, &own, n_rows, err));

done:
    stoa_table_close(table);
    return stoa_layout_close_temporary(&file, status, err);
}
