#include "session.h"

#include <sys/stat.h>

stoa_status pystoa_session_open(pystoa_session *session, const char *path, stoa_file_mode mode,
                                stoa_error *err)
{
    stoa_file_options options = STOA_FILE_OPTIONS_INIT;
    const stoa_file_patience patience = pystoa_patience();
    stoa_status status;

    options.patience = &patience;
    session->path = path;
    status = stoa_file_open_with(path, mode, &options, &session->file, err);
    if (status == STOA_OK && mode != STOA_FILE_READ) {
        status = stoa_trusted_open(mode == STOA_FILE_CREATE ? NULL : path, &session->trusted, err);
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
static void remember(const pystoa_session *session, const char *stamp, bool is_edited)
{
    stoa_error ignored = STOA_ERROR_INIT;

    (void)!stoa_trusted_record(session->trusted, session->path, stamp, is_edited, &ignored);
}

static void clear(pystoa_session *session)
{
    stoa_trusted_close(session->trusted);
    *session = (pystoa_session)PYSTOA_SESSION_INIT;
}

stoa_status pystoa_session_commit(pystoa_session *session, const char *edited, bool trusts,
                                  stoa_error *err)
{
    stoa_file *const file = session->file;
    char *stamp = NULL;

    if (trusts) { /* where memory runs out, the table is verified again one day */
        stoa_error ignored = STOA_ERROR_INIT;
        (void)!stoa_trusted_move(session->trusted, NULL, edited, &ignored);
    }
    stoa_trusted_look(session->trusted, stoa_file_id(file), edited);
    session->file = NULL;
    const stoa_status status = stoa_file_commit_stamped(
        file, stoa_trusted_is_empty(session->trusted) ? NULL : &stamp, err);
    remember(session, stamp, status == STOA_OK);
    stoa_free(stamp);
    clear(session);
    return status;
}

void pystoa_session_close(pystoa_session *session)
{
    char *stamp = NULL;

    if (session->file != NULL) {
        /* A discarded edit leaves the same bytes with another time. */
        stoa_file_close_stamped(session->file,
                                stoa_trusted_is_empty(session->trusted) ? NULL : &stamp);
        remember(session, stamp, false);
        stoa_free(stamp);
    }
    clear(session);
}
