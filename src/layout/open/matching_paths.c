/* Finds the objects of a file whose paths match a pattern (chain.h). */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/links.h"
#include "hdf/metadata/other_files.h"
#include "layout/open/chain.h"

bool stoa_path_is_pattern(const char *path)
{
    const size_t length = strlen(path);

    return strpbrk(path, "*?") != NULL || (strchr(path, '[') != NULL && path[length - 1] != ']');
}

bool stoa_path_is_literal(hid_t loc, const char *path)
{
    hid_t object = H5I_INVALID_HID;

    if (!stoa_path_is_pattern(path)) {
        return true;
    }
    const stoa_error_stack errors = stoa_error_stack_begin();
    object = stoa_open_here(loc, path);
    stoa_error_stack_discard(&errors);
    const bool is = object >= 0;
    (void)stoa_hdf_close(&object, STOA_OK, NULL);
    return is;
}

/* The names in a group that match one part of the pattern. */
typedef struct matching {
    const char *pattern;
    stoa_buffer names; /* one after the other, each with its NUL */
    stoa_status status;
    stoa_error *err;
} matching;

static herr_t match_link(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    matching *const m = context;

    (void)group;
    if ((info->type == H5L_TYPE_HARD || info->type == H5L_TYPE_SOFT) &&
        fnmatch(m->pattern, name, 0) == 0) {
        m->status = stoa_buffer_append(&m->names, name, strlen(name) + 1, m->err);
    }
    return m->status == STOA_OK ? 0 : -1;
}

/* Match the rest of the pattern in the group at `at`. `rest` begins behind a slash. */
static stoa_status descend(hid_t loc, const char *at, const char *rest, stoa_path_visit visit,
                           void *context, stoa_error *err)
{
    const char *const slash = strchr(rest, '/');
    stoa_status status = STOA_OK;
    matching m = {.err = err};
    hid_t group = H5I_INVALID_HID;
    char *path = NULL;
    char *const part =
        slash != NULL ? stoa_strndup(rest, (size_t)(slash - rest)) : stoa_strdup(rest);

    STOA_TRY(part != NULL ? STOA_OK : stoa_fail_memory(err));
    const stoa_error_stack errors = stoa_error_stack_begin();
    group = stoa_open_here(loc, at[0] != '\0' ? at : "/");
    stoa_error_stack_discard(&errors);
    if (group < 0 || H5Iget_type(group) != H5I_GROUP) {
        goto done;
    }
    m.pattern = part;
    status = stoa_links_visit(group, match_link, &m, err);
    STOA_TRY(m.status != STOA_OK ? m.status : status);
    for (size_t i = 0; i < m.names.size; i += strlen((const char *)m.names.data + i) + 1) {
        const char *const name = (const char *)m.names.data + i;
        free(path);
        path = stoa_format("%s/%s", at, name);
        STOA_TRY(path != NULL ? STOA_OK : stoa_fail_memory(err));
        STOA_TRY(slash != NULL ? descend(loc, path, slash + 1, visit, context, err)
                               : visit(context, path, err));
    }

done:
    free(path);
    free(part);
    stoa_buffer_clear(&m.names);
    return stoa_hdf_close(&group, status, err);
}

stoa_status stoa_paths_match(hid_t loc, const char *pattern, stoa_path_visit visit, void *context,
                             stoa_error *err)
{
    size_t n_slashes = 0;

    for (const char *c = pattern; *c != '\0'; c++) {
        n_slashes += *c == '/';
    }
    if (n_slashes > 64) {
        return stoa_fail(err, STOA_EINVAL, "a pattern goes through 64 groups at most");
    }
    return descend(loc, "", pattern[0] == '/' ? pattern + 1 : pattern, visit, context, err);
}
