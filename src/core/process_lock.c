#include "core/process_lock.h"

#include <stddef.h>

static pthread_mutex_t process = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local stoa_lock_use mine;

static pthread_mutex_t *mutex(void)
{
    return mine.mutex != NULL ? mine.mutex : &process;
}

void stoa_process_lock(void)
{
    if (mine.depth == 0) {
        (void)pthread_mutex_lock(mutex());
    }
    mine.depth++;
}

void stoa_process_unlock(void)
{
    mine.depth--;
    if (mine.depth == 0) {
        (void)pthread_mutex_unlock(mutex());
    }
}

stoa_lock_use stoa_lock_share(pthread_mutex_t *shared, stoa_lock_use *helpers)
{
    const stoa_lock_use before = mine;

    if (mine.depth > 0) {
        mine = (stoa_lock_use){0, shared};
    }
    *helpers = mine;
    return before;
}

void stoa_lock_unshare(const stoa_lock_use *before)
{
    mine = *before;
}

void stoa_lock_adopt(const stoa_lock_use *use)
{
    mine = *use;
}
