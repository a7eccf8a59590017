/* Shared by the files of the AnnData layout (PyTables notes §11). */
#ifndef STOA_LAYOUT_ANNDATA_H
#define STOA_LAYOUT_ANNDATA_H

#include <stoa/anndata.h>

#include "column/read/foreign.h"
#include "layout/layout.h"

/* --- encodings, which each element declares -------------------------------------------------- */

/* Write an attribute as variable-length UTF-8. h5py reads only this form as str rather than
 * bytes. */
stoa_status stoa_anndata_write_text(hid_t object, const char *name, const char *value,
                                    stoa_error *err);
/* Write encoding-type and encoding-version. */
stoa_status stoa_anndata_encode(hid_t object, const char *type, const char *version,
                                stoa_error *err);
/* Write the attribute "shape" of a matrix: rows and columns. */
stoa_status stoa_anndata_write_shape(hid_t group, const uint64_t *shape, stoa_error *err);
/* Write the encoding of a group or dataset that is neither frame nor matrix, if it declares none: a
 * dict, or the type of the dataset's elements. */
stoa_status stoa_anndata_encode_plain(hid_t object, stoa_error *err);
/* AnnData's string type, variable-length UTF-8. The caller closes it. */
stoa_status stoa_anndata_text_type(hid_t *type, stoa_error *err);

/* --- frames ---------------------------------------------------------------------------------- */

/* A dataset of `group` as a column, presented as in AnnData: booleans and strings. */
stoa_status stoa_anndata_values(hid_t group, const char *part, const char *name,
                                stoa_column **column, stoa_error *err);
/* Give codes the labels that a column holds. Closes `labels`, also on failure. */
stoa_status stoa_anndata_label(stoa_column *codes, stoa_column *labels, bool ordered,
                               stoa_error *err);

/* The kind that a column's labels had in AnnData, if they are texts now: a numeric kind or BOOL;
 * otherwise STRING. HEP001 tables of earlier versions of Stoa store it as an attribute of the
 * column. */
#define STOA_ANNDATA_CATEGORIES "categories-dtype"
stoa_kind stoa_anndata_categories_kind(const stoa_table *table, const char *column);
/* Parse label strings as their original kind, in storage form: little-endian, with the width of the
 * kind (BOOL: a byte). The caller frees *values. It is NULL if a label is no such value. */
stoa_status stoa_anndata_parse_labels(const stoa_view *labels, stoa_kind kind, void **values,
                                      stoa_error *err);

/* Writers of a frame, of an axis frame, whose row labels must be strings, and of a frame to which
 * the caller adds the row labels as "_index". */
extern const stoa_layout_writer stoa_anndata_writer;
extern const stoa_layout_writer stoa_anndata_axis_writer;
extern const stoa_layout_writer stoa_anndata_unlabelled_writer;
/* Frames of the current format, and those from before version 0.7. */
extern const stoa_layout_class stoa_anndata_frames;
extern const stoa_layout_class stoa_anndata_old_frames;
/* Open a frame, or a HEP001 table that was one, as stoa_table_open() opens any table. */
stoa_status stoa_anndata_open(hid_t loc, const char *path, stoa_table **table, stoa_error *err);
/* Write a frame without columns for n rows, labelled "0", "1" ... */
stoa_status stoa_anndata_write_labels(hid_t loc, const char *path, uint64_t n, stoa_error *err);
/* The same, but the caller adds the row labels as "_index". */
stoa_status stoa_anndata_write_unlabelled(hid_t loc, const char *path, stoa_error *err);
/* Record two things about a frame in the HEP001 table at `path` that was made of it. HEP001 columns
 * do not show whether they could have missing values if they have none. So columns that were
 * nullable keep their encoding as attributes, and become nullable again. Categories that were
 * numbers do the same. */
stoa_status stoa_anndata_save_columns(const stoa_table *frame, hid_t loc, const char *path,
                                      stoa_error *err);
/* The same, if the table was made of a frame. */
stoa_status stoa_anndata_save_metadata(const stoa_table *from, hid_t loc, const char *path,
                                       hid_t table, stoa_error *err);
/* Whether a column of a frame, or of a table made of one, is nullable. *na_value is AnnData's mode
 * for missing strings, or NULL if it is not declared. The caller frees it. */
bool stoa_anndata_was_nullable(const stoa_table *table, const char *column, char **na_value);

/* Whether an object is a frame that AnnData before 0.7 wrote: obs or var as a dataset of rows. */
bool stoa_anndata_is_old_frame(hid_t dataset);
/* Whether a file has such frames. */
bool stoa_anndata_is_old_file(hid_t file);
/* Write the fields of such a dataset as datasets of a group: the arrays of obsm and varm.
 * STOA_ETYPE for a field that is not numeric. */
stoa_status stoa_anndata_write_fields(hid_t from, const char *path, hid_t to, const char *target,
                                      stoa_error *err);

/* --- whole files ------------------------------------------------------------------------------ */

/* Write a matrix in memory as a new group, CSR or CSC. */
stoa_status stoa_anndata_write_matrix(hid_t loc, const char *path, const stoa_matrix *m, hid_t type,
                                      const char *codec, stoa_error *err);
/*
 * Make an AnnData file of one matrix, as CSR; `to` is empty. Rows and columns are named by their
 * numbers. A matrix of 10x Genomics is transposed, and its names are kept. STOA_EINVAL for another
 * rank.
 *
 * @param object, box  see stoa_layout_whole
 */
stoa_status stoa_anndata_of_matrix(stoa_sparse *array, hid_t object, const stoa_array_box *box,
                                   hid_t to, const stoa_layout_options *options, stoa_error *err);

#endif
