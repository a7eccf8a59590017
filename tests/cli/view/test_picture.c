/* What is in sight: src/cli/view/scroll.c, frame.c, page.c, columns.c, object_list.c. */
#include <stdlib.h>
#include <string.h>

#include "cli/view/columns.h"
#include "cli/view/frame.h"
#include "cli/view/object_list.h"
#include "cli/view/page.h"
#include "cli/view/scroll.h"
#include "support/check.h"

/* --- scrolling ------------------------------------------------------------------------------- */

static void the_cursor_stays_in_sight(void)
{
    cli_scroll s = {.n = 0};

    cli_scroll_resize(&s, 300000000, 10);
    cli_scroll_by(&s, 9);
    CHECK_U64(s.first, 0);
    cli_scroll_by(&s, 1);
    CHECK_U64(s.first, 1);
    CHECK_U64(s.cursor, 10);
    cli_scroll_pages(&s, 2);
    CHECK_U64(s.first, 21);
    CHECK_U64(s.cursor, 30);
    cli_scroll_to(&s, 299999999);
    CHECK_U64(s.first, 299999990);
    cli_scroll_by(&s, 5);
    CHECK_U64(s.cursor, 299999999);
    cli_scroll_pages(&s, -1);
    CHECK_U64(s.first, 299999980);
    cli_scroll_to(&s, 150000000); /* in the middle */
    CHECK_U64(s.first, 149999995);
    cli_scroll_to(&s, 150000004);
    CHECK_U64(s.first, 149999995);
    cli_scroll_to(&s, 0);
    cli_scroll_by(&s, INT64_MIN);
    CHECK_U64(s.cursor, 0);
}

static void a_smaller_list_or_screen_keeps_the_cursor(void)
{
    cli_scroll s = {.n = 0};

    cli_scroll_resize(&s, 100, 10);
    cli_scroll_to(&s, 99);
    cli_scroll_resize(&s, 100, 3);
    CHECK_U64(s.first, 97);
    cli_scroll_resize(&s, 5, 3);
    CHECK_U64(s.cursor, 4);
    CHECK_U64(s.first, 2);
    cli_scroll_resize(&s, 5, 20);
    CHECK_U64(s.first, 0);
    cli_scroll_resize(&s, 0, 0);
    cli_scroll_by(&s, 1);
    cli_scroll_pages(&s, 1);
    cli_scroll_to(&s, 7);
    CHECK_U64(s.cursor, 0);
}

/* --- pictures -------------------------------------------------------------------------------- */

static const char *line_of(const cli_frame *frame, size_t i)
{
    static char text[256];
    const stoa_buffer *const line = &frame->lines[i].text;

    CHECK(line->size < sizeof text);
    memcpy(text, line->size > 0 ? (const char *)line->data : "", line->size);
    text[line->size] = '\0';
    return text;
}

static void texts_are_cut_at_the_edge(void)
{
    cli_frame frame = {.n_lines = 0};

    cli_frame_begin(&frame, 7, 6);
    cli_frame_put(&frame, CLI_PLAIN, "abcdef");
    CHECK_STR(line_of(&frame, 0), "abcdef");
    cli_frame_go(&frame, 1);
    cli_frame_put(&frame, CLI_PLAIN, "abcdefg");
    cli_frame_put(&frame, CLI_PLAIN, "h"); /* nothing follows what was cut */
    CHECK_STR(line_of(&frame, 1), "abcde…");
    cli_frame_go(&frame, 2);
    cli_frame_put(&frame, CLI_PLAIN, "日本日本"); /* two columns each: half of one is a blank */
    CHECK_STR(line_of(&frame, 2), "日本… ");
    cli_frame_go(&frame, 3);
    cli_frame_cell(&frame, CLI_PLAIN, "e\u0301", 3, true);
    cli_frame_cell(&frame, CLI_PLAIN, "xy", 3, false);
    CHECK_STR(line_of(&frame, 3), "  e\u0301xy ");
    cli_frame_go(&frame, 4);
    cli_frame_put(&frame, CLI_PLAIN, "a\033[2Jb\u202e");
    CHECK_STR(line_of(&frame, 4), "a\\x1b…");
    cli_frame_go(&frame, 5);
    cli_frame_cell(&frame, CLI_PLAIN, "ab", 4, true);
    cli_frame_cell(&frame, CLI_PLAIN, "cdefgh", 4, true); /* a column that is half in sight */
    CHECK_STR(line_of(&frame, 5), "  abc…");
    cli_frame_go(&frame, 7); /* below the last line */
    cli_frame_put(&frame, CLI_PLAIN, "x");
    cli_frame_fill(&frame, CLI_PLAIN, 5);
    cli_frame_clear(&frame);
}

static void styles_need_no_colour(void)
{
    cli_frame frame = {.n_lines = 0};

    cli_frame_begin(&frame, 2, 20);
    cli_frame_put(&frame, CLI_ALERT, "no");
    CHECK_STR(line_of(&frame, 0), "\033[1mno\033[0m");
    frame.has_colour = true;
    cli_frame_go(&frame, 0); /* empties it */
    cli_frame_put(&frame, CLI_ALERT, "no");
    CHECK_STR(line_of(&frame, 0), "\033[31mno\033[0m");
    cli_frame_go(&frame, 1);
    cli_frame_cell(&frame, CLI_REVERSE | CLI_BOLD, "a", 2, false);
    CHECK_STR(line_of(&frame, 1), "\033[1m\033[7ma\033[0m\033[1m\033[7m \033[0m");
    cli_frame_clear(&frame);
}

static void pages_break_lines_where_they_are_long(void)
{
    cli_page page = {.title = NULL};

    cli_page_set(&page, "t", "one two three\n\n日本語\na\tb", false);
    cli_page_wrap(&page, 8, 3);
    CHECK_U64(page.n_lines, 5);
    CHECK_STR(page.lines[0], "one two");
    CHECK_STR(page.lines[1], "three");
    CHECK_STR(page.lines[2], "");
    CHECK_STR(page.lines[4], "a\\tb");
    CHECK_U64(page.scroll.n, 3);
    cli_page_wrap(&page, 4, 3);
    CHECK_STR(page.lines[0], "one");
    cli_page_wrap(&page, 1, 3); /* a wide character does not fit, and is no reason to hang */
    cli_page_set(&page, "t", "one two three", true);
    cli_page_wrap(&page, 8, 3);
    CHECK_U64(page.n_lines, 1);
    CHECK_U64(page.longest, 13);
    cli_page_clear(&page);
}

/* --- columns --------------------------------------------------------------------------------- */

static cli_columns columns_of(const size_t *widths, size_t n)
{
    cli_columns columns = {.all = calloc(n, sizeof(cli_column)), .n = n};

    for (size_t i = 0; i < n; i++) {
        columns.all[i].width = widths[i];
        columns.all[i].is_known = true;
    }
    return columns;
}

static void the_chosen_column_is_in_sight(void)
{
    const size_t widths[] = {5, 10, 100, 2, 8};
    cli_columns columns = columns_of(widths, 5);

    CHECK_U64(cli_columns_width(&columns, 2, 80), 40); /* not all of the screen */
    CHECK_U64(cli_columns_width(&columns, 2, 30), 30);
    CHECK_U64(cli_columns_width(&columns, 3, 30), 3);
    CHECK_U64(cli_columns_in_sight(&columns, 20), 3); /* the third begins there */
    cli_columns_by(&columns, 2);
    cli_columns_settle(&columns, 20);
    CHECK_U64(columns.first, 2);
    cli_columns_by(&columns, 99);
    CHECK_U64(columns.cursor, 4);
    cli_columns_settle(&columns, 20);
    CHECK_U64(columns.first, 3);
    CHECK_U64(cli_columns_in_sight(&columns, 20), 2);
    cli_columns_settle(&columns, 4); /* narrower than the column */
    CHECK_U64(columns.first, 4);
    cli_columns_settle(&columns, 20); /* as wide as before */
    CHECK_U64(columns.first, 3);
    cli_columns_by(&columns, -99);
    cli_columns_settle(&columns, 20);
    CHECK_U64(columns.first, 0);
    cli_columns_clear(&columns);
    cli_columns_by(&columns, 1);
    cli_columns_settle(&columns, 20);
    CHECK_U64(cli_columns_in_sight(&columns, 20), 0);
}

/* --- the tree -------------------------------------------------------------------------------- */

static void add(cli_object_list *list, unsigned level, const char *name, const char *words)
{
    const bool is_table = strstr(words, " rows") != NULL;
    const cli_tree_line line = {"", level, name, name, is_table, words};

    CHECK(cli_object_list_add(list, &line));
}

static void tables_are_folded_and_found(void)
{
    cli_object_list list = {.all = NULL};

    add(&list, 0, "/", "");
    add(&list, 1, "run", "");
    add(&list, 2, "events", " · hep001 table · 5 rows");
    add(&list, 3, "Energy", " · float64 · 5");
    add(&list, 3, "id", " · int8 · 5");
    add(&list, 2, "link", " -> /run");
    add(&list, 1, "x", " · float64 · 3");
    cli_object_list_finish(&list);
    CHECK_U64(list.n_shown, 5);
    CHECK_STR(cli_object_list_at(&list, 2)->words, "hep001 table · 5 rows");
    CHECK_STR(cli_object_list_at(&list, 3)->words, " -> /run");
    CHECK(cli_object_list_at(&list, 5) == NULL);
    cli_object_list_fold(&list, 1, true);
    CHECK_U64(list.n_shown, 3);
    CHECK_STR(cli_object_list_at(&list, 2)->name, "x");
    CHECK_U64(cli_object_list_find(&list, 0, "energ", false), 3); /* unfolds what it is in */
    CHECK_U64(list.n_shown, 7);
    CHECK_U64(cli_object_list_parent(&list, 3), 2);
    CHECK_U64(cli_object_list_parent(&list, 6), 0);
    CHECK_U64(cli_object_list_find(&list, 3, "energ", false), 3);
    CHECK_U64(cli_object_list_find(&list, 3, "n", true), 2);
    CHECK_U64(cli_object_list_find(&list, 0, "none", true), UINT64_MAX);
    cli_object_list_fold(&list, 6, true); /* nothing is inside */
    CHECK_U64(list.n_shown, 7);
    cli_object_list_clear(&list);
    CHECK_U64(cli_object_list_find(&list, 0, "x", false), UINT64_MAX);
}

TEST_MAIN(TEST(the_cursor_stays_in_sight), TEST(a_smaller_list_or_screen_keeps_the_cursor),
          TEST(texts_are_cut_at_the_edge), TEST(styles_need_no_colour),
          TEST(pages_break_lines_where_they_are_long), TEST(the_chosen_column_is_in_sight),
          TEST(tables_are_folded_and_found))
