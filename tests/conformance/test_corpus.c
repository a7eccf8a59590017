/*
 * Writes the corpus: a small file for each conformance case (tests/conformance), and a manifest
 * that says what is wrong with it. Other implementations of HEP001 can test themselves with it:
 * docs/corpus.md. Usage: stoa_corpus DIR
 *
 * The manifest is made of the cases, which state by hand what their files break, and of the rule
 * book. Nothing in it comes from a check.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoa/check.h>
#include <stoa/version.h>
#include <string.h>
#include <sys/stat.h>

#include "conformance/cases.h"
#include "support/check.h"

/* A rule, and a file that keeps it where it could be broken. The first entry that fits counts: a
 * rule's name begins with `rules`. */
static const struct keeper {
    const char *rules;
    const char *name;
} keepers[] = {
    {"5-REF-COLUMN", "opaque_compound_and_array_columns"},
    {"6-", "categories_are_ordered"},
    {"7.2-VERSION-M", "version_is_padded_with_nuls"},
    {"7.4-TEXT", "everything_optional_is_there"},
    {"7.6-NAMED-TYPE", "a_column_of_a_named_datatype_from_outside"},
    {"7.6-SOFT-LINK", "a_table_lies_deep_beside_other_things"},
    {"7.6-EXTERNAL-LINK", "a_table_lies_deep_beside_other_things"},
    {"7.6-NESTED-TABLE", "a_table_lies_deep_beside_other_things"},
    {"8.3-", "opaque_compound_and_array_columns"},
    {"8.5-FILL-IN-RANGE", "every_integer_of_every_width_and_order"},
    {"8.5-VALID", "every_integer_of_every_width_and_order"},
    {"8.5-OVERRIDE-RANGE", "the_sentinel_is_data_inside_a_declared_range"},
    {"8.5-ENUM", "an_enumeration_with_missing"},
    {"8.5-BOOL-WIDEN", "a_boolean_column_as_uint8"},
    {"8.6-TEXT", "everything_optional_is_there"},
    {"8.7-ORDERED-SHAPE", "categories_are_ordered"},
    {"9.2-", "no_row_index"},
    {"10.1-", "label_has_a_bitmap"},
    {"10.5-", "x_is_sorted"},
    {"10.6-", "label_has_a_bitmap"},
    {"10.7-", "x_has_filters"},
    {"13.1-OTHER-NAME", "label_has_a_bitmap"},
    {"13.3-", "everything_optional_is_there"},
    {"J7.4-", "a_list_of_floats"},
    {"J8.8-NULLABLE", "nullable_booleans_are_an_enumeration_of_three"},
    {"J8.8-MINMAX", "booleans_have_a_bitmap_of_two"},
    {"J8.8-BITMAP", "booleans_have_a_bitmap_of_two"},
    {"J8.8-", "a_boolean_column_has_no_fill_value"},
    {"J9.1-", "a_list_of_lists"},
    {"J9.4-", "a_list_of_strings"},
    {"J9.5-", "a_list_of_fixed_strings"},
    {"J9.", "a_list_of_floats"},
    {"J11.6-", "an_exhaustive_bitmap_has_every_value"},
    {"J", "the_usual_table_with_tokens"},
    {"", "the_usual_table"},
};

typedef struct file_name {
    char text[256];
} file_name;

/* Cases that say what Stoa does not judge are about Stoa. */
static bool is_in_corpus(const conformance_case *one)
{
    return strstr(one->rules, "2-NOT-READ") == NULL;
}

static const char *revision_of(const conformance_case *one)
{
    return stoa_revision_name(one->is_july ? STOA_REVISION_2026_07 : STOA_REVISION_2026_06);
}

/* Its folder is the first rule that it breaks. */
static file_name name_of(const conformance_case *one)
{
    const size_t length = strcspn(one->rules, " ");
    file_name name;

    (void)snprintf(name.text, sizeof name.text, "%s/%.*s/%s.h5", revision_of(one),
                   length == 0 ? 10 : (int)length, length == 0 ? "conformant" : one->rules,
                   one->name);
    return name;
}

static void make_folders(const char *path)
{
    char folder[4096];

    for (const char *at = strchr(path + 1, '/'); at != NULL; at = strchr(at + 1, '/')) {
        (void)snprintf(folder, sizeof folder, "%.*s", (int)(at - path), path);
        if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
            FAIL("%s: %s", folder, strerror(errno));
        }
    }
}

static void write_file(const char *directory, const conformance_case *one)
{
    const file_name name = name_of(one);
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
    char path[4096];
    hid_t file = H5I_INVALID_HID;

    (void)snprintf(path, sizeof path, "%s/%s", directory, name.text);
    make_folders(path);
    CHECK_H5(H5Pset_libver_bounds(fapl, H5F_LIBVER_V18, H5F_LIBVER_LATEST));
    file = CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    make_case(file, one);
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Pclose(fapl));
}

/* --- the manifest ---------------------------------------------------------------------------- */

static void put_member(FILE *out, const char *name, const char *text)
{
    if (text == NULL) {
        (void)fprintf(out, "\"%s\": null", name);
        return;
    }
    (void)fprintf(out, "\"%s\": \"", name);
    for (; *text != '\0'; text++) {
        (void)fprintf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    }
    (void)fputc('"', out);
}

static const stoa_rule_info *rule_called(const char *name, size_t length)
{
    const stoa_rule_info *rule = NULL;

    for (size_t i = 0; (rule = stoa_check_rule(i)) != NULL; i++) {
        if (strlen(rule->rule) == length && strncmp(rule->rule, name, length) == 0) {
            return rule;
        }
    }
    FAIL("there is no rule %.*s", (int)length, name);
}

/* The rules that a case breaks, as an array; true if one of them is a MUST. */
static bool put_breaks(FILE *out, const conformance_case *one)
{
    bool is_broken = false;
    const char *between = "";

    (void)fputs("\"breaks\": [", out);
    for (const char *at = one->rules; *at != '\0';) {
        const size_t length = strcspn(at, " ");
        const stoa_rule_info *rule = rule_called(at, length);

        (void)fprintf(out, "%s{", between);
        put_member(out, "rule", rule->rule);
        (void)fputs(", ", out);
        put_member(out, "section", one->is_july ? rule->july : rule->june);
        (void)fputs(", ", out);
        put_member(out, "level", rule->level);
        (void)fputc('}', out);
        between = ", ";
        is_broken = is_broken || strcmp(rule->level, "MUST") == 0;
        at += length + (at[length] == ' ');
    }
    (void)fputc(']', out);
    return is_broken;
}

static void put_description(FILE *out, const char *name)
{
    char text[256];

    (void)snprintf(text, sizeof text, "%s", name);
    for (char *at = text; (at = strchr(at, '_')) != NULL;) {
        *at = ' ';
    }
    put_member(out, "description", text);
}

static void put_file(FILE *out, const conformance_case *one)
{
    (void)fputs("    {", out);
    put_member(out, "file", name_of(one).text);
    (void)fputs(", ", out);
    put_member(out, "revision", revision_of(one));
    (void)fputs(", ", out);
    const bool is_broken = put_breaks(out, one);
    (void)fputs(", ", out);
    put_member(out, "verdict", is_broken ? "broken" : "conformant");
    (void)fputs(", ", out);
    put_description(out, one->name);
    (void)fputc('}', out);
}

static const conformance_case *case_called(const char *name)
{
    for (size_t i = 0; i < N_CASE_LISTS; i++) {
        for (size_t k = 0; k < all_cases[i]->n; k++) {
            if (strcmp(all_cases[i]->cases[k].name, name) == 0) {
                return &all_cases[i]->cases[k];
            }
        }
    }
    FAIL("there is no case %s", name);
}

static const conformance_case *keeper_of(const stoa_rule_info *rule)
{
    size_t i = 0;

    while (strncmp(rule->rule, keepers[i].rules, strlen(keepers[i].rules)) != 0) {
        i++;
    }
    return case_called(keepers[i].name);
}

static bool breaks(const conformance_case *one, const stoa_rule_info *rule)
{
    const size_t length = strlen(rule->rule);

    for (const char *at = one->rules; *at != '\0';) {
        const size_t n = strcspn(at, " ");
        if (n == length && strncmp(at, rule->rule, n) == 0) {
            return true;
        }
        at += n + (at[n] == ' ');
    }
    return false;
}

static void put_rule(FILE *out, const stoa_rule_info *rule)
{
    const char *between = "";

    (void)fputs("    {", out);
    put_member(out, "rule", rule->rule);
    (void)fputs(", ", out);
    put_member(out, "level", rule->level);
    (void)fputs(", ", out);
    put_member(out, "june", rule->june);
    (void)fputs(", ", out);
    put_member(out, "july", rule->july);
    (void)fputs(", ", out);
    put_member(out, "text", rule->text);
    (void)fputs(", ", out);
    put_member(out, "kept_by", name_of(keeper_of(rule)).text);
    (void)fputs(", \"broken_by\": [", out);
    for (size_t i = 0; i < N_CASE_LISTS; i++) {
        for (size_t k = 0; k < all_cases[i]->n; k++) {
            const conformance_case *one = &all_cases[i]->cases[k];
            if (is_in_corpus(one) && breaks(one, rule)) {
                (void)fprintf(out, "%s\"%s\"", between, name_of(one).text);
                between = ", ";
            }
        }
    }
    (void)fputs("]}", out);
}

static void write_manifest(const char *directory)
{
    char path[4096];
    const stoa_rule_info *rule = NULL;
    const char *between = "";
    FILE *out = NULL;

    (void)snprintf(path, sizeof path, "%s/manifest.json", directory);
    out = fopen(path, "w");
    CHECK(out != NULL);
    (void)fputs("{\n  ", out);
    put_member(out, "specification", "HEP001");
    (void)fputs(",\n  ", out);
    put_member(out, "stoa", stoa_version());
    (void)fputs(",\n  \"files\": [\n", out);
    for (size_t i = 0; i < N_CASE_LISTS; i++) {
        for (size_t k = 0; k < all_cases[i]->n; k++) {
            if (is_in_corpus(&all_cases[i]->cases[k])) {
                (void)fputs(between, out);
                put_file(out, &all_cases[i]->cases[k]);
                between = ",\n";
            }
        }
    }
    (void)fputs("\n  ],\n  \"rules\": [\n", out);
    for (size_t i = 0; (rule = stoa_check_rule(i)) != NULL; i++) {
        (void)fputs(i == 0 ? "" : ",\n", out);
        put_rule(out, rule);
    }
    (void)fputs("\n  ]\n}\n", out);
    CHECK(fclose(out) == 0);
}

/* --- tests ------------------------------------------------------------------------------------ */

static void the_corpus_is_written_whole(void)
{
    const char *const asked = getenv("STOA_CORPUS");
    const char *const directory = asked != NULL && asked[0] != '\0' ? asked : check_path("corpus");

    for (size_t i = 0; i < N_CASE_LISTS; i++) {
        for (size_t k = 0; k < all_cases[i]->n; k++) {
            if (is_in_corpus(&all_cases[i]->cases[k])) {
                write_file(directory, &all_cases[i]->cases[k]);
            }
        }
    }
    write_manifest(directory);
}

static void each_rule_is_kept_by_a_file_of_a_revision_that_has_it(void)
{
    const stoa_rule_info *rule = NULL;

    for (size_t i = 0; (rule = stoa_check_rule(i)) != NULL; i++) {
        const conformance_case *const one = keeper_of(rule);
        if (one->rules[0] != '\0' || (one->is_july ? rule->july : rule->june) == NULL) {
            FAIL("%s does not keep %s", one->name, rule->rule);
        }
    }
}

static void each_rule_is_broken_by_a_file_unless_it_is_about_stoa(void)
{
    const stoa_rule_info *rule = NULL;

    for (size_t i = 0; (rule = stoa_check_rule(i)) != NULL; i++) {
        size_t n = 0;
        for (size_t list = 0; list < N_CASE_LISTS; list++) {
            for (size_t k = 0; k < all_cases[list]->n; k++) {
                const conformance_case *one = &all_cases[list]->cases[k];
                n += is_in_corpus(one) && breaks(one, rule);
            }
        }
        if (n == 0 && strcmp(rule->rule, "2-NOT-READ") != 0) {
            FAIL("no file of the corpus breaks %s", rule->rule);
        }
    }
}

TEST_MAIN(TEST(the_corpus_is_written_whole),
          TEST(each_rule_is_kept_by_a_file_of_a_revision_that_has_it),
          TEST(each_rule_is_broken_by_a_file_unless_it_is_about_stoa))
