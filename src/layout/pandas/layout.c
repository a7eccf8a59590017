/* Both formats of pandas' HDFStore as layouts. Listings call their tables "pandas". */
#include <string.h>

#include "hdf/metadata/attributes.h"
#include "layout/layout.h"
#include "layout/pandas/frame.h"
#include "layout/pandas/objects.h"
#include "layout/pandas/shape.h"
#include "layout/pandas/table_write.h"
#include "layout/pytables/member_notes.h"
#include "layout/pytables/pytables.h"

extern const stoa_layout_class stoa_pandas_tables;       /* table.c */
extern const stoa_layout_class stoa_pandas_fixed_frames; /* fixed.c */

static const char *const shown_as[] = {"pandas", NULL};

/* Strings have a width in both formats, and pandas appends to the table format alone. */
static bool has_widths(const stoa_table *table)
{
    return table->layout != NULL && strcmp(table->layout, "pandas") == 0;
}

static stoa_status recall_fields(const stoa_table *from, struct ArrowSchema *schema,
                                 stoa_error *err)
{
    return stoa_pytables_recall_members(from, has_widths(from), schema, err);
}

static stoa_status save_metadata(const stoa_table *from, hid_t loc, const char *path, hid_t table,
                                 stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_pandas_save_metadata(from, loc, path, table, err));
    return has_widths(from) ? stoa_pytables_save_members(from, table, err) : STOA_OK;
}

static stoa_status visit_facts(const stoa_table *table, stoa_layout_fact_visitor *visit,
                               void *context, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_pandas_visit_periods(table, visit, context, err));
    if (!has_widths(table)) {
        return STOA_OK;
    }
    for (size_t i = 0; i < stoa_table_n_columns(table); i++) {
        const stoa_column *const column = stoa_table_column(table, i);
        for (size_t k = 0; k < column->n_metadata; k++) {
            if (strcmp(column->metadata[k].key, STOA_PANDAS_OBJECTS) == 0) {
                STOA_RETURN_NOT_OK(
                    visit(context, "Python objects", column->name, column->metadata[k].value, err));
            }
        }
    }
    return stoa_pytables_visit_members(table, true, visit, context, err);
}

/* Both formats are listed under one name. */
static stoa_status may_append(const stoa_table *table, stoa_error *err)
{
    return stoa_attribute_is(table->group, "pandas_type", "frame_table") ||
                   stoa_attribute_is(table->group, "pandas_type", "series_table")
               ? STOA_OK
               : stoa_fail(err, STOA_ELAYOUT,
                           "pandas' fixed format gets no rows; make it a frame of the table format "
                           "first: stoa convert --to pandas-table");
}

static const stoa_layout_writer write_table = {.write = stoa_pandas_write_table,
                                               .missing.holds = stoa_pandas_holds_missing,
                                               .recall_fields = recall_fields,
                                               .mark = stoa_pytables_mark_root};

/* This one keeps the frame metadata for both. */
const stoa_layout stoa_layout_pandas_table = {
    .name = "pandas-table",
    .title = "pandas' table format",
    .shown_as = shown_as,
    .classes = (const stoa_layout_class *const[]){&stoa_pandas_tables, NULL},
    .writer = &write_table,
    .append = stoa_pandas_append,
    .may_append = may_append,
    .save_metadata = save_metadata,
    .visit_facts = visit_facts};

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
