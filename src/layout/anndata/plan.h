/* What becomes of the objects of an AnnData file, decided before any of them is written. */
#ifndef STOA_LAYOUT_ANNDATA_PLAN_H
#define STOA_LAYOUT_ANNDATA_PLAN_H

#include <stoa/anndata.h>

#include "core/strings.h"

typedef enum stoa_anndata_kind {
    STOA_ANNDATA_FRAME,  /* a table of some layout, to be one of the other */
    STOA_ANNDATA_GROUP,  /* a CSR or CSC group */
    STOA_ANNDATA_ARRAY,  /* a sparse array, to be such a group */
    STOA_ANNDATA_FIELDS, /* rows whose fields were the arrays of obsm or varm, before 0.7 */
    STOA_ANNDATA_ALIAS   /* an object that has an item already, under one more name */
} stoa_anndata_kind;

typedef struct stoa_anndata_item {
    stoa_anndata_kind kind;
    char *path;   /* in the source */
    char *target; /* in the other file */
    size_t same;  /* of an alias: the item */
} stoa_anndata_item;

/* Objects that are not copied as they are. */
typedef struct stoa_anndata_plan {
    bool is_out;         /* to AnnData, not from it */
    bool is_old;         /* the source is of before 0.7: its root says nothing */
    stoa_strings tokens; /* of all of them */
    stoa_buffer numbers; /* size_t a token: its item; SIZE_MAX: it is left out */
    stoa_buffer items;   /* stoa_anndata_item */
    stoa_buffer remarks; /* "PATH", NUL, "why", NUL of what is left out or not understood */
    stoa_error *err;     /* while the walk goes on */
    stoa_status status;
    stoa_table *old[2];  /* obs and var, where they are datasets of rows */
    const char *path;    /* of the group that is looked at */
    stoa_strings inside; /* tokens of groups that are in an item */
} stoa_anndata_plan;

/* @param plan  zeroed but for is_out; cleared by the caller in every case */
stoa_status stoa_anndata_plan_make(stoa_anndata_plan *plan, hid_t file, stoa_error *err);
void stoa_anndata_plan_clear(stoa_anndata_plan *plan);

size_t stoa_anndata_plan_count(const stoa_anndata_plan *plan);
const stoa_anndata_item *stoa_anndata_plan_item(const stoa_anndata_plan *plan, size_t i);
/* Whether an object is not to be copied as it is; of stoa_other_storage. */
bool stoa_anndata_plan_has(const void *plan, const H5O_token_t *token);

/* Say more of what is left out. */
stoa_status stoa_anndata_plan_remark(stoa_anndata_plan *plan, const char *path, const char *why,
                                     stoa_error *err);
/* Tell all of them. */
void stoa_anndata_plan_tell(const stoa_anndata_plan *plan, stoa_anndata_remark remark,
                            void *context);

/* Whether AnnData knows such a member of its root. */
bool stoa_anndata_is_member(const char *name);
/* Where something of the root is kept today: "/raw.X" is "/raw/X"; the caller's. */
char *stoa_anndata_place(const char *path);

#endif
