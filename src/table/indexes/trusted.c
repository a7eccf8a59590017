/* The trusted tables of a file that is being edited (stoa_trusted). */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "table/indexes/trust.h"

/* A table's GENERATION at some time. */
typedef struct generation {
    bool exists;
    uint64_t value;
} generation;

typedef struct member {
    char *path;
    bool was_trusted; /* when the edit began */
    bool is_trusted;  /* once it is committed */
    bool is_moved;    /* the edit put it there */
    generation before;
    generation after;
} member;

struct stoa_trusted {
    member *members;
    size_t n;
    size_t n_allocated;
};

static stoa_status add(stoa_trusted *trusted, const char *path, member **added, stoa_error *err)
{
    if (trusted->n == trusted->n_allocated) {
        const size_t n = trusted->n * 2 + 4;
        member *const longer = stoa_realloc(trusted->members, n, sizeof *longer);
        STOA_RETURN_NO_MEMORY(err, longer);
        trusted->members = longer;
        trusted->n_allocated = n;
    }
    char *const copy = stoa_strdup(path);
    STOA_RETURN_NO_MEMORY(err, copy);
    *added = &trusted->members[trusted->n++];
    **added = (member){.path = copy};
    return STOA_OK;
}

static member *find(const stoa_trusted *trusted, const char *path)
{
    for (size_t i = 0; i < trusted->n; i++) {
        if (strcmp(trusted->members[i].path, path) == 0) {
            return &trusted->members[i];
        }
    }
    return NULL;
}

/* The file is in the state of the entry, and so is its table. */
static stoa_status note(void *context, const stoa_trust_table *table, stoa_error *err)
{
    member *added = NULL;

    STOA_RETURN_NOT_OK(add(context, table->path, &added, err));
    added->was_trusted = true;
    added->is_trusted = true;
    if (table->generation != NULL) {
        added->before = (generation){true, *table->generation};
    }
    added->after = added->before;
    return STOA_OK;
}

stoa_status stoa_trusted_open(const char *file, stoa_trusted **trusted, stoa_error *err)
{
    stoa_error ignored = STOA_ERROR_INIT;
    stoa_trusted *const opened = stoa_alloc_zero(1, sizeof *opened);

    *trusted = opened;
    STOA_RETURN_NO_MEMORY(err, opened);
    if (file != NULL) { /* without a ledger no table is trusted */
        (void)!stoa_trust_visit(file, note, opened, &ignored);
    }
    return STOA_OK;
}

bool stoa_trusted_is_empty(const stoa_trusted *trusted)
{
    return trusted == NULL || trusted->n == 0;
}

bool stoa_trusted_had(const stoa_trusted *trusted, const char *path)
{
    const member *const found = trusted != NULL ? find(trusted, path) : NULL;

    return found != NULL && found->was_trusted;
}

stoa_status stoa_trusted_move(stoa_trusted *trusted, const char *from, const char *to,
                              stoa_error *err)
{
    member *const old = from != NULL ? find(trusted, from) : NULL;
    member *new = to != NULL ? find(trusted, to) : NULL;

    if (old != NULL) {
        old->is_trusted = false;
    }
    if (to != NULL && new == NULL) {
        STOA_RETURN_NOT_OK(add(trusted, to, &new, err));
    }
    if (new != NULL) {
        new->is_trusted = true;
        new->is_moved = true;
    }
    return STOA_OK;
}

/* Whether an object is the edited one, or within it. */
static bool is_in(const char *path, const char *edited)
{
    const size_t n = strlen(edited);

    return strncmp(path, edited, n) == 0 &&
           (path[n] == '\0' || path[n] == '/' || (n > 0 && edited[n - 1] == '/'));
}

void stoa_trusted_look(stoa_trusted *trusted, hid_t loc, const char *edited)
{
    for (size_t i = 0; trusted != NULL && i < trusted->n; i++) {
        member *const m = &trusted->members[i];
        if (m->is_moved || edited == NULL || is_in(m->path, edited)) {
            m->after.exists = stoa_trust_generation(loc, m->path, &m->after.value);
        }
    }
}

stoa_status stoa_trusted_record(const stoa_trusted *trusted, const char *file, const char *stamp,
                                bool is_edited, stoa_error *err)
{
    size_t n = 0;

    if (stoa_trusted_is_empty(trusted)) {
        return STOA_OK;
    }
    if (stamp == NULL) {
        return stoa_fail(err, STOA_EIO, "its time stamps tell no change from another");
    }
    stoa_trust_table *const tables = stoa_alloc_zero(trusted->n, sizeof *tables);
    STOA_RETURN_NO_MEMORY(err, tables);
    for (size_t i = 0; i < trusted->n; i++) {
        const member *const m = &trusted->members[i];
        const generation *const g = is_edited ? &m->after : &m->before;
        if (is_edited ? m->is_trusted : m->was_trusted) {
            tables[n++] = (stoa_trust_table){m->path, g->exists ? &g->value : NULL};
        }
    }
    const stoa_status status = n > 0 ? stoa_trust_record_all(file, tables, n, stamp, err) : STOA_OK;
    free(tables);
    return status;
}

void stoa_trusted_close(stoa_trusted *trusted)
{
    for (size_t i = 0; trusted != NULL && i < trusted->n; i++) {
        free(trusted->members[i].path);
    }
    free(trusted != NULL ? trusted->members : NULL);
    free(trusted);
}
