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

/* Names of one object's attributes that wait, one after the other, with their NULs. */
typedef struct waiting {
    stoa_buffer names;
    stoa_status status;
    stoa_error *err;
} waiting;

static bool is_meant(const char *name)
{
    static const char *const texts[] = {"", "units", "description", NULL};

    return !stoa_is_listed(name, texts) && !stoa_is_listed(name, stoa_lh5_own);
}

static herr_t find_waiting(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
    waiting *const w = context;
    const size_t prefix = strlen(STOA_LH5_REFERENCE);

    (void)object;
    (void)info;
    if (strncmp(name, STOA_LH5_REFERENCE, prefix) == 0 && is_meant(name + prefix)) {
        w->status = stoa_buffer_append(&w->names, name + prefix, strlen(name + prefix) + 1, w->err);
    }
    return w->status == STOA_OK ? 0 : -1;
}

/* The walk over what is below a path. */
typedef struct pointing {
    const char *path;
    stoa_lost_visitor visitor;
    void *context;
    stoa_status status;
    stoa_error *err;
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

static stoa_status point_all(const pointing *p, hid_t group, const char *name, stoa_error *err)
{
    stoa_status status = STOA_OK;
    waiting w = {.err = err};
    hid_t object = stoa_object_open(group, name);

    if (object < 0) {
        return STOA_OK; /* nothing of ours */
    }
    (void)H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, NULL, find_waiting, &w);
    STOA_TRY(w.status);
    for (size_t at = 0; at < w.names.size; at += strlen((char *)w.names.data + at) + 1) {
        STOA_TRY(point_one(p, object, name, (char *)w.names.data + at, err));
    }

done:
    stoa_buffer_clear(&w.names);
    return stoa_hdf_close(&object, status, err);
}

static herr_t visit(hid_t group, const char *name, const H5O_info2_t *info, void *context)
{
    pointing *const p = context;

    if (info->num_attrs > 0) {
        p->status = point_all(p, group, name, p->err);
    }
    return p->status == STOA_OK ? 0 : -1;
}

stoa_status stoa_lh5_point(hid_t loc, const char *path, stoa_lost_visitor visitor, void *context,
                           stoa_error *err)
{
    pointing p = {path, visitor, context, STOA_OK, err};
    hid_t object = stoa_object_open(loc, path);
    const stoa_quiet quiet = stoa_quiet_begin();

    if (object >= 0) {
        (void)H5Ovisit3(object, H5_INDEX_NAME, H5_ITER_INC, visit, &p,
                        H5O_INFO_BASIC | H5O_INFO_NUM_ATTRS);
    }
    stoa_quiet_drop(&quiet);
    return stoa_hdf_close(&object, p.status, err);
}

/* --- copies ---------------------------------------------------------------------------------- */

static herr_t find_referring(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
    waiting *const w = context;

    (void)info;
    if (stoa_lh5_attribute_refers(object, name)) {
        w->status = stoa_buffer_append(&w->names, name, strlen(name) + 1, w->err);
    }
    return w->status == STOA_OK ? 0 : -1;
}

stoa_status stoa_lh5_refer_again(hid_t from, hid_t to, stoa_error *err)
{
    stoa_status status = STOA_OK;
    waiting w = {.err = err};
    stoa_buffer text = {0};

    (void)H5Aiterate2(from, H5_INDEX_NAME, H5_ITER_INC, NULL, find_referring, &w);
    STOA_TRY(w.status);
    for (size_t at = 0; at < w.names.size; at += strlen((char *)w.names.data + at) + 1) {
        const char *const name = (char *)w.names.data + at;
        text.size = 0;
        STOA_TRY(stoa_attribute_delete(to, name, err));
        STOA_TRY(stoa_lh5_attribute_try_print(from, name, &text, err));
        STOA_TRY(text.size > 0 ? stoa_lh5_attribute_say(to, name, (char *)text.data, err)
                               : STOA_OK);
    }

done:
    stoa_buffer_clear(&text);
    stoa_buffer_clear(&w.names);
    return status;
}
