#include "hdf/metadata/links.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

typedef struct gathered {
    char *name;
    H5L_info2_t info;
} gathered;

typedef struct gathering {
    stoa_buffer links; /* of gathered */
    stoa_error *err;
    stoa_status status;
} gathering;

static herr_t gather(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    gathering *g = context;
    const gathered one = {stoa_strdup(name), *info};

    (void)group;
    g->status = one.name == NULL ? stoa_fail_memory(g->err)
                                 : stoa_buffer_append(&g->links, &one, sizeof one, g->err);
    if (g->status != STOA_OK) {
        free(one.name);
        return -1;
    }
    return 0;
}

static int compare_links(const void *a, const void *b)
{
    return strcmp(((const gathered *)a)->name, ((const gathered *)b)->name);
}

/* Links without a creation order are sorted by name. */
static int compare_making(const void *a, const void *b)
{
    const H5L_info2_t *left = &((const gathered *)a)->info;
    const H5L_info2_t *right = &((const gathered *)b)->info;

    if (!left->corder_valid || !right->corder_valid || left->corder == right->corder) {
        return compare_links(a, b);
    }
    return left->corder < right->corder ? -1 : 1;
}

static stoa_status gather_all(hid_t group, gathering *g)
{
    hsize_t position = 0;
    const stoa_error_stack errors = stoa_error_stack_begin();
    const herr_t walked = H5Literate2(group, H5_INDEX_NAME, H5_ITER_NATIVE, &position, gather, g);

    if (g->status == STOA_OK && walked < 0) {
        g->status = stoa_hdf_fail(g->err, "list the links of a group");
    }
    stoa_error_stack_discard(&errors);
    return g->status;
}

/* Collect all links first: a visitor is called without the lock, and may change the group. */
static stoa_status visit_sorted(hid_t group, int (*compare)(const void *, const void *),
                                H5L_iterate2_t visit, void *context, stoa_error *err)
{
    gathering g = {.err = err};
    stoa_status status = gather_all(group, &g);
    gathered *const links = (gathered *)(void *)g.links.data;
    const size_t n = g.links.size / sizeof *links;
    herr_t result = 0;

    if (n > 0) {
        qsort(links, n, sizeof *links, compare);
    }
    stoa_error_printing_off();
    for (size_t i = 0; status == STOA_OK && result == 0 && i < n; i++) {
        result = visit(group, links[i].name, &links[i].info, context);
    }
    stoa_error_printing_on();
    if (result < 0) {
        status = STOA_EHDF5; /* the visitor reports the reason */
        if (err != NULL && err->status == STOA_OK) {
            (void)stoa_fail(err, status, "cannot walk through a group");
        }
    }
    for (size_t i = 0; i < n; i++) {
        free(links[i].name);
    }
    stoa_buffer_clear(&g.links);
    return status;
}

stoa_status stoa_links_visit(hid_t group, H5L_iterate2_t visit, void *context, stoa_error *err)
{
    return visit_sorted(group, compare_links, visit, context, err);
}

stoa_status stoa_links_visit_as_made(hid_t group, H5L_iterate2_t visit, void *context,
                                     stoa_error *err)
{
    return visit_sorted(group, compare_making, visit, context, err);
}

stoa_status stoa_link_must_be_hard(hid_t loc, const char *path, const char *what, stoa_error *err)
{
    H5L_info2_t link;

    STOA_RETURN_HDF_ERROR(err, H5Lget_info2(loc, path, &link, H5P_DEFAULT), "look at the link '%s'",
                          path);
    if (link.type != H5L_TYPE_HARD) {
        return stoa_fail(err, STOA_EINVAL, "'%s' is a %s link; name the place where the %s is",
                         path, link.type == H5L_TYPE_SOFT ? "soft" : "external", what);
    }
    return STOA_OK;
}

herr_t stoa_nameless_hold(hid_t object)
{
    H5O_info2_t info;

    if (H5Oget_info3(object, &info, H5O_INFO_BASIC) < 0 ||
        (info.rc != 0 && H5Odecr_refcount(object) < 0)) {
        return -1;
    }
    /* Only a count that rises from 0 removes the deletion mark. */
    return H5Oincr_refcount(object);
}

herr_t stoa_nameless_release(hid_t object)
{
    return H5Odecr_refcount(object);
}

herr_t stoa_link_nameless(hid_t object, hid_t group, const char *name, hid_t lcpl)
{
    if (stoa_nameless_hold(object) < 0) {
        return -1;
    }
    const herr_t linked = H5Olink(object, group, name, lcpl, H5P_DEFAULT);

    return stoa_nameless_release(object) < 0 ? -1 : linked;
}
