/* Tables that a signal handler can read at any moment. */
#include "core/exit_cleanup.h"

#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

enum { MAX_NAMES = 1024, MAX_CUTS = 16 };

/* Global, since signal handlers are process-wide. */
static _Atomic(const char *) names[MAX_NAMES];
static struct {
    atomic_int taken; /* fd + 1; 0: free */
    atomic_uint_fast64_t size;
} cuts[MAX_CUTS];
static atomic_bool ending;
static atomic_int state;

/* Blocks forever once the process is ending. Entries removed before the handler reads the table are
 * not undone; after that, this call does not return. */
static void wait_if_ending(void)
{
    while (atomic_load(&ending)) {
        (void)pause();
    }
}

void stoa_exit_cleanup_note(const char *name)
{
    for (size_t i = 0; i < MAX_NAMES; i++) {
        const char *none = NULL;
        if (atomic_compare_exchange_strong(&names[i], &none, name)) {
            break;
        }
    }
    wait_if_ending(); /* the handler would miss a file created after this point */
}

void stoa_exit_cleanup_forget(const char *name)
{
    for (size_t i = 0; name != NULL && i < MAX_NAMES; i++) {
        const char *noted = name;
        if (atomic_compare_exchange_strong(&names[i], &noted, NULL)) {
            break;
        }
    }
    wait_if_ending();
}

void stoa_exit_cleanup_cut(int fd, uint64_t size)
{
    for (size_t i = 0; i < MAX_CUTS; i++) {
        int none = 0;
        if (atomic_load(&cuts[i].taken) == 0) {
            atomic_store(&cuts[i].size, size);
            if (atomic_compare_exchange_strong(&cuts[i].taken, &none, fd + 1)) {
                break;
            }
        }
    }
    wait_if_ending();
}

void stoa_exit_cleanup_keep(int fd)
{
    for (size_t i = 0; i < MAX_CUTS; i++) {
        int taken = fd + 1;
        (void)atomic_compare_exchange_strong(&cuts[i].taken, &taken, 0);
    }
    wait_if_ending();
}

void stoa_exit_cleanup_enter(stoa_exit_cleanup_state entered)
{
    atomic_store(&state, (int)entered);
}

stoa_exit_cleanup_state stoa_exit_cleanup_is(void)
{
    return (stoa_exit_cleanup_state)atomic_load(&state);
}

void stoa_exit_cleanup_undo(void)
{
    atomic_store(&ending, true);
    for (size_t i = 0; i < MAX_NAMES; i++) {
        const char *const name = atomic_load(&names[i]);
        if (name != NULL) {
            (void)unlink(name);
        }
    }
    for (size_t i = 0; i < MAX_CUTS; i++) {
        const int taken = atomic_load(&cuts[i].taken);
        if (taken != 0) {
            (void)!ftruncate(taken - 1, (off_t)atomic_load(&cuts[i].size));
        }
    }
}
