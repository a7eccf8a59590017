#include "table/write/tokens.h"

#include "hdf/metadata/attributes.h"

stoa_status stoa_table_tokens_ahead(const stoa_table *table, uint64_t n_rows, stoa_error *err)
{
    stoa_generation *const generation = table->generation;
    size_t n_written = 0;

    STOA_RETURN_NOT_OK(stoa_generation_advance(generation, n_rows, err));
    for (size_t i = 0; generation->has_next && i < table->n_columns; i++) {
        STOA_RETURN_NOT_OK(stoa_index_tokens_ahead(table->columns[i], &n_written, err));
    }
    if (n_written > 0) {
        STOA_RETURN_HDF_ERROR(err, stoa_flush(table->group), "flush the tokens of '%s'",
                              table->path);
    }
    return STOA_OK;
}

stoa_status stoa_table_generation_raise(const stoa_table *table, stoa_error *err)
{
    stoa_generation *const generation = table->generation;

    if (generation->has_next) {
        return STOA_OK; /* this edit did so before */
    }
    STOA_RETURN_NOT_OK(stoa_generation_advance(generation, table->n_rows, err));
    if (!generation->has_next) {
        return STOA_OK;
    }
    for (size_t i = 0; i < table->n_columns; i++) {
        STOA_RETURN_NOT_OK(stoa_index_tokens_clear(table->columns[i], generation, err));
    }
    generation->is_raised = true; /* the file may have it even if this fails */
    STOA_RETURN_NOT_OK(
        stoa_attribute_write_u64(table->group, STOA_GENERATION, generation->next, err));
    STOA_RETURN_HDF_ERROR(err, stoa_flush(table->group), "flush GENERATION of '%s'", table->path);
    return STOA_OK;
}

stoa_status stoa_table_tokens_behind(const stoa_table *table, const stoa_generation *generation,
                                     stoa_error *err)
{
    if (!generation->has_next) {
        return STOA_OK;
    }
    STOA_RETURN_HDF_ERROR(err, stoa_flush(table->group), "flush the indexes of '%s'", table->path);
    for (size_t i = 0; i < table->n_columns; i++) {
        STOA_RETURN_NOT_OK(stoa_index_tokens_behind(table->columns[i], generation, err));
    }
    return STOA_OK;
}
