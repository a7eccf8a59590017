/* HEP001 as a layout. It is Stoa's own format, which src/table reads and writes. */
#ifndef STOA_LAYOUT_HEP001_H
#define STOA_LAYOUT_HEP001_H

#include "layout/common/writer.h"

#define STOA_HEP001 "hep001" /* name of the layout */

/* Write a table of any layout as a HEP001 table, with the user's attributes. The source layout
 * records its other metadata (stoa_layout's save_metadata). */
stoa_status stoa_hep001_write(stoa_table *from, hid_t loc, const char *path,
                              const stoa_layout_options *options, uint64_t *n_rows,
                              stoa_error *err);

#endif
