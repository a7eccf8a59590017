/* Every rule of the checker against files that break it, and that do not (HEP001 §2). */
#include <stdio.h>
#include <stdlib.h>
#include <stoa/check.h>
#include <string.h>

#include "check/rules.h"
#include "conformance/cases.h"
#include "support/check.h"
#include "support/sweep.h"

#define MOST_FINDINGS 64

typedef struct findings {
    char rules[MOST_FINDINGS][64];
    char lines[MOST_FINDINGS][256];
    size_t n;
} findings;

static bool keep_finding(void *context, const stoa_finding *finding)
{
    findings *found = context;

    if (found->n < MOST_FINDINGS) {
        (void)snprintf(found->rules[found->n], sizeof found->rules[0], "%s", finding->rule);
        (void)snprintf(found->lines[found->n], sizeof found->lines[0], "%s: %s %s: %s",
                       finding->path, finding->level, finding->rule, finding->message);
        found->n++;
    }
    return true;
}

static hid_t memory_file(void)
{
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
    hid_t file = H5I_INVALID_HID;

    CHECK_H5(H5Pset_fapl_core(fapl, (size_t)1 << 16, false));
    CHECK_H5(H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_LATEST));
    file = CHECK_H5(H5Fcreate("case.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    CHECK_H5(H5Pclose(fapl));
    return file;
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

static bool run_case(const conformance_case *one)
{
    const stoa_check_options options = {.size = sizeof options, .indexes = true};
    const hid_t file = memory_file();
    stoa_error err = STOA_ERROR_INIT;
    uint64_t n_tables = 0;
    findings found = {.n = 0};

    if (!one->from_nothing) {
        build_table(file);
    }
    one->make(file);
    CHECK_OK(stoa_check(file, NULL, &options, keep_finding, &found, NULL, &n_tables, &err), &err);
    CHECK(n_tables > 0);
    CHECK_H5(H5Fclose(file));
    return is_as_expected(one, &found);
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

static void each_misused_name_is_found_and_nothing_else(void)
{
    run_all(&name_cases);
}

static bool is_broken_by_some_case(const char *rule)
{
    const case_list *const lists[] = {&conformant_cases, &table_cases, &column_cases, &index_cases,
                                      &name_cases};

    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        for (size_t k = 0; k < lists[i]->n; k++) {
            char rules[512];
            (void)snprintf(rules, sizeof rules, "%s", lists[i]->cases[k].rules);
            if (cross_off(rules, rule)) {
                return true;
            }
        }
    }
    return false;
}

static void every_rule_has_a_case_that_breaks_it(void)
{
    size_t n_missing = 0;

    for (size_t i = 0; i < STOA_N_RULES; i++) {
        if (!is_broken_by_some_case(stoa_rule_at(i)->name)) {
            (void)printf("no case breaks %s\n", stoa_rule_at(i)->name);
            n_missing++;
        }
    }
    CHECK_U64(n_missing, 0);
}

/* --- memory, and the documentation ----------------------------------------------------------- */

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
    CHECK(sweep_memory(check_swept_file) > 100);
    CHECK_H5(H5Fclose(swept_file));
}

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);

    CHECK(file != NULL && text != NULL);
    CHECK(fread(text, 1, (1 << 20) - 1, file) > 0);
    CHECK(fclose(file) == 0);
    return text;
}

static void every_rule_is_documented_as_the_table_has_it(void)
{
    const char *const source = getenv("STOA_SOURCE_DIR");
    char path[4096];
    char line[512];
    char *text = NULL;
    size_t n_missing = 0;

    if (source == NULL) {
        SKIP("STOA_SOURCE_DIR does not say where docs/ is");
    }
    (void)snprintf(path, sizeof path, "%s/docs/conformance.md", source);
    text = read_text(path);
    for (size_t i = 0; i < STOA_N_RULES; i++) {
        const stoa_rule *rule = stoa_rule_at(i);
        (void)snprintf(line, sizeof line, "| `%s` | %s | %s | %s |", rule->name, rule->level,
                       rule->object, rule->text);
        if (strstr(text, line) == NULL) {
            (void)printf("docs/conformance.md lacks: %s\n", line);
            n_missing++;
        }
    }
    free(text);
    CHECK_U64(n_missing, 0);
}

TEST_MAIN(TEST(conformant_tables_have_no_findings),
          TEST(each_broken_table_rule_is_found_and_nothing_else),
          TEST(each_broken_column_rule_is_found_and_nothing_else),
          TEST(each_broken_index_rule_is_found_and_nothing_else),
          TEST(each_misused_name_is_found_and_nothing_else),
          TEST(every_rule_has_a_case_that_breaks_it),
          TEST(memory_that_runs_out_in_a_whole_table_is_a_failure),
          TEST(every_rule_is_documented_as_the_table_has_it))
