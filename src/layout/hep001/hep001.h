/* HEP001's tables as a layout: Stoa's own, which src/table reads and writes. */
#ifndef STOA_LAYOUT_HEP001_H
#define STOA_LAYOUT_HEP001_H

#include "layout/writer.h"

#define STOA_HEP001 "hep001" /* its name */

/* Write a table of any layout as one of HEP001, with what users noted of it. What its layout says
 * beside is kept by that (stoa_layout's keep_notes). */
stoa_status stoa_hep001_write(stoa_table *from, hid_t loc, const char *path,
                              const stoa_layout_options *options, uint64_t *n_rows,
                              stoa_error *err);

#endif
