/*
 * The lock of what a process has once, as libhdf5's state.
 *
 * It is recursive: what is called from within, a callback above all, takes it again. A job shares
 * it: while a thread that has it waits for its helpers (threads.h), these take a mutex of the job
 * in its place, one at a time.
 */
#ifndef STOA_CORE_PROCESS_LOCK_H
#define STOA_CORE_PROCESS_LOCK_H

#include <pthread.h>

void stoa_process_lock(void);
void stoa_process_unlock(void);

/* How a thread takes the lock. */
typedef struct stoa_lock_use {
    unsigned depth;         /* how often it has it */
    pthread_mutex_t *mutex; /* what it takes the first time; NULL: the process's own */
} stoa_lock_use;

/*
 * Begin to share: if the thread has the lock, it and its helpers take `mutex` from now on, else
 * what it takes now. Returns what stoa_lock_take_back() needs; `helpers` what each helper adopts.
 */
stoa_lock_use stoa_lock_share(pthread_mutex_t *mutex, stoa_lock_use *helpers);
void stoa_lock_take_back(const stoa_lock_use *before);
void stoa_lock_adopt(const stoa_lock_use *use);

#endif
