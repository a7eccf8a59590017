/*
 * The cases: each makes one file and says which rules it breaks, by name, one for each finding.
 *
 * The name of a case is a sentence about the file. Expectations come from the specification (and,
 * where it is ambiguous, from the readings in docs/conformance.md), never from the checker.
 */
#ifndef STOA_TESTS_CONFORMANCE_CASES_H
#define STOA_TESTS_CONFORMANCE_CASES_H

#include "conformance/build.h"

typedef struct conformance_case {
    const char *name;
    const char *rules;        /* "7.1-CLASS-SIZE", several separated by spaces, "" for none */
    void (*make)(hid_t file); /* after build_table(), or on an empty file */
    bool from_nothing;
} conformance_case;

#define CASE(rules, make)                                                                          \
    {                                                                                              \
#make, rules, make, false                                                                  \
    }
#define WHOLE_CASE(rules, make)                                                                    \
    {                                                                                              \
#make, rules, make, true                                                                   \
    }

typedef struct case_list {
    const conformance_case *cases;
    size_t n;
} case_list;

extern const case_list conformant_cases; /* tables that break nothing */
extern const case_list whole_indexes;    /* indexes of every kind that break nothing */
extern const case_list table_cases;      /* §5, §7, §9, §12: the group and what lies below it */
extern const case_list column_cases;     /* §8 */
extern const case_list index_cases;      /* §10.1 to §10.4 */
extern const case_list sorted_cases;     /* §10.5 */
extern const case_list bitmap_cases;     /* §10.6 */
extern const case_list bloom_cases;      /* §10.7 */
extern const case_list name_cases;       /* §13 */

/* After build_table(): one index of each other kind too. */
void build_indexes(hid_t file);

#endif
