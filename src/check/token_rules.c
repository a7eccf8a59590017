/*
 * Validity tokens: GENERATION of the table, SOURCE_GENERATION and SOURCE_NROWS of an index
 * (HEP001-2026-07 §12.2).
 *
 * Tokens that differ break no rule. They say that the index is not used, so its contents may be
 * anything.
 */
#include "check/index_rules.h"

static const stoa_number_rules generation_rules = {
    STOA_RULE_GENERATION_PRESENT, STOA_RULE_GENERATION_TYPE, STOA_RULE_GENERATION_SHAPE, 8};
static const stoa_number_rules source_rules = {STOA_RULE_SOURCE_PRESENT, STOA_RULE_SOURCE_TYPE,
                                               STOA_RULE_SOURCE_SHAPE, 8};

/* Read a token; false, after a finding, unless it is a scalar uint64. */
static bool read_token(stoa_checker *checker, const stoa_subject *object, const char *name,
                       const stoa_number_rules *rules, uint64_t *value)
{
    const uint64_t n_before = checker->n_findings;

    return stoa_check_number(checker, object, name, rules, value) &&
           checker->n_findings == n_before;
}

void stoa_check_generation(stoa_checker *checker, stoa_checked_table *table)
{
    bool has_index = false;

    if (!stoa_check_is_july(checker)) {
        return;
    }
    for (size_t i = 0; i < table->indexes.n; i++) {
        has_index = has_index || table->indexes.items[i].has_kind;
    }
    if (has_index || H5Aexists(table->group.id, "GENERATION") > 0) {
        table->has_generation =
            read_token(checker, &table->group, "GENERATION", &generation_rules, &table->generation);
    }
}

bool stoa_check_tokens(stoa_checker *checker, const stoa_checked_table *table,
                       const stoa_subject *index)
{
    uint64_t generation = 0;
    uint64_t n_rows = 0;

    if (!stoa_check_is_july(checker)) {
        return true;
    }
    const bool has_generation =
        read_token(checker, index, "SOURCE_GENERATION", &source_rules, &generation);
    const bool has_n_rows = read_token(checker, index, "SOURCE_NROWS", &source_rules, &n_rows);

    if (!has_generation || !has_n_rows || !table->has_generation || !table->has_n_rows) {
        return false;
    }
    if (generation != table->generation) {
        stoa_check_report(checker, index->path, STOA_RULE_STALE,
                          "SOURCE_GENERATION is %llu, GENERATION %llu: the index is not used",
                          (unsigned long long)generation, (unsigned long long)table->generation);
        return false;
    }
    if (n_rows != table->n_rows) {
        stoa_check_report(checker, index->path, STOA_RULE_STALE,
                          "SOURCE_NROWS is %llu, NROWS %llu: the index is not used",
                          (unsigned long long)n_rows, (unsigned long long)table->n_rows);
        return false;
    }
    return true;
}
