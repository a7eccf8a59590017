/*
 * pandas HDFStore, table format (PyTables notes §9.3): a group with a PyTables table, and the
 * pickles that describe its members.
 *
 * Every column is a data column, so that pandas can select by it, unless PyTables does not allow
 * its name. Then it goes into a block.
 */
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "layout/common/column_stats.h"
#include "layout/pandas/frame.h"
#include "layout/pandas/members.h"
#include "layout/pandas/pandas.h"
#include "layout/pandas/table_write.h"
#include "layout/pickle/write.h"
#include "layout/pytables/pytables.h"

/* --- attributes of the table ----------------------------------------------------------------- */

/* The string dtype of a column; NULL if stored as objects, or not strings. */
static const char *strings_of(const stoa_layout_source *source, const stoa_pandas_member *member)
{
    const char *const name = member->shape.field->name;

    return member->shape.as == STOA_PANDAS_TEXT && stoa_pandas_label_of(source, name) == NULL
               ? stoa_pandas_strings_of(source, name)
               : NULL;
}

/* pandas looks for that dtype by the name of the column. For a data column this is the name of the
 * member. */
static stoa_status write_strings(hid_t dataset, const stoa_layout_source *source,
                                 const stoa_pandas_member *member, stoa_error *err)
{
    for (size_t i = 0; i < member->n_items && member->is_block; i++) {
        const char *const dtype = strings_of(source, &member[i]);
        STOA_RETURN_NOT_OK(
            dtype != NULL ? stoa_pandas_write_meta(dataset, member[i].shape.field->name, dtype, err)
                          : STOA_OK);
    }
    return STOA_OK;
}

static const char *dtype_of(const stoa_pandas_member *member)
{
    return member->is_coded ? stoa_pandas_dtype(member->codes.kind) : member->shape.name;
}

/* `member` is the first of its block. */
static stoa_status write_member(hid_t dataset, const stoa_layout_source *source,
                                const stoa_pandas_member *member, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char **labels = NULL;

    if (member->is_index) {
        return stoa_pytables_write_text(dataset, "index_kind",
                                        stoa_pandas_label_kind(&member->shape, "string"), err);
    }
    labels = stoa_alloc(member->n_items, sizeof *labels);
    STOA_TRY(labels != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < member->n_items; i++) {
        labels[i] = member[i].shape.field->name;
    }
    STOA_TRY(stoa_pandas_write_kind(dataset, source, member->name, labels, member->n_items, err));
    STOA_TRY(
        stoa_pandas_write_dtype(dataset, member->name, dtype_of(member), member->text_size, err));
    STOA_TRY(stoa_pandas_write_meta(dataset, member->name,
                                    member->is_coded    ? "category"
                                    : !member->is_block ? strings_of(source, member)
                                                        : NULL,
                                    err));
    STOA_TRY(write_strings(dataset, source, member, err));

done:
    free(labels);
    return status;
}

static stoa_status write_members(hid_t dataset, const stoa_pandas_members *members, stoa_error *err)
{
    if (members->has_counter) {
        STOA_RETURN_NOT_OK(stoa_pytables_write_text(dataset, "index_kind", "integer", err));
    }
    for (size_t i = 0; i < members->n; i += members->all[i].n_items) {
        STOA_RETURN_NOT_OK(write_member(dataset, members->source, &members->all[i], err));
    }
    return STOA_OK;
}

/* --- attributes of the group ----------------------------------------------------------------- */

/* "freq" of periods, and of times and durations if it was noted. pandas checks it. */
static stoa_status put_frequency(stoa_buffer *pickle, const stoa_pandas_members *members,
                                 const stoa_pandas_member *member, stoa_error *err)
{
    const stoa_pandas_shape *const shape = &member->shape;
    stoa_pandas_freq freq = shape->freq;
    int64_t first = 0;
    int64_t last = 0;

    if (shape->as == STOA_PANDAS_PERIOD ||
        ((shape->as == STOA_PANDAS_TIME || shape->as == STOA_PANDAS_DELTA) &&
         stoa_pandas_declared_freq(members->source, &freq, &first, &last))) {
        STOA_RETURN_NOT_OK(stoa_pickle_put(pickle, "Vfreq\n", err));
        STOA_RETURN_NOT_OK(stoa_pandas_put_freq(pickle, &freq, err));
        STOA_RETURN_NOT_OK(stoa_pickle_put(pickle, "s", err));
    }
    return STOA_OK;
}

/* member: {"tz": ..., "freq": ..., "ordered": ..., "index_name": ...}, as far as they apply. */
static stoa_status put_info(stoa_buffer *pickle, const stoa_pandas_members *members,
                            const stoa_pandas_member *member, stoa_error *err)
{
    const stoa_pickled *const label =
        member->is_index ? stoa_pandas_index_label(members->source, 0) : NULL;
    const char *const name =
        member->is_index && label == NULL ? stoa_pandas_index_name(members->source, 0) : NULL;

    STOA_RETURN_NOT_OK(stoa_pickle_put_text(pickle, member->name, err));
    STOA_RETURN_NOT_OK(stoa_pickle_put(pickle, "(d", err));
    if (member->shape.zone != NULL) {
        STOA_RETURN_NOT_OK(stoa_pickle_put(pickle, "Vtz\n", err));
        /* When it appends, pandas compares the zone object of an index, but the zone name of a
         * column. */
        STOA_RETURN_NOT_OK(member->is_index
                               ? stoa_pickle_put_zone_object(pickle, member->shape.zone, err)
                               : stoa_pickle_put_zone(pickle, member->shape.zone, err));
        STOA_RETURN_NOT_OK(stoa_pickle_put(pickle, "s", err));
    }
    if (member->is_coded) {
        STOA_RETURN_NOT_OK(stoa_pickle_put(pickle, "Vordered\n", err));
        STOA_RETURN_NOT_OK(stoa_pickle_put_bool(pickle, member->codes.is_ordered, err));
        STOA_RETURN_NOT_OK(stoa_pickle_put(pickle, "s", err));
    }
    if (member->is_index) {
        STOA_RETURN_NOT_OK(put_frequency(pickle, members, member, err));
    }
    if (name != NULL || label != NULL) {
        STOA_RETURN_NOT_OK(stoa_pickle_put(pickle, "Vindex_name\n", err));
        STOA_RETURN_NOT_OK(stoa_pandas_put_label_or(pickle, label, name, err));
        STOA_RETURN_NOT_OK(stoa_pickle_put(pickle, "s", err));
    }
    return stoa_pickle_put(pickle, "s", err);
}

/* {1: {"names": [...], "type": ...}}, of the column axis. */
static stoa_status put_axis(stoa_buffer *pickle, const stoa_layout_source *source, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_pickle_put(pickle, "(dI1\n(dVnames\n", err));
    STOA_RETURN_NOT_OK(stoa_pandas_put_names(pickle, source, err));
    STOA_RETURN_NOT_OK(stoa_pickle_put(pickle, "sVtype\n", err));
    return stoa_pickle_put(
        pickle, stoa_pandas_n_levels(source) > 1 ? "VMultiIndex\nss" : "VIndex\nss", err);
}

static stoa_status put_infos(stoa_buffer *pickle, const stoa_pandas_members *members,
                             stoa_error *err)
{
    STOA_RETURN_NOT_OK(put_axis(pickle, members->source, err));
    STOA_RETURN_NOT_OK(stoa_pickle_put(pickle, members->has_counter ? "Vindex\n(ds" : "", err));
    for (size_t i = 0; i < members->n; i += members->all[i].n_items) {
        STOA_RETURN_NOT_OK(put_info(pickle, members, &members->all[i], err));
    }
    return STOA_OK;
}

/* Write the number of index levels: 1, or for a MultiIndex their names. */
static stoa_status write_levels(hid_t group, const stoa_pandas_members *members, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n = members->source->n_index_columns;
    const char **names = stoa_alloc(n, sizeof *names);

    STOA_TRY(names != NULL ? STOA_OK : stoa_fail_memory(err));
    if (n < 2) {
        STOA_TRY(stoa_attribute_write_scalar(group, "levels", H5T_STD_I64LE, H5T_NATIVE_INT64,
                                             &(int64_t){1}, err));
        goto done;
    }
    for (size_t i = 0; i < n; i++) {
        names[i] = members->all[i].name; /* the levels are the first members */
    }
    STOA_TRY(stoa_pandas_write_list(group, "levels", names, n, err));

done:
    free(names);
    return status;
}

/* All labels in the frame's order, after the levels of the index. */
static stoa_status write_labels(hid_t group, const stoa_pandas_members *members, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_layout_source *const source = members->source;
    const char **labels = stoa_alloc(members->n, sizeof *labels);
    size_t n = 0;

    STOA_TRY(labels != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; members->has_counter && i < members->n_labels; i++) {
        labels[n++] = members->all[i].shape.field->name;
    }
    for (size_t i = 0; i < (size_t)source->schema->n_children; i++) {
        if (!stoa_pandas_is_index(source, i)) {
            labels[n++] = source->schema->children[i]->name;
        }
    }
    STOA_TRY(stoa_pandas_write_axes(group, source, labels, n, err));

done:
    free(labels);
    return status;
}

static stoa_status write_columns(hid_t group, const stoa_pandas_members *members, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char **values = stoa_alloc(members->n, sizeof *values);
    const char **data = stoa_alloc(members->n, sizeof *data);
    size_t n = 0;
    size_t n_data = 0;

    STOA_TRY(values != NULL && data != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < members->n; i += members->all[i].n_items) {
        const stoa_pandas_member *const member = &members->all[i];
        if (!member->is_index) {
            values[n++] = member->name;
        }
        if (!member->is_index && !member->is_block) {
            data[n_data++] = member->name;
        }
    }
    STOA_TRY(write_labels(group, members, err));
    STOA_TRY(stoa_pandas_write_list(group, "values_cols", values, n, err));
    STOA_TRY(stoa_pandas_write_list(group, "data_columns", data, n_data, err));

done:
    free(values);
    free(data);
    return status;
}

static stoa_status write_group(hid_t group, const stoa_pandas_members *members, stoa_error *err)
{
    const bool is_multi = members->source->n_index_columns > 1;
    const bool is_series = stoa_pandas_is_series(members->source);
    stoa_buffer pickle = {0};

    STOA_RETURN_NOT_OK(
        is_series ? stoa_pandas_write_frame(
                        group, "series_table",
                        is_multi ? "appendable_multiseries" : "appendable_series", err)
                  : stoa_pandas_write_frame(group, "frame_table",
                                            is_multi ? "appendable_multiframe" : "appendable_frame",
                                            err));
    const stoa_status status = put_infos(&pickle, members, err);
    STOA_RETURN_NOT_OK(stoa_pandas_write_pickle(group, "info", &pickle, status, err));
    STOA_RETURN_NOT_OK(write_levels(group, members, err));
    return write_columns(group, members, err);
}

/* --- writing --------------------------------------------------------------------------------- */

static stoa_status put_rows(stoa_pandas_members *members, hid_t group, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_layout_source rows = *members->source;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArrayStream stream = {.release = NULL};
    stoa_column_stats *stats = NULL;
    hid_t dataset = H5I_INVALID_HID;

    STOA_TRY(stoa_pandas_members_schema(members, &schema, &stats, err));
    STOA_TRY(stoa_pandas_members_stream(members, &stream, err));
    rows.schema = &schema;
    rows.columns = stats;
    rows.stream = &stream;
    rows.n_index_columns = 0;
    STOA_TRY(stoa_pandas_put_table(&rows, group, &dataset, err));
    STOA_TRY(write_members(dataset, members, err));

done:
    stoa_stream_release(&stream);
    stoa_column_stats_free(stats, stats != NULL ? (size_t)schema.n_children : 0);
    stoa_schema_release(&schema);
    return stoa_hdf_close(&dataset, status, err);
}

stoa_status stoa_pandas_write_table(const stoa_layout_source *source, hid_t file, hid_t *object,
                                    stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_pandas_members members = {.all = NULL};
    stoa_layout_source own;
    stoa_pickle *frame = NULL;
    hid_t group = H5I_INVALID_HID;

    *object = H5I_INVALID_HID;
    STOA_TRY(stoa_pandas_recall(source, &own, &frame, err));
    STOA_TRY(stoa_pandas_members_make(&own, &members, err));
    STOA_HDF(err, group = H5Gcreate_anon(file, H5P_DEFAULT, H5P_DEFAULT), "make a group");
    STOA_TRY(put_rows(&members, group, err));
    STOA_TRY(stoa_pandas_put_categories(&members, group, err));
    STOA_TRY(write_group(group, &members, err));
    *object = group;
    group = H5I_INVALID_HID;

done:
    stoa_pandas_members_clear(&members);
    stoa_pickle_close(frame);
    return stoa_hdf_close(&group, status, err);
}
