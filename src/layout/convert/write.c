/* stoa_layout_write(): the rows of any stream in another layout. */
#include <stdlib.h>
#include <stoa/arrays.h>
#include <string.h>

#include "arrow/build.h"
#include "column/column.h"
#include "core/memory.h"
#include "hdf/copy/object_storage.h"
#include "hdf/metadata/links.h"
#include "layout/common/conversion.h"
#include "layout/convert/target.h"
#include "layout/registry.h"
#include "table/open/table.h"
#include "table/write/update_indexes.h"

/* --- options --------------------------------------------------------------------------------- */

static stoa_status check_setting(const stoa_layout *layout, const stoa_layout_setting *setting,
                                 stoa_error *err)
{
    const stoa_layout_option *const option = stoa_layout_option_of(layout, setting->key);
    char *choices = NULL;

    if (option == NULL) {
        return stoa_fail(err, STOA_EINVAL, "there is no setting '%s' of the layout '%s'",
                         setting->key, layout->name);
    }
    if (option->choices != NULL && !stoa_is_listed(setting->value, option->choices)) {
        choices = stoa_layout_list_of(option->choices);
        const stoa_status status =
            stoa_fail(err, STOA_EINVAL, "'%s' is no value of '%s'; there are %s", setting->value,
                      setting->key, choices != NULL ? choices : "others");
        free(choices);
        return status;
    }
    return STOA_OK;
}

stoa_status stoa_layout_options_resolve(const stoa_layout_options *options,
                                        stoa_layout_options *own, const stoa_layout **layout,
                                        stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *names = NULL;

    STOA_TRY(stoa_layout_options_copy(options, own, err));
    *layout = own->layout != NULL ? stoa_layout_find(own->layout) : NULL;
    if (*layout == NULL || !stoa_layout_writes(*layout)) {
        names = stoa_layout_list_of(NULL);
        STOA_FAIL(err, STOA_EINVAL, "no layout '%s' is written; there are %s",
                  own->layout != NULL ? own->layout : "", names != NULL ? names : "others");
    }
    for (size_t i = 0; i < own->n_settings; i++) {
        STOA_TRY(check_setting(*layout, &own->settings[i], err));
    }
    if (own->n_fills > 0 && !(*layout)->is_home) {
        STOA_FAIL(err, STOA_EINVAL,
                  "no fill values are chosen in %s; see what stands for missing values instead",
                  (*layout)->title);
    }
    if (own->n_indexes > 0 && !(*layout)->is_home) {
        STOA_FAIL(err, STOA_EINVAL, "tables of %s have no search indexes", (*layout)->title);
    }

done:
    free(names);
    return status;
}

/* Options for a file that is already open. */
static stoa_status copy_options(const stoa_layout_options *options, stoa_layout_options *own,
                                const stoa_layout **layout, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_layout_options_resolve(options, own, layout, err));
    if ((*layout)->files != NULL) {
        return stoa_fail(err, STOA_EINVAL,
                         "%s has files of its own, and is not written into one that is open",
                         (*layout)->title);
    }
    return STOA_OK;
}

/* --- writing --------------------------------------------------------------------------------- */

/* Let layouts record metadata of a table that has become one of HEP001. */
static stoa_status save_metadata(const stoa_table *from, hid_t loc, const char *path,
                                 stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t group = H5I_INVALID_HID;

    STOA_HDF(err, group = stoa_open_here(loc, path), "open the table");
    for (size_t i = 0; stoa_layouts[i] != NULL; i++) {
        if (stoa_layouts[i]->save_metadata != NULL) {
            STOA_TRY(stoa_layouts[i]->save_metadata(from, loc, path, group, err));
        }
    }

done:
    status = stoa_hdf_close(&group, status, err);
    return stoa_layout_error_at(loc, path, status, err);
}

static stoa_status write_table(stoa_table *from, const stoa_layout *layout,
                               const struct ArrowSchema *notes, hid_t loc, const char *path,
                               const stoa_layout_options *options, uint64_t *n_rows,
                               stoa_error *err)
{
    if (layout->write_table != NULL) {
        STOA_RETURN_NOT_OK(layout->write_table(from, loc, path, options, n_rows, err));
        return layout->is_home ? save_metadata(from, loc, path, err) : STOA_OK;
    }
    const stoa_status status = stoa_layout_check_target(loc, path, options->replace, err);
    if (status != STOA_OK) {
        return stoa_layout_error_at(loc, path, status, err);
    }
    return stoa_layout_write_by(layout->writer, from, notes, loc, path, options,
                                stoa_layout_make_way, n_rows, err);
}

stoa_status stoa_layout_write_table(stoa_table *from, hid_t loc, const char *path,
                                    const stoa_layout_options *options, uint64_t *n_rows,
                                    stoa_error *err)
{
    const stoa_status entered = stoa_table_enter(from, err);
    stoa_status status = STOA_OK;
    stoa_layout_options own;
    const stoa_layout *layout = NULL;
    uint64_t n = 0;

    STOA_TRY(entered);
    STOA_TRY(copy_options(options, &own, &layout, err));
    STOA_TRY(write_table(from, layout, NULL, loc, path, &own, &n, err));

done:
    if (entered == STOA_OK) {
        stoa_table_leave(from);
    }
    if (n_rows != NULL) {
        *n_rows = n;
    }
    return status;
}

/* Write the rows of a stream, with what belongs to options->like, to a table in a temporary file.
 * The caller closes both. */
static stoa_status keep_rows(struct ArrowArrayStream *stream, const stoa_layout_options *options,
                             hid_t *file, stoa_table **table, stoa_error *err)
{
    stoa_layout_options plain = STOA_LAYOUT_OPTIONS_INIT;
    uint64_t unused = 0;

    STOA_RETURN_NOT_OK(stoa_layout_open_temporary(file, err));
    plain.codec = "none";
    plain.title = options->title;
    plain.like = options->like;
    plain.index_columns = options->index_columns;
    plain.n_index_columns = options->n_index_columns;
    plain.listener = options->listener;
    plain.threads = options->threads;
    STOA_RETURN_NOT_OK(
        stoa_layout_home()->write_stream(stream, *file, "/rows", &plain, &unused, err));
    return stoa_hep001_open(*file, "/rows", table, err);
}

static bool has_field(const struct ArrowSchema *schema, const char *name)
{
    bool has = false;

    for (int64_t i = 0; i < schema->n_children && !has; i++) {
        has = strcmp(schema->children[i]->name, name) == 0;
    }
    return has;
}

/* The row labels of options->like, if the rows have all of these columns. The caller frees the
 * list, and the names are the table's. */
static stoa_status take_labels(const struct ArrowSchema *rows, stoa_layout_options *own,
                               const char ***labels, stoa_error *err)
{
    const size_t n =
        own->like != NULL && own->index_columns == NULL ? stoa_table_n_index_columns(own->like) : 0;
    size_t n_there = 0;

    if (n == 0) {
        return STOA_OK;
    }
    *labels = stoa_alloc(n, sizeof **labels);
    STOA_RETURN_NO_MEMORY(err, *labels);
    for (size_t i = 0; i < n; i++) {
        (*labels)[i] = stoa_column_name(stoa_table_index_column(own->like, i));
        n_there += has_field(rows, (*labels)[i]);
    }
    if (n_there == n) {
        own->index_columns = *labels;
        own->n_index_columns = n;
    }
    return STOA_OK;
}

stoa_status stoa_layout_write(hid_t loc, const char *path, struct ArrowArrayStream *stream,
                              const stoa_layout_options *options, uint64_t *n_rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_layout_options own;
    const stoa_layout *layout = NULL;
    struct ArrowSchema notes = {.release = NULL};
    const char **labels = NULL;
    hid_t file = H5I_INVALID_HID;
    stoa_table *table = NULL;
    uint64_t n = 0;

    STOA_TRY(copy_options(options, &own, &layout, err));
    STOA_TRY(stoa_layout_check_target(loc, path, own.replace, err));
    STOA_TRY(stoa_stream_schema(stream, &notes, err));
    STOA_TRY(take_labels(&notes, &own, &labels, err));
    if (layout->write_stream != NULL) {
        STOA_TRY(layout->write_stream(stream, loc, path, &own, &n, err));
    } else {
        STOA_TRY(keep_rows(stream, &own, &file, &table, err));
        STOA_TRY(write_table(table, layout, &notes, loc, path, &own, &n, err));
    }

done:
    free(labels);
    if (n_rows != NULL) {
        *n_rows = n;
    }
    stoa_schema_release(&notes);
    stoa_table_close(table);
    status = stoa_layout_close_temporary(&file, status, err);
    return stoa_layout_error_at(loc, path, status, err);
}

stoa_status stoa_layout_list_written(hid_t loc, const char *const *paths, size_t n,
                                     const stoa_layout_options *options, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_layout_options own;
    const stoa_layout *layout = NULL;

    STOA_TRY(copy_options(options, &own, &layout, err));
    if (layout->writer != NULL && layout->writer->settle != NULL) {
        STOA_TRY(layout->writer->settle(loc, paths, n, err));
    }

done:
    return stoa_layout_error_at(loc, "/", status, err);
}
