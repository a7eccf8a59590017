/* An AnnData frame that is being written. Shared by write.c and values.c. */
#ifndef STOA_LAYOUT_ANNDATA_FRAME_H
#define STOA_LAYOUT_ANNDATA_FRAME_H

#include "layout/anndata/anndata.h"
#include "layout/anndata/awkward_write.h"

/* A column that is being written. */
typedef struct stoa_frame_column {
    const struct ArrowSchema *field;
    const stoa_column_stats *stats;
    stoa_type type;
    bool is_index;
    bool is_labelled;  /* its categories have been written */
    bool was_nullable; /* stoa_anndata_was_nullable() */
    char *na_value;
    stoa_kind categories;       /* stoa_anndata_categories_kind() */
    hid_t values;               /* or codes */
    hid_t mask;                 /* of a nullable column */
    stoa_awkward_writer *lists; /* of lists, which are no part of the frame; NULL for others */
} stoa_frame_column;

typedef struct stoa_frame {
    const stoa_layout_source *source;
    bool is_axis;       /* its row labels must be strings, as in obs and var */
    bool is_unlabelled; /* the caller adds the row labels, if no column has them */
    hid_t file;         /* any object of the file; borrowed */
    const char *beside; /* path of the group that has lists of its rows; NULL if there is none */
    hid_t group;
    hid_t text;  /* stoa_anndata_text_type() */
    hid_t truth; /* stoa_boolean_type() */
    stoa_frame_column *columns;
    size_t n_columns;
} stoa_frame;

/* Whether a column is a dataset of strings. */
bool stoa_frame_is_text(const stoa_frame *f, const stoa_frame_column *column);
/* Create a dataset with its encoding. */
stoa_status stoa_frame_array(const stoa_frame *f, hid_t group, const char *name, hid_t type,
                             uint64_t n_rows, hid_t *dataset, stoa_error *err);
/* The storage type of a kind. The caller closes it. */
stoa_status stoa_frame_type(const stoa_frame *f, stoa_kind kind, hid_t *type, stoa_error *err);

/* Write all rows of the source to the columns, which exist. */
stoa_status stoa_frame_put(stoa_frame *f, stoa_error *err);
/* Write row labels "0", "1" ... for n rows without labels, as AnnData does. */
stoa_status stoa_frame_number_rows(const stoa_frame *f, uint64_t n, stoa_error *err);

#endif
