#include "cli/view/line_input.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/cli.h"
#include "cli/output/grid.h"
#include "cli/view/key.h"
#include "core/text.h"

void cli_line_input_begin(cli_line_input *input, const char *text)
{
    char *const own = cli_copy(text);

    free(input->text);
    input->text = own;
    input->cursor = strlen(own);
    input->at_past = input->n_past;
}

static void erase(cli_line_input *input, size_t from, size_t to)
{
    memmove(input->text + from, input->text + to, strlen(input->text + to) + 1);
    input->cursor = from;
}

static void insert(cli_line_input *input, uint32_t point)
{
    char bytes[4];
    const size_t n = stoa_utf8_put(point, bytes);
    char *const text = cli_sprintf("%.*s%.*s%s", (int)input->cursor, input->text, (int)n, bytes,
                                   input->text + input->cursor);

    free(input->text);
    input->text = text;
    input->cursor += n;
}

static bool is_inner(const char *byte)
{
    return ((unsigned char)*byte & 0xc0) == 0x80;
}

/* The character before and after a position, with marks that combine with it. */
static size_t before(const cli_line_input *input)
{
    size_t at = input->cursor;

    while (at > 0) {
        do {
            at--;
        } while (at > 0 && is_inner(input->text + at));
        char one[5] = "";
        uint32_t ignored;
        memcpy(one, input->text + at, stoa_utf8_get(input->text + at, &ignored));
        if (cli_width(one) > 0) {
            break;
        }
    }
    return at;
}

static size_t after(const cli_line_input *input)
{
    const char *const text = input->text;
    size_t at = input->cursor;
    size_t width = 0;

    while (text[at] != '\0') {
        char one[5] = "";
        uint32_t ignored;
        const size_t n = stoa_utf8_get(text + at, &ignored);
        memcpy(one, text + at, n);
        width += cli_width(one);
        if (width > 0 && at > input->cursor && cli_width(one) > 0) {
            break;
        }
        at += n;
    }
    return at;
}

static size_t word_before(const cli_line_input *input)
{
    size_t at = input->cursor;

    while (at > 0 && input->text[at - 1] == ' ') {
        at--;
    }
    while (at > 0 && input->text[at - 1] != ' ') {
        at--;
    }
    return at;
}

static void go_back(cli_line_input *input, size_t to)
{
    const size_t n = input->n_past;

    if (to <= n) {
        cli_line_input_begin(input, to < n ? input->past[to] : "");
        input->at_past = to;
    }
}

bool cli_line_input_key(cli_line_input *input, uint32_t key)
{
    const size_t end = strlen(input->text);

    if (key == CLI_KEY_BACKSPACE) {
        erase(input, before(input), input->cursor);
    } else if (key == CLI_KEY_DELETE || key == CLI_CTRL('d')) {
        erase(input, input->cursor, after(input));
    } else if (key == CLI_CTRL('u')) {
        erase(input, 0, input->cursor);
    } else if (key == CLI_CTRL('k')) {
        erase(input, input->cursor, end);
    } else if (key == CLI_CTRL('w')) {
        erase(input, word_before(input), input->cursor);
    } else if (key == CLI_KEY_LEFT || key == CLI_CTRL('b')) {
        input->cursor = before(input);
    } else if (key == CLI_KEY_RIGHT || key == CLI_CTRL('f')) {
        input->cursor = after(input);
    } else if (key == CLI_KEY_HOME || key == CLI_CTRL('a')) {
        input->cursor = 0;
    } else if (key == CLI_KEY_END || key == CLI_CTRL('e')) {
        input->cursor = end;
    } else if (key == CLI_KEY_UP && input->at_past > 0) {
        go_back(input, input->at_past - 1);
    } else if (key == CLI_KEY_DOWN) {
        go_back(input, input->at_past + 1);
    } else if (key >= 0x20 && key < 0x110000 && key != 127) {
        insert(input, key);
    } else {
        return false;
    }
    return true;
}

void cli_line_input_accept(cli_line_input *input)
{
    const bool is_new =
        input->text[0] != '\0' &&
        (input->n_past == 0 || strcmp(input->past[input->n_past - 1], input->text) != 0);

    if (is_new) {
        input->past = cli_one_more(input->past, input->n_past, sizeof *input->past);
        input->past[input->n_past++] = cli_copy(input->text);
    }
}

void cli_line_input_clear(cli_line_input *input)
{
    for (size_t i = 0; i < input->n_past; i++) {
        free(input->past[i]);
    }
    free(input->past);
    free(input->text);
    *input = (cli_line_input){.text = NULL};
}
