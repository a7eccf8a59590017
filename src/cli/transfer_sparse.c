/* stoa copy of a sparse array; see transfer.h. */
#include <stoa/sparse.h>
#include <sys/stat.h>

#include "cli/transfer.h"
#include "hdf/ids.h"
#include "sparse/storage.h"

bool cli_is_sparse_array(const cli_place *place)
{
    stoa_file *file = NULL;
    hid_t object = H5I_INVALID_HID;
    bool is_one = false;

    if (place->place.path == NULL ||
        stoa_file_open(place->place.file, STOA_FILE_READ, &file, NULL) != STOA_OK) {
        return false;
    }
    object = stoa_object_open(stoa_file_id(file), place->place.path);
    is_one = object >= 0 && H5Iget_type(object) == H5I_DATASET && stoa_is_structured(object);
    (void)stoa_hdf_close(&object, STOA_OK, NULL);
    stoa_file_close(file);
    return is_one;
}

stoa_status cli_copy_sparse(cli_place *from, cli_place *to, stoa_error *err)
{
    const bool is_same_file = cli_is_same_file(from->place.file, to->place.file);
    struct stat about;
    stoa_status status = STOA_OK;

    from->is_sparse = to->is_sparse = true;
    if (to->place.path == NULL) {
        cli_place_set_path(to, from->place.path);
    }
    STOA_TRY(cli_place_open_file(from, is_same_file ? STOA_FILE_EDIT : STOA_FILE_READ, err));
    if (!is_same_file) {
        const bool exists = stat(to->place.file, &about) == 0;
        STOA_TRY(cli_place_open_file(to, exists ? STOA_FILE_EDIT : STOA_FILE_CREATE, err));
    }
    STOA_TRY(stoa_sparse_copy(stoa_file_id(from->file), from->place.path,
                              stoa_file_id(is_same_file ? from->file : to->file), to->place.path,
                              err));
    STOA_TRY(cli_place_commit(is_same_file ? from : to, false, err));

done:
    return status;
}
