/* stoa_index_repair(): bringing the indexes of a table up to date (HEP001-2026-07 §12.2). */
#include <stoa/index.h>

#include <stdio.h>
#include <string.h>

#include "core/sized_struct.h"
#include "hdf/metadata/attributes.h"
#include "index/common/link_list.h"
#include "table/indexes/verify.h"
#include "table/open/table.h"

/* The repair of a table, and who wants to know. */
typedef struct repair {
    stoa_table *table;
    stoa_index_options options;  /* the listener and the number of threads */
    stoa_repair_visitor visitor; /* may be NULL */
    void *context;
} repair;

static void tell(const repair *r, const stoa_column *column, const char *kind, stoa_repair done,
                 const char *problem)
{
    if (r->visitor != NULL) {
        r->visitor(r->context, &(stoa_index_repaired){column->name, kind, done, problem});
    }
}

/* Replace an index that is wrong. Whatever the reason that it cannot be built, it is gone. */
static stoa_status build_anew(const repair *r, stoa_column *column, const stoa_index_link *link,
                              char problem[static STOA_PROBLEM_SIZE], stoa_error *err)
{
    stoa_error why = STOA_ERROR_INIT;
    const stoa_status status = stoa_index_replace(r->table->group, column, link, r->table->n_rows,
                                                  &r->options.listener, &why);

    if (status == STOA_ENOMEM || status == STOA_EIO || status == STOA_ECANCELLED) {
        return stoa_fail(err, status, "%s", why.message);
    }
    tell(r, column, link->kind_text, status == STOA_OK ? STOA_REPAIR_REBUILT : STOA_REPAIR_DROPPED,
         status == STOA_OK ? problem : why.message);
    return STOA_OK;
}

/* An append that was cut short leaves entries for rows that were never committed. Verifying ignores
 * them, but a valid index has none. */
static stoa_status trim(const repair *r, stoa_column *column, const stoa_index_link *link,
                        stoa_error *err)
{
    const uint64_t n_rows = r->table->n_rows;

    return link->tokens.has_n_rows && link->tokens.n_rows <= n_rows
               ? STOA_OK
               : link->kind->append(column, link->dataset, n_rows, n_rows, err);
}

static stoa_status repair_link(const repair *r, stoa_column *column, const stoa_index_link *link,
                               stoa_error *err)
{
    stoa_error why = STOA_ERROR_INIT;
    char problem[STOA_PROBLEM_SIZE] = "";
    bool same = false;
    stoa_status status = STOA_OK;

    if (link->kind == NULL && !link->is_unsound) {
        tell(r, column, link->kind_text, STOA_REPAIR_LEFT, "its KIND is unknown");
        return STOA_OK;
    }
    status =
        stoa_index_verify_link(r->table, column, link, &r->options.listener, &same, problem, &why);
    if (status == STOA_OK && same && link->is_stale) {
        status = trim(r, column, link, &why);
    }
    if (status == STOA_ENOMEM || status == STOA_EIO || status == STOA_ECANCELLED) {
        return stoa_fail(err, status, "%s", why.message);
    }
    if (status != STOA_OK) {
        (void)snprintf(problem, sizeof problem, "%s", why.message);
    }
    if (status == STOA_OK && same && link->kind->is_old != NULL &&
        link->kind->is_old(link->dataset)) {
        (void)snprintf(problem, sizeof problem,
                       "it had datasets beside it, which HEP001 §10.1 does not name");
        same = false;
    }
    if (status != STOA_OK || !same) {
        return build_anew(r, column, link, problem, err);
    }
    if (!link->is_stale) {
        tell(r, column, link->kind_text, STOA_REPAIR_NOTHING, "");
        return STOA_OK;
    }
    stoa_tokens_explain(&link->tokens, r->table->generation, problem, sizeof problem);
    STOA_RETURN_NOT_OK(
        stoa_tokens_date(link->dataset, r->table->generation, r->table->n_rows, err));
    tell(r, column, link->kind_text, STOA_REPAIR_TOKENS, problem);
    return STOA_OK;
}

/* An unreadable column or list leaves nothing to repair. */
static stoa_status repair_column(const repair *r, stoa_column *column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_error damage = STOA_ERROR_INIT;
    stoa_index_link *links = NULL;
    size_t n = 0;
    bool has_workers = false;

    status = stoa_column_load(column, &damage);
    if (status == STOA_OK) {
        status = stoa_column_may_be_scanned(column, r->table->n_rows, &damage);
    }
    if (status == STOA_OK) {
        status = stoa_index_links(column, &links, &n, &damage);
    }
    if (status == STOA_ENOMEM) {
        STOA_TRY(stoa_fail_memory(err));
    }
    if (status != STOA_OK) {
        status = STOA_OK;
        if (stoa_attribute_exists(column->dataset, STOA_INDEX_LIST)) {
            tell(r, column, "", STOA_REPAIR_LEFT, damage.message);
        }
        goto done;
    }
    if (n > 0) {
        STOA_TRY(stoa_table_borrow_workers(r->table, r->options.threads, &column->workers, err));
        has_workers = true;
    }
    for (size_t i = 0; i < n; i++) {
        if (links[i].dataset >= 0) {
            STOA_TRY(repair_link(r, column, &links[i], err));
        }
    }

done:
    if (has_workers) {
        column->workers = NULL;
        stoa_table_return_workers(r->table);
    }
    stoa_index_links_clear(links, n);
    return stoa_column_at(column, status, err);
}

stoa_status stoa_index_repair(stoa_table *table, stoa_repair_visitor visitor, void *context,
                              stoa_error *err)
{
    return stoa_index_repair_with(table, NULL, visitor, context, err);
}

stoa_status stoa_index_repair_with(stoa_table *table, const stoa_index_options *options,
                                   stoa_repair_visitor visitor, void *context, stoa_error *err)
{
    stoa_status status = STOA_OK;
    repair r = {table, STOA_INDEX_OPTIONS_INIT, visitor, context};

    STOA_TRY(STOA_SIZED_COPY(&r.options, options, listener, "STOA_INDEX_OPTIONS_INIT", err));
    STOA_TRY(stoa_table_may_change(table, err));
    STOA_TRY(stoa_index_links_settle(table->columns, table->n_columns, err));
    STOA_TRY(stoa_generation_start(table->generation, err));
    for (size_t i = 0; i < table->n_columns; i++) {
        STOA_TRY(repair_column(&r, table->columns[i], err));
    }
    STOA_HDF(err, stoa_flush(table->group), "flush the indexes of '%s'", table->path);

done:
    return stoa_at(err, status, "%s:%s", table->file, table->path);
}
