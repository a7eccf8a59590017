/* Source text of syntax trees, for messages. */
#include <stdio.h>

#include "core/text.h"
#include "query/parse/parse.h"

const char *stoa_syntax_source(const stoa_syntax *syntax, char *out)
{
    const char *text = syntax->source + syntax->start;
    size_t length = syntax->end - syntax->start;

    if (syntax->kind == STOA_SYNTAX_NAME) {
        snprintf(out, STOA_SOURCE_SIZE, "'%.*s'", (int)syntax->length, syntax->text);
    } else if (length < STOA_SOURCE_SIZE - 4) {
        snprintf(out, STOA_SOURCE_SIZE, "%.*s", (int)length, text);
    } else {
        length = stoa_utf8_valid(text, STOA_SOURCE_SIZE - 4);
        snprintf(out, STOA_SOURCE_SIZE, "%.*s...", (int)length, text);
    }
    return out;
}
