/* The options of a CSV file: checked, and with what they leave open. */
#ifndef STOA_LAYOUT_CSV_OPTIONS_H
#define STOA_LAYOUT_CSV_OPTIONS_H

#include <stoa/csv.h>

#include "layout/csv/read.h"
#include "layout/csv/spelling.h"

/*
 * Copy options of any version.
 *
 * @param[out] options  the pointers in it are the caller's. A delimiter of 0 is still open.
 * @param[out] nulls    the caller clears its texts, also on failure
 * @param name          of the file, whose suffix may tell the delimiter
 * @return STOA_EINVAL if an option has no meaning
 */
stoa_status stoa_csv_options_take(stoa_csv_options *options, stoa_csv_spelling *spelling,
                                  stoa_csv_nulls *nulls, const char *name,
                                  const stoa_csv_options *given, stoa_error *err);

#endif
