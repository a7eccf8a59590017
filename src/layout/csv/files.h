/* Several CSV files that are read as one: the header of the first is that of all. */
#ifndef STOA_LAYOUT_CSV_FILES_H
#define STOA_LAYOUT_CSV_FILES_H

#include <stoa/csv.h>

#include "layout/input/input.h"

/*
 * Look at the first lines of a file, and let the other files of the options follow, without their
 * headers.
 *
 * @param first    at its begin, and again afterwards
 * @param name     of that file, for messages
 * @param options  a delimiter of 0 is replaced by the one that was found
 * @return STOA_EDATA if a file has another header, and columns are not matched by name
 */
stoa_status stoa_csv_files_join(stoa_input *first, const char *name, stoa_csv_options *options,
                                stoa_error *err);

#endif
