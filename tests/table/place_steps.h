/* Edits of a table's place, at random: no value, and no index, is another one afterwards. */
#ifndef STOA_TESTS_PLACE_STEPS_H
#define STOA_TESTS_PLACE_STEPS_H

#include "table/kit.h"

/* Move the table, repack it, or go on with a copy in its file or in another one, which is *file
 * then; the original is removed. */
void place_step(hid_t *file, stoa_table **table);

#endif
