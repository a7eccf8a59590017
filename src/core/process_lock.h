/*
 * The lock around process-wide state, such as that of libhdf5.
 *
 * The lock is recursive, since callbacks that run under it take it again. A job shares it. While
 * the thread that holds it waits for its workers (threads.h), the workers take a mutex of the job
 * instead, one at a time.
 */
#ifndef STOA_CORE_PROCESS_LOCK_H
#define STOA_CORE_PROCESS_LOCK_H

#include <pthread.h>

void stoa_process_lock(void);
void stoa_process_unlock(void);

/* The lock state of one thread. */
typedef struct stoa_lock_use {
    unsigned depth;         /* how many times the thread holds it */
    pthread_mutex_t *mutex; /* mutex to lock at depth 0; NULL for that of the process */
} stoa_lock_use;

/*
 * Begin to share the lock. If the calling thread holds the lock, it and its workers use `mutex`
 * from now on; otherwise they use the thread's present mutex.
 *
 * @param[out] helpers  lock state for each worker to adopt
 * @return the previous state, for stoa_lock_unshare()
 */
stoa_lock_use stoa_lock_share(pthread_mutex_t *mutex, stoa_lock_use *helpers);
void stoa_lock_unshare(const stoa_lock_use *before);
void stoa_lock_adopt(const stoa_lock_use *use);

#endif
