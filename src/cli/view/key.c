/* Sequences begin with ESC [ or ESC O (ECMA-48, and the manual of xterm, "ctlseqs"). */
#include "cli/view/key.h"

#include <stdlib.h>
#include <string.h>

#include "core/text.h"

/* A key by the last letter of its sequence; 0 for none. */
static uint32_t key_of_letter(char letter, bool is_ctrl)
{
    switch (letter) {
    case 'A':
        return CLI_KEY_UP;
    case 'B':
        return CLI_KEY_DOWN;
    case 'C':
        return CLI_KEY_RIGHT;
    case 'D':
        return CLI_KEY_LEFT;
    case 'H':
        return is_ctrl ? CLI_KEY_FIRST : CLI_KEY_HOME;
    case 'F':
        return is_ctrl ? CLI_KEY_LAST : CLI_KEY_END;
    case 'M':
        return CLI_KEY_ENTER; /* of the keypad */
    default:
        return CLI_KEY_OTHER;
    }
}

/* A key by the number before "~". */
static uint32_t key_of_number(long number, bool is_ctrl)
{
    switch (number) {
    case 1:
    case 7:
        return is_ctrl ? CLI_KEY_FIRST : CLI_KEY_HOME;
    case 4:
    case 8:
        return is_ctrl ? CLI_KEY_LAST : CLI_KEY_END;
    case 3:
        return CLI_KEY_DELETE;
    case 5:
        return CLI_KEY_PAGE_UP;
    case 6:
        return CLI_KEY_PAGE_DOWN;
    default:
        return CLI_KEY_OTHER;
    }
}

/* Decode what follows ESC [: parameters, then a letter. */
static size_t decode_sequence(const char *bytes, size_t n, bool is_all, uint32_t *key)
{
    size_t at = 2;

    if (n > 3 && bytes[2] == '[') { /* function keys of the Linux console */
        *key = CLI_KEY_OTHER;
        return 4;
    }
    while (at < n && bytes[at] >= 0x20 && bytes[at] < 0x40) {
        at++;
    }
    if (at == n) {
        *key = is_all ? CLI_KEY_OTHER : CLI_KEY_NONE;
        return is_all ? n : 0;
    }
    const char *const semicolon = memchr(bytes, ';', at);
    const bool is_ctrl = semicolon != NULL && semicolon[1] == '5';
    *key = bytes[at] == '~' ? key_of_number(strtol(bytes + 2, NULL, 10), is_ctrl)
                            : key_of_letter(bytes[at], is_ctrl);
    return at + 1;
}

static size_t decode_character(const char *bytes, size_t n, bool is_all, uint32_t *key)
{
    const unsigned char c = (unsigned char)bytes[0];
    const size_t length = c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;

    if (n < length && !is_all) {
        return 0;
    }
    if (stoa_utf8_valid(bytes, n < length ? n : length) < length) {
        *key = CLI_KEY_OTHER;
        return 1;
    }
    (void)stoa_utf8_get(bytes, key);
    *key = *key == 127 || *key == '\b' ? CLI_KEY_BACKSPACE
           : *key == '\n'              ? CLI_KEY_ENTER
           : *key == 0                 ? CLI_KEY_OTHER
                                       : *key;
    return length;
}

size_t cli_key_decode(const char *bytes, size_t n, bool is_all, uint32_t *key)
{
    *key = CLI_KEY_NONE;
    if (n == 0) {
        return 0;
    }
    if (bytes[0] != CLI_KEY_ESCAPE) {
        return decode_character(bytes, n, is_all, key);
    }
    if (n == 1) {
        *key = is_all ? CLI_KEY_ESCAPE : CLI_KEY_NONE;
        return is_all ? 1 : 0;
    }
    if (bytes[1] == '[') {
        return decode_sequence(bytes, n, is_all, key);
    }
    if (bytes[1] == 'O') {
        *key = n > 2 ? key_of_letter(bytes[2], false) : is_all ? CLI_KEY_OTHER : CLI_KEY_NONE;
        return n > 2 ? 3 : is_all ? 2 : 0;
    }
    *key = CLI_KEY_ESCAPE; /* then another key */
    return 1;
}
