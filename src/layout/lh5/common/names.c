/* LH5 columns whose names HEP001 reserves (§13.1) are renamed in HEP001 (saved_metadata.h). */
#include <stdlib.h>
#include <string.h>

#include "column/read/foreign.h"
#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "layout/lh5/write/saved_metadata.h"
#include "table/open/names.h"

stoa_status stoa_lh5_rename_reserved(stoa_table *table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *name = NULL;

    for (size_t i = 0; i < table->n_columns; i++) {
        stoa_column *const column = table->columns[i];
        if (!stoa_name_is_reserved(column->name)) {
            continue;
        }
        name = stoa_format("%s_", column->name);
        while (name != NULL && stoa_table_find(table, name) != NULL) {
            char *const longer = stoa_format("%s_", name);
            free(name);
            name = longer;
        }
        STOA_TRY(name != NULL ? STOA_OK : stoa_fail_memory(err));
        STOA_TRY(stoa_column_add_metadata(column, STOA_LH5_NAME, column->name, err));
        free(column->name);
        column->name = name;
        name = NULL;
    }

done:
    free(name);
    return status;
}

stoa_status stoa_lh5_each_renamed(hid_t file, const char *path, stoa_lh5_renamed *visit,
                                  void *context, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *table = NULL;
    hid_t dataset = H5I_INVALID_HID;
    char *was = NULL;

    STOA_TRY(stoa_hep001_open(file, path, &table, err));
    for (size_t i = 0; i < table->n_columns; i++) {
        const char *const name = table->columns[i]->name;
        if (name[0] == '\0' || name[strlen(name) - 1] != '_') {
            continue;
        }
        dataset = stoa_object_open(table->group, name);
        STOA_TRY(stoa_attribute_read_optional(dataset, STOA_LH5_NAME_KEPT, &was, err));
        if (was != NULL) {
            visit(context, was, name);
        }
        free(was);
        was = NULL;
        STOA_TRY(stoa_hdf_close(&dataset, STOA_OK, err));
    }

done:
    free(was);
    status = stoa_hdf_close(&dataset, status, err);
    stoa_table_close(table);
    return status;
}
