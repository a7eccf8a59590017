/* See notes.h. */
#include "layout/lh5/notes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/metadata.h"
#include "core/memory.h"
#include "core/text.h"
#include "hdf/attributes.h"
#include "hdf/kept.h"
#include "hdf/links.h"
#include "layout/lh5/attribute_text.h"
#include "layout/lh5/lh5.h"
#include "layout/lh5/writer.h"
#include "layout/note.h"
#include "table/names.h"

/* Tables in each other; deeper ones are not opened (lh5.c). */
enum { DEEPEST = 64 };

/* --- what users noted ------------------------------------------------------------------------ */

typedef struct taking {
    hid_t from;
    hid_t to;
    bool to_lh5;
    bool was_lh5; /* arrays, too: they were there */
    stoa_error *err;
    stoa_status status;
} taking;

static bool is_own(const char *name)
{
    return stoa_is_listed(name, stoa_lh5_own) ||
           (stoa_note_is_of_hep001(name) &&
            strncmp(name, STOA_LH5_REFERENCE, strlen(STOA_LH5_REFERENCE)) != 0);
}

/* The Python package opens no object with an attribute that is none of these (LH5 notes §3). */
static bool is_scalar(hid_t object, const char *name)
{
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    hid_t space = attribute >= 0 ? H5Aget_space(attribute) : H5I_INVALID_HID;
    const bool is = space >= 0 && H5Sget_simple_extent_type(space) == H5S_SCALAR;

    (void)stoa_hdf_close(&space, STOA_OK, NULL);
    (void)stoa_hdf_close(&attribute, STOA_OK, NULL);
    return is;
}

/* References are to objects of the other file: there they are texts, and wait here. */
static stoa_status take_reference(const taking *t, const char *name, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer value = {0};
    char *kept = NULL;

    STOA_TRY(stoa_lh5_attribute_try_print(t->from, name, &value, err));
    kept = stoa_format(STOA_LH5_REFERENCE "%s", name);
    STOA_TRY(kept != NULL ? STOA_OK : stoa_fail_memory(err));
    if (value.size > 0) {
        STOA_TRY(t->to_lh5 ? stoa_lh5_say(t->to, kept, (char *)value.data, err)
                           : stoa_attribute_write_utf8(t->to, kept, (char *)value.data, err));
    }

done:
    free(kept);
    stoa_buffer_clear(&value);
    return status;
}

static stoa_status take(const taking *t, const char *name, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_kept kept = STOA_KEPT_INIT;
    char *text = NULL;

    if (stoa_lh5_attribute_refers(t->from, name)) {
        return !t->to_lh5 || t->was_lh5 ? take_reference(t, name, err) : STOA_OK;
    }

    STOA_TRY(stoa_attribute_read_note(t->from, name, &text, err));
    if (text != NULL) {
        STOA_TRY(t->to_lh5 ? stoa_lh5_say(t->to, name, text, err)
                           : stoa_attribute_write_utf8(t->to, name, text, err));
    } else if (!t->to_lh5 || t->was_lh5 || is_scalar(t->from, name)) {
        status = stoa_attribute_keep(t->from, name, &kept, NULL);
        if (status != STOA_OK) { /* it cannot be read, and stays behind: unread.c */
            status = status == STOA_ENOMEM ? stoa_fail_memory(err) : STOA_OK;
            goto done;
        }
        STOA_TRY(stoa_attribute_put(t->to, name, &kept, err));
    }

done:
    stoa_kept_clear(&kept);
    free(text);
    return status;
}

static herr_t take_one(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
    taking *const t = context;

    (void)object;
    (void)info;
    if (!is_own(name) && !stoa_attribute_exists(t->to, name)) {
        t->status = take(t, name, t->err);
    }
    return t->status == STOA_OK ? 0 : 1;
}

/* An object that cannot be opened has none. */
static stoa_status take_all(hid_t from, hid_t to, bool to_lh5, bool was_lh5, stoa_error *err)
{
    taking t = {from, to, to_lh5, was_lh5, err, STOA_OK};

    if (from >= 0 && to >= 0) {
        const stoa_quiet quiet = stoa_quiet_begin();
        (void)H5Aiterate2(from, H5_INDEX_NAME, H5_ITER_INC, NULL, take_one, &t);
        stoa_quiet_drop(&quiet);
    }
    return t.status;
}

/* --- into HEP001 ----------------------------------------------------------------------------- */

/* The table that is kept in, and the one that was read. */
typedef struct kept_table {
    const stoa_table *from;
    hid_t to;
} kept_table;

/* What a column is called there: stoa_lh5_rename_reserved() may have done so. */
static const char *name_there(const stoa_table *from, const char *name)
{
    for (size_t i = 0; stoa_name_is_reserved(name) && i < from->n_columns; i++) {
        const stoa_column *const column = from->columns[i];
        for (size_t k = 0; k < column->n_remarks; k++) {
            if (strcmp(column->remarks[k].key, STOA_LH5_NAME) == 0 &&
                strcmp(column->remarks[k].value, name) == 0) {
                return column->name;
            }
        }
    }
    return name;
}

static stoa_status keep_fields(hid_t group, const char *prefix, const kept_table *table,
                               unsigned depth, stoa_error *err);

/* A column's, or those of the columns of a table in the table. */
static stoa_status keep_field(hid_t object, const char *name, const kept_table *table,
                              unsigned depth, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_lh5_datatype type = {0};
    hid_t column = H5I_INVALID_HID;
    char *text = NULL;
    char *prefix = NULL;

    status = stoa_lh5_type_of(object, &type, &text, NULL);
    STOA_TRY(status != STOA_ENOMEM ? STOA_OK : stoa_fail_memory(err));
    if (type.kind == STOA_LH5_TABLE) {
        prefix = stoa_format("%s.", name);
        STOA_TRY(prefix != NULL ? STOA_OK : stoa_fail_memory(err));
        STOA_TRY(keep_fields(object, prefix, table, depth + 1, err));
    } else {
        column = stoa_object_open(table->to, name_there(table->from, name));
        STOA_TRY(take_all(object, column, false, false, err));
    }

done:
    free(prefix);
    free(text);
    stoa_lh5_datatype_clear(&type);
    return stoa_hdf_close(&column, status, err);
}

static stoa_status keep_fields(hid_t group, const char *prefix, const kept_table *table,
                               unsigned depth, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_lh5_datatype type = {0};
    hid_t member = H5I_INVALID_HID;
    char *text = NULL;
    char *name = NULL;

    status =
        H5Iget_type(group) == H5I_GROUP ? stoa_lh5_type_of(group, &type, &text, NULL) : STOA_OK;
    STOA_TRY(status != STOA_ENOMEM ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; type.kind == STOA_LH5_TABLE && depth < DEEPEST && i < type.n_names; i++) {
        member = stoa_object_open(group, type.names[i]);
        name = stoa_format("%s%s", prefix, type.names[i]);
        STOA_TRY(name != NULL ? STOA_OK : stoa_fail_memory(err));
        STOA_TRY(member >= 0 ? keep_field(member, name, table, depth, err) : STOA_OK);
        free(name);
        name = NULL;
        STOA_TRY(stoa_hdf_close(&member, STOA_OK, err));
    }

done:
    free(name);
    free(text);
    stoa_lh5_datatype_clear(&type);
    return stoa_hdf_close(&member, status, err);
}

/* Before the name of what a column's field says as "lh5.codec"; before that of what its items say,
 * "items1_" and so on comes, too. */
static const char kept[] = "stoa_lh5_";

typedef struct keeping {
    hid_t dataset;
    unsigned depth;
    bool is_all; /* there is no object to take what users noted from: metadata alone say it */
} keeping;

static stoa_status keep_note(hid_t dataset, const char *name, const char *value, stoa_error *err)
{
    return is_own(name) || stoa_attribute_exists(dataset, name) ? STOA_OK
           : strncmp(value, "string ", 7) == 0
               ? stoa_attribute_write_utf8(dataset, name, value + 7, err)
               : stoa_lh5_attribute_say(dataset, name, value, err);
}

/* What is said of items has no other place, and what of the column is said in words of HEP001, or
 * is an attribute as it was. */
static stoa_status keep_pair(void *context, const char *key, const char *value, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const keeping *const k = context;
    const bool is_lh5 = strncmp(key, "lh5.", 4) == 0;
    const bool is_of_items = strncmp(key, "lh5.attribute.", 14) == 0 || strcmp(key, "units") == 0 ||
                             strcmp(key, "description") == 0;
    char items[32] = "";
    char *name = NULL;

    if (k->depth == 0 && k->is_all && strncmp(key, "lh5.attribute.", 14) == 0) {
        return keep_note(k->dataset, key + 14, value, err);
    }
    if (k->depth > 0 ? !is_lh5 && !is_of_items : !is_lh5 || is_of_items) {
        goto done;
    }
    if (k->depth > 0) {
        (void)snprintf(items, sizeof items, "items%u_", k->depth);
    }
    name = stoa_format("%s%s%s", kept, items, is_lh5 ? key + 4 : key);
    STOA_TRY(name != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_attribute_write_utf8(k->dataset, name, value, err));

done:
    free(name);
    return status;
}

static stoa_status keep_metadata(const struct ArrowSchema *field, bool is_all, hid_t dataset,
                                 stoa_error *err)
{
    keeping k = {dataset, 0, is_all};

    STOA_RETURN_NOT_OK(stoa_metadata_visit(field->metadata, keep_pair, &k, err));
    while (field->n_children == 1) {
        field = field->children[0];
        k.depth++;
        STOA_RETURN_NOT_OK(stoa_metadata_visit(field->metadata, keep_pair, &k, err));
    }
    return STOA_OK;
}

static stoa_status keep_column(const stoa_column *column, bool is_all, hid_t table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    hid_t dataset = H5I_INVALID_HID;

    STOA_HDF(err, dataset = stoa_open_here(table, column->name), "open column '%s'", column->name);
    STOA_TRY(stoa_column_schema(column, &schema, err));
    STOA_TRY(keep_metadata(&schema, is_all, dataset, err));

done:
    stoa_schema_release(&schema);
    return stoa_hdf_close(&dataset, status, err);
}

bool stoa_lh5_is_source(const stoa_table *table)
{
    const char *const layout = table->layout != NULL ? table->layout : "";
    struct ArrowSchema schema = {.release = NULL};
    const char *said = NULL;
    size_t length = 0;
    bool is = strcmp(layout, "lh5") == 0;

    if (strcmp(layout, "files") == 0 && table->n_columns > 0 &&
        stoa_column_schema(table->columns[0], &schema, NULL) == STOA_OK) {
        is = stoa_schema_get(&schema, "lh5.datatype", &said, &length);
    }
    stoa_schema_release(&schema);
    return is;
}

stoa_status stoa_lh5_keep_notes(const stoa_table *from, hid_t table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *text = NULL;

    const bool is_one = strcmp(from->layout, "lh5") == 0; /* several files have no group */
    for (size_t i = 0; i < from->n_columns; i++) {
        STOA_TRY(keep_column(from->columns[i], !is_one, table, err));
    }
    if (!is_one) {
        goto done;
    }
    STOA_TRY(take_all(from->group, table, false, false, err));
    STOA_TRY(keep_fields(from->group, "", &(kept_table){from, table}, 0, err));
    STOA_TRY(stoa_attribute_read_note(from->group, "description", &text, err));
    if (text != NULL && !stoa_attribute_exists(table, "description")) {
        STOA_TRY(stoa_attribute_write_utf8(table, "description", text, err));
    }

done:
    free(text);
    return status;
}

/* --- and back -------------------------------------------------------------------------------- */

typedef struct recalling {
    struct ArrowSchema *field;
    stoa_status status;
    stoa_error *err;
} recalling;

/* "items2_codec" is of the items of the items; the field itself where it is none of that. */
static struct ArrowSchema *find_items(struct ArrowSchema *field, const char **name)
{
    uint64_t depth = 0;
    const char *const digits = *name + strlen("items");
    const size_t length = strncmp(*name, "items", 5) == 0 ? strspn(digits, "0123456789") : 0;

    if (length > 0 && digits[length] == '_' && stoa_parse_u64(digits, length, &depth)) {
        *name = digits + length + 1;
    }
    for (; depth > 0 && field != NULL; depth--) {
        field = field->n_children == 1 ? field->children[0] : NULL;
    }
    return field;
}

static stoa_status recall_one(const recalling *r, hid_t dataset, const char *attribute,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char *name = attribute + sizeof kept - 1;
    struct ArrowSchema *const field = find_items(r->field, &name);
    const bool is_own =
        field != r->field && (strcmp(name, "units") == 0 || strcmp(name, "description") == 0);
    char *const key = is_own ? stoa_strdup(name) : stoa_format("lh5.%s", name);
    char *text = NULL;

    STOA_TRY(key != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_attribute_read_note(dataset, attribute, &text, err));
    if (field != NULL && text != NULL) {
        STOA_TRY(stoa_schema_set(field, key, text, err));
    }

done:
    free(key);
    free(text);
    return status;
}

static herr_t recall_attribute(hid_t dataset, const char *name, const H5A_info_t *info,
                               void *context)
{
    recalling *const r = context;

    (void)info;
    if (strncmp(name, kept, sizeof kept - 1) == 0) {
        r->status = recall_one(r, dataset, name, r->err);
    }
    return r->status == STOA_OK ? 0 : 1;
}

static stoa_status recall_field(hid_t dataset, struct ArrowSchema *field, stoa_error *err)
{
    recalling r = {field, STOA_OK, err};
    const stoa_quiet quiet = stoa_quiet_begin();

    (void)H5Aiterate2(dataset, H5_INDEX_NAME, H5_ITER_INC, NULL, recall_attribute, &r);
    stoa_quiet_drop(&quiet);
    return r.status;
}

static stoa_status recall_name(struct ArrowSchema *field, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *was = NULL;

    STOA_TRY(stoa_schema_get_text(field, STOA_LH5_NAME, &was, err));
    if (was != NULL && stoa_name_is_reserved(was)) {
        STOA_TRY(stoa_schema_rename(field, was, err));
    }

done:
    free(was);
    return status;
}

stoa_status stoa_lh5_recall_fields(const stoa_table *from, struct ArrowSchema *schema,
                                   stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t dataset = H5I_INVALID_HID;

    for (int64_t i = 0; from->layout == NULL && i < schema->n_children; i++) {
        struct ArrowSchema *const field = schema->children[i];
        dataset = stoa_object_open(from->group, field->name);
        STOA_TRY(dataset >= 0 ? recall_field(dataset, field, err) : STOA_OK);
        STOA_TRY(dataset >= 0 ? recall_name(field, err) : STOA_OK);
        STOA_TRY(stoa_hdf_close(&dataset, STOA_OK, err));
    }

done:
    return stoa_hdf_close(&dataset, status, err);
}

/* Where the writer put a column: a dot is the way into a table in the table. */
static stoa_status recall_column(const stoa_table *from, const char *name, bool was_lh5,
                                 hid_t object, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t dataset = stoa_object_open(from->group, name);
    hid_t member = H5I_INVALID_HID;
    char *path = stoa_lh5_path_of(name, strlen(name));
    char *was = NULL;

    STOA_TRY(path != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_attribute_read_note(dataset, STOA_LH5_NAME_KEPT, &was, err));
    member = stoa_object_open(object, was != NULL && stoa_name_is_reserved(was) ? was : path);
    STOA_TRY(take_all(dataset, member, true, was_lh5, err));

done:
    free(path);
    free(was);
    status = stoa_hdf_close(&member, status, err);
    return stoa_hdf_close(&dataset, status, err);
}

/* Whether a table was made of one of LH5. */
static bool is_of_lh5(const stoa_table *table)
{
    bool is = false;

    for (size_t i = 0; i < table->n_columns && !is; i++) {
        hid_t dataset = stoa_object_open(table->group, table->columns[i]->name);
        is = dataset >= 0 && stoa_attribute_exists(dataset, "stoa_lh5_datatype");
        (void)stoa_hdf_close(&dataset, STOA_OK, NULL);
    }
    return is;
}

stoa_status stoa_lh5_recall_notes(const stoa_table *from, hid_t object, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_lh5_datatype type = {0};
    char *text = NULL;

    if (from->layout != NULL) {
        return STOA_OK;
    }
    const bool was_lh5 = is_of_lh5(from);
    STOA_TRY(stoa_lh5_type_of(object, &type, &text, err));
    STOA_TRY(take_all(from->group, object, true, was_lh5, err));
    for (size_t i = 0; type.kind == STOA_LH5_TABLE && i < from->n_columns; i++) {
        STOA_TRY(recall_column(from, from->columns[i]->name, was_lh5, object, err));
    }
    if (from->description != NULL && from->description[0] != '\0' &&
        !stoa_attribute_exists(object, "description")) {
        STOA_TRY(stoa_lh5_say(object, "description", from->description, err));
    }

done:
    stoa_lh5_datatype_clear(&type);
    free(text);
    return status;
}
