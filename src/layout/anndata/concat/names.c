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

/* Names in the order of one file. A name may repeat as long as all files agree. */
typedef struct names {
    stoa_string_set set;
    stoa_buffer numbers; /* uint32_t: of each name in the set */
} names;

static void clear_names(names *own)
{
    stoa_string_set_clear(&own->set);
    stoa_buffer_clear(&own->numbers);
}

static stoa_status add_names(names *own, const struct ArrowSchema *schema,
                             const struct ArrowArray *array, stoa_error *err)
{
    stoa_view view;

    STOA_RETURN_NOT_OK(stoa_view_of(schema, array, &view, err));
    if (!stoa_kind_is_string(view.type.kind)) {
        return stoa_fail(err, STOA_ETYPE, "its row labels are no strings");
    }
    for (int64_t i = 0; i < view.length; i++) {
        size_t length = 0;
        uint32_t number = 0;
        const char *const text =
            stoa_view_is_null(&view, i) ? "" : stoa_view_bytes(&view, i, &length);
        STOA_RETURN_NOT_OK(stoa_string_set_add(&own->set, text, length, &number, err));
        STOA_RETURN_NOT_OK(stoa_buffer_append(&own->numbers, &number, sizeof number, err));
    }
    return STOA_OK;
}

static stoa_status read_names(hid_t file, const char *path, names *own, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *table = NULL;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};

    STOA_TRY(stoa_table_open(file, path, &table, err));
    if (stoa_table_n_index_columns(table) != 1) {
        STOA_FAIL(err, STOA_EDATA, "has no labels of rows");
    }
    stoa_column *const labels =
        stoa_table_find(table, stoa_column_name(stoa_table_index_column(table, 0)));
    STOA_TRY(stoa_column_read_labels(labels, &schema, &array, err));
    STOA_TRY(add_names(own, &schema, &array, err));

done:
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    stoa_table_close(table);
    return stoa_layout_error_at(file, path, status, err);
}

static uint64_t count_names(const names *own)
{
    return own->numbers.size / sizeof(uint32_t);
}

static bool are_equal(const names *a, const names *b)
{
    return a->numbers.size == b->numbers.size && a->set.bytes.size == b->set.bytes.size &&
           a->set.count == b->set.count &&
           memcmp(a->numbers.data, b->numbers.data, a->numbers.size) == 0 &&
           memcmp(a->set.bytes.data, b->set.bytes.data, a->set.bytes.size) == 0 &&
           memcmp(a->set.offsets.data, b->set.offsets.data, a->set.offsets.size) == 0;
}

/* --- the result ------------------------------------------------------------------------------ */

typedef struct joiner {
    stoa_concat *c;
    const char *path;
    names *of_files; /* shape (n,) */
    stoa_string_set all;
    uint32_t *found_in; /* files that have each name */
} joiner;

static stoa_status take_name(stoa_concat_axis *axis, const stoa_string_set *set, uint32_t number,
                             stoa_error *err)
{
    size_t length = 0;
    const char *const text = stoa_string_set_get(set, number, &length);
    char *const own = stoa_strndup(text, length);

    STOA_RETURN_NO_MEMORY(err, own);
    axis->names[axis->n++] = own;
    return STOA_OK;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All files have the same names in the same order. */
static stoa_status take_all(const names *own, stoa_concat_axis *axis, stoa_error *err)
{
    const uint32_t *const numbers = (const uint32_t *)(const void *)own->numbers.data;

    axis->names = stoa_alloc_zero((size_t)count_names(own) + 1, sizeof *axis->names);
    STOA_RETURN_NO_MEMORY(err, axis->names);
    for (uint64_t i = 0; i < count_names(own); i++) {
        STOA_RETURN_NOT_OK(take_name(axis, &own->set, numbers[i], err));
    }
    return STOA_OK;
}

static stoa_status count_files(joiner *j, stoa_error *err)
{
    for (size_t i = 0; i < j->c->n; i++) {
        const names *const own = &j->of_files[i];
        if (own->set.count != count_names(own)) {
            return stoa_fail(err, STOA_EDATA,
                             "%s:%s: names repeat, so those of several files cannot be matched",
                             j->c->files[i], j->path);
        }
        STOA_RETURN_NOT_OK(stoa_string_set_merge(&j->all, &own->set, NULL, err));
    }
    j->found_in = stoa_alloc_zero((size_t)j->all.count + 1, sizeof *j->found_in);
    STOA_RETURN_NO_MEMORY(err, j->found_in);
    for (size_t i = 0; i < j->c->n; i++) {
        for (uint32_t k = 0; k < j->of_files[i].set.count; k++) {
            size_t length = 0;
            uint32_t number = 0;
            const char *const text = stoa_string_set_get(&j->of_files[i].set, k, &length);
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
        STOA_RETURN_NOT_OK(j->c->options.outer || is_everywhere ? take_name(axis, &j->all, k, err)
                                                                : STOA_OK);
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
        const stoa_string_set *const own = &j->of_files[i].set;
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
    hid_t file = H5I_INVALID_HID;

    STOA_TRY(begin(axis, c->n, err));
    STOA_TRY(j.of_files != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < c->n; i++) {
        STOA_TRY(stoa_concat_open(c, i, &file, err));
        STOA_TRY(read_names(file, path, &j.of_files[i], err));
        axis->lengths[i] = count_names(&j.of_files[i]);
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
    for (size_t i = 0; j.of_files != NULL && i < c->n; i++) {
        clear_names(&j.of_files[i]);
    }
    free(j.of_files);
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
