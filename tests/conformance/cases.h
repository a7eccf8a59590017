/*
 * Each case makes one file and names the rules that it breaks, one for each finding. The corpus
 * (test_corpus.c) is these files.
 *
 * The name of a case is a sentence about the file. Expectations come from the specification, never
 * from the checker. If the specification is ambiguous, they come from the readings in
 * docs/conformance.md.
 */
#ifndef STOA_TESTS_CONFORMANCE_CASES_H
#define STOA_TESTS_CONFORMANCE_CASES_H

#include "conformance/build.h"

typedef struct conformance_case {
    const char *name;
    const char *rules; /* such as "7.1-CLASS-SIZE"; several separated by spaces; "" for none */
    void (*make)(hid_t file); /* called after build_table(), or on an empty file */
    bool from_nothing;
    bool is_july; /* judged by July 2026, and called after build_july(); else June */
} conformance_case;

#define CASE(rules, make)                                                                          \
    {                                                                                              \
#make, rules, make, false, false                                                           \
    }
#define WHOLE_CASE(rules, make)                                                                    \
    {                                                                                              \
#make, rules, make, true, false                                                            \
    }
#define JULY_CASE(rules, make)                                                                     \
    {                                                                                              \
#make, rules, make, false, true                                                            \
    }
#define JULY_WHOLE_CASE(rules, make)                                                               \
    {                                                                                              \
#make, rules, make, true, true                                                             \
    }

typedef struct case_list {
    const conformance_case *cases;
    size_t n;
} case_list;

extern const case_list conformant_cases; /* valid tables */
extern const case_list whole_indexes;    /* valid indexes of every kind */
extern const case_list table_cases;      /* §5, §7, §9, §12: the group and its members */
extern const case_list column_cases;     /* §8 */
extern const case_list index_cases;      /* §10.1 to §10.4 */
extern const case_list sorted_cases;     /* §10.5 */
extern const case_list bitmap_cases;     /* §10.6 */
extern const case_list bloom_cases;      /* §10.7 */
extern const case_list name_cases;       /* §13 */
extern const case_list july_cases;       /* what July adds but for lists; sections are July's */
extern const case_list list_cases;       /* HEP001-2026-07 §9 */

/* All of them. */
#define N_CASE_LISTS 11
extern const case_list *const all_cases[N_CASE_LISTS];

/* Make the file of a case. */
void make_case(hid_t file, const conformance_case *one);

/* Call after build_table(): add one index of each other kind. */
void build_indexes(hid_t file);

#endif
