/* What tests/support/check.c wants of libhdf5, and of the files beside it that watch libhdf5, for
 * test programs of a processor that there is no libhdf5 for (test_arm64.py). */
#include <hdf5.h>

#include "support/open_ids.h"
#include "support/packs.h"

herr_t H5open(void)
{
    return 0;
}

herr_t H5Eget_auto2(hid_t stack, H5E_auto2_t *print, void **context)
{
    (void)stack;
    (void)print;
    (void)context;
    return 0;
}

herr_t H5Eset_auto2(hid_t stack, H5E_auto2_t print, void *context)
{
    (void)stack;
    (void)print;
    (void)context;
    return 0;
}

herr_t H5Ewalk2(hid_t stack, H5E_direction_t direction, H5E_walk2_t visit, void *context)
{
    (void)stack;
    (void)direction;
    (void)visit;
    (void)context;
    return 0;
}

void check_forget_ids(void)
{
}

bool check_no_open_ids(const char *test)
{
    (void)test;
    return true;
}

void check_drop_kept(void)
{
}

void check_forget_packs(void)
{
}
