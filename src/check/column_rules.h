/* A column dataset, or the leaf of a list column, under check: shared by column_rules.c,
 * value_rules.c and list_rules.c. */
#ifndef STOA_CHECK_COLUMN_RULES_H
#define STOA_CHECK_COLUMN_RULES_H

#include "check/values.h"

typedef struct stoa_checked_column {
    stoa_subject subject;
    hid_t type;
    H5T_class_t class;
    stoa_datum_type datum;
    void *fill; /* NULL: undefined, unreadable or not comparable */
    void *valid_min;
    void *valid_max;
    const char *unit; /* what a message calls an element: "row" or "element" */
    bool is_boolean;  /* of FALSE and TRUE, and July judges: no row is missing (§8.8 there) */
    bool is_categorical;
    const stoa_member *labels; /* its categories dataset, of rank 1; NULL if unknown */
    bool wants_missing_member; /* an enumeration that has no member MISSING */
} stoa_checked_column;

/* Open a column for the rules of its indexes: its datatype and fill value, without findings. False
 * if it cannot be opened. Close it in both cases. */
bool stoa_checked_column_open(stoa_checker *checker, const stoa_checked_table *table,
                              const stoa_member *member, stoa_checked_column *column);
void stoa_checked_column_close(stoa_checked_column *column);

/* Check the name of a column of any kind (§8.1, §13). */
void stoa_check_column_name(stoa_checker *checker, const stoa_member *column);
/* Check the descriptive attributes of a column of any kind (§8.6). */
void stoa_check_column_texts(stoa_checker *checker, const stoa_subject *column);
/* Check a dataset of list elements, of which `n_elements` count; UINT64_MAX: unknown
 * (HEP001-2026-07 §9.2, §9.3, §9.5). */
void stoa_check_leaf(stoa_checker *checker, const stoa_checked_table *table,
                     const stoa_member *leaf, uint64_t n_elements);
/* Whether a datatype has variable-length parts. */
bool stoa_check_has_variable_length(hid_t type);

/* Check the rules that depend on values: §8.5 OVERRIDE-RANGE, VALID-VALUE, ENUM-MISSING, §8.7
 * CODE-RANGE and HEP001-2026-07 §8.8 VALUE, for rows [0, n_rows). Reads nothing if none of them
 * applies. */
void stoa_check_column_values(stoa_checker *checker, const stoa_checked_column *column,
                              uint64_t n_rows);

#endif
