/* Attributes of LH5 files that cannot be read, which conversions leave behind (notes.h). */
#include <stdlib.h>

#include "core/memory.h"
#include "hdf/attributes.h"
#include "hdf/kept.h"
#include "hdf/walk.h"
#include "layout/lh5/attribute_text.h"
#include "layout/lh5/lh5.h"
#include "layout/lh5/notes.h"

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

/* Who is told. */
typedef struct looking {
    stoa_lh5_unread *visit;
    void *context;
} looking;

/* Of references, what they are to is a part of it. */
static stoa_status read_one(hid_t object, const char *name, stoa_error *why)
{
    stoa_status status = STOA_OK;
    stoa_kept kept = STOA_KEPT_INIT;
    stoa_buffer text = {0};

    STOA_TRY(stoa_attribute_keep(object, name, &kept, why));
    if (stoa_lh5_attribute_refers(object, name)) {
        STOA_TRY(stoa_lh5_attribute_print(object, name, &text, why));
    }

done:
    stoa_buffer_clear(&text);
    stoa_kept_clear(&kept);
    return status;
}

static stoa_status look_at_all(void *context, hid_t object, const char *path, stoa_error *err)
{
    const looking *const l = context;
    stoa_status status = STOA_OK;
    stoa_buffer names = {0};

    STOA_TRY(stoa_attribute_names(object, &names, NULL, err));
    for (size_t at = 0; at < names.size; at += strlen((char *)names.data + at) + 1) {
        const char *const name = (char *)names.data + at;
        stoa_error why = STOA_ERROR_INIT;
        const stoa_status failed = read_one(object, name, &why);
        STOA_TRY(failed == STOA_ENOMEM ? stoa_fail_memory(err) : STOA_OK);
        if (failed != STOA_OK) {
            l->visit(l->context, path, name, why.message);
        }
    }

done:
    stoa_buffer_clear(&names);
    return status;
}

static stoa_status enter(void *context, hid_t group, const char *path, bool *visits,
                         stoa_error *err)
{
    *visits = true;
    return look_at_all(context, group, path, err);
}

stoa_status stoa_lh5_each_unread(hid_t loc, const char *path, stoa_lh5_unread *visit, void *context,
                                 stoa_error *err)
{
    stoa_status status = STOA_OK;
    looking l = {visit, context};
    hid_t object = stoa_object_open(loc, path);

    stoa_silence_begin();
    if (object >= 0 && H5Iget_type(object) == H5I_GROUP) {
        status = stoa_datasets_visit_in(object, path, enter, look_at_all, NULL, &l, err);
    } else if (object >= 0) {
        status = look_at_all(&l, object, path, err);
    }
    stoa_silence_end();
    return stoa_hdf_close(&object, status, err);
}
