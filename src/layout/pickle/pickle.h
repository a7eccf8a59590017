/*
 * Python pickles, read without Python (PyTables notes §8).
 *
 * A pickle is a program for a small stack machine. This one builds values, lists, tuples and dicts,
 * and executes nothing: what the program wants called stays a node that says what, and on which
 * arguments, for those who know its shape. Protocols 0 to 5, but for persistent ids, out-of-band
 * buffers and sets, which no table's metadata hold.
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
    STOA_PICKLE_INT, /* of 64 bits */
    STOA_PICKLE_BIG, /* an integer of more bits: `bytes`, little-endian two's complement; from
                        protocol 0 its decimal digits */
    STOA_PICKLE_FLOAT,
    STOA_PICKLE_TEXT,  /* UTF-8 */
    STOA_PICKLE_BYTES, /* also Python 2's str */
    STOA_PICKLE_LIST,
    STOA_PICKLE_TUPLE,
    STOA_PICKLE_DICT,   /* items: key, value, key, value ... */
    STOA_PICKLE_GLOBAL, /* bytes: "module name" */
    STOA_PICKLE_OBJECT  /* items: what was called, its arguments, its state or NULL */
} stoa_pickle_kind;

typedef struct stoa_pickled stoa_pickled;
struct stoa_pickled {
    stoa_pickle_kind kind;
    union {
        bool truth;
        int64_t integer;
        double number;
        struct {
            const char *data; /* not terminated; NULs may be in it */
            size_t length;
        } bytes;
        struct {
            stoa_pickled **at;
            size_t n;
            size_t room;
        } items;
    } as;
};

/* A pickle and all its nodes. A node may be reached in several ways, and from itself: those who go
 * through it bound how deep. */
typedef struct stoa_pickle stoa_pickle;

/*
 * Read a whole pickle: the program must end with the last byte.
 *
 * @param bytes     copied
 * @param[out] out  the caller's, released by stoa_pickle_close(); NULL on failure
 * @return STOA_EDATA where it is none, is cut short, or does what is not done here
 */
stoa_status stoa_pickle_read(const void *bytes, size_t n, stoa_pickle **out, stoa_error *err);
void stoa_pickle_close(stoa_pickle *pickle);
/* What the program made; borrowed. */
const stoa_pickled *stoa_pickle_root(const stoa_pickle *pickle);

/* Questions to a node; each is "no" of NULL. -----------------------------------------------------
 */

bool stoa_pickled_is_text(const stoa_pickled *node, const char *text);
/* Items of a list or tuple; 0 of others. */
size_t stoa_pickled_count(const stoa_pickled *node);
const stoa_pickled *stoa_pickled_item(const stoa_pickled *node, size_t i);
/* The value of a key of a dict; NULL where there is none. */
const stoa_pickled *stoa_pickled_get(const stoa_pickled *node, const char *key);
const stoa_pickled *stoa_pickled_get_int(const stoa_pickled *node, int64_t key);
/* The arguments that a global was called on, if its name (after the module's) is that one, whatever
 * module it is in: modules move. NULL else. */
const stoa_pickled *stoa_pickled_call(const stoa_pickled *node, const char *name);
/* A copy of a text as a C string, the caller's; NULL if it is none, holds NULs, or memory runs out.
 */
char *stoa_pickled_text(const stoa_pickled *node);

#endif
