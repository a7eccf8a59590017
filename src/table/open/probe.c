/* Whether a group is a HEP001 table (§7.1). */
#include <stdlib.h>
#include <string.h>

#include "hdf/metadata/attributes.h"
#include "table/open/table.h"

stoa_status stoa_table_probe(hid_t group, bool *is_table, stoa_error *err)
{
    char *value = NULL;
    const stoa_status status = stoa_attribute_read_optional(group, "CLASS", &value, err);

    *is_table = value != NULL && strcmp(value, "COLUMN_TABLE") == 0;
    free(value);
    return status;
}
