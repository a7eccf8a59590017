/* The plan of a conversion from or to AnnData. It decides about all objects before any is
 * written. */
#ifndef STOA_LAYOUT_ANNDATA_PLAN_H
#define STOA_LAYOUT_ANNDATA_PLAN_H

#include <stoa/anndata.h>

#include "core/string_set.h"

typedef enum stoa_anndata_kind {
    STOA_ANNDATA_FRAME,  /* a table to convert to the other layout */
    STOA_ANNDATA_GROUP,  /* a CSR or CSC group */
    STOA_ANNDATA_ARRAY,  /* a sparse array to convert to such a group */
    STOA_ANNDATA_FIELDS, /* rows whose fields are arrays of obsm or varm, from before 0.7 */
    STOA_ANNDATA_ALIAS   /* another name of an object that has an item */
} stoa_anndata_kind;

typedef struct stoa_anndata_item {
    stoa_anndata_kind kind;
    char *path;   /* in the source */
    char *target; /* in the other file */
    size_t same;  /* of an alias: the index of the item */
} stoa_anndata_item;

/* Objects that are not copied unchanged. */
typedef struct stoa_anndata_plan {
    bool is_out;            /* to AnnData, and not from it */
    bool skips_bad;         /* objects that cannot be opened are left behind */
    uint64_t n_bad;         /* so many */
    bool is_old;            /* the source is from before 0.7, and its root declares nothing */
    stoa_string_set tokens; /* of all these objects */
    stoa_buffer numbers;    /* size_t for each token: its item, or SIZE_MAX if it is left out */
    stoa_buffer items;      /* of stoa_anndata_item */
    stoa_buffer remarks; /* "PATH", NUL, "why", NUL for each object that is left out or unknown */
    stoa_error *err;     /* during the walk */
    stoa_status status;
    stoa_table *old[2];     /* obs and var, if they are datasets of rows */
    const char *path;       /* of the group that is visited */
    stoa_string_set inside; /* tokens of groups inside an item */
} stoa_anndata_plan;

/* @param plan  zeroed except for is_out; the caller clears it, also on failure */
stoa_status stoa_anndata_plan_make(stoa_anndata_plan *plan, hid_t file, stoa_error *err);
void stoa_anndata_plan_clear(stoa_anndata_plan *plan);

size_t stoa_anndata_plan_count(const stoa_anndata_plan *plan);
const stoa_anndata_item *stoa_anndata_plan_item(const stoa_anndata_plan *plan, size_t i);
/* Whether an object is not copied unchanged. A callback of stoa_other_storage. */
bool stoa_anndata_plan_has(const void *plan, const H5O_token_t *token);

/* Leave behind an object, or a column, that cannot be read, with a remark. */
stoa_status stoa_anndata_plan_leave_bad(stoa_anndata_plan *plan, const char *path, const char *why,
                                        stoa_error *err);
/* Add a remark about an object that is left out. */
stoa_status stoa_anndata_plan_remark(stoa_anndata_plan *plan, const char *path, const char *why,
                                     stoa_error *err);
/* Report all remarks. */
void stoa_anndata_plan_report(const stoa_anndata_plan *plan, stoa_anndata_remark remark,
                              void *context);

/* Whether AnnData knows a root member of that name. */
bool stoa_anndata_is_member(const char *name);
/* The current place of an object of the root: "/raw.X" becomes "/raw/X". The caller frees it. */
char *stoa_anndata_place(const char *path);

#endif
