#include "layout/lh5/write/saved_metadata.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/metadata.h"
#include "core/memory.h"
#include "core/text.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "hdf/metadata/saved_attribute.h"
#include "layout/common/user_attribute.h"
#include "layout/lh5/common/attribute_text.h"
#include "layout/lh5/read/lh5.h"
#include "layout/lh5/write/writer.h"
#include "table/open/names.h"

/* --- users' attributes ------------------------------------------------------------------------ */

typedef struct taking {
    hid_t from;
    hid_t to;
    const char *part; /* path in a column's group, when writing HEP001; NULL: the column */
    bool to_lh5;
    bool was_lh5; /* the source was LH5, so arrays are kept */
    stoa_error *err;
    stoa_status status;
} taking;

static bool is_own(const char *name)
{
    return stoa_is_listed(name, stoa_lh5_own) || stoa_attribute_is_of_hep001(name);
}

/* Whether an attribute is scalar. The Python package opens no object with other attributes (LH5
 * notes §3). */
static bool is_scalar(hid_t object, const char *name)
{
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    hid_t space = attribute >= 0 ? H5Aget_space(attribute) : H5I_INVALID_HID;
    const bool is = space >= 0 && H5Sget_simple_extent_type(space) == H5S_SCALAR;

    (void)stoa_hdf_close(&space, STOA_OK, NULL);
    (void)stoa_hdf_close(&attribute, STOA_OK, NULL);
    return is;
}

static stoa_status write(const taking *t, const char *name, const char *text, stoa_error *err)
{
    return t->to_lh5 ? stoa_lh5_write_text(t->to, name, text, err)
           : stoa_is_listed(name, stoa_attribute_encodings)
               ? stoa_attribute_write_mended(t->to, name, text, err)
               : stoa_attribute_write_utf8(t->to, name, text, err);
}

/* Name prefix of the attributes of a part of a column's group, in HEP001: "PATH:NAME" follows. */
static const char of_part[] = "stoa_lh5_part.";

/* Copy an attribute under the name `as`. */
static stoa_status copy_as(const taking *t, const char *name, const char *as, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_saved_attribute kept = STOA_SAVED_ATTRIBUTE_INIT;
    char *text = NULL;

    STOA_TRY(stoa_attribute_read_optional(t->from, name, &text, err));
    if (text != NULL) {
        STOA_TRY(write(t, as, text, err));
    } else if (t->to_lh5 ? t->was_lh5 || is_scalar(t->from, name)
                         : !stoa_is_listed(as, stoa_attribute_encodings)) {
        status = stoa_attribute_save(t->from, name, &kept, NULL);
        if (status != STOA_OK) { /* unreadable attributes are dropped, see unread_attributes.c */
            status = status == STOA_ENOMEM ? stoa_fail_memory(err) : STOA_OK;
            goto done;
        }
        STOA_TRY(stoa_attribute_put_back(t->to, as, &kept, err));
    }

done:
    stoa_saved_attribute_clear(&kept);
    free(text);
    return status;
}

/* Restore an attribute of a part in LH5: "stoa_lh5_part.encoded_data/flattened_data:by". */
static stoa_status copy_of_part(const taking *t, const char *name, stoa_error *err)
{
    stoa_status status = STOA_OK;
    taking of_it = *t;
    const char *const from = name + sizeof of_part - 1;
    const char *const as = from[0] != '/' ? strchr(from, ':') : NULL;
    char *const path = as != NULL ? stoa_strndup(from, (size_t)(as - from)) : NULL;

    if (as == NULL || as[1] == '\0' || stoa_is_listed(as + 1, stoa_lh5_own)) {
        goto done; /* not a saved name, or a path from the root, which would leave the object */
    }
    STOA_TRY(path != NULL ? STOA_OK : stoa_fail_memory(err));
    of_it.to = stoa_object_open(t->to, path);
    STOA_TRY(of_it.to >= 0 ? copy_as(&of_it, name, as + 1, err) : STOA_OK);
    status = stoa_hdf_close(&of_it.to, status, err);

done:
    free(path);
    return status;
}

static stoa_status copy_any(const taking *t, const char *name, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *as = NULL;

    if (t->to_lh5 && strncmp(name, of_part, sizeof of_part - 1) == 0) {
        return copy_of_part(t, name, err);
    }
    if ((t->part != NULL ? stoa_is_listed(name, stoa_lh5_own) : is_own(name)) ||
        stoa_lh5_refers(t->from, name)) {
        return STOA_OK;
    }
    as = t->part == NULL ? stoa_strdup(name) : stoa_format("%s%s:%s", of_part, t->part, name);
    STOA_TRY(as != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_attribute_exists(t->to, as) ? STOA_OK : copy_as(t, name, as, err));

done:
    free(as);
    return status;
}

static herr_t copy_one(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
    taking *const t = context;

    (void)object;
    (void)info;
    t->status = copy_any(t, name, t->err);
    return t->status == STOA_OK ? 0 : 1;
}

/* Copy all attributes. An object that cannot be opened has none. */
static stoa_status copy_all(taking t, stoa_error *err)
{
    t.err = err;
    if (t.from >= 0 && t.to >= 0) {
        const stoa_error_stack errors = stoa_error_stack_begin();
        (void)H5Aiterate2(t.from, H5_INDEX_NAME, H5_ITER_INC, NULL, copy_one, &t);
        stoa_error_stack_discard(&errors);
    }
    return t.status;
}

/* --- to HEP001 -------------------------------------------------------------------------------- */

/* Save the attributes of the parts of vectors and encoded arrays. The items may be vectors
 * themselves. */
static stoa_status keep_parts(hid_t group, hid_t dataset, stoa_error *err)
{
    static const char *const parts[] = {STOA_LH5_LENGTHS,
                                        STOA_LH5_DECODED_SIZE,
                                        STOA_LH5_ENCODED,
                                        STOA_LH5_ENCODED "/" STOA_LH5_LENGTHS,
                                        STOA_LH5_ENCODED "/" STOA_LH5_ITEMS,
                                        STOA_LH5_ITEMS};
    enum { N_PARTS = sizeof parts / sizeof *parts };
    stoa_status status = STOA_OK;
    char path[(STOA_LH5_MAX_DEPTH + 1) * sizeof STOA_LH5_ITEMS + 64];
    size_t length = 0; /* of the path of the group that holds the parts */
    hid_t part = H5I_INVALID_HID;

    for (unsigned i = 0; i < STOA_LH5_MAX_DEPTH * N_PARTS; i++) {
        (void)snprintf(path + length, sizeof path - length, "%s", parts[i % N_PARTS]);
        part = stoa_object_open(group, path);
        STOA_TRY(copy_all((taking){.from = part, .to = dataset, .part = path}, err));
        if (i % N_PARTS == N_PARTS - 1) {
            if (part < 0 || H5Iget_type(part) != H5I_GROUP) {
                break;
            }
            length += (size_t)snprintf(path + length, sizeof path - length, STOA_LH5_ITEMS "/");
        }
        STOA_TRY(stoa_hdf_close(&part, STOA_OK, err));
    }

done:
    return stoa_hdf_close(&part, status, err);
}

/* Open the source object of a column, by its original name. */
static stoa_status open_source(const stoa_table *from, const stoa_column *column, hid_t *object,
                               stoa_error *err)
{
    const char *const renamed = stoa_lh5_remark_of(column, STOA_LH5_NAME);
    const char *const was = renamed != NULL ? renamed : column->name;
    char *const path = stoa_lh5_path_of(from->group, was, strlen(was));

    STOA_RETURN_NO_MEMORY(err, path);
    *object = stoa_object_open(from->group, path);
    free(path);
    return STOA_OK;
}

/* Attribute prefix of a column's field metadata such as "lh5.codec". Metadata of its items add
 * "items1_" and so on. */
static const char kept[] = "stoa_lh5_";

typedef struct keeping {
    hid_t dataset;
    unsigned depth;
    bool is_all; /* no source object: restore users' attributes from the metadata */
} keeping;

static stoa_status keep_note(hid_t dataset, const char *name, const char *value, stoa_error *err)
{
    return is_own(name) || stoa_attribute_exists(dataset, name) ? STOA_OK
           : strncmp(value, "string ", 7) == 0
               ? stoa_attribute_write_utf8(dataset, name, value + 7, err)
               : stoa_lh5_attribute_write(dataset, name, value, err);
}

/* Save one pair of metadata. The column's own units, description and attributes are saved by other
 * means. Those of its items are saved here only if there is no source object to copy them from. */
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
    if (is_of_items ? k->depth == 0 || !k->is_all : !is_lh5) {
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

static stoa_status keep_column(const stoa_table *from, const stoa_column *column, bool is_one,
                               hid_t table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    hid_t object = H5I_INVALID_HID;
    hid_t dataset = H5I_INVALID_HID;

    STOA_HDF(err, dataset = stoa_open_here(table, column->name), "open column '%s'", column->name);
    STOA_TRY(stoa_column_schema(column, &schema, err));
    STOA_TRY(keep_metadata(&schema, !is_one, dataset, err));
    STOA_TRY(is_one ? open_source(from, column, &object, err) : STOA_OK);
    if (object >= 0) {
        STOA_TRY(copy_all((taking){.from = object, .to = dataset}, err));
        STOA_TRY(H5Iget_type(object) == H5I_GROUP ? keep_parts(object, dataset, err) : STOA_OK);
    }

done:
    stoa_schema_release(&schema);
    status = stoa_hdf_close(&object, status, err);
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

stoa_status stoa_lh5_save_metadata(const stoa_table *from, hid_t table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *text = NULL;

    const bool is_one = strcmp(from->layout, "lh5") == 0; /* several files have no group */
    for (size_t i = 0; i < from->n_columns; i++) {
        STOA_TRY(keep_column(from, from->columns[i], is_one, table, err));
    }
    if (!is_one) {
        goto done;
    }
    STOA_TRY(copy_all((taking){.from = from->group, .to = table}, err));
    STOA_TRY(stoa_attribute_read_optional(from->group, "description", &text, err));
    if (text != NULL && !stoa_attribute_exists(table, "description")) {
        STOA_TRY(stoa_attribute_write_mended(table, "description", text, err));
    }

done:
    free(text);
    return status;
}

/* --- from HEP001 ------------------------------------------------------------------------------ */

typedef struct recalling {
    struct ArrowSchema *field;
    stoa_status status;
    stoa_error *err;
} recalling;

/* Find the field that an attribute describes: "items2_codec" belongs to the items of the items.
 * Names without a prefix belong to the field itself. */
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
    STOA_TRY(stoa_attribute_read_optional(dataset, attribute, &text, err));
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
    if (strncmp(name, kept, sizeof kept - 1) == 0 &&
        strncmp(name, of_part, sizeof of_part - 1) != 0) {
        r->status = recall_one(r, dataset, name, r->err);
    }
    return r->status == STOA_OK ? 0 : 1;
}

static stoa_status recall_field(hid_t dataset, struct ArrowSchema *field, stoa_error *err)
{
    recalling r = {field, STOA_OK, err};
    const stoa_error_stack errors = stoa_error_stack_begin();

    (void)H5Aiterate2(dataset, H5_INDEX_NAME, H5_ITER_INC, NULL, recall_attribute, &r);
    stoa_error_stack_discard(&errors);
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

stoa_status stoa_lh5_restore_fields(const stoa_table *from, struct ArrowSchema *schema,
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

/* Restore the attributes of a column. Dots in its name lead into nested tables. */
static stoa_status recall_column(const stoa_table *from, const char *name, bool was_lh5,
                                 hid_t object, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t dataset = stoa_object_open(from->group, name);
    hid_t member = H5I_INVALID_HID;
    char *path = stoa_lh5_path_of(object, name, strlen(name));
    char *was = NULL;

    STOA_TRY(path != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_attribute_read_optional(dataset, STOA_LH5_NAME_KEPT, &was, err));
    member = stoa_object_open(object, was != NULL && stoa_name_is_reserved(was) ? was : path);
    STOA_TRY(
        copy_all((taking){.from = dataset, .to = member, .to_lh5 = true, .was_lh5 = was_lh5}, err));

done:
    free(path);
    free(was);
    status = stoa_hdf_close(&member, status, err);
    return stoa_hdf_close(&dataset, status, err);
}

/* Whether a table was converted from an LH5 table. */
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

stoa_status stoa_lh5_restore_metadata(const stoa_table *from, hid_t object, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_lh5_datatype type = {0};

    if (from->layout != NULL) {
        return strcmp(from->layout, "lh5") == 0 ? stoa_lh5_copy_attributes(from->group, object, err)
                                                : STOA_OK;
    }
    const bool was_lh5 = is_of_lh5(from);
    STOA_TRY(stoa_lh5_type_of(object, &type, NULL, err));
    STOA_TRY(copy_all(
        (taking){.from = from->group, .to = object, .to_lh5 = true, .was_lh5 = was_lh5}, err));
    for (size_t i = 0; type.kind == STOA_LH5_TABLE && i < from->n_columns; i++) {
        STOA_TRY(recall_column(from, from->columns[i]->name, was_lh5, object, err));
    }
    if (from->description != NULL && from->description[0] != '\0' &&
        !stoa_attribute_exists(object, "description")) {
        STOA_TRY(stoa_lh5_write_text(object, "description", from->description, err));
    }

done:
    stoa_lh5_datatype_clear(&type);
    return status;
}
