/* A CATEGORIES reference out of the table's group CATEGORIES is a finding (HEP001 §12), and no
 * reader follows it. */
#include <stdio.h>
#include <stoa/arrow.h>
#include <stoa/check.h>
#include <stoa/column.h>
#include <stoa/table.h>
#include <string.h>

#include "conformance/build.h"
#include "support/check.h"

#define LABELS "/t/CATEGORIES/labels"

static bool keep_rule(void *context, const stoa_finding *finding)
{
    char *rules = context;

    (void)snprintf(rules + strlen(rules), 256 - strlen(rules), "%s ", finding->rule);
    return true;
}

static const stoa_column *column_called(const stoa_table *table, const char *name)
{
    for (size_t i = 0; i < stoa_table_n_columns(table); i++) {
        if (strcmp(stoa_column_name(stoa_table_column(table, i)), name) == 0) {
            return stoa_table_column(table, i);
        }
    }
    FAIL("there is no column %s", name);
}

static stoa_status read_label(hid_t file, stoa_error *err)
{
    stoa_table *table = NULL;
    struct ArrowSchema schema;

    CHECK_OK(stoa_hep001_open(file, "/t", &table, err), err);
    CHECK_OK(stoa_column_schema(column_called(table, "id"), &schema, err), err);
    schema.release(&schema);
    const stoa_status status = stoa_column_schema(column_called(table, "label"), &schema, err);
    if (status == STOA_OK) {
        CHECK(schema.dictionary != NULL);
        schema.release(&schema);
    }
    stoa_table_close(table);
    return status;
}

static void check_not_followed(const char *target)
{
    const hid_t file = memory_file();
    stoa_error err = STOA_ERROR_INIT;
    char rules[256] = "";

    build_table(file);
    build_empty(file, "/u", 0);
    make_group(file, "/u/CATEGORIES");
    make_dataset(file, "/u/CATEGORIES/labels", H5T_STD_I8LE, H5T_NATIVE_INT8, NULL, NULL, 3, 0,
                 H5P_DEFAULT);
    make_dataset(file, "/labels", H5T_STD_I8LE, H5T_NATIVE_INT8, NULL, NULL, 3, 0, H5P_DEFAULT);
    put_reference(file, "/t/label", "CATEGORIES", target);
    CHECK_STATUS(STOA_EDATA, read_label(file, &err));
    CHECK_CONTAINS(err.message, "CATEGORIES");
    CHECK_CONTAINS(err.message, "HEP001 §12");
    CHECK_OK(stoa_check(file, "/t", NULL, keep_rule, rules, NULL, NULL, &err), &err);
    CHECK_STR(rules, "12-CATEGORIES-TARGET 12-CATEGORIES-REFERENCED ");
    CHECK_H5(H5Fclose(file));
}

static void labels_beside_the_table_are_not_read(void)
{
    check_not_followed("/labels");
}

static void labels_of_another_table_are_not_read(void)
{
    check_not_followed("/u/CATEGORIES/labels");
}

static void a_column_is_not_read_as_labels(void)
{
    check_not_followed("/t/id");
}

static void an_index_is_not_read_as_labels(void)
{
    check_not_followed("/t/SEARCH_INDEXES/x_minmax");
}

static void labels_of_any_name_are_read(void)
{
    const hid_t file = memory_file();
    stoa_error err = STOA_ERROR_INIT;

    build_table(file);
    CHECK_OK(read_label(file, &err), &err);
    CHECK_H5(
        H5Lmove(file, LABELS, file, "/t/CATEGORIES/label__CATEGORIES", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_OK(read_label(file, &err), &err);
    /* Something else has the name that is looked up first. */
    CHECK_H5(
        H5Lmove(file, "/t/CATEGORIES/label__CATEGORIES", file, LABELS, H5P_DEFAULT, H5P_DEFAULT));
    make_dataset(file, "/t/CATEGORIES/label__CATEGORIES", H5T_STD_I8LE, H5T_NATIVE_INT8, NULL, NULL,
                 3, 0, H5P_DEFAULT);
    CHECK_OK(read_label(file, &err), &err);
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(labels_beside_the_table_are_not_read), TEST(labels_of_another_table_are_not_read),
          TEST(a_column_is_not_read_as_labels), TEST(an_index_is_not_read_as_labels),
          TEST(labels_of_any_name_are_read))
