/*
 * Conversion of whole AnnData files: frames to and from HEP001 tables, sparse matrices to and from
 * sparse arrays. Everything else is copied unchanged. For one frame or one matrix see
 * <stoa/layout.h> and <stoa/matrix_group.h>.
 */
#ifndef STOA_ANNDATA_H
#define STOA_ANNDATA_H

#include <stoa/layout.h>

STOA_BEGIN_DECLS

/**
 * Whether a file was written by AnnData, or converted from such a file. Its root says so, or it
 * contains obs and var, or obs and X, as any version of AnnData stores them. Frames may be HEP001
 * tables.
 *
 * @param file  file, or an object in it
 */
STOA_API bool stoa_anndata_is_one(hid_t file);

/** Called for an object that the new file lacks, or has in a form that readers do not know. */
typedef void (*stoa_anndata_remark)(void *context, const char *path, const char *why);

/** What was converted. Start from STOA_ANNDATA_COUNTS_INIT. */
typedef struct stoa_anndata_counts {
    size_t size; /**< of this struct */
    uint64_t n_tables;
    uint64_t n_rows; /**< of all tables */
    uint64_t n_matrices;
    uint64_t n_left; /**< objects and columns left behind: options->skip_bad */
} stoa_anndata_counts;

#define STOA_ANNDATA_COUNTS_INIT                                                                   \
    {                                                                                              \
        sizeof(stoa_anndata_counts), 0, 0, 0, 0                                                    \
    }

/**
 * Convert all of an AnnData file, in either direction (docs/layouts/anndata.md).
 *
 * @param from     a file for which stoa_anndata_is_one() is true, or an object in it; borrowed
 * @param to       another file, which is empty; on failure its contents are incomplete
 * @param options  for tables; options->layout is "hep001", or "anndata" to make a file that AnnData
 *                 opens; options->codec is also used for matrices
 * @param remark   may be NULL; called after everything is written
 * @param[out] counts  may be NULL
 * @return STOA_EINVAL if a struct has no size; STOA_EDATA if the file contradicts itself;
 *         STOA_ETYPE, STOA_ELOSS as stoa_layout_write_table()
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_anndata_convert(hid_t from, hid_t to,
                                                          const stoa_layout_options *options,
                                                          stoa_anndata_remark remark, void *context,
                                                          stoa_anndata_counts *counts,
                                                          stoa_error *err);

/**
 * Make an AnnData file from one table, which becomes obs. The file contains nothing else.
 *
 * @param to           an empty file
 * @param options      options->layout is ignored
 * @param[out] n_rows  may be NULL
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_anndata_of_table(stoa_table *table, hid_t to,
                                                           const stoa_layout_options *options,
                                                           uint64_t *n_rows, stoa_error *err);

STOA_END_DECLS

#endif
