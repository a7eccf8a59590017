/*
 * Which type a table's references are of.
 *
 * HEP001 §5 asks for H5T_STD_REF. A table for programs that know only H5T_STD_REF_OBJ has all of
 * that type, and an edit adds no other. The attribute STOA_TABLE_REFERENCES says so before there is
 * any reference.
 */
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/references.h"
#include "table/open/table.h"

void stoa_table_use_old_references(stoa_table *table)
{
    table->has_old_references = true;
    for (size_t i = 0; i < table->n_columns; i++) {
        table->columns[i]->has_old_references = true;
    }
}

void stoa_table_settle_references(stoa_table *table)
{
    bool are_old =
        stoa_references_are_old(table->group, "INDEX_COLUMNS") ||
        stoa_attribute_is(table->group, STOA_TABLE_REFERENCES, STOA_TABLE_REFERENCES_OLD);

    for (size_t i = 0; i < table->n_columns && !are_old; i++) {
        const hid_t dataset = table->columns[i]->dataset;
        are_old = dataset >= 0 && (stoa_references_are_old(dataset, "CATEGORIES") ||
                                   stoa_references_are_old(dataset, "SEARCH_INDEX_LIST"));
    }
    if (are_old) {
        stoa_table_use_old_references(table);
    }
}
