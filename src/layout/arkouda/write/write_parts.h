/* The labels, groups and arrays that Arkouda objects consist of (Arkouda notes §C, §D). */
#ifndef STOA_LAYOUT_ARKOUDA_WRITE_PARTS_H
#define STOA_LAYOUT_ARKOUDA_WRITE_PARTS_H

#include "arrow/type.h"
#include "hdf/ids.h"
#include "layout/arkouda/read/arkouda.h"

/* Write the attributes of every Arkouda object: ObjType, isBool for booleans, and the versions. */
stoa_status stoa_arkouda_label(hid_t object, stoa_arkouda_kind kind, bool is_bool, stoa_error *err);
/* The same for a group that counts its parts: NumKeys, NumCols, NumIdx. */
stoa_status stoa_arkouda_label_counted(hid_t group, stoa_arkouda_kind kind, const char *count_name,
                                       uint64_t count, stoa_error *err);
/* Write a numeric attribute. */
stoa_status stoa_arkouda_write_number(hid_t object, const char *name, int64_t value,
                                      stoa_error *err);

/* Create a group without attributes. The caller closes it. */
stoa_status stoa_arkouda_make_group(hid_t parent, const char *name, hid_t *group, stoa_error *err);
/* Create an array of int64, uint64, float64 or bool, labelled as `kind`. The caller closes it. */
stoa_status stoa_arkouda_make_array(hid_t parent, const char *name, stoa_kind stored,
                                    stoa_arkouda_kind kind, uint64_t n, hid_t *dataset,
                                    stoa_error *err);
/* The same for the bytes of Strings. */
stoa_status stoa_arkouda_make_bytes(hid_t parent, const char *name, uint64_t n, hid_t *dataset,
                                    stoa_error *err);

/* Create and write a small array. */
stoa_status stoa_arkouda_put_array(hid_t parent, const char *name, stoa_kind stored, uint64_t n,
                                   const void *values, stoa_error *err);

/* Size of a stored element in bytes: 1 for booleans, else 8. */
size_t stoa_arkouda_width(stoa_kind stored);

#endif
