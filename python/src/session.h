/* A file that is being edited. What was trusted in it before is trusted after (docs/indexes.md). */
#ifndef PYSTOA_SESSION_H
#define PYSTOA_SESSION_H

#include "call.h"

typedef struct pystoa_session {
    const char *path; /* borrowed */
    stoa_file *file;
    stoa_trusted *trusted; /* tables of the edited file */
} pystoa_session;

#define PYSTOA_SESSION_INIT                                                                        \
    {                                                                                              \
        NULL, NULL, NULL                                                                           \
    }

/* All of these are called without the GIL. */
stoa_status pystoa_session_open(pystoa_session *session, const char *path, stoa_file_mode mode,
                                stoa_error *err);
/* Open the file for editing, or make it if there is none. */
stoa_status pystoa_session_open_target(pystoa_session *session, const char *path, stoa_error *err);
/* Publish the changes. `edited`: the table, or NULL for several. `trusts`: this edit built its
 * indexes. Close all else in the file before. Ends the session in every case. */
stoa_status pystoa_session_commit(pystoa_session *session, const char *edited, bool trusts,
                                  stoa_error *err);
/* End a session, whose changes are discarded; after a commit it does nothing. */
void pystoa_session_close(pystoa_session *session);

#endif
