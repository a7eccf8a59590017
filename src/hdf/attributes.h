/* Attributes as HEP001 wants them written, and as careful strangers read them. */
#ifndef STOA_HDF_ATTRIBUTES_H
#define STOA_HDF_ATTRIBUTES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/memory.h"
#include "hdf/ids.h"

/* All take the object the attribute sits on and replace an attribute that is there already. */

/* Scalar fixed-length string, H5T_STR_NULLTERM, exactly strlen + 1 bytes, ASCII or UTF-8. */
stoa_status stoa_attribute_write_ascii(hid_t object, const char *name, const char *value,
                                       stoa_error *err);
stoa_status stoa_attribute_write_utf8(hid_t object, const char *name, const char *value,
                                      stoa_error *err);
/* 1-D fixed-length UTF-8 strings, null-padded to the longest (column-order, §7.4). */
stoa_status stoa_attribute_write_names(hid_t object, const char *name, const char *const *values,
                                       size_t n, stoa_error *err);
/* Scalar H5T_STD_U64LE (NROWS, §7.3). Overwrites in place where it is that already. */
stoa_status stoa_attribute_write_u64(hid_t object, const char *name, uint64_t value,
                                     stoa_error *err);
/* The boolean of §6, FALSE and TRUE over int8; the caller's. */
stoa_status stoa_boolean_type(hid_t *type, stoa_error *err);
/* A scalar one. */
stoa_status stoa_attribute_write_bool(hid_t object, const char *name, bool value, stoa_error *err);
/* Scalar of any type; `value` is in `mem_type`. */
stoa_status stoa_attribute_write_scalar(hid_t object, const char *name, hid_t file_type,
                                        hid_t mem_type, const void *value, stoa_error *err);
stoa_status stoa_attribute_delete(hid_t object, const char *name, stoa_error *err);
/* An attribute without a value, of a name that there is none of; the caller's. STOA_ERANGE where it
 * is larger than those of objects of the earliest format, 64 KiB. */
stoa_status stoa_attribute_make(hid_t object, const char *name, hid_t type, hid_t space,
                                hid_t *attribute, stoa_error *err);

/* Copy every attribute of one object to another, but those named in the NULL-terminated list. */
stoa_status stoa_attributes_copy(hid_t from, hid_t to, const char *const *except, stoa_error *err);
/* The same of those that can be read; others are let be. */
stoa_status stoa_attributes_copy_readable(hid_t from, hid_t to, const char *const *except,
                                          stoa_error *err);

/* The names of an object's attributes in their order, one after the other with their NULs: for
 * those who call visitors, or change attributes, while they go through them. None where libhdf5
 * cannot list them, which `*are_listed` (may be NULL) tells; fails for want of memory alone. */
stoa_status stoa_attribute_names(hid_t object, stoa_buffer *names, bool *are_listed,
                                 stoa_error *err);

/* Whether it is there; false also where libhdf5 cannot tell. */
bool stoa_attribute_exists(hid_t object, const char *name);

/*
 * A string attribute of any kind (fixed or variable, any padding or character set, scalar or one
 * element), without padding; *value (free()) is NULL and the status OK where the attribute does not
 * exist; STOA_EDATA where it is no string or over 64 KiB... 16 MiB for descriptions.
 */
stoa_status stoa_attribute_read_text(hid_t object, const char *name, char **value, stoa_error *err);
/* The same where it is no matter what else is there: *text is NULL where it is no such text. Fails
 * for want of memory alone. */
stoa_status stoa_attribute_read_note(hid_t object, const char *name, char **text, stoa_error *err);
/* The same, with NULL for want of memory, too. */
char *stoa_attribute_note(hid_t object, const char *name);
/* Whether it is such a text, and this one. */
bool stoa_attribute_is(hid_t object, const char *name, const char *text);
/* 1-D (or scalar) strings of any kind: *values is n strings in one block (free()), NULL if absent.
 */
stoa_status stoa_attribute_read_names(hid_t object, const char *name, char ***values, size_t *n,
                                      stoa_error *err);
/* A scalar integer of any width. *found is false where there is none. STOA_EDATA if it is another
 * type, not one element, or negative. */
stoa_status stoa_attribute_read_u64(hid_t object, const char *name, uint64_t *value, bool *found,
                                    stoa_error *err);
/* A scalar (or one element) converted by libhdf5 to `mem_type`. */
stoa_status stoa_attribute_read_scalar(hid_t object, const char *name, hid_t mem_type, void *value,
                                       bool *found, stoa_error *err);
/* A number of any width and class, integer, float or enumeration, as libhdf5 makes an int64 of it;
 * *found is false where there is another thing, or several. */
stoa_status stoa_attribute_read_number(hid_t object, const char *name, int64_t *value, bool *found,
                                       stoa_error *err);
/* A scalar boolean of §6; false where there is none, or another value than TRUE. */
stoa_status stoa_attribute_read_bool(hid_t object, const char *name, bool *value, stoa_error *err);

#endif
