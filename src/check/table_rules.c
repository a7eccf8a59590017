/* The table group and its attributes (HEP001 §7.1 to §7.4, §9, §12). */
#include <stdlib.h>
#include <string.h>

#include "check/attributes.h"

static const stoa_text_rules class_rules = {STOA_RULE_CLASS_TYPE, STOA_RULE_CLASS_SHAPE,
                                            STOA_RULE_CLASS_CHARSET, STOA_RULE_CLASS_CHARSET,
                                            H5T_CSET_ASCII};
static const stoa_text_rules version_rules = {STOA_RULE_VERSION_TYPE, STOA_RULE_VERSION_SHAPE,
                                              STOA_RULE_VERSION_CHARSET, STOA_RULE_VERSION_CHARSET,
                                              H5T_CSET_ASCII};
static const stoa_text_rules text_rules = {STOA_RULE_TABLE_TEXT_TYPE, STOA_RULE_TABLE_TEXT_SHAPE,
                                           STOA_RULE_TABLE_TEXT_CHARSET, STOA_RULE_TABLE_TEXT_UTF8,
                                           H5T_CSET_UTF8};
static const stoa_text_rules order_rules = {
    STOA_RULE_COLUMN_ORDER_TYPE, STOA_RULE_COLUMN_ORDER_SHAPE, STOA_RULE_COLUMN_ORDER_CHARSET,
    STOA_RULE_TABLE_TEXT_UTF8, H5T_CSET_UTF8};

/* --- §7.1 CLASS ------------------------------------------------------------------------------ */

static void check_class(stoa_checker *checker, const stoa_subject *group)
{
    stoa_attribute attribute;

    free(stoa_check_text(checker, group, "CLASS", &class_rules));
    if (!stoa_attribute_open(checker, group, "CLASS", &attribute)) {
        return;
    }
    if (H5Tis_variable_str(attribute.type) == 0) {
        if (attribute.size != 13) {
            stoa_check_report(checker, group->path, STOA_RULE_CLASS_SIZE,
                              "CLASS takes up %zu bytes; it must take up 13", attribute.size);
        }
        if (H5Tget_strpad(attribute.type) != H5T_STR_NULLTERM) {
            stoa_check_report(checker, group->path, STOA_RULE_CLASS_PADDING,
                              "CLASS is %s-padded; it must be null-terminated",
                              H5Tget_strpad(attribute.type) == H5T_STR_SPACEPAD ? "space" : "null");
        }
    }
    stoa_attribute_close(&attribute);
}

/* --- §7.2 VERSION ---------------------------------------------------------------------------- */

static bool is_digits(const char *text, size_t length)
{
    return length > 0 && strspn(text, "0123456789") >= length;
}

/* Compare a number of any length with 1, without overflow: -1, 0, 1. */
static int compare_with_one(const char *digits, size_t length)
{
    while (length > 0 && *digits == '0') {
        digits++;
        length--;
    }
    if (length == 0) {
        return -1;
    }
    return length > 1 || *digits > '1' ? 1 : 0;
}

/* False for a later revision, to which these rules do not apply. */
static bool check_version_value(stoa_checker *checker, const char *path, const char *value,
                                bool *is_newer)
{
    const size_t major = strcspn(value, ".");
    const char *minor = value + major + (value[major] == '.');

    if (value[major] != '.' || !is_digits(value, major) || !is_digits(minor, strlen(minor)) ||
        compare_with_one(value, major) < 0) {
        stoa_check_report(checker, path, STOA_RULE_VERSION_VALUE,
                          "VERSION is '%s'; it must read MAJOR.MINOR, as '1.0'", value);
        return true;
    }
    if (compare_with_one(value, major) > 0) {
        stoa_check_report(checker, path, STOA_RULE_VERSION_MAJOR,
                          "VERSION is '%s'; these rules are of revision 1.0, so nothing more is "
                          "checked",
                          value);
        return false;
    }
    *is_newer = strspn(minor, "0") != strlen(minor);
    if (*is_newer) {
        stoa_check_report(checker, path, STOA_RULE_VERSION_MINOR,
                          "VERSION is '%s'; these rules are of revision 1.0", value);
    }
    return true;
}

/* §7.2 "size the attribute to hold the value": a null-terminated string without a NUL breaks
 * this. */
static void check_version_size(stoa_checker *checker, const stoa_subject *group, const char *value)
{
    stoa_attribute attribute;

    if (!stoa_attribute_open(checker, group, "VERSION", &attribute)) {
        return;
    }
    if (H5Tis_variable_str(attribute.type) == 0 &&
        H5Tget_strpad(attribute.type) == H5T_STR_NULLTERM && strlen(value) >= attribute.size) {
        stoa_check_report(checker, group->path, STOA_RULE_VERSION_SIZE,
                          "VERSION is null-terminated, but its %zu bytes have no room for the NUL",
                          attribute.size);
    }
    stoa_attribute_close(&attribute);
}

static bool check_version(stoa_checker *checker, const stoa_subject *group, bool *is_newer)
{
    bool goes_on = true;
    char *value = NULL;

    if (H5Aexists(group->id, "VERSION") == 0) {
        stoa_check_report(checker, group->path, STOA_RULE_VERSION_PRESENT,
                          "the table group has no VERSION");
        return true;
    }
    value = stoa_check_text(checker, group, "VERSION", &version_rules);
    if (value != NULL) {
        check_version_size(checker, group, value);
        goes_on = check_version_value(checker, group->path, value, is_newer);
    }
    free(value);
    return goes_on;
}

/* --- §7.3 NROWS ------------------------------------------------------------------------------ */

static void check_n_rows(stoa_checker *checker, stoa_checked_table *table)
{
    const char *const path = table->group.path;
    stoa_attribute attribute;

    if (H5Aexists(table->group.id, "NROWS") == 0) {
        stoa_check_report(checker, path, STOA_RULE_NROWS_PRESENT, "the table group has no NROWS");
        return;
    }
    if (!stoa_attribute_open(checker, &table->group, "NROWS", &attribute)) {
        return;
    }
    if (H5Tequal(attribute.type, H5T_STD_U64LE) <= 0 &&
        H5Tequal(attribute.type, H5T_STD_U64BE) <= 0) {
        stoa_check_report(checker, path, STOA_RULE_NROWS_TYPE,
                          "NROWS is %s of %zu bytes; it must be uint64",
                          stoa_attribute_type_name(&attribute), attribute.size);
    }
    if (attribute.shape != H5S_SCALAR) {
        stoa_check_report(checker, path, STOA_RULE_NROWS_SHAPE, "NROWS must be scalar");
    }
    if (attribute.n == 1 && attribute.class == H5T_INTEGER) {
        /* A negative count converts to 0, and no row is checked. */
        table->has_n_rows = H5Aread(attribute.id, H5T_NATIVE_UINT64, &table->n_rows) >= 0;
        if (!table->has_n_rows) {
            stoa_check_report(checker, path, STOA_RULE_UNREADABLE, "NROWS cannot be read");
        }
    }
    stoa_attribute_close(&attribute);
}

/* --- §7.4 INDEX_COLUMNS and _index ----------------------------------------------------------- */

static bool has_column_named(const stoa_checked_table *table, const char *name)
{
    for (size_t i = 0; i < table->columns.n; i++) {
        if (strcmp(table->columns.items[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Several links may lead to one column dataset; each is a name of the column. */
static bool is_name_of(const stoa_checked_table *table, const H5O_token_t *token, const char *name)
{
    for (size_t i = 0; i < table->columns.n; i++) {
        const stoa_member *column = &table->columns.items[i];
        if (memcmp(&column->token, token, sizeof *token) == 0 && strcmp(column->name, name) == 0) {
            return true;
        }
    }
    return false;
}

static void check_index_columns(stoa_checker *checker, stoa_checked_table *table)
{
    const char *const path = table->group.path;
    stoa_target *targets = NULL;
    size_t n = 0;
    const bool exists =
        stoa_check_references(checker, &table->group, "INDEX_COLUMNS", false,
                              STOA_RULE_INDEX_COLUMNS_SHAPE, table->fileno, &targets, &n);
    char *index_name = stoa_check_text(checker, &table->group, "_index", &text_rules);

    if (exists && targets != NULL && n == 0) {
        stoa_check_report(checker, path, STOA_RULE_INDEX_COLUMNS_EMPTY,
                          "INDEX_COLUMNS is empty; a table without row labels can leave it out");
    }
    for (size_t i = 0; i < n; i++) {
        if (targets[i].is_null) {
            stoa_check_report(checker, path, STOA_RULE_INDEX_COLUMNS_NULL,
                              "reference %zu of INDEX_COLUMNS is null", i);
        } else if (targets[i].resolves &&
                   stoa_members_find(&table->lists, &targets[i].token) != NULL) {
            stoa_check_report(checker, path, STOA_RULE_INDEX_COLUMNS_LIST,
                              "reference %zu of INDEX_COLUMNS leads to a list column", i);
        } else if (!targets[i].resolves ||
                   stoa_members_find(&table->columns, &targets[i].token) == NULL) {
            stoa_check_report(checker, path, STOA_RULE_INDEX_COLUMNS_TARGET,
                              "reference %zu of INDEX_COLUMNS does not lead to a column of this "
                              "table",
                              i);
        }
    }
    if (index_name != NULL && !has_column_named(table, index_name)) {
        stoa_check_report(checker, path, STOA_RULE_INDEX_NAME_COLUMN,
                          "_index is '%s', which is no column", index_name);
    } else if (index_name != NULL && n > 0 && targets[0].resolves &&
               stoa_members_find(&table->columns, &targets[0].token) != NULL &&
               !is_name_of(table, &targets[0].token, index_name)) {
        stoa_check_report(checker, path, STOA_RULE_INDEX_NAME,
                          "_index is '%s', but INDEX_COLUMNS[0] is '%s'", index_name,
                          stoa_members_find(&table->columns, &targets[0].token)->name);
    }
    free(index_name);
    free(targets);
}

/* --- §7.4, §12 column-order ------------------------------------------------------------------ */

/* Compare the list with the columns; `names` and `seen` are scratch that the caller clears. */
static void compare_order(stoa_checker *checker, const stoa_checked_table *table,
                          char *const *order, size_t n, stoa_string_set *names, uint8_t *seen)
{
    const char *const path = table->group.path;
    uint32_t number = 0;

    for (size_t i = 0; i < table->columns.n + table->lists.n; i++) {
        const char *name = i < table->columns.n ? table->columns.items[i].name
                                                : table->lists.items[i - table->columns.n].name;
        if (stoa_string_set_add(names, name, strlen(name), &number, checker->err) != STOA_OK) {
            stoa_check_memory(checker);
            return;
        }
    }
    for (size_t i = 0; i < n && !stoa_check_over(checker); i++) {
        if (!stoa_string_set_find(names, order[i], strlen(order[i]), &number)) {
            stoa_check_report(checker, path, STOA_RULE_COLUMN_ORDER_UNKNOWN,
                              "column-order lists '%s', which is no column", order[i]);
        } else if (stoa_bit_get(seen, number)) {
            stoa_check_report(checker, path, STOA_RULE_COLUMN_ORDER_TWICE,
                              "column-order lists '%s' twice", order[i]);
        } else {
            stoa_bit_set(seen, number);
        }
    }
    for (uint32_t i = 0; i < names->count && !stoa_check_over(checker); i++) {
        if (!stoa_bit_get(seen, i)) {
            size_t length = 0;
            const char *name = stoa_string_set_get(names, i, &length);
            stoa_check_report(checker, path, STOA_RULE_COLUMN_ORDER_MISSING,
                              "column-order does not list the column '%.*s'", (int)length, name);
        }
    }
}

static void check_column_order(stoa_checker *checker, const stoa_checked_table *table)
{
    const size_t n_columns = table->columns.n + table->lists.n;
    char **order = NULL;
    size_t n = 0;
    stoa_string_set names = {0};
    uint8_t *seen = NULL;

    if (H5Aexists(table->group.id, "column-order") == 0) {
        if (n_columns > 1) {
            stoa_check_report(checker, table->group.path, STOA_RULE_COLUMN_ORDER_PRESENT,
                              "the table has %zu columns and no column-order", n_columns);
        }
        return;
    }
    /* A few surplus names are reported one by one; a list of millions is not read. */
    if (stoa_check_texts(checker, &table->group, "column-order", &order_rules,
                         2 * (uint64_t)n_columns + 1024, &order, &n)) {
        seen = stoa_alloc_zero(1, stoa_bit_bytes(n_columns));
        if (seen == NULL) {
            stoa_check_memory(checker);
        } else {
            compare_order(checker, table, order, n, &names, seen);
        }
    }
    stoa_string_set_clear(&names);
    free(seen);
    free(order);
}

/* --- entry point ----------------------------------------------------------------------------- */

static void check_attributes(stoa_checker *checker, stoa_checked_table *table)
{
    static const char *const texts[] = {"TITLE", "description", "units_vocabulary", "encoding-type",
                                        "encoding-version"};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        free(stoa_check_text(checker, &table->group, texts[i], &text_rules));
    }
    check_index_columns(checker, table);
    check_column_order(checker, table);
    stoa_check_attribute_names(checker, &table->group, STOA_ROLE_TABLE);
}

/* The revision is known once the contents are. The rules before are the same in each. */
static void check_parts(stoa_checker *checker, stoa_checked_table *table)
{
    const stoa_subject *const group = &table->group;
    H5O_info2_t info;

    check_class(checker, group);
    if (!check_version(checker, group, &table->is_newer)) {
        return;
    }
    if (H5Oget_info3(group->id, &info, H5O_INFO_BASIC) < 0) {
        stoa_check_report(checker, group->path, STOA_RULE_UNREADABLE,
                          "the group's header cannot be read");
        return;
    }
    table->fileno = info.fileno;
    table->token = info.token;
    check_n_rows(checker, table);
    checker->n_rows = table->n_rows;
    stoa_check_contents(checker, table);
    check_attributes(checker, table);
    checker->stage = "columns";
    stoa_check_columns(checker, table);
    stoa_check_lists(checker, table);
    stoa_check_categories(checker, table);
    checker->stage = "indexes";
    stoa_check_indexes(checker, table);
}

/* A table's references are all of the type that its writer knows: one finding tells of them. */
static void check_old_references(stoa_checker *checker, const stoa_checked_table *table)
{
    const unsigned long long n = checker->n_old_references;

    if (n > 0) {
        stoa_check_report(checker, table->group.path, STOA_RULE_REF_TYPE,
                          n == 1 ? "%llu reference of the table is of the deprecated "
                                   "H5T_STD_REF_OBJ; it must be of H5T_STD_REF"
                                 : "%llu references of the table are of the deprecated "
                                   "H5T_STD_REF_OBJ; they must be of H5T_STD_REF",
                          n);
    }
}

void stoa_check_table(stoa_checker *checker, const stoa_subject *group)
{
    stoa_checked_table table = {.group = *group};
    const uint64_t n_findings = checker->n_findings;
    const uint64_t n_refused = checker->n_refused;

    checker->n_tables++;
    checker->n_old_references = 0;
    checker->revision = checker->asked;
    check_parts(checker, &table);
    check_old_references(checker, &table);
    if (checker->checked != NULL && !stoa_check_over(checker)) {
        const stoa_checked done = {.path = group->path,
                                   .revision = checker->revision,
                                   .n_rows = table.n_rows,
                                   .indexes = checker->indexes,
                                   .n_findings = checker->n_findings - n_findings,
                                   .n_refused = checker->n_refused - n_refused};
        checker->checked(checker->context, &done);
    }
    checker->revision = STOA_REVISION_TOLD;
    stoa_members_clear(&table.columns);
    stoa_members_clear(&table.lists);
    stoa_members_clear(&table.categories);
    stoa_members_clear(&table.indexes);
}
