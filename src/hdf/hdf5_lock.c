/* The lock around calls of libhdf5: its own lock if it was built thread-safe, else one of the
 * process. */
#include <hdf5.h>
#include <pthread.h>
#include <stdbool.h>
#include <stoa/hdf5_lock.h>

#include "core/process_lock.h"

static bool is_safe;

static void ask(void)
{
    hbool_t safe = 0;

    stoa_process_lock();
    is_safe = H5is_library_threadsafe(&safe) >= 0 && safe;
    stoa_process_unlock();
}

static bool is_thread_safe(void)
{
    static pthread_once_t asked = PTHREAD_ONCE_INIT;

    (void)pthread_once(&asked, ask);
    return is_safe;
}

void stoa_hdf5_lock(void)
{
    if (!is_thread_safe()) {
        stoa_process_lock();
    }
}

void stoa_hdf5_unlock(void)
{
    if (!is_thread_safe()) {
        stoa_process_unlock();
    }
}
