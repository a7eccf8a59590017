/* Changing the codec or chunk length of a column (HEP001 §8.4). The old dataset is removed once the
 * new one is complete. */
#include <string.h>

#include "column/list/create.h"
#include "column/write/rewrite_list.h"
#include "index/common/kind.h"
#include "table/edit/columns.h"

static stoa_status choose_storage(const stoa_column *column, const stoa_column_options *wanted,
                                  stoa_storage *storage, stoa_error *err)
{
    const bool has_codec = wanted->codec != NULL && strcmp(wanted->codec, "none") != 0;

    *storage = (stoa_storage){
        .extent = column->extent, .chunk_rows = column->chunk_rows, .codec = wanted->codec};
    if (wanted->chunk_rows == STOA_CONTIGUOUS) {
        storage->chunk_rows = 0;
        if (has_codec) {
            return stoa_fail(err, STOA_EINVAL,
                             "codec '%s' packs chunks, and a contiguous column has none",
                             wanted->codec);
        }
    } else if (wanted->chunk_rows != 0) {
        storage->chunk_rows = wanted->chunk_rows;
    } else if (column->chunk_rows == 0 && has_codec) {
        storage->chunk_rows = stoa_fitted_chunk_rows(column->extent);
    }
    return STOA_OK;
}

/* Chunks and codec of a list column are those of all its members. */
static stoa_status rewrite_list(stoa_column *column, const stoa_column_options *wanted,
                                const stoa_listener *listener, hid_t *group, stoa_error *err)
{
    const stoa_storage storage = {.chunk_rows = wanted->chunk_rows, .codec = wanted->codec};

    if (wanted->chunk_rows == STOA_CONTIGUOUS) {
        return stoa_fail(err, STOA_EINVAL,
                         "'%s' is a list column, whose members must be chunked to grow",
                         column->name);
    }
    return stoa_list_rewrite_storage(column, &storage, listener, group, err);
}

static stoa_status rewrite(stoa_column *column, uint64_t n_rows, const stoa_storage *storage,
                           const stoa_column_options *wanted, const stoa_listener *listener,
                           hid_t *object, stoa_error *err)
{
    return stoa_column_is_list_group(column)
               ? rewrite_list(column, wanted, listener, object, err)
               : stoa_column_rewrite_storage(column, n_rows, storage, listener, object, err);
}

/* Indexes with one entry per chunk have a KIND that begins with CHUNK_ (§10.4, §10.7). An unknown
 * kind may have one as well. */
static bool depends_on_chunks(const stoa_index_link *link)
{
    return link->kind == NULL || strncmp(link->kind->kind, "CHUNK_", strlen("CHUNK_")) == 0;
}

/* Whether all indexes of the column stay valid if its chunk length changes. */
static stoa_status survive_chunks(const stoa_column *column, bool *survive, stoa_error *err)
{
    stoa_index_link *links = NULL;
    size_t n = 0;
    const stoa_status status = stoa_index_links(column, &links, &n, NULL);

    *survive = status == STOA_OK;
    for (size_t i = 0; i < n; i++) {
        *survive = *survive && links[i].dataset >= 0 && !depends_on_chunks(&links[i]);
    }
    stoa_index_links_clear(links, n);
    return status == STOA_ENOMEM ? stoa_fail_memory(err) : STOA_OK;
}

stoa_status stoa_column_set_storage(stoa_table *table, const stoa_column_options *wanted,
                                    const stoa_edit_options *options, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column_edit edit = STOA_COLUMN_EDIT_INIT;
    stoa_column *column = NULL;
    stoa_storage storage;
    hid_t dataset = H5I_INVALID_HID;
    bool survive = false;

    STOA_TRY(stoa_column_edit_begin(table, &edit, err));
    if (wanted->column == NULL) {
        STOA_FAIL(err, STOA_EINVAL, "no column was named");
    }
    STOA_TRY(stoa_column_edit_find_own(table, wanted->column, &column, err));
    STOA_TRY(stoa_column_may_be_scanned(column, table->n_rows, err));
    STOA_TRY(stoa_column_may_be_rewritten(column, err));
    STOA_TRY(choose_storage(column, wanted, &storage, err));
    STOA_TRY(rewrite(column, table->n_rows, &storage, wanted,
                     options != NULL ? &options->listener : NULL, &dataset, err));
    STOA_TRY(stoa_column_edit_publish(&edit, column->name, dataset, err));
    STOA_TRY(stoa_column_edit_reopen(&edit, err));
    STOA_TRY(survive_chunks(column, &survive, err));
    if (!(survive || storage.chunk_rows == column->chunk_rows) ||
        (options != NULL && options->drop_indexes)) {
        STOA_TRY(stoa_column_edit_mend(&edit, column->name, options, err));
    }

done:
    (void)stoa_hdf_close(&dataset, STOA_OK, NULL);
    return stoa_column_edit_end(&edit, status, err);
}
