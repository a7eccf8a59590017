#include "sql/split.h"

#include <ctype.h>
#include <string.h>

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Behind a comment of two dashes, or a nested one. */
static const char *behind_comment(const char *at)
{
    size_t depth = 0;

    if (at[0] == '-') {
        return at + strcspn(at, "\n");
    }
    do {
        const bool opens = at[0] == '/' && at[1] == '*';
        const bool closes = at[0] == '*' && at[1] == '/';

        depth = opens ? depth + 1 : closes ? depth - 1 : depth;
        at += opens || closes ? 2 : 1;
    } while (depth > 0 && *at != '\0');
    return at;
}

/* Behind a quoted text or name; the end of the text if it has no end. */
static const char *behind_quotes(const char *at, bool has_escapes)
{
    const char quote = *at++;

    while (*at != '\0' && *at != quote) {
        at += has_escapes && at[0] == '\\' && at[1] != '\0' ? 2 : 1;
    }
    return *at == quote ? at + 1 : at; /* a doubled quote begins the next part */
}

/* Behind $tag$...$tag$; `at` itself if that does not begin here. */
static const char *behind_dollars(const char *at)
{
    const char *tag_end = at + 1;

    while (is_word(*tag_end)) {
        tag_end++;
    }
    if (*tag_end != '$' || isdigit((unsigned char)at[1])) {
        return at;
    }
    const size_t length = (size_t)(tag_end + 1 - at);
    for (const char *end = tag_end + 1; *end != '\0'; end++) {
        if (strncmp(end, at, length) == 0) {
            return end + length;
        }
    }
    return at + strlen(at);
}

const char *stoa_sql_next(const char *text, const char *at)
{
    if ((at[0] == '-' && at[1] == '-') || (at[0] == '/' && at[1] == '*')) {
        return behind_comment(at);
    }
    if (*at == '\'' || *at == '"') {
        const bool is_marked =
            at > text && (at[-1] == 'e' || at[-1] == 'E') && (at - 1 == text || !is_word(at[-2]));
        return behind_quotes(at, *at == '\'' && is_marked);
    }
    if (*at == '$' && (at == text || !is_word(at[-1]))) {
        const char *const end = behind_dollars(at);
        return end != at ? end : at + 1;
    }
    return at + 1;
}

size_t stoa_sql_first(const char *text)
{
    for (const char *at = text; *at != '\0'; at = stoa_sql_next(text, at)) {
        if (*at == ';') {
            return (size_t)(at + 1 - text);
        }
    }
    return 0;
}

bool stoa_sql_is_blank(const char *text)
{
    const char *at = text;

    for (;;) {
        at += strspn(at, " \t\r\n\f\v;");
        if (!((at[0] == '-' && at[1] == '-') || (at[0] == '/' && at[1] == '*'))) {
            return *at == '\0';
        }
        at = behind_comment(at);
    }
}
