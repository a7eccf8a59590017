/* Random moves of a table, which change no value and no index. */
#ifndef STOA_TESTS_PLACE_STEPS_H
#define STOA_TESTS_PLACE_STEPS_H

#include "table/kit.h"

/* Move the table, repack it, or replace it by a copy in its file or in another one. *file is then
 * the other file, and the original is removed. */
void place_step(hid_t *file, stoa_table **table);

#endif
