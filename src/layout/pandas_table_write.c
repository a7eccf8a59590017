/*
 * pandas HDFStore, table format (PyTables notes §9.3): a group with a PyTables table, and the
 * pickles that say what its members are.
 *
 * Every column is a data column, so that pandas can select by it, unless its name is none that
 * PyTables takes; such a one is a block of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "core/memory.h"
#include "hdf/attributes.h"
#include "hdf/links.h"
#include "layout/facts.h"
#include "layout/pandas_frame.h"
#include "layout/pandas_members.h"
#include "layout/pickle_write.h"
#include "layout/pytables.h"

/* --- pickles --------------------------------------------------------------------------------- */

/* End a pickle, and write it as PyTables does: ASCII, no terminator. */
static stoa_status say_pickle(hid_t object, const char *name, stoa_buffer *pickle, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;

    STOA_TRY(stoa_pickle_put(pickle, ".", err));
    STOA_HDF(err, type = H5Tcopy(H5T_C_S1), "make a string type");
    STOA_HDF(err, H5Tset_size(type, pickle->size), "size a string type");
    STOA_TRY(stoa_attribute_write_scalar(object, name, type, type, pickle->data, err));

done:
    pickle->size = 0;
    return stoa_hdf_close(&type, status, err);
}

static stoa_status say_list(hid_t object, const char *name, const char *const *texts, size_t n,
                            stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer pickle = {0};

    STOA_TRY(stoa_pickle_put_texts(&pickle, texts, n, err));
    STOA_TRY(say_pickle(object, name, &pickle, err));

done:
    stoa_buffer_clear(&pickle);
    return status;
}

/* --- attributes of the table ----------------------------------------------------------------- */

static stoa_status say_of_member(hid_t dataset, const char *member, const char *suffix,
                                 const char *text, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *name = stoa_format("%s%s", member, suffix);

    STOA_TRY(name != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_pytables_write_text(dataset, name, text, err));

done:
    free(name);
    return status;
}

static stoa_status say_dtype(hid_t dataset, const char *member, const char *dtype, size_t text_size,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *bits = stoa_format("bytes%zu", 8 * text_size);

    STOA_TRY(bits != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(say_of_member(dataset, member, "_dtype", text_size > 0 ? bits : dtype, err));

done:
    free(bits);
    return status;
}

/* A list of column labels. */
static stoa_status put_labels_of(stoa_buffer *pickle, const stoa_layout_source *source,
                                 const char *const *names, size_t n, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_pickle_put(pickle, "(l", err));
    for (size_t i = 0; i < n; i++) {
        STOA_TRY(stoa_pandas_put_label(pickle, source, names[i], err));
        STOA_TRY(stoa_pickle_put(pickle, "a", err));
    }

done:
    return status;
}

static stoa_status say_kind(hid_t dataset, const stoa_layout_source *source, const char *member,
                            const char *label, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer pickle = {0};
    char *name = stoa_format("%s_kind", member);

    STOA_TRY(name != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(put_labels_of(&pickle, source, &label, 1, err));
    STOA_TRY(say_pickle(dataset, name, &pickle, err));

done:
    stoa_buffer_clear(&pickle);
    free(name);
    return status;
}

/* None, or what the values stand for. */
static stoa_status say_meta(hid_t dataset, const char *member, const char *meta, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer pickle = {0};
    char *name = stoa_format("%s_meta", member);

    STOA_TRY(name != NULL ? STOA_OK : stoa_fail_memory(err));
    if (meta != NULL) {
        STOA_TRY(stoa_pytables_write_text(dataset, name, meta, err));
        goto done;
    }
    STOA_TRY(stoa_pickle_put(&pickle, "N", err));
    STOA_TRY(say_pickle(dataset, name, &pickle, err));

done:
    stoa_buffer_clear(&pickle);
    free(name);
    return status;
}

static const char *dtype_of(const stoa_pandas_member *member)
{
    return !member->is_coded                  ? member->shape.name
           : member->codes == STOA_KIND_INT8  ? "int8"
           : member->codes == STOA_KIND_INT16 ? "int16"
                                              : "int32";
}

static stoa_status say_member(hid_t dataset, const stoa_layout_source *source,
                              const stoa_pandas_member *member, stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (member->is_index) {
        return stoa_pytables_write_text(dataset, "index_kind",
                                        stoa_pandas_label_kind(&member->shape, "string"), err);
    }
    STOA_TRY(say_kind(dataset, source, member->name, member->shape.field->name, err));
    STOA_TRY(say_dtype(dataset, member->name, dtype_of(member), member->text_size, err));
    STOA_TRY(say_meta(dataset, member->name, member->is_coded ? "category" : NULL, err));

done:
    return status;
}

static stoa_status say_members(hid_t dataset, const stoa_pandas_members *members, stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (members->has_counter) {
        STOA_TRY(stoa_pytables_write_text(dataset, "index_kind", "integer", err));
    }
    for (size_t i = 0; i < members->n; i++) {
        STOA_TRY(say_member(dataset, members->source, &members->all[i], err));
    }

done:
    return status;
}

/* --- attributes of the group ----------------------------------------------------------------- */

/* What all of pandas' tables say. */
static stoa_status say_frame(hid_t group, const char *pandas_type, const char *table_type,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer pickle = {0};

    STOA_TRY(stoa_pytables_mark_group(group, err));
    STOA_TRY(stoa_pytables_write_text(group, "pandas_type", pandas_type, err));
    STOA_TRY(stoa_pytables_write_text(group, "pandas_version", "0.15.2", err));
    STOA_TRY(stoa_pytables_write_text(group, "table_type", table_type, err));
    STOA_TRY(stoa_pytables_write_text(group, "encoding", "UTF-8", err));
    STOA_TRY(stoa_pytables_write_text(group, "errors", "strict", err));
    STOA_TRY(stoa_pytables_write_text(group, "nan_rep", STOA_PANDAS_NAN, err));
    STOA_TRY(stoa_pickle_put(&pickle, "(l(I0\nVindex\nta", err));
    STOA_TRY(say_pickle(group, "index_cols", &pickle, err));

done:
    stoa_buffer_clear(&pickle);
    return status;
}

/* [(1, [labels])]. */
static stoa_status say_axes(hid_t group, const stoa_layout_source *source,
                            const char *const *labels, size_t n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer pickle = {0};

    STOA_TRY(stoa_pickle_put(&pickle, "(l(I1\n", err));
    STOA_TRY(put_labels_of(&pickle, source, labels, n, err));
    STOA_TRY(stoa_pickle_put(&pickle, "ta", err));
    STOA_TRY(say_pickle(group, "non_index_axes", &pickle, err));

done:
    stoa_buffer_clear(&pickle);
    return status;
}

/* member: {"tz": ..., "ordered": ..., "index_name": ...}, whichever it has. */
static stoa_status put_info(stoa_buffer *pickle, const stoa_pandas_members *members,
                            const stoa_pandas_member *member, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_pickled *const label =
        member->is_index ? stoa_pandas_index_label(members->source) : NULL;
    const char *const name =
        member->is_index && label == NULL ? stoa_pandas_index_name(members->source, 0) : NULL;
    bool is_plain = true;

    STOA_TRY(stoa_pickle_put_text(pickle, member->name, err));
    STOA_TRY(stoa_pickle_put(pickle, "(d", err));
    if (member->shape.zone != NULL) {
        STOA_TRY(stoa_pickle_put(pickle, "Vtz\n", err));
        STOA_TRY(stoa_pickle_put_zone(pickle, member->shape.zone, err));
        STOA_TRY(stoa_pickle_put(pickle, "s", err));
    }
    if (member->is_coded) {
        STOA_TRY(stoa_pickle_put(pickle, "Vordered\n", err));
        STOA_TRY(stoa_pickle_put_bool(
            pickle, (member->shape.field->flags & ARROW_FLAG_DICTIONARY_ORDERED) != 0, err));
        STOA_TRY(stoa_pickle_put(pickle, "s", err));
    }
    if (name != NULL || label != NULL) {
        STOA_TRY(stoa_pickle_put(pickle, "Vindex_name\n", err));
        STOA_TRY(name != NULL
                     ? stoa_pickle_put_text(pickle, name, err)
                     : stoa_pandas_put_node(pickle, label, STOA_PANDAS_FOR_PANDAS, &is_plain, err));
        STOA_TRY(stoa_pickle_put(pickle, "s", err));
    }
    STOA_TRY(stoa_pickle_put(pickle, "s", err));

done:
    return status;
}

/* {1: {"names": [...], "type": ...}, of the axis of columns. */
static stoa_status put_axis(stoa_buffer *pickle, const stoa_layout_source *source, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_pickle_put(pickle, "(dI1\n(dVnames\n", err));
    STOA_TRY(stoa_pandas_put_names(pickle, source, err));
    STOA_TRY(stoa_pickle_put(pickle, "sVtype\n", err));
    STOA_TRY(stoa_pickle_put(
        pickle, stoa_pandas_n_levels(source) > 1 ? "VMultiIndex\nss" : "VIndex\nss", err));

done:
    return status;
}

static stoa_status say_info(hid_t group, const stoa_pandas_members *members, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer pickle = {0};

    STOA_TRY(put_axis(&pickle, members->source, err));
    if (members->has_counter) {
        STOA_TRY(stoa_pickle_put(&pickle, "Vindex\n(ds", err));
    }
    for (size_t i = 0; i < members->n; i++) {
        STOA_TRY(put_info(&pickle, members, &members->all[i], err));
    }
    STOA_TRY(say_pickle(group, "info", &pickle, err));

done:
    stoa_buffer_clear(&pickle);
    return status;
}

/* How many levels the index has: 1; of a MultiIndex their names. */
static stoa_status say_levels(hid_t group, const stoa_pandas_members *members, stoa_error *err)
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
        names[i] = members->all[i].name; /* the levels are the first of the members */
    }
    STOA_TRY(say_list(group, "levels", names, n, err));

done:
    free(names);
    return status;
}

static stoa_status say_columns(hid_t group, const stoa_pandas_members *members, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char **labels = stoa_alloc(members->n, sizeof *labels);
    const char **values = stoa_alloc(members->n, sizeof *values);
    const char **data = stoa_alloc(members->n, sizeof *data);
    size_t n = 0;
    size_t n_data = 0;

    STOA_TRY(labels != NULL && values != NULL && data != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < members->n; i++) {
        const stoa_pandas_member *const member = &members->all[i];
        if (!member->is_index) {
            labels[n] = member->shape.field->name;
            values[n++] = member->name;
        }
        if (!member->is_index && !member->is_block) {
            data[n_data++] = member->name;
        }
    }
    STOA_TRY(say_axes(group, members->source, labels, n, err));
    STOA_TRY(say_list(group, "values_cols", values, n, err));
    STOA_TRY(say_list(group, "data_columns", data, n_data, err));

done:
    free(labels);
    free(values);
    free(data);
    return status;
}

static stoa_status say_group(hid_t group, const stoa_pandas_members *members, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const bool is_multi = members->source->n_index_columns > 1;

    const bool is_series = stoa_pandas_is_series(members->source);

    STOA_TRY(is_series ? say_frame(group, "series_table",
                                   is_multi ? "appendable_multiseries" : "appendable_series", err)
                       : say_frame(group, "frame_table",
                                   is_multi ? "appendable_multiframe" : "appendable_frame", err));
    STOA_TRY(say_info(group, members, err));
    STOA_TRY(say_levels(group, members, err));
    STOA_TRY(say_columns(group, members, err));

done:
    return status;
}

/* --- the table ------------------------------------------------------------------------------- */

/* Write rows as a table without a name, and put it into the group. */
static stoa_status put_table(const stoa_layout_source *rows, hid_t group, hid_t *dataset,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_layout_write_pytables.write(rows, group, dataset, err));
    STOA_HDF(err, stoa_link_nameless(*dataset, group, "table", H5P_DEFAULT), "link the table");

done:
    return status;
}

/* --- categories ------------------------------------------------------------------------------ */

/* A stream of one batch: {index, values}. */
typedef struct labels {
    const stoa_pandas_member *member;
    uint64_t n;
    size_t longest;
    bool is_done;
} labels;

static bool has_text_labels(const labels *l)
{
    return l->member->n_labels == 0;
}

static stoa_status labels_schema(void *self, struct ArrowSchema *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const labels *const l = self;

    STOA_TRY(stoa_schema_make(out, "", "+s", err));
    STOA_TRY(stoa_schema_children(out, 2, err));
    STOA_TRY(stoa_schema_make(out->children[0], "index", "l", err));
    STOA_TRY(stoa_schema_make(out->children[1], "values",
                              has_text_labels(l) ? "U" : stoa_kind_format(l->member->labels_kind),
                              err));

done:
    return status;
}

static stoa_status make_label_texts(const labels *l, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_strings *const from = &l->member->shape.facts->labels;
    int64_t *offsets = stoa_alloc_zero((size_t)l->n + 1, sizeof *offsets);
    stoa_buffer text = {0};

    STOA_TRY(offsets != NULL ? STOA_OK : stoa_fail_memory(err));
    for (uint32_t i = 0; i < l->n; i++) {
        size_t length;
        const char *const label = stoa_strings_get(from, i, &length);
        STOA_TRY(stoa_buffer_append(&text, label, length, err));
        offsets[i + 1] = (int64_t)text.size;
    }
    void *const buffers[] = {NULL, offsets, stoa_buffer_take(&text)};
    offsets = NULL;
    STOA_TRY(stoa_array_make(out, (int64_t)l->n, 0, 3, buffers, err));

done:
    free(offsets);
    stoa_buffer_clear(&text);
    return status;
}

static stoa_status make_label_numbers(const labels *l, struct ArrowArray *out, stoa_error *err)
{
    void *const copy = stoa_alloc(1, l->member->labels.size);

    if (copy == NULL) {
        return stoa_fail_memory(err);
    }
    memcpy(copy, l->member->labels.data, l->member->labels.size);
    void *const buffers[] = {NULL, copy};
    return stoa_array_make(out, (int64_t)l->n, 0, 2, buffers, err);
}

static stoa_status labels_next(void *self, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    labels *const l = self;
    void *const none[] = {NULL};
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
    STOA_TRY(stoa_array_make(out, (int64_t)l->n, 0, 1, none, err));
    STOA_TRY(stoa_array_children(out, 2, err));
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

/* What a series says of itself; it has no name but "values". */
static stoa_status say_series(hid_t group, hid_t dataset, const labels *l, stoa_error *err)
{
    stoa_status status = STOA_OK;
    static const char *const values[] = {"values"};
    static const stoa_layout_source nothing = {.frame = NULL};
    stoa_buffer pickle = {0};
    const char *const dtype = has_text_labels(l) ? "" : stoa_pandas_dtype(l->member->labels_kind);

    STOA_TRY(say_frame(group, "series_table", "appendable_series", err));
    STOA_TRY(say_axes(group, &nothing, values, 1, err));
    STOA_TRY(say_list(group, "values_cols", values, 1, err));
    STOA_TRY(say_list(group, "data_columns", values, 1, err));
    STOA_TRY(stoa_attribute_write_scalar(group, "levels", H5T_STD_I64LE, H5T_NATIVE_INT64,
                                         &(int64_t){1}, err));
    STOA_TRY(stoa_pickle_put(&pickle,
                             "(dI1\n(dVnames\n(lNasVtype\nVIndex\nssVindex\n(dsVvalues\n(ds", err));
    STOA_TRY(say_pickle(group, "info", &pickle, err));
    STOA_TRY(stoa_pytables_write_text(dataset, "index_kind", "integer", err));
    STOA_TRY(say_kind(dataset, &nothing, "values", "values", err));
    STOA_TRY(say_dtype(dataset, "values", dtype, has_text_labels(l) ? l->longest : 0, err));
    STOA_TRY(say_meta(dataset, "values", NULL, err));

done:
    stoa_buffer_clear(&pickle);
    return status;
}

static stoa_status put_labels_table(const stoa_pandas_members *members, labels *l, hid_t group,
                                    stoa_error *err)
{
    static const stoa_producer producer = {labels_schema, labels_next, NULL};
    stoa_status status = STOA_OK;
    stoa_layout_options options = *members->source->options;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArrayStream stream = {.release = NULL};
    stoa_facts *facts = NULL;
    hid_t dataset = H5I_INVALID_HID;

    options.listener = (stoa_listener){NULL, NULL};
    STOA_TRY(labels_schema(l, &schema, err));
    STOA_TRY(stoa_facts_make(&schema, &facts, err));
    facts[1].domain.longest = l->longest;
    STOA_TRY(stoa_stream_make(&stream, &producer, l, err));
    const stoa_layout_source rows = {.schema = &schema,
                                     .columns = facts,
                                     .stream = &stream,
                                     .n_rows = l->n,
                                     .options = &options};
    STOA_TRY(put_table(&rows, group, &dataset, err));
    STOA_TRY(say_series(group, dataset, l, err));

done:
    stoa_stream_release(&stream);
    stoa_facts_free(facts, facts != NULL ? 2 : 0);
    stoa_schema_release(&schema);
    return stoa_hdf_close(&dataset, status, err);
}

/* meta/<member>/meta; nothing of no categories, as in pandas. */
static stoa_status put_labels(const stoa_pandas_members *members, const stoa_pandas_member *member,
                              hid_t group, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_strings *const texts = &member->shape.facts->labels;
    labels l = {.member = member,
                .n = member->n_labels > 0 ? member->n_labels : texts->count,
                .longest = 1};
    hid_t ids[3] = {H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID};
    const char *const names[] = {"meta", member->name, "meta"};

    for (uint32_t i = 0; i < texts->count; i++) {
        size_t length;
        (void)stoa_strings_get(texts, i, &length);
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

static stoa_status put_all_labels(const stoa_pandas_members *members, hid_t group, stoa_error *err)
{
    stoa_status status = STOA_OK;

    for (size_t i = 0; i < members->n; i++) {
        if (members->all[i].is_coded) {
            STOA_TRY(put_labels(members, &members->all[i], group, err));
        }
    }

done:
    return status;
}

/* --- all of it ------------------------------------------------------------------------------- */

static stoa_status put_rows(stoa_pandas_members *members, hid_t group, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_layout_source rows = *members->source;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArrayStream stream = {.release = NULL};
    stoa_facts *facts = NULL;
    hid_t dataset = H5I_INVALID_HID;

    STOA_TRY(stoa_pandas_members_schema(members, &schema, &facts, err));
    STOA_TRY(stoa_pandas_members_stream(members, &stream, err));
    rows.schema = &schema;
    rows.columns = facts;
    rows.stream = &stream;
    rows.n_index_columns = 0;
    STOA_TRY(put_table(&rows, group, &dataset, err));
    STOA_TRY(say_members(dataset, members, err));

done:
    stoa_stream_release(&stream);
    stoa_facts_free(facts, facts != NULL ? (size_t)schema.n_children : 0);
    stoa_schema_release(&schema);
    return stoa_hdf_close(&dataset, status, err);
}

static stoa_status write_frame(const stoa_layout_source *source, hid_t file, hid_t *object,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_pandas_members members = {.all = NULL};
    hid_t group = H5I_INVALID_HID;

    *object = H5I_INVALID_HID;
    STOA_TRY(stoa_pandas_members_make(source, &members, err));
    STOA_HDF(err, group = H5Gcreate_anon(file, H5P_DEFAULT, H5P_DEFAULT), "make a group");
    STOA_TRY(put_rows(&members, group, err));
    STOA_TRY(put_all_labels(&members, group, err));
    STOA_TRY(say_group(group, &members, err));
    *object = group;
    group = H5I_INVALID_HID;

done:
    stoa_pandas_members_clear(&members);
    return stoa_hdf_close(&group, status, err);
}

const stoa_layout_writer stoa_layout_write_pandas_table = {
    "pandas-table", write_frame, stoa_pytables_mark_root, stoa_pandas_holds_missing, NULL};
