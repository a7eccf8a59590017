/* Single values as text, in the canonical form of docs/csv.md. */
#include "layout/text/text_format.h"

const stoa_node *stoa_node_value(const stoa_node *node, int64_t *i)
{
    while (!stoa_view_is_null(&node->view, *i)) {
        if (node->view.type.kind != STOA_KIND_DICTIONARY) {
            return node;
        }
        *i = stoa_view_i64(&node->view, *i);
        node = &node->children[0];
    }
    return NULL;
}

static void write_hex(stoa_sink *sink, const char *bytes, size_t length)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < length; i++) {
        const uint8_t byte = (uint8_t)bytes[i];
        stoa_sink_put(sink, (char[]){digits[byte >> 4], digits[byte & 15]}, 2);
    }
}

/* Write a number or a time where there is room for it. */
static size_t format(const stoa_view *view, int64_t i, char *out)
{
    switch (view->type.kind) {
    case STOA_KIND_UINT64:
        return stoa_format_u64((uint64_t)stoa_view_i64(view, i), out);
    case STOA_KIND_FLOAT16:
    case STOA_KIND_FLOAT32:
        return stoa_format_f32((float)stoa_view_f64(view, i), out);
    case STOA_KIND_FLOAT64:
        return stoa_format_f64(stoa_view_f64(view, i), out);
    case STOA_KIND_DATE:
    case STOA_KIND_TIMESTAMP:
    case STOA_KIND_DURATION:
        return stoa_type_format_ticks(&view->type, stoa_view_i64(view, i), out);
    default:
        return stoa_format_i64(stoa_view_i64(view, i), out);
    }
}

void stoa_scalar_write(stoa_sink *sink, const stoa_view *view, int64_t i)
{
    char *to = NULL;
    const char *bytes = NULL;
    size_t length = 0;

    switch (view->type.kind) {
    case STOA_KIND_BOOL:
        stoa_sink_text(sink, stoa_view_i64(view, i) != 0 ? "true" : "false");
        break;
    case STOA_KIND_BINARY:
    case STOA_KIND_LARGE_BINARY:
    case STOA_KIND_FIXED_BINARY:
        bytes = stoa_view_bytes(view, i, &length);
        write_hex(sink, bytes, length);
        break;
    default:
        to = stoa_sink_room(sink, STOA_NUMBER_SIZE);
        if (to != NULL) {
            stoa_sink_took(sink, format(view, i, to));
        }
        break;
    }
}
