/* Replacing and sharing the labels of categorical columns (HEP001 §8.7, §12). */
#include <stdlib.h>
#include <string.h>

#include "column/write/categories.h"
#include "column/write/encode.h"
#include "column/write/recode_categories.h"
#include "column/write/write.h"
#include "core/memory.h"
#include "hdf/copy/object_storage.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "hdf/metadata/references.h"
#include "table/edit/columns.h"

/* A column that is about to use other categories. */
typedef struct move {
    stoa_column *column;
    hid_t dataset; /* the recoded dataset; H5I_INVALID_HID if the codes stay */
} move;

/* The columns that one set of categories, old or new, will serve. Free with clear_moves(). */
typedef struct moves {
    move *items; /* large enough for every column */
    size_t n;
    stoa_categories book; /* the new categories */
} moves;

static void clear_moves(moves *all)
{
    for (size_t i = 0; i < all->n; i++) {
        (void)stoa_hdf_close(&all->items[i].dataset, STOA_OK, NULL);
    }
    free(all->items);
    stoa_categories_clear(&all->book);
}

#define MOVES_INIT                                                                                 \
    {                                                                                              \
        .book = {.dataset = H5I_INVALID_HID, .element = {.mem_type = H5I_INVALID_HID} }            \
    }

static stoa_status start_moves(const stoa_table *table, moves *all, stoa_error *err)
{
    all->items = stoa_alloc_zero(table->n_columns, sizeof *all->items);
    return all->items != NULL ? STOA_OK : stoa_fail_memory(err);
}

static stoa_status find_categorical(const stoa_table *table, const char *name, stoa_column **column,
                                    stoa_error *err)
{
    stoa_status status = stoa_column_edit_find(table, name, column, err);

    if (status == STOA_OK && (!stoa_column_is_categorical(*column) || (*column)->is_text)) {
        const stoa_type text = {.kind = STOA_KIND_STRING};
        char type[64];
        status = stoa_fail(
            err, STOA_ETYPE, "column '%s' is %s, not categorical; make it so first (HEP001 §8.7)",
            name, stoa_type_name((*column)->is_text ? &text : &(*column)->type, type));
    }
    return status;
}

/* --- Recoding --------------------------------------------------------------------------------- */

/* Fail because rows use a label that has no new code. */
static stoa_status lost_label(const stoa_column *column, const stoa_view *labels, uint64_t code,
                              stoa_error *err)
{
    size_t length = 0;
    const char *label = stoa_view_bytes(labels, (int64_t)code, &length);

    return stoa_fail(err, STOA_ELOSS,
                     "rows of '%s' have the label '%.*s', which is not among the new ones",
                     column->name, (int)(length < 200 ? length : 200), label);
}

/* Add a column to the moves, and recode it if its codes or their width change. `codes` maps old
 * codes to new ones; -1 marks a removed label. */
static stoa_status move_column(const stoa_table *table, moves *all, stoa_column *column,
                               const stoa_view *labels, const int64_t *codes, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t n = (uint64_t)labels->length;
    const uint64_t n_labels = all->book.labels.count;
    bool *used = stoa_alloc_zero((size_t)n, sizeof *used);
    bool changes = !stoa_column_holds_codes(column, n_labels);
    hid_t dataset = H5I_INVALID_HID;

    STOA_TRY(used != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_column_used_codes(column, table->n_rows, used, n, err));
    for (uint64_t code = 0; code < n; code++) {
        changes = changes || (used[code] && codes[code] != (int64_t)code);
        if (used[code] && codes[code] < 0) {
            STOA_TRY(lost_label(column, labels, code, err));
        }
    }
    if (changes) {
        STOA_TRY(stoa_column_edit_find_own(table, column->name, &column, err));
        STOA_TRY(stoa_column_recode_categories(column, table->n_rows, codes, n, n_labels, &dataset,
                                               err));
    }
    all->items[all->n++] = (move){column, dataset};

done:
    free(used);
    return status;
}

/* --- Applying the change ---------------------------------------------------------------------- */

/* The name of categories in the open group CATEGORIES; the caller frees it. */
static stoa_status find_book(hid_t group, hid_t categories, char **name, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_link_name(group, categories, name, err));
    return *name != NULL
               ? STOA_OK
               : stoa_fail(err, STOA_EDATA,
                           "the categories are not in the group CATEGORIES (HEP001 §8.7); see stoa "
                           "check");
}

/* Give the name of the old categories in CATEGORIES to the new ones. */
static stoa_status replace_book(const stoa_table *table, hid_t old, hid_t dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t group = H5I_INVALID_HID;
    char *name = NULL;

    STOA_HDF(err, group = stoa_open_here(table->group, "CATEGORIES"), "open the group CATEGORIES");
    STOA_TRY(find_book(group, old, &name, err));
    STOA_HDF(err, stoa_unlink(group, name), "unlink categories '%s'", name);
    STOA_HDF(err, stoa_link_nameless(dataset, group, name, H5P_DEFAULT), "link categories '%s'",
             name);

done:
    free(name);
    return stoa_hdf_close(&group, status, err);
}

/* Point every moved column to the categories, and publish recoded datasets. */
static stoa_status refer_to_book(stoa_column_edit *edit, const moves *all, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t group = H5I_INVALID_HID;
    char *name = NULL;

    STOA_HDF(err, group = stoa_open_here(edit->table->group, "CATEGORIES"),
             "open the group CATEGORIES");
    STOA_TRY(find_book(group, all->book.dataset, &name, err));
    for (size_t i = 0; i < all->n; i++) {
        const move *m = &all->items[i];
        const bool is_new = m->dataset >= 0;
        STOA_TRY(stoa_categories_refer(&all->book, is_new ? m->dataset : m->column->dataset, name,
                                       edit->table->has_old_references, err));
        if (is_new) {
            STOA_TRY(stoa_column_edit_publish(edit, m->column->name, m->dataset, err));
        }
    }

done:
    free(name);
    return stoa_hdf_close(&group, status, err);
}

/* The same, and update their indexes. */
static stoa_status carry_out(stoa_column_edit *edit, const moves *all,
                             const stoa_edit_options *options, stoa_error *err)
{
    STOA_RETURN_NOT_OK(refer_to_book(edit, all, err));
    STOA_RETURN_NOT_OK(stoa_column_edit_reopen(edit, err));
    for (size_t i = 0; i < all->n; i++) {
        if (all->items[i].dataset >= 0) {
            STOA_RETURN_NOT_OK(
                stoa_column_edit_mend(edit, all->items[i].column->name, options, err));
        }
    }
    return STOA_OK;
}

/* --- Relabelling ------------------------------------------------------------------------------ */

/* Map each old label to its new code by its text; -1 for a removed label. */
static stoa_status map_labels(const stoa_categories *book, const stoa_view *labels, int64_t **codes,
                              stoa_error *err)
{
    *codes = stoa_alloc((size_t)labels->length, sizeof **codes);
    STOA_RETURN_NO_MEMORY(err, *codes);
    for (int64_t i = 0; i < labels->length; i++) {
        size_t length = 0;
        uint32_t code = 0;
        const char *label = stoa_view_bytes(labels, i, &length);
        (*codes)[i] =
            stoa_string_set_find(&book->labels, label, length, &code) ? (int64_t)code : -1;
    }
    return STOA_OK;
}

/* Create a dataset of the labels. Its attributes are those of the old one, except `ordered`. */
static stoa_status make_book(stoa_categories *book, const stoa_column *column,
                             const char *const *labels, size_t n, bool ordered, stoa_error *err)
{
    static const char *const except[] = {"ordered", NULL};

    STOA_RETURN_NOT_OK(stoa_categories_start(&column->dictionary_schema, book, err));
    STOA_RETURN_NOT_OK(stoa_categories_add(book, labels, n, err));
    STOA_RETURN_NOT_OK(stoa_categories_create(book, column->dataset, err));
    STOA_RETURN_NOT_OK(stoa_attributes_copy(column->categories, book->dataset, except, err));
    return stoa_attribute_write_bool(book->dataset, "ordered", ordered, err);
}

stoa_status stoa_column_relabel(stoa_table *table, const char *name, const char *const *labels,
                                size_t n, bool ordered, const stoa_edit_options *options,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column_edit edit = STOA_COLUMN_EDIT_INIT;
    moves all = MOVES_INIT;
    stoa_column *column = NULL;
    stoa_view old;
    int64_t *codes = NULL;

    STOA_TRY(stoa_column_edit_begin(table, &edit, err));
    STOA_TRY(find_categorical(table, name, &column, err));
    STOA_TRY(start_moves(table, &all, err));
    STOA_TRY(stoa_view_of(&column->dictionary_schema, &column->dictionary, &old, err));
    STOA_TRY(make_book(&all.book, column, labels, n, ordered, err));
    STOA_TRY(map_labels(&all.book, &old, &codes, err));
    for (size_t i = 0; i < table->n_columns; i++) {
        if (stoa_column_is_categorical(table->columns[i]) &&
            stoa_same_object(table->columns[i]->categories, column->categories)) {
            STOA_TRY(move_column(table, &all, table->columns[i], &old, codes, err));
        }
    }
    STOA_TRY(replace_book(table, column->categories, all.book.dataset, err));
    STOA_TRY(carry_out(&edit, &all, options, err));

done:
    free(codes);
    clear_moves(&all);
    return stoa_column_edit_end(&edit, status, err);
}

/* --- Sharing ---------------------------------------------------------------------------------- */

/* Make categories of the labels of `with` and the labels of `column` that it lacks. *codes are the
 * new codes of `column`. */
static stoa_status unite_books(moves *all, const stoa_column *column, const stoa_column *with,
                               const stoa_view *labels, int64_t **codes, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_categories_open(with->categories, column->name, &all->book, err));
    *codes = stoa_alloc((size_t)labels->length, sizeof **codes);
    STOA_RETURN_NO_MEMORY(err, *codes);
    STOA_RETURN_NOT_OK(stoa_categories_codes(&all->book, labels, *codes, err));
    if (all->book.labels.count == all->book.n_stored) {
        return STOA_OK;
    }
    if (with->is_ordered) {
        char label[STOA_LABEL_TEXT];
        stoa_categories_text(&all->book, all->book.n_stored, label);
        return stoa_fail(
            err, STOA_ELOSS,
            "the categories of '%s' are ordered, and '%s', a label of '%s', has no place "
            "among them; give '%s' all labels in their order first",
            with->name, label, column->name, with->name);
    }
    return stoa_categories_create(&all->book, with->dataset, err);
}

/* Add the other users of the extended categories. Their codes stay but may need a wider type. */
static stoa_status move_users(const stoa_table *table, moves *all, const stoa_column *with,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_view labels;
    int64_t *same = NULL;

    STOA_TRY(stoa_view_of(&with->dictionary_schema, &with->dictionary, &labels, err));
    same = stoa_alloc((size_t)labels.length, sizeof *same);
    STOA_TRY(same != NULL ? STOA_OK : stoa_fail_memory(err));
    for (int64_t i = 0; i < labels.length; i++) {
        same[i] = i;
    }
    for (size_t i = 0; i < table->n_columns; i++) {
        stoa_column *user = table->columns[i];
        if (stoa_column_is_categorical(user) &&
            stoa_same_object(user->categories, with->categories)) {
            STOA_TRY(move_column(table, all, user, &labels, same, err));
        }
    }

done:
    free(same);
    return status;
}

stoa_status stoa_column_share(stoa_table *table, const char *name, const char *with_name,
                              const stoa_edit_options *options, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column_edit edit = STOA_COLUMN_EDIT_INIT;
    moves all = MOVES_INIT;
    stoa_column *column = NULL;
    stoa_column *with = NULL;
    stoa_view labels;
    int64_t *codes = NULL;

    STOA_TRY(stoa_column_edit_begin(table, &edit, err));
    STOA_TRY(find_categorical(table, name, &column, err));
    STOA_TRY(find_categorical(table, with_name, &with, err));
    if (stoa_same_object(column->categories, with->categories)) {
        goto done; /* already shared */
    }
    STOA_TRY(start_moves(table, &all, err));
    STOA_TRY(stoa_view_of(&column->dictionary_schema, &column->dictionary, &labels, err));
    STOA_TRY(unite_books(&all, column, with, &labels, &codes, err));
    STOA_TRY(move_column(table, &all, column, &labels, codes, err));
    if (!stoa_same_object(all.book.dataset, with->categories)) {
        STOA_TRY(move_users(table, &all, with, err));
        STOA_TRY(replace_book(table, with->categories, all.book.dataset, err));
    }
    STOA_TRY(carry_out(&edit, &all, options, err));

done:
    free(codes);
    clear_moves(&all);
    return stoa_column_edit_end(&edit, status, err);
}
