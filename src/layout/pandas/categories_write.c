/* Writes the labels of categoricals in pandas' table format: a series beside the table,
 * meta/<member>/meta (PyTables notes §9.3). */
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "core/memory.h"
#include "hdf/copy/object_storage.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "layout/common/column_stats.h"
#include "layout/pandas/pandas.h"
#include "layout/pandas/table_write.h"
#include "layout/pickle/write.h"
#include "layout/pytables/pytables.h"

/* A stream of one batch: {index, values}. */
typedef struct labels {
    const stoa_pandas_member *member;
    uint64_t n;
    size_t longest;
    bool is_done;
} labels;

static bool has_text_labels(const labels *l)
{
    return l->member->codes.is_of_texts;
}

static const stoa_pandas_shape *shape_of(const labels *l)
{
    return &l->member->codes.labels;
}

static stoa_status labels_schema(void *self, struct ArrowSchema *out, stoa_error *err)
{
    const labels *const l = self;

    STOA_RETURN_NOT_OK(stoa_schema_make(out, "", "+s", err));
    STOA_RETURN_NOT_OK(stoa_schema_children(out, 2, err));
    STOA_RETURN_NOT_OK(stoa_schema_make(out->children[0], "index", "l", err));
    return stoa_schema_make(out->children[1], "values",
                            has_text_labels(l) ? "U" : stoa_kind_format(shape_of(l)->kind), err);
}

static stoa_status make_label_texts(const labels *l, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_string_set *const from =
        stoa_pandas_codes_texts(&l->member->codes, l->member->shape.stats);
    int64_t *offsets = stoa_alloc_zero((size_t)l->n + 1, sizeof *offsets);
    stoa_buffer text = {0};

    STOA_TRY(offsets != NULL ? STOA_OK : stoa_fail_memory(err));
    for (uint32_t i = 0; i < l->n; i++) {
        size_t length;
        const char *const label = stoa_string_set_get(from, i, &length);
        STOA_TRY(stoa_buffer_append(&text, label, length, err));
        offsets[i + 1] = (int64_t)text.size;
    }
    void *const buffers[] = {NULL, offsets, stoa_buffer_detach(&text)};
    offsets = NULL;
    STOA_TRY(stoa_array_make(out, (int64_t)l->n, 0, 3, buffers, err));

done:
    free(offsets);
    stoa_buffer_clear(&text);
    return status;
}

static stoa_status make_label_numbers(const labels *l, struct ArrowArray *out, stoa_error *err)
{
    const uint8_t *const values = stoa_pandas_codes_values(&l->member->codes);
    const bool are_bools = shape_of(l)->as == STOA_PANDAS_BOOL;
    const size_t width = are_bools ? 1 : (size_t)stoa_kind_width(shape_of(l)->kind);
    uint8_t *const copy = stoa_alloc_zero((size_t)l->n + 1, width);

    STOA_RETURN_NO_MEMORY(err, copy);
    for (uint64_t i = 0; are_bools && i < l->n; i++) {
        if (values[i] != 0) {
            stoa_bit_set(copy, i);
        }
    }
    if (!are_bools) {
        memcpy(copy, values, (size_t)l->n * width);
    }
    void *const buffers[] = {NULL, copy};
    return stoa_array_make(out, (int64_t)l->n, 0, 2, buffers, err);
}

static stoa_status labels_next(void *self, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    labels *const l = self;
    int64_t *counts = NULL;

    out->release = NULL;
    if (l->is_done) {
        return STOA_OK;
    }
    l->is_done = true;
    counts = stoa_alloc((size_t)l->n, sizeof *counts);
    STOA_TRY(counts != NULL ? STOA_OK : stoa_fail_memory(err));
    for (uint64_t i = 0; i < l->n; i++) {
        counts[i] = (int64_t)i;
    }
    STOA_TRY(stoa_array_struct(out, (int64_t)l->n, 2, err));
    void *const buffers[] = {NULL, counts};
    counts = NULL;
    STOA_TRY(stoa_array_make(out->children[0], (int64_t)l->n, 0, 2, buffers, err));
    STOA_TRY(has_text_labels(l) ? make_label_texts(l, out->children[1], err)
                                : make_label_numbers(l, out->children[1], err));

done:
    free(counts);
    if (status != STOA_OK) {
        stoa_array_release(out);
    }
    return status;
}

static stoa_status put_info(stoa_buffer *pickle, const char *zone, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_pickle_put(
        pickle, "(dI1\n(dVnames\n(lNasVtype\nVIndex\nssVindex\n(dsVvalues\n(d", err));
    if (zone != NULL) {
        STOA_RETURN_NOT_OK(stoa_pickle_put(pickle, "Vtz\n", err));
        STOA_RETURN_NOT_OK(stoa_pickle_put_zone(pickle, zone, err));
        STOA_RETURN_NOT_OK(stoa_pickle_put(pickle, "s", err));
    }
    return stoa_pickle_put(pickle, "s", err);
}

/* Write the attributes of a series, whose only column is called "values". */
static stoa_status write_series(hid_t group, hid_t dataset, const labels *l, stoa_error *err)
{
    static const char *const values[] = {"values"};
    static const stoa_layout_source nothing = {.own = NULL};
    const bool are_texts = has_text_labels(l);
    stoa_buffer pickle = {0};

    STOA_RETURN_NOT_OK(stoa_pandas_write_frame(group, "series_table", "appendable_series", err));
    STOA_RETURN_NOT_OK(stoa_pandas_write_axes(group, &nothing, values, 1, err));
    STOA_RETURN_NOT_OK(stoa_pandas_write_list(group, "values_cols", values, 1, err));
    STOA_RETURN_NOT_OK(stoa_pandas_write_list(group, "data_columns", values, 1, err));
    STOA_RETURN_NOT_OK(stoa_attribute_write_scalar(group, "levels", H5T_STD_I64LE, H5T_NATIVE_INT64,
                                                   &(int64_t){1}, err));
    const stoa_status status = put_info(&pickle, are_texts ? NULL : shape_of(l)->zone, err);
    STOA_RETURN_NOT_OK(stoa_pandas_write_pickle(group, "info", &pickle, status, err));
    STOA_RETURN_NOT_OK(stoa_pytables_write_text(dataset, "index_kind", "integer", err));
    STOA_RETURN_NOT_OK(stoa_pandas_write_kind(dataset, &nothing, "values", values, 1, err));
    STOA_RETURN_NOT_OK(stoa_pandas_write_dtype(
        dataset, "values", are_texts ? "" : shape_of(l)->name, are_texts ? l->longest : 0, err));
    return stoa_pandas_write_meta(dataset, "values", NULL, err);
}

static stoa_status put_labels_table(const stoa_pandas_members *members, labels *l, hid_t group,
                                    stoa_error *err)
{
    static const stoa_producer producer = {labels_schema, labels_next, NULL};
    stoa_status status = STOA_OK;
    stoa_layout_options options = *members->source->options;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArrayStream stream = {.release = NULL};
    stoa_column_stats *stats = NULL;
    hid_t dataset = H5I_INVALID_HID;

    options.listener = (stoa_listener){NULL, NULL};
    STOA_TRY(labels_schema(l, &schema, err));
    STOA_TRY(stoa_column_stats_make(&schema, &stats, err));
    stats[1].domain.longest = l->longest;
    STOA_TRY(stoa_stream_make(&stream, &producer, l, err));
    const stoa_layout_source rows = {.schema = &schema,
                                     .columns = stats,
                                     .stream = &stream,
                                     .n_rows = l->n,
                                     .options = &options};
    STOA_TRY(stoa_pandas_put_table(&rows, group, &dataset, err));
    STOA_TRY(write_series(group, dataset, l, err));

done:
    stoa_stream_release(&stream);
    stoa_column_stats_free(stats, stats != NULL ? 2 : 0);
    stoa_schema_release(&schema);
    return stoa_hdf_close(&dataset, status, err);
}

/* Remove those that are there. */
static stoa_status drop_labels(const stoa_pandas_member *member, hid_t group, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char *const parts[] = {"meta", "meta/%s", "meta/%s/meta"};
    htri_t exists = 1;
    char *path = NULL;

    for (size_t i = 0; exists > 0 && i < 3; i++) {
        free(path);
        path = stoa_format(parts[i], member->name);
        STOA_TRY(path != NULL ? STOA_OK : stoa_fail_memory(err));
        STOA_HDF(err, exists = H5Lexists(group, path, H5P_DEFAULT), "look for '%s'", path);
    }
    if (exists > 0) {
        STOA_HDF(err, stoa_unlink(group, path), "delete '%s'", path);
    }

done:
    free(path);
    return status;
}

stoa_status stoa_pandas_put_labels(const stoa_pandas_members *members,
                                   const stoa_pandas_member *member, hid_t group, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_string_set *const texts =
        stoa_pandas_codes_texts(&member->codes, member->shape.stats);
    labels l = {.member = member,
                .n = stoa_pandas_codes_count(&member->codes, member->shape.stats),
                .longest = 1};
    hid_t ids[3] = {H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID};
    const char *const names[] = {"meta", member->name, "meta"};

    STOA_TRY(drop_labels(member, group, err));
    for (uint32_t i = 0; has_text_labels(&l) && i < texts->count; i++) {
        size_t length;
        (void)stoa_string_set_get(texts, i, &length);
        l.longest = length > l.longest ? length : l.longest;
    }
    for (int i = 0; i < 3 && l.n > 0; i++) {
        const hid_t above = i > 0 ? ids[i - 1] : group;
        STOA_HDF(err,
                 ids[i] = H5Lexists(above, names[i], H5P_DEFAULT) > 0
                              ? H5Gopen2(above, names[i], H5P_DEFAULT)
                              : H5Gcreate2(above, names[i], H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                 "make a group");
        STOA_TRY(stoa_pytables_mark_group(ids[i], err));
    }
    if (l.n > 0) {
        STOA_TRY(put_labels_table(members, &l, ids[2], err));
    }

done:
    for (int i = 3; i-- > 0;) {
        status = stoa_hdf_close(&ids[i], status, err);
    }
    return status;
}

stoa_status stoa_pandas_put_categories(const stoa_pandas_members *members, hid_t group,
                                       stoa_error *err)
{
    for (size_t i = 0; i < members->n; i++) {
        if (members->all[i].is_coded) {
            STOA_RETURN_NOT_OK(stoa_pandas_put_labels(members, &members->all[i], group, err));
        }
    }
    return STOA_OK;
}
