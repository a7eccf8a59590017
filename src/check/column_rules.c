/* Column datasets: names, shape, datatype, fill value, attributes (HEP001 §8, §12). */
#include "check/column_rules.h"

#include <stdlib.h>
#include <string.h>

#include "check/attributes.h"
#include "core/text.h"
#include "hdf/metadata/libhdf5_checks.h"

static const stoa_text_rules text_rules = {STOA_RULE_COLUMN_TEXT_TYPE, STOA_RULE_COLUMN_TEXT_SHAPE,
                                           STOA_RULE_COLUMN_TEXT_CHARSET,
                                           STOA_RULE_COLUMN_TEXT_UTF8, H5T_CSET_UTF8};

/* --- §8.1 name and extent -------------------------------------------------------------------- */

void stoa_check_column_name(stoa_checker *checker, const stoa_member *column)
{
    const char *const name = column->name;

    if (stoa_check_is_reserved(checker, name)) {
        stoa_check_report(checker, column->path, STOA_RULE_COLUMN_NAME,
                          "'%s' is a reserved name; rename the column", name);
    }
    if (name[0] == '_') {
        stoa_check_report(checker, column->path, STOA_RULE_NAME_UNDERSCORE,
                          "names that begin with an underscore may be claimed by later revisions");
    }
    if (stoa_utf8_valid(name, strlen(name)) != strlen(name)) {
        stoa_check_report(checker, column->path, STOA_RULE_NAME_UTF8,
                          "the column's name is not valid UTF-8");
    }
}

static void check_extents(stoa_checker *checker, const stoa_checked_table *table)
{
    const stoa_member *const first = table->columns.items;

    for (size_t i = 1; i < table->columns.n; i++) {
        const stoa_member *column = &table->columns.items[i];
        if (column->extent != first->extent) {
            stoa_check_report(checker, table->group.path, STOA_RULE_EXTENT_EQUAL,
                              "column '%s' has %llu rows, column '%s' %llu", first->name,
                              (unsigned long long)first->extent, column->name,
                              (unsigned long long)column->extent);
            break;
        }
    }
    for (size_t i = 0; table->has_n_rows && i < table->columns.n; i++) {
        const stoa_member *column = &table->columns.items[i];
        if (column->extent < table->n_rows) {
            stoa_check_report(checker, column->path, STOA_RULE_EXTENT_NROWS,
                              "the extent is %llu, below NROWS, which is %llu",
                              (unsigned long long)column->extent,
                              (unsigned long long)table->n_rows);
        }
    }
}

/* --- §8.3 datatype --------------------------------------------------------------------------- */

static bool has_composite_field(hid_t type)
{
    const int n = H5Tget_nmembers(type);

    for (int i = 0; i < n; i++) {
        const H5T_class_t class = H5Tget_member_class(type, (unsigned)i);
        if (class == H5T_COMPOUND || class == H5T_ARRAY || class == H5T_VLEN) {
            return true;
        }
    }
    return false;
}

/* HEP001-2026-07 §6, §8.8: exactly the boolean datatype, not only one that readers take for it. */
static void check_boolean_base(stoa_checker *checker, const stoa_checked_column *column)
{
    hid_t base = H5Tget_super(column->type);

    if (H5Tequal(base, H5T_STD_I8LE) <= 0) {
        stoa_check_report(checker, column->subject.path, STOA_RULE_BOOLEAN_BASE,
                          "a column of FALSE and TRUE does not have the base type H5T_STD_I8LE");
    }
    (void)stoa_hdf_close(&base, STOA_OK, NULL);
}

static void check_type(stoa_checker *checker, const stoa_checked_column *column)
{
    const char *const path = column->subject.path;

    switch (column->class) {
    case H5T_ENUM:
        if (column->is_boolean) {
            check_boolean_base(checker, column);
        }
        break;
    case H5T_VLEN:
        stoa_check_report(checker, path, STOA_RULE_VLEN,
                          "a variable-length datatype is allowed but discouraged");
        break;
    case H5T_STRING:
        if (H5Tis_variable_str(column->type) > 0) {
            stoa_check_report(checker, path, STOA_RULE_VLEN,
                              "variable-length strings are allowed but discouraged");
        }
        break;
    case H5T_COMPOUND:
        if (has_composite_field(column->type)) {
            stoa_check_report(checker, path, STOA_RULE_COMPOUND_ATOMIC,
                              "a compound column has fields that are compounds or arrays");
        }
        break;
    case H5T_REFERENCE:
        if (H5Tequal(column->type, H5T_STD_REF) <= 0) {
            stoa_check_report(checker, path, STOA_RULE_REF_COLUMN,
                              "the column is of a deprecated reference datatype");
        }
        break;
    case H5T_INTEGER:
    case H5T_BITFIELD:
        if (H5Tget_precision(column->type) == 1) {
            stoa_check_report(checker, path, STOA_RULE_BOOL_WIDEN,
                              "one bit has no room for a missing value; widen it to uint8");
        }
        break;
    default:
        break;
    }
}

/* --- §8.5 fill value ------------------------------------------------------------------------- */

/* The code of an enumeration member, in the form that comparisons use; false if libhdf5 cannot read
 * it. */
static bool read_member_code(const stoa_checked_column *column, hid_t base, int member,
                             int64_t *code)
{
    int64_t value[2] = {0, 0}; /* H5Tconvert() works in place, in the wider of the two types */

    if (H5Tget_size(base) > sizeof value ||
        H5Tget_member_value(column->type, (unsigned)member, value) < 0 ||
        H5Tconvert(base, column->datum.memory_type, 1, value, NULL, H5P_DEFAULT) < 0) {
        return false;
    }
    *code = value[0];
    return true;
}

/* §8.5 "Enumerations": a member MISSING, and no other member, is the fill value. */
static void check_enum_fill(stoa_checker *checker, stoa_checked_column *column)
{
    const int n = H5Tget_nmembers(column->type);
    hid_t base = H5Tget_super(column->type);
    bool is_broken = false;

    for (int i = 0; i < n && !is_broken; i++) {
        char *name = H5Tget_member_name(column->type, (unsigned)i);
        int64_t code = 0;

        if (name != NULL && read_member_code(column, base, i, &code)) {
            const bool is_fill = stoa_datum_same(&column->datum, &code, column->fill);
            is_broken = is_fill != (strcmp(name, "MISSING") == 0);
            if (is_broken) {
                stoa_check_report(checker, column->subject.path, STOA_RULE_ENUM_FILL,
                                  "the fill value is %sthe code of the member '%s'",
                                  is_fill ? "" : "not ", name);
            }
        }
        (void)H5free_memory(name);
    }
    /* One finding is enough. */
    column->wants_missing_member = !is_broken && H5Tget_member_index(column->type, "MISSING") < 0;
    (void)stoa_hdf_close(&base, STOA_OK, NULL);
}

/* HEP001-2026-07 §8.8: FALSE, TRUE and MISSING are booleans of which some are missing. */
static bool looks_nullable(const stoa_checker *checker, const stoa_checked_column *column)
{
    return stoa_check_is_july(checker) && H5Tget_nmembers(column->type) == 3 &&
           H5Tget_member_index(column->type, "FALSE") >= 0 &&
           H5Tget_member_index(column->type, "TRUE") >= 0 &&
           H5Tget_member_index(column->type, "MISSING") >= 0;
}

static void check_nullable(stoa_checker *checker, const stoa_checked_column *column)
{
    static const char *const names[] = {"FALSE", "TRUE", "MISSING"};
    const int64_t missing = 2;
    hid_t base = H5Tget_super(column->type);
    bool is_right = stoa_datum_same(&column->datum, &missing, column->fill);

    for (int64_t i = 0; i < 3 && is_right; i++) {
        int64_t code = -1;
        is_right =
            read_member_code(column, base, H5Tget_member_index(column->type, names[i]), &code) &&
            code == i;
    }
    if (!is_right) {
        stoa_check_report(checker, column->subject.path, STOA_RULE_BOOLEAN_NULLABLE,
                          "FALSE, TRUE and MISSING must be 0, 1 and 2, and the fill value 2");
    }
    (void)stoa_hdf_close(&base, STOA_OK, NULL);
}

static void check_fill(stoa_checker *checker, stoa_checked_column *column)
{
    H5D_fill_value_t state = H5D_FILL_VALUE_ERROR;
    hid_t plist = stoa_dataset_properties(column->subject.id);

    if (plist < 0 || H5Pfill_value_defined(plist, &state) < 0 ||
        !stoa_check_fill_fits(checker, plist, column->type)) {
        stoa_check_report(checker, column->subject.path, STOA_RULE_UNREADABLE,
                          "the fill value cannot be read");
    } else if (column->is_boolean) {
        if (state == H5D_FILL_VALUE_USER_DEFINED) {
            stoa_check_report(checker, column->subject.path, STOA_RULE_BOOLEAN_FILL,
                              "a fill value is set; in a column of FALSE and TRUE nothing is "
                              "missing");
        }
    } else if (state != H5D_FILL_VALUE_USER_DEFINED) {
        stoa_check_report(checker, column->subject.path, STOA_RULE_FILL_DEFINED,
                          "the fill value is %s; set one with H5Pset_fill_value",
                          state == H5D_FILL_VALUE_UNDEFINED ? "undefined"
                                                            : "the library's default");
    } else if (stoa_datum_fill(checker, &column->datum, column->subject.id, &column->fill) &&
               column->class == H5T_ENUM) {
        if (looks_nullable(checker, column)) {
            check_nullable(checker, column);
        } else {
            check_enum_fill(checker, column);
        }
    }
    (void)stoa_hdf_close(&plist, STOA_OK, NULL);
}

/* --- §8.5 valid_min, valid_max --------------------------------------------------------------- */

/* One bound; NULL if it is absent or broken. */
static void *read_bound(stoa_checker *checker, const stoa_checked_column *column, const char *name,
                        bool *exists)
{
    stoa_attribute attribute;
    void *value = NULL;

    *exists = stoa_attribute_open(checker, &column->subject, name, &attribute);
    if (!*exists) {
        return NULL;
    }
    if (attribute.shape != H5S_SCALAR) {
        stoa_check_report(checker, column->subject.path, STOA_RULE_VALID_SHAPE,
                          "attribute '%s' must be scalar", name);
    }
    if (H5Tequal(attribute.type, column->type) <= 0) {
        stoa_check_report(checker, column->subject.path, STOA_RULE_VALID_TYPE,
                          "attribute '%s' does not have the column's datatype (its byte order, "
                          "size and padding count too)",
                          name);
    } else if (attribute.n == 1 && column->datum.kind != STOA_DATUM_NONE &&
               !stoa_datum_attribute(checker, &column->datum, attribute.id, &value)) {
        stoa_check_report(checker, column->subject.path, STOA_RULE_UNREADABLE,
                          "attribute '%s' cannot be read", name);
    }
    stoa_attribute_close(&attribute);
    return value;
}

static void check_valid_range(stoa_checker *checker, stoa_checked_column *column)
{
    const stoa_datum_type *const datum = &column->datum;
    const char *const path = column->subject.path;
    bool has_min = false;
    bool has_max = false;
    char low[STOA_DATUM_TEXT];
    char high[STOA_DATUM_TEXT];

    column->valid_min = read_bound(checker, column, "valid_min", &has_min);
    column->valid_max = read_bound(checker, column, "valid_max", &has_max);
    if (has_min != has_max) {
        stoa_check_report(checker, path, STOA_RULE_VALID_PAIR, "valid_%s is there without valid_%s",
                          has_min ? "min" : "max", has_min ? "max" : "min");
    }
    if (column->valid_min == NULL || column->valid_max == NULL) {
        return;
    }
    if (stoa_datum_is_nan(datum, column->valid_min) ||
        stoa_datum_is_nan(datum, column->valid_max) ||
        stoa_datum_compare(datum, column->valid_min, column->valid_max) > 0) {
        stoa_check_report(checker, path, STOA_RULE_VALID_PAIR,
                          "no value lies between valid_min %s and valid_max %s",
                          stoa_datum_text(datum, column->valid_min, low),
                          stoa_datum_text(datum, column->valid_max, high));
    } else if (column->fill != NULL && !stoa_datum_is_nan(datum, column->fill) &&
               stoa_datum_compare(datum, column->valid_min, column->fill) <= 0 &&
               stoa_datum_compare(datum, column->fill, column->valid_max) <= 0) {
        stoa_check_report(checker, path, STOA_RULE_FILL_IN_RANGE,
                          "the fill value %s lies inside [valid_min, valid_max]",
                          stoa_datum_text(datum, column->fill, low));
    }
}

/* --- §8.7 categorical columns ---------------------------------------------------------------- */

static void check_categorical(stoa_checker *checker, stoa_checked_table *table, size_t position,
                              stoa_checked_column *column)
{
    const char *const path = column->subject.path;
    stoa_target *targets = NULL;
    size_t n = 0;

    column->is_categorical =
        stoa_check_references(checker, &column->subject, "CATEGORIES", true,
                              STOA_RULE_CATEGORIES_SHAPE, table->fileno, &targets, &n);
    if (!column->is_categorical) {
        return;
    }
    if (column->class != H5T_INTEGER) {
        stoa_check_report(checker, path, STOA_RULE_CODE_TYPE,
                          "a column with CATEGORIES must have an integer datatype");
    }
    for (size_t i = 0; i < n; i++) {
        stoa_member *labels =
            targets[i].resolves ? stoa_members_find(&table->categories, &targets[i].token) : NULL;
        if (labels == NULL) {
            stoa_check_report(checker, path, STOA_RULE_CATEGORIES_TARGET,
                              "CATEGORIES does not lead to a dataset of this table's CATEGORIES "
                              "group");
            continue;
        }
        labels->n_users++;
        labels->user = position;
        column->labels = labels->rank == 1 ? labels : NULL;
    }
    free(targets);

    if (column->labels != NULL && column->class == H5T_INTEGER && column->fill != NULL) {
        /* A negative signed code is invalid. As an unsigned number it exceeds any extent. */
        uint64_t code = 0;
        memcpy(&code, column->fill, sizeof code);
        if (code < column->labels->extent) {
            stoa_check_report(checker, path, STOA_RULE_FILL_CODE,
                              "the fill value %llu is the code of a label",
                              (unsigned long long)code);
        }
    }
}

/* --- §8.6, §10.2 search indexes -------------------------------------------------------------- */

static void check_index_list(stoa_checker *checker, stoa_checked_table *table, size_t position,
                             const stoa_checked_column *column)
{
    stoa_target *targets = NULL;
    size_t n = 0;

    if (!stoa_check_references(checker, &column->subject, "SEARCH_INDEX_LIST", false,
                               STOA_RULE_INDEX_LIST_SHAPE, table->fileno, &targets, &n)) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        stoa_member *index =
            targets[i].resolves ? stoa_members_find(&table->indexes, &targets[i].token) : NULL;
        if (index == NULL) {
            stoa_check_report(checker, column->subject.path, STOA_RULE_INDEX_LIST_TARGET,
                              "reference %zu of SEARCH_INDEX_LIST does not lead to a dataset of "
                              "this table's SEARCH_INDEXES group",
                              i);
        } else if (index->n_users == 0 || index->user != position) {
            index->n_users++;
            index->user = position;
        }
    }
    free(targets);
}

/* --- entry points ---------------------------------------------------------------------------- */

/* Open a column; false if its datatype cannot be read. */
static bool open_column(stoa_checker *checker, const stoa_checked_table *table,
                        const stoa_member *member, stoa_checked_column *column)
{
    *column =
        (stoa_checked_column){{stoa_member_open(checker, table->group.id, member), member->path},
                              .type = H5I_INVALID_HID,
                              .unit = "row",
                              .datum = {.memory_type = H5I_INVALID_HID}};
    if (column->subject.id >= 0) {
        column->type = H5Dget_type(column->subject.id);
        column->class = H5Tget_class(column->type);
    }
    if (column->type < 0 || column->class == H5T_NO_CLASS) {
        return false;
    }
    column->is_boolean = stoa_check_is_july(checker) && stoa_check_is_boolean(column->type);
    stoa_datum_type_of(column->type, &column->datum);
    return true;
}

/* A fill value that is FALSE or TRUE marks no row as missing (docs/conformance.md). */
static void forget_fill_of_boolean(stoa_checked_column *column)
{
    int64_t code = 0;

    if (column->is_boolean && column->fill != NULL) {
        memcpy(&code, column->fill, sizeof code);
        if (code == 0 || code == 1) {
            stoa_datum_free(&column->datum, column->fill);
            column->fill = NULL;
        }
    }
}

bool stoa_checked_column_open(stoa_checker *checker, const stoa_checked_table *table,
                              const stoa_member *member, stoa_checked_column *column)
{
    if (!open_column(checker, table, member, column)) {
        return false; /* reported when the column was checked */
    }
    (void)stoa_datum_fill(checker, &column->datum, column->subject.id, &column->fill);
    forget_fill_of_boolean(column);
    return true;
}

void stoa_checked_column_close(stoa_checked_column *column)
{
    stoa_datum_free(&column->datum, column->fill);
    stoa_datum_free(&column->datum, column->valid_min);
    stoa_datum_free(&column->datum, column->valid_max);
    stoa_datum_type_clear(&column->datum);
    (void)stoa_hdf_close(&column->type, STOA_OK, NULL);
    (void)stoa_hdf_close(&column->subject.id, STOA_OK, NULL);
}

void stoa_check_column_texts(stoa_checker *checker, const stoa_subject *column)
{
    static const char *const texts[] = {"units", "units_vocabulary", "description"};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        free(stoa_check_text(checker, column, texts[i], &text_rules));
    }
}

static void check_mask(stoa_checker *checker, const stoa_subject *column)
{
    if (stoa_check_is_july(checker) && H5Aexists(column->id, "MASK") > 0) {
        stoa_check_report(checker, column->path, STOA_RULE_MASK_ATTRIBUTE,
                          "attribute 'MASK' is reserved for later revisions; which rows are "
                          "missing is not known");
    }
}

static void check_column(stoa_checker *checker, stoa_checked_table *table, size_t position)
{
    const stoa_member *const member = &table->columns.items[position];
    stoa_checked_column column;

    stoa_check_column_name(checker, member);
    if (open_column(checker, table, member, &column)) {
        check_type(checker, &column);
        check_fill(checker, &column);
        check_valid_range(checker, &column);
        stoa_check_column_texts(checker, &column.subject);
        check_mask(checker, &column.subject);
        check_categorical(checker, table, position, &column);
        check_index_list(checker, table, position, &column);
        stoa_check_attribute_names(checker, &column.subject, STOA_ROLE_COLUMN);
        if (table->has_n_rows) {
            stoa_check_column_values(checker, &column, table->n_rows);
        }
    } else if (column.subject.id >= 0) {
        stoa_check_report(checker, member->path, STOA_RULE_UNREADABLE,
                          "the column's datatype cannot be read");
    }
    stoa_checked_column_close(&column);
}

/* --- leaves of list columns (HEP001-2026-07 §9) ---------------------------------------------- */

bool stoa_check_has_variable_length(hid_t type)
{
    const H5T_class_t class = H5Tget_class(type);
    const int n = class == H5T_COMPOUND ? H5Tget_nmembers(type) : class == H5T_ARRAY ? 1 : 0;
    bool has = class == H5T_VLEN || (class == H5T_STRING && H5Tis_variable_str(type) > 0);

    for (int i = 0; i < n && !has; i++) {
        hid_t part =
            class == H5T_ARRAY ? H5Tget_super(type) : H5Tget_member_type(type, (unsigned)i);
        has = stoa_check_has_variable_length(part);
        (void)stoa_hdf_close(&part, STOA_OK, NULL);
    }
    return has;
}

/* §9.3: a leaf may do without a fill value; then none of its elements is missing. */
static void check_fill_of_leaf(stoa_checker *checker, stoa_checked_column *leaf)
{
    H5D_fill_value_t state = H5D_FILL_VALUE_ERROR;
    hid_t plist = stoa_dataset_properties(leaf->subject.id);
    const bool is_known = plist >= 0 && H5Pfill_value_defined(plist, &state) >= 0;

    if (!is_known || state == H5D_FILL_VALUE_USER_DEFINED || leaf->is_boolean) {
        check_fill(checker, leaf);
    } else {
        stoa_check_report(checker, leaf->subject.path, STOA_RULE_LIST_LEAF_FILL,
                          "no fill value is set, so that no element is missing");
    }
    (void)stoa_hdf_close(&plist, STOA_OK, NULL);
}

static void check_elements(stoa_checker *checker, stoa_checked_column *leaf, uint64_t extent,
                           uint64_t n_elements)
{
    const char *const path = leaf->subject.path;

    leaf->unit = "element";
    if (stoa_check_has_variable_length(leaf->type)) {
        stoa_check_report(checker, path, STOA_RULE_LIST_VLEN,
                          "the elements of a list have a variable-length datatype; strings belong "
                          "into a group STRING_VALUES");
    } else {
        check_type(checker, leaf);
    }
    check_fill_of_leaf(checker, leaf);
    check_valid_range(checker, leaf);
    stoa_check_column_texts(checker, &leaf->subject);
    stoa_check_attribute_names(checker, &leaf->subject, STOA_ROLE_LEAF);
    if (n_elements == UINT64_MAX) {
        return;
    }
    if (extent < n_elements) {
        stoa_check_report(checker, path, STOA_RULE_LIST_VALUES_EXTENT,
                          "there are %llu elements; OFFSETS speak of %llu",
                          (unsigned long long)extent, (unsigned long long)n_elements);
    }
    stoa_check_column_values(checker, leaf, n_elements);
}

void stoa_check_leaf(stoa_checker *checker, const stoa_checked_table *table,
                     const stoa_member *leaf, uint64_t n_elements)
{
    stoa_checked_column column;

    if (open_column(checker, table, leaf, &column)) {
        check_elements(checker, &column, leaf->extent, n_elements);
    } else if (column.subject.id >= 0) {
        stoa_check_report(checker, leaf->path, STOA_RULE_UNREADABLE,
                          "the datatype of the elements cannot be read");
    }
    stoa_checked_column_close(&column);
}

void stoa_check_columns(stoa_checker *checker, stoa_checked_table *table)
{
    check_extents(checker, table);
    for (size_t i = 0; i < table->columns.n && !stoa_check_over(checker); i++) {
        check_column(checker, table, i);
    }
}
