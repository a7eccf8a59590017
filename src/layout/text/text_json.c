/* JSON (RFC 8259): one object per row, keys in column order, null for missing values. */
#include <math.h>
#include <string.h>

#include "layout/text/text_format.h"

/* The number of leading bytes that need no escape. */
static size_t plain_length(const char *text, size_t length)
{
    size_t n = 0;

    while (n < length && (uint8_t)text[n] >= 0x20 && (uint8_t)text[n] < 0x80 && text[n] != '"' &&
           text[n] != '\\') {
        n++;
    }
    return n;
}

static void write_escape(stoa_sink *sink, char c)
{
    static const char named[] = "\"\\\b\f\n\r\t";
    static const char letters[] = "\"\\bfnrt";
    static const char digits[] = "0123456789abcdef";
    const char *found = c != '\0' ? strchr(named, c) : NULL;

    if (found != NULL) {
        stoa_sink_put(sink, (char[]){'\\', letters[found - named]}, 2);
    } else {
        stoa_sink_put(sink, (char[]){'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]}, 6);
    }
}

/* Whether a text of stoa_text_put() needs no escape. */
static bool is_plain(const char *text, size_t length)
{
    bool is_all = true;

    for (size_t i = 0; i < length && is_all; i += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, text + i, sizeof word);
        is_all = (word & UINT64_C(0x8080808080808080)) == 0 && !stoa_word_has_less(word, 0x20) &&
                 !stoa_word_has(word, '"') && !stoa_word_has(word, '\\');
    }
    return is_all;
}

void stoa_json_string(stoa_sink *sink, const char *text, size_t length)
{
    stoa_sink_char(sink, '"');
    const char *const put = stoa_text_put(sink, text, length);
    if (put != NULL && is_plain(put, length)) {
        stoa_sink_took(sink, length);
        length = 0;
    }
    while (length > 0) {
        size_t n = plain_length(text, length);
        if (n > 0) {
            stoa_sink_put(sink, text, n);
        } else if ((uint8_t)*text < 0x80) {
            write_escape(sink, *text);
            n = 1;
        } else {
            /* One character: of the next four bytes, the valid prefix up to the next start byte. */
            n = stoa_utf8_valid(text, length < 4 ? length : 4);
            for (size_t i = 1; i < n; i++) {
                n = ((uint8_t)text[i] & 0xc0) != 0x80 ? i : n;
            }
            if (n > 0) {
                stoa_sink_put(sink, text, n);
            } else {
                stoa_sink_text(sink, "\xef\xbf\xbd");
                n = 1;
            }
        }
        text += n;
        length -= n;
    }
    stoa_sink_char(sink, '"');
}

static void write_float(stoa_sink *sink, const stoa_view *view, int64_t i)
{
    const double value = stoa_view_f64(view, i);

    if (isfinite(value)) {
        stoa_scalar_write(sink, view, i);
    } else {
        stoa_sink_text(sink, isnan(value) ? "\"NaN\""
                             : value < 0  ? "\"-Infinity\""
                                          : "\"Infinity\"");
    }
}

static void write_list(stoa_sink *sink, const stoa_node *node, int64_t i)
{
    int64_t first;
    int64_t count;

    stoa_view_range(&node->view, i, &first, &count);
    stoa_sink_char(sink, '[');
    for (int64_t k = 0; k < count && sink->status == STOA_OK; k++) {
        if (k > 0) {
            stoa_sink_char(sink, ',');
        }
        stoa_json_write(sink, &node->children[0], first + k);
    }
    stoa_sink_char(sink, ']');
}

static void write_object(stoa_sink *sink, const stoa_node *node, int64_t i)
{
    stoa_sink_char(sink, '{');
    for (size_t k = 0; k < node->n_children; k++) {
        const stoa_node *child = &node->children[k];
        if (k > 0) {
            stoa_sink_char(sink, ',');
        }
        stoa_sink_put(sink, child->key.data, child->key.size);
        stoa_json_write(sink, child, i);
    }
    stoa_sink_char(sink, '}');
}

void stoa_json_write(stoa_sink *sink, const stoa_node *node, int64_t i)
{
    const char *bytes;
    size_t length;

    node = stoa_node_value(node, &i);
    if (node == NULL) {
        stoa_sink_text(sink, "null");
        return;
    }
    switch (node->view.type.kind) {
    case STOA_KIND_STRING:
    case STOA_KIND_LARGE_STRING:
        bytes = stoa_view_bytes(&node->view, i, &length);
        stoa_json_string(sink, bytes, length);
        break;
    case STOA_KIND_LIST:
    case STOA_KIND_LARGE_LIST:
    case STOA_KIND_FIXED_LIST:
        write_list(sink, node, i);
        break;
    case STOA_KIND_STRUCT:
        write_object(sink, node, i);
        break;
    case STOA_KIND_FLOAT16:
    case STOA_KIND_FLOAT32:
    case STOA_KIND_FLOAT64:
        write_float(sink, &node->view, i);
        break;
    case STOA_KIND_DATE:
    case STOA_KIND_TIMESTAMP:
    case STOA_KIND_DURATION:
    case STOA_KIND_BINARY:
    case STOA_KIND_LARGE_BINARY:
    case STOA_KIND_FIXED_BINARY:
        stoa_sink_char(sink, '"');
        stoa_scalar_write(sink, &node->view, i);
        stoa_sink_char(sink, '"');
        break;
    default:
        stoa_scalar_write(sink, &node->view, i);
        break;
    }
}

static void jsonl_begin(stoa_sink *sink, const stoa_node *table)
{
    (void)sink;
    (void)table;
}

static void jsonl_row(stoa_sink *sink, const stoa_node *table, int64_t i, bool is_first)
{
    (void)is_first;
    write_object(sink, table, i);
    stoa_sink_char(sink, '\n');
}

static void jsonl_end(stoa_sink *sink, bool is_empty)
{
    (void)sink;
    (void)is_empty;
}

static void json_begin(stoa_sink *sink, const stoa_node *table)
{
    (void)table;
    stoa_sink_char(sink, '[');
}

static void json_row(stoa_sink *sink, const stoa_node *table, int64_t i, bool is_first)
{
    stoa_sink_text(sink, is_first ? "\n" : ",\n");
    write_object(sink, table, i);
}

static void json_end(stoa_sink *sink, bool is_empty)
{
    stoa_sink_text(sink, is_empty ? "]\n" : "\n]\n");
}

const stoa_text_kind stoa_text_jsonl = {jsonl_begin, jsonl_row, jsonl_end};
const stoa_text_kind stoa_text_json = {json_begin, json_row, json_end};
