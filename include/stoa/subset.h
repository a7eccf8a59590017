/* Parts of structured files: the rows that pass a filter, with everything that belongs to them. */
#ifndef STOA_SUBSET_H
#define STOA_SUBSET_H

#include <stoa/file.h>
#include <stoa/parameter.h>
#include <stoa/progress.h>

STOA_BEGIN_DECLS

/** A filter of the rows of one table. */
typedef struct stoa_subset_filter {
    const char *table; /**< its path: "/obs" or "/var" of AnnData; else a table of any layout */
    const char *where; /**< a predicate (docs/query.md) of its columns */
    const stoa_parameter *parameters; /**< values for it, as in stoa_query_options */
    size_t n_parameters;
} stoa_subset_filter;

/** What to select. Start from STOA_SUBSET_OPTIONS_INIT. */
typedef struct stoa_subset_options {
    size_t size;                       /**< of this struct, as the caller's compiler knows it */
    const stoa_subset_filter *filters; /**< of AnnData one or two, else one */
    size_t n_filters;
    const char *path; /**< not AnnData: the table or group whose rows are selected; NULL: the
                           filter's table */
    hid_t by;         /**< file that has the filter's table; 0: the file itself */
    const char *map;  /**< LH5: path of a time coincidence map, through which rows are selected in
                           the tables of all channels; NULL: none */
    hid_t map_file;   /**< file that has it; 0: the file itself */
    stoa_listener listener;
    unsigned threads; /**< number of threads that evaluate filters; 0: one per processor */
} stoa_subset_options;

#define STOA_SUBSET_OPTIONS_INIT                                                                   \
    {                                                                                              \
        sizeof(stoa_subset_options), 0, 0, 0, 0, 0, 0, {0, 0}, 0                                   \
    }

/** How many rows passed. Start from STOA_SUBSET_COUNTS_INIT. */
typedef struct stoa_subset_counts {
    size_t size;        /**< of this struct */
    uint64_t n_rows;    /**< rows that were kept: of AnnData, of obs; through a map, events */
    uint64_t of_rows;   /**< rows that there were */
    uint64_t n_columns; /**< of AnnData: rows of var; else 0 */
    uint64_t of_columns;
    uint64_t n_datasets; /**< datasets of which a part was taken */
} stoa_subset_counts;

#define STOA_SUBSET_COUNTS_INIT                                                                    \
    {                                                                                              \
        sizeof(stoa_subset_counts), 0, 0, 0, 0, 0                                                  \
    }

/**
 * Write the part of a file that passes filters. Everything else is copied as it is, and what is
 * selected keeps its datatype, filters and chunk shape. Memory is bounded: some blocks of a
 * dataset, and the numbers of the rows that pass.
 *
 * - An AnnData file: X, layers, obs, obsm, obsp, var, varm and varp in step, and raw by obs. This
 *   is what anndata's `adata[cells, genes]` is; categories that no row has are removed, too.
 * - LH5: the table or array at `path`, and all with as many rows in the same group, such as
 *   /ch1/raw, /ch1/dsp and /ch1/hit. Those of the root group are not in step. Through a map, the
 *   filter selects events: rows of a table with one row an event, or rows of a channel whose
 *   events are meant. Of each channel the rows of these events are kept, and of the map, too.
 * - Any other group: its datasets that have as many rows.
 *
 * @param from  file, or an object in it; borrowed
 * @param to    an empty file; on failure its contents are incomplete
 * @param[out] counts  may be NULL
 * @return STOA_EINVAL for filters that the file does not allow; STOA_ELAYOUT if nothing is known to
 *         be in step; STOA_EDATA if the file contradicts itself; STOA_ELOSS for what cannot be
 *         divided; else as stoa_query_open(). The error names the object
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_subset(hid_t from, hid_t to,
                                                 const stoa_subset_options *options,
                                                 stoa_subset_counts *counts, stoa_error *err);

STOA_END_DECLS

#endif
