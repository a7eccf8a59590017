/* Files of observations joined along their rows: AnnData's. Tables are joined by
 * stoa_table_open_files() and stoa_layout_write_table(). */
#ifndef STOA_CONCAT_H
#define STOA_CONCAT_H

#include <stoa/file.h>
#include <stoa/progress.h>

STOA_BEGIN_DECLS

/** How files are joined. Start from STOA_CONCAT_OPTIONS_INIT. */
typedef struct stoa_concat_options {
    size_t size;              /**< of this struct, as the caller's compiler knows it */
    bool outer;               /**< keep the columns and variables of any file; else those of all */
    const char *label;        /**< a new column of obs with the key of each row; NULL: none */
    const char *const *keys;  /**< a key for each file; NULL: "0", "1" ... */
    size_t n_keys;            /**< as many as there are files, or 0 */
    const char *index_unique; /**< joins the name of a row and its key, such as "-"; NULL: names
                                   stay as they are */
    stoa_listener listener;
    unsigned threads;  /**< number of threads; 0: one per processor */
    const char *codec; /**< of arrays and matrices, as in docs/codecs.md; NULL: none, as anndata
                            writes them */
} stoa_concat_options;

#define STOA_CONCAT_OPTIONS_INIT                                                                   \
    {                                                                                              \
        sizeof(stoa_concat_options), 0, 0, 0, 0, 0, {0, 0}, 0, 0                                   \
    }

/** Called for a member that the result lacks. */
typedef void (*stoa_concat_remark)(void *context, const char *path, const char *why);

/**
 * Join AnnData files along their observations, as anndata.concat() does. The result has obs, X,
 * layers, obsm and raw, as far as all files have them, and the names of var. Memory is bounded:
 * some blocks of a matrix, and the names.
 *
 * An intersection of variables has the order of the first file, a union is sorted. A variable that
 * a file lacks is NaN in dense arrays, which become floats, and no entry in sparse ones. Numbers of
 * different types become int64 or float64. Matrices and arrays are compressed by the codec of the
 * options, whatever the files have.
 *
 * @param to      an empty file; on failure its contents are incomplete
 * @param remark  may be NULL
 * @param[out] n_rows  observations of the result; may be NULL
 * @return STOA_EINVAL for keys that do not fit, or an unknown codec; STOA_ELAYOUT if one is no
 * AnnData file; STOA_EDATA if a file contradicts itself; STOA_ETYPE if members have types that do
 * not fit together. The error names the file
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_concat_files(const char *const *files, size_t n, hid_t to,
                                                       const stoa_concat_options *options,
                                                       stoa_concat_remark remark, void *context,
                                                       uint64_t *n_rows, stoa_error *err);

STOA_END_DECLS

#endif
