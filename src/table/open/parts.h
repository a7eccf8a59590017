/* The tables that follow one another in a table over several files or objects. */
#ifndef STOA_TABLE_PARTS_H
#define STOA_TABLE_PARTS_H

#include <stoa/table.h>

typedef struct stoa_table_part {
    const char *file; /* as it was named; parts of one file have the same pointer */
    char *path;       /* in the file */
    uint64_t first;   /* number of its first row in the whole table */
    uint64_t n_rows;
    bool has_indexes; /* it may have search indexes */
} stoa_table_part;

typedef struct stoa_table_parts {
    stoa_table_part *items;
    size_t n;
    /* Open part k; the table is borrowed until the next call. Called only where libhdf5 may be
     * called. */
    stoa_status (*open)(void *context, size_t k, stoa_table **table, stoa_error *err);
    void (*close)(void *context); /* called when the table is closed */
    void *context;
} stoa_table_parts;

/* The part that holds a row below the number of rows. */
size_t stoa_parts_find(const stoa_table_parts *parts, uint64_t row);

#endif
