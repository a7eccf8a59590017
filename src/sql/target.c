/* Knows as much of SQL as finds the name: words, quotes, comments and parentheses. */
#include "sql/target.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/memory.h"
#include "core/text.h"
#include "sql/split.h"

typedef struct cursor {
    const char *text;
    const char *at;
} cursor;

/* --- tokens ---------------------------------------------------------------------------------- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static void skip_blanks(cursor *c)
{
    for (;;) {
        c->at += strspn(c->at, " \t\r\n\f\v");
        if (!(c->at[0] == '-' && c->at[1] == '-') && !(c->at[0] == '/' && c->at[1] == '*')) {
            return;
        }
        c->at = stoa_sql_next(c->text, c->at);
    }
}

/* The cursor stays where it is if another word stands there. */
static bool take_word(cursor *c, const char *word)
{
    const size_t length = strlen(word);

    skip_blanks(c);
    if (strncasecmp(c->at, word, length) != 0 || is_word(c->at[length])) {
        return false;
    }
    c->at += length;
    return true;
}

static bool take_mark(cursor *c, char mark)
{
    skip_blanks(c);
    const bool is = *c->at == mark;
    c->at += is ? 1 : 0;
    return is;
}

static stoa_status copy_of(const char *from, const char *to, char **copy, stoa_error *err)
{
    *copy = stoa_format("%.*s", (int)(to - from), from);
    return *copy != NULL ? STOA_OK : stoa_fail_memory(err);
}

/* A text or name in quotes, without them. *text is NULL if there is none, or if it has no end. */
static stoa_status take_quoted(cursor *c, char **text, stoa_error *err)
{
    skip_blanks(c);
    const char quote = *c->at;
    const char *from = c->at + 1;

    *text = NULL;
    if (quote != '\'' && quote != '"') {
        return STOA_OK;
    }
    do { /* a doubled quote begins the next part */
        c->at = stoa_sql_next(c->text, c->at);
    } while (*c->at == quote);
    if (c->at == from || c->at[-1] != quote) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(copy_of(from, c->at - 1, text, err));
    char *to = *text;
    for (const char *at = *text; *at != '\0'; at++) {
        *to++ = *at;
        at += at[0] == quote && at[1] == quote ? 1 : 0;
    }
    *to = '\0';
    return STOA_OK;
}

/* The position of the `)` that closes a parenthesis, behind which the cursor stands; NULL if there
 * is none. */
static const char *closing(const cursor *c)
{
    size_t depth = 1;

    for (const char *at = c->at; *at != '\0'; at = stoa_sql_next(c->text, at)) {
        depth += *at == '(' ? 1 : 0;
        depth -= *at == ')' ? 1 : 0;
        if (depth == 0) {
            return at;
        }
    }
    return NULL;
}

static bool is_at_end(cursor *c)
{
    return stoa_sql_is_blank(c->at);
}

/* --- parts ----------------------------------------------------------------------------------- */

/* One of several names: in quotes or not. */
static stoa_status take_name(cursor *c, char **name, stoa_error *err)
{
    STOA_RETURN_NOT_OK(take_quoted(c, name, err));
    if (*name == NULL) {
        const char *const from = c->at;
        while (is_word(*c->at)) {
            c->at++;
        }
        STOA_RETURN_NOT_OK(c->at > from ? copy_of(from, c->at, name, err) : STOA_OK);
    }
    return STOA_OK;
}

/* `(a, "b")`. */
static stoa_status take_columns(cursor *c, stoa_sql_target *target, bool *is_one, stoa_error *err)
{
    *is_one = true;
    do {
        char **const more = realloc(target->columns, (target->n_columns + 1) * sizeof *more);
        STOA_RETURN_NO_MEMORY(err, more);
        target->columns = more;
        STOA_RETURN_NOT_OK(take_name(c, &more[target->n_columns], err));
        *is_one = more[target->n_columns] != NULL;
        target->n_columns += *is_one ? 1 : 0;
    } while (*is_one && take_mark(c, ','));
    *is_one = *is_one && take_mark(c, ')');
    return STOA_OK;
}

/* A value is in quotes, or all up to the next comma. */
static stoa_status take_value(cursor *c, const char *end, char **value, stoa_error *err)
{
    STOA_RETURN_NOT_OK(take_quoted(c, value, err));
    if (*value == NULL) {
        const char *const from = c->at;
        size_t depth = 0;
        for (; c->at < end && (*c->at != ',' || depth > 0); c->at = stoa_sql_next(c->text, c->at)) {
            depth += *c->at == '(' ? 1 : 0;
            depth -= *c->at == ')' && depth > 0 ? 1 : 0;
        }
        const char *to = c->at;
        while (to > from && isspace((unsigned char)to[-1])) {
            to--;
        }
        STOA_RETURN_NOT_OK(copy_of(from, to, value, err));
    }
    return STOA_OK;
}

/* `(index 'a', codec 'zstd')`. */
static stoa_status take_options(cursor *c, stoa_sql_target *target, bool *is_one, stoa_error *err)
{
    const char *const end = closing(c);

    *is_one = end != NULL;
    while (*is_one) {
        stoa_sql_option *const more =
            realloc(target->options, (target->n_options + 1) * sizeof *more);
        STOA_RETURN_NO_MEMORY(err, more);
        target->options = more;
        more[target->n_options] = (stoa_sql_option){NULL, NULL};
        stoa_sql_option *const option = &more[target->n_options++];
        STOA_RETURN_NOT_OK(take_name(c, &option->name, err));
        if (option->name == NULL) {
            *is_one = false;
            break;
        }
        for (char *at = option->name; *at != '\0'; at++) {
            *at = (char)tolower((unsigned char)*at);
        }
        skip_blanks(c);
        STOA_RETURN_NOT_OK(take_value(c, end, &option->value, err));
        if (!take_mark(c, ',')) {
            *is_one = take_mark(c, ')') && c->at == end + 1;
            break;
        }
    }
    return STOA_OK;
}

/* --- statements ------------------------------------------------------------------------------ */

/* What is copied: (QUERY), or 'PLACE'. */
static stoa_status take_source(cursor *c, stoa_sql_target *target, stoa_error *err)
{
    if (take_mark(c, '(')) {
        const char *const end = closing(c);
        if (end != NULL) {
            STOA_RETURN_NOT_OK(copy_of(c->at, end, &target->query, err));
            c->at = end + 1;
        }
        return STOA_OK;
    }
    skip_blanks(c);
    const char *const from = c->at;
    char *name = NULL;
    STOA_RETURN_NOT_OK(take_quoted(c, &name, err));
    target->is_of_name = name != NULL;
    free(name);
    if (!target->is_of_name) { /* a table of DuckDB, or of a schema of it */
        while (is_word(*c->at) || *c->at == '.' || *c->at == '"') {
            c->at = stoa_sql_next(c->text, c->at);
        }
    }
    if (c->at > from) {
        target->query = stoa_format("FROM %.*s", (int)(c->at - from), from);
        STOA_RETURN_NO_MEMORY(err, target->query);
    }
    return STOA_OK;
}

static stoa_status read_copy(cursor *c, stoa_sql_target *target, bool *is_one, stoa_error *err)
{
    STOA_RETURN_NOT_OK(take_source(c, target, err));
    if (target->query == NULL) {
        return STOA_OK;
    }
    skip_blanks(c);
    target->rest = stoa_strdup(c->at);
    STOA_RETURN_NO_MEMORY(err, target->rest);
    if (!take_word(c, "to")) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(take_quoted(c, &target->name, err));
    (void)take_word(c, "with");
    bool are_options = true;
    if (take_mark(c, '(')) {
        STOA_RETURN_NOT_OK(take_options(c, target, &are_options, err));
    }
    *is_one = target->name != NULL && are_options && is_at_end(c);
    return STOA_OK;
}

static stoa_status take_rest(cursor *c, stoa_sql_target *target, bool *is_one, stoa_error *err)
{
    *is_one = target->name != NULL && !is_at_end(c);
    skip_blanks(c);
    if (*is_one) {
        target->query = stoa_strdup(c->at);
        STOA_RETURN_NO_MEMORY(err, target->query);
    }
    return STOA_OK;
}

static stoa_status read_create(cursor *c, stoa_sql_target *target, bool *is_one, stoa_error *err)
{
    target->kind = STOA_SQL_CREATE;
    if (take_word(c, "or")) {
        target->kind = STOA_SQL_REPLACE;
        if (!take_word(c, "replace")) {
            return STOA_OK;
        }
    }
    if (!take_word(c, "table")) {
        return STOA_OK;
    }
    if (take_word(c, "if")) {
        target->skips_existing = take_word(c, "not") && take_word(c, "exists");
        if (!target->skips_existing) {
            return STOA_OK;
        }
    }
    STOA_RETURN_NOT_OK(take_quoted(c, &target->name, err));
    return take_word(c, "as") ? take_rest(c, target, is_one, err) : STOA_OK;
}

static stoa_status read_insert(cursor *c, stoa_sql_target *target, bool *is_one, stoa_error *err)
{
    bool are_columns = true;

    target->kind = STOA_SQL_INSERT;
    if (!take_word(c, "into")) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(take_quoted(c, &target->name, err));
    if (target->name != NULL && take_mark(c, '(')) {
        STOA_RETURN_NOT_OK(take_columns(c, target, &are_columns, err));
    }
    if (!are_columns) {
        return STOA_OK;
    }
    if (take_word(c, "by")) {
        target->is_by_name = take_word(c, "name");
        if (!target->is_by_name && !take_word(c, "position")) {
            return STOA_OK;
        }
    }
    return take_rest(c, target, is_one, err);
}

stoa_status stoa_sql_target_read(const char *statement, stoa_sql_target *target, bool *is_one,
                                 stoa_error *err)
{
    cursor c = {statement, statement};

    *is_one = false;
    return take_word(&c, "copy")     ? read_copy(&c, target, is_one, err)
           : take_word(&c, "create") ? read_create(&c, target, is_one, err)
           : take_word(&c, "insert") ? read_insert(&c, target, is_one, err)
                                     : STOA_OK;
}

void stoa_sql_target_clear(stoa_sql_target *target)
{
    for (size_t i = 0; i < target->n_columns; i++) {
        free(target->columns[i]);
    }
    for (size_t i = 0; i < target->n_options; i++) {
        free(target->options[i].name);
        free(target->options[i].value);
    }
    free(target->columns);
    free(target->options);
    free(target->name);
    free(target->query);
    free(target->rest);
    *target = (stoa_sql_target){0};
}
