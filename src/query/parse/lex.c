/* The lexer: a single pass, whose only state is the position. */
#include "query/parse/lex.h"

#include <stdio.h>
#include <string.h>

#include "core/text.h"

stoa_status stoa_fail_at(stoa_error *err, stoa_status status, const char *what, const char *text,
                         size_t at, const char *format, ...)
{
    char message[sizeof err->message];
    unsigned long long column = 1;
    va_list args;

    for (size_t i = 0; i < at && text[i] != '\0'; i++) {
        column += ((unsigned char)text[i] & 0xc0) != 0x80; /* characters, not bytes */
    }
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return stoa_fail(err, status, "%s, column %llu: %s", what, column, message);
}

stoa_status stoa_lex_open(stoa_lexer *lexer, const char *what, const char *text, stoa_arena *arena,
                          stoa_error *err)
{
    const size_t length = strlen(text);
    const size_t valid = stoa_utf8_valid(text, length);

    *lexer = (stoa_lexer){.what = what, .text = text, .length = length, .arena = arena};
    if (valid != length) {
        return stoa_fail_at(err, STOA_ESYNTAX, what, text, valid, "the text is not valid UTF-8");
    }
    return STOA_OK;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}
/* All characters beyond ASCII count as letters. */
static bool is_name_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}
static bool is_name_part(char c)
{
    return is_name_start(c) || is_digit(c);
}
/* The end of a name that begins at `at`. A name may contain single dots between words, like
 * columns of nested tables ("geds.energy"). */
static size_t name_end(const char *text, size_t at)
{
    while (is_name_part(text[at]) || (text[at] == '.' && is_name_start(text[at + 1]))) {
        at++;
    }
    return at;
}

bool stoa_token_is(const stoa_token *token, const char *word)
{
    return token->kind == STOA_TOKEN_NAME && stoa_is_word(token->text, token->length, word);
}

static const struct {
    const char *word;
    stoa_token_kind kind;
} keywords[] = {
    {"and", STOA_TOKEN_AND},     {"or", STOA_TOKEN_OR},           {"not", STOA_TOKEN_NOT},
    {"in", STOA_TOKEN_IN},       {"between", STOA_TOKEN_BETWEEN}, {"like", STOA_TOKEN_LIKE},
    {"is", STOA_TOKEN_IS},       {"null", STOA_TOKEN_NULL},       {"true", STOA_TOKEN_TRUE},
    {"false", STOA_TOKEN_FALSE},
};

static stoa_token_kind kind_of_word(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
        if (stoa_is_word(text, length, keywords[i].word)) {
            return keywords[i].kind;
        }
    }
    return STOA_TOKEN_NAME;
}

bool stoa_is_keyword(const char *word, size_t length)
{
    return kind_of_word(word, length) != STOA_TOKEN_NAME;
}

/* The position of the closing quote of a text that starts at `at`; the length of the query text
 * if it is missing. */
static size_t closing_quote(const stoa_lexer *lexer, size_t at, char quote)
{
    const char *text = lexer->text;

    for (; at < lexer->length; at++) {
        if (text[at] == quote) {
            if (text[at + 1] != quote) {
                break;
            }
            at++;
        }
    }
    return at < lexer->length ? at : lexer->length;
}

/* Lex a text between quotes, in which a doubled quote stands for one. `lexer->at` is after the
 * opening quote. */
static stoa_status lex_quoted(stoa_lexer *lexer, char quote, stoa_token *token, stoa_error *err)
{
    const size_t end = closing_quote(lexer, lexer->at, quote);
    size_t n = 0;

    if (end == lexer->length) {
        return stoa_fail_at(err, STOA_ESYNTAX, lexer->what, lexer->text, token->start,
                            "the %s that opens here is not closed",
                            quote == '\'' ? "text" : "quoted name");
    }
    char *out = stoa_arena_alloc(lexer->arena, end - lexer->at + 1, 1);
    STOA_RETURN_NO_MEMORY(err, out);
    for (size_t i = lexer->at; i < end; i++) {
        out[n++] = lexer->text[i];
        i += lexer->text[i] == quote;
    }
    out[n] = '\0';
    token->text = out;
    token->length = n;
    lexer->at = end + 1;
    return STOA_OK;
}

static int hex_value(char c)
{
    c = stoa_lower(c);
    return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static stoa_status lex_hex(stoa_lexer *lexer, stoa_token *token, stoa_error *err)
{
    STOA_RETURN_NOT_OK(lex_quoted(lexer, '\'', token, err));
    char *bytes = stoa_arena_alloc(lexer->arena, token->length / 2 + 1, 1);
    STOA_RETURN_NO_MEMORY(err, bytes);
    for (size_t i = 0; i + 1 < token->length; i += 2) {
        const int high = hex_value(token->text[i]);
        const int low = hex_value(token->text[i + 1]);
        if (high < 0 || low < 0) {
            return stoa_fail_at(err, STOA_ESYNTAX, lexer->what, lexer->text, token->start,
                                "X'%s' holds something else than hexadecimal digits", token->text);
        }
        bytes[i / 2] = (char)(high * 16 + low);
    }
    if (token->length % 2 != 0) {
        return stoa_fail_at(err, STOA_ESYNTAX, lexer->what, lexer->text, token->start,
                            "X'%s' has an odd number of digits; each byte takes two", token->text);
    }
    token->text = bytes;
    token->length /= 2;
    return STOA_OK;
}

/* 12, 12.5, .5, 12., 1e9, 1.5E-3 */
static stoa_status lex_number(stoa_lexer *lexer, stoa_token *token, stoa_error *err)
{
    const char *text = lexer->text;
    size_t at = lexer->at;

    while (is_digit(text[at])) {
        at++;
    }
    if (text[at] == '.') {
        at++;
        while (is_digit(text[at])) {
            at++;
        }
    }
    if (stoa_lower(text[at]) == 'e') {
        size_t digits = at + 1;
        digits += text[digits] == '+' || text[digits] == '-';
        if (is_digit(text[digits])) {
            for (at = digits; is_digit(text[at]); at++) {
            }
        }
    }
    if (is_name_part(text[at]) || text[at] == '.') {
        while (is_name_part(text[at]) || text[at] == '.') {
            at++;
        }
        return stoa_fail_at(err, STOA_ESYNTAX, lexer->what, text, token->start,
                            "'%.*s' is no number; a column of that name goes in \"double quotes\"",
                            (int)(at - token->start), text + token->start);
    }
    token->kind = STOA_TOKEN_NUMBER;
    token->text = text + token->start;
    token->length = at - token->start;
    lexer->at = at;
    return STOA_OK;
}

static const struct {
    char text[3];
    stoa_token_kind kind;
} operators[] = {
    /* longer ones first */
    {"==", STOA_TOKEN_EQ},   {"!=", STOA_TOKEN_NE},   {"<>", STOA_TOKEN_NE},
    {"<=", STOA_TOKEN_LE},   {">=", STOA_TOKEN_GE},   {"&&", STOA_TOKEN_AND},
    {"||", STOA_TOKEN_JOIN}, {"=", STOA_TOKEN_EQ},    {"<", STOA_TOKEN_LT},
    {">", STOA_TOKEN_GT},    {"+", STOA_TOKEN_PLUS},  {"-", STOA_TOKEN_MINUS},
    {"*", STOA_TOKEN_STAR},  {"/", STOA_TOKEN_SLASH}, {"%", STOA_TOKEN_PERCENT},
    {"&", STOA_TOKEN_AND},   {"|", STOA_TOKEN_OR},    {"~", STOA_TOKEN_NOT},
    {"(", STOA_TOKEN_LEFT},  {")", STOA_TOKEN_RIGHT}, {",", STOA_TOKEN_COMMA},
    {"::", STOA_TOKEN_CAST}, {":", STOA_TOKEN_COLON}, {"[", STOA_TOKEN_OPEN},
    {"]", STOA_TOKEN_CLOSE},
};

static bool lex_operator(stoa_lexer *lexer, stoa_token *token)
{
    const char *text = lexer->text + lexer->at;

    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        const size_t length = strlen(operators[i].text);
        if (strncmp(text, operators[i].text, length) == 0) {
            token->kind = operators[i].kind;
            lexer->at += length;
            return true;
        }
    }
    return false;
}

stoa_status stoa_lex_next(stoa_lexer *lexer, stoa_token *token, stoa_error *err)
{
    const char *text = lexer->text;

    while (is_space(text[lexer->at])) {
        lexer->at++;
    }
    const char c = text[lexer->at];
    *token = (stoa_token){.kind = STOA_TOKEN_END, .start = lexer->at};

    if (c == '\0') {
        /* the end */
    } else if (c == '\'' || c == '"') {
        token->kind = c == '"' ? STOA_TOKEN_QUOTED : STOA_TOKEN_TEXT;
        lexer->at++;
        STOA_RETURN_NOT_OK(lex_quoted(lexer, c, token, err));
    } else if (stoa_lower(c) == 'x' && text[lexer->at + 1] == '\'') {
        token->kind = STOA_TOKEN_HEX;
        lexer->at += 2;
        STOA_RETURN_NOT_OK(lex_hex(lexer, token, err));
    } else if (is_digit(c) || (c == '.' && is_digit(text[lexer->at + 1]))) {
        STOA_RETURN_NOT_OK(lex_number(lexer, token, err));
    } else if (c == '?') {
        do {
            lexer->at++;
        } while (is_digit(text[lexer->at]));
        token->kind = STOA_TOKEN_PARAM;
        token->text = text + token->start;
        token->length = lexer->at - token->start;
    } else if (is_name_start(c)) {
        lexer->at = name_end(text, lexer->at);
        token->text = text + token->start;
        token->length = lexer->at - token->start;
        token->kind = kind_of_word(token->text, token->length);
    } else if (!lex_operator(lexer, token)) {
        return stoa_fail_at(err, STOA_ESYNTAX, lexer->what, text, lexer->at,
                            "'%c' has no meaning here", c);
    }
    token->end = lexer->at;
    return STOA_OK;
}
