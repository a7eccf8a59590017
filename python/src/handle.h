/* An open table, shared by a Python object and the queries that run on it. Nothing here is
 * Python's, so that a thread that Python does not know may release the last query. */
#ifndef PYSTOA_HANDLE_H
#define PYSTOA_HANDLE_H

#include <stoa/stoa.h>

typedef struct pystoa_handle pystoa_handle;

/* Which table to open. */
typedef struct pystoa_place {
    const char *path;         /* the file */
    const char *object;       /* NULL: the only table of the file */
    const char *const *files; /* a set that is read as one table; `path` is its first. NULL: none */
    size_t n_files;
    bool follow_external;
    bool map;
    bool by_name; /* of a set: as in stoa_files_options */
    bool strict;
} pystoa_place;

/* As stoa_table_open_file() or stoa_table_open_files_with(). */
stoa_status pystoa_handle_open(const pystoa_place *place, stoa_file_patience patience,
                               pystoa_handle **handle, stoa_error *err);
pystoa_handle *pystoa_handle_share(pystoa_handle *handle);
/* The last one closes the table. NULL is allowed. */
void pystoa_handle_release(pystoa_handle *handle);

/* Refuse further uses. The table is closed at once, or with the last query that still runs. */
void pystoa_handle_close(pystoa_handle *handle);
bool pystoa_handle_is_closed(const pystoa_handle *handle);

/* Use the table, from one thread at a time; others wait, so give up the GIL before. Fails on a
 * handle that was closed, or that came into this process by a fork. */
stoa_status pystoa_handle_enter(pystoa_handle *handle, stoa_table **table, stoa_error *err);
void pystoa_handle_leave(pystoa_handle *handle);

/* The same for a query that was begun before the handle was closed. */
stoa_status pystoa_handle_enter_run(pystoa_handle *handle, stoa_error *err);
/* Count the queries that run; call these between enter and leave. */
void pystoa_handle_begin_run(pystoa_handle *handle);
void pystoa_handle_end_run(pystoa_handle *handle);
size_t pystoa_handle_n_runs(const pystoa_handle *handle);

/* Whether this process opened the handle: a child after a fork must not touch it, not even close
 * it, because locks and libhdf5's state are the parent's. */
bool pystoa_handle_is_ours(const pystoa_handle *handle);

/* Whether this user's Stoa trusts the indexes of the table (docs/indexes.md). Call it in a use. */
stoa_trust pystoa_handle_trust(const pystoa_handle *handle);

#endif
