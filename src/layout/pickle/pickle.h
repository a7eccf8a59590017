/*
 * Reads Python pickles without Python (PyTables notes §8).
 *
 * A pickle is a program for a small stack machine. This reader builds values, lists, tuples and
 * dicts, and executes nothing. A call becomes a node with the callable's name and its arguments,
 * for callers that recognise it. Protocols 0 to 5 are supported, without persistent IDs,
 * out-of-band buffers and sets, which table metadata does not use.
 */
#ifndef STOA_LAYOUT_PICKLE_H
#define STOA_LAYOUT_PICKLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stoa/error.h>

typedef enum stoa_pickle_kind {
    STOA_PICKLE_NONE,
    STOA_PICKLE_BOOL,
    STOA_PICKLE_INT, /* fits in 64 bits */
    /* An integer of more than 64 bits. `bytes` is little-endian two's complement; from protocol 0,
     * its decimal digits. */
    STOA_PICKLE_BIG,
    STOA_PICKLE_FLOAT,
    STOA_PICKLE_TEXT,  /* UTF-8 */
    STOA_PICKLE_BYTES, /* also str of Python 2 */
    STOA_PICKLE_LIST,
    STOA_PICKLE_TUPLE,
    STOA_PICKLE_DICT,   /* items: key, value, key, value ... */
    STOA_PICKLE_GLOBAL, /* bytes: "module name" */
    STOA_PICKLE_OBJECT  /* items: callable, arguments, state or NULL */
} stoa_pickle_kind;

typedef struct stoa_pickled stoa_pickled;
struct stoa_pickled {
    stoa_pickle_kind kind;
    union {
        bool truth;
        int64_t integer;
        double number;
        struct {
            const char *data; /* not terminated; may contain NULs */
            size_t length;
        } bytes;
        struct {
            stoa_pickled **at;
            size_t n;
            size_t room;
        } items;
    } as;
};

/* A pickle and all its nodes. The nodes may be shared and form cycles, so traversals must limit
 * their depth. */
typedef struct stoa_pickle stoa_pickle;

/*
 * Read a pickle, whose program must end with the last byte.
 *
 * @param bytes     copied
 * @param[out] out  the caller releases it by stoa_pickle_close(); NULL on failure
 * @return STOA_EDATA if it is no pickle, is truncated, or uses an unsupported opcode
 */
stoa_status stoa_pickle_read(const void *bytes, size_t n, stoa_pickle **out, stoa_error *err);
void stoa_pickle_close(stoa_pickle *pickle);
/* The value that the program made; borrowed. */
const stoa_pickled *stoa_pickle_root(const stoa_pickle *pickle);

/* Queries. Each accepts NULL, and then returns false, 0 or NULL. ------------------------------ */

bool stoa_pickled_is_text(const stoa_pickled *node, const char *text);
/* The items of a list or tuple; 0 for other nodes. */
size_t stoa_pickled_count(const stoa_pickled *node);
const stoa_pickled *stoa_pickled_item(const stoa_pickled *node, size_t i);
/* The value of a key of a dict; NULL if there is none. */
const stoa_pickled *stoa_pickled_get(const stoa_pickled *node, const char *key);
const stoa_pickled *stoa_pickled_get_int(const stoa_pickled *node, int64_t key);
/* The arguments of a call, if the callable has that name in any module, since modules move;
 * otherwise NULL. */
const stoa_pickled *stoa_pickled_call(const stoa_pickled *node, const char *name);
/* A string as a C string. The caller frees it. NULL if the node is no string or contains NULs, and
 * if out of memory. */
char *stoa_pickled_text(const stoa_pickled *node);

#endif
