/* The variables of joined files (concat.h). */
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "column/read/foreign.h"
#include "core/memory.h"
#include "core/string_set.h"
#include "hdf/metadata/links.h"
#include "layout/anndata/concat/concat.h"
#include "layout/common/extent.h"
#include "layout/common/writer.h"

/* --- labels of rows -------------------------------------------------------------------------- */

stoa_status stoa_concat_read_labels(stoa_concat *c, size_t i, const char *path,
                                    stoa_concat_labels *labels, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *table = NULL;
    hid_t file = H5I_INVALID_HID;

    STOA_TRY(stoa_concat_open(c, i, &file, err));
    STOA_TRY(stoa_table_open(file, path, &table, err));
    if (stoa_table_n_index_columns(table) != 1) {
        STOA_FAIL(err, STOA_EDATA, "has no labels of rows");
    }
    STOA_TRY(stoa_column_read_labels(
        stoa_table_find(table, stoa_column_name(stoa_table_index_column(table, 0))),
        &labels->schema, &labels->array, err));
    STOA_TRY(stoa_view_of(&labels->schema, &labels->array, &labels->view, err));
    if (!stoa_kind_is_string(labels->view.type.kind)) {
        STOA_FAIL(err, STOA_ETYPE, "its row labels are no strings");
    }
    labels->n = (uint64_t)labels->view.length;

done:
    stoa_table_close(table);
    return stoa_layout_error_at(file, path, status, err);
}

void stoa_concat_labels_clear(stoa_concat_labels *labels)
{
    stoa_array_release(&labels->array);
    stoa_schema_release(&labels->schema);
    *labels = (stoa_concat_labels){.n = 0};
}

static const char *label_of(const stoa_concat_labels *labels, uint64_t i, size_t *length)
{
    const char *const text = stoa_view_bytes(&labels->view, (int64_t)i, length);

    *length = stoa_view_is_null(&labels->view, (int64_t)i) ? 0 : *length;
    return text;
}

static bool are_equal(const stoa_concat_labels *a, const stoa_concat_labels *b)
{
    bool are = a->n == b->n;

    for (uint64_t i = 0; i < a->n && are; i++) {
        size_t length = 0;
        size_t other = 0;
        const char *const text = label_of(a, i, &length);
        const char *const bytes = label_of(b, i, &other);
        are = length == other && memcmp(text, bytes, length) == 0;
    }
    return are;
}

/* --- the result ------------------------------------------------------------------------------ */

typedef struct joiner {
    stoa_concat *c;
    const char *path;
    stoa_concat_labels *of_files; /* shape (n,) */
    stoa_string_set *sets;        /* shape (n,), of these */
    stoa_string_set all;
    uint32_t *found_in; /* files that have each name */
} joiner;

static stoa_status take_name(stoa_concat_axis *axis, const char *text, size_t length,
                             stoa_error *err)
{
    char *const own = stoa_strndup(text, length);

    STOA_RETURN_NO_MEMORY(err, own);
    axis->names[axis->n++] = own;
    return STOA_OK;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All files have the same names in the same order. They may repeat. */
static stoa_status take_all(const stoa_concat_labels *own, stoa_concat_axis *axis, stoa_error *err)
{
    axis->names = stoa_alloc_zero((size_t)own->n + 1, sizeof *axis->names);
    STOA_RETURN_NO_MEMORY(err, axis->names);
    for (uint64_t i = 0; i < own->n; i++) {
        size_t length = 0;
        const char *const text = label_of(own, i, &length);
        STOA_RETURN_NOT_OK(take_name(axis, text, length, err));
    }
    return STOA_OK;
}

/* Number the names of a file, each of which it has once. */
static stoa_status number_names(joiner *j, size_t i, stoa_error *err)
{
    const stoa_concat_labels *const own = &j->of_files[i];
    uint32_t number = 0;

    for (uint64_t k = 0; k < own->n; k++) {
        size_t length = 0;
        const char *const text = label_of(own, k, &length);
        STOA_RETURN_NOT_OK(stoa_string_set_add(&j->sets[i], text, length, &number, err));
    }
    return j->sets[i].count == own->n
               ? STOA_OK
               : stoa_fail(err, STOA_EDATA,
                           "%s:%s: names repeat, so those of several files cannot be matched",
                           j->c->files[i], j->path);
}

static stoa_status count_files(joiner *j, stoa_error *err)
{
    j->sets = stoa_alloc_zero(j->c->n, sizeof *j->sets);
    STOA_RETURN_NO_MEMORY(err, j->sets);
    for (size_t i = 0; i < j->c->n; i++) {
        STOA_RETURN_NOT_OK(number_names(j, i, err));
        STOA_RETURN_NOT_OK(stoa_string_set_merge(&j->all, &j->sets[i], NULL, err));
    }
    j->found_in = stoa_alloc_zero((size_t)j->all.count + 1, sizeof *j->found_in);
    STOA_RETURN_NO_MEMORY(err, j->found_in);
    for (size_t i = 0; i < j->c->n; i++) {
        for (uint32_t k = 0; k < j->sets[i].count; k++) {
            size_t length = 0;
            uint32_t number = 0;
            const char *const text = stoa_string_set_get(&j->sets[i], k, &length);
            if (stoa_string_set_find(&j->all, text, length, &number)) {
                j->found_in[number]++;
            }
        }
    }
    return STOA_OK;
}

/* The intersection has the order of the first file. The union is sorted, as pandas sorts it. */
static stoa_status choose_names(joiner *j, stoa_concat_axis *axis, stoa_error *err)
{
    axis->names = stoa_alloc_zero((size_t)j->all.count + 1, sizeof *axis->names);
    STOA_RETURN_NO_MEMORY(err, axis->names);
    for (uint32_t k = 0; k < j->all.count; k++) {
        const bool is_everywhere = j->found_in[k] == j->c->n;
        axis->is_widened = axis->is_widened || (j->c->options.outer && !is_everywhere);
        if (j->c->options.outer || is_everywhere) {
            size_t length = 0;
            const char *const text = stoa_string_set_get(&j->all, k, &length);
            STOA_RETURN_NOT_OK(take_name(axis, text, length, err));
        }
    }
    if (j->c->options.outer) {
        qsort(axis->names, (size_t)axis->n, sizeof *axis->names, by_bytes);
    }
    return STOA_OK;
}

static stoa_status find_places(const joiner *j, stoa_concat_axis *axis, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_string_set chosen = {.count = 0};
    uint32_t number = 0;

    for (uint64_t k = 0; k < axis->n; k++) {
        STOA_TRY(
            stoa_string_set_add(&chosen, axis->names[k], strlen(axis->names[k]), &number, err));
    }
    for (size_t i = 0; i < j->c->n; i++) {
        const stoa_string_set *const own = &j->sets[i];
        axis->places[i] = stoa_alloc((size_t)own->count + 1, sizeof(uint32_t));
        STOA_TRY(axis->places[i] != NULL ? STOA_OK : stoa_fail_memory(err));
        for (uint32_t k = 0; k < own->count; k++) {
            size_t length = 0;
            const char *const text = stoa_string_set_get(own, k, &length);
            axis->places[i][k] =
                stoa_string_set_find(&chosen, text, length, &number) ? number : STOA_CONCAT_DROPPED;
        }
    }

done:
    stoa_string_set_clear(&chosen);
    return status;
}

static stoa_status begin(stoa_concat_axis *axis, size_t n, stoa_error *err)
{
    *axis = (stoa_concat_axis){.lengths = stoa_alloc_zero(n, sizeof *axis->lengths),
                               .places = stoa_alloc_zero(n, sizeof *axis->places)};
    return axis->lengths != NULL && axis->places != NULL ? STOA_OK : stoa_fail_memory(err);
}

stoa_status stoa_concat_find_names(stoa_concat *c, const char *path, stoa_concat_axis *axis,
                                   stoa_error *err)
{
    stoa_status status = STOA_OK;
    joiner j = {.c = c, .path = path, .of_files = stoa_alloc_zero(c->n, sizeof *j.of_files)};
    bool is_same = true;

    STOA_TRY(begin(axis, c->n, err));
    STOA_TRY(j.of_files != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < c->n; i++) {
        STOA_TRY(stoa_concat_read_labels(c, i, path, &j.of_files[i], err));
        axis->lengths[i] = j.of_files[i].n;
        axis->most = axis->lengths[i] > axis->most ? axis->lengths[i] : axis->most;
        is_same = is_same && are_equal(&j.of_files[0], &j.of_files[i]);
    }
    if (is_same) {
        STOA_TRY(take_all(&j.of_files[0], axis, err));
        goto done;
    }
    STOA_TRY(count_files(&j, err));
    STOA_TRY(choose_names(&j, axis, err));
    STOA_TRY(find_places(&j, axis, err));

done:
    for (size_t i = 0; i < c->n; i++) {
        if (j.of_files != NULL) {
            stoa_concat_labels_clear(&j.of_files[i]);
        }
        if (j.sets != NULL) {
            stoa_string_set_clear(&j.sets[i]);
        }
    }
    free(j.of_files);
    free(j.sets);
    free(j.found_in);
    stoa_string_set_clear(&j.all);
    return status;
}

void stoa_concat_axis_clear(stoa_concat_axis *axis, size_t n_files)
{
    for (size_t i = 0; axis->places != NULL && i < n_files; i++) {
        free(axis->places[i]);
    }
    for (uint64_t i = 0; axis->names != NULL && i < axis->n; i++) {
        free(axis->names[i]);
    }
    free(axis->places);
    free(axis->names);
    free(axis->lengths);
    *axis = (stoa_concat_axis){.n = 0};
}

/* --- columns without names ------------------------------------------------------------------- */

static stoa_status width_of(hid_t file, const char *path, uint64_t *width, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_matrix_group_info info = STOA_MATRIX_GROUP_INFO_INIT;
    hsize_t extent[H5S_MAX_RANK] = {0};
    int rank = 0;
    hid_t object = stoa_object_open(file, path);

    if (object >= 0 && H5Iget_type(object) == H5I_DATASET) {
        STOA_TRY(stoa_extent_read(object, &rank, extent, err));
        *width = rank > 1 ? extent[1] : 1;
    } else {
        STOA_TRY(stoa_matrix_group_describe(file, path, &info, err));
        *width = info.n_columns;
    }

done:
    return stoa_hdf_close(&object, status, err);
}

stoa_status stoa_concat_count_columns(stoa_concat *c, const char *path, stoa_concat_axis *axis,
                                      stoa_error *err)
{
    hid_t file = H5I_INVALID_HID;
    bool differs = false;

    STOA_RETURN_NOT_OK(begin(axis, c->n, err));
    for (size_t i = 0; i < c->n; i++) {
        STOA_RETURN_NOT_OK(stoa_concat_open(c, i, &file, err));
        STOA_RETURN_NOT_OK(width_of(file, path, &axis->lengths[i], err));
        axis->most = axis->lengths[i] > axis->most ? axis->lengths[i] : axis->most;
        const bool is_more = axis->lengths[i] > axis->n;
        differs = differs || (i > 0 && axis->lengths[i] != axis->n);
        axis->n = i == 0 || is_more == c->options.outer ? axis->lengths[i] : axis->n;
    }
    axis->is_widened = differs && c->options.outer;
    for (size_t i = 0; differs && i < c->n; i++) {
        axis->places[i] = stoa_alloc((size_t)axis->lengths[i] + 1, sizeof(uint32_t));
        STOA_RETURN_NO_MEMORY(err, axis->places[i]);
        for (uint64_t k = 0; k < axis->lengths[i]; k++) {
            axis->places[i][k] = k < axis->n ? (uint32_t)k : STOA_CONCAT_DROPPED;
        }
    }
    return STOA_OK;
}
