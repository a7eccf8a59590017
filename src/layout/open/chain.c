/* Finds the parts of a chain, and keeps few of them open. */
#include "layout/open/chain.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/links.h"
#include "hdf/metadata/other_files.h"
#include "layout/layout.h"

/* Bytes that a short table keeps of what it decoded. */
enum { SHORT_MEMORY = 1 << 21 };

struct stoa_chain_file {
    const char *name;
    stoa_file *file;
    size_t n_users;
};

/* Tables that stay open --------------------------------------------------------------------- */

static void clear_slot(stoa_chain_slot *slot)
{
    stoa_table_close(slot->table);
    if (slot->file != NULL && --slot->file->n_users == 0) {
        stoa_file_close(slot->file->file);
        free(slot->file);
    }
    *slot = (stoa_chain_slot){.table = NULL};
}

static stoa_status open_file(const stoa_chain *chain, const char *name, stoa_chain_file **out,
                             stoa_error *err)
{
    const size_t n = sizeof chain->slots / sizeof *chain->slots;
    stoa_status status = STOA_OK;

    for (size_t i = 0; i < n; i++) {
        stoa_chain_file *const file = chain->slots[i].file;
        if (file != NULL && file->name == name) {
            file->n_users++;
            *out = file;
            return STOA_OK;
        }
    }
    stoa_chain_file *file = stoa_alloc_zero(1, sizeof *file);
    STOA_RETURN_NO_MEMORY(err, file);
    file->name = name;
    file->n_users = 1;
    status = stoa_file_open_with(name, STOA_FILE_READ, &chain->how, &file->file, err);
    if (status != STOA_OK) {
        free(file);
        return stoa_at(err, status, "%s", name);
    }
    *out = file;
    return STOA_OK;
}

static stoa_status fill_slot(const stoa_chain *chain, size_t k, bool is_short,
                             stoa_chain_slot *slot, stoa_error *err)
{
    const stoa_table_part *const part = &chain->parts.items[k];
    stoa_open_options options = STOA_OPEN_OPTIONS_INIT;
    hid_t loc = chain->loc;

    if (part->file != chain->files[0]) {
        STOA_RETURN_NOT_OK(open_file(chain, part->file, &slot->file, err));
        loc = stoa_file_id(slot->file->file);
    }
    options.memory = is_short ? SHORT_MEMORY : 0;
    return stoa_table_open_with(loc, part->path, &options, &slot->table, err);
}

stoa_status stoa_chain_table(stoa_chain *chain, size_t k, stoa_table **table, stoa_error *err)
{
    const bool is_short = chain->parts.items[k].n_rows <= STOA_CHAIN_SHORT_ROWS;
    stoa_chain_slot *const slots = chain->slots + (is_short ? 0 : STOA_CHAIN_N_SHORT);
    const size_t n = is_short ? STOA_CHAIN_N_SHORT : STOA_CHAIN_N_LONG;
    stoa_chain_slot *slot = slots;

    *table = chain->first;
    if (k == 0) {
        return STOA_OK;
    }
    for (size_t i = 0; i < n; i++) {
        if (slots[i].table != NULL && slots[i].part == k) {
            slots[i].used = ++chain->clock;
            *table = slots[i].table;
            return STOA_OK;
        }
        slot = slots[i].used < slot->used ? &slots[i] : slot;
    }
    clear_slot(slot);
    const stoa_status status = fill_slot(chain, k, is_short, slot, err);
    if (status != STOA_OK) {
        clear_slot(slot);
        return status;
    }
    slot->part = k;
    slot->used = ++chain->clock;
    *table = slot->table;
    return STOA_OK;
}

static stoa_status open_part(void *context, size_t k, stoa_table **table, stoa_error *err)
{
    return stoa_chain_table(context, k, table, err);
}

/* Parts ------------------------------------------------------------------------------------- */

typedef struct gathering {
    stoa_chain *chain;
    const char *file;
    hid_t loc;
    bool is_pattern;
    size_t n;
} gathering;

static stoa_status add_part(void *context, const char *path, stoa_error *err)
{
    gathering *const g = context;
    stoa_table_parts *const parts = &g->chain->parts;
    stoa_status status = STOA_OK;
    stoa_error why = STOA_ERROR_INIT;
    stoa_table *table = NULL;
    stoa_table_part *items = NULL;
    char *own = NULL;

    if (g->is_pattern) { /* which may match what is no table */
        status = stoa_table_open(g->loc, path, &table, &why);
        stoa_table_close(table);
        if (status == STOA_ELAYOUT || status == STOA_ENOTFOUND) {
            return STOA_OK;
        }
        if (status != STOA_OK && err != NULL) {
            *err = why;
        }
        STOA_RETURN_NOT_OK(status);
    }
    own = stoa_strdup(path);
    items = stoa_one_more(parts->items, parts->n, sizeof *items);
    parts->items = items != NULL ? items : parts->items;
    if (own == NULL || items == NULL) {
        free(own);
        return stoa_fail_memory(err);
    }
    items[parts->n++] = (stoa_table_part){.file = g->file, .path = own};
    g->n++;
    return STOA_OK;
}

static stoa_status find_parts(stoa_chain *chain, size_t i, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_file *file = NULL;
    gathering g = {.chain = chain, .file = chain->files[i], .loc = chain->loc};

    if (!stoa_path_is_pattern(chain->path)) {
        return add_part(&g, chain->path, err);
    }
    if (i > 0) {
        STOA_TRY(stoa_file_open_with(g.file, STOA_FILE_READ, &chain->how, &file, err));
        g.loc = stoa_file_id(file);
    }
    g.is_pattern = !stoa_path_is_literal(g.loc, chain->path);
    STOA_TRY(g.is_pattern ? stoa_paths_match(g.loc, chain->path, add_part, &g, err)
                          : add_part(&g, chain->path, err));
    if (g.n == 0) {
        STOA_FAIL(err, STOA_ENOTFOUND, "'%s' matches no table; 'stoa ls %s' lists what there is",
                  chain->path, g.file);
    }

done:
    stoa_file_close(file);
    return stoa_at(err, status, "%s", g.file);
}

/* Opening ----------------------------------------------------------------------------------- */

void stoa_chain_hold(stoa_chain *chain)
{
    chain->n_holders++;
}

void stoa_chain_release(stoa_chain *chain)
{
    if (chain == NULL || --chain->n_holders > 0) {
        return;
    }
    for (size_t i = 0; i < sizeof chain->slots / sizeof *chain->slots; i++) {
        clear_slot(&chain->slots[i]);
    }
    stoa_table_close(chain->first);
    for (size_t i = 0; i < chain->parts.n; i++) {
        free(chain->parts.items[i].path);
    }
    for (size_t i = 0; i < chain->n_files; i++) {
        free(chain->files[i]);
    }
    free(chain->parts.items);
    free(chain->files);
    free(chain->path);
    free(chain);
}

static void release(void *context)
{
    stoa_chain_release(context);
}

static stoa_status copy_names(stoa_chain *chain, const char *const *files, size_t n,
                              const char *path, stoa_error *err)
{
    chain->files = stoa_alloc_zero(n, sizeof *chain->files);
    chain->path = stoa_strdup(path);
    STOA_RETURN_NO_MEMORY(err, chain->files != NULL && chain->path != NULL);
    for (; chain->n_files < n; chain->n_files++) {
        chain->files[chain->n_files] = stoa_strdup(files[chain->n_files]);
        STOA_RETURN_NO_MEMORY(err, chain->files[chain->n_files]);
    }
    return STOA_OK;
}

stoa_status stoa_chain_open(hid_t first, const char *const *files, size_t n, const char *path,
                            stoa_chain **out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_chain *chain = stoa_alloc_zero(1, sizeof *chain);

    *out = NULL;
    STOA_RETURN_NO_MEMORY(err, chain);
    chain->n_holders = 1;
    chain->loc = first;
    chain->parts.open = open_part;
    chain->parts.close = release;
    chain->parts.context = chain;
    chain->patience = stoa_patience_of(first);
    chain->how = (stoa_file_options)STOA_FILE_OPTIONS_INIT;
    chain->how.patience = &chain->patience;
    chain->how.follow_external = stoa_follows_elsewhere(first);
    chain->how.map = stoa_is_in_mapped_file(first);
    STOA_TRY(copy_names(chain, files, n, path, err));
    for (size_t i = 0; i < n; i++) {
        STOA_TRY(find_parts(chain, i, err));
    }
    STOA_TRY(stoa_table_open(first, chain->parts.items[0].path, &chain->first, err));
    *out = chain;
    chain = NULL;

done:
    stoa_chain_release(chain);
    return status;
}
