/*
 * All of an AnnData file: its frames as HEP001 tables and its sparse matrices as sparse arrays, or
 * both as AnnData has them; everything else as it is. One frame, one matrix: <stoa/layout.h>,
 * <stoa/matrix_group.h>.
 */
#ifndef STOA_ANNDATA_H
#define STOA_ANNDATA_H

#include <stoa/layout.h>

STOA_BEGIN_DECLS

/**
 * Whether a file is AnnData's, or was made of one: its root says so, or there are obs and var, or
 * obs and X, as AnnData of any version keeps them, or with tables of HEP001 in place of its frames.
 *
 * @param file  file or object of it
 */
STOA_API bool stoa_anndata_is_one(hid_t file);

/** Told of an object that the new file has not, or not as it would be understood; and why. */
typedef void (*stoa_anndata_remark)(void *context, const char *path, const char *why);

/** What was converted. */
typedef struct stoa_anndata_counts {
    uint64_t n_tables;
    uint64_t n_rows; /**< of all tables */
    uint64_t n_matrices;
} stoa_anndata_counts;

/**
 * Convert all of an AnnData file, in either direction (docs/layouts/anndata.md).
 *
 * @param from     file or object of a file that stoa_anndata_is_one() knows; borrowed
 * @param to       another file, which is empty; what is in it after a failure is half a copy
 * @param options  of tables; options->layout is "hep001", or "anndata" to make a file that AnnData
 *                 opens; options->codec is that of matrices, too
 * @param remark   may be NULL; called once all is written
 * @param[out] counts  may be NULL
 * @return STOA_EDATA where the file contradicts itself; STOA_ETYPE, STOA_ELOSS as
 *         stoa_layout_write_table()
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_anndata_convert(hid_t from, hid_t to,
                                                          const stoa_layout_options *options,
                                                          stoa_anndata_remark remark, void *context,
                                                          stoa_anndata_counts *counts,
                                                          stoa_error *err);

/**
 * Make an AnnData file of one table, which becomes obs; there is nothing else in it.
 *
 * @param to           an empty file
 * @param options      options->layout is not looked at
 * @param[out] n_rows  may be NULL
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_anndata_of_table(stoa_table *table, hid_t to,
                                                           const stoa_layout_options *options,
                                                           uint64_t *n_rows, stoa_error *err);

STOA_END_DECLS

#endif
