/*
 * Attributes of LH5 objects that refer to other objects of the file: they wait as texts until all
 * is where it belongs (attribute_text.h), and are made then. Where nothing has the path the text
 * stays, which says what is missing.
 */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "hdf/attributes.h"
#include "layout/layout.h"
#include "layout/lh5/attribute_text.h"
#include "layout/lh5/writer.h"

/* Whether an attribute is one that waits; then what it is to be called. */
static const char *waits_for(const char *name)
{
    static const char *const texts[] = {"", "units", "description", NULL};
    const size_t prefix = strlen(STOA_LH5_REFERENCE);

    return strncmp(name, STOA_LH5_REFERENCE, prefix) == 0 &&
                   !stoa_is_listed(name + prefix, texts) &&
                   !stoa_is_listed(name + prefix, stoa_lh5_own)
               ? name + prefix
               : NULL;
}

/* What is below a path. */
typedef struct pointing {
    const char *path;
    stoa_lost_visitor visitor;
    void *context;
} pointing;

static char *path_of(const pointing *p, const char *name)
{
    const size_t length = strlen(p->path);
    const bool is_root = length > 0 && p->path[length - 1] == '/';

    return strcmp(name, ".") == 0 ? stoa_strdup(p->path)
                                  : stoa_format("%s%s%s", p->path, is_root ? "" : "/", name);
}

static stoa_status point_one(const pointing *p, hid_t object, const char *name,
                             const char *attribute, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *lost = NULL;
    char *path = NULL;

    STOA_TRY(stoa_lh5_attribute_point(object, attribute, &lost, err));
    if (lost != NULL && p->visitor != NULL) {
        path = path_of(p, name);
        STOA_TRY(path != NULL ? STOA_OK : stoa_fail_memory(err));
        p->visitor(p->context, path, attribute, lost);
    }

done:
    free(path);
    free(lost);
    return status;
}

static stoa_status point_all(const pointing *p, hid_t start, const char *name, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer names = {0};
    hid_t object = stoa_object_open(start, name);

    if (object < 0) {
        return STOA_OK; /* nothing of ours */
    }
    STOA_TRY(stoa_attribute_names(object, &names, NULL, err));
    for (size_t at = 0; at < names.size; at += strlen((char *)names.data + at) + 1) {
        const char *const attribute = waits_for((char *)names.data + at);
        STOA_TRY(attribute != NULL ? point_one(p, object, name, attribute, err) : STOA_OK);
    }

done:
    stoa_buffer_clear(&names);
    return stoa_hdf_close(&object, status, err);
}

/* Names of objects with attributes, one after the other with their NULs. */
typedef struct objects {
    stoa_buffer names;
    stoa_status status;
    stoa_error *err;
} objects;

static herr_t note_object(hid_t start, const char *name, const H5O_info2_t *info, void *context)
{
    objects *const o = context;

    (void)start;
    if (info->num_attrs > 0) {
        o->status = stoa_buffer_append(&o->names, name, strlen(name) + 1, o->err);
    }
    return o->status == STOA_OK ? 0 : -1;
}

static stoa_status find_objects(hid_t start, objects *o)
{
    const stoa_quiet quiet = stoa_quiet_begin();

    (void)H5Ovisit3(start, H5_INDEX_NAME, H5_ITER_INC, note_object, o,
                    H5O_INFO_BASIC | H5O_INFO_NUM_ATTRS);
    stoa_quiet_drop(&quiet);
    return o->status;
}

stoa_status stoa_lh5_point(hid_t loc, const char *path, stoa_lost_visitor visitor, void *context,
                           stoa_error *err)
{
    const pointing p = {path, visitor, context};
    stoa_status status = STOA_OK;
    objects o = {.err = err};
    hid_t start = stoa_object_open(loc, path);

    if (start < 0) {
        return STOA_OK;
    }
    STOA_TRY(find_objects(start, &o));
    for (size_t at = 0; at < o.names.size; at += strlen((char *)o.names.data + at) + 1) {
        STOA_TRY(point_all(&p, start, (char *)o.names.data + at, err));
    }

done:
    stoa_buffer_clear(&o.names);
    return stoa_hdf_close(&start, status, err);
}

/* --- copies ---------------------------------------------------------------------------------- */

static stoa_status refer_one(hid_t from, hid_t to, const char *name, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer text = {0};

    STOA_TRY(stoa_attribute_delete(to, name, err));
    STOA_TRY(stoa_lh5_attribute_try_print(from, name, &text, err));
    STOA_TRY(text.size > 0 ? stoa_lh5_attribute_say(to, name, (char *)text.data, err) : STOA_OK);

done:
    stoa_buffer_clear(&text);
    return status;
}

stoa_status stoa_lh5_refer_again(hid_t from, hid_t to, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer names = {0};

    STOA_TRY(stoa_attribute_names(from, &names, NULL, err));
    for (size_t at = 0; at < names.size; at += strlen((char *)names.data + at) + 1) {
        const char *const name = (char *)names.data + at;
        STOA_TRY(stoa_lh5_attribute_refers(from, name) ? refer_one(from, to, name, err) : STOA_OK);
    }

done:
    stoa_buffer_clear(&names);
    return status;
}
