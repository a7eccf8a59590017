/* Search indexes of every kind: KIND, references, auxiliary datasets (HEP001 §10.1 to §10.3,
 * §12). */
#include <stdlib.h>
#include <string.h>

#include "check/index_rules.h"
#include "hdf/metadata/libhdf5_checks.h"

static const stoa_text_rules kind_rules = {STOA_RULE_KIND_TYPE, STOA_RULE_KIND_SHAPE,
                                           STOA_RULE_KIND_CHARSET, STOA_RULE_KIND_CHARSET,
                                           H5T_CSET_ASCII};
static const stoa_text_rules text_rules = {STOA_RULE_INDEX_TEXT_TYPE, STOA_RULE_INDEX_TEXT_SHAPE,
                                           STOA_RULE_INDEX_TEXT_CHARSET, STOA_RULE_INDEX_TEXT_UTF8,
                                           H5T_CSET_UTF8};

static bool is_family(const stoa_member *index, const char *family)
{
    return index->family != NULL && strcmp(index->family, family) == 0;
}

static bool is_known(const stoa_member *index)
{
    return is_family(index, "CHUNK_MINMAX") || is_family(index, "SORTED_ROWS") ||
           is_family(index, "BITMAP") || is_family(index, "CHUNK_BLOOM");
}

/* --- first: find the indexes, and the datasets they require ---------------------------------- */

typedef struct requirements {
    stoa_checker *checker;
    stoa_checked_table *table;
    const stoa_subject *index;
    bool has_need; /* its KIND requires datasets */
} requirements;

/* A BITMAP requires the dataset that VALUES leads to, and an index of an unknown kind all that its
 * attributes lead to. Other kinds require none. Broken references are reported by the rules, not
 * here. */
static herr_t visit_attribute(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
    const requirements *r = context;
    stoa_target *targets = NULL;
    size_t n = 0;

    (void)object;
    (void)info;
    r->checker->muted = true;
    (void)stoa_check_references(r->checker, r->index, name, false, STOA_RULE_REF_TYPE,
                                r->table->fileno, &targets, &n);
    r->checker->muted = false;
    for (size_t i = 0; i < n; i++) {
        stoa_member *required =
            targets[i].resolves ? stoa_members_find(&r->table->indexes, &targets[i].token) : NULL;
        if (required != NULL) {
            required->required = required->required || r->has_need;
            required->spare = true;
        }
    }
    free(targets);
    return stoa_check_over(r->checker) ? 1 : 0;
}

static void check_kind(stoa_checker *checker, stoa_checked_table *table, stoa_member *member)
{
    stoa_subject subject = {stoa_member_open(checker, table->group.id, member), member->path};
    requirements r = {checker, table, &subject, false};
    hsize_t position = 0;

    if (subject.id < 0) {
        return;
    }
    member->has_kind = H5Aexists(subject.id, "KIND") > 0;
    if (member->has_kind) {
        member->family = stoa_check_text(checker, &subject, "KIND", NULL);
        table->has_unknown_kind = table->has_unknown_kind || !is_known(member);
        r.has_need = !is_known(member) || is_family(member, "BITMAP");
        (void)H5Aiterate2(subject.id, H5_INDEX_NAME, H5_ITER_INC, &position, visit_attribute, &r);
    }
    (void)stoa_hdf_close(&subject.id, STOA_OK, NULL);
}

/* --- then: apply the rules ------------------------------------------------------------------- */

/* §10.6: a BITMAP references its values dataset. */
static const stoa_member *find_values(stoa_checker *checker, const stoa_checked_table *table,
                                      const stoa_subject *index)
{
    const stoa_member *values = NULL;
    stoa_target *targets = NULL;
    size_t n = 0;

    if (!stoa_check_references(checker, index, "VALUES", true, STOA_RULE_BITMAP_VALUES_SHAPE,
                               table->fileno, &targets, &n)) {
        stoa_check_report(checker, index->path, STOA_RULE_BITMAP_VALUES_PRESENT,
                          "a BITMAP index must reference its values by VALUES");
    }
    for (size_t i = 0; i < n; i++) {
        values = targets[i].resolves ? stoa_members_find(&table->indexes, &targets[i].token) : NULL;
        if (values == NULL) {
            stoa_check_report(checker, index->path, STOA_RULE_BITMAP_VALUES_TARGET,
                              "VALUES does not lead to a dataset of SEARCH_INDEXES");
        }
    }
    free(targets);
    return values;
}

/* §10.2, §10.4 "Applicability": the column is the one that references the index. */
static void check_users(stoa_checker *checker, const stoa_member *index)
{
    if (index->required) {
        stoa_check_report(checker, index->path, STOA_RULE_ACCOMPANYING_KIND,
                          "an index references this dataset as its company, and it carries KIND");
    } else if (index->n_users == 0) {
        stoa_check_report(checker, index->path, STOA_RULE_REFERENCED,
                          "no column's SEARCH_INDEX_LIST references this index");
    } else if (index->n_users > 1) {
        stoa_check_report(checker, index->path, STOA_RULE_ONE_COLUMN,
                          "%zu columns reference this index; it can describe one", index->n_users);
    }
}

/* HEP001-2026-07 §11.3: the index can grow along this dimension. */
static void check_growth(stoa_checker *checker, const stoa_subject *index, int dimension)
{
    hsize_t dims[H5S_MAX_RANK] = {0};
    hsize_t most[H5S_MAX_RANK] = {0};
    hid_t space = H5Dget_space(index->id);
    hid_t plist = stoa_dataset_properties(index->id);
    const int rank = H5Sget_simple_extent_dims(space, dims, most);

    if (rank > dimension && H5Pget_layout(plist) != H5D_CHUNKED) {
        stoa_check_report(checker, index->path, STOA_RULE_INDEX_GROWTH,
                          "the index is not chunked, so that it cannot grow in place");
    } else if (rank > dimension && most[dimension] != H5S_UNLIMITED) {
        stoa_check_report(checker, index->path, STOA_RULE_INDEX_GROWTH,
                          "dimension %d of the index has a greatest extent, %llu", dimension,
                          (unsigned long long)most[dimension]);
    }
    (void)stoa_hdf_close(&plist, STOA_OK, NULL);
    (void)stoa_hdf_close(&space, STOA_OK, NULL);
}

/* HEP001-2026-07 §8.8: what an index of a boolean column should be, and may hold. */
static void check_boolean(stoa_checker *checker, const stoa_checked_index *index, bool is_minmax)
{
    if (index->column == NULL || !index->column->is_boolean) {
        return;
    }
    if (is_minmax) {
        stoa_check_report(checker, index->subject.path, STOA_RULE_BOOLEAN_MINMAX,
                          "a boolean column gains little by CHUNK_MINMAX; index it by a BITMAP");
    }
    if (index->values != NULL && index->values->rank == 1 && index->values->extent > 2) {
        stoa_check_report(checker, index->subject.path, STOA_RULE_BOOLEAN_BITMAP,
                          "%llu values of a boolean column are indexed; it has two",
                          (unsigned long long)index->values->extent);
    }
}

/* Apply the section of its KIND, with the column if it is known. */
static void check_family(stoa_checker *checker, const stoa_checked_table *table,
                         const stoa_member *member, const stoa_subject *subject, bool is_stale)
{
    stoa_checked_column column;
    stoa_checked_index index = {.subject = *subject, .table = table, .is_stale = is_stale};

    if (!is_known(member)) {
        return;
    }
    check_growth(checker, subject, is_family(member, "BITMAP") ? 1 : 0);
    if (member->n_users == 1) {
        const stoa_member *user = &table->columns.items[member->user];
        index.column = stoa_checked_column_open(checker, table, user, &column) ? &column : NULL;
    }
    if (is_family(member, "CHUNK_MINMAX")) {
        stoa_check_minmax(checker, &index);
    } else if (is_family(member, "SORTED_ROWS")) {
        stoa_check_sorted(checker, &index);
    } else if (is_family(member, "BITMAP")) {
        index.values = find_values(checker, table, subject);
        stoa_check_bitmap(checker, &index);
    } else {
        stoa_check_bloom(checker, &index);
    }
    check_boolean(checker, &index, is_family(member, "CHUNK_MINMAX"));
    if (member->n_users == 1) {
        stoa_checked_column_close(&column);
    }
}

static void check_index(stoa_checker *checker, stoa_checked_table *table, const stoa_member *index,
                        const stoa_subject *subject)
{
    checker->column = index->n_users == 1 ? table->columns.items[index->user].name : NULL;
    free(stoa_check_text(checker, subject, "KIND", &kind_rules));
    if (index->family != NULL && !is_known(index)) {
        stoa_check_report(checker, index->path, STOA_RULE_KIND_UNKNOWN,
                          "KIND is '%s'; an index of an unknown kind is ignored", index->family);
    }
    if (stoa_check_is_reserved(checker, index->name)) {
        stoa_check_report(checker, index->path, STOA_RULE_INDEX_DATASET_NAME,
                          "'%s' is a reserved name; rename the index", index->name);
    }
    free(stoa_check_text(checker, subject, "description", &text_rules));
    if (H5Aexists(subject->id, "description") == 0) {
        stoa_check_report(checker, index->path, STOA_RULE_DESCRIPTION,
                          "the index has no description that records when and by what it was made");
    }
    check_users(checker, index);
    const bool is_stale = !stoa_check_tokens(checker, table, subject);
    check_family(checker, table, index, subject, is_stale);
    stoa_check_attribute_names(checker, subject,
                               is_known(index) && !is_family(index, "BITMAP") ? STOA_ROLE_INDEX
                                                                              : STOA_ROLE_BITMAP);
    checker->column = NULL;
}

/* A dataset without KIND: an index that lacks it, an auxiliary dataset of an index, or a stray
 * one. */
static void check_company(stoa_checker *checker, const stoa_checked_table *table,
                          const stoa_member *member, const stoa_subject *subject)
{
    if (member->n_users > 0) {
        stoa_check_report(checker, member->path, STOA_RULE_KIND_PRESENT,
                          "a column references this dataset as a search index, and it has no KIND");
    } else if (!member->required && member->spare) {
        stoa_check_report(checker, member->path, STOA_RULE_UNREQUIRED,
                          "the index that references this dataset is of a KIND that requires none; "
                          "'stoa index verify --repair' builds it anew without");
    } else if (!member->required) {
        stoa_check_report(checker, member->path,
                          table->has_unknown_kind ? STOA_RULE_UNREQUIRED_UNKNOWN
                                                  : STOA_RULE_UNREQUIRED,
                          "this dataset is no search index, and no index references it");
    }
    if (stoa_check_is_reserved(checker, member->name)) {
        stoa_check_report(checker, member->path, STOA_RULE_OTHER_NAME, "'%s' is a reserved name",
                          member->name);
    }
    stoa_check_attribute_names(checker, subject, STOA_ROLE_OTHER);
}

void stoa_check_indexes(stoa_checker *checker, stoa_checked_table *table)
{
    stoa_members *const indexes = &table->indexes;

    for (size_t i = 0; i < indexes->n && !stoa_check_over(checker); i++) {
        check_kind(checker, table, &indexes->items[i]);
    }
    stoa_check_generation(checker, table);
    for (size_t i = 0; i < indexes->n && !stoa_check_over(checker); i++) {
        const stoa_member *member = &indexes->items[i];
        stoa_subject subject = {stoa_member_open(checker, table->group.id, member), member->path};
        if (subject.id >= 0 && member->has_kind) {
            check_index(checker, table, member, &subject);
        } else if (subject.id >= 0) {
            check_company(checker, table, member, &subject);
        }
        (void)stoa_hdf_close(&subject.id, STOA_OK, NULL);
    }
}
