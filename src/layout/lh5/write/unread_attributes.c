/* Attributes of LH5 files that conversions drop (saved_metadata.h). */
#include <stdlib.h>

#include "core/memory.h"
#include "hdf/metadata/saved_attribute.h"
#include "layout/lh5/read/lh5.h"
#include "layout/lh5/write/reference_attributes.h"
#include "layout/lh5/write/saved_metadata.h"

bool stoa_lh5_is_at(hid_t loc, const char *path)
{
    stoa_lh5_datatype type = {0};
    char *text = NULL;
    hid_t object = stoa_object_open(loc, path);
    const bool is =
        object >= 0 && stoa_lh5_type_of(object, &type, &text, NULL) == STOA_OK && text != NULL;

    stoa_lh5_datatype_clear(&type);
    free(text);
    (void)stoa_hdf_close(&object, STOA_OK, NULL);
    return is;
}

/* Fails if an attribute is dropped; `why` is the reason. */
static stoa_status look_at_one(hid_t object, const char *name, stoa_error *why)
{
    stoa_status status = STOA_OK;
    stoa_saved_attribute kept = STOA_SAVED_ATTRIBUTE_INIT;
    char *path = NULL;
    bool is_one = false;
    stoa_error unread = STOA_ERROR_INIT;

    status = stoa_attribute_save(object, name, &kept, &unread);
    if (status != STOA_OK) {
        STOA_FAIL(why, status, "cannot be read: %s", unread.message);
    }
    if (stoa_lh5_refers(object, name, &is_one)) {
        STOA_TRY(stoa_lh5_referred(object, name, &path, why));
        if (path == NULL) {
            STOA_FAIL(why, STOA_EDATA, "has references, and is not one to an object");
        }
    }

done:
    free(path);
    stoa_saved_attribute_clear(&kept);
    return status;
}

/* Callback for dropped attributes. */
typedef struct looking {
    stoa_lh5_unread *visit;
    void *context;
} looking;

static stoa_status look_at(void *context, hid_t object, const char *path, const char *name,
                           stoa_error *err)
{
    const looking *const l = context;
    stoa_error why = STOA_ERROR_INIT;
    const stoa_status status = look_at_one(object, name, &why);

    if (status != STOA_OK && status != STOA_ENOMEM) {
        l->visit(l->context, path, name, why.message);
    }
    return status == STOA_ENOMEM ? stoa_fail_memory(err) : STOA_OK;
}

stoa_status stoa_lh5_each_unread(hid_t loc, const char *path, stoa_lh5_unread *visit, void *context,
                                 stoa_error *err)
{
    looking l = {visit, context};
    hid_t object = stoa_object_open(loc, path);
    const stoa_status status = stoa_lh5_each_attribute(object, path, look_at, &l, err);

    return stoa_hdf_close(&object, status, err);
}
