/*
 * Datasets that declare no layout: which of them are columns of one table, and how each is read
 * (docs/layouts/plain.md).
 */
#ifndef STOA_LAYOUT_PLAIN_H
#define STOA_LAYOUT_PLAIN_H

#include "layout/layout.h"

/* MATLAB 7.3 notes the class of a variable in this attribute. */
#define STOA_PLAIN_MATLAB_CLASS "MATLAB_class"

/* Open a column of `n_rows` rows. `object` is borrowed. */
typedef stoa_status stoa_plain_opener(hid_t object, const char *name, uint64_t n_rows,
                                      stoa_column **column, stoa_error *err);

/* A column of a table. */
typedef struct stoa_plain_member {
    char *name; /* owned */
    char *path; /* of its object, from the table's group on; owned */
    uint64_t n_rows;
    uint64_t n_bytes;
    bool has_scale; /* its rows lie along a dimension scale: */
    H5O_token_t scale;
    stoa_plain_opener *open;
} stoa_plain_member;

typedef struct stoa_plain_members {
    stoa_plain_member *at; /* in the order of the columns */
    size_t n;
    uint64_t n_rows;
    bool is_closed; /* everything in the group belongs to the table */
} stoa_plain_members;

/*
 * Find the columns of a group. A group that is no table has no members.
 *
 * @param claims        tells the objects of other layouts, which are no columns
 * @param[out] members  the caller clears it, also on failure
 */
stoa_status stoa_plain_find(hid_t group, stoa_layout_claims *claims, stoa_plain_members *members,
                            stoa_error *err);
void stoa_plain_clear(stoa_plain_members *members);
/* Add a member. Takes ownership of its texts, also on failure; one that is NULL means that memory
 * ran out. */
stoa_status stoa_plain_add(stoa_plain_members *members, const stoa_plain_member *member,
                           stoa_error *err);
/* Add the dataset at `path`, if it has rows: it is neither a scalar nor of another layout. */
stoa_status stoa_plain_add_dataset(stoa_plain_members *members, hid_t group, const char *path,
                                   const char *name, stoa_layout_claims *claims, stoa_error *err);

/* Move the column of that name, if it is there, to position `to`, and increment that. */
void stoa_plain_move(stoa_plain_members *members, const char *name, size_t *to);
/* Keep the members that make a table: those with the most common number of rows and dimension
 * scale. None are kept if no two share them. */
stoa_status stoa_plain_keep_common(stoa_plain_members *members, stoa_error *err);

/* Groups with columns at several depths. *is_one is false if the group is of no such kind. */
stoa_status stoa_plain_find_openpmd(hid_t group, stoa_layout_claims *claims, bool *is_one,
                                    stoa_plain_members *members, stoa_error *err);
stoa_status stoa_plain_find_vaex(hid_t group, bool *is_one, stoa_plain_members *members,
                                 stoa_error *err);

/* --- datasets -------------------------------------------------------------------------------- */

/* How the rows of a dataset lie in it. */
typedef struct stoa_plain_shape {
    int rank; /* -1 for a NULL dataspace */
    hsize_t extent[H5S_MAX_RANK];
    int axis;        /* of the rows; STOA_NO_AXIS for a scalar */
    hsize_t at;      /* as for stoa_slab_open() */
    bool is_matlab;  /* MATLAB's, which are transposed */
    uint64_t n_rows; /* 1 for a scalar */
} stoa_plain_shape;
stoa_status stoa_plain_shape_of(hid_t dataset, stoa_plain_shape *shape, stoa_error *err);

stoa_plain_opener stoa_plain_open_column;
/* Give a column the meaning that attributes of its object have: booleans, units, description, and
 * those of cf.c. *column is replaced, or closed on failure. */
stoa_status stoa_plain_present(hid_t object, stoa_column **column, stoa_error *err);

/* Apply `_FillValue`, `missing_value`, `scale_factor`, `add_offset`, and `units` of times (CF
 * conventions 2.5.1, 4.4, 8.1). Takes ownership of `raw`, also on failure. */
stoa_status stoa_plain_apply_cf(hid_t object, stoa_column *raw, stoa_column **column,
                                stoa_error *err);

/* The dimension scale of a dataset's first dimension (HDF5 dimension scales; netCDF-4). *has_one is
 * false if there is none. */
stoa_status stoa_plain_scale_of(hid_t dataset, bool *has_one, H5O_token_t *scale, stoa_error *err);
/* Whether a dataset only stands for a dimension of netCDF-4, and holds no values. */
bool stoa_plain_is_bare_dimension(hid_t dataset);

/* A number of an attribute, integer or float. */
bool stoa_plain_number(hid_t object, const char *name, double *number);
/* The same for an attribute of n numbers. */
bool stoa_plain_numbers(hid_t object, const char *name, double *numbers, size_t n);
/* The group that an object lies in, by libhdf5's name for it. The caller closes it.
 * H5I_INVALID_HID if there is none. */
hid_t stoa_plain_parent(hid_t object);

/* --- tables ---------------------------------------------------------------------------------- */

/* Tables of paths: "/g/a,b" names several datasets of a group, "/g/a[0:10]" a part of one. */
bool stoa_plain_is_path(hid_t loc, const char *path);
stoa_status stoa_plain_open_path(hid_t loc, const char *path, const char *file, bool widens,
                                 stoa_table **table, stoa_error *err);
/* Whether a path ends in a slice of a dataset that exists; and its table. */
bool stoa_plain_is_slice(hid_t loc, const char *path);
stoa_status stoa_plain_open_slice(hid_t loc, const char *path, const char *file, stoa_table **table,
                                  stoa_error *err);

/* Add the column of an axis at equal distances, if a dataset of one dimension has the attributes
 * Xstart and Xspacing (GWOSC). Row 0 of the table is number `from` of the dataset, and each further
 * row is `by` numbers away. */
stoa_status stoa_plain_add_axis(stoa_table *table, hid_t dataset, double from, double by,
                                stoa_error *err);
/* A group or a dataset as a table. Takes ownership of `object`, also on failure. */
stoa_status stoa_plain_open(hid_t object, const char *path, const char *file,
                            stoa_layout_claims *claims, stoa_table **table, stoa_error *err);
/* Names for the columns of a dataset of two dimensions: an attribute has one for each. n == 0 if
 * there is none. The caller frees *names. */
stoa_status stoa_plain_names_of_columns(hid_t dataset, const stoa_plain_shape *shape, char ***names,
                                        size_t *n, stoa_error *err);

#endif
