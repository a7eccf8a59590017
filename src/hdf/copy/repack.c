/* Rewrites a whole file without its unused space. */
#include "hdf/copy/repack.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/memory.h"
#include "hdf/copy/groups.h"
#include "hdf/file/file.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/metadata/walk.h"

/* Keeps sizes, user block, space strategy and shared messages. The properties of the root group are
 * not part of the file's own, so they are added. */
static stoa_status creation_of(hid_t file, hid_t root, hid_t *creation, stoa_error *err)
{
    STOA_RETURN_HDF_ERROR(err, *creation = H5Fget_create_plist(file),
                          "get the file's creation properties");
    return stoa_group_inherit(root, *creation, err);
}

/* libhdf5 measures cached B-trees and object headers by their size in the file, but needs ten times
 * that memory. By default it would keep 32 MiB per file, of objects that are used once. */
static const size_t most_metadata = (size_t)2 << 20;

static stoa_status bound_metadata(hid_t file, stoa_error *err)
{
    H5AC_cache_config_t config = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};

    STOA_RETURN_HDF_ERROR(err, H5Fget_mdc_config(file, &config),
                          "get the bounds of the metadata cache");
    config.max_size = most_metadata;
    STOA_RETURN_HDF_ERROR(err, H5Fset_mdc_config(file, &config), "bound the metadata cache");
    return STOA_OK;
}

/* Copy everything from one root group to the other. */
static stoa_status copy_all(hid_t root, stoa_file *to, const stoa_other_storage *other,
                            const stoa_listener *listener, uint64_t total, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t target = H5I_INVALID_HID;
    stoa_other_storage own = {.context = NULL};

    if (other != NULL) {
        own = *other;
    }
    own.keeps_elsewhere = true;
    STOA_HDF(err, target = H5Gopen2(stoa_file_id(to), "/", H5P_DEFAULT), "open the new root group");
    STOA_TRY(stoa_clone_group(root, target, &own, listener, total, err));

done:
    return stoa_hdf_close(&target, status, err);
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat first;
    struct stat second;

    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

/* In libhdf5 1.14, a read that fails on a damaged reference keeps the file open. Drop the
 * references that leaked. */
static void drop_lost_holds(const stoa_file *file)
{
    const stoa_error_stack errors = stoa_error_stack_begin();

    while (file != NULL && H5Iget_ref(stoa_file_id(file)) > 1 &&
           H5Idec_ref(stoa_file_id(file)) > 0) {
    }
    stoa_error_stack_discard(&errors);
}

stoa_status stoa_hdf_repack(const char *from, const char *to, const stoa_other_storage *other,
                            const stoa_file_patience *patience, const stoa_listener *listener,
                            char **stamp, stoa_error *err)
{
    const bool in_place = is_same_file(from, to);
    const bool is_earliest = other != NULL && other->is_earliest;
    stoa_file_options options = STOA_FILE_OPTIONS_INIT;
    stoa_status status = STOA_OK;
    stoa_file *source = NULL;
    stoa_file *target = NULL;
    hid_t root = H5I_INVALID_HID;
    hid_t creation = H5I_INVALID_HID;
    hsize_t size = 0;

    /* In place, the lock of an edit prevents writes that would not be copied. */
    options.patience = patience;
    STOA_TRY((is_earliest ? stoa_file_open_oldest : stoa_file_open_with)(
        from, in_place ? STOA_FILE_EDIT : STOA_FILE_READ, &options, &source, err));
    STOA_HDF(err, H5Fget_filesize(stoa_file_id(source), &size), "get the size of the file");
    STOA_HDF(err, root = H5Gopen2(stoa_file_id(source), "/", H5P_DEFAULT), "open the root group");
    STOA_TRY(creation_of(stoa_file_id(source), root, &creation, err));
    STOA_TRY(stoa_file_create_like(source, in_place ? NULL : to, creation, &target, err));
    STOA_TRY(bound_metadata(stoa_file_id(source), err));
    STOA_TRY(bound_metadata(stoa_file_id(target), err));
    STOA_TRY(copy_all(root, target, other, listener, size, err));
    stoa_file *const whole = target;
    target = NULL;
    STOA_TRY(stoa_file_commit_stamped(whole, stamp, err));

done:
    status = stoa_hdf_close(&creation, status, err);
    status = stoa_hdf_close(&root, status, err);
    stoa_file_close(target);
    drop_lost_holds(source);
    stoa_file_close(source);
    return stoa_at(err, status, "%s", from);
}

/* --- unused space ---------------------------------------------------------------------------- */

typedef struct usage {
    uint64_t n_bytes;
    bool has_variable;
} usage;

static stoa_status add_dataset(void *context, hid_t dataset, const char *path, stoa_error *err)
{
    usage *const u = context;
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    H5O_native_info_t info;

    (void)path;
    STOA_HDF(err, type = H5Dget_type(dataset), "get the datatype");
    STOA_HDF(err, H5Oget_native_info(dataset, &info, H5O_NATIVE_INFO_ALL), "get the storage");
    u->has_variable = u->has_variable || !stoa_type_is_flat(type);
    u->n_bytes += H5Dget_storage_size(dataset) + info.hdr.space.total +
                  info.meta_size.obj.index_size + info.meta_size.obj.heap_size +
                  info.meta_size.attr.index_size + info.meta_size.attr.heap_size;

done:
    return stoa_hdf_close(&type, status, err);
}

stoa_status stoa_hdf_unused(hid_t file, uint64_t *n_unused, bool *is_known, stoa_error *err)
{
    usage u = {.n_bytes = 0};
    hsize_t size = 0;

    STOA_RETURN_HDF_ERROR(err, H5Fget_filesize(file, &size), "get the size of the file");
    STOA_RETURN_NOT_OK(stoa_datasets_visit(file, add_dataset, &u, err));
    *n_unused = size > u.n_bytes ? size - u.n_bytes : 0;
    *is_known = !u.has_variable;
    return STOA_OK;
}
