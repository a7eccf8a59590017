/* The tokens of a column's indexes during an edit: see common/tokens.h. */
#include "index/common/kind.h"

/* What an edit does to the tokens of an index. */
typedef enum fate { KEEP, RENEW, VOID } fate;

typedef fate decide(const stoa_index_link *link, const stoa_generation *generation);

/* Decide for each of the column's indexes. *n_changed counts those that are not kept. An unreadable
 * list has none: no index can be found through it. */
static stoa_status change_tokens(stoa_column *column, const stoa_generation *generation,
                                 decide *fate_of, size_t *n_changed, stoa_error *err)
{
    stoa_index_link *links = NULL;
    size_t n = 0;
    stoa_status status = stoa_index_links(column, &links, &n, NULL);

    status = status == STOA_ENOMEM ? stoa_fail_memory(err) : STOA_OK;
    for (size_t i = 0; i < n && status == STOA_OK; i++) {
        const fate what = links[i].dataset >= 0 ? fate_of(&links[i], generation) : KEEP;
        if (what == RENEW) {
            status =
                stoa_tokens_write(links[i].dataset, generation->next, generation->next_n_rows, err);
        } else if (what == VOID) {
            status = stoa_tokens_void(links[i].dataset, err);
        }
        *n_changed += what != KEEP;
    }
    stoa_index_links_clear(links, n);
    return stoa_column_at(column, status, err);
}

static bool is_of_last_commit(const stoa_index_link *link, const stoa_generation *generation)
{
    return stoa_tokens_are(&link->tokens, generation->value, generation->n_rows);
}

/* Tokens of an earlier edit that was cut short may equal the next ones. */
static fate ahead(const stoa_index_link *link, const stoa_generation *generation)
{
    return link->is_stale && !link->tokens.is_shown                 ? KEEP
           : !link->is_stale && is_of_last_commit(link, generation) ? RENEW
                                                                    : VOID;
}

stoa_status stoa_index_tokens_ahead(stoa_column *column, size_t *n_written, stoa_error *err)
{
    return change_tokens(column, column->generation, ahead, n_written, err);
}

static fate clear(const stoa_index_link *link, const stoa_generation *generation)
{
    return link->tokens.has_generation && link->tokens.generation == generation->next ? VOID : KEEP;
}

stoa_status stoa_index_tokens_clear(stoa_column *column, const stoa_generation *generation,
                                    stoa_error *err)
{
    return change_tokens(column, generation, clear, &(size_t){0}, err);
}

static fate behind(const stoa_index_link *link, const stoa_generation *generation)
{
    return generation->is_known && is_of_last_commit(link, generation) ? RENEW : KEEP;
}

stoa_status stoa_index_tokens_behind(stoa_column *column, const stoa_generation *generation,
                                     stoa_error *err)
{
    return change_tokens(column, generation, behind, &(size_t){0}, err);
}

static fate withdraw(const stoa_index_link *link, const stoa_generation *generation)
{
    (void)generation;
    return link->tokens.is_shown ? VOID : KEEP;
}

stoa_status stoa_index_tokens_withdraw(stoa_column *column, stoa_error *err)
{
    size_t n_voided = 0;

    STOA_RETURN_NOT_OK(change_tokens(column, column->generation, withdraw, &n_voided, err));
    if (n_voided > 0) {
        STOA_RETURN_HDF_ERROR(err, stoa_flush(column->dataset), "flush the search indexes of '%s'",
                              column->name);
    }
    return STOA_OK;
}
