/*
 * Python pickles as PyTables and pandas expect to find them (PyTables notes §8), appended to a
 * buffer.
 *
 * Attributes hold protocol 0, which is text. What is put between a beginning and its end is nested:
 *
 *     list:   "(l" ITEM "a" ITEM "a" ...      dict:  "(d" KEY VALUE "s" ...
 *     tuple:  "(" ITEM ITEM ... "t"
 */
#ifndef STOA_LAYOUT_PICKLE_WRITE_H
#define STOA_LAYOUT_PICKLE_WRITE_H

#include "core/memory.h"
#include "layout/pickle/pickle.h"

/* Opcodes as they are, of protocol 0: "(l", "a", "(d", "s", "(", "t", "N", ".". */
stoa_status stoa_pickle_put(stoa_buffer *out, const char *opcodes, stoa_error *err);
stoa_status stoa_pickle_put_int(stoa_buffer *out, int64_t value, stoa_error *err);
stoa_status stoa_pickle_put_bool(stoa_buffer *out, bool value, stoa_error *err);
/* A str, of UTF-8. */
stoa_status stoa_pickle_put_text(stoa_buffer *out, const char *text, stoa_error *err);
/* A node that was read: None, truth values, integers, floats, texts, and lists and tuples of such;
 * *is_plain becomes false of others and of what is long, and what was put is none. */
stoa_status stoa_pickle_put_node(stoa_buffer *out, const stoa_pickled *node, bool *is_plain,
                                 stoa_error *err);
/* A list of str; NULL among them is None. */
stoa_status stoa_pickle_put_texts(stoa_buffer *out, const char *const *texts, size_t n,
                                  stoa_error *err);
/* datetime.timezone of UTC or of an offset ("+05:30"), or the name of another zone. */
stoa_status stoa_pickle_put_zone(stoa_buffer *out, const char *zone, stoa_error *err);
/* The same, a name as the object that pandas makes of it. */
stoa_status stoa_pickle_put_zone_object(stoa_buffer *out, const char *zone, stoa_error *err);

/* An array of n objects, numpy's of shape (n, 1) or (n,), in protocol 4: its beginning, its items,
 * its end. */
stoa_status stoa_pickle_begin_objects(stoa_buffer *out, uint64_t n, bool is_column,
                                      stoa_error *err);
/* A str of UTF-8, of any bytes that are such. */
stoa_status stoa_pickle_put_object(stoa_buffer *out, const char *text, size_t length,
                                   stoa_error *err);
/* NaN: what pandas has where a text is missing. */
stoa_status stoa_pickle_put_nan(stoa_buffer *out, stoa_error *err);
stoa_status stoa_pickle_end_objects(stoa_buffer *out, stoa_error *err);

#endif
