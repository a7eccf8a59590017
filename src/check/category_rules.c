/* Categories datasets (HEP001 §8.7, §12). */
#include "check/attributes.h"

static void check_labels(stoa_checker *checker, const stoa_checked_table *table,
                         const stoa_member *labels)
{
    stoa_subject subject = {H5I_INVALID_HID, labels->path};

    if (labels->rank != 1) {
        stoa_check_report(checker, labels->path, STOA_RULE_CATEGORIES_RANK,
                          "a categories dataset must have rank 1");
    }
    if (labels->n_users == 0) {
        stoa_check_report(checker, labels->path, STOA_RULE_CATEGORIES_REFERENCED,
                          "no column references these categories; delete them or write the "
                          "column's CATEGORIES");
    }
    if (stoa_check_is_reserved(checker, labels->name)) {
        stoa_check_report(checker, labels->path, STOA_RULE_OTHER_NAME, "'%s' is a reserved name",
                          labels->name);
    }
    subject.id = stoa_member_open(checker, table->group.id, labels);
    if (subject.id >= 0) {
        stoa_check_bool(checker, &subject, "ordered", STOA_RULE_ORDERED_SHAPE);
        stoa_check_attribute_names(checker, &subject, STOA_ROLE_CATEGORIES);
    }
    (void)stoa_hdf_close(&subject.id, STOA_OK, NULL);
}

void stoa_check_categories(stoa_checker *checker, stoa_checked_table *table)
{
    for (size_t i = 0; i < table->categories.n && !stoa_check_over(checker); i++) {
        check_labels(checker, table, &table->categories.items[i]);
    }
}
