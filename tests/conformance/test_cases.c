/* Every rule of the checker against files that break it, and that do not (HEP001 §2). */
#include <stdio.h>
#include <stdlib.h>
#include <stoa/check.h>
#include <string.h>

#include "check/rules.h"
#include "conformance/cases.h"
#include "support/check.h"
#include "support/sweep.h"

#define MAX_FINDINGS 64

typedef struct findings {
    char rules[MAX_FINDINGS][64];
    char lines[MAX_FINDINGS][256];
    size_t n;
} findings;

static bool keep_finding(void *context, const stoa_finding *finding)
{
    findings *found = context;

    if (found->n < MAX_FINDINGS) {
        (void)snprintf(found->rules[found->n], sizeof found->rules[0], "%s", finding->rule);
        (void)snprintf(found->lines[found->n], sizeof found->lines[0], "%s: %s %s: %s",
                       finding->path, finding->level, finding->rule, finding->message);
        found->n++;
    }
    return true;
}

/* Cross a word off a list of words; false if it is not on it. */
static bool cross_off(char *list, const char *word)
{
    const size_t length = strlen(word);

    for (char *at = list; (at = strstr(at, word)) != NULL; at++) {
        const bool starts = at == list || at[-1] == ' ';
        if (starts && (at[length] == '\0' || at[length] == ' ')) {
            memset(at, ' ', length);
            return true;
        }
    }
    return false;
}

/* Print what differs from what is expected; true if nothing does. */
static bool is_as_expected(const conformance_case *expected, const findings *found)
{
    char list[512];
    bool is_same = true;

    (void)snprintf(list, sizeof list, "%s", expected->rules);
    for (size_t i = 0; i < found->n; i++) {
        if (!cross_off(list, found->rules[i])) {
            (void)printf("%s: unexpected: %s\n", expected->name, found->lines[i]);
            is_same = false;
        }
    }
    if (strspn(list, " ") != strlen(list)) {
        (void)printf("%s: not found: %s\n", expected->name, list);
        is_same = false;
    }
    return is_same;
}

/* How many of the rules that a case breaks refuse its table. */
static uint64_t count_refusals(const conformance_case *one, bool strict)
{
    char list[512];
    uint64_t n = 0;

    (void)snprintf(list, sizeof list, "%s", one->rules);
    for (size_t i = 0; i < STOA_N_RULES; i++) {
        const bool refuses = strcmp(stoa_rule_at(i)->refuses, "always") == 0 ||
                             (strict && strcmp(stoa_rule_at(i)->refuses, "strict") == 0);
        while (cross_off(list, stoa_rule_at(i)->rule)) {
            n += refuses;
        }
    }
    return n;
}

/* Findings are the same for a strict check, which refuses more of them, and for one that holds next
 * to nothing at a time. */
static bool run_case(const conformance_case *one)
{
    const hid_t file = memory_file();
    bool is_same = true;

    make_case(file, one);
    for (int i = 0; i < 4; i++) {
        const bool strict = i % 2 == 1;
        const stoa_check_options options = {sizeof options, true, strict, .memory = i < 2 ? 0 : 64,
                                            .revision = one->is_july ? STOA_REVISION_2026_07
                                                                     : STOA_REVISION_2026_06};
        stoa_error err = STOA_ERROR_INIT;
        uint64_t n_tables = 0;
        uint64_t n_refused = 0;
        findings found = {.n = 0};

        CHECK_OK(
            stoa_check(file, NULL, &options, keep_finding, &found, &n_refused, &n_tables, &err),
            &err);
        CHECK(n_tables > 0);
        is_same = is_same && is_as_expected(one, &found);
        if (n_refused != count_refusals(one, strict)) {
            (void)printf("%s: %d findings refuse the table\n", one->name, (int)n_refused);
            is_same = false;
        }
    }
    CHECK_H5(H5Fclose(file));
    return is_same;
}

static void run_all(const case_list *list)
{
    size_t n_failed = 0;

    for (size_t i = 0; i < list->n; i++) {
        n_failed += run_case(&list->cases[i]) ? 0 : 1;
    }
    CHECK_U64(n_failed, 0);
}

static void conformant_tables_have_no_findings(void)
{
    run_all(&conformant_cases);
}

static void indexes_of_every_kind_and_type_have_no_findings(void)
{
    run_all(&whole_indexes);
}

static void each_broken_table_rule_is_found_and_nothing_else(void)
{
    run_all(&table_cases);
}

static void each_broken_column_rule_is_found_and_nothing_else(void)
{
    run_all(&column_cases);
}

static void each_broken_index_rule_is_found_and_nothing_else(void)
{
    run_all(&index_cases);
}

static void each_broken_rule_of_sorted_rows_is_found_and_nothing_else(void)
{
    run_all(&sorted_cases);
}

static void each_broken_rule_of_bitmaps_is_found_and_nothing_else(void)
{
    run_all(&bitmap_cases);
}

static void each_broken_rule_of_bloom_filters_is_found_and_nothing_else(void)
{
    run_all(&bloom_cases);
}

static void each_misused_name_is_found_and_nothing_else(void)
{
    run_all(&name_cases);
}

static void each_broken_rule_of_july_is_found_and_nothing_else(void)
{
    run_all(&july_cases);
}

static void each_broken_rule_of_lists_is_found_and_nothing_else(void)
{
    run_all(&list_cases);
}

/* Whether a case breaks this rule and, of those that refuse a table always, no other. */
static bool breaks_exactly(const conformance_case *one, const stoa_rule_info *rule)
{
    char list[512];

    (void)snprintf(list, sizeof list, "%s", one->rules);
    if (!cross_off(list, rule->rule)) {
        return false;
    }
    for (size_t i = 0; i < STOA_N_RULES; i++) {
        if (strcmp(stoa_rule_at(i)->refuses, "always") == 0 &&
            cross_off(list, stoa_rule_at(i)->rule)) {
            return false;
        }
    }
    return true;
}

static bool is_broken_by_some_case(const stoa_rule_info *rule)
{
    for (size_t i = 0; i < N_CASE_LISTS; i++) {
        for (size_t k = 0; k < all_cases[i]->n; k++) {
            if (breaks_exactly(&all_cases[i]->cases[k], rule)) {
                return true;
            }
        }
    }
    return false;
}

/* The book is walked, so that no rule comes without a file that breaks it, and it alone. */
static void every_rule_has_a_case_that_breaks_exactly_it(void)
{
    size_t n_missing = 0;

    for (size_t i = 0; stoa_check_rule(i) != NULL; i++) {
        if (!is_broken_by_some_case(stoa_check_rule(i))) {
            (void)printf("no case breaks exactly %s\n", stoa_check_rule(i)->rule);
            n_missing++;
        }
    }
    CHECK_U64(n_missing, 0);
}

/* It holds in a revision at least, and has its title in each. */
static bool has_headings(const stoa_rule_info *rule)
{
    return (rule->june != NULL || rule->july != NULL) &&
           strcmp(rule->section, rule->june != NULL ? rule->june : rule->july) == 0 &&
           (rule->june == NULL || stoa_check_heading(rule->june) != NULL) &&
           (rule->july == NULL || stoa_check_heading_of(STOA_REVISION_2026_07, rule->july) != NULL);
}

static void rules_and_sentences_are_told_apart_and_complete(void)
{
    size_t n_rules = 0;
    size_t n_sentences = 0;

    for (const stoa_rule_info *rule; (rule = stoa_check_rule(n_rules)) != NULL; n_rules++) {
        CHECK(rule->rule != NULL && rule->reason == NULL);
        CHECK(has_headings(rule));
        CHECK(strncmp(rule->rule + (rule->june == NULL), rule->section, strlen(rule->section)) ==
              0);
        CHECK((rule->rule[0] == 'J') == (rule->june == NULL));
    }
    for (const stoa_rule_info *rule; (rule = stoa_check_unchecked(n_sentences)) != NULL;
         n_sentences++) {
        CHECK(rule->rule == NULL && rule->reason != NULL);
        CHECK(has_headings(rule));
        CHECK_STR(rule->refuses, "never");
    }
    CHECK_U64(n_rules, STOA_N_RULES);
    CHECK(n_sentences > 0);
    CHECK(stoa_check_heading("99") == NULL);
}

/* --- memory ---------------------------------------------------------------------------------- */

static hid_t swept_file = H5I_INVALID_HID;

static stoa_status check_swept_file(stoa_error *err)
{
    const stoa_check_options options = {.size = sizeof options, .indexes = true};
    findings found = {.n = 0};

    return stoa_check(swept_file, NULL, &options, keep_finding, &found, NULL, NULL, err);
}

static void memory_that_runs_out_in_a_whole_table_is_a_failure(void)
{
    swept_file = memory_file();
    build_table(swept_file);
    build_indexes(swept_file);
    CHECK(sweep_memory(check_swept_file) > 100);
    CHECK_H5(H5Fclose(swept_file));
}

static void memory_that_runs_out_in_a_list_column_is_a_failure(void)
{
    swept_file = memory_file();
    build_july(swept_file);
    build_string_list(swept_file);
    CHECK(sweep_memory(check_swept_file) > 100);
    CHECK_H5(H5Fclose(swept_file));
}

TEST_MAIN(TEST(conformant_tables_have_no_findings),
          TEST(indexes_of_every_kind_and_type_have_no_findings),
          TEST(each_broken_table_rule_is_found_and_nothing_else),
          TEST(each_broken_column_rule_is_found_and_nothing_else),
          TEST(each_broken_index_rule_is_found_and_nothing_else),
          TEST(each_broken_rule_of_sorted_rows_is_found_and_nothing_else),
          TEST(each_broken_rule_of_bitmaps_is_found_and_nothing_else),
          TEST(each_broken_rule_of_bloom_filters_is_found_and_nothing_else),
          TEST(each_misused_name_is_found_and_nothing_else),
          TEST(each_broken_rule_of_july_is_found_and_nothing_else),
          TEST(each_broken_rule_of_lists_is_found_and_nothing_else),
          TEST(every_rule_has_a_case_that_breaks_exactly_it),
          TEST(rules_and_sentences_are_told_apart_and_complete),
          TEST(memory_that_runs_out_in_a_whole_table_is_a_failure),
          TEST(memory_that_runs_out_in_a_list_column_is_a_failure))
