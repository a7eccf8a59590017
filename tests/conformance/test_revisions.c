/* Which revision of HEP001 judges a table, and what a finding and a summary say of it. */
#include <stdio.h>
#include <stoa/check.h>
#include <string.h>

#include "conformance/cases.h"
#include "support/check.h"

typedef struct seen {
    char rule[64];
    char section[16];
    char column[64];
    stoa_revision of_finding;
    size_t n_findings;
    char path[64];
    stoa_checked table;
    size_t n_tables;
} seen;

static bool keep_finding(void *context, const stoa_finding *finding)
{
    seen *s = context;

    (void)snprintf(s->rule, sizeof s->rule, "%s", finding->rule);
    (void)snprintf(s->section, sizeof s->section, "%s", finding->section);
    (void)snprintf(s->column, sizeof s->column, "%s",
                   finding->column == NULL ? "" : finding->column);
    s->of_finding = finding->revision;
    s->n_findings++;
    return true;
}

static void keep_table(void *context, const stoa_checked *table)
{
    seen *s = context;

    (void)snprintf(s->path, sizeof s->path, "%s", table->path);
    s->table = *table;
    s->n_tables++;
}

static seen check_file(hid_t file, stoa_revision asked)
{
    stoa_check_options options = STOA_CHECK_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;
    seen s = {.n_findings = 0};

    options.indexes = true;
    options.revision = asked;
    options.checked = keep_table;
    CHECK_OK(stoa_check(file, NULL, &options, keep_finding, &s, NULL, NULL, &err), &err);
    return s;
}

/* Also that a check by the other revision is one by the other revision. */
static void check_tells(void (*make)(hid_t file), stoa_revision told)
{
    const hid_t file = memory_file();
    const stoa_revision other =
        told == STOA_REVISION_2026_06 ? STOA_REVISION_2026_07 : STOA_REVISION_2026_06;

    make(file);
    CHECK(check_file(file, STOA_REVISION_TOLD).table.revision == told);
    CHECK(check_file(file, told).table.revision == told);
    CHECK(check_file(file, other).table.revision == other);
    CHECK_H5(H5Fclose(file));
}

static void make_booleans(hid_t file, hid_t base, const void *fill)
{
    const hid_t type = boolean_type(base);

    build_empty(file, "/t", N_ROWS);
    make_column(file, "/t/b", type, type, fill, NULL);
    CHECK_H5(H5Tclose(type));
}

static void make_booleans_without_fill(hid_t file)
{
    make_booleans(file, H5T_STD_U8LE, NULL);
}

static void make_wide_booleans_without_fill(hid_t file)
{
    make_booleans(file, H5T_STD_I16LE, NULL);
}

static void make_booleans_with_fill(hid_t file)
{
    make_booleans(file, H5T_STD_I8LE, "\5");
}

static void make_generation_of_another_type(hid_t file)
{
    build_table(file);
    put_ascii(file, "/t", "GENERATION", "first");
}

static void make_bare_list(hid_t file)
{
    build_empty(file, "/t", 0);
    make_group(file, "/t/list");
    put_variable_string(file, "/t/list", "CLASS", "LIST_COLUMN");
}

static void make_other_group(hid_t file)
{
    build_table(file);
    make_group(file, "/t/more");
}

static void a_table_with_something_of_july_tells_july(void)
{
    check_tells(build_july, STOA_REVISION_2026_07);
    check_tells(make_generation_of_another_type, STOA_REVISION_2026_07);
    check_tells(make_bare_list, STOA_REVISION_2026_07);
    check_tells(make_booleans_without_fill, STOA_REVISION_2026_07);
}

static void any_other_table_tells_june(void)
{
    check_tells(build_table, STOA_REVISION_2026_06);
    check_tells(make_other_group, STOA_REVISION_2026_06);
    check_tells(make_booleans_with_fill, STOA_REVISION_2026_06);
    check_tells(make_wide_booleans_without_fill, STOA_REVISION_2026_06);
}

static void each_table_of_a_file_tells_its_own(void)
{
    const hid_t file = memory_file();

    build_july(file);
    build_empty(file, "/u", 0);
    seen s = check_file(file, STOA_REVISION_TOLD);
    CHECK_U64(s.n_tables, 2);
    CHECK_STR(s.path, "/u");
    CHECK(s.table.revision == STOA_REVISION_2026_06);
    CHECK_H5(H5Fclose(file));
}

static void a_finding_has_the_number_of_its_section_in_the_revision(void)
{
    const hid_t file = memory_file();
    minmax entries[3];

    build_july(file);
    memcpy(entries, x_entries, sizeof entries);
    entries[0].n = 5;
    write_entries(file, entries, 3);
    put_tokens(file, "/t/SEARCH_INDEXES/x_minmax", GENERATION, N_ROWS);
    for (int july = 0; july < 2; july++) {
        const stoa_revision revision = july ? STOA_REVISION_2026_07 : STOA_REVISION_2026_06;
        const seen s = check_file(file, revision);

        CHECK_U64(s.n_findings, 1);
        CHECK_STR(s.rule, "10.4-N");
        CHECK_STR(s.section, july ? "11.4" : "10.4");
        CHECK(s.of_finding == revision);
    }
    CHECK_H5(H5Fclose(file));
}

/* July's rules are silent in June, and June's in July. */
static void a_rule_of_the_other_revision_makes_no_finding(void)
{
    const hid_t file = memory_file();
    const hid_t bit = CHECK_H5(H5Tcopy(H5T_STD_U8LE));

    CHECK_H5(H5Tset_precision(bit, 1));
    build_empty(file, "/t", N_ROWS);
    make_column(file, "/t/bit", bit, bit, "\0", NULL);
    put_ascii(file, "/t/bit", "MASK", "none");
    CHECK_STR(check_file(file, STOA_REVISION_2026_06).rule, "8.5-BOOL-WIDEN");
    CHECK_STR(check_file(file, STOA_REVISION_2026_07).rule, "J8.5-MASK");
    CHECK_U64(check_file(file, STOA_REVISION_2026_06).n_findings, 1);
    CHECK_U64(check_file(file, STOA_REVISION_2026_07).n_findings, 1);
    CHECK_H5(H5Tclose(bit));
    CHECK_H5(H5Fclose(file));
}

static void a_finding_of_an_index_names_its_column(void)
{
    const hid_t file = memory_file();

    build_table(file);
    drop(file, "/t/SEARCH_INDEXES/x_minmax", "description");
    seen s = check_file(file, STOA_REVISION_TOLD);
    CHECK_STR(s.rule, "10.3-DESCRIPTION");
    CHECK_STR(s.column, "x");

    /* Of two columns, which one is not known. */
    put_references(file, "/t/id", "SEARCH_INDEX_LIST",
                   (const char *const[]){"/t/SEARCH_INDEXES/x_minmax"}, 1);
    s = check_file(file, STOA_REVISION_TOLD);
    CHECK_STR(s.rule, "10.2-ONE-COLUMN");
    CHECK_STR(s.column, "");
    CHECK_H5(H5Fclose(file));
}

static void a_summary_counts_what_was_found_in_its_table(void)
{
    const hid_t file = memory_file();

    build_table(file);
    put_ascii(file, "/t", "Title", "almost");
    put_ascii(file, "/t", "TITLE", "an ASCII one");
    const seen s = check_file(file, STOA_REVISION_TOLD);
    CHECK_STR(s.path, "/t");
    CHECK_U64(s.table.n_rows, N_ROWS);
    CHECK_U64(s.table.n_findings, 2);
    CHECK_U64(s.table.n_refused, 1);
    CHECK(s.table.indexes);
    CHECK_H5(H5Fclose(file));
}

static bool stop(void *context, const stoa_progress *progress)
{
    CHECK(progress->rows <= progress->total_rows);
    CHECK(progress->stage != NULL);
    return --*(int *)context > 0;
}

/* With the indexes of build_indexes() and wrong bounds, which are found in the end. */
static void a_check_stops_at_every_question(void)
{
    const hid_t file = memory_file();
    stoa_status status = STOA_ECANCELLED;
    int allowed = 0;
    seen s = {.n_findings = 0};

    build_table(file);
    build_indexes(file);
    put_text(file, "/t", "Title", "almost");
    while (status == STOA_ECANCELLED) {
        int left = ++allowed;
        stoa_check_options options = STOA_CHECK_OPTIONS_INIT;
        s = (seen){.n_findings = 0};
        options.indexes = true;
        options.checked = keep_table;
        options.threads = 1 + (unsigned)allowed % 2;
        options.listener = (stoa_listener){stop, &left};
        status = stoa_check(file, NULL, &options, keep_finding, &s, NULL, NULL, NULL);
        CHECK_U64(s.n_tables, status == STOA_OK);
        CHECK(allowed < 100);
    }
    CHECK_OK(status);
    CHECK(allowed > 4);
    CHECK_STR(s.rule, "13.1-CASE");
    CHECK_H5(H5Fclose(file));
}

static void revisions_have_names(void)
{
    CHECK_STR(stoa_revision_name(STOA_REVISION_2026_06), "2026-06");
    CHECK_STR(stoa_revision_name(STOA_REVISION_2026_07), "2026-07");
    CHECK(stoa_revision_name(STOA_REVISION_TOLD) == NULL);
}

TEST_MAIN(TEST(a_table_with_something_of_july_tells_july), TEST(any_other_table_tells_june),
          TEST(each_table_of_a_file_tells_its_own),
          TEST(a_finding_has_the_number_of_its_section_in_the_revision),
          TEST(a_rule_of_the_other_revision_makes_no_finding),
          TEST(a_finding_of_an_index_names_its_column),
          TEST(a_summary_counts_what_was_found_in_its_table), TEST(a_check_stops_at_every_question),
          TEST(revisions_have_names))
