/* A column dataset under check, shared by column_rules.c and value_rules.c. */
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
    bool is_categorical;
    const stoa_member *labels; /* its categories dataset, of rank 1; NULL if unknown */
    bool wants_missing_member; /* an enumeration that has no member MISSING */
} stoa_checked_column;

/* Open a column for the rules of its indexes: its datatype and fill value, without findings. False
 * if it cannot be opened. Close it in both cases. */
bool stoa_checked_column_open(stoa_checker *checker, const stoa_checked_table *table,
                              const stoa_member *member, stoa_checked_column *column);
void stoa_checked_column_close(stoa_checked_column *column);

/* Check the rules that depend on values: §8.5 OVERRIDE-RANGE, VALID-VALUE, ENUM-MISSING and §8.7
 * CODE-RANGE, for rows [0, n_rows). Reads nothing if none of them applies. */
void stoa_check_column_values(stoa_checker *checker, const stoa_checked_column *column,
                              uint64_t n_rows);

#endif
