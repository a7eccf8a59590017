/* AnnData files that are joined along their observations. Shared by the files of this folder. */
#ifndef STOA_LAYOUT_ANNDATA_CONCAT_H
#define STOA_LAYOUT_ANNDATA_CONCAT_H

#include <stoa/concat.h>
#include <stoa/layout.h>
#include <stoa/matrix_group.h>
#include <stoa/query.h>

#include "arrow/read.h"
#include "hdf/read/checked_reader.h"

/* A column or variable that a file has and the result lacks. */
#define STOA_CONCAT_DROPPED UINT32_MAX

/* The variables of the result, and where those of each file go. */
typedef struct stoa_concat_axis {
    uint64_t n;
    uint64_t *lengths; /* shape (n_files,) */
    uint64_t most;     /* the largest of them */
    uint32_t **places; /* of each file, shape (lengths[i],); NULL: they stay where they are */
    char **names;      /* shape (n,) */
    bool is_widened;   /* a file lacks a variable of the result */
} stoa_concat_axis;

typedef struct stoa_concat {
    const char *const *files;
    size_t n;
    stoa_concat_options options;
    hid_t to;         /* root group of the result */
    stoa_file *first; /* stays open */
    stoa_file *other; /* the file that was opened last */
    size_t at;        /* its number */
    uint64_t *n_obs;  /* shape (n,) */
    uint64_t n_all;   /* rows of the result */
    bool were_packed; /* arrays or matrices have filters in a file */
} stoa_concat;

/* The root group of file i, open until the next call; borrowed. */
stoa_status stoa_concat_open(stoa_concat *c, size_t i, hid_t *file, stoa_error *err);
/* Open a file apart from these; the caller closes it. */
stoa_status stoa_concat_open_apart(const stoa_concat *c, size_t i, stoa_file **file,
                                   stoa_error *err);

/* The labels of a frame's rows, which are strings. Clear them in every case. */
typedef struct stoa_concat_labels {
    struct ArrowSchema schema;
    struct ArrowArray array;
    stoa_view view;
    uint64_t n;
} stoa_concat_labels;

/* Read the labels of the frame of file i at a path. */
stoa_status stoa_concat_read_labels(stoa_concat *c, size_t i, const char *path,
                                    stoa_concat_labels *labels, stoa_error *err);
void stoa_concat_labels_clear(stoa_concat_labels *labels);
/* Find the variables of the frame at a path, which every file has. Clear it in every case. */
stoa_status stoa_concat_find_names(stoa_concat *c, const char *path, stoa_concat_axis *axis,
                                   stoa_error *err);
/* Columns that have no names: as many as the narrowest file has, or the widest. */
stoa_status stoa_concat_count_columns(stoa_concat *c, const char *path, stoa_concat_axis *axis,
                                      stoa_error *err);
void stoa_concat_axis_clear(stoa_concat_axis *axis, size_t n_files);

/* Join the frames at a path. Row labels are those of the observations. `has_label` adds the column
 * that says where a row comes from. */
stoa_status stoa_concat_frames(stoa_concat *c, const char *path, bool has_label, stoa_error *err);
/* Write the frame of an axis: names alone. */
stoa_status stoa_concat_write_names(stoa_concat *c, const char *path, const stoa_concat_axis *axis,
                                    stoa_error *err);
/* Join the CSR, or CSC, groups at a path. */
stoa_status stoa_concat_groups(stoa_concat *c, const char *path, bool is_csr,
                               const stoa_concat_axis *axis, stoa_error *err);
/* Join the arrays at a path, whose second dimension is the axis. */
stoa_status stoa_concat_arrays(stoa_concat *c, const char *path, const stoa_concat_axis *axis,
                               stoa_error *err);

/*
 * The type that holds the elements of all files: that of the first if they are equal; else float64,
 * or int64 if all are integers. `dataset` is its path in each file. STOA_ETYPE for others than
 * numbers of different types.
 *
 * @param[out] is_same  all have the type
 */
stoa_status stoa_concat_type(stoa_concat *c, const char *dataset, hid_t *type, bool *is_same,
                             stoa_error *err);
/* Make a dataset of the result, packed by the codec of the options. One that can be resized has
 * chunks in any case. Groups on the way are made. */
stoa_status stoa_concat_make(const stoa_concat *c, const char *path, hid_t type, int rank,
                             const hsize_t *extent, bool can_resize, hid_t *dataset,
                             stoa_error *err);

#endif
