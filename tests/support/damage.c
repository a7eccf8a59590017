#include "support/damage.h"

#include <stdlib.h>

#include "support/check.h"
#include "support/open_ids.h"

__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

__attribute__((visibility("default"))) const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "allocator_may_return_null=1";
}

__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return 1;
}

static hid_t memory_access(void)
{
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));

    CHECK_H5(H5Pset_fapl_core(fapl, (size_t)1 << 16, false));
    /* Without checksums, so that damage is seen by those who have to. */
    CHECK_H5(H5Pset_libver_bounds(fapl, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST));
    return fapl;
}

hid_t damage_new_file(void)
{
    const hid_t fapl = memory_access();
    const hid_t file = CHECK_H5(H5Fcreate("whole.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl));

    CHECK_H5(H5Pclose(fapl));
    return file;
}

size_t damage_take_image(hid_t file, uint8_t **bytes)
{
    size_t n = 0;

    CHECK_H5(H5Fflush(file, H5F_SCOPE_GLOBAL));
    n = (size_t)CHECK_H5(H5Fget_file_image(file, NULL, 0));
    *bytes = malloc(n);
    CHECK(*bytes != NULL);
    CHECK_H5(H5Fget_file_image(file, *bytes, n));
    CHECK_H5(H5Fclose(file));
    return n;
}

void damage_bytes(uint8_t *bytes, size_t n)
{
    /* Most of a new file is empty space, which is rarely worth damaging. */
    for (uint64_t hits = 1 + check_random_below(3); hits > 0;) {
        const size_t at = (size_t)check_random_below(n);
        if (bytes[at] != 0 || check_random_below(16) == 0) {
            bytes[at] = check_random_below(2) == 0
                            ? (uint8_t)check_random()
                            : (uint8_t)(bytes[at] ^ (1u << check_random_below(8)));
            hits--;
        }
    }
}

hid_t damage_open(void *bytes, size_t n, unsigned flags)
{
    const hid_t fapl = memory_access();
    hid_t file = H5I_INVALID_HID;

    CHECK_H5(H5Pset_file_image(fapl, bytes, n));
    H5E_BEGIN_TRY
    {
        file = H5Fopen("damaged.h5", flags, fapl);
    }
    H5E_END_TRY
    CHECK_H5(H5Pclose(fapl));
    return file;
}

/* libhdf5 fails to flush damaged metadata. The id is closed all the same, but the fixture does not
 * notice. */
void damage_close(hid_t file)
{
    herr_t closed = 0;

    H5E_BEGIN_TRY
    {
        closed = file >= 0 ? H5Fclose(file) : 0;
    }
    H5E_END_TRY
    if (closed < 0) {
        check_forget_ids();
    }
}
