/*
 * What an ending process must undo: named temporary files, and bytes that an edit appended to its
 * file.
 *
 * A program that ends in a signal handler calls stoa_unfinished_undo() first.
 */
#ifndef STOA_CORE_UNFINISHED_H
#define STOA_CORE_UNFINISHED_H

#include <stdbool.h>
#include <stdint.h>

/* Register a file to be removed. Call it before the file is created. `name` must stay valid until
 * stoa_unfinished_forget(). If the table is full, the file is not registered. */
void stoa_unfinished_note(const char *name);
void stoa_unfinished_forget(const char *name);

/* Register the file of `fd` to be truncated to `size`, until stoa_unfinished_keep(). */
void stoa_unfinished_cut(int fd, uint64_t size);
void stoa_unfinished_keep(int fd);

/* How far changes have come. A signal handler reports it, and may let a commit finish. */
typedef enum stoa_unfinished_state {
    STOA_UNCHANGED,  /* no file has changed */
    STOA_COMMITTING, /* a file has a journal record, complete or being written */
    STOA_CHANGED,    /* a file has changed completely, or is just being renamed into place */
} stoa_unfinished_state;

void stoa_unfinished_enter(stoa_unfinished_state state);
stoa_unfinished_state stoa_unfinished_is(void);

/* Undo all of it. Async-signal-safe. The process must end afterwards, because other threads wait
 * for that. */
void stoa_unfinished_undo(void);

#endif
