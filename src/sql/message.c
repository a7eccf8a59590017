/* Messages of DuckDB: "Parser Error: what is wrong\n\nLINE 1: the text\n             ^". */
#include "sql/message.h"

#include <string.h>

#include "core/error.h"

enum { MAX_TEXT = 900, MAX_QUOTED = 40 };

static stoa_status status_of(const char *message)
{
    static const struct {
        const char *kind;
        stoa_status status;
    } all[] = {
        {"Parser Error", STOA_ESYNTAX},
        {"Syntax Error", STOA_ESYNTAX},
        {"Binder Error", STOA_ESYNTAX},
        {"Catalog Error", STOA_ENOTFOUND},
        {"Conversion Error", STOA_ERANGE},
        {"Out of Range Error", STOA_ERANGE},
        {"IO Error", STOA_EIO},
        {"Out of Memory Error", STOA_ENOMEM},
        {"INTERRUPT Error", STOA_ECANCELLED},
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strncmp(message, all[i].kind, strlen(all[i].kind)) == 0) {
            return all[i].status;
        }
    }
    return STOA_EINVAL;
}

/* The text at the mark; its length is 0 if there is none. */
static const char *at_mark(const char *excerpt, size_t *length)
{
    const char *const line_end = strchr(excerpt, '\n');
    const size_t at = line_end != NULL ? strspn(line_end + 1, " ") : 0;

    *length = 0;
    if (line_end == NULL || line_end[1 + at] != '^' || at >= (size_t)(line_end - excerpt)) {
        return NULL;
    }
    *length = (size_t)(line_end - excerpt) - at;
    *length = *length < MAX_QUOTED ? *length : MAX_QUOTED;
    return excerpt + at;
}

stoa_status stoa_sql_fail(stoa_error *err, const char *message)
{
    char text[MAX_TEXT] = "";
    size_t n = 0;
    size_t n_quoted = 0;

    if (message == NULL) {
        return stoa_fail(err, STOA_EINVAL, "DuckDB failed, and does not say why");
    }
    const char *const excerpt = strstr(message, "\n\nLINE ");
    const char *const quoted = excerpt != NULL ? at_mark(excerpt + 2, &n_quoted) : NULL;
    const size_t end = excerpt != NULL ? (size_t)(excerpt - message) : strlen(message);
    for (size_t i = 0; i < end && n + 1 < sizeof text; i++) {
        const char c = message[i] == '\n' ? ' ' : message[i];

        if (c != ' ' || n == 0 || text[n - 1] != ' ') {
            text[n++] = c;
        }
    }
    text[n] = '\0';
    return quoted != NULL
               ? stoa_fail(err, status_of(message), "%s; at \"%.*s\"", text, (int)n_quoted, quoted)
               : stoa_fail(err, status_of(message), "%s", text);
}
