/* Columns of several files that are matched by name: their headers may differ. */
#ifndef STOA_LAYOUT_CSV_BY_NAME_H
#define STOA_LAYOUT_CSV_BY_NAME_H

#include "layout/csv/rows.h"
#include "layout/input/input.h"

/* Zero-initialise; free by stoa_csv_by_name_clear(). */
typedef struct stoa_csv_by_name {
    char **names; /* of all columns, in the order in which they first occur */
    size_t n;
    stoa_buffer files; /* stoa_buffer of size_t: for each field of a file its column */
} stoa_csv_by_name;

/* Add the header of the next file. STOA_EDATA if it has no column of the files before. */
stoa_status stoa_csv_by_name_add(stoa_csv_by_name *columns, const char *header, size_t length,
                                 char delimiter, stoa_error *err);
/* Once all are added: let the rows of a file have the fields of all columns. The first one gets
 * their header, too. */
stoa_status stoa_csv_by_name_use(const stoa_csv_by_name *columns, size_t file, char delimiter,
                                 stoa_input *input, stoa_error *err);
void stoa_csv_by_name_clear(stoa_csv_by_name *columns);

#endif
