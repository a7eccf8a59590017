/* What the files of the pickle reader share: the machine, its program, its stack. */
#ifndef STOA_LAYOUT_PICKLE_MACHINE_H
#define STOA_LAYOUT_PICKLE_MACHINE_H

#include "layout/pickle/pickle.h"
#include "query/pool.h"

typedef struct stoa_pickle_machine {
    stoa_pool *pool;
    const uint8_t *at;
    const uint8_t *end;
    size_t length; /* of the program */
    stoa_pickled *
        *stack; /* of `room`; NULL stands for a mark. As deep as there are bytes, at most */
    size_t depth;
    size_t room;
    stoa_pickled **memo; /* by number; NULL: nothing was put there */
    size_t n_memo;
    size_t n_kept; /* as MEMOIZE counts */
    bool is_done;
    stoa_error *err;
} stoa_pickle_machine;

/* What one opcode does. */
typedef stoa_status (*stoa_pickle_step)(stoa_pickle_machine *m);

/* Those of one file; NULL where an opcode is none of it. */
stoa_pickle_step stoa_pickle_value_step(uint8_t opcode);     /* numbers and texts */
stoa_pickle_step stoa_pickle_container_step(uint8_t opcode); /* lists, tuples, dicts, objects */

/* The program: n bytes; an unsigned number of n bytes, little-endian; a line, without its end. */
stoa_status stoa_pickle_take(stoa_pickle_machine *m, uint64_t n, const uint8_t **bytes);
stoa_status stoa_pickle_take_number(stoa_pickle_machine *m, unsigned n, uint64_t *number);
stoa_status stoa_pickle_take_line(stoa_pickle_machine *m, const char **line, size_t *length);

/* A node, zeroed but for its kind; on the stack; one with a copy of bytes on the stack. */
stoa_status stoa_pickle_make(const stoa_pickle_machine *m, stoa_pickle_kind kind,
                             stoa_pickled **node);
stoa_status stoa_pickle_push_new(stoa_pickle_machine *m, stoa_pickle_kind kind,
                                 stoa_pickled **node);
stoa_status stoa_pickle_push_bytes(stoa_pickle_machine *m, stoa_pickle_kind kind, const void *data,
                                   size_t length);
/* NULL: a mark. */
stoa_status stoa_pickle_push(stoa_pickle_machine *m, stoa_pickled *node);
/* The node on top, which goes, or stays. */
stoa_status stoa_pickle_pop(stoa_pickle_machine *m, stoa_pickled **node);
stoa_status stoa_pickle_peek(const stoa_pickle_machine *m, stoa_pickled **node);
/* Everything above the last mark, which goes; valid until the next push. */
stoa_status stoa_pickle_pop_marked(stoa_pickle_machine *m, stoa_pickled ***nodes, size_t *n);
stoa_status stoa_pickle_add_items(const stoa_pickle_machine *m, stoa_pickled *node,
                                  stoa_pickled *const *items, size_t n);
/* Fail over what is not on the stack. */
stoa_status stoa_pickle_unbalanced(const stoa_pickle_machine *m);

#endif
