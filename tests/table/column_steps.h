/* Random edits of columns that change no value. */
#ifndef STOA_TESTS_TABLE_COLUMN_STEPS_H
#define STOA_TESTS_TABLE_COLUMN_STEPS_H

#include "table/kit.h"

/* Make one random edit of the table's columns. It changes storage, labels, shared labels,
 * column order, row labels or a declared range. Or it converts strings to categories and back, or
 * adds and removes or renames a column and undoes that. "s" and "c" must be strings, "i" integers
 * from 0 up. */
void column_step(stoa_table *table);

#endif
