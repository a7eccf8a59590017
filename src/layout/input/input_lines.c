#include "layout/input/input_lines.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

enum { BUFFER = 1 << 20 };

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void cut_words(stoa_lines *l)
{
    size_t i = 0;

    l->n_words = 0;
    for (;;) {
        while (i < l->length && is_space(l->text[i])) {
            i++;
        }
        if (i == l->length) {
            return;
        }
        const size_t first = i;
        while (i < l->length && !is_space(l->text[i])) {
            i++;
        }
        if (l->n_words < STOA_LINE_WORDS) {
            l->words[l->n_words] = (stoa_word){l->text + first, i - first};
        }
        l->n_words++;
    }
}

/* Read more of the input behind the unread rest of the buffer. */
static stoa_status fill(stoa_lines *l, stoa_error *err)
{
    size_t n = 0;

    if (l->buffer == NULL) {
        l->buffer = stoa_alloc(BUFFER, 1);
        STOA_RETURN_NO_MEMORY(err, l->buffer);
    }
    memmove(l->buffer, l->buffer + l->start, l->end - l->start);
    l->end -= l->start;
    l->start = 0;
    STOA_RETURN_NOT_OK(stoa_input_read(l->input, l->buffer + l->end, BUFFER - l->end, &n, err));
    l->end += n;
    l->is_over = n == 0;
    return STOA_OK;
}

stoa_status stoa_lines_next(stoa_lines *l, bool *has_line, stoa_error *err)
{
    const char *newline = NULL;

    *has_line = false;
    for (;;) {
        const size_t rest = l->end - l->start;
        newline = rest > 0 ? memchr(l->buffer + l->start, '\n', rest) : NULL;
        if (newline != NULL || l->is_over) {
            break;
        }
        if (rest > STOA_LINE_BYTES) {
            break;
        }
        STOA_RETURN_NOT_OK(fill(l, err));
    }
    if (newline == NULL && l->start == l->end) {
        return STOA_OK;
    }
    l->line++;
    l->text = l->buffer + l->start;
    l->length = newline != NULL ? (size_t)(newline - l->text) : l->end - l->start;
    if (l->length > STOA_LINE_BYTES) {
        return stoa_fail(err, STOA_EDATA, "the line has more than %d bytes", STOA_LINE_BYTES);
    }
    l->start += l->length + (newline != NULL);
    cut_words(l);
    *has_line = true;
    return STOA_OK;
}

void stoa_lines_clear(stoa_lines *lines)
{
    free(lines->buffer);
    lines->buffer = NULL;
}
