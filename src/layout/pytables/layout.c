/* The layouts of PyTables, H5TB and other compound datasets (PyTables notes §1). */
#include <string.h>

#include "layout/pytables/member_notes.h"
#include "layout/pytables/pytables.h"
#include "layout/pytables/ragged.h"
#include "layout/pytables/rows.h"
#include "layout/pytables/user_attributes.h"

/* Indexes and the undo log have groups of their own (PyTables notes §2). */
static bool is_hidden(const char *path)
{
    return strstr(path, "/_i_") != NULL || strstr(path, "/_p_") != NULL;
}

static stoa_status append(const stoa_layout_source *source, stoa_table *table, stoa_error *err)
{
    return stoa_pytables_append(source, table->group, table->path, err);
}

static stoa_status read_attributes(const stoa_table *from, hid_t object, stoa_error *err)
{
    return stoa_user_attributes_copy(from, object, true, err);
}

static bool is_own(const stoa_table *table)
{
    return table->layout != NULL && strcmp(table->layout, "pytables") == 0;
}

static stoa_status recall_fields(const stoa_table *from, struct ArrowSchema *schema,
                                 stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_ragged_recall_atoms(from, schema, err));
    return stoa_pytables_recall_members(from, is_own(from), schema, err);
}

static stoa_status save_metadata(const stoa_table *from, hid_t loc, const char *path, hid_t table,
                                 stoa_error *err)
{
    if (!is_own(from)) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_ragged_save_atoms(from, loc, path, table, err));
    return stoa_pytables_save_members(from, table, err);
}

static stoa_status visit_facts(const stoa_table *table, stoa_layout_fact_visitor *visit,
                               void *context, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_pytables_visit_members(table, is_own(table), visit, context, err));
    return is_own(table) ? stoa_pytables_visit_facts(table, visit, context, err) : STOA_OK;
}

static const stoa_layout_writer write_pytables = {.write = stoa_ragged_write,
                                                  .missing = {.drops = true, .empties = true},
                                                  .recall_fields = recall_fields,
                                                  .take_notes = read_attributes,
                                                  .mark = stoa_pytables_mark_root};

const stoa_layout stoa_layout_pytables = {
    .name = "pytables",
    .title = "PyTables",
    .shown_as = (const char *const[]){"pytables", "h5tb", "compound", NULL},
    .classes = (const stoa_layout_class *const[]){&stoa_ragged_groups, &stoa_pytables_arrays,
                                                  &stoa_pytables_rows, NULL},
    .is_hidden = is_hidden,
    .companion = stoa_pytables_index_path,
    .is_own_attribute = stoa_attribute_is_of_pytables,
    .visit_user_attributes = stoa_user_attributes_visit,
    .writer = &write_pytables,
    .append = append,
    .may_append = stoa_pytables_may_append,
    .save_metadata = save_metadata,
    .visit_facts = visit_facts};

static const stoa_layout_writer write_h5tb = {.write = stoa_h5tb_write,
                                              .take_notes = read_attributes};

/* Read by the classes of PyTables. */
const stoa_layout stoa_layout_h5tb = {.name = "h5tb", .title = "H5TB", .writer = &write_h5tb};
