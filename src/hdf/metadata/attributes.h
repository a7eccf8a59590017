/* Attributes: written as HEP001 requires, read without trusting their type or size. */
#ifndef STOA_HDF_ATTRIBUTES_H
#define STOA_HDF_ATTRIBUTES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/memory.h"
#include "hdf/ids.h"

/* `object` is the object that has the attribute. The write functions replace an existing
 * attribute. */

/* Scalar fixed-length string, H5T_STR_NULLTERM, of exactly strlen + 1 bytes, ASCII or UTF-8. */
stoa_status stoa_attribute_write_ascii(hid_t object, const char *name, const char *value,
                                       stoa_error *err);
stoa_status stoa_attribute_write_utf8(hid_t object, const char *name, const char *value,
                                      stoa_error *err);
/* The same for a text of another file, whose bytes need not be UTF-8: U+FFFD takes the place of
 * those that are not. */
stoa_status stoa_attribute_write_mended(hid_t object, const char *name, const char *value,
                                        stoa_error *err);
/* 1-D fixed-length UTF-8 strings, null-padded to the longest (column-order, §7.4). */
stoa_status stoa_attribute_write_names(hid_t object, const char *name, const char *const *values,
                                       size_t n, stoa_error *err);
/* Scalar H5T_STD_U64LE (NROWS, §7.3). An attribute of that type is overwritten in place. */
stoa_status stoa_attribute_write_u64(hid_t object, const char *name, uint64_t value,
                                     stoa_error *err);
/* The boolean type of §6: FALSE and TRUE over int8. The caller closes it. */
stoa_status stoa_boolean_type(hid_t *type, stoa_error *err);
/* Make h5py's datatype of complex numbers: r and i, two floats of type `part`. The caller closes
 * it. Negative on failure, as H5Tcopy() is. */
hid_t stoa_complex_type(hid_t part);
/* A scalar of that type. */
stoa_status stoa_attribute_write_bool(hid_t object, const char *name, bool value, stoa_error *err);
/* A scalar of any type. `value` is in `mem_type`. */
stoa_status stoa_attribute_write_scalar(hid_t object, const char *name, hid_t file_type,
                                        hid_t mem_type, const void *value, stoa_error *err);
stoa_status stoa_attribute_delete(hid_t object, const char *name, stoa_error *err);
/* Create an attribute without a value; the name must be free. The caller closes it. STOA_ERANGE if
 * it exceeds 64 KiB, the limit of object headers in the earliest format. */
stoa_status stoa_attribute_make(hid_t object, const char *name, hid_t type, hid_t space,
                                hid_t *attribute, stoa_error *err);

/* Copy all attributes of one object to another, except those in the NULL-terminated list. */
stoa_status stoa_attributes_copy(hid_t from, hid_t to, const char *const *except, stoa_error *err);
/* The same, but attributes that cannot be read are skipped. */
stoa_status stoa_attributes_copy_readable(hid_t from, hid_t to, const char *const *except,
                                          stoa_error *err);

/* The names of an object's attributes in their order, each with its NUL, one after another. For
 * callers that run visitors or change attributes while they iterate. Empty if libhdf5 cannot list
 * them; `*are_listed` (may be NULL) tells. Fails only if memory runs out. */
stoa_status stoa_attribute_names(hid_t object, stoa_buffer *names, bool *are_listed,
                                 stoa_error *err);

/* Whether the attribute exists; false also if libhdf5 cannot tell. */
bool stoa_attribute_exists(hid_t object, const char *name);

/*
 * A string attribute of any kind: fixed or variable length, any padding or character set, scalar or
 * one element. The padding is removed.
 *
 * If the attribute does not exist, *value is NULL and the status OK. STOA_EDATA if it is not a
 * string, has several elements, or exceeds 16 MiB. The caller frees *value.
 */
stoa_status stoa_attribute_read_text(hid_t object, const char *name, char **value, stoa_error *err);
/* The same for optional texts: *text is NULL if there is no such string. Fails only if memory runs
 * out. */
stoa_status stoa_attribute_read_optional(hid_t object, const char *name, char **text,
                                         stoa_error *err);
/* The same; NULL also if memory runs out. */
char *stoa_attribute_optional(hid_t object, const char *name);
/* Whether the attribute is a string equal to `text`. */
bool stoa_attribute_is(hid_t object, const char *name, const char *text);
/* 1-D (or scalar) strings of any kind. *values is n strings in one block, freed by the caller; NULL
 * if the attribute is absent. */
stoa_status stoa_attribute_read_names(hid_t object, const char *name, char ***values, size_t *n,
                                      stoa_error *err);
/* A scalar integer of any width. *found is false if the attribute is absent. STOA_EDATA if it has
 * another type, several elements, or a negative value. */
stoa_status stoa_attribute_read_u64(hid_t object, const char *name, uint64_t *value, bool *found,
                                    stoa_error *err);
/* A scalar uint64 of either byte order. *exists tells whether there is an attribute of that name,
 * *is_exact whether it is such a scalar and could be read. Fails only if memory runs out. */
stoa_status stoa_attribute_read_exact_u64(hid_t object, const char *name, bool *exists,
                                          bool *is_exact, uint64_t *value, stoa_error *err);
/* A scalar (or one element), converted by libhdf5 to `mem_type`. */
stoa_status stoa_attribute_read_scalar(hid_t object, const char *name, hid_t mem_type, void *value,
                                       bool *found, stoa_error *err);
/* A number of any class (integer, float or enumeration) of up to 8 bytes, converted by libhdf5 to
 * int64. *found is false if there is no such number, or several. */
stoa_status stoa_attribute_read_number(hid_t object, const char *name, int64_t *value, bool *found,
                                       stoa_error *err);
/* `n` numbers, integers or floats, as doubles. *found is false if there is no attribute of that
 * many numbers. Fails only if libhdf5 cannot read it. */
stoa_status stoa_attribute_read_doubles(hid_t object, const char *name, size_t n, double *values,
                                        bool *found, stoa_error *err);
/* Most numbers that stoa_attribute_print() prints. */
enum { STOA_ATTRIBUTE_PRINTED = 16 };
/* Print an attribute that is no text: up to `most` numbers, "1, 2.5"; else how many there are and
 * of which type, "(3 of float64)"; "(cannot be read)". Fails only if memory runs out. */
stoa_status stoa_attribute_print(hid_t object, const char *name, size_t most, stoa_buffer *out,
                                 stoa_error *err);
/* A scalar boolean of §6. False if the attribute is absent or its value is not TRUE. */
stoa_status stoa_attribute_read_bool(hid_t object, const char *name, bool *value, stoa_error *err);

#endif
