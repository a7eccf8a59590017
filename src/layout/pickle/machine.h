/* The stack machine that the files of the pickle reader share: its program, stack and memo. */
#ifndef STOA_LAYOUT_PICKLE_MACHINE_H
#define STOA_LAYOUT_PICKLE_MACHINE_H

#include "core/arena.h"
#include "layout/pickle/pickle.h"

typedef struct stoa_pickle_machine stoa_pickle_machine;

/* An opcode: its function, and what differs between opcodes of one function. */
typedef struct stoa_pickle_op {
    stoa_status (*run)(stoa_pickle_machine *m); /* NULL: no such opcode */
    stoa_pickle_kind kind;                      /* of the node that it makes or fills */
    unsigned n; /* bytes of its number or length, or nodes that it takes */
} stoa_pickle_op;

struct stoa_pickle_machine {
    stoa_arena *arena;
    const uint8_t *at;
    const uint8_t *end;
    size_t length; /* of the program */
    stoa_pickled *
        /* `room` entries; NULL is a mark. The depth is at most the length of the program. */
        *stack;
    size_t depth;
    size_t room;
    stoa_pickled **memo; /* indexed by number; NULL if unset */
    size_t n_memo;
    size_t n_kept;            /* the counter of MEMOIZE */
    const stoa_pickle_op *op; /* that is executed */
    bool is_done;
    stoa_error *err;
};

/* The opcodes of each file. */
extern const stoa_pickle_op stoa_pickle_value_ops[256];     /* numbers and strings */
extern const stoa_pickle_op stoa_pickle_container_ops[256]; /* lists, tuples, dicts, objects */

/* Consume input: n bytes; an unsigned little-endian number of n bytes; a line without its end. */
stoa_status stoa_pickle_read_bytes(stoa_pickle_machine *m, uint64_t n, const uint8_t **bytes);
stoa_status stoa_pickle_read_number(stoa_pickle_machine *m, unsigned n, uint64_t *number);
stoa_status stoa_pickle_read_line(stoa_pickle_machine *m, const char **line, size_t *length);

/* Make a node, zeroed except for its kind; make one and push it; push one with a copy of bytes. */
stoa_status stoa_pickle_make(const stoa_pickle_machine *m, stoa_pickle_kind kind,
                             stoa_pickled **node);
stoa_status stoa_pickle_push_new(stoa_pickle_machine *m, stoa_pickle_kind kind,
                                 stoa_pickled **node);
stoa_status stoa_pickle_push_bytes(stoa_pickle_machine *m, stoa_pickle_kind kind, const void *data,
                                   size_t length);
/* Push a node. NULL is a mark. */
stoa_status stoa_pickle_push(stoa_pickle_machine *m, stoa_pickled *node);
/* Get the top node: remove it, or leave it. */
stoa_status stoa_pickle_pop(stoa_pickle_machine *m, stoa_pickled **node);
stoa_status stoa_pickle_peek(const stoa_pickle_machine *m, stoa_pickled **node);
/* Remove the last mark and everything above it. The nodes are valid until the next push. */
stoa_status stoa_pickle_pop_marked(stoa_pickle_machine *m, stoa_pickled ***nodes, size_t *n);
stoa_status stoa_pickle_add_items(const stoa_pickle_machine *m, stoa_pickled *node,
                                  stoa_pickled *const *items, size_t n);
/* Fail because the stack lacks a node. */
stoa_status stoa_pickle_unbalanced(const stoa_pickle_machine *m);

#endif
