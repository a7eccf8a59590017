/* The HDF5 files that a statement reads, noted by its threads. */
#ifndef STOA_SQL_FILES_H
#define STOA_SQL_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stoa/error.h>

/* Zero-initialise; free with stoa_sql_files_clear(). */
typedef struct stoa_sql_files {
    char **names;
    size_t n;
} stoa_sql_files;

/* Not by several threads at a time. */
stoa_status stoa_sql_files_add(stoa_sql_files *files, char *const *names, size_t n,
                               stoa_error *err);
void stoa_sql_files_clear(stoa_sql_files *files);

#endif
