/* The bytes that a terminal sends, as keys. */
#ifndef STOA_CLI_VIEW_KEY_H
#define STOA_CLI_VIEW_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A character is its code point; Ctrl-A is 1. Other keys follow the last code point. */
enum {
    CLI_KEY_NONE = 0,
    CLI_KEY_ENTER = '\r',
    CLI_KEY_ESCAPE = 27,
    CLI_KEY_UP = 0x110000,
    CLI_KEY_DOWN,
    CLI_KEY_LEFT,
    CLI_KEY_RIGHT,
    CLI_KEY_PAGE_UP,
    CLI_KEY_PAGE_DOWN,
    CLI_KEY_HOME,
    CLI_KEY_END,
    CLI_KEY_FIRST, /* Ctrl-Home */
    CLI_KEY_LAST,  /* Ctrl-End */
    CLI_KEY_DELETE,
    CLI_KEY_BACKSPACE,
    CLI_KEY_RESIZED, /* the terminal has another size, or was used by another program */
    CLI_KEY_OTHER,   /* a key without meaning here */
};

#define CLI_CTRL(letter) ((letter)&0x1f)

/*
 * Decode the first key, of xterm, the Linux console, screen and all that resemble a VT220.
 *
 * @param is_all  no byte will follow soon, so that an escape alone is the key Esc
 * @return the bytes that the key took; 0 if more are needed
 */
size_t cli_key_decode(const char *bytes, size_t n, bool is_all, uint32_t *key);

#endif
