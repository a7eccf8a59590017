/*
 * Attributes of LH5's objects that Stoa gives no meaning to, as metadata of Arrow, and back (LH5
 * notes §3): scalar texts, numbers and bools. Others cannot go with LEGEND's software.
 *
 * Of a column they are 'lh5.attribute.NAME' of its field; of the groups that a table or a histogram
 * is made of, 'lh5.part.PATH/NAME' of the schema, with dots in PATH, which is empty of the object
 * itself. A value is its type and what it is: "string uid // 7", "int64 3", "bool true".
 */
#include <stdlib.h>
#include <string.h>

#include "arrow/metadata.h"
#include "core/memory.h"
#include "hdf/attributes.h"
#include "hdf/links.h"
#include "hdf/types.h"
#include "layout/lh5.h"
#include "layout/lh5_writer.h"

static const char of_column[] = "lh5.attribute.";
static const char of_part[] = "lh5.part.";

/* --- reading --------------------------------------------------------------------------------- */

/* Where what is found goes: to a column, or else to a table. */
typedef struct taking {
    stoa_column *column;
    stoa_table *table;
    const char *path;
    stoa_status status; /* what is damaged is let be: the rows may still be whole */
} taking;

/* What a column's metadata say in words of their own. */
static bool is_known(const char *name)
{
    static const char *const known[] = {"datatype", "units", "description", "codec"};
    bool is = false;

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        is |= strcmp(name, known[i]) == 0;
    }
    return is;
}

/* A dataset's type is what becomes of it; a group's has an order. */
static bool is_own(hid_t object, const char *name)
{
    return H5Iget_type(object) == H5I_DATASET && strcmp(name, "datatype") == 0;
}

static stoa_status remark(const taking *t, const char *name, const char *value, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *const key = t->column != NULL ? stoa_format("%s%s", of_column, name)
                                        : stoa_format("%s%s/%s", of_part, t->path, name);

    STOA_TRY(key != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(t->column != NULL ? stoa_column_remark_on(t->column, key, value, err)
                               : stoa_foreign_remark_on(t->table, key, value, err));

done:
    free(key);
    return status;
}

static bool is_truth(const stoa_element *element)
{
    return element->class == STOA_ELEMENT_ENUM && element->n_members == 2 &&
           strcmp(element->names[0], "FALSE") == 0 && strcmp(element->names[1], "TRUE") == 0;
}

/* A number as it is stored, and its digits; empty where it is none. */
static stoa_status print_number(hid_t object, const char *name, const stoa_element *element,
                                stoa_buffer *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    union {
        int64_t i;
        uint64_t u;
        double f;
    } value = {.u = 0};
    char digits[STOA_NUMBER_SIZE];
    bool found = false;
    const bool is_float = element->class == STOA_ELEMENT_FLOAT;
    const bool is_signed = is_float || stoa_kind_is_signed(element->kind);

    STOA_TRY(stoa_attribute_read_scalar(object, name,
                                        is_float    ? H5T_NATIVE_DOUBLE
                                        : is_signed ? H5T_NATIVE_INT64
                                                    : H5T_NATIVE_UINT64,
                                        &value, &found, err));
    if (found) {
        (void)(is_float    ? stoa_format_f64(value.f, digits)
               : is_signed ? stoa_format_i64(value.i, digits)
                           : stoa_format_u64(value.u, digits));
        STOA_TRY(stoa_buffer_print(out, err, "%s %s", element->text, digits));
    }

done:
    return status;
}

/* What stands for an attribute; empty where nothing can. */
static stoa_status print_attribute(hid_t object, const char *name, hid_t type, stoa_buffer *out,
                                   stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_element element = {.mem_type = H5I_INVALID_HID};
    char *text = NULL;
    bool is_true = false;

    STOA_TRY(stoa_attribute_read_note(object, name, &text, err));
    if (text != NULL) {
        STOA_TRY(stoa_buffer_print(out, err, "string %s", text));
        goto done;
    }
    status = stoa_element_of(type, &element, NULL);
    STOA_TRY(status == STOA_ENOMEM ? stoa_fail_memory(err) : STOA_OK);
    if (is_truth(&element)) {
        STOA_TRY(stoa_attribute_read_bool(object, name, &is_true, err));
        STOA_TRY(stoa_buffer_print(out, err, "bool %s", is_true ? "true" : "false"));
    } else if (element.class == STOA_ELEMENT_FLOAT ||
               (element.class == STOA_ELEMENT_INTEGER && !element.is_bitfield)) {
        STOA_TRY(print_number(object, name, &element, out, err));
    }

done:
    free(text);
    stoa_element_clear(&element);
    return status;
}

static stoa_status take_attribute(const taking *t, hid_t object, const char *name, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer value = {0};
    hid_t attribute = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;

    STOA_HDF(err, attribute = H5Aopen(object, name, H5P_DEFAULT), "open attribute '%s'", name);
    STOA_HDF(err, space = H5Aget_space(attribute), "get the shape of attribute '%s'", name);
    STOA_HDF(err, type = H5Aget_type(attribute), "get the type of attribute '%s'", name);
    const bool is_text = H5Tget_class(type) == H5T_STRING;
    if (H5Sget_simple_extent_type(space) == H5S_SCALAR &&
        !(is_text && (t->column != NULL ? is_known(name) : is_own(object, name)))) {
        STOA_TRY(print_attribute(object, name, type, &value, err));
    }
    if (value.size > 0) {
        STOA_TRY(remark(t, name, (char *)value.data, err));
    }

done:
    stoa_buffer_clear(&value);
    status = stoa_hdf_close(&type, status, err);
    status = stoa_hdf_close(&space, status, err);
    return stoa_hdf_close(&attribute, status, err);
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
    herr_t visited = 0;
    const stoa_quiet quiet = stoa_quiet_begin();

    visited = H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &at, visit, t);
    if (visited < 0) {
        (void)H5Eclear2(H5E_DEFAULT);
    }
    stoa_quiet_end(&quiet);
    return t->status == STOA_ENOMEM ? stoa_fail_memory(err) : STOA_OK;
}

stoa_status stoa_lh5_take_attributes(hid_t object, stoa_column *column, stoa_error *err)
{
    taking t = {.column = column};

    return take_all(&t, object, err);
}

stoa_status stoa_lh5_take_part(hid_t group, const char *path, stoa_table *table, stoa_error *err)
{
    taking t = {.table = table, .path = path};

    return take_all(&t, group, err);
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

    STOA_TRY(stoa_lh5_take_part(object, at->path, at->table, err));
    if (H5Iget_type(object) == H5I_GROUP && at->depth < MOST_LEVELS) {
        status = stoa_links_visit(object, visit_part, &w, err);
        status = w.status != STOA_OK ? w.status : status;
    }

done:
    return status;
}

stoa_status stoa_lh5_take_parts(hid_t group, const char *path, stoa_table *table, stoa_error *err)
{
    unsigned n_parts = 0;
    const walk w = {path, table, 0, &n_parts, STOA_OK, err};

    return take_below(group, &w, err);
}

/* --- writing --------------------------------------------------------------------------------- */

static stoa_status say_number(hid_t object, const char *name, const char *stored,
                              const char *digits, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    const size_t length = strlen(digits);
    double f = 0;
    int64_t i = 0;
    uint64_t u = 0;

    STOA_TRY(stoa_lh5_number_type(stored, STOA_KIND_FLOAT64, &type, err));
    const bool is_float = H5Tget_class(type) == H5T_FLOAT;
    if (!is_float && stoa_parse_i64(digits, length, &i)) {
        STOA_TRY(stoa_attribute_write_scalar(object, name, type, H5T_NATIVE_INT64, &i, err));
    } else if (!is_float && stoa_parse_u64(digits, length, &u)) {
        STOA_TRY(stoa_attribute_write_scalar(object, name, type, H5T_NATIVE_UINT64, &u, err));
    } else if (is_float && stoa_parse_f64(digits, length, &f)) {
        STOA_TRY(stoa_attribute_write_scalar(object, name, type, H5T_NATIVE_DOUBLE, &f, err));
    }

done:
    return stoa_hdf_close(&type, status, err);
}

/* Metadata may be anybody's: what is none of these is let be. */
static stoa_status say(hid_t object, const char *name, const char *value, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *stored = NULL;

    if (strncmp(value, "string ", 7) == 0) {
        return stoa_lh5_say(object, name, value + 7, err);
    }
    if (strncmp(value, "bool ", 5) == 0) {
        return stoa_attribute_write_bool(object, name, strcmp(value + 5, "true") == 0, err);
    }
    const char *const space = strrchr(value, ' ');
    if (space != NULL) {
        stored = stoa_strndup(value, (size_t)(space - value));
        STOA_TRY(stored != NULL ? STOA_OK : stoa_fail_memory(err));
        STOA_TRY(say_number(object, name, stored, space + 1, err));
    }

done:
    free(stored);
    return status;
}

static stoa_status say_one(void *context, const char *key, const char *value, stoa_error *err)
{
    const hid_t *const object = context;
    const char *const name = key + sizeof of_column - 1;

    return strncmp(key, of_column, sizeof of_column - 1) == 0 && name[0] != '\0' &&
                   !is_known(name) && strcmp(name, "codec_shift") != 0
               ? say(*object, name, value, err)
               : STOA_OK;
}

stoa_status stoa_lh5_say_attributes(hid_t object, const struct ArrowSchema *field, stoa_error *err)
{
    return stoa_metadata_visit(field->metadata, say_one, &object, err);
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
        STOA_TRY(say(part, slash + 1, value, err));
    } else if (strncmp(value, "string ", 7) == 0) {
        STOA_TRY(say_order(part, value + 7, err));
    }

done:
    free(path);
    return stoa_hdf_close(&part, status, err);
}

stoa_status stoa_lh5_say_parts(hid_t object, const struct ArrowSchema *schema, stoa_error *err)
{
    return stoa_metadata_visit(schema->metadata, say_of_part, &object, err);
}
