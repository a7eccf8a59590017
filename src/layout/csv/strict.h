/* Several files whose columns must have the same types (stoa_csv_options.strict). */
#ifndef STOA_LAYOUT_CSV_STRICT_H
#define STOA_LAYOUT_CSV_STRICT_H

#include "layout/csv/columns.h"

/* What the values of a column are, and in which file. */
typedef struct stoa_csv_nature {
    const char *is; /* "integers" ...; NULL: no file has values */
    const char *file;
} stoa_csv_nature;

/* Compare the columns of a file by itself with those of the files before. Widths and units do not
 * matter, nor do columns whose type the caller gave.
 *
 * @param known  for each of `columns`, zeroed for the first file
 * @return STOA_EDATA that names the file, the column and both types
 */
stoa_status stoa_csv_compare_types(const stoa_csv_columns *columns, const stoa_csv_columns *file,
                                   const char *name, stoa_csv_nature *known, stoa_error *err);

/* The columns of an open file, borrowed. */
const stoa_csv_columns *stoa_csv_columns_of(const stoa_csv *csv);

#endif
