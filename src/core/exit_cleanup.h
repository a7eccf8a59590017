/*
 * What an ending process must undo: named temporary files, and bytes that an edit appended to its
 * file.
 *
 * A program that ends in a signal handler calls stoa_exit_cleanup_undo() first.
 */
#ifndef STOA_CORE_EXIT_CLEANUP_H
#define STOA_CORE_EXIT_CLEANUP_H

#include <stdbool.h>
#include <stdint.h>

/* Register a file to be removed. Call it before the file is created. `name` must stay valid until
 * stoa_exit_cleanup_forget(). If the table is full, the file is not registered. */
void stoa_exit_cleanup_note(const char *name);
void stoa_exit_cleanup_forget(const char *name);

/* Register the file of `fd` to be truncated to `size`, until stoa_exit_cleanup_keep(). */
void stoa_exit_cleanup_cut(int fd, uint64_t size);
void stoa_exit_cleanup_keep(int fd);

/* How far changes have come. A signal handler reports it, and may let a commit finish. */
typedef enum stoa_exit_cleanup_state {
    STOA_UNCHANGED,  /* no file has changed */
    STOA_COMMITTING, /* a file has a journal record, complete or being written */
    STOA_CHANGED,    /* a file has changed completely, or is just being renamed into place */
} stoa_exit_cleanup_state;

void stoa_exit_cleanup_enter(stoa_exit_cleanup_state state);
stoa_exit_cleanup_state stoa_exit_cleanup_is(void);

/* Undo all of it. Async-signal-safe. The process must end afterwards, because other threads wait
 * for that. */
void stoa_exit_cleanup_undo(void);

#endif
