/*
 * Open tables that are kept for the next statements of a session, which need not open them again.
 *
 * A table is kept for a second at most, since a file that is being read shuts writers out. It is
 * not used again if its file is another one by then, or has changed.
 */
#ifndef STOA_SQL_KEPT_H
#define STOA_SQL_KEPT_H

#include <pthread.h>
#include <stoa/file.h>
#include <stoa/table.h>
#include <sys/stat.h>
#include <time.h>

/* An open table, for one thread. */
typedef struct stoa_sql_handle {
    stoa_file *file;
    stoa_table *table; /* NULL: not open */
    char *name;        /* of the file */
    char *path;
    bool is_only;       /* it was the only table of the file, and not named */
    bool uses_indexes;  /* the ledger trusts them */
    struct stat about;  /* the file, when it was opened */
    struct timespec at; /* when that was */
} stoa_sql_handle;

enum { STOA_SQL_KEPT_MOST = 32 };

/* Zero-initialise, and set the lock; free with stoa_sql_kept_clear(). Thread-safe. */
typedef struct stoa_sql_kept {
    pthread_mutex_t *lock; /* borrowed */
    stoa_sql_handle handles[STOA_SQL_KEPT_MOST];
    size_t n;
} stoa_sql_kept;

/* Note what a newly opened table is. A copy of the names is taken. */
stoa_status stoa_sql_handle_note(stoa_sql_handle *handle, const char *name, const char *path,
                                 stoa_error *err);
void stoa_sql_handle_close(stoa_sql_handle *handle);

/* Move a kept table out; false if there is none.
 *
 * @param path  NULL: the only one of the file */
bool stoa_sql_kept_take(stoa_sql_kept *kept, const char *name, const char *path,
                        stoa_sql_handle *out);
/* Keep a table, or close it if that is not possible. */
void stoa_sql_kept_give(stoa_sql_kept *kept, stoa_sql_handle *handle);
/* Close those that were opened more than a second ago. */
void stoa_sql_kept_age(stoa_sql_kept *kept);
void stoa_sql_kept_clear(stoa_sql_kept *kept);

#endif
