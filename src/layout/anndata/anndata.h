/* What the files about AnnData share (PyTables notes §11). */
#ifndef STOA_LAYOUT_ANNDATA_H
#define STOA_LAYOUT_ANNDATA_H

#include <stoa/anndata.h>

#include "column/foreign.h"
#include "layout/layout.h"

/* --- encodings: each element says its own ---------------------------------------------------- */

/* An attribute of variable-length UTF-8: only such a one is a string, and not bytes, to h5py. */
stoa_status stoa_anndata_say(hid_t object, const char *name, const char *value, stoa_error *err);
/* encoding-type and encoding-version. */
stoa_status stoa_anndata_encode(hid_t object, const char *type, const char *version,
                                stoa_error *err);
/* Say the encoding of a group or dataset that is in a frame's or matrix's place in none, where it
 * says none: a dict, or what the dataset's elements are. */
stoa_status stoa_anndata_encode_plain(hid_t object, stoa_error *err);
/* AnnData's text, variable-length UTF-8, and its truth value, an enumeration; the caller's. */
stoa_status stoa_anndata_text_type(hid_t *type, stoa_error *err);
stoa_status stoa_anndata_truth_type(hid_t *type, stoa_error *err);

/* --- frames ---------------------------------------------------------------------------------- */

/* A dataset of `group` as a column that is shown as AnnData would: truth values, texts. */
stoa_status stoa_anndata_values(hid_t group, const char *part, const char *name,
                                stoa_column **column, stoa_error *err);
/* Codes get their labels, which a column holds; it is closed in every case. */
stoa_status stoa_anndata_label(stoa_column *codes, stoa_column *labels, bool ordered,
                               stoa_error *err);

/* Labels that are numbers or truth values as texts, which all labels are here. */
stoa_status stoa_anndata_show_texts(struct ArrowSchema *schema, struct ArrowArray *labels,
                                    stoa_error *err);
/* What the labels of a column were in AnnData: a kind of numbers, or BOOL; else STRING. A table of
 * HEP001 that was made of a frame has it in an attribute of the column. */
#define STOA_ANNDATA_CATEGORIES "categories-dtype"
stoa_kind stoa_anndata_categories_kind(const stoa_table *table, const char *column);
/* Texts as what they were, as stored: little-endian, of the width of the kind (BOOL: a byte).
 * *values, the caller's, is NULL where one of them is no such value. */
stoa_status stoa_anndata_parse_labels(const stoa_view *labels, stoa_kind kind, void **values,
                                      stoa_error *err);

/* A frame; and one of an axis, with texts as labels of rows. */
extern const stoa_layout_writer stoa_anndata_writer;
extern const stoa_layout_writer stoa_anndata_axis_writer;
/* Frames of today, and those of before 0.7. */
extern const stoa_layout_class stoa_anndata_frames;
extern const stoa_layout_class stoa_anndata_old_frames;
/* Open a frame, or a table of HEP001 that was one; as stoa_table_open() opens any table. */
stoa_status stoa_anndata_open(hid_t loc, const char *path, stoa_table **table, stoa_error *err);
/* A frame of n rows without columns, called "0", "1" ... */
stoa_status stoa_anndata_write_labels(hid_t loc, const char *path, uint64_t n, stoa_error *err);
/*
 * Columns of HEP001 do not tell whether they could have missing values where they have none; those
 * that were nullable in a frame keep its encoding as attributes, and become nullable again. So do
 * categories that were numbers.
 *
 * Note these things of a frame in the table that was made of it at `path`.
 */
stoa_status stoa_anndata_note_columns(const stoa_table *frame, hid_t loc, const char *path,
                                      stoa_error *err);
/* The same, if the table was made of a frame. */
stoa_status stoa_anndata_keep_notes(const stoa_table *from, hid_t loc, const char *path,
                                    hid_t table, stoa_error *err);
/* Whether a column of a frame, or of a table made of one, is nullable; *na_value, the caller's, is
 * what AnnData calls missing texts, NULL where it does not say. */
bool stoa_anndata_was_nullable(const stoa_table *table, const char *column, char **na_value);

/* Whether an object is one of the frames that AnnData before 0.7 wrote: obs or var, a dataset of
 * rows. */
bool stoa_anndata_is_old_frame(hid_t dataset);
/* Whether a file has such frames. */
bool stoa_anndata_is_old_file(hid_t file);
/* Write the fields of such a dataset of rows as datasets of a group: the arrays of obsm and varm.
 * Those that are no numbers are STOA_ETYPE. */
stoa_status stoa_anndata_write_fields(hid_t from, const char *path, hid_t to, const char *target,
                                      stoa_error *err);

#endif
