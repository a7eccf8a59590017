/* Edits of columns that change no value, at random. */
#ifndef STOA_TESTS_TABLE_COLUMN_STEPS_H
#define STOA_TESTS_TABLE_COLUMN_STEPS_H

#include "table/kit.h"

/*
 * One edit of the table's columns: another storage, strings as categories and back, other labels,
 * shared ones, another order, other row labels, a declared range, a column that comes and goes or
 * has another name for a while. "s" and "c" must be of strings, "i" of integers from 0 on.
 */
void column_step(stoa_table *table);

#endif
