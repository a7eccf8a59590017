/* Attributes of all pandas tables, including those of categorical labels (table_write.h). */
#include <stdlib.h>

#include "core/memory.h"
#include "hdf/metadata/links.h"
#include "layout/pandas/frame.h"
#include "layout/pandas/pandas.h"
#include "layout/pandas/table_write.h"
#include "layout/pickle/write.h"
#include "layout/pytables/pytables.h"

/* --- pickles --------------------------------------------------------------------------------- */

stoa_status stoa_pandas_say_list(hid_t object, const char *name, const char *const *texts, size_t n,
                                 stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer pickle = {0};

    STOA_TRY(stoa_pickle_put_texts(&pickle, texts, n, err));
    STOA_TRY(stoa_pandas_say_pickle(object, name, &pickle, err));

done:
    stoa_buffer_clear(&pickle);
    return status;
}

/* --- attributes of the table ----------------------------------------------------------------- */

stoa_status stoa_pandas_say_of_member(hid_t dataset, const char *member, const char *suffix,
                                      const char *text, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *name = stoa_format("%s%s", member, suffix);

    STOA_TRY(name != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_pytables_write_text(dataset, name, text, err));

done:
    free(name);
    return status;
}

stoa_status stoa_pandas_say_dtype(hid_t dataset, const char *member, const char *dtype,
                                  size_t text_size, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *bits = stoa_format("bytes%zu", 8 * text_size);

    STOA_TRY(bits != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(
        stoa_pandas_say_of_member(dataset, member, "_dtype", text_size > 0 ? bits : dtype, err));

done:
    free(bits);
    return status;
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

stoa_status stoa_pandas_say_kind(hid_t dataset, const stoa_layout_source *source,
                                 const char *member, const char *const *labels, size_t n,
                                 stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer pickle = {0};
    char *name = stoa_format("%s_kind", member);

    STOA_TRY(name != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(put_labels_of(&pickle, source, labels, n, err));
    STOA_TRY(stoa_pandas_say_pickle(dataset, name, &pickle, err));

done:
    stoa_buffer_clear(&pickle);
    free(name);
    return status;
}

/* None, or the meta type of the values. */
stoa_status stoa_pandas_say_meta(hid_t dataset, const char *member, const char *meta,
                                 stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer pickle = {0};
    char *name = stoa_format("%s_meta", member);

    STOA_TRY(name != NULL ? STOA_OK : stoa_fail_memory(err));
    if (meta != NULL) {
        STOA_TRY(stoa_pytables_write_text(dataset, name, meta, err));
        goto done;
    }
    STOA_TRY(stoa_pickle_put(&pickle, "N", err));
    STOA_TRY(stoa_pandas_say_pickle(dataset, name, &pickle, err));

done:
    stoa_buffer_clear(&pickle);
    free(name);
    return status;
}

/* --- attributes of the group ----------------------------------------------------------------- */

stoa_status stoa_pandas_say_frame(hid_t group, const char *pandas_type, const char *table_type,
                                  stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer pickle = {0};

    STOA_TRY(stoa_pytables_mark_group(group, err));
    STOA_TRY(stoa_pytables_write_text(group, "pandas_type", pandas_type, err));
    STOA_TRY(stoa_pytables_write_text(group, "pandas_version", "0.15.2", err));
    STOA_TRY(stoa_pytables_write_text(group, "table_type", table_type, err));
    STOA_TRY(stoa_pytables_write_text(group, "encoding", "UTF-8", err));
    STOA_TRY(stoa_pytables_write_text(group, "errors", "strict", err));
    STOA_TRY(stoa_pytables_write_text(group, "nan_rep", STOA_PANDAS_NAN, err));
    STOA_TRY(stoa_pickle_put(&pickle, "(l(I0\nVindex\nta", err));
    STOA_TRY(stoa_pandas_say_pickle(group, "index_cols", &pickle, err));

done:
    stoa_buffer_clear(&pickle);
    return status;
}

stoa_status stoa_pandas_say_axes(hid_t group, const stoa_layout_source *source,
                                 const char *const *labels, size_t n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer pickle = {0};

    STOA_TRY(stoa_pickle_put(&pickle, "(l(I1\n", err));
    STOA_TRY(put_labels_of(&pickle, source, labels, n, err));
    STOA_TRY(stoa_pickle_put(&pickle, "ta", err));
    STOA_TRY(stoa_pandas_say_pickle(group, "non_index_axes", &pickle, err));

done:
    stoa_buffer_clear(&pickle);
    return status;
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
