/* A small file as Arkouda writes it, one object of each shape. */
#ifndef STOA_TESTS_ARKOUDA_H
#define STOA_TESTS_ARKOUDA_H

#include <hdf5.h>
#include <stddef.h>
#include <stdint.h>

/* Rows of every object. */
enum { ARKOUDA_ROWS = 5 };

/* Their paths, ending with NULL: "/i" int64, "/b" bool, "/s" strings, "/bare" strings without
 * offsets, "/seg" lists of int64, "/texts" lists of strings, "/c" categorical, "/big" bigint of two
 * limbs, "/g" groupby of "/i"'s values, "/f" dataframe, "/v" arrayview of 5 x 2. */
extern const char *const arkouda_paths[];

/* All of them, in a new file. */
void arkouda_make(const char *name);
/* The same, as a file of several locales. */
void arkouda_make_part(const char *name);

/* Parts of other files: an attribute, a group of a kind, an array, and strings (a NUL behind each,
 * in the text; `starts` NULL: no offsets). */
void arkouda_say(hid_t object, const char *name, int64_t value);
hid_t arkouda_group(hid_t loc, const char *name, int64_t kind);
void arkouda_put_i64(hid_t loc, const char *name, size_t n, const int64_t *values);
void arkouda_put_u64(hid_t loc, const char *name, size_t n, const uint64_t *values);
void arkouda_put_bools(hid_t loc, const char *name, size_t n, const uint8_t *values);
void arkouda_put_strings(hid_t loc, const char *name, size_t n, const int64_t *starts,
                         const char *text, size_t n_text);

#endif
