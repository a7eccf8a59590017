/* Attributes of all pandas tables, including those of categorical labels (table_write.h). */
#include <stdio.h>

#include "core/memory.h"
#include "hdf/metadata/links.h"
#include "layout/pandas/frame.h"
#include "layout/pandas/pandas.h"
#include "layout/pandas/table_write.h"
#include "layout/pickle/write.h"
#include "layout/pytables/pytables.h"

/* --- pickles --------------------------------------------------------------------------------- */

stoa_status stoa_pandas_write_list(hid_t object, const char *name, const char *const *texts,
                                   size_t n, stoa_error *err)
{
    stoa_buffer pickle = {0};
    const stoa_status status = stoa_pickle_put_texts(&pickle, texts, n, err);

    return stoa_pandas_write_pickle(object, name, &pickle, status, err);
}

/* --- attributes of the table ----------------------------------------------------------------- */

stoa_status stoa_pandas_write_dtype(hid_t dataset, const char *member, const char *dtype,
                                    size_t text_size, stoa_error *err)
{
    char bytes[32];

    (void)snprintf(bytes, sizeof bytes, "bytes%zu", 8 * text_size);
    return stoa_pandas_write_of(dataset, member, "_dtype", text_size > 0 ? bytes : dtype, err);
}

/* A list of column labels. */
static stoa_status put_labels_of(stoa_buffer *pickle, const stoa_layout_source *source,
                                 const char *const *names, size_t n, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_pickle_put(pickle, "(l", err));
    for (size_t i = 0; i < n; i++) {
        STOA_RETURN_NOT_OK(stoa_pandas_put_label(pickle, source, names[i], err));
        STOA_RETURN_NOT_OK(stoa_pickle_put(pickle, "a", err));
    }
    return STOA_OK;
}

stoa_status stoa_pandas_write_kind(hid_t dataset, const stoa_layout_source *source,
                                   const char *member, const char *const *labels, size_t n,
                                   stoa_error *err)
{
    stoa_buffer pickle = {0};
    const stoa_status status = put_labels_of(&pickle, source, labels, n, err);

    return stoa_pandas_write_pickle_of(dataset, member, "_kind", &pickle, status, err);
}

/* None, or the meta type of the values. */
stoa_status stoa_pandas_write_meta(hid_t dataset, const char *member, const char *meta,
                                   stoa_error *err)
{
    stoa_buffer pickle = {0};

    if (meta != NULL) {
        return stoa_pandas_write_of(dataset, member, "_meta", meta, err);
    }
    const stoa_status status = stoa_pickle_put(&pickle, "N", err);
    return stoa_pandas_write_pickle_of(dataset, member, "_meta", &pickle, status, err);
}

/* --- attributes of the group ----------------------------------------------------------------- */

stoa_status stoa_pandas_write_frame(hid_t group, const char *pandas_type, const char *table_type,
                                    stoa_error *err)
{
    stoa_buffer pickle = {0};

    STOA_RETURN_NOT_OK(stoa_pytables_mark_group(group, err));
    STOA_RETURN_NOT_OK(stoa_pytables_write_text(group, "pandas_type", pandas_type, err));
    STOA_RETURN_NOT_OK(stoa_pytables_write_text(group, "pandas_version", "0.15.2", err));
    STOA_RETURN_NOT_OK(stoa_pytables_write_text(group, "table_type", table_type, err));
    STOA_RETURN_NOT_OK(stoa_pytables_write_text(group, "encoding", "UTF-8", err));
    STOA_RETURN_NOT_OK(stoa_pytables_write_text(group, "errors", "strict", err));
    STOA_RETURN_NOT_OK(stoa_pytables_write_text(group, "nan_rep", STOA_PANDAS_NAN, err));
    const stoa_status status = stoa_pickle_put(&pickle, "(l(I0\nVindex\nta", err);
    return stoa_pandas_write_pickle(group, "index_cols", &pickle, status, err);
}

static stoa_status put_axes(stoa_buffer *pickle, const stoa_layout_source *source,
                            const char *const *labels, size_t n, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_pickle_put(pickle, "(l(I1\n", err));
    STOA_RETURN_NOT_OK(put_labels_of(pickle, source, labels, n, err));
    return stoa_pickle_put(pickle, "ta", err);
}

stoa_status stoa_pandas_write_axes(hid_t group, const stoa_layout_source *source,
                                   const char *const *labels, size_t n, stoa_error *err)
{
    stoa_buffer pickle = {0};
    const stoa_status status = put_axes(&pickle, source, labels, n, err);

    return stoa_pandas_write_pickle(group, "non_index_axes", &pickle, status, err);
}

/* --- the table ------------------------------------------------------------------------------- */

stoa_status stoa_pandas_put_table(const stoa_layout_source *rows, hid_t group, hid_t *dataset,
                                  stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_pytables_write(rows, group, dataset, err));
    STOA_RETURN_HDF_ERROR(err, stoa_link_nameless(*dataset, group, "table", H5P_DEFAULT),
                          "link the table");
    return STOA_OK;
}
