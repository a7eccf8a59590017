/* What an object of an Arkouda file is: as it says, or as its shape tells (Arkouda notes §B, §M).
 */
#ifndef STOA_LAYOUT_ARKOUDA_KIND_H
#define STOA_LAYOUT_ARKOUDA_KIND_H

#include "layout/arkouda/set.h"

typedef struct stoa_arkouda_sort {
    int64_t kind;     /* ObjType, or what stands for it: stoa_arkouda_kind */
    bool is_known;    /* false: nothing of Arkouda's */
    bool is_group;    /* of limbs, of booleans, or of what the kind says */
    bool is_bigint;   /* PDARRAY */
    bool is_booleans; /* PDARRAY: the bools of versions 0 and 1 are in a dataset of the group */
} stoa_arkouda_sort;

/* @param trusts  bare datasets, and groups of bare strings, are Arkouda's as well: others in the
 *                file are, or somebody says so */
stoa_arkouda_sort stoa_arkouda_sort_of(hid_t object, bool trusts);
/* Whether the file of an object says that it is Arkouda's: by its root, or by its name. */
bool stoa_arkouda_is_signed(hid_t object, const char *file);
/* The same, or by an object in its root, as files did before 2023. */
bool stoa_arkouda_is_file(hid_t root, const char *file);
/* Whether an object is one column: all but groups of several. */
bool stoa_arkouda_is_column(const stoa_arkouda_sort *sort);
/* "pdarray", "strings" ..., "unknown" */
const char *stoa_arkouda_sort_word(const stoa_arkouda_sort *sort);
/* Whether a dataset holds bytes that may be those of strings: unsigned, of 8 bits, no bools. */
bool stoa_arkouda_is_text(hid_t dataset);
/* Why an object that is known cannot be read, if that is so. */
stoa_status stoa_arkouda_sort_check(const stoa_arkouda_sort *sort, stoa_error *err);

#endif
