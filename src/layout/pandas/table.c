/*
 * pandas HDFStore, table format: a group with a PyTables table. Its members are an index, data
 * columns by name, and blocks of columns of one type (PyTables notes §9.3).
 *
 * The names of a block's columns and their order are in pickles, which are parsed and never
 * executed (pickle.h). Missing values are NaN, NaT, the code -1, and in strings the text of
 * nan_rep.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/string_set.h"
#include "hdf/metadata/attributes.h"
#include "layout/layout.h"
#include "layout/pandas/frame.h"
#include "layout/pandas/label.h"
#include "layout/pandas/pandas.h"
#include "layout/pandas/table_read.h"
#include "layout/pickle/write.h"
#include "layout/pytables/rows.h"

/* --- recognising frames ---------------------------------------------------------------------- */

static stoa_status find_frame(hid_t group, bool *is_frame, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *type = NULL;

    STOA_TRY(stoa_attribute_read_optional(group, "pandas_type", &type, err));
    *is_frame = type != NULL &&
                (strcmp(type, "frame_table") == 0 || strcmp(type, "series_table") == 0) &&
                H5Lexists(group, "table", H5P_DEFAULT) > 0;

done:
    free(type);
    return status;
}

static stoa_status identify(hid_t object, H5I_type_t type, bool *is_one, stoa_object *shown,
                            stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t dataset = H5I_INVALID_HID;
    bool is_frame = false;

    *is_one = false;
    if (type == H5I_GROUP) {
        STOA_TRY(find_frame(object, &is_frame, err));
    }
    if (!is_frame) {
        return STOA_OK;
    }
    dataset = stoa_open_here(object, "table");
    if (dataset >= 0) {
        STOA_TRY(stoa_pytables_rows.identify(dataset, H5I_DATASET, is_one, shown, err));
        shown->layout = "pandas";
    }

done:
    return stoa_hdf_close(&dataset, status, err);
}

/* --- attributes ------------------------------------------------------------------------------ */

/* Read a list of labels, with their order and counts. Nodes that are no labels are skipped. */
static stoa_status note_labels(const stoa_pickled *list, stoa_string_set *labels,
                               stoa_buffer *times, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t never = 0;
    uint32_t number = 0;
    char *label = NULL;

    for (size_t i = 0; i < stoa_pickled_count(list); i++) {
        const stoa_pickled *const node = stoa_pickled_item(list, i);
        if (stoa_pandas_is_label(node)) {
            label = stoa_pandas_label(node);
            STOA_TRY(label != NULL ? STOA_OK : stoa_fail_memory(err));
            STOA_TRY(stoa_string_set_add(labels, label, strlen(label), &number, err));
            if (number == times->size / sizeof never) {
                STOA_TRY(stoa_buffer_append(times, &never, sizeof never, err));
            }
            ((uint64_t *)(void *)times->data)[number]++;
            free(label);
            label = NULL;
        }
    }

done:
    free(label);
    return status;
}

/* The order of the columns: non_index_axes is [(1, [labels])]. */
static stoa_status read_order(stoa_pandas_opening *f, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_pickle *axes = NULL;

    STOA_TRY(stoa_pandas_pickle(f->group, "non_index_axes", &axes, err));
    STOA_TRY(note_labels(stoa_pickled_item(stoa_pickled_item(stoa_pandas_root(axes), 0), 1),
                         &f->labels, &f->left, err));

done:
    stoa_pickle_close(axes);
    return status;
}

static stoa_status read_levels(stoa_pandas_opening *f, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_pickle *levels = NULL;
    stoa_buffer times = {0};

    STOA_TRY(stoa_pandas_pickle(f->group, "levels", &levels, err));
    STOA_TRY(note_labels(stoa_pandas_root(levels), &f->levels, &times, err));
    f->is_multi = levels != NULL;

done:
    stoa_buffer_clear(&times);
    stoa_pickle_close(levels);
    return status;
}

static stoa_status read_notes(stoa_pandas_opening *f, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *type = NULL;

    STOA_TRY(stoa_pandas_pickle(f->group, "info", &f->info, err));
    STOA_TRY(read_order(f, err));
    STOA_TRY(stoa_attribute_read_text(f->group, "table_type", &type, err));
    if (type != NULL && strstr(type, "_multi") != NULL) {
        STOA_TRY(read_levels(f, err));
    }
    STOA_TRY(stoa_pandas_nan_rep(f->group, "nan_rep", "nan", &f->nan_rep, err));
    if (f->nan_rep != NULL && strcmp(f->nan_rep, "N.") == 0) { /* a pickle of None: pandas 3.1 */
        free(f->nan_rep);
        f->nan_rep = NULL;
    }

done:
    free(type);
    return status;
}

/* The position of a label; past the end if it is not there. */
static uint64_t find_label(const stoa_string_set *labels, const char *label)
{
    uint32_t number = 0;

    return stoa_string_set_find(labels, label, strlen(label), &number) ? number : labels->count;
}

/* --- the columns ----------------------------------------------------------------------------- */

/* Count down the columns with that label, since several may have the same. */
static stoa_status meet_label(stoa_pandas_opening *f, const char *label, stoa_error *err)
{
    const uint64_t number = find_label(&f->labels, label);
    uint64_t *const left = (uint64_t *)(void *)f->left.data;

    if (number == f->labels.count) {
        return STOA_OK;
    }
    return left[number]-- > 0 ? STOA_OK
                              : stoa_fail(err, STOA_EDATA,
                                          "there are more columns '%s' than "
                                          "attribute 'non_index_axes' says",
                                          label);
}

/* @param node  NULL if there is no label: the column has the name of its member */
static stoa_status note_column(stoa_pandas_opening *f, const stoa_pickled *node,
                               const char *otherwise, const char *member, unsigned index,
                               size_t item, stoa_error *err)
{
    stoa_pandas_found *columns = stoa_one_more(f->columns, f->n_columns, sizeof *columns);

    STOA_RETURN_NO_MEMORY(err, columns);
    f->columns = columns;
    stoa_pandas_found *const column = &columns[f->n_columns++];
    *column = (stoa_pandas_found){.member = stoa_strdup(member), .index = index, .item = item};
    STOA_RETURN_NO_MEMORY(err, column->member);
    STOA_RETURN_NOT_OK(stoa_pandas_label_make(node, otherwise, &column->label, err));
    const char *const label = column->label.name;
    if (f->is_multi) {
        const uint64_t level = find_label(&f->levels, label);
        column->labels_rows = level < f->levels.count;
        column->position =
            column->labels_rows ? level : f->levels.count + find_label(&f->labels, label);
    } else {
        column->labels_rows = strcmp(member, "index") == 0;
        column->position = column->labels_rows ? 0 : find_label(&f->labels, label) + 1;
    }
    if (!column->labels_rows) {
        STOA_RETURN_NOT_OK(meet_label(f, label, err));
    }
    return STOA_OK;
}

/* The name of the index; NULL if none. */
static const stoa_pickled *index_label(const stoa_pandas_opening *f)
{
    return stoa_pickled_get(stoa_pickled_get(stoa_pandas_root(f->info), "index"), "index_name");
}

/* Add the columns of a block, which is an array, one for each item. */
static stoa_status note_block(stoa_pandas_opening *f, unsigned index, const char *member,
                              const stoa_pickled *labels, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n = stoa_pickled_count(labels);
    hid_t type = H5I_INVALID_HID;
    hid_t item = H5I_INVALID_HID;

    STOA_HDF(err, type = H5Tget_member_type(stoa_rows_type(f->rows), index), "read a field's type");
    STOA_HDF(err, item = H5Tget_super(type), "read a base type");
    if (n == 0 || n != H5Tget_size(type) / H5Tget_size(item)) {
        STOA_FAIL(
            err, STOA_EDATA,
            "attribute '%s_kind' does not say what the block's columns are: %zu labels of %zu",
            member, n, H5Tget_size(type) / H5Tget_size(item));
    }
    for (size_t i = 0; i < n; i++) {
        const stoa_pickled *const label = stoa_pickled_item(labels, i);
        if (!stoa_pandas_is_label(label) && label->kind != STOA_PICKLE_NONE &&
            label->kind != STOA_PICKLE_OBJECT) {
            STOA_FAIL(err, STOA_EDATA,
                      "attribute '%s_kind' has a label that is no text, number or time", member);
        }
        STOA_TRY(note_column(f, label, "column", member, index, i, err));
    }

done:
    status = stoa_hdf_close(&item, status, err);
    return stoa_hdf_close(&type, status, err);
}

/* Add the columns that a member of the table holds. */
static stoa_status note_member(stoa_pandas_opening *f, unsigned index, const char *member,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_pickle *kind = NULL;
    char *name = NULL;

    if (strcmp(member, "index") == 0) {
        if (!f->is_multi) {
            STOA_TRY(
                note_column(f, index_label(f), "index", member, index, STOA_WHOLE_MEMBER, err));
        }
        return STOA_OK; /* with a MultiIndex it only counts rows */
    }
    name = stoa_format("%s_kind", member);
    STOA_TRY(name != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_pandas_pickle(f->dataset, name, &kind, err));
    if (H5Tget_member_class(stoa_rows_type(f->rows), index) == H5T_ARRAY) {
        STOA_TRY(note_block(f, index, member, stoa_pandas_root(kind), err));
    } else {
        const bool has_one = stoa_pickled_count(stoa_pandas_root(kind)) == 1;
        STOA_TRY(note_column(f, has_one ? stoa_pickled_item(stoa_pandas_root(kind), 0) : NULL,
                             member, member, index, STOA_WHOLE_MEMBER, err));
    }

done:
    stoa_pickle_close(kind);
    free(name);
    return status;
}

static stoa_status note_members(stoa_pandas_opening *f, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const hid_t type = stoa_rows_type(f->rows);
    char *member = NULL;

    for (int i = 0; i < H5Tget_nmembers(type); i++) {
        STOA_HDF(err, (member = H5Tget_member_name(type, (unsigned)i)) != NULL ? 0 : -1,
                 "read a field's name");
        STOA_TRY(note_member(f, (unsigned)i, member, err));
        (void)H5free_memory(member);
        member = NULL;
    }

done:
    (void)H5free_memory(member);
    return status;
}

static int by_position(const void *a, const void *b)
{
    const stoa_pandas_found *left = a;
    const stoa_pandas_found *right = b;

    if (left->position != right->position) {
        return left->position < right->position ? -1 : 1;
    }
    if (left->index != right->index) {
        return left->index < right->index ? -1 : 1;
    }
    return (left->item > right->item) - (left->item < right->item);
}

/* --- all columns ----------------------------------------------------------------------------- */

/* In a MultiIndex, "level_0" and the like mean that the level has no name. pandas does the same. */
static stoa_status note_index(stoa_pandas_opening *f, stoa_pandas_found *is, stoa_error *err)
{
    static const char level[] = "level_";
    stoa_pandas_label_text *const label = &is->label;
    const char *const digits =
        strncmp(label->name, level, strlen(level)) == 0 ? label->name + strlen(level) : "";
    char otherwise[32] = "index";

    if (f->is_multi) {
        (void)snprintf(otherwise, sizeof otherwise, "%s%zu", level, f->table->n_columns);
        if (digits[0] != '\0' && digits[strspn(digits, "0123456789")] == '\0') {
            free(label->said);
            label->said = NULL;
            label->is_text = false;
        }
    }
    return stoa_pandas_add_index(&f->notes, f->table, label, otherwise, err);
}

static stoa_status add_column(stoa_pandas_opening *f, stoa_pandas_found *is, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *column = NULL;

    if (!is->labels_rows) {
        STOA_TRY(stoa_pandas_add_column(&f->notes, f->table, &is->label, err));
    } else {
        STOA_TRY(note_index(f, is, err));
    }
    STOA_TRY(stoa_column_of_member(is->label.name, f->rows, is->index, is->item, &column, err));
    STOA_TRY(stoa_pandas_present(f, is, &column, err));
    status = stoa_foreign_add(f->table, column, err);
    column = NULL;
    STOA_TRY(status);
    if (is->labels_rows) {
        STOA_TRY(stoa_foreign_label_rows(f->table, f->table->n_columns - 1, err));
    }

done:
    stoa_column_close(column);
    return status;
}

/* info[1] has the name of the column axis. pandas_type tells whether it is a Series. */
static stoa_status note_axis(stoa_pandas_opening *f, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_pickled *const names =
        stoa_pickled_get(stoa_pickled_get_int(stoa_pandas_root(f->info), 1), "names");
    stoa_buffer said = {0};
    bool is_plain = true;

    f->notes.is_series = stoa_attribute_is(f->group, "pandas_type", "series_table");
    if (stoa_pickled_count(names) < 2 &&
        (stoa_pickled_count(names) == 0 || stoa_pickled_item(names, 0)->kind == STOA_PICKLE_NONE)) {
        return STOA_OK;
    }
    for (size_t i = 0; is_plain && i < stoa_pickled_count(names); i++) {
        said.size = 0;
        STOA_TRY(stoa_pandas_put_node(&said, stoa_pickled_item(names, i), STOA_PANDAS_FOR_STOA,
                                      &is_plain, err));
        STOA_TRY(stoa_buffer_append(&said, "", 1, err));
        STOA_TRY(stoa_pandas_add_name(&f->notes, is_plain ? (const char *)said.data : "N", err));
    }

done:
    stoa_buffer_clear(&said);
    return status;
}

/* --- opening --------------------------------------------------------------------------------- */

void stoa_pandas_opening_clear(stoa_pandas_opening *f)
{
    for (size_t i = 0; i < f->n_columns; i++) {
        stoa_pandas_label_clear(&f->columns[i].label);
        free(f->columns[i].member);
    }
    free(f->columns);
    stoa_pandas_metadata_clear(&f->notes);
    free(f->nan_rep);
    stoa_pickle_close(f->info);
    stoa_string_set_clear(&f->labels);
    stoa_buffer_clear(&f->left);
    stoa_string_set_clear(&f->levels);
    stoa_rows_close(f->rows);
    stoa_table_close(f->table);
}

stoa_status stoa_pandas_opening_begin(hid_t group, const char *path, const char *file,
                                      bool is_of_labels, stoa_pandas_opening *f, stoa_error *err)
{
    *f = (stoa_pandas_opening){.group = group,
                               .dataset = H5I_INVALID_HID,
                               .is_of_labels = is_of_labels,
                               .open = stoa_pandas_open_table};
    STOA_RETURN_NOT_OK(stoa_foreign_begin(group, path, file, "pandas", 0, &f->table, err));
    STOA_RETURN_HDF_ERROR(err, f->dataset = stoa_open_here(group, "table"),
                          "open the frame's table");
    STOA_RETURN_NOT_OK(stoa_rows_open(f->dataset, f->table->read_context, &f->rows, err));
    f->table->n_rows = stoa_rows_extent(f->rows);
    STOA_RETURN_NOT_OK(read_notes(f, err));
    STOA_RETURN_NOT_OK(note_members(f, err));
    if (f->n_columns > 0) {
        qsort(f->columns, f->n_columns, sizeof *f->columns, by_position);
    }
    return STOA_OK;
}

stoa_status stoa_pandas_open_table(hid_t group, const char *path, const char *file,
                                   bool is_of_labels, stoa_table **table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_pandas_opening f;

    *table = NULL;
    STOA_TRY(stoa_pandas_opening_begin(group, path, file, is_of_labels, &f, err));
    for (size_t i = 0; i < f.n_columns; i++) {
        STOA_TRY(add_column(&f, &f.columns[i], err));
    }
    STOA_TRY(note_axis(&f, err));
    STOA_TRY(stoa_pandas_metadata_end(&f.notes, f.table, err));
    *table = f.table;
    f.table = NULL;

done:
    stoa_pandas_opening_clear(&f);
    return status;
}

static stoa_status open_frame(hid_t group, const char *path, const char *file, stoa_table **table,
                              stoa_error *err)
{
    return stoa_pandas_open_table(group, path, file, false, table, err);
}

const stoa_layout_class stoa_pandas_tables = {.identify = identify, .open = open_frame};
