/* Frames of joined files (concat.h): the columns by the mechanism for tables of many files, the
 * labels of rows and of files beside them. */
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "layout/anndata/anndata.h"
#include "layout/anndata/concat/concat.h"
#include "layout/common/column_datasets.h"
#include "layout/common/conversion.h"
#include "layout/common/writer.h"
#include "table/open/table.h"

/* --- columns --------------------------------------------------------------------------------- */

/* Count the files that have each column; one that labels rows counts for too many. */
static stoa_status count_columns(stoa_concat *c, const char *path, stoa_string_set *names,
                                 uint32_t **found_in, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *table = NULL;
    hid_t file = H5I_INVALID_HID;
    uint32_t number = 0;

    for (size_t i = 0; i < c->n; i++) {
        STOA_TRY(stoa_concat_open(c, i, &file, err));
        STOA_TRY(stoa_table_open(file, path, &table, err));
        for (size_t k = 0; k < stoa_table_n_columns(table); k++) {
            const stoa_column *const column = stoa_table_column(table, k);
            const char *const name = stoa_column_name(column);
            const uint32_t n = names->count;
            STOA_TRY(stoa_string_set_add(names, name, strlen(name), &number, err));
            if (number == n) {
                uint32_t *const more = stoa_one_more(*found_in, n, sizeof **found_in);
                STOA_TRY(more != NULL ? STOA_OK : stoa_fail_memory(err));
                *found_in = more;
                more[n] = 0;
            }
            const bool is_label = column == stoa_table_index_column(table, 0);
            (*found_in)[number] += is_label ? (uint32_t)c->n + 1 : 1;
        }
        stoa_table_close(table);
        table = NULL;
    }

done:
    stoa_table_close(table);
    return stoa_layout_error_at(file, path, status, err);
}

/* The columns of the result, as a query names them; "" if there are none. */
static stoa_status choose_columns(stoa_concat *c, const char *path, char **list, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_string_set names = {.count = 0};
    uint32_t *found_in = NULL;
    stoa_buffer text = {0};

    STOA_TRY(count_columns(c, path, &names, &found_in, err));
    for (uint32_t k = 0; k < names.count; k++) {
        size_t length = 0;
        const char *const name = stoa_string_set_get(&names, k, &length);
        if (found_in[k] > c->n || (found_in[k] < c->n && !c->options.outer)) {
            continue;
        }
        STOA_TRY(stoa_buffer_print(&text, err, text.size > 0 ? ", " : ""));
        STOA_TRY(stoa_buffer_quote(&text, '"', name, length, err));
    }
    STOA_TRY(stoa_buffer_detach_text(&text, list, err));

done:
    stoa_buffer_clear(&text);
    stoa_string_set_clear(&names);
    free(found_in);
    return status;
}

static stoa_status write_columns(stoa_concat *c, const char *path, const char *columns,
                                 stoa_error *err)
{
    stoa_files_options together = STOA_FILES_OPTIONS_INIT;
    stoa_query_options what = STOA_QUERY_OPTIONS_INIT;
    stoa_layout_options how = STOA_LAYOUT_OPTIONS_INIT;
    struct ArrowArrayStream stream = {.release = NULL};
    struct ArrowSchema schema = {.release = NULL};
    stoa_status status = STOA_OK;
    stoa_table *table = NULL;
    stoa_table *kept = NULL;
    stoa_query *query = NULL;
    hid_t file = H5I_INVALID_HID;
    uint64_t unused = 0;

    together.by_name = true;
    what.columns = columns;
    what.threads = how.threads = c->options.threads;
    how.layout = "anndata";
    STOA_TRY(stoa_table_open_files_with(stoa_file_id(c->first), c->files, c->n, path, &together,
                                        &table, err));
    STOA_TRY(stoa_query_open(table, &what, &query, err));
    STOA_TRY(stoa_query_run(query, &stream, err));
    STOA_TRY(stoa_stream_schema(&stream, &schema, err));
    STOA_TRY(stoa_layout_keep_rows(&stream, &how, &file, &kept, err));
    STOA_TRY(stoa_layout_write_by(&stoa_anndata_unlabelled_writer, kept, &schema, c->to, path, &how,
                                  NULL, &unused, err));

done:
    stoa_schema_release(&schema);
    stoa_stream_release(&stream);
    stoa_query_close(query);
    stoa_table_close(table);
    stoa_table_close(kept);
    return stoa_layout_close_temporary(&file, status, err);
}

/* --- datasets -------------------------------------------------------------------------------- */

static stoa_status make_dataset(hid_t group, const char *name, hid_t type, uint64_t n,
                                const char *encoding, hid_t *dataset, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_column_dataset_make(group, name, type, n, 0, NULL, dataset, err));
    return stoa_anndata_encode(*dataset, encoding, "0.2.0", err);
}

/* A dataset of texts, which are written in any number of pieces. */
typedef struct texts {
    hid_t dataset;
    hid_t type;
    uint64_t n_written;
} texts;

#define CLOSED_TEXTS                                                                               \
    {                                                                                              \
        .dataset = H5I_INVALID_HID, .type = H5I_INVALID_HID                                        \
    }

static stoa_status open_texts(hid_t group, const char *name, uint64_t n, texts *t, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_anndata_text_type(&t->type, err));
    return make_dataset(group, name, t->type, n, "string-array", &t->dataset, err);
}

static stoa_status put_texts(texts *t, const char *const *some, uint64_t n, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_column_dataset_write(t->dataset, t->type, t->n_written, n, some, err));
    t->n_written += n;
    return STOA_OK;
}

static stoa_status close_texts(texts *t, stoa_status status, stoa_error *err)
{
    status = stoa_hdf_close(&t->type, status, err);
    return stoa_hdf_close(&t->dataset, status, err);
}

/* --- labels of rows -------------------------------------------------------------------------- */

static char *key_of(const stoa_concat *c, size_t i)
{
    return c->options.n_keys > 0 ? stoa_strdup(c->options.keys[i]) : stoa_format("%zu", i);
}

/* The labels of file i as C strings, each with what makes it unique. The caller frees *pointers. */
static stoa_status make_labels(const stoa_concat *c, size_t i, const stoa_view *view,
                               stoa_buffer *bytes, const char ***pointers, stoa_error *err)
{
    const char *const between = c->options.index_unique;
    stoa_status status = STOA_OK;
    char *const key = key_of(c, i);
    char *const ending = key != NULL ? stoa_format("%s%s", between != NULL ? between : "",
                                                   between != NULL ? key : "")
                                     : NULL;
    const size_t n_more = ending != NULL ? strlen(ending) + 1 : 0;
    size_t n_bytes = 0;
    size_t length = 0;

    *pointers = stoa_alloc((size_t)view->length + 1, sizeof **pointers);
    STOA_TRY(ending != NULL && *pointers != NULL ? STOA_OK : stoa_fail_memory(err));
    for (int64_t k = 0; k < view->length; k++) {
        (void)stoa_view_bytes(view, k, &length);
        n_bytes += length + n_more;
    }
    STOA_TRY(stoa_buffer_reserve(bytes, n_bytes, err)); /* so that they do not move */
    for (int64_t k = 0; k < view->length; k++) {
        const char *const text = stoa_view_bytes(view, k, &length);
        (*pointers)[k] = (const char *)bytes->data + bytes->size;
        length = stoa_view_is_null(view, k) ? 0 : strnlen(text, length);
        STOA_TRY(stoa_buffer_append(bytes, text, length, err));
        STOA_TRY(stoa_buffer_append(bytes, ending, n_more, err));
    }

done:
    free(ending);
    free(key);
    return status;
}

static stoa_status copy_labels(stoa_concat *c, size_t i, const char *path, texts *t,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_concat_labels labels = {.n = 0};
    stoa_buffer bytes = {0};
    const char **pointers = NULL;

    STOA_TRY(stoa_concat_read_labels(c, i, path, &labels, err));
    STOA_TRY(make_labels(c, i, &labels.view, &bytes, &pointers, err));
    STOA_TRY(put_texts(t, pointers, labels.n, err));

done:
    free((void *)pointers);
    stoa_buffer_clear(&bytes);
    stoa_concat_labels_clear(&labels);
    return status;
}

/* Make the labels of a frame that has none yet. */
static stoa_status open_labels(stoa_concat *c, const char *path, uint64_t n, texts *t,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t frame = H5I_INVALID_HID;

    STOA_HDF(err, frame = stoa_open_here(c->to, path), "open the frame");
    STOA_TRY(open_texts(frame, "_index", n, t, err));

done:
    return stoa_hdf_close(&frame, status, err);
}

static stoa_status write_labels(stoa_concat *c, const char *path, const char *of, stoa_error *err)
{
    stoa_status status = STOA_OK;
    texts t = CLOSED_TEXTS;

    STOA_TRY(open_labels(c, path, c->n_all, &t, err));
    for (size_t i = 0; i < c->n; i++) {
        STOA_TRY(copy_labels(c, i, of, &t, err));
    }

done:
    return close_texts(&t, status, err);
}

stoa_status stoa_concat_write_names(stoa_concat *c, const char *path, const stoa_concat_axis *axis,
                                    stoa_error *err)
{
    stoa_status status = STOA_OK;
    texts t = CLOSED_TEXTS;

    STOA_TRY(stoa_anndata_write_unlabelled(c->to, path, err));
    STOA_TRY(open_labels(c, path, axis->n, &t, err));
    STOA_TRY(put_texts(&t, (const char *const *)axis->names, axis->n, err));

done:
    return close_texts(&t, status, err);
}

/* --- the column of files --------------------------------------------------------------------- */

/* Add a name to the attribute that lists the columns. */
static stoa_status list_column(hid_t frame, const char *name, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char **names = NULL;
    const char **all = NULL;
    size_t n = 0;
    hid_t type = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    hid_t attribute = H5I_INVALID_HID;

    status = stoa_attribute_read_names(frame, "column-order", &names, &n, NULL);
    n = status == STOA_OK ? n : 0; /* without columns it is a list of numbers */
    all = stoa_alloc(n + 1, sizeof *all);
    STOA_TRY(all != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n; i++) {
        all[i] = names[i];
    }
    all[n] = name;
    STOA_TRY(stoa_attribute_delete(frame, "column-order", err));
    STOA_TRY(stoa_anndata_text_type(&type, err));
    STOA_HDF(err, space = H5Screate_simple(1, &(hsize_t){n + 1}, NULL), "make a dataspace");
    STOA_TRY(stoa_attribute_make(frame, "column-order", type, space, &attribute, err));
    STOA_HDF(err, H5Awrite(attribute, type, all), "write attribute 'column-order'");

done:
    free((void *)all);
    free(names);
    status = stoa_hdf_close(&attribute, status, err);
    status = stoa_hdf_close(&space, status, err);
    return stoa_hdf_close(&type, status, err);
}

static stoa_status write_codes(const stoa_concat *c, hid_t group, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t dataset = H5I_INVALID_HID;
    int32_t *const codes = stoa_alloc((size_t)c->n_all + 1, sizeof *codes);
    uint64_t row = 0;

    STOA_RETURN_NO_MEMORY(err, codes);
    for (size_t i = 0; i < c->n; i++) {
        for (uint64_t k = 0; k < c->n_obs[i]; k++) {
            codes[row++] = (int32_t)i;
        }
    }
    STOA_TRY(make_dataset(group, "codes", H5T_STD_I32LE, c->n_all, "array", &dataset, err));
    STOA_HDF(err, H5Dwrite(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, codes),
             "write codes");

done:
    free(codes);
    return stoa_hdf_close(&dataset, status, err);
}

static stoa_status write_keys(const stoa_concat *c, hid_t group, stoa_error *err)
{
    stoa_status status = STOA_OK;
    texts t = CLOSED_TEXTS;

    STOA_TRY(open_texts(group, "categories", c->n, &t, err));
    for (size_t i = 0; i < c->n && status == STOA_OK; i++) {
        char *const key = key_of(c, i);
        status =
            key != NULL ? put_texts(&t, (const char *const[]){key}, 1, err) : stoa_fail_memory(err);
        free(key);
    }

done:
    return close_texts(&t, status, err);
}

static stoa_status write_origins(const stoa_concat *c, const char *path, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char *const name = c->options.label;
    hid_t frame = H5I_INVALID_HID;
    hid_t group = H5I_INVALID_HID;

    STOA_HDF(err, frame = stoa_open_here(c->to, path), "open the frame");
    if (name[0] == '\0' || strchr(name, '/') != NULL || stoa_object_exists(frame, name)) {
        STOA_FAIL(err, STOA_EEXISTS, "the label '%s' is no name, or that of a column", name);
    }
    STOA_HDF(err, group = H5Gcreate2(frame, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
             "make column '%s'", name);
    STOA_TRY(stoa_anndata_encode(group, "categorical", "0.2.0", err));
    STOA_TRY(stoa_attribute_write_bool(group, "ordered", false, err));
    STOA_TRY(write_codes(c, group, err));
    STOA_TRY(write_keys(c, group, err));
    STOA_TRY(list_column(frame, name, err));

done:
    status = stoa_hdf_close(&group, status, err);
    return stoa_hdf_close(&frame, status, err);
}

stoa_status stoa_concat_frames(stoa_concat *c, const char *path, bool has_label, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *columns = NULL;

    STOA_TRY(choose_columns(c, path, &columns, err));
    STOA_TRY(columns[0] != '\0' ? write_columns(c, path, columns, err)
                                : stoa_anndata_write_unlabelled(c->to, path, err));
    STOA_TRY(write_labels(c, path, "/obs", err));
    STOA_TRY(has_label && c->options.label != NULL ? write_origins(c, path, err) : STOA_OK);

done:
    free(columns);
    return status;
}
