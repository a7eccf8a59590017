/* stoa rules: list the rules of `stoa check`. The rules are in src/check. */
#include <string.h>
#include <strings.h>

#include "cli/common/args.h"
#include "cli/common/terminal.h"
#include "cli/output/grid.h"
#include "cli/output/json.h"

enum { FORMAT_TEXT, FORMAT_JSON, FORMAT_JSONL, FORMAT_MARKDOWN };

/* The rules that are asked for, and the sentences that no file can break. */
typedef struct rule_list {
    const stoa_rule_info **items;
    size_t n;
} rule_list;

/* The number of its section in a revision, or in June's or else July's; NULL if it does not hold.
 */
static const char *section_in(const stoa_rule_info *rule, stoa_revision revision)
{
    return revision == STOA_REVISION_2026_06   ? rule->june
           : revision == STOA_REVISION_2026_07 ? rule->july
                                               : rule->section;
}

/* Whether a rule was requested: by its id, or as part of the section. */
static bool is_asked_for(const stoa_rule_info *rule, const char *id, stoa_revision revision)
{
    const size_t length = id == NULL ? 0 : strlen(id);
    const char *const section = section_in(rule, revision);

    if (section == NULL) {
        return false;
    }
    if (id == NULL || (rule->rule != NULL && strcasecmp(rule->rule, id) == 0)) {
        return true;
    }
    return strncmp(section, id, length) == 0 && (section[length] == '\0' || section[length] == '.');
}

static rule_list find_rules(cli_args *args, const stoa_rule_info *(*of)(size_t i), const char *id,
                            stoa_revision revision)
{
    rule_list list = {NULL, 0};
    const stoa_rule_info *rule;

    for (size_t i = 0; (rule = of(i)) != NULL; i++) {
        if (is_asked_for(rule, id, revision)) {
            list.items = cli_one_more((void *)list.items, list.n, sizeof *list.items);
            list.items[list.n++] = rule;
        }
    }
    cli_keep(args, (void *)list.items);
    return list;
}

static const char *heading_of(const stoa_rule_info *rule)
{
    return rule->june != NULL ? stoa_check_heading_of(STOA_REVISION_2026_06, rule->june)
                              : stoa_check_heading_of(STOA_REVISION_2026_07, rule->july);
}

/* A section, or a dash where the rule does not hold. */
static const char *dashed(const char *section)
{
    return section != NULL ? section : "-";
}

/* --- formats --------------------------------------------------------------------------------- */

static void put_json(const rule_list *rules, cli_json *json)
{
    for (size_t i = 0; i < rules->n; i++) {
        const stoa_rule_info *const rule = rules->items[i];
        const cli_field fields[] = {
            {"rule", rule->rule},       {"level", rule->level},
            {"section", rule->section}, {"june", rule->june},
            {"july", rule->july},       {"heading", heading_of(rule)},
            {"object", rule->object},   {"refuses", rule->rule == NULL ? NULL : rule->refuses},
            {"text", rule->text},       {"reason", rule->reason}};

        cli_json_put(json, fields, sizeof fields / sizeof *fields);
    }
}

static void put_grid(const rule_list *rules, const char *const *titles, bool are_rules)
{
    cli_grid grid;

    cli_grid_init(&grid, are_rules ? 6 : 5, titles, are_rules ? "llllll" : "lllll");
    for (size_t i = 0; i < rules->n; i++) {
        const stoa_rule_info *const rule = rules->items[i];

        if (are_rules) {
            cli_grid_put(&grid, "%s", rule->rule);
        }
        cli_grid_put(&grid, "%s", dashed(rule->june));
        cli_grid_put(&grid, "%s", dashed(rule->july));
        cli_grid_put(&grid, "%s", rule->level);
        cli_grid_put(&grid, "%s", rule->object);
        cli_grid_put(&grid, "%s", rule->text);
    }
    cli_grid_print(&grid, stdout, true);
    cli_grid_clear(&grid);
}

/* Say where a revision has the rule. */
static void put_place(const char *month, stoa_revision revision, const char *section)
{
    if (section == NULL) {
        printf("  %s     does not hold in %s\n", month, stoa_revision_name(revision));
    } else {
        printf("  %s     HEP001 of %s §%s, %s\n", month, stoa_revision_name(revision), section,
               stoa_check_heading_of(revision, section));
    }
}

/* Print one rule in full. */
static void put_entry(const stoa_rule_info *rule)
{
    cli_paint(stdout, "1");
    fputs(rule->rule, stdout);
    cli_paint(stdout, "0");
    putchar('\n');
    printf("  level    %s\n", rule->level);
    printf("  about    %s\n", rule->object);
    printf("  holds    %s\n", rule->text);
    put_place("June", STOA_REVISION_2026_06, rule->june);
    put_place("July", STOA_REVISION_2026_07, rule->july);
    printf("  refuses  %s\n", strcmp(rule->refuses, "strict") == 0 ? "the table, in a strict check"
                              : strcmp(rule->refuses, "always") == 0 ? "the table"
                                                                     : "nothing: a remark");
}

static void put_text(const rule_list *rules, const rule_list *sentences, const char *id)
{
    static const char *const rule_titles[] = {"rule",  "June",  "July",
                                              "level", "about", "holds when kept"};
    static const char *const sentence_titles[] = {"June", "July", "level", "about",
                                                  "what no file can break"};

    if (id != NULL && rules->n > 0 && strcasecmp(rules->items[0]->rule, id) == 0) {
        put_entry(rules->items[0]);
        return;
    }
    if (rules->n > 0) {
        put_grid(rules, rule_titles, true);
    }
    if (sentences->n > 0) {
        printf("%s", rules->n > 0 ? "\n" : "");
        put_grid(sentences, sentence_titles, false);
    }
}

/* Print the two tables of docs/conformance.md. */
static void put_markdown(const rule_list *rules, const rule_list *sentences)
{
    printf("## The rules\n\n| rule | June § | July § | level | about | holds when kept |\n"
           "|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < rules->n; i++) {
        const stoa_rule_info *const rule = rules->items[i];

        printf("| `%s` | %s | %s | %s%s | %s | %s |\n", rule->rule, dashed(rule->june),
               dashed(rule->july), rule->level,
               strcmp(rule->level, "INFO") == 0 && strcmp(rule->refuses, "strict") == 0
                   ? " (refused by `--strict`)"
                   : "",
               rule->object, rule->text);
    }
    printf("\n## What no file can break\n\n"
           "| June § | July § | level | about | sentence | why it is not checked |\n"
           "|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sentences->n; i++) {
        const stoa_rule_info *const rule = sentences->items[i];

        printf("| %s | %s | %s | %s | %s | %s |\n", dashed(rule->june), dashed(rule->july),
               rule->level, rule->object, rule->text, rule->reason);
    }
}

/* --- the command ----------------------------------------------------------------------------- */

static stoa_status unknown_rule(cli_args *args, const char *id)
{
    const rule_list all = find_rules(args, stoa_check_rule, NULL, STOA_REVISION_TOLD);
    const char **names = cli_keep(args, cli_resize(NULL, all.n, sizeof *names));
    const char *nearest;

    for (size_t i = 0; i < all.n; i++) {
        names[i] = all.items[i]->rule;
    }
    nearest = cli_nearest(id, strlen(id), names, all.n);
    if (nearest != NULL) {
        return cli_misused(args, "there is no rule '%s'; did you mean '%s'?", id, nearest);
    }
    return cli_misused(args, "there is no rule or section '%s'", id);
}

static stoa_status rules(cli_args *args, stoa_error *err)
{
    static const char *const formats[] = {"text", "json", "jsonl", "markdown", NULL};
    static const char *const revisions[] = {"both", "2026-06", "2026-07", NULL};
    const char *id = NULL;
    int format = FORMAT_TEXT;
    int revision = STOA_REVISION_TOLD;

    (void)err;
    cli_choice(args, &format, formats, "-f, --format FORMAT",
               "text (the default), json, jsonl or markdown");
    cli_choice(args, &revision, revisions, "--revision REVISION",
               "only what holds in 2026-06 or 2026-07, whose section numbers are then meant");
    cli_operand(args, &id, "[ID]", "a rule, as 7.3-NROWS-TYPE, or a section, as 7.3");
    if (!cli_accepted(args)) {
        return STOA_OK;
    }
    const rule_list found = find_rules(args, stoa_check_rule, id, (stoa_revision)revision);
    const rule_list sentences = find_rules(args, stoa_check_unchecked, id, (stoa_revision)revision);
    if (id != NULL && found.n + sentences.n == 0) {
        return unknown_rule(args, id);
    }
    if (format == FORMAT_TEXT) {
        put_text(&found, &sentences, id);
    } else if (format == FORMAT_MARKDOWN) {
        put_markdown(&found, &sentences);
    } else {
        cli_json json = {stdout, .is_array = format == FORMAT_JSON};
        put_json(&found, &json);
        put_json(&sentences, &json);
        cli_json_end(&json);
    }
    return STOA_OK;
}

const cli_command cmd_rules = {"rules", "show the rules that 'stoa check' holds tables to",
                               "stoa rules 10.5-TIES", rules};
