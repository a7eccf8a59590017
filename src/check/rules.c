/* The rule table as an array, and the titles of its sections. */
#include "check/rules.h"

#include <string.h>

/* The name of a level, and when a finding of that level refuses a table. */
#define LEVEL_MUST "MUST", "always"
#define LEVEL_SHOULD "SHOULD", "strict"
#define LEVEL_INFO "INFO", "never"
#define LEVEL_UNDESCRIBED "INFO", "strict"

static const stoa_rule_info rules[STOA_N_RULES] = {
#define STOA_RULE_ENTRY(name, section, text, level, object, meaning)                               \
    [STOA_RULE_##name] = {section "-" text, section, LEVEL_##level, object, meaning, NULL},
    STOA_RULES(STOA_RULE_ENTRY)
#undef STOA_RULE_ENTRY
};

const stoa_rule_info *stoa_rule_at(size_t id)
{
    return &rules[id];
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

const char *stoa_check_heading(const char *section)
{
    static const char *const headings[][2] = {
        {"2", "Conformance"},
        {"5", "Object references"},
        {"6", "Boolean attributes"},
        {"7.1", "Identification: the CLASS attribute"},
        {"7.2", "The VERSION attribute"},
        {"7.3", "The NROWS attribute"},
        {"7.4", "Optional table group attributes"},
        {"7.5", "Placement of the table group"},
        {"7.6", "Self-contained contents"},
        {"8.1", "Columns: required properties"},
        {"8.2", "Column discovery"},
        {"8.3", "Datatypes"},
        {"8.4", "Chunking and filters"},
        {"8.5", "Missing values (fill values)"},
        {"8.6", "Column attributes"},
        {"8.7", "Categorical columns"},
        {"9", "Row index columns"},
        {"9.2", "Row index columns: typical uses"},
        {"10", "Search indexes"},
        {"10.1", "The SEARCH_INDEXES group"},
        {"10.2", "Linking columns to search indexes"},
        {"10.3", "Common per-index attributes"},
        {"10.4", "Chunk min/max search index (CHUNK_MINMAX)"},
        {"10.5", "Sorted-row permutation index (SORTED_ROWS)"},
        {"10.6", "Bitmap index (BITMAP)"},
        {"10.7", "Per-chunk Bloom filter index (CHUNK_BLOOM)"},
        {"11.1", "How consumers interpret NROWS"},
        {"11.2", "Appending rows"},
        {"11.3", "Preallocation"},
        {"11.4", "Truncation"},
        {"11.5", "In-place updates"},
        {"12", "Consistency requirements"},
        {"13.1", "Naming rules"},
        {"13.3", "Names shared with Anndata"},
        {"16", "Security considerations"},
    };

    for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++) {
        if (strcmp(headings[i][0], section) == 0) {
            return headings[i][1];
        }
    }
    return NULL;
}
