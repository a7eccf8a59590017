/* Write a table as LH5 (LH5 notes §4, §7): a group with an object for each column. Columns with
 * dots in their names go to nested tables. */
#include <stdlib.h>
#include <string.h>

#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "layout/lh5/read/lh5.h"
#include "layout/lh5/write/writer.h"

/* --- tables ----------------------------------------------------------------------------------- */

/* A group with fields: the table, or a nested table. */
typedef struct part {
    char *path; /* prefix of its columns' names: "" for the table, "waveform." for a nested one */
    hid_t group;
    char **names; /* of its fields */
    size_t n_names;
} part;

typedef struct writing {
    const stoa_layout_source *source;
    stoa_lh5_target target;
    part *parts; /* the table itself is first */
    size_t n_parts;
    stoa_lh5_sink *columns;
    size_t n_columns; /* created so far */
} writing;

/* Add a part for a group. Takes ownership of `group` in every case. */
static stoa_status add_part(writing *w, const char *path, size_t length, hid_t group,
                            stoa_error *err)
{
    stoa_status status = STOA_OK;
    part *const parts = stoa_one_more(w->parts, w->n_parts, sizeof *parts);

    STOA_TRY(parts != NULL ? STOA_OK : stoa_fail_memory(err));
    w->parts = parts;
    parts[w->n_parts] = (part){.path = stoa_strndup(path, length), .group = group};
    group = H5I_INVALID_HID;
    w->n_parts++;
    STOA_TRY(parts[w->n_parts - 1].path != NULL ? STOA_OK : stoa_fail_memory(err));

done:
    return stoa_hdf_close(&group, status, err);
}

static stoa_status add_name(part *to, const char *name, stoa_error *err)
{
    char **const names = stoa_one_more(to->names, to->n_names, sizeof *names);

    STOA_RETURN_NO_MEMORY(err, names);
    to->names = names;
    names[to->n_names] = stoa_strdup(name);
    return names[to->n_names++] != NULL ? STOA_OK : stoa_fail_memory(err);
}

/* Add a field name to a part. The name must not exist there yet. */
static stoa_status claim(const writing *w, size_t at, const char *name, const char *column,
                         stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_lh5_check_name(name, column, err));
    if (stoa_object_exists(w->parts[at].group, name)) {
        return stoa_fail(err, STOA_ETYPE,
                         "column '%s' lies where another column is already: LH5 takes a dot for a "
                         "table in a table; rename it",
                         column);
    }
    return add_name(&w->parts[at], name, err);
}

/* Enter the nested table named by a prefix of a column's name; create it if needed. *at is the part
 * that contains it, and becomes the nested table. */
static stoa_status enter(writing *w, const char *column, size_t length, size_t *at, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t before = strlen(w->parts[*at].path);
    char *name = NULL;
    hid_t group = H5I_INVALID_HID;

    for (size_t i = 0; i < w->n_parts; i++) {
        if (strlen(w->parts[i].path) == length + 1 &&
            strncmp(w->parts[i].path, column, length + 1) == 0) {
            *at = i;
            return STOA_OK;
        }
    }
    name = stoa_strndup(column + before, length - before);
    STOA_TRY(name != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(claim(w, *at, name, column, err));
    STOA_TRY(stoa_lh5_make_group(w->parts[*at].group, name, &group, err));
    const hid_t made = group;
    group = H5I_INVALID_HID;
    STOA_TRY(add_part(w, column, length + 1, made, err));
    *at = w->n_parts - 1;

done:
    free(name);
    return stoa_hdf_close(&group, status, err);
}

static stoa_status make_column(writing *w, size_t i, stoa_error *err)
{
    const struct ArrowSchema *const field = w->source->schema->children[i];
    size_t at = 0;

    for (const char *dot = field->name; (dot = strchr(dot, '.')) != NULL; dot++) {
        STOA_RETURN_NOT_OK(enter(w, field->name, (size_t)(dot - field->name), &at, err));
    }
    const char *const name = field->name + strlen(w->parts[at].path);
    STOA_RETURN_NOT_OK(claim(w, at, name, field->name, err));
    w->n_columns++;
    return stoa_lh5_sink_make(&w->target, w->parts[at].group, name, field->name, field,
                              &w->source->columns[i], w->source->n_rows, &w->columns[i], err);
}

static stoa_status put_batch(void *context, const stoa_view *rows, uint64_t first, stoa_error *err)
{
    writing *const w = context;

    (void)first;
    return stoa_lh5_sinks_put(w->columns, w->n_columns, NULL, rows, err);
}

static stoa_status make_columns(writing *w, stoa_error *err)
{
    const size_t n = (size_t)w->source->schema->n_children;

    w->columns = stoa_alloc_zero(n, sizeof *w->columns);
    STOA_RETURN_NO_MEMORY(err, w->columns);
    for (size_t i = 0; i < n; i++) {
        STOA_RETURN_NOT_OK(make_column(w, i, err));
    }
    for (size_t i = 0; i < w->n_parts; i++) {
        const part *const is = &w->parts[i];
        const stoa_lh5_datatype type = {
            .kind = STOA_LH5_TABLE, .names = is->names, .n_names = is->n_names};
        STOA_RETURN_NOT_OK(stoa_lh5_say_datatype(is->group, &type, err));
    }
    return STOA_OK;
}

static stoa_status end(writing *w, stoa_status status, stoa_error *err)
{
    for (size_t i = 0; i < w->n_columns; i++) {
        status = stoa_lh5_sink_close(&w->columns[i], status, err);
    }
    for (size_t i = 0; i < w->n_parts; i++) {
        for (size_t k = 0; k < w->parts[i].n_names; k++) {
            free(w->parts[i].names[k]);
        }
        free(w->parts[i].names);
        free(w->parts[i].path);
        status = stoa_hdf_close(&w->parts[i].group, status, err);
    }
    free(w->parts);
    free(w->columns);
    stoa_workers_close(w->target.workers);
    return status;
}

static stoa_status make_table(writing *w, hid_t file, hid_t *object, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_lh5_make_group(file, NULL, object, err));
    const hid_t group = *object;
    STOA_RETURN_HDF_ERROR(err, H5Iinc_ref(group), "hold the group");
    STOA_RETURN_NOT_OK(add_part(w, "", 0, group, err));
    return make_columns(w, err);
}

/* Whether the source was a single object, read as a table of one column. */
static bool is_loose(const stoa_layout_source *source, bool *is_scalar)
{
    const struct ArrowSchema *const field =
        source->schema->n_children == 1 ? source->schema->children[0] : NULL;
    const char *what = NULL;
    size_t length = 0;

    *is_scalar =
        field != NULL && stoa_lh5_says(field, "lh5.object", "scalar") && source->n_rows == 1;
    return field != NULL && stoa_schema_get(field, "lh5.object", &what, &length) &&
           !stoa_lh5_says(field, "lh5.object", "column");
}

static stoa_status make_loose(writing *w, hid_t file, hid_t *object, stoa_error *err)
{
    const struct ArrowSchema *const field = w->source->schema->children[0];

    w->columns = stoa_alloc_zero(1, sizeof *w->columns);
    STOA_RETURN_NO_MEMORY(err, w->columns);
    w->n_columns = 1;
    STOA_RETURN_NOT_OK(stoa_lh5_sink_make(&w->target, file, NULL, field->name, field,
                                          w->source->columns, w->source->n_rows, w->columns, err));
    *object = stoa_lh5_sink_object(w->columns);
    if (H5Iinc_ref(*object) < 0) {
        *object = H5I_INVALID_HID;
        return stoa_fail(err, STOA_EHDF5, "cannot hold the object");
    }
    return STOA_OK;
}

/* Write the metadata and the title of the whole object. */
static stoa_status write_whole(const writing *w, hid_t object, stoa_error *err)
{
    const char *const title = w->source->title;

    STOA_RETURN_NOT_OK(stoa_lh5_write_part_attributes(object, w->source->schema, err));
    if (w->n_parts > 0 && title != NULL && title[0] != '\0') {
        STOA_RETURN_NOT_OK(stoa_lh5_write_text(object, "description", title, err));
    }
    return STOA_OK;
}

static stoa_status write_histogram(writing *w, hid_t file, hid_t *object, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_lh5_make_group(file, NULL, object, err));
    return stoa_lh5_write_histogram(w->source, &w->target.storage, *object, err);
}

stoa_status stoa_lh5_write(const stoa_layout_source *source, hid_t file, hid_t *object,
                           stoa_error *err)
{
    stoa_status status = STOA_OK;
    writing w = {.source = source, .target.codec = source->options->codec};

    *object = H5I_INVALID_HID;
    STOA_TRY(stoa_lh5_storage_of(source->options->codec, &w.target.storage, err));
    w.target.storage.chunk_rows = source->options->chunk_rows;
    STOA_TRY(stoa_lh5_check_packed(source->options->codec, source->schema, err));
    if (stoa_lh5_is_binned(source)) {
        STOA_TRY(write_histogram(&w, file, object, err));
        STOA_TRY(write_whole(&w, *object, err));
        goto done;
    }
    STOA_TRY(stoa_workers_open(source->options->threads, &w.target.workers, err));
    STOA_TRY(is_loose(source, &w.target.is_scalar) ? make_loose(&w, file, object, err)
                                                   : make_table(&w, file, object, err));
    STOA_TRY(stoa_layout_each_batch(source, put_batch, &w, err));
    STOA_TRY(write_whole(&w, *object, err));

done:
    status = end(&w, status, err);
    if (status != STOA_OK) {
        (void)stoa_hdf_close(object, status, NULL);
    }
    return status;
}
