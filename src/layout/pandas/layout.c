/* Both formats of pandas' HDFStore as layouts. Listings call their tables "pandas". */
#include "layout/layout.h"
#include "layout/pandas/frame.h"
#include "layout/pandas/shape.h"
#include "layout/pytables/pytables.h"

extern const stoa_layout_class stoa_pandas_tables;       /* table.c */
extern const stoa_layout_class stoa_pandas_fixed_frames; /* fixed.c */

static const char *const shown_as[] = {"pandas", NULL};

static const stoa_layout_writer write_table = {.write = stoa_pandas_write_table,
                                               .missing.holds = stoa_pandas_holds_missing,
                                               .mark = stoa_pytables_mark_root};

/* This one keeps the frame metadata for both. */
const stoa_layout stoa_layout_pandas_table = {
    .name = "pandas-table",
    .title = "pandas' table format",
    .shown_as = shown_as,
    .classes = (const stoa_layout_class *const[]){&stoa_pandas_tables, NULL},
    .writer = &write_table,
    .save_metadata = stoa_pandas_save_metadata};

static const stoa_layout_writer write_fixed = {.write = stoa_pandas_write_fixed,
                                               .missing.holds = stoa_pandas_holds_missing,
                                               .plain = stoa_categories_all,
                                               .mark = stoa_pytables_mark_root};

const stoa_layout stoa_layout_pandas_fixed = {
    .name = "pandas-fixed",
    .title = "pandas' fixed format",
    .shown_as = shown_as,
    .classes = (const stoa_layout_class *const[]){&stoa_pandas_fixed_frames, NULL},
    .writer = &write_fixed};
