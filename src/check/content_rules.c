/* The objects in a table group: columns, list columns, CATEGORIES, SEARCH_INDEXES, and nothing else
 * (HEP001 §7.6). */
#include <stdlib.h>
#include <string.h>

#include "check/attributes.h"

static bool is_table_group(stoa_checker *checker, const stoa_checked_table *table,
                           const stoa_member *member)
{
    hid_t id = stoa_member_open(checker, table->group.id, member);
    const bool is_table = id >= 0 && stoa_check_is_table(checker, id);

    (void)stoa_hdf_close(&id, STOA_OK, NULL);
    return is_table;
}

/* Whether it is a column of lists, which June does not have (HEP001-2026-07 §9.1). */
static bool is_list_column(stoa_checker *checker, const stoa_checked_table *table,
                           const stoa_member *member)
{
    hid_t id = stoa_member_open(checker, table->group.id, member);
    const bool is_list = id >= 0 && stoa_check_has_class(checker, id, "LIST_COLUMN");

    (void)stoa_hdf_close(&id, STOA_OK, NULL);
    return is_list;
}

void stoa_check_stranger(stoa_checker *checker, const stoa_checked_table *table,
                         const stoa_member *member, stoa_rule_id group_rule)
{
    /* A later revision may add objects, but not a table inside a table. */
    if (table->is_newer && member->kind != STOA_MEMBER_BROKEN &&
        (member->kind != STOA_MEMBER_GROUP || !is_table_group(checker, table, member))) {
        stoa_check_report(checker, member->path, STOA_RULE_UNDESCRIBED,
                          "revision 1.0 knows no such object below a table");
        return;
    }
    switch (member->kind) {
    case STOA_MEMBER_GROUP:
        if (is_table_group(checker, table, member)) {
            stoa_check_report(checker, member->path, STOA_RULE_NESTED_TABLE,
                              "a table lies inside the table '%s'; move it beside it",
                              table->group.path);
        } else if (is_list_column(checker, table, member)) {
            stoa_check_report(checker, member->path, group_rule,
                              "a list column, which only July has, or misplaced; nothing in it is "
                              "checked");
        } else {
            stoa_check_report(checker, member->path, group_rule,
                              "this group has no place below a table; move it beside the table");
        }
        break;
    case STOA_MEMBER_TYPE:
        stoa_check_report(checker, member->path, STOA_RULE_NAMED_TYPE,
                          "a named datatype has no place below a table");
        break;
    case STOA_MEMBER_SOFT:
        stoa_check_report(checker, member->path, STOA_RULE_SOFT_LINK,
                          "a soft link has no place below a table");
        break;
    case STOA_MEMBER_EXTERNAL:
        stoa_check_report(checker, member->path, STOA_RULE_EXTERNAL_LINK,
                          "an external or user-defined link has no place below a table");
        break;
    case STOA_MEMBER_BROKEN:
    case STOA_MEMBER_DATASET:
        break; /* reported when opened */
    }
}

/* Move the datasets of a subgroup into a list; anything else in it breaks `contents_rule`. */
static void collect_datasets(stoa_checker *checker, stoa_checked_table *table,
                             const stoa_member *subgroup, stoa_rule_id contents_rule,
                             stoa_members *datasets)
{
    stoa_members members = {0};
    hid_t id = stoa_member_open(checker, table->group.id, subgroup);
    const stoa_subject group = {id, subgroup->path};

    if (id < 0) {
        return;
    }
    if (stoa_check_is_table(checker, id)) {
        stoa_check_report(checker, subgroup->path, STOA_RULE_NESTED_TABLE,
                          "this reserved group carries CLASS as if it were a table");
    } else {
        stoa_check_attribute_names(checker, &group, STOA_ROLE_OTHER);
    }
    (void)stoa_members_read(checker, &group, &members);
    for (size_t i = 0; i < members.n && !stoa_check_over(checker); i++) {
        if (members.items[i].kind == STOA_MEMBER_DATASET) {
            stoa_members_move(checker, &members.items[i], datasets);
        } else {
            stoa_check_stranger(checker, table, &members.items[i], contents_rule);
        }
    }
    stoa_members_clear(&members);
    (void)stoa_hdf_close(&id, STOA_OK, NULL);
}

/* §8.1: a dataset directly in the group is a column, and has rank 1. */
static void take_dataset(stoa_checker *checker, stoa_checked_table *table, stoa_member *member)
{
    if (member->rank == 1) {
        stoa_members_move(checker, member, &table->columns);
    } else if (member->rank < 0) {
        stoa_check_report(checker, member->path, STOA_RULE_RANK,
                          "a dataset with a null dataspace is no column");
    } else {
        stoa_check_report(checker, member->path, STOA_RULE_RANK,
                          "a dataset of rank %d is no column; columns have rank 1", member->rank);
    }
}

void stoa_check_contents(stoa_checker *checker, stoa_checked_table *table)
{
    stoa_members members = {0};

    (void)stoa_members_read(checker, &table->group, &members);
    checker->revision = checker->asked != STOA_REVISION_TOLD
                            ? checker->asked
                            : stoa_check_tell_revision(checker, &table->group, &members);
    for (size_t i = 0; i < members.n && !stoa_check_over(checker); i++) {
        stoa_member *member = &members.items[i];
        /* A hard link may lead back to the table itself, which is not a subgroup of its own. */
        const bool is_subgroup = member->kind == STOA_MEMBER_GROUP &&
                                 memcmp(&member->token, &table->token, sizeof table->token) != 0;

        if (member->kind == STOA_MEMBER_DATASET) {
            take_dataset(checker, table, member);
        } else if (is_subgroup && strcmp(member->name, "CATEGORIES") == 0) {
            collect_datasets(checker, table, member, STOA_RULE_CATEGORIES_CONTENTS,
                             &table->categories);
        } else if (is_subgroup && strcmp(member->name, "SEARCH_INDEXES") == 0) {
            collect_datasets(checker, table, member, STOA_RULE_INDEX_CONTENTS, &table->indexes);
        } else if (is_subgroup && stoa_check_is_july(checker) &&
                   is_list_column(checker, table, member)) {
            stoa_members_move(checker, member, &table->lists);
        } else {
            stoa_check_stranger(checker, table, member, STOA_RULE_GROUP);
        }
    }
    stoa_members_clear(&members);
}
