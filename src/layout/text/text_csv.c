/* CSV (RFC 4180) and TSV. Quotes are only used where reading back needs them. A missing value is an
 * empty field. */
#include <string.h>

#include "layout/text/text_format.h"

typedef struct dialect {
    char delimiter;
    bool no_formulas;
} dialect;

static const dialect csv = {',', false};
static const dialect tsv = {'\t', false};
static const dialect safe_csv = {',', true};
static const dialect safe_tsv = {'\t', true};

/* Whether a text of stoa_text_put() must be quoted to be read back unchanged. An empty text must
 * be, since an empty field means missing. So must a text with a delimiter, quote or line break, and
 * one that starts like a byte order mark. */
static bool needs_quotes(const char *text, size_t length, char delimiter)
{
    bool needs = length == 0 || (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0);

    for (size_t i = 0; i < length && !needs; i += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, text + i, sizeof word);
        needs = stoa_word_has(word, delimiter) || stoa_word_has(word, '"') ||
                stoa_word_has(word, '\n') || stoa_word_has(word, '\r');
    }
    return needs;
}

/* Whether a spreadsheet would evaluate the text as a formula. */
static bool is_formula(const char *text, size_t length)
{
    return length > 0 && memchr("=+-@\t\r\n", text[0], 7) != NULL;
}

static void write_text(stoa_sink *sink, const char *text, size_t length, const dialect *how)
{
    const bool is_tamed = how->no_formulas && is_formula(text, length);
    const char *const put = stoa_text_put(sink, text, length);

    if (put == NULL) {
        return;
    }
    if (!needs_quotes(put, length, how->delimiter)) {
        if (is_tamed) {
            stoa_sink_char(sink, '\'');
            stoa_sink_put(sink, text, length);
        } else {
            stoa_sink_took(sink, length);
        }
        return;
    }
    stoa_sink_text(sink, is_tamed ? "\"'" : "\"");
    while (length > 0) {
        const char *quote = memchr(text, '"', length);
        const size_t n = quote != NULL ? (size_t)(quote - text) + 1 : length;
        stoa_sink_put(sink, text, n);
        if (quote != NULL) {
            stoa_sink_char(sink, '"');
        }
        text += n;
        length -= n;
    }
    stoa_sink_char(sink, '"');
}

/* Write a value without a CSV form as a string of JSON. */
static void write_json(stoa_sink *sink, const stoa_node *node, int64_t i, const dialect *how)
{
    stoa_sink json = {.err = sink->err};

    stoa_json_write(&json, node, i);
    if (json.status == STOA_OK) {
        write_text(sink, (const char *)json.text.data, json.text.size, how);
    } else {
        sink->status = json.status;
    }
    stoa_sink_clear(&json);
}

static void write_field(stoa_sink *sink, const stoa_node *node, int64_t i, const dialect *how)
{
    const char *bytes;
    size_t length;

    node = stoa_node_value(node, &i);
    if (node == NULL) {
        return;
    }
    switch (node->view.type.kind) {
    case STOA_KIND_STRING:
    case STOA_KIND_LARGE_STRING:
        bytes = stoa_view_bytes(&node->view, i, &length);
        write_text(sink, bytes, length, how);
        break;
    case STOA_KIND_LIST:
    case STOA_KIND_LARGE_LIST:
    case STOA_KIND_FIXED_LIST:
    case STOA_KIND_STRUCT:
        write_json(sink, node, i, how);
        break;
    case STOA_KIND_BINARY:
    case STOA_KIND_LARGE_BINARY:
        (void)stoa_view_bytes(&node->view, i, &length);
        if (length == 0) {
            stoa_sink_text(sink, "\"\""); /* zero bytes, but not missing */
            break;
        }
        stoa_scalar_write(sink, &node->view, i);
        break;
    default:
        stoa_scalar_write(sink, &node->view, i);
        break;
    }
}

static void write_header(stoa_sink *sink, const stoa_node *table, const dialect *how)
{
    for (size_t k = 0; k < table->n_children; k++) {
        const char *name = table->children[k].name;
        if (k > 0) {
            stoa_sink_char(sink, how->delimiter);
        }
        write_text(sink, name, strlen(name), how);
    }
    stoa_sink_char(sink, '\n');
}

/* In a file of one column a missing value is a blank line, which is also read as one. */
static void write_row(stoa_sink *sink, const stoa_node *table, int64_t i, const dialect *how)
{
    for (size_t k = 0; k < table->n_children; k++) {
        if (k > 0) {
            stoa_sink_char(sink, how->delimiter);
        }
        write_field(sink, &table->children[k], i, how);
    }
    stoa_sink_char(sink, '\n');
}

#define DIALECT(name)                                                                              \
    static void name##_begin(stoa_sink *sink, const stoa_node *table)                              \
    {                                                                                              \
        write_header(sink, table, &(name));                                                        \
    }                                                                                              \
    static void name##_row(stoa_sink *sink, const stoa_node *table, int64_t i, bool is_first)      \
    {                                                                                              \
        (void)is_first;                                                                            \
        write_row(sink, table, i, &(name));                                                        \
    }

DIALECT(csv)
DIALECT(tsv)
DIALECT(safe_csv)
DIALECT(safe_tsv)

static void end(stoa_sink *sink, bool is_empty)
{
    (void)sink;
    (void)is_empty;
}

const stoa_text_kind stoa_text_csv = {csv_begin, csv_row, end};
const stoa_text_kind stoa_text_tsv = {tsv_begin, tsv_row, end};
const stoa_text_kind stoa_text_csv_no_formulas = {safe_csv_begin, safe_csv_row, end};
const stoa_text_kind stoa_text_tsv_no_formulas = {safe_tsv_begin, safe_tsv_row, end};
