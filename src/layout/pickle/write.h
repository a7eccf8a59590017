/*
 * Writes Python pickles in the form that PyTables and pandas expect (PyTables notes §8), to a
 * buffer.
 *
 * Attributes hold protocol 0, which is text. Containers nest:
 *
 *     list:   "(l" ITEM "a" ITEM "a" ...      dict:  "(d" KEY VALUE "s" ...
 *     tuple:  "(" ITEM ITEM ... "t"
 */
#ifndef STOA_LAYOUT_PICKLE_WRITE_H
#define STOA_LAYOUT_PICKLE_WRITE_H

#include "core/memory.h"
#include "layout/pickle/pickle.h"

/* Append opcodes of protocol 0: "(l", "a", "(d", "s", "(", "t", "N", ".". */
stoa_status stoa_pickle_put(stoa_buffer *out, const char *opcodes, stoa_error *err);
stoa_status stoa_pickle_put_int(stoa_buffer *out, int64_t value, stoa_error *err);
stoa_status stoa_pickle_put_bool(stoa_buffer *out, bool value, stoa_error *err);
/* A str in UTF-8. */
stoa_status stoa_pickle_put_text(stoa_buffer *out, const char *text, stoa_error *err);
/* Append a node that was read: None, booleans, integers, floats, strings, and lists and tuples of
 * them. For other nodes, and for long ones, *is_plain becomes false, and what was appended is
 * invalid. */
stoa_status stoa_pickle_put_node(stoa_buffer *out, const stoa_pickled *node, bool *is_plain,
                                 stoa_error *err);
/* A list of str. NULL becomes None. */
stoa_status stoa_pickle_put_texts(stoa_buffer *out, const char *const *texts, size_t n,
                                  stoa_error *err);
/* datetime.timezone for UTC or an offset ("+05:30"), or the name of another zone. */
stoa_status stoa_pickle_put_zone(stoa_buffer *out, const char *zone, stoa_error *err);
/* The same, with a named zone as pandas' object for it. */
stoa_status stoa_pickle_put_zone_object(stoa_buffer *out, const char *zone, stoa_error *err);

/* An array of n objects, for numpy of shape (n, 1) or (n,), in protocol 4: its beginning, its items
 * and its end. */
stoa_status stoa_pickle_begin_objects(stoa_buffer *out, uint64_t n, bool is_column,
                                      stoa_error *err);
/* A str, given as UTF-8 bytes. */
stoa_status stoa_pickle_put_object(stoa_buffer *out, const char *text, size_t length,
                                   stoa_error *err);
/* NaN, which pandas uses for a missing string. */
stoa_status stoa_pickle_put_nan(stoa_buffer *out, stoa_error *err);
stoa_status stoa_pickle_end_objects(stoa_buffer *out, stoa_error *err);

#endif
