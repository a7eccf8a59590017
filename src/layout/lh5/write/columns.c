/* Add columns to an LH5 table (LH5 notes §5.2, append_column). They are written as anonymous
 * objects and linked into the table when they are complete. New columns of a nested table that
 * exists already, named TABLE.COLUMN, are added to it. */
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "hdf/copy/object_storage.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "hdf/metadata/references.h"
#include "layout/lh5/read/lh5.h"
#include "layout/lh5/write/append.h"
#include "layout/lh5/write/writer.h"

/* What to do with the members of a new group and an existing one. */
typedef enum merge_step {
    CHECK, /* fail if a column exists already */
    LINK,
    UNLINK /* remove the links that were made */
} merge_step;

typedef struct merging {
    hid_t from;
    hid_t to;
    const char *path; /* prefix of column names: "", "waveform." */
    merge_step step;
    unsigned depth;
    stoa_lh5_datatype listed; /* fields of `to`; new names point into `names` */
    stoa_buffer names;        /* linked names, each with its NUL */
    stoa_status status;
    stoa_error *err;
} merging;

static stoa_status merge(hid_t from, hid_t to, const char *path, merge_step step, unsigned depth,
                         stoa_error *err);

static stoa_status find_table(hid_t object, bool *is_one, stoa_error *err)
{
    stoa_lh5_datatype type = {0};
    const stoa_status status = stoa_lh5_type_if_valid(object, &type, NULL, err);

    *is_one = H5Iget_type(object) == H5I_GROUP && type.kind == STOA_LH5_TABLE;
    stoa_lh5_datatype_clear(&type);
    return status;
}

/* Merge a member that both groups have. Tables are merged recursively. A column that was linked is
 * the same object in both. */
static stoa_status merge_both(const merging *m, const char *name, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t from = stoa_object_open(m->from, name);
    hid_t to = stoa_object_open(m->to, name);
    char *path = stoa_format("%s%s.", m->path, name);
    bool was_table = false;
    bool is_table = false;

    STOA_TRY(path != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(from >= 0 ? find_table(from, &is_table, err) : STOA_OK);
    STOA_TRY(to >= 0 ? find_table(to, &was_table, err) : STOA_OK);
    if (from >= 0 && to >= 0 && stoa_same_object(from, to)) {
        if (m->step == UNLINK) {
            STOA_HDF(err, stoa_unlink(m->to, name), "take column '%s' away", name);
        }
    } else if (m->depth < STOA_LH5_MAX_TABLE_DEPTH && is_table && was_table) {
        STOA_TRY(merge(from, to, path, m->step, m->depth + 1, err));
    } else if (m->step == CHECK) {
        STOA_FAIL(err, STOA_EEXISTS, "there is a column '%s%s' already", m->path, name);
    }

done:
    free(path);
    status = stoa_hdf_close(&to, status, err);
    return stoa_hdf_close(&from, status, err);
}

static stoa_status link_one(merging *m, const char *name, stoa_error *err)
{
    STOA_RETURN_HDF_ERROR(err, H5Lcreate_hard(m->from, name, m->to, name, H5P_DEFAULT, H5P_DEFAULT),
                          "link column '%s'", name);
    return stoa_buffer_append(&m->names, name, strlen(name) + 1, err);
}

static herr_t visit(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    merging *const m = context;

    (void)group;
    (void)info;
    if (H5Lexists(m->to, name, H5P_DEFAULT) > 0) {
        m->status = merge_both(m, name, m->err);
    } else if (m->step == LINK) {
        m->status = link_one(m, name, m->err);
    }
    return m->status == STOA_OK ? 0 : -1;
}

/* Write the list of fields: the listed ones that exist, and the new ones. */
static stoa_status list_fields(merging *m, stoa_error *err)
{
    stoa_lh5_drop_absent(m->to, &m->listed);
    for (size_t at = 0; at < m->names.size; at += strlen((char *)m->names.data + at) + 1) {
        STOA_RETURN_NOT_OK(stoa_lh5_datatype_add(&m->listed, (char *)m->names.data + at, err));
    }
    return stoa_lh5_say_datatype(m->to, &m->listed, err);
}

static stoa_status merge(hid_t from, hid_t to, const char *path, merge_step step, unsigned depth,
                         stoa_error *err)
{
    stoa_status status = STOA_OK;
    merging m = {.from = from, .to = to, .path = path, .step = step, .depth = depth, .err = err};

    STOA_TRY(stoa_lh5_type_of(to, &m.listed, NULL, err));
    status = stoa_links_visit(from, visit, &m, err);
    STOA_TRY(m.status != STOA_OK ? m.status : status);
    if (m.names.size > 0 || step == UNLINK) {
        STOA_TRY(list_fields(&m, err));
    }

done:
    stoa_lh5_datatype_clear(&m.listed);
    stoa_buffer_clear(&m.names);
    return status;
}

/* Mark all fields as columns, even if they were an object of their own or the bins of a
 * histogram. */
static stoa_status call_columns(const stoa_layout_source *source, struct ArrowSchema *schema,
                                stoa_error *err)
{
    stoa_status status = stoa_schema_copy(source->schema, schema, err);

    for (int64_t i = 0; status == STOA_OK && i < schema->n_children; i++) {
        status = stoa_schema_set(schema->children[i], "lh5.object", "column", err);
    }
    return status;
}

stoa_status stoa_lh5_add_columns(const stoa_layout_source *source, stoa_table *table,
                                 stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_layout_source columns = *source;
    struct ArrowSchema schema = {.release = NULL};
    hid_t made = H5I_INVALID_HID;
    bool is_table = false;

    STOA_TRY(find_table(table->group, &is_table, err));
    if (!is_table) {
        STOA_FAIL(err, STOA_ELAYOUT, "columns are added to tables, and this is none");
    }
    if (table->n_columns > 0 && source->n_rows != table->n_rows) {
        STOA_FAIL(err, STOA_ERANGE, "the table has %llu rows, and the new columns %llu",
                  (unsigned long long)table->n_rows, (unsigned long long)source->n_rows);
    }
    STOA_TRY(call_columns(source, &schema, err));
    columns.schema = &schema;
    STOA_TRY(stoa_lh5_write(&columns, table->group, &made, err));
    STOA_TRY(merge(made, table->group, "", CHECK, 0, err));
    status = merge(made, table->group, "", LINK, 0, err);
    if (status != STOA_OK) {
        (void)!merge(made, table->group, "", UNLINK, 0, NULL);
    }

done:
    stoa_schema_release(&schema);
    return stoa_hdf_close(&made, status, err);
}
