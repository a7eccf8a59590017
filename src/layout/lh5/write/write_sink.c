/* Columns as LH5 objects: arrays, vectors, tables, or packed arrays (LH5 notes §4). */
#include <stdlib.h>
#include <string.h>

#include "column/type/tensor.h"
#include "layout/common/column_datasets.h"
#include "layout/lh5/read/lh5.h"
#include "layout/lh5/write/writer.h"

stoa_status stoa_lh5_check_name(const char *name, const char *path, stoa_error *err)
{
    if (name[0] == '\0' || strpbrk(name, ",./{}") != NULL) {
        return stoa_fail(
            err, STOA_ETYPE,
            "column '%s': LH5 knows no field called '%s', since ',', '.', '/', '{' and "
            "'}' have a meaning of their own; rename it",
            path, name);
    }
    return STOA_OK;
}

static const stoa_lh5_sink no_sink = {
    .group = H5I_INVALID_HID,
    .rows.dataset = H5I_INVALID_HID,
    .items = {.stored = H5I_INVALID_HID, .memory = H5I_INVALID_HID},
    .bytes.dataset = H5I_INVALID_HID,
    .sizes.dataset = H5I_INVALID_HID,
};

stoa_lh5_sink *stoa_lh5_sinks(size_t n)
{
    stoa_lh5_sink *const sinks = stoa_alloc(n, sizeof *sinks);

    for (size_t i = 0; sinks != NULL && i < n; i++) {
        sinks[i] = no_sink;
    }
    return sinks;
}

stoa_status stoa_lh5_sink_parts(stoa_lh5_sink *sink, size_t n, stoa_error *err)
{
    sink->parts = stoa_lh5_sinks(n);
    sink->n_parts = sink->parts != NULL ? n : 0;
    return sink->parts != NULL ? STOA_OK : stoa_fail_memory(err);
}

hid_t stoa_lh5_sink_object(const stoa_lh5_sink *sink)
{
    return sink->group >= 0 ? sink->group : sink->rows.dataset;
}

/* --- attributes ------------------------------------------------------------------------------- */

static stoa_status write_note(hid_t object, const struct ArrowSchema *field, const char *name,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *text = NULL;

    STOA_TRY(stoa_schema_get_text(field, name, &text, err));
    if (text != NULL) {
        STOA_TRY(stoa_lh5_write_text(object, name, text, err));
    }

done:
    free(text);
    return status;
}

/* Write units, description and other attributes. Times and durations are counts of their unit. */
static stoa_status write_notes(const stoa_lh5_sink *sink, stoa_error *err)
{
    const hid_t object = stoa_lh5_sink_object(sink);
    const char *part = NULL;
    size_t length = 0;
    stoa_type type;

    STOA_RETURN_NOT_OK(stoa_type_of(sink->field, &type, err));
    if (!stoa_schema_get(sink->field, "lh5.units_of", &part, &length)) {
        STOA_RETURN_NOT_OK(write_note(object, sink->field, "units", err));
    }
    STOA_RETURN_NOT_OK(write_note(object, sink->field, "description", err));
    STOA_RETURN_NOT_OK(stoa_lh5_write_attributes(object, sink->field, err));
    if (stoa_kind_is_ticks(type.kind)) {
        STOA_RETURN_NOT_OK(
            stoa_lh5_write_text(object, "units", stoa_duration_units_text(type.unit), err));
    }
    return STOA_OK;
}

static stoa_status write_type(const stoa_lh5_sink *sink, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *text = NULL;

    STOA_TRY(stoa_lh5_sink_spell(sink, &text, err));
    STOA_TRY(stoa_lh5_write_text(stoa_lh5_sink_object(sink), "datatype", text, err));

done:
    free(text);
    return status;
}

stoa_status stoa_lh5_sink_parse_type(stoa_lh5_sink *sink, const struct ArrowSchema *field,
                                     stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *text = NULL;

    STOA_TRY(stoa_schema_get_text(field, "lh5.datatype", &text, err));
    if (text != NULL) {
        status = stoa_lh5_datatype_parse(text, &sink->said, NULL);
        status = status == STOA_ENOMEM ? stoa_fail_memory(err) : STOA_OK;
    }

done:
    free(text);
    return status;
}

/* --- vectors --------------------------------------------------------------------------------- */

static stoa_status make_ends(stoa_lh5_sink *sink, uint64_t n_rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_lh5_storage storage = sink->target->storage;
    char *stored = NULL;

    storage.most_rows = n_rows;
    STOA_TRY(stoa_schema_get_text(sink->field, "lh5.lengths", &stored, err));
    const bool is_narrow = stored != NULL && strcmp(stored, "uint32") == 0;
    STOA_TRY(stoa_lh5_rows_make(sink->group, STOA_LH5_LENGTHS,
                                is_narrow ? H5T_STD_U32LE : H5T_STD_I64LE, 1, NULL,
                                "array<1>{real}", &storage, &sink->rows, err));

done:
    free(stored);
    return status;
}

static stoa_status make_vectors(stoa_lh5_sink *sink, hid_t parent, const char *name,
                                const char *path, const stoa_column_stats *stats, uint64_t n_rows,
                                stoa_error *err)
{
    stoa_type type;
    uint64_t n_items = 0;

    STOA_RETURN_NOT_OK(stoa_type_of(sink->field, &type, err));
    const uint64_t longest =
        type.kind == STOA_KIND_FIXED_LIST ? (uint64_t)type.width : stats->longest;
    n_items = __builtin_mul_overflow(n_rows, longest, &n_items) ? 0 : n_items;
    STOA_RETURN_NOT_OK(stoa_lh5_make_group(parent, name, &sink->group, err));
    STOA_RETURN_NOT_OK(stoa_lh5_sink_parts(sink, 1, err));
    STOA_RETURN_NOT_OK(stoa_lh5_sink_make(sink->target, sink->group, STOA_LH5_ITEMS, path,
                                          sink->field->children[0], &stats->fields[0], n_items,
                                          &sink->parts[0], err));
    STOA_RETURN_NOT_OK(make_ends(sink, n_rows, err));
    sink->is = sink->parts[0].is;
    sink->is.depth = sink->is.kind == STOA_LH5_VECTORS ? sink->is.depth + 1 : 2;
    sink->is.kind = STOA_LH5_VECTORS;
    if (sink->is.depth > STOA_LH5_MAX_DEPTH) {
        return stoa_fail(err, STOA_ETYPE, "column '%s' has more than %d lists in each other", path,
                         STOA_LH5_MAX_DEPTH);
    }
    return write_type(sink, err);
}

static stoa_status put_vectors(stoa_lh5_sink *sink, const stoa_view *view, stoa_error *err)
{
    stoa_status status = STOA_OK;
    int64_t *ends = stoa_alloc((size_t)view->length, sizeof *ends);
    int64_t from = 0;
    int64_t n = 0;
    stoa_view items;

    STOA_TRY(ends != NULL ? STOA_OK : stoa_fail_memory(err));
    for (int64_t i = 0; i < view->length; i++) {
        int64_t first = 0;
        int64_t count = 0;
        stoa_view_range(view, i, &first, &count);
        from = i == 0 ? first : from;
        n += count;
        ends[i] = (int64_t)sink->n_items + n;
    }
    STOA_TRY(stoa_view_child(view, 0, &items, err));
    items.offset += from;
    items.length = n;
    STOA_TRY(stoa_lh5_sink_put(&sink->parts[0], &items, err));
    STOA_TRY(stoa_lh5_rows_put(&sink->rows, H5T_NATIVE_INT64, (uint64_t)view->length, ends, err));
    sink->n_items += (uint64_t)n;

done:
    free(ends);
    return status;
}

/* --- tables ---------------------------------------------------------------------------------- */

static stoa_status make_table(stoa_lh5_sink *sink, hid_t parent, const char *name, const char *path,
                              const stoa_column_stats *stats, uint64_t n_rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n = (size_t)sink->field->n_children;
    char *inner = NULL;

    sink->is.kind = STOA_LH5_TABLE;
    STOA_TRY(stoa_lh5_make_group(parent, name, &sink->group, err));
    STOA_TRY(stoa_lh5_sink_parts(sink, n, err));
    for (size_t i = 0; i < n; i++) {
        const struct ArrowSchema *const field = sink->field->children[i];
        STOA_TRY(stoa_lh5_check_name(field->name, path, err));
        STOA_TRY(stoa_lh5_datatype_add(&sink->is, field->name, err));
        inner = stoa_format("%s.%s", path, field->name);
        STOA_TRY(inner != NULL ? STOA_OK : stoa_fail_memory(err));
        STOA_TRY(stoa_lh5_sink_make(sink->target, sink->group, field->name, inner, field,
                                    &stats->fields[i], n_rows, &sink->parts[i], err));
        free(inner);
        inner = NULL;
    }
    status = write_type(sink, err);

done:
    free(inner);
    free(sink->is.names); /* the names themselves are borrowed from the fields */
    sink->is.names = NULL;
    sink->is.n_names = 0;
    return status;
}

/* --- all kinds -------------------------------------------------------------------------------- */

/* Whether a column becomes an array: plain items, or lists of fixed length of them. Inside vectors,
 * such lists become vectors, because the Python reader accepts no arrays there (LH5 notes §4.3). */
static bool is_array(const struct ArrowSchema *field, const char *name)
{
    const bool is_inner = name != NULL && strcmp(name, STOA_LH5_ITEMS) == 0;

    while (!is_inner && strncmp(field->format, "+w:", 3) == 0) {
        field = field->children[0];
    }
    return stoa_lh5_is_item(field);
}

static stoa_status make_kind(stoa_lh5_sink *sink, hid_t parent, const char *name, const char *path,
                             const stoa_column_stats *stats, uint64_t n_rows, stoa_error *err)
{
    stoa_type type;
    char text[64];
    stoa_status status = stoa_type_of(sink->field, &type, err);

    if (status == STOA_OK) {
        status =
            stoa_lh5_packing_of(sink->target->codec, path, sink->field, stats, &sink->packing, err);
    }
    if (status != STOA_OK) {
        return status;
    }
    if (sink->packing.codec != STOA_LH5_NOT_PACKED) {
        return stoa_lh5_packed_make(sink, parent, name, n_rows, err);
    }
    if (is_array(sink->field, name)) {
        return stoa_lh5_array_make(sink, parent, name, path, stats, n_rows, err);
    }
    switch (type.kind) {
    case STOA_KIND_LIST:
    case STOA_KIND_LARGE_LIST:
    case STOA_KIND_FIXED_LIST:
        return make_vectors(sink, parent, name, path, stats, n_rows, err);
    case STOA_KIND_STRUCT:
        if (name == NULL || strcmp(name, STOA_LH5_ITEMS) != 0) {
            return make_table(sink, parent, name, path, stats, n_rows, err);
        }
        return stoa_fail(err, STOA_ETYPE,
                         "column '%s' has lists of structs, which LH5 has no place for; make each "
                         "field a column of lists",
                         path);
    default:
        return stoa_fail(err, STOA_ETYPE, "column '%s' is of %s, which LH5 has no place for", path,
                         stoa_type_name(&type, text));
    }
}

stoa_status stoa_lh5_sink_make(const stoa_lh5_target *target, hid_t parent, const char *name,
                               const char *path, const struct ArrowSchema *field,
                               const stoa_column_stats *stats, uint64_t n_rows, stoa_lh5_sink *sink,
                               stoa_error *err)
{
    *sink = no_sink;
    sink->target = target;
    sink->field = field;
    if (stats->n_missing > 0) {
        return stoa_layout_refuse_missing(path, stats->n_missing, "LH5", STOA_LH5_MISSING, err);
    }
    STOA_RETURN_NOT_OK(stoa_lh5_sink_parse_type(sink, field, err));
    STOA_RETURN_NOT_OK(make_kind(sink, parent, name, path, stats, n_rows, err));
    return write_notes(sink, err);
}

stoa_status stoa_lh5_sink_put(stoa_lh5_sink *sink, const stoa_view *view, stoa_error *err)
{
    if (view->length == 0) {
        return STOA_OK;
    }
    if (sink->packing.codec != STOA_LH5_NOT_PACKED) {
        return stoa_lh5_packed_put(sink, view, err);
    }
    if (sink->group < 0) {
        return stoa_lh5_array_put(sink, view, err);
    }
    return sink->rows.dataset >= 0
               ? put_vectors(sink, view, err)
               : stoa_lh5_sinks_put(sink->parts, sink->n_parts, NULL, view, err);
}

stoa_status stoa_lh5_sinks_put(stoa_lh5_sink *sinks, size_t n, const size_t *positions,
                               const stoa_view *rows, stoa_error *err)
{
    for (size_t i = 0; i < n; i++) {
        const size_t at = positions != NULL ? positions[i] : i;
        stoa_view view;
        STOA_RETURN_NOT_OK(stoa_view_child(rows, (int64_t)at, &view, err));
        STOA_RETURN_NOT_OK(stoa_lh5_sink_put(&sinks[i], &view, err));
    }
    return STOA_OK;
}

stoa_status stoa_lh5_sink_close(stoa_lh5_sink *sink, stoa_status status, stoa_error *err)
{
    for (size_t i = 0; i < sink->n_parts; i++) {
        status = stoa_lh5_sink_close(&sink->parts[i], status, err);
    }
    free(sink->parts);
    sink->parts = NULL;
    sink->n_parts = 0;
    stoa_lh5_datatype_clear(&sink->said);
    status = stoa_lh5_items_close(&sink->items, status, err);
    status = stoa_hdf_close(&sink->rows.dataset, status, err);
    status = stoa_hdf_close(&sink->bytes.dataset, status, err);
    status = stoa_hdf_close(&sink->sizes.dataset, status, err);
    return stoa_hdf_close(&sink->group, status, err);
}
