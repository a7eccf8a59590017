/* The tokens of a column's indexes during an edit: see common/tokens.h. */
#include "index/common/kind.h"

#include <stdlib.h>

/* Read the links. An unreadable list has none: no index can be found through it. */
static stoa_status read_links(const stoa_column *column, stoa_index_link **links, size_t *n,
                              stoa_error *err)
{
    const stoa_status status = stoa_index_links(column, links, n, NULL);

    return status == STOA_ENOMEM ? stoa_fail_memory(err) : STOA_OK;
}

stoa_status stoa_index_tokens_ahead(stoa_column *column, size_t *n_written, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_generation *const generation = column->generation;
    stoa_index_link *links = NULL;
    size_t n = 0;

    STOA_TRY(read_links(column, &links, &n, err));
    for (size_t i = 0; i < n; i++) {
        const stoa_index_link *const link = &links[i];
        if (link->dataset < 0 || (link->is_stale && !link->tokens.is_shown)) {
            continue;
        }
        /* Tokens of an earlier edit that was cut short may equal the next ones. */
        const bool is_valid = !link->is_stale &&
                              stoa_tokens_are(&link->tokens, generation->value, generation->n_rows);
        STOA_TRY(is_valid ? stoa_tokens_write(link->dataset, generation->next,
                                              generation->next_n_rows, err)
                          : stoa_tokens_void(link->dataset, err));
        ++*n_written;
    }

done:
    stoa_index_links_clear(links, n);
    return stoa_column_at(column, status, err);
}

stoa_status stoa_index_tokens_clear(stoa_column *column, const stoa_generation *generation,
                                    stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_index_link *links = NULL;
    size_t n = 0;

    STOA_TRY(read_links(column, &links, &n, err));
    for (size_t i = 0; i < n; i++) {
        if (links[i].dataset >= 0 && links[i].tokens.has_generation &&
            links[i].tokens.generation == generation->next) {
            STOA_TRY(stoa_tokens_void(links[i].dataset, err));
        }
    }

done:
    stoa_index_links_clear(links, n);
    return stoa_column_at(column, status, err);
}

stoa_status stoa_index_tokens_behind(stoa_column *column, const stoa_generation *generation,
                                     stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_index_link *links = NULL;
    size_t n = 0;

    STOA_TRY(read_links(column, &links, &n, err));
    for (size_t i = 0; i < n; i++) {
        if (links[i].dataset >= 0 && generation->is_known &&
            stoa_tokens_are(&links[i].tokens, generation->value, generation->n_rows)) {
            STOA_TRY(stoa_tokens_write(links[i].dataset, generation->next, generation->next_n_rows,
                                       err));
        }
    }

done:
    stoa_index_links_clear(links, n);
    return stoa_column_at(column, status, err);
}

stoa_status stoa_index_tokens_withdraw(stoa_column *column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_index_link *links = NULL;
    size_t n = 0;
    bool has_any = false;

    STOA_TRY(read_links(column, &links, &n, err));
    for (size_t i = 0; i < n; i++) {
        if (links[i].dataset >= 0 && links[i].tokens.is_shown) {
            STOA_TRY(stoa_tokens_void(links[i].dataset, err));
            has_any = true;
        }
    }
    if (has_any) {
        STOA_HDF(err, stoa_flush(column->dataset), "flush the search indexes");
    }

done:
    stoa_index_links_clear(links, n);
    return stoa_column_at(column, status, err);
}
