#include "session.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct pystoa_trusted {
    char *path;
    uint64_t generation;
    bool has_generation;
} pystoa_trusted;

static void look(pystoa_session *session, pystoa_trusted *table)
{
    table->has_generation =
        stoa_trust_generation(stoa_file_id(session->file), table->path, &table->generation);
}

/* Where memory runs out, the table is verified again one day. */
static void add(pystoa_session *session, const pystoa_trusted *table)
{
    pystoa_trusted *const longer =
        realloc(session->trusted, (session->n_trusted + 1) * sizeof *longer);

    if (longer != NULL) {
        session->trusted = longer;
        longer[session->n_trusted] = *table;
        longer[session->n_trusted].path = strdup(table->path);
        session->n_trusted += longer[session->n_trusted].path != NULL;
    }
}

static bool note_trusted(void *context, const stoa_object *object)
{
    pystoa_session *const session = context;
    pystoa_trusted table = {(char *)(uintptr_t)object->path, 0, false};

    look(session, &table);
    if (stoa_trust_get(session->path, table.path,
                       table.has_generation ? &table.generation : NULL) == STOA_TRUST_HOLDS) {
        add(session, &table);
    }
    return true;
}

stoa_status pystoa_session_open(pystoa_session *session, const char *path, stoa_file_mode mode,
                                stoa_error *err)
{
    stoa_file_options options = STOA_FILE_OPTIONS_INIT;
    const stoa_file_patience patience = pystoa_patience();
    stoa_status status;

    options.patience = &patience;
    session->path = path;
    status = stoa_file_open_with(path, mode, &options, &session->file, err);
    if (status == STOA_OK && (mode == STOA_FILE_EDIT || mode == STOA_FILE_SAFE)) {
        status = stoa_place_visit(stoa_file_id(session->file), note_trusted, session, err);
    }
    return status;
}

stoa_status pystoa_session_open_target(pystoa_session *session, const char *path, stoa_error *err)
{
    struct stat about;

    return pystoa_session_open(session, path,
                               stat(path, &about) == 0 ? STOA_FILE_EDIT : STOA_FILE_CREATE, err);
}

/* The ledger is a help: where it cannot be written, queries scan. */
static void remember(const pystoa_session *session, const char *stamp)
{
    for (size_t i = 0; stamp != NULL && i < session->n_trusted; i++) {
        const pystoa_trusted *const table = &session->trusted[i];
        stoa_error ignored = STOA_ERROR_INIT;

        (void)!stoa_trust_record(session->path, table->path,
                                 table->has_generation ? &table->generation : NULL, stamp,
                                 &ignored);
    }
}

static void clear(pystoa_session *session)
{
    for (size_t i = 0; i < session->n_trusted; i++) {
        free(session->trusted[i].path);
    }
    free(session->trusted);
    *session = (pystoa_session)PYSTOA_SESSION_INIT;
}

static bool is_noted(const pystoa_session *session, const char *path)
{
    for (size_t i = 0; i < session->n_trusted; i++) {
        if (strcmp(session->trusted[i].path, path) == 0) {
            return true;
        }
    }
    return false;
}

stoa_status pystoa_session_commit(pystoa_session *session, const char *trusts, stoa_error *err)
{
    stoa_file *const file = session->file;
    char *stamp = NULL;
    stoa_status status;

    if (trusts != NULL && !is_noted(session, trusts)) {
        add(session, &(pystoa_trusted){(char *)(uintptr_t)trusts, 0, false});
    }
    for (size_t i = 0; i < session->n_trusted; i++) {
        look(session, &session->trusted[i]); /* what the edit made of it */
    }
    session->file = NULL;
    status = stoa_file_commit_stamped(file, session->n_trusted > 0 ? &stamp : NULL, err);
    if (status == STOA_OK) {
        remember(session, stamp);
    }
    stoa_free(stamp);
    clear(session);
    return status;
}

void pystoa_session_close(pystoa_session *session)
{
    char *stamp = NULL;

    if (session->file != NULL) {
        /* A discarded edit leaves the same bytes with another time. */
        stoa_file_close_stamped(session->file, session->n_trusted > 0 ? &stamp : NULL);
        remember(session, stamp);
        stoa_free(stamp);
    }
    clear(session);
}
