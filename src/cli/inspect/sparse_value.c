/* Prints variable-length values as h5dump does. */
#include <stdlib.h>
#include <string.h>

#include "cli/common/terminal.h"
#include "cli/inspect/sparse.h"
#include "cli/output/cell.h"

/* Print text in double quotes; a backslash precedes quotes and backslashes in it. */
static void put_text(stoa_sink *sink, const char *bytes, size_t length)
{
    stoa_sink_char(sink, '"');
    while (length > 0) {
        size_t n = 0;
        while (n < length && bytes[n] != '"' && bytes[n] != '\\') {
            n++;
        }
        cli_escaped(sink, bytes, n);
        if (n < length) {
            stoa_sink_char(sink, '\\');
            stoa_sink_char(sink, bytes[n++]);
        }
        bytes += n;
        length -= n;
    }
    stoa_sink_char(sink, '"');
}

stoa_status cli_sparse_plain(stoa_sink *sink, const stoa_element *element, const uint8_t *value,
                             stoa_error *err)
{
    void *copy = stoa_alloc(1, element->size);
    struct ArrowSchema schema = {0};
    struct ArrowArray array = {0};
    stoa_view view;
    stoa_status status = STOA_OK;

    STOA_RETURN_NO_MEMORY(err, copy);
    memcpy(copy, value, element->size);
    STOA_TRY(stoa_element_decode(element, copy, 1, NULL, &array, err));
    STOA_TRY(stoa_element_schema(element, "", &schema, err));
    STOA_TRY(stoa_view_of(&schema, &array, &view, err));
    cli_cell(sink, &view, 0);

done:
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    return status;
}

/* Print several values of one type in a row. */
static stoa_status put_items(stoa_sink *sink, const stoa_element *item, const uint8_t *values,
                             size_t n, char open, char close, stoa_error *err)
{
    stoa_sink_char(sink, open);
    for (size_t i = 0; i < n; i++) {
        stoa_sink_text(sink, i > 0 ? ", " : "");
        STOA_RETURN_NOT_OK(cli_sparse_value(sink, item, values + i * item->size, err));
    }
    stoa_sink_char(sink, close);
    return STOA_OK;
}

static stoa_status put_fields(stoa_sink *sink, const stoa_element *element, const uint8_t *value,
                              stoa_error *err)
{
    stoa_sink_char(sink, '{');
    for (size_t i = 0; i < element->n_members; i++) {
        stoa_sink_text(sink, i > 0 ? ", " : "");
        cli_escaped(sink, element->names[i], strlen(element->names[i]));
        stoa_sink_text(sink, ": ");
        STOA_RETURN_NOT_OK(
            cli_sparse_value(sink, &element->items[i], value + element->offsets[i], err));
    }
    stoa_sink_char(sink, '}');
    return STOA_OK;
}

stoa_status cli_sparse_value(stoa_sink *sink, const stoa_element *element, const uint8_t *value,
                             stoa_error *err)
{
    const char *text = NULL;
    hvl_t sequence = {0, NULL};

    switch (element->class) {
    case STOA_ELEMENT_STRING:
        memcpy(&text, value, sizeof text);
        if (text == NULL) {
            stoa_sink_text(sink, "NULL");
        } else {
            put_text(sink, text, strlen(text));
        }
        return STOA_OK;
    case STOA_ELEMENT_FIXED_STRING:
        text = (const char *)value;
        put_text(sink, text, stoa_fixed_string_length(text, element->size, element->padding));
        return STOA_OK;
    case STOA_ELEMENT_VLEN:
        memcpy(&sequence, value, sizeof sequence);
        return put_items(sink, &element->items[0], sequence.p,
                         sequence.p != NULL ? sequence.len : 0, '(', ')', err);
    case STOA_ELEMENT_ARRAY:
        return put_items(sink, &element->items[0], value, element->n_items, '[', ']', err);
    case STOA_ELEMENT_COMPOUND:
        return put_fields(sink, element, value, err);
    default:
        return cli_sparse_plain(sink, element, value, err);
    }
}
