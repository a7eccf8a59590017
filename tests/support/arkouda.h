/* Write a small file as Arkouda does, with one object of each kind. */
#ifndef STOA_TESTS_ARKOUDA_H
#define STOA_TESTS_ARKOUDA_H

#include <hdf5.h>
#include <stddef.h>
#include <stdint.h>

/* Rows of every object. */
enum { ARKOUDA_ROWS = 5 };

/*
 * The objects' paths, ending with NULL:
 *
 * "/i"      int64;
 * "/b"      bool;
 * "/s"      strings;
 * "/bare"   strings without offsets;
 * "/seg"    lists of int64;
 * "/texts"  lists of strings;
 * "/c"      categorical;
 * "/big"    bigint of two limbs;
 * "/g"      groupby of the values of "/i";
 * "/f"      dataframe;
 * "/v"      arrayview of 5 x 2
 */
extern const char *const arkouda_paths[];

/* Write all objects to a new file. */
void arkouda_make(const char *name);
/* Write them as one of the files of several locales. */
void arkouda_make_part(const char *name);

/* Write parts of other files: an attribute, a group of a kind, an array, and strings. In `text` a
 * NUL ends each string. `starts` NULL: no offsets. */
void arkouda_say(hid_t object, const char *name, int64_t value);
hid_t arkouda_group(hid_t loc, const char *name, int64_t kind);
void arkouda_put_i64(hid_t loc, const char *name, size_t n, const int64_t *values);
void arkouda_put_u64(hid_t loc, const char *name, size_t n, const uint64_t *values);
void arkouda_put_bools(hid_t loc, const char *name, size_t n, const uint8_t *values);
void arkouda_put_strings(hid_t loc, const char *name, size_t n, const int64_t *starts,
                         const char *text, size_t n_text);

#endif
