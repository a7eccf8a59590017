/* Returns unused space of a file to the file system. This is above tables and sparse arrays, since
 * it copies both. */
#include <stoa/edit.h>

#include "hdf/copy/portable.h"
#include "hdf/copy/repack.h"
#include "sparse/format/filter.h"
#include "sparse/tools/relayout.h"
#include "table/write/update_indexes.h"

stoa_status stoa_file_repack(const char *from, const char *to, const stoa_edit_options *options,
                             stoa_error *err)
{
    stoa_relayouts none = {.file = from}; /* every sparse array keeps its form */
    const stoa_other_storage sparse = stoa_relayout_storage(&none);
    stoa_portable portable = {.inner = sparse, .stays = stoa_list_is_structured};
    const stoa_other_storage plain = stoa_portable_storage(&portable);
    stoa_edit_options own;
    stoa_status status = stoa_edit_options_copy(options, &own, err);

    STOA_RETURN_NOT_OK(stoa_at(err, status, "%s", from));
    STOA_RETURN_NOT_OK(stoa_sparse_filter_register(err));
    status = stoa_hdf_repack(from, to, own.portable ? &plain : &sparse, own.patience, &own.listener,
                             NULL, err);
    stoa_portable_clear(&portable);
    return status;
}
