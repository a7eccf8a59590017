/* The interface of a text format of stoa_text_write(): one table of functions per format, and
 * access to values. */
#ifndef STOA_LAYOUT_TEXT_FORMAT_H
#define STOA_LAYOUT_TEXT_FORMAT_H

#include "arrow/read.h"
#include "layout/text/sink.h"

/* A field and its nested fields. They are bound to one batch after another, so that an array is
 * examined once per batch. A dictionary is the only child of its field. */
typedef struct stoa_node {
    stoa_view view;
    const char *name; /* borrowed from the schema; never NULL */
    stoa_buffer key;  /* the name in JSON, with a colon */
    struct stoa_node *children;
    size_t n_children;
} stoa_node;

/* One text format. Each format's file ends with its constant. */
typedef struct stoa_text_kind {
    void (*begin)(stoa_sink *sink, const stoa_node *table); /* writes what precedes the rows */
    /* Threads write rows at the same time, each into a sink of its own. */
    void (*row)(stoa_sink *sink, const stoa_node *table, int64_t i, bool is_first);
    void (*end)(stoa_sink *sink, bool is_empty);
} stoa_text_kind;

extern const stoa_text_kind stoa_text_csv;
extern const stoa_text_kind stoa_text_tsv;
extern const stoa_text_kind stoa_text_jsonl;
extern const stoa_text_kind stoa_text_json;
extern const stoa_text_kind stoa_text_markdown;
extern const stoa_text_kind stoa_text_csv_no_formulas;
extern const stoa_text_kind stoa_text_tsv_no_formulas;

/* The node that holds the value of item i after dictionaries are resolved. *i becomes the position
 * there. NULL if the item is missing. */
const stoa_node *stoa_node_value(const stoa_node *node, int64_t *i);

/* Whether a word has a byte that is less than `limit`, which is at most 128, or that is `byte`. */
static inline bool stoa_word_has_less(uint64_t word, uint8_t limit)
{
    const uint64_t each = UINT64_C(0x0101010101010101);

    return ((word - each * limit) & ~word & each * 0x80) != 0;
}
static inline bool stoa_word_has(uint64_t word, char byte)
{
    return stoa_word_has_less(word ^ UINT64_C(0x0101010101010101) * (uint8_t)byte, 1);
}

/* The bytes that may be read, and that are blanks, behind a text of stoa_text_put(). */
enum { STOA_TEXT_PAD = 8 };
/* Copy a text to the end of the sink and blanks behind it, without taking it: the caller looks at
 * it word by word, and then does. NULL after a failure. */
static inline const char *stoa_text_put(stoa_sink *sink, const char *text, size_t length)
{
    char *const to = stoa_sink_room(sink, length + STOA_TEXT_PAD);

    if (to != NULL) {
        memcpy(to, text, length);
        memset(to + length, ' ', STOA_TEXT_PAD);
    }
    return to;
}

/* A number, boolean, time or opaque value (in hexadecimal), without quotes. */
void stoa_scalar_write(stoa_sink *sink, const stoa_view *view, int64_t i);
/* A string of JSON in quotes. A byte that is not valid UTF-8 becomes U+FFFD, since JSON cannot
 * represent it. */
void stoa_json_string(stoa_sink *sink, const char *text, size_t length);
/* Any value, as JSON. */
void stoa_json_write(stoa_sink *sink, const stoa_node *node, int64_t i);

#endif
