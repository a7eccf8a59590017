#include "hdf/file/idle.h"

#include "core/error.h"
#include "hdf/file/file.h"

stoa_status stoa_idle_try(stoa_idle *idle, bool *same, stoa_error *err)
{
    *same = true;
    if (idle->n_users == 0) {
        STOA_RETURN_NOT_OK(stoa_file_lock_same(idle->file, same, err));
    }
    idle->n_users += *same;
    return STOA_OK;
}

stoa_status stoa_idle_begin(stoa_idle *idle, stoa_error *err)
{
    bool same = true;
    const stoa_status status = idle != NULL ? stoa_idle_try(idle, &same, err) : STOA_OK;

    return status == STOA_OK && !same
               ? stoa_at(err,
                         stoa_fail(err, STOA_EIO,
                                   "has changed since this column was taken from its table; "
                                   "stoa_table_use() reads the table anew"),
                         "%s", stoa_file_name(idle->file))
               : status;
}

void stoa_idle_end(stoa_idle *idle)
{
    if (idle != NULL && --idle->n_users == 0) {
        const stoa_status always = stoa_file_unlock(idle->file, NULL); /* it is open for reading */
        (void)always;
    }
}
