/*
 * What an ending process undoes: temporary files with a name, and the bytes that an edit put past
 * the end of its file. A program whose handler of signals ends it calls stoa_unfinished_undo()
 * first.
 */
#ifndef STOA_CORE_UNFINISHED_H
#define STOA_CORE_UNFINISHED_H

#include <stdbool.h>
#include <stdint.h>

/* `name` is to be removed, from before it is made until stoa_unfinished_forget(), before which it
 * may not be freed. Where the table is full, it is not noted. */
void stoa_unfinished_note(const char *name);
void stoa_unfinished_forget(const char *name);

/* The file of `fd` is to be cut back to `size`, until stoa_unfinished_keep(). */
void stoa_unfinished_cut(int fd, uint64_t size);
void stoa_unfinished_keep(int fd);

/* How far changes have come: the handler tells the user, and may let a commit end. */
typedef enum stoa_unfinished_state {
    STOA_UNCHANGED,  /* no file has changed */
    STOA_COMMITTING, /* one has a journal's record, whole or soon to be */
    STOA_CHANGED,    /* one has changed, wholly, or is given its name just now */
} stoa_unfinished_state;

void stoa_unfinished_enter(stoa_unfinished_state state);
stoa_unfinished_state stoa_unfinished_is(void);

/* Undo all of it. Async-signal-safe; the process must end then: other threads wait for that. */
void stoa_unfinished_undo(void);

#endif
