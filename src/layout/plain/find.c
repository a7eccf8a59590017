/* Which datasets of a group are columns of one table. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "layout/plain/plain.h"

typedef struct collector {
    stoa_plain_members *members;
    stoa_layout_claims *claims;
    bool follows;      /* soft links, too: NXdata names the datasets that it plots */
    char **other_axes; /* names of datasets along other dimensions than the first */
    size_t n_other;
    stoa_error *err;
    stoa_status status;
} collector;

/* Whether NeXus says by NAME_indices that an axis goes along the first dimension, too. */
static bool is_of_first(hid_t group, const char *name)
{
    char *const indices = stoa_format("%s_indices", name);
    int64_t number = -1;
    bool found = false;
    stoa_error ignored = STOA_ERROR_INIT;
    const bool is =
        indices != NULL &&
        stoa_attribute_read_number(group, indices, &number, &found, &ignored) == STOA_OK && found &&
        number == 0;

    free(indices);
    return is;
}

static herr_t see_link(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    collector *const c = context;
    bool is_other = info->type != H5L_TYPE_HARD && !(info->type == H5L_TYPE_SOFT && c->follows);

    for (size_t i = 0; i < c->n_other && !is_other; i++) {
        is_other = strcmp(c->other_axes[i], name) == 0 && !is_of_first(group, name);
    }
    if (!is_other) {
        c->status = stoa_plain_add_dataset(c->members, group, name, name, c->claims, c->err);
    }
    return c->status == STOA_OK ? 0 : 1;
}

/* The axis first, then the signal, then the others (NeXus, NXdata). */
static stoa_status arrange(hid_t group, const char *axis, stoa_plain_members *members,
                           stoa_error *err)
{
    char *signal = NULL;
    size_t to = 0;

    STOA_RETURN_NOT_OK(stoa_attribute_read_optional(group, "signal", &signal, err));
    stoa_plain_move(members, axis, &to);
    stoa_plain_move(members, signal, &to);
    free(signal);
    return STOA_OK;
}

static stoa_status find_here(hid_t group, stoa_layout_claims *claims, stoa_plain_members *members,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_error ignored = STOA_ERROR_INIT;
    char **axes = NULL;
    size_t n_axes = 0;
    collector c = {.members = members, .claims = claims, .err = err};

    if (stoa_attribute_read_names(group, "axes", &axes, &n_axes, &ignored) == STOA_ENOMEM) {
        return stoa_fail_memory(err);
    }
    c.follows = n_axes > 0 || stoa_attribute_exists(group, "signal");
    c.other_axes = n_axes > 0 ? axes + 1 : NULL;
    c.n_other = n_axes > 0 ? n_axes - 1 : 0;
    STOA_TRY(stoa_links_visit_as_made(group, see_link, &c, err));
    STOA_TRY(c.status);
    STOA_TRY(stoa_plain_keep_common(members, err));
    STOA_TRY(arrange(group, n_axes > 0 ? axes[0] : NULL, members, err));

done:
    free(axes);
    return status;
}

stoa_status stoa_plain_find(hid_t group, stoa_layout_claims *claims, stoa_plain_members *members,
                            stoa_error *err)
{
    bool is_one = false;

    *members = (stoa_plain_members){.at = NULL};
    STOA_RETURN_NOT_OK(stoa_plain_find_vaex(group, &is_one, members, err));
    if (!is_one) {
        STOA_RETURN_NOT_OK(stoa_plain_find_openpmd(group, claims, &is_one, members, err));
    }
    return is_one ? STOA_OK : find_here(group, claims, members, err);
}
