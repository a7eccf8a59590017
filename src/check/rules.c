/* The rule table as an array, and the titles of its sections in each revision. */
#include "check/rules.h"

#include <string.h>

/* The name of a level, and when a finding of that level refuses a table. */
#define LEVEL_MUST "MUST", "always"
#define LEVEL_SHOULD "SHOULD", "strict"
#define LEVEL_INFO "INFO", "never"
#define LEVEL_UNDESCRIBED "INFO", "strict"

static const stoa_rule_info rules[STOA_N_RULES] = {
#define OF_BOTH(name, june, july, text, level, object, meaning)                                    \
    [STOA_RULE_##name] = {june "-" text, june, LEVEL_##level, object, meaning, NULL, june, july},
#define OF_JUNE(name, june, text, level, object, meaning)                                          \
    [STOA_RULE_##name] = {june "-" text, june, LEVEL_##level, object, meaning, NULL, june, NULL},
#define OF_JULY(name, july, text, level, object, meaning)                                          \
    [STOA_RULE_##                                                                                  \
        name] = {"J" july "-" text, july, LEVEL_##level, object, meaning, NULL, NULL, july},
    STOA_RULES(OF_BOTH, OF_JUNE, OF_JULY)
#undef OF_BOTH
#undef OF_JUNE
#undef OF_JULY
};

const stoa_rule_info *stoa_rule_at(size_t id)
{
    return &rules[id];
}

const char *stoa_rule_section(stoa_rule_id id, stoa_revision revision)
{
    return revision == STOA_REVISION_2026_07 ? rules[id].july : rules[id].june;
}

bool stoa_rule_refuses(stoa_rule_id id, bool strict)
{
    return strcmp(rules[id].refuses, "always") == 0 ||
           (strict && strcmp(rules[id].refuses, "strict") == 0);
}

const stoa_rule_info *stoa_check_rule(size_t i)
{
    return i < STOA_N_RULES ? &rules[i] : NULL;
}

const char *stoa_check_heading_of(stoa_revision revision, const char *section)
{
    static const struct {
        const char *june;
        const char *july;
        const char *title;
    } headings[] = {
        {"2", "2", "Conformance"},
        {NULL, "2.1", "Datatype byte order"},
        {"5", "5", "Object references"},
        {"6", NULL, "Boolean attributes"},
        {NULL, "6", "The boolean datatype"},
        {"7.1", "7.1", "Identification: the CLASS attribute"},
        {"7.2", "7.2", "The VERSION attribute"},
        {"7.3", "7.3", "The NROWS attribute"},
        {"7.4", "7.4", "Optional table group attributes"},
        {"7.5", "7.5", "Placement of the table group"},
        {"7.6", "7.6", "Self-contained contents"},
        {"8.1", "8.1", "Columns: required properties"},
        {"8.2", "8.2", "Column discovery"},
        {"8.3", "8.3", "Datatypes"},
        {"8.4", "8.4", "Chunking and filters"},
        {"8.5", "8.5", "Missing values (fill values)"},
        {"8.6", "8.6", "Column attributes"},
        {"8.7", "8.7", "Categorical columns"},
        {NULL, "8.8", "Boolean columns"},
        {NULL, "9", "List columns"},
        {NULL, "9.1", "List columns: identification"},
        {NULL, "9.2", "Members of a list column group"},
        {NULL, "9.3", "Levels, entries, and nesting"},
        {NULL, "9.4", "String elements: the STRING_VALUES group"},
        {NULL, "9.5", "No variable-length datatypes"},
        {NULL, "9.6", "List column attributes"},
        {NULL, "9.7", "Reading a list column"},
        {"9", "10", "Row index columns"},
        {"9.2", "10.2", "Row index columns: typical uses"},
        {"10", "11", "Search indexes"},
        {"10.1", "11.1", "The SEARCH_INDEXES group"},
        {"10.2", "11.2", "Linking columns to search indexes"},
        {"10.3", "11.3", "Common per-index attributes"},
        {"10.4", "11.4", "Chunk min/max search index (CHUNK_MINMAX)"},
        {"10.5", "11.5", "Sorted-row permutation index (SORTED_ROWS)"},
        {"10.6", "11.6", "Bitmap index (BITMAP)"},
        {"10.7", "11.7", "Per-chunk Bloom filter index (CHUNK_BLOOM)"},
        {"11.1", "12.1", "How consumers interpret NROWS"},
        {NULL, "12.2", "Index validity tokens"},
        {"11.2", "12.3", "Appending rows"},
        {"11.3", "12.4", "Preallocation"},
        {"11.4", "12.5", "Truncation"},
        {"11.5", "12.6", "In-place updates"},
        {"12", "13", "Consistency requirements"},
        {"13.1", "14.1", "Naming rules"},
        {"13.3", "14.3", "Names shared with Anndata"},
        {"16", "17", "Security considerations"},
    };

    for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++) {
        const char *const number =
            revision == STOA_REVISION_2026_07 ? headings[i].july : headings[i].june;
        if (number != NULL && strcmp(number, section) == 0) {
            return headings[i].title;
        }
    }
    return NULL;
}

const char *stoa_check_heading(const char *section)
{
    return stoa_check_heading_of(STOA_REVISION_2026_06, section);
}

const char *stoa_revision_name(stoa_revision revision)
{
    switch (revision) {
    case STOA_REVISION_2026_06:
        return "2026-06";
    case STOA_REVISION_2026_07:
        return "2026-07";
    default:
        return NULL;
    }
}
