/* A small file as Arkouda writes it, one object of each shape. */
#ifndef STOA_TESTS_ARKOUDA_H
#define STOA_TESTS_ARKOUDA_H

#include <stddef.h>

/* Rows of every object. */
enum { ARKOUDA_ROWS = 5 };

/* Their paths, ending with NULL: "/i" int64, "/b" bool, "/s" strings, "/bare" strings without
 * offsets, "/seg" lists of int64, "/texts" lists of strings, "/c" categorical, "/big" bigint of two
 * limbs, "/g" groupby of "/i"'s values, "/f" dataframe, "/v" arrayview of 5 x 2. */
extern const char *const arkouda_paths[];

/* All of them, in a new file. */
void arkouda_make(const char *name);

#endif
