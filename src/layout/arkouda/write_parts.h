/* The labels, groups and arrays that objects of Arkouda are made of (Arkouda notes §C, §D). */
#ifndef STOA_LAYOUT_ARKOUDA_WRITE_PARTS_H
#define STOA_LAYOUT_ARKOUDA_WRITE_PARTS_H

#include "arrow/type.h"
#include "hdf/ids.h"
#include "layout/arkouda/arkouda.h"

/* What everything of Arkouda says: ObjType, isBool where it is one, the versions. */
stoa_status stoa_arkouda_label(hid_t object, stoa_arkouda_kind kind, bool is_bool, stoa_error *err);
/* The same of a group that counts its parts: NumKeys, NumCols, NumIdx. */
stoa_status stoa_arkouda_label_counted(hid_t group, stoa_arkouda_kind kind, const char *count_name,
                                       uint64_t count, stoa_error *err);
/* One more number. */
stoa_status stoa_arkouda_say(hid_t object, const char *name, int64_t value, stoa_error *err);

/* A group whose label is still to be written; the caller's. */
stoa_status stoa_arkouda_make_group(hid_t parent, const char *name, hid_t *group, stoa_error *err);
/* An array of int64, uint64, float64 or bool, labelled as `kind`; the caller's. */
stoa_status stoa_arkouda_make_array(hid_t parent, const char *name, stoa_kind stored,
                                    stoa_arkouda_kind kind, uint64_t n, hid_t *dataset,
                                    stoa_error *err);
/* The same of bytes: what Strings are made of. */
stoa_status stoa_arkouda_make_bytes(hid_t parent, const char *name, uint64_t n, hid_t *dataset,
                                    stoa_error *err);

/* A small array, written at once. */
stoa_status stoa_arkouda_put_array(hid_t parent, const char *name, stoa_kind stored, uint64_t n,
                                   const void *values, stoa_error *err);

/* Bytes of a stored element: 1 of bools, else 8. */
size_t stoa_arkouda_width(stoa_kind stored);

#endif
