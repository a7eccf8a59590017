/*
 * SQL in a database of DuckDB in memory.
 *
 * A statement's result is an Arrow stream, so what prints, stores and converts streams takes it.
 * Its types are those of DuckDB; arrow/cast/normalize.h makes those of tables.
 */
#ifndef STOA_SQL_SESSION_H
#define STOA_SQL_SESSION_H

#include <pthread.h>
#include <stoa/arrow.h>
#include <stoa/error.h>
#include <stoa/file.h>

#include "core/file_names.h"
#include "core/memory.h"
#include "sql/duckdb.h"
#include "sql/kept.h"

/* How a database is used. Zero-initialise. */
typedef struct stoa_sql_options {
    unsigned n_threads;                 /* 0: one per processor */
    bool follow_external;               /* as in stoa_file_options */
    const stoa_file_patience *patience; /* for files in use; borrowed. NULL: the default */
    bool (*stop)(void); /* called often, on any thread: true ends the statement. May be NULL */
    bool explains;      /* notes what scans did, each with one thread */
    void (*tell)(const char *remark); /* what is left out of a table. May be NULL */
} stoa_sql_options;

/* A database with a connection. Use it from one thread at a time. It must not move while open. */
typedef struct stoa_sql {
    const stoa_duckdb *duckdb; /* NULL: not open */
    stoa_sql_options options;
    duck_object database;
    duck_object connection;
    pthread_t watcher; /* calls `stop` */
    bool is_watched;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t closing;
    bool is_closing;
    stoa_buffer plans;     /* of finished scans, if `explains` */
    stoa_file_names files; /* that the last statement reads */
    stoa_sql_kept kept;    /* tables for the next statements */
    stoa_error failure;    /* the first of a scan: DuckDB hands on its text alone */
} stoa_sql;

/* Open a new database; start from a zeroed struct. STOA_ENOTFOUND and STOA_EVERSION as for
 * stoa_duckdb_open(). `options` may be NULL. */
stoa_status stoa_sql_open(stoa_sql *sql, const stoa_sql_options *options, stoa_error *err);
/* Close it, after the streams of all statements are released. */
void stoa_sql_close(stoa_sql *sql);

/*
 * Run statements; the result is that of the last. Places in quotes are tables, as in `from
 * 'run.h5:/events'`, and so are calls of read_stoa() (scan.h).
 *
 * Rows are computed as the stream is read. A statement that gives no rows, such as `create table`,
 * has ended when this returns. Its stream has no rows, and no columns. One that changes rows
 * gives their number in the column `Count`.
 *
 * @param[out] out  yours; release it before the database is closed
 * @return STOA_ESYNTAX or another failure with DuckDB's message, in one line; the failure of a
 *         scan, with its place; STOA_EINVAL if there is no statement; STOA_ECANCELLED if `stop`
 * ended it
 */
stoa_status stoa_sql_run(stoa_sql *sql, const char *text, struct ArrowArrayStream *out,
                         stoa_error *err);

/* Close the tables that are kept for the next statements: before a file is written, or when no
 * statement is to be expected soon. */
void stoa_sql_forget(stoa_sql *sql);

#endif
