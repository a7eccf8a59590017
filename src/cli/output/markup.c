#include "cli/output/markup.h"

#include "cli/common/terminal.h"

void cli_put_markup(FILE *out, const char *text)
{
    stoa_sink sink = {.out = NULL};

    cli_escaped(&sink, text, strlen(text));
    for (size_t i = 0; i < sink.text.size; i++) {
        const char c = (char)sink.text.data[i];
        switch (c) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        case '\'':
            fputs("&#39;", out);
            break;
        default:
            fputc(c, out);
        }
    }
    stoa_sink_clear(&sink);
}
