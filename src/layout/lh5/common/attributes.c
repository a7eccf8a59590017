/*
 * Attributes of LH5 objects without a meaning to Stoa, as Arrow metadata and back (LH5 notes §3).
 * Only scalar attributes are taken, because LEGEND's software opens no object with others.
 * Conversions between files copy attributes unchanged, see saved_metadata.c and
 * unconverted_objects.c.
 *
 * A column's attributes are 'lh5.attribute.NAME' of its field. Those of a table, of its nested
 * tables and of a histogram are 'lh5.part.PATH/NAME' of the schema. PATH has dots and is empty for
 * the object itself. attribute_text.h defines the form of a value.
 */
#include <stdlib.h>
#include <string.h>

#include "arrow/metadata.h"
#include "core/memory.h"
#include "core/text.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "layout/lh5/common/attribute_text.h"
#include "layout/lh5/read/lh5.h"
#include "layout/lh5/write/writer.h"

static const char of_column[] = "lh5.attribute.";
static const char of_part[] = "lh5.part.";

/* --- reading --------------------------------------------------------------------------------- */

/* Where attributes are collected: a column, otherwise a table. */
typedef struct taking {
    stoa_column *column;
    stoa_table *table;
    const char *path;   /* path of the part of a table */
    stoa_status status; /* damaged attributes are skipped, because the rows may be intact */
} taking;

/* Whether a column's metadata have the attribute under a key of its own. */
static bool is_known(const char *name)
{
    static const char *const known[] = {"datatype", "units", "description", "codec", NULL};

    return stoa_is_listed(name, known);
}

static stoa_status remark(const taking *t, const char *name, const char *value, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *const key = t->column != NULL ? stoa_format("%s%s", of_column, name)
                                        : stoa_format("%s%s/%s", of_part, t->path, name);

    STOA_TRY(key != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(t->column != NULL ? stoa_column_add_metadata(t->column, key, value, err)
                               : stoa_foreign_add_metadata(t->table, key, value, err));

done:
    free(key);
    return status;
}

static stoa_status read_attribute(const taking *t, hid_t object, const char *name, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer value = {0};

    STOA_TRY(stoa_lh5_attribute_print(object, name, &value, err));
    if (value.size > 0) {
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
    if (t->column == NULL || !is_known(name)) {
        t->status = read_attribute(t, object, name, NULL);
    }
    return t->status == STOA_ENOMEM ? -1 : 0;
}

static stoa_status read_all(taking *t, hid_t object, stoa_error *err)
{
    hsize_t at = 0;
    const stoa_error_stack errors = stoa_error_stack_begin();

    (void)H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &at, visit, t);
    stoa_error_stack_discard(&errors);
    return t->status == STOA_ENOMEM ? stoa_fail_memory(err) : STOA_OK;
}

stoa_status stoa_lh5_read_attributes(hid_t object, stoa_column *column, stoa_error *err)
{
    taking t = {.column = column};

    return read_all(&t, object, err);
}

stoa_status stoa_lh5_read_part_attributes(hid_t object, const char *path, stoa_table *table,
                                          stoa_error *err)
{
    taking t = {.table = table, .path = path};

    return read_all(&t, object, err);
}

bool stoa_lh5_says(const struct ArrowSchema *field, const char *key, const char *value)
{
    const char *text = NULL;
    size_t length = 0;

    return stoa_schema_get(field, key, &text, &length) && length == strlen(value) &&
           memcmp(text, value, length) == 0;
}

/* --- writing --------------------------------------------------------------------------------- */

static stoa_status write_one(void *context, const char *key, const char *value, stoa_error *err)
{
    const hid_t *const object = context;
    const char *const name = key + sizeof of_column - 1;

    return strncmp(key, of_column, sizeof of_column - 1) == 0 && name[0] != '\0' &&
                   !is_known(name) && strcmp(name, "codec_shift") != 0
               ? stoa_lh5_attribute_write(*object, name, value, err)
               : STOA_OK;
}

/* Restore the order of a list of fields, if its names are still the same. */
static stoa_status write_order(hid_t group, const char *before, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_lh5_datatype type = {0};
    char *was = NULL;
    char *text = NULL;

    STOA_TRY(stoa_lh5_type_of(group, &type, &was, err));
    if (was != NULL) {
        STOA_TRY(stoa_lh5_datatype_spell(&type, before, &text, err));
        STOA_TRY(stoa_lh5_write_text(group, "datatype", text, err));
    }

done:
    stoa_lh5_datatype_clear(&type);
    free(was);
    free(text);
    return status;
}

static stoa_status write_of_part(void *context, const char *key, const char *value, stoa_error *err)
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
        return STOA_OK; /* not a part, or a path from the root, which would leave the object */
    }
    path = stoa_lh5_path_of(*object, from, (size_t)(slash - from));
    STOA_TRY(path != NULL ? STOA_OK : stoa_fail_memory(err));
    part = stoa_object_open(*object, path[0] != '\0' ? path : ".");
    if (part < 0) {
        goto done; /* none of its columns was written */
    }
    if (strcmp(slash + 1, "datatype") != 0) {
        STOA_TRY(stoa_lh5_attribute_write(part, slash + 1, value, err));
    } else if (strncmp(value, "string ", 7) == 0) {
        STOA_TRY(write_order(part, value + 7, err));
    }

done:
    free(path);
    return stoa_hdf_close(&part, status, err);
}

stoa_status stoa_lh5_write_attributes(hid_t object, const struct ArrowSchema *field,
                                      stoa_error *err)
{
    return stoa_metadata_visit(field->metadata, write_one, &object, err);
}

stoa_status stoa_lh5_write_part_attributes(hid_t object, const struct ArrowSchema *schema,
                                           stoa_error *err)
{
    return stoa_metadata_visit(schema->metadata, write_of_part, &object, err);
}
