/* Keys and lines that are typed: src/cli/view/key.c, line_input.c. The sequences are those of
 * xterm's manual (ctlseqs), and of the Linux console (console_codes(4)). */
#include <string.h>

#include "cli/view/key.h"
#include "cli/view/line_input.h"
#include "support/check.h"

static uint32_t key_of(const char *bytes, size_t *used)
{
    uint32_t key = 0;

    *used = cli_key_decode(bytes, strlen(bytes), true, &key);
    return key;
}

static void sequences_of_terminals_are_keys(void)
{
    static const struct {
        const char *bytes;
        uint32_t key;
    } keys[] = {
        {"\033[A", CLI_KEY_UP},        {"\033OA", CLI_KEY_UP},         {"\033[B", CLI_KEY_DOWN},
        {"\033OC", CLI_KEY_RIGHT},     {"\033[D", CLI_KEY_LEFT},       {"\033[5~", CLI_KEY_PAGE_UP},
        {"\033[H", CLI_KEY_HOME},      {"\033[1~", CLI_KEY_HOME},      {"\033OF", CLI_KEY_END},
        {"\033[4~", CLI_KEY_END},      {"\033[6~", CLI_KEY_PAGE_DOWN}, {"\033[1;5H", CLI_KEY_FIRST},
        {"\033[1;5F", CLI_KEY_LAST},   {"\033[3~", CLI_KEY_DELETE},    {"\x7f", CLI_KEY_BACKSPACE},
        {"\b", CLI_KEY_BACKSPACE},     {"\r", CLI_KEY_ENTER},          {"\n", CLI_KEY_ENTER},
        {"\033", CLI_KEY_ESCAPE},      {"\033[[A", CLI_KEY_OTHER},     {"\033[15~", CLI_KEY_OTHER},
        {"\033[200~", CLI_KEY_OTHER},  {"\x03", CLI_CTRL('c')},        {"\xc3\xa4", 0xe4},
        {"\xf0\x9f\x90\xa6", 0x1f426}, {"\xff", CLI_KEY_OTHER},        {"\033[1;2A", CLI_KEY_UP},
    };

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        size_t used = 0;
        CHECK_U64(key_of(keys[i].bytes, &used), keys[i].key);
        CHECK_U64(used, strlen(keys[i].bytes));
    }
}

static void a_key_waits_for_the_rest_of_its_bytes(void)
{
    static const char *const parts[] = {"\033", "\033[", "\033[1", "\033[1;5", "\033O", "\xc3"};
    uint32_t key = 1;

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        CHECK_U64(cli_key_decode(parts[i], strlen(parts[i]), false, &key), 0);
        CHECK_U64(key, CLI_KEY_NONE);
    }
    CHECK_U64(cli_key_decode("\033x", 2, false, &key), 1); /* Esc, then x */
    CHECK_U64(key, CLI_KEY_ESCAPE);
    CHECK_U64(cli_key_decode("\033[Bj", 4, false, &key), 3);
    CHECK_U64(cli_key_decode("", 0, true, &key), 0);
}

static void type(cli_line_input *input, const char *text)
{
    for (; *text != '\0'; text++) {
        CHECK(cli_line_input_key(input, (unsigned char)*text));
    }
}

static void a_line_is_edited_by_characters(void)
{
    cli_line_input input = {.text = NULL};

    cli_line_input_begin(&input, "ab");
    CHECK(cli_line_input_key(&input, CLI_KEY_LEFT));
    CHECK(cli_line_input_key(&input, 0x65e5)); /* a wide one */
    CHECK_STR(input.text, "a日b");
    CHECK(cli_line_input_key(&input, CLI_KEY_HOME));
    CHECK(cli_line_input_key(&input, CLI_KEY_RIGHT));
    CHECK(cli_line_input_key(&input, CLI_KEY_DELETE));
    CHECK_STR(input.text, "ab");
    CHECK(cli_line_input_key(&input, CLI_KEY_END));
    CHECK(cli_line_input_key(&input, 'e'));
    CHECK(cli_line_input_key(&input, 0x301)); /* combines with the e */
    CHECK_STR(input.text, "abe\u0301");
    CHECK(cli_line_input_key(&input, CLI_KEY_BACKSPACE));
    CHECK_STR(input.text, "ab");
    type(&input, " cd  ");
    CHECK(cli_line_input_key(&input, CLI_CTRL('w')));
    CHECK_STR(input.text, "ab ");
    CHECK(cli_line_input_key(&input, CLI_CTRL('u')));
    CHECK_STR(input.text, "");
    CHECK(cli_line_input_key(&input, CLI_KEY_BACKSPACE)); /* nothing to erase */
    CHECK(cli_line_input_key(&input, CLI_KEY_DELETE));
    CHECK(cli_line_input_key(&input, CLI_KEY_LEFT));
    CHECK(cli_line_input_key(&input, CLI_KEY_RIGHT));
    CHECK_STR(input.text, "");
    CHECK(!cli_line_input_key(&input, CLI_KEY_OTHER));
    CHECK(!cli_line_input_key(&input, CLI_CTRL('c')));
    cli_line_input_clear(&input);
}

static void earlier_lines_come_back(void)
{
    cli_line_input input = {.text = NULL};

    cli_line_input_begin(&input, "");
    type(&input, "x > 1");
    cli_line_input_accept(&input);
    cli_line_input_accept(&input); /* the same is kept once */
    cli_line_input_begin(&input, "");
    type(&input, "x > 2");
    cli_line_input_accept(&input);
    cli_line_input_begin(&input, "");
    cli_line_input_accept(&input); /* an empty one is not kept */
    CHECK_U64(input.n_past, 2);
    CHECK(cli_line_input_key(&input, CLI_KEY_UP));
    CHECK_STR(input.text, "x > 2");
    CHECK(cli_line_input_key(&input, CLI_KEY_UP));
    CHECK(!cli_line_input_key(&input, CLI_KEY_UP));
    CHECK_STR(input.text, "x > 1");
    CHECK(cli_line_input_key(&input, CLI_KEY_DOWN));
    CHECK(cli_line_input_key(&input, CLI_KEY_DOWN));
    CHECK_STR(input.text, "");
    cli_line_input_clear(&input);
}

TEST_MAIN(TEST(sequences_of_terminals_are_keys), TEST(a_key_waits_for_the_rest_of_its_bytes),
          TEST(a_line_is_edited_by_characters), TEST(earlier_lines_come_back))
