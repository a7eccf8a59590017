/* The declared datatypes of LH5 objects, and object paths of column names (lh5.h). */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "layout/lh5/read/lh5.h"

stoa_status stoa_lh5_type_of(hid_t object, stoa_lh5_datatype *type, char **text, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *said = NULL;

    *type = (stoa_lh5_datatype){0};
    STOA_TRY(stoa_attribute_read_text(object, "datatype", &said, err));
    if (said != NULL) {
        STOA_TRY(stoa_lh5_datatype_parse(said, type, err));
    }

done:
    if (status != STOA_OK || text == NULL) {
        free(said);
        said = NULL;
    }
    if (text != NULL) {
        *text = said;
    }
    return status;
}

stoa_status stoa_lh5_type_if_valid(hid_t object, stoa_lh5_datatype *type, char **text,
                                   stoa_error *err)
{
    const stoa_status status = stoa_lh5_type_of(object, type, text, NULL);

    return status != STOA_ENOMEM ? STOA_OK : stoa_fail_memory(err);
}

char *stoa_lh5_path_of(hid_t group, const char *name, size_t length)
{
    char *const path = stoa_strndup(name, length);
    char *dot = path;

    while (path != NULL && (dot = strchr(dot, '.')) != NULL && !stoa_object_exists(group, path)) {
        *dot = '\0';
        const bool is_table = stoa_object_exists(group, path);
        *dot++ = is_table ? '/' : '.';
    }
    return path;
}

const char *stoa_lh5_remark_of(const stoa_column *column, const char *key)
{
    for (size_t i = 0; i < column->n_metadata; i++) {
        if (strcmp(column->metadata[i].key, key) == 0) {
            return column->metadata[i].value;
        }
    }
    return NULL;
}

void stoa_lh5_move_names(stoa_lh5_datatype *type, stoa_layout_names *names)
{
    *names = (stoa_layout_names){type->names, type->n_names, type->text};
    type->names = NULL;
    type->n_names = 0;
    type->text = NULL;
}
