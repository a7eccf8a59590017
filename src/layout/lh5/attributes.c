/*
 * Attributes of LH5's objects that Stoa gives no meaning to, as metadata of Arrow, and back (LH5
 * notes §3), of any type that there are words for, arrays as well, with which LEGEND's software
 * opens no object: whoever put them there gets them back.
 *
 * Of a column they are 'lh5.attribute.NAME' of its field; of the groups that a table or a histogram
 * is made of, 'lh5.part.PATH/NAME' of the schema, with dots in PATH, which is empty of the object
 * itself; and so of what a column's group is made of, of the field. attribute_text.h has what a
 * value looks like.
 */
#include <stdlib.h>
#include <string.h>

#include "arrow/metadata.h"
#include "core/memory.h"
#include "core/text.h"
#include "hdf/attributes.h"
#include "hdf/links.h"
#include "layout/lh5/attribute_text.h"
#include "layout/lh5/lh5.h"
#include "layout/lh5/writer.h"

static const char of_column[] = "lh5.attribute.";
static const char of_part[] = "lh5.part.";

/* --- reading --------------------------------------------------------------------------------- */

/* Where what is found goes: to a column, or else to a table. */
typedef struct taking {
    stoa_column *column;
    stoa_table *table;
    const char *path;   /* NULL: to the column itself */
    stoa_status status; /* what is damaged is let be: the rows may still be whole */
} taking;

/* What a column's metadata say in words of their own. */
static bool is_known(const char *name)
{
    static const char *const known[] = {"datatype", "units", "description", "codec", NULL};

    return stoa_is_listed(name, known);
}

/* A dataset's type is what becomes of it, and so is that of a column's part; a table's has an
 * order.
 */
static bool is_own(const taking *t, hid_t object, const char *name)
{
    return (t->column != NULL || H5Iget_type(object) == H5I_DATASET) &&
           strcmp(name, "datatype") == 0;
}

static stoa_status remark(const taking *t, const char *name, const char *value, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *const key = t->path == NULL ? stoa_format("%s%s", of_column, name)
                                      : stoa_format("%s%s/%s", of_part, t->path, name);

    STOA_TRY(key != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(t->column != NULL ? stoa_column_remark_on(t->column, key, value, err)
                               : stoa_foreign_remark_on(t->table, key, value, err));

done:
    free(key);
    return status;
}

static stoa_status take_attribute(const taking *t, hid_t object, const char *name, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer value = {0};

    STOA_TRY(stoa_lh5_attribute_print(object, name, &value, err));
    const bool is_text = value.size > 0 && strncmp((char *)value.data, "string", 6) == 0;
    if (value.size > 0 &&
        !(is_text && (t->path == NULL ? is_known(name) : is_own(t, object, name)))) {
        STOA_TRY(remark(t, name, (char *)value.data, err));
    }

done:
    stoa_buffer_clear(&value);
    return status;
}

static herr_t visit(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
    taking *const t = context;

    (void)info;
    t->status = take_attribute(t, object, name, NULL);
    return t->status == STOA_ENOMEM ? -1 : 0;
}

static stoa_status take_all(taking *t, hid_t object, stoa_error *err)
{
    hsize_t at = 0;
    const stoa_quiet quiet = stoa_quiet_begin();

    (void)H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &at, visit, t);
    stoa_quiet_drop(&quiet);
    return t->status == STOA_ENOMEM ? stoa_fail_memory(err) : STOA_OK;
}

/* What columns that are groups are made of; what vectors have flattened is a field of its own. */
static const char *const column_parts[] = {STOA_LH5_LENGTHS, STOA_LH5_DECODED_SIZE,
                                           STOA_LH5_ENCODED, STOA_LH5_ENCODED "." STOA_LH5_LENGTHS,
                                           STOA_LH5_ENCODED "." STOA_LH5_ITEMS};

stoa_status stoa_lh5_take_attributes(hid_t object, stoa_column *column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    taking t = {.column = column};
    hid_t part = H5I_INVALID_HID;
    char *path = NULL;

    STOA_TRY(take_all(&t, object, err));
    for (size_t i = 0; i < sizeof column_parts / sizeof *column_parts; i++) {
        t.path = column_parts[i];
        path = stoa_lh5_path_of(t.path, strlen(t.path));
        STOA_TRY(path != NULL ? STOA_OK : stoa_fail_memory(err));
        part = H5Iget_type(object) == H5I_GROUP ? stoa_object_open(object, path) : H5I_INVALID_HID;
        STOA_TRY(part >= 0 ? take_all(&t, part, err) : STOA_OK);
        STOA_TRY(stoa_hdf_close(&part, STOA_OK, err));
        free(path);
        path = NULL;
    }

done:
    free(path);
    return stoa_hdf_close(&part, status, err);
}

stoa_status stoa_lh5_take_part(hid_t object, const char *path, stoa_table *table, stoa_error *err)
{
    taking t = {.table = table, .path = path};

    return take_all(&t, object, err);
}

/* Groups in each other that a histogram is made of. */
enum { MOST_LEVELS = 4, MOST_PARTS = 256 };

typedef struct walk {
    const char *path;
    stoa_table *table;
    unsigned depth;
    unsigned *n_parts; /* so far, of all */
    stoa_status status;
    stoa_error *err;
} walk;

static stoa_status take_below(hid_t object, const walk *at, stoa_error *err);

static herr_t visit_part(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    walk *const w = context;
    const bool is_own = info->type == H5L_TYPE_HARD && strchr(name, '.') == NULL;
    hid_t part = is_own ? stoa_object_open(group, name) : H5I_INVALID_HID;
    char *path = NULL;

    if (part >= 0 && ++*w->n_parts <= MOST_PARTS) {
        path = stoa_format("%s%s%s", w->path, w->path[0] != '\0' ? "." : "", name);
        const walk below = {path, w->table, w->depth + 1, w->n_parts, STOA_OK, w->err};
        w->status = path != NULL ? take_below(part, &below, w->err) : stoa_fail_memory(w->err);
    }
    free(path);
    (void)stoa_hdf_close(&part, STOA_OK, NULL);
    return w->status == STOA_OK ? 0 : -1;
}

static stoa_status take_below(hid_t object, const walk *at, stoa_error *err)
{
    stoa_status status = STOA_OK;
    walk w = *at;

    STOA_RETURN_NOT_OK(stoa_lh5_take_part(object, at->path, at->table, err));
    if (H5Iget_type(object) == H5I_GROUP && at->depth < MOST_LEVELS) {
        status = stoa_links_visit(object, visit_part, &w, err);
        status = w.status != STOA_OK ? w.status : status;
    }
    return status;
}

stoa_status stoa_lh5_take_parts(hid_t group, const char *path, stoa_table *table, stoa_error *err)
{
    unsigned n_parts = 0;
    const walk w = {path, table, 0, &n_parts, STOA_OK, err};

    return take_below(group, &w, err);
}

/* --- writing --------------------------------------------------------------------------------- */

static stoa_status say_one(void *context, const char *key, const char *value, stoa_error *err)
{
    const hid_t *const object = context;
    const char *const name = key + sizeof of_column - 1;

    return strncmp(key, of_column, sizeof of_column - 1) == 0 && name[0] != '\0' &&
                   !is_known(name) && strcmp(name, "codec_shift") != 0
               ? stoa_lh5_attribute_say(*object, name, value, err)
               : STOA_OK;
}

/* A list of fields in the order in which they were, if it is still the same ones. */
static stoa_status say_order(hid_t group, const char *before, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_lh5_datatype type = {0};
    char *was = NULL;
    char *text = NULL;

    STOA_TRY(stoa_lh5_type_of(group, &type, &was, err));
    if (was != NULL) {
        STOA_TRY(stoa_lh5_datatype_spell(&type, before, &text, err));
        STOA_TRY(stoa_lh5_say(group, "datatype", text, err));
    }

done:
    stoa_lh5_datatype_clear(&type);
    free(was);
    free(text);
    return status;
}

static stoa_status say_of_part(void *context, const char *key, const char *value, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const hid_t *const object = context;
    hid_t part = H5I_INVALID_HID;
    char *path = NULL;

    if (strncmp(key, of_part, sizeof of_part - 1) != 0) {
        return STOA_OK;
    }
    const char *const from = key + sizeof of_part - 1;
    const char *const slash = strchr(from, '/');
    if (slash == NULL || slash[1] == '\0' || from[0] == '.') {
        return STOA_OK; /* none; or a path from the root, to what is none of ours */
    }
    path = stoa_lh5_path_of(from, (size_t)(slash - from));
    STOA_TRY(path != NULL ? STOA_OK : stoa_fail_memory(err));
    part = stoa_object_open(*object, path[0] != '\0' ? path : ".");
    if (part < 0) {
        goto done; /* no column of it is written */
    }
    if (strcmp(slash + 1, "datatype") != 0) {
        STOA_TRY(stoa_lh5_attribute_say(part, slash + 1, value, err));
    } else if (strncmp(value, "string ", 7) == 0) {
        STOA_TRY(say_order(part, value + 7, err));
    }

done:
    free(path);
    return stoa_hdf_close(&part, status, err);
}

/* Of one of the parts of a column, if it has become that. */
static stoa_status say_of_column_part(void *context, const char *key, const char *value,
                                      stoa_error *err)
{
    const char *const path = key + sizeof of_part - 1;
    bool is_one = false;

    for (size_t i = 0; i < sizeof column_parts / sizeof *column_parts; i++) {
        const size_t length = strlen(column_parts[i]);
        is_one |= strncmp(key, of_part, sizeof of_part - 1) == 0 &&
                  strncmp(path, column_parts[i], length) == 0 && path[length] == '/' &&
                  strcmp(path + length, "/datatype") != 0;
    }
    return is_one ? say_of_part(context, key, value, err) : STOA_OK;
}

stoa_status stoa_lh5_say_attributes(hid_t object, const struct ArrowSchema *field, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_metadata_visit(field->metadata, say_one, &object, err));
    return stoa_metadata_visit(field->metadata, say_of_column_part, &object, err);
}

stoa_status stoa_lh5_say_parts(hid_t object, const struct ArrowSchema *schema, stoa_error *err)
{
    return stoa_metadata_visit(schema->metadata, say_of_part, &object, err);
}
