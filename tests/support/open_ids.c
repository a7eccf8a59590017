/*
 * HDF5 ids that a test has left open.
 *
 * libhdf5 counts files, groups, datasets, attributes and types itself (H5Fget_obj_count), but not
 * dataspaces, property lists and error stacks: H5Inmembers refuses the library's own types. So the
 * linker redirects the calls that create and close these to the wrappers below (-Wl,--wrap, see
 * tests/CMakeLists.txt). If it cannot, STOA_WRAPPED is not defined and they are not counted. The
 * wrappers see the calls of Stoa and of the tests, not those inside libhdf5.
 */
#include "support/open_ids.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

/* --- dataspaces, property lists, error stacks ------------------------------------------------- */

typedef struct open_id {
    hid_t id;
    const char *maker; /* the call that created it */
} open_id;

static struct {
    open_id *ids;
    size_t n, capacity;
} made;

#ifdef STOA_WRAPPED

static hid_t opened(hid_t id, const char *maker)
{
    if (id < 0) {
        return id;
    }
    if (made.n == made.capacity) {
        const size_t capacity = made.capacity == 0 ? 64 : 2 * made.capacity;
        open_id *ids = realloc(made.ids, capacity * sizeof *ids);

        if (ids == NULL) {
            abort();
        }
        made.ids = ids;
        made.capacity = capacity;
    }
    made.ids[made.n++] = (open_id){id, maker};
    return id;
}

static void closed(hid_t id)
{
    for (size_t i = made.n; i-- > 0;) {
        if (made.ids[i].id == id) {
            made.ids[i] = made.ids[--made.n];
            return;
        }
    }
}

/* MAKER(H5Scopy, (hid_t id), (id)) defines __wrap_H5Scopy, which the linker calls for H5Scopy. */
#define MAKER(name, parameters, arguments)                                                         \
    hid_t __real_##name parameters;                                                                \
    hid_t __wrap_##name parameters;                                                                \
    hid_t __wrap_##name parameters                                                                 \
    {                                                                                              \
        return opened(__real_##name arguments, #name);                                             \
    }

/* A closer drops one reference; the id is closed with the last one. */
#define CLOSER(type, name)                                                                         \
    type __real_##name(hid_t id);                                                                  \
    type __wrap_##name(hid_t id);                                                                  \
    type __wrap_##name(hid_t id)                                                                   \
    {                                                                                              \
        const int n_references = id >= 0 ? H5Iget_ref(id) : 0;                                     \
        const type result = __real_##name(id);                                                     \
        if (result >= 0 && n_references <= 1) {                                                    \
            closed(id);                                                                            \
        }                                                                                          \
        return result;                                                                             \
    }

/* clang-format mistakes a pointer in a macro argument for a product. */
/* clang-format off */
MAKER(H5Screate, (H5S_class_t type), (type))
MAKER(H5Screate_simple, (int rank, const hsize_t dims[], const hsize_t maxdims[]),
      (rank, dims, maxdims))
MAKER(H5Scopy, (hid_t space), (space))
MAKER(H5Sdecode, (const void *bytes), (bytes))
MAKER(H5Scombine_select, (hid_t a, H5S_seloper_t op, hid_t b), (a, op, b))
MAKER(H5Scombine_hyperslab,
      (hid_t space, H5S_seloper_t op, const hsize_t start[], const hsize_t stride[],
       const hsize_t count[], const hsize_t block[]),
      (space, op, start, stride, count, block))
MAKER(H5Sselect_project_intersection, (hid_t source, hid_t target, hid_t with),
      (source, target, with))
MAKER(H5Dget_space, (hid_t dataset), (dataset))
MAKER(H5Aget_space, (hid_t attribute), (attribute))
MAKER(H5Ropen_region, (H5R_ref_t *reference, hid_t rapl, hid_t oapl), (reference, rapl, oapl))
MAKER(H5Pget_virtual_vspace, (hid_t list, size_t index), (list, index))
CLOSER(herr_t, H5Sclose)

MAKER(H5Pcreate, (hid_t class), (class))
MAKER(H5Pcopy, (hid_t list), (list))
MAKER(H5Pdecode, (const void *bytes), (bytes))
MAKER(H5Aget_create_plist, (hid_t attribute), (attribute))
MAKER(H5Dget_access_plist, (hid_t dataset), (dataset))
MAKER(H5Dget_create_plist, (hid_t dataset), (dataset))
MAKER(H5Fget_access_plist, (hid_t file), (file))
MAKER(H5Fget_create_plist, (hid_t file), (file))
MAKER(H5Gget_create_plist, (hid_t group), (group))
MAKER(H5Tget_create_plist, (hid_t type), (type))
CLOSER(herr_t, H5Pclose)

MAKER(H5Eget_current_stack, (void), ())
MAKER(H5Ecreate_stack, (void), ())
CLOSER(herr_t, H5Eclose_stack)
CLOSER(herr_t, H5Eset_current_stack) /* closes the stack it installs */

CLOSER(int, H5Idec_ref)
/* clang-format on */

#endif

/* --- files, groups, datasets, attributes, types ----------------------------------------------- */

static const struct {
    unsigned kind;
    const char *name;
} kinds[] = {
    {H5F_OBJ_FILE, "file"},      {H5F_OBJ_GROUP, "group"},        {H5F_OBJ_DATASET, "dataset"},
    {H5F_OBJ_ATTR, "attribute"}, {H5F_OBJ_DATATYPE, "data type"},
};

static const hid_t everywhere = (hid_t)H5F_OBJ_ALL;
static size_t n_before; /* objects left open by earlier, failed tests */

static size_t n_objects(void)
{
    const ssize_t n = H5Fget_obj_count(everywhere, H5F_OBJ_ALL);

    return n < 0 ? 0 : (size_t)n;
}

void check_forget_ids(void)
{
    made.n = 0;
    n_before = n_objects();
}

size_t check_n_open_ids(void)
{
    return made.n + n_objects() - n_before;
}

bool check_no_open_ids(const char *test)
{
    if (check_n_open_ids() == 0) {
        free(made.ids);
        memset(&made, 0, sizeof made);
        return true;
    }

    printf("FAILED %s\n", test);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        hid_t ids[16];
        const ssize_t n =
            H5Fget_obj_ids(everywhere, kinds[i].kind, sizeof ids / sizeof ids[0], ids);

        for (ssize_t k = 0; k < n && k < 16; k++) {
            char name[256] = "";

            if (kinds[i].kind != H5F_OBJ_DATATYPE) {
                (void)H5Iget_name(ids[k], name, sizeof name);
            }
            printf("  left open: %s %s\n", kinds[i].name, name);
        }
    }
    for (size_t i = 0; i < made.n; i++) {
        printf("  left open: what %s returned\n", made.ids[i].maker);
    }
    return false;
}

/* --- blocks that are freed after a test ------------------------------------------------------- */

static struct {
    char **blocks;
    size_t n;
} kept;

void check_keep(char *block)
{
    char **blocks = realloc(kept.blocks, (kept.n + 1) * sizeof *blocks);

    if (blocks == NULL) {
        abort();
    }
    kept.blocks = blocks;
    kept.blocks[kept.n++] = block;
}

void check_drop_kept(void)
{
    while (kept.n > 0) {
        free(kept.blocks[--kept.n]);
    }
    free(kept.blocks);
    kept.blocks = NULL;
}
