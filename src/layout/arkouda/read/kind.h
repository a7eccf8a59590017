/* Classifies an object of an Arkouda file, by its attributes or by its structure (Arkouda notes §B,
 * §M). */
#ifndef STOA_LAYOUT_ARKOUDA_KIND_H
#define STOA_LAYOUT_ARKOUDA_KIND_H

#include "layout/arkouda/read/file_set.h"

typedef struct stoa_arkouda_class {
    int64_t kind;     /* ObjType or its equivalent: stoa_arkouda_kind */
    bool is_known;    /* false if it is not Arkouda's */
    bool is_group;    /* of limbs, of booleans, or what the kind implies */
    bool is_bigint;   /* PDARRAY */
    bool is_booleans; /* PDARRAY: booleans of versions 0 and 1, in a dataset of the group */
} stoa_arkouda_class;

/* @param trusts  accept bare datasets, and groups of bare strings, since the file or the user says
 * that they are Arkouda's */
stoa_arkouda_class stoa_arkouda_class_of(hid_t object, bool trusts);
/* Whether the file of an object is marked as Arkouda's, by its root or by its name. */
bool stoa_arkouda_is_signed(hid_t object, const char *file);
/* The same, or by an object in its root, as in files before 2023. */
bool stoa_arkouda_is_file(hid_t root, const char *file);
/* Whether an object is one column, and not a group of several. */
bool stoa_arkouda_is_column(const stoa_arkouda_class *sort);
/* "pdarray", "strings" ..., "unknown" */
const char *stoa_arkouda_class_name(const stoa_arkouda_class *sort);
/* Whether a dataset may hold the bytes of strings: unsigned 8-bit integers, and not booleans. */
bool stoa_arkouda_is_text(hid_t dataset);
/* Fail with the reason if a known object cannot be read. */
stoa_status stoa_arkouda_class_check(const stoa_arkouda_class *sort, stoa_error *err);

#endif
