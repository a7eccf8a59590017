/* Text and boolean attributes, checked as they are stored (HEP001 §6, §7, §8.6, §10.3). */
#include "check/attributes.h"

#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/metadata/types.h"

static void unreadable(stoa_checker *checker, const char *path, const char *name)
{
    stoa_check_report(checker, path, STOA_RULE_UNREADABLE,
                      "attribute '%s' cannot be read; the file is damaged", name);
}

void stoa_attribute_close(stoa_attribute *attribute)
{
    (void)stoa_hdf_close(&attribute->type, STOA_OK, NULL);
    (void)stoa_hdf_close(&attribute->id, STOA_OK, NULL);
}

bool stoa_attribute_open(stoa_checker *checker, const stoa_subject *object, const char *name,
                         stoa_attribute *attribute)
{
    hid_t space = H5I_INVALID_HID;
    hssize_t n = -1;
    const htri_t exists = H5Aexists(object->id, name);

    *attribute = (stoa_attribute){.id = H5I_INVALID_HID, .type = H5I_INVALID_HID};
    if (exists == 0) {
        return false;
    }
    attribute->id = exists < 0 ? H5I_INVALID_HID : H5Aopen(object->id, name, H5P_DEFAULT);
    if (attribute->id >= 0) {
        attribute->type = H5Aget_type(attribute->id);
        space = H5Aget_space(attribute->id);
        attribute->class = H5Tget_class(attribute->type);
        attribute->size = H5Tget_size(attribute->type);
        attribute->shape = H5Sget_simple_extent_type(space);
        attribute->rank = H5Sget_simple_extent_ndims(space);
        n = H5Sget_simple_extent_npoints(space);
        (void)stoa_hdf_close(&space, STOA_OK, NULL);
    }
    if (n < 0 || attribute->class == H5T_NO_CLASS || attribute->size == 0 ||
        !stoa_attribute_fits(attribute->id, attribute->type, (uint64_t)n)) {
        unreadable(checker, object->path, name);
        stoa_attribute_close(attribute);
        return false;
    }
    attribute->n = attribute->shape == H5S_NULL ? 0 : (uint64_t)n;
    return true;
}

static bool is_fixed_string(const stoa_attribute *attribute)
{
    return attribute->class == H5T_STRING && H5Tis_variable_str(attribute->type) == 0;
}

const char *stoa_attribute_type_name(const stoa_attribute *attribute)
{
    static const char *const names[] = {
        "an integer", "a float",     "a time",         "a string",           "a bitfield", "opaque",
        "a compound", "a reference", "an enumeration", "of variable length", "an array"};

    if (attribute->class == H5T_STRING && !is_fixed_string(attribute)) {
        return "a variable-length string";
    }
    if (attribute->class < 0 || (size_t)attribute->class >= sizeof names / sizeof names[0]) {
        return "of a class unknown to HEP001";
    }
    return names[attribute->class];
}

/* Read a string attribute as n C strings in one block; NULL if it cannot be read. */
static char **read_strings(stoa_checker *checker, const stoa_attribute *attribute)
{
    const size_t n = (size_t)attribute->n;
    const bool is_fixed = is_fixed_string(attribute);
    const size_t size = is_fixed ? attribute->size : sizeof(char *);
    const H5T_str_t padding = H5Tget_strpad(attribute->type);
    hid_t space = H5I_INVALID_HID;
    bool is_read = false;
    size_t n_bytes = 0;
    char **values = NULL;
    char *elements = stoa_alloc_zero(n, size);

    if (elements == NULL) {
        stoa_check_memory(checker);
        return NULL;
    }
    is_read = H5Aread(attribute->id, attribute->type, elements) >= 0;
    for (size_t i = 0; is_read && i < n; i++) {
        const char *text = is_fixed ? elements + i * size : ((char **)(void *)elements)[i];
        n_bytes += 1 + (is_fixed ? stoa_fixed_string_length(text, size, padding)
                                 : (text == NULL ? 0 : strlen(text)));
    }
    values = is_read ? stoa_alloc(1, n * sizeof *values + n_bytes) : NULL;
    if (values != NULL) {
        char *to = (char *)(values + n);
        for (size_t i = 0; i < n; i++) {
            const char *text = is_fixed ? elements + i * size : ((char **)(void *)elements)[i];
            const size_t length = is_fixed ? stoa_fixed_string_length(text, size, padding)
                                           : (text == NULL ? 0 : strlen(text));
            values[i] = to;
            if (length > 0) {
                memcpy(to, text, length);
            }
            to[length] = '\0';
            to += length + 1;
        }
    } else if (is_read) {
        stoa_check_memory(checker);
    }
    if (is_read && !is_fixed) {
        space = H5Aget_space(attribute->id);
        (void)H5Treclaim(attribute->type, space, H5P_DEFAULT, elements);
        (void)stoa_hdf_close(&space, STOA_OK, NULL);
    }
    free(elements);
    return values;
}

/* Check type and character set, which are the same for a scalar and a list; `rules` is not NULL. */
static void check_form(stoa_checker *checker, const char *path, const char *name,
                       const stoa_text_rules *rules, const stoa_attribute *attribute)
{
    const char *const set = rules->expected == H5T_CSET_UTF8 ? "UTF-8" : "ASCII";

    if (!is_fixed_string(attribute)) {
        stoa_check_report(checker, path, rules->type,
                          "attribute '%s' is %s; it must be a fixed-length string", name,
                          stoa_attribute_type_name(attribute));
    }
    if (attribute->class == H5T_STRING && H5Tget_cset(attribute->type) != rules->expected) {
        stoa_check_report(checker, path, rules->charset, "attribute '%s' is not marked as %s", name,
                          set);
    }
}

static void check_bytes(stoa_checker *checker, const char *path, const char *name,
                        const stoa_text_rules *rules, const char *text)
{
    const size_t length = strlen(text);

    if (rules->expected == H5T_CSET_UTF8 ? stoa_utf8_valid(text, length) != length
                                         : !stoa_is_ascii(text, strlen(text))) {
        stoa_check_report(checker, path, rules->bytes, "attribute '%s' holds bytes that are no %s",
                          name, rules->expected == H5T_CSET_UTF8 ? "UTF-8" : "ASCII");
    }
}

/* Whether the attribute can be read: it holds strings and is not too large. */
static bool is_readable(stoa_checker *checker, const char *path, const char *name,
                        const stoa_attribute *attribute)
{
    if (attribute->class != H5T_STRING) {
        return false;
    }
    if (attribute->n > STOA_CHECK_MAX_BYTES ||
        attribute->size > STOA_CHECK_MAX_BYTES / (attribute->n == 0 ? 1 : attribute->n)) {
        stoa_check_report(checker, path, STOA_RULE_NOT_READ,
                          "attribute '%s' takes up more than 16 MiB", name);
        return false;
    }
    return true;
}

char *stoa_check_text(stoa_checker *checker, const stoa_subject *object, const char *name,
                      const stoa_text_rules *rules)
{
    stoa_attribute attribute;
    char **values = NULL;
    char *value = NULL;

    if (!stoa_attribute_open(checker, object, name, &attribute)) {
        return NULL;
    }
    if (rules != NULL) {
        check_form(checker, object->path, name, rules, &attribute);
        if (attribute.shape != H5S_SCALAR) {
            stoa_check_report(checker, object->path, rules->shape,
                              "attribute '%s' must be scalar; it is an array or null", name);
        }
    }
    if (attribute.n == 1 && is_readable(checker, object->path, name, &attribute)) {
        values = read_strings(checker, &attribute);
        if (values == NULL) {
            unreadable(checker, object->path, name);
        } else if ((value = stoa_strdup(values[0])) == NULL) {
            stoa_check_memory(checker);
        } else if (rules != NULL) {
            check_bytes(checker, object->path, name, rules, value);
        }
        free(values);
    }
    stoa_attribute_close(&attribute);
    return value;
}

bool stoa_check_texts(stoa_checker *checker, const stoa_subject *object, const char *name,
                      const stoa_text_rules *rules, uint64_t most, char ***values, size_t *n)
{
    stoa_attribute attribute;

    *values = NULL;
    *n = 0;
    if (!stoa_attribute_open(checker, object, name, &attribute)) {
        return false;
    }
    check_form(checker, object->path, name, rules, &attribute);
    if (attribute.shape != H5S_SIMPLE || attribute.rank != 1) {
        stoa_check_report(checker, object->path, rules->shape,
                          "attribute '%s' must be one-dimensional", name);
    } else if (is_readable(checker, object->path, name, &attribute)) {
        if (attribute.n > most) {
            stoa_check_report(checker, object->path, STOA_RULE_NOT_READ,
                              "attribute '%s' holds %llu names, more than the table could need",
                              name, (unsigned long long)attribute.n);
        } else {
            *values = read_strings(checker, &attribute);
            *n = (size_t)attribute.n;
            if (*values == NULL) {
                unreadable(checker, object->path, name);
            }
        }
    }
    stoa_attribute_close(&attribute);
    return *values != NULL;
}

/* §6: exactly two members, FALSE = 0 and TRUE = 1, in either order. */
static bool has_boolean_members(hid_t type)
{
    int8_t value_false = -1;
    int8_t value_true = -1;

    return H5Tget_nmembers(type) == 2 && H5Tget_member_index(type, "FALSE") >= 0 &&
           H5Tget_member_index(type, "TRUE") >= 0 &&
           H5Tenum_valueof(type, "FALSE", &value_false) >= 0 &&
           H5Tenum_valueof(type, "TRUE", &value_true) >= 0 && value_false == 0 && value_true == 1;
}

bool stoa_check_is_boolean(hid_t type)
{
    hid_t base = H5Tget_class(type) == H5T_ENUM ? H5Tget_super(type) : H5I_INVALID_HID;
    const bool is_boolean = base >= 0 && H5Tget_class(base) == H5T_INTEGER &&
                            H5Tget_size(base) == 1 && has_boolean_members(type);

    (void)stoa_hdf_close(&base, STOA_OK, NULL);
    return is_boolean;
}

static int check_bool_type(stoa_checker *checker, const char *path, const char *name,
                           const stoa_attribute *attribute)
{
    hid_t base = H5I_INVALID_HID;
    int8_t value = -1;

    if (attribute->class != H5T_ENUM) {
        stoa_check_report(checker, path, STOA_RULE_BOOL_TYPE,
                          "attribute '%s' is %s; a boolean is an enumeration of FALSE and TRUE",
                          name, stoa_attribute_type_name(attribute));
        return -1;
    }
    base = H5Tget_super(attribute->type);
    if (H5Tequal(base, H5T_STD_I8LE) <= 0) {
        stoa_check_report(checker, path, STOA_RULE_BOOL_BASE,
                          "attribute '%s' does not have the base type H5T_STD_I8LE", name);
    } else if (!has_boolean_members(attribute->type)) {
        stoa_check_report(checker, path, STOA_RULE_BOOL_MEMBERS,
                          "attribute '%s' does not have exactly the members FALSE = 0 and TRUE = 1",
                          name);
    } else if (attribute->n == 1) {
        if (H5Aread(attribute->id, attribute->type, &value) < 0) {
            unreadable(checker, path, name);
        } else if (value != 0 && value != 1) {
            stoa_check_report(checker, path, STOA_RULE_BOOL_VALUE,
                              "attribute '%s' holds %d, which is neither FALSE nor TRUE", name,
                              value);
        }
    }
    (void)stoa_hdf_close(&base, STOA_OK, NULL);
    return value == 0 || value == 1 ? value : -1;
}

int stoa_check_bool(stoa_checker *checker, const stoa_subject *object, const char *name,
                    stoa_rule_id shape)
{
    stoa_attribute attribute;
    int value = -1;

    if (!stoa_attribute_open(checker, object, name, &attribute)) {
        return -1;
    }
    value = check_bool_type(checker, object->path, name, &attribute);
    if (attribute.shape != H5S_SCALAR) {
        stoa_check_report(checker, object->path, shape, "attribute '%s' must be scalar", name);
    }
    stoa_attribute_close(&attribute);
    return value;
}

bool stoa_check_is_unsigned(hid_t type, size_t size)
{
    switch (size) {
    case 1:
        return H5Tequal(type, H5T_STD_U8LE) > 0 || H5Tequal(type, H5T_STD_U8BE) > 0;
    case 2:
        return H5Tequal(type, H5T_STD_U16LE) > 0 || H5Tequal(type, H5T_STD_U16BE) > 0;
    case 4:
        return H5Tequal(type, H5T_STD_U32LE) > 0 || H5Tequal(type, H5T_STD_U32BE) > 0;
    default:
        return H5Tequal(type, H5T_STD_U64LE) > 0 || H5Tequal(type, H5T_STD_U64BE) > 0;
    }
}

bool stoa_check_number(stoa_checker *checker, const stoa_subject *object, const char *name,
                       const stoa_number_rules *rules, uint64_t *value)
{
    stoa_attribute attribute;
    bool is_read = false;

    if (H5Aexists(object->id, name) == 0) {
        stoa_check_report(checker, object->path, rules->present, "attribute '%s' is missing", name);
        return false;
    }
    if (!stoa_attribute_open(checker, object, name, &attribute)) {
        return false;
    }
    if (!stoa_check_is_unsigned(attribute.type, rules->size)) {
        stoa_check_report(checker, object->path, rules->type,
                          "attribute '%s' is %s of %zu bytes; it must be uint%zu", name,
                          stoa_attribute_type_name(&attribute), attribute.size, 8 * rules->size);
    }
    if (attribute.shape != H5S_SCALAR) {
        stoa_check_report(checker, object->path, rules->shape, "attribute '%s' must be scalar",
                          name);
    }
    if (attribute.n == 1 && attribute.class == H5T_INTEGER &&
        H5Tget_precision(attribute.type) <= 64) {
        is_read = H5Aread(attribute.id, H5T_NATIVE_UINT64, value) >= 0;
        if (!is_read) {
            unreadable(checker, object->path, name);
        }
    }
    stoa_attribute_close(&attribute);
    return is_read;
}

bool stoa_check_has_class(stoa_checker *checker, hid_t object, const char *class)
{
    const stoa_subject subject = {object, ""};
    const bool was_muted = checker->muted;
    char *value = NULL;
    bool is_same = false;

    checker->muted = true; /* any group may have a CLASS of its own */
    value = stoa_check_text(checker, &subject, "CLASS", NULL);
    checker->muted = was_muted;
    is_same = value != NULL && strcmp(value, class) == 0;
    free(value);
    return is_same;
}

bool stoa_check_is_table(stoa_checker *checker, hid_t object)
{
    return stoa_check_has_class(checker, object, "COLUMN_TABLE");
}
