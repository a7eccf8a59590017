#include "cli/view/frame.h"

#include <stdint.h>
#include <stdlib.h>

#include "cli/common/terminal.h"
#include "cli/output/grid.h"

void cli_frame_begin(cli_frame *frame, size_t n_lines, size_t n_columns)
{
    if (n_lines > frame->n_owned) {
        frame->lines = cli_resize(frame->lines, n_lines, sizeof *frame->lines);
        for (; frame->n_owned < n_lines; frame->n_owned++) {
            frame->lines[frame->n_owned] = (stoa_sink){.out = NULL};
        }
    }
    for (size_t i = 0; i < frame->n_owned; i++) {
        frame->lines[i].text.size = 0;
    }
    frame->n_lines = n_lines;
    frame->n_columns = n_columns;
    frame->line = frame->column = 0;
    frame->has_cursor = false;
}

void cli_frame_go(cli_frame *frame, size_t line)
{
    frame->line = line;
    frame->column = 0;
    if (line < frame->n_lines) {
        frame->lines[line].text.size = 0;
    }
}

char *cli_shown(const char *text)
{
    stoa_sink sink = {.out = NULL};

    cli_escaped(&sink, text, strlen(text));
    stoa_sink_char(&sink, '\0');
    char *const shown = sink.status == STOA_OK ? cli_copy((const char *)sink.text.data) : NULL;
    stoa_sink_clear(&sink);
    return shown != NULL ? shown : cli_copy("?");
}

/* Write a text that fits, between the codes of a style. */
static void write_styled(cli_frame *frame, cli_style style, const char *text, size_t n,
                         size_t n_blanks)
{
    stoa_sink *const line = &frame->lines[frame->line];
    const bool is_red = (style & CLI_ALERT) != 0 && frame->has_colour;

    if ((style & CLI_BOLD) != 0 || ((style & CLI_ALERT) != 0 && !is_red)) {
        stoa_sink_text(line, "\033[1m");
    }
    stoa_sink_text(line, (style & CLI_DIM) != 0 ? "\033[2m" : "");
    stoa_sink_text(line, (style & CLI_REVERSE) != 0 ? "\033[7m" : "");
    stoa_sink_text(line, is_red ? "\033[31m" : "");
    stoa_sink_put(line, text, n);
    for (size_t i = 0; i < n_blanks; i++) {
        stoa_sink_char(line, ' ');
    }
    stoa_sink_text(line, style != CLI_PLAIN ? "\033[0m" : "");
}

/* Put a text that is escaped already within `room` columns. */
static void put_within(cli_frame *frame, cli_style style, const char *shown, size_t room)
{
    const size_t width = cli_width(shown);

    if (room == 0) {
        frame->column = width > 0 ? SIZE_MAX : frame->column;
        return;
    }
    if (width <= room) {
        write_styled(frame, style, shown, strlen(shown), 0);
        frame->column += width;
        return;
    }
    char *const cut = cli_sprintf("%.*s…", (int)cli_fitting(shown, room - 1), shown);
    const size_t used = cli_width(cut); /* less, if a wide character does not fit */
    write_styled(frame, style, cut, strlen(cut), room - used);
    frame->column += room;
    free(cut);
}

static bool is_on(const cli_frame *frame)
{
    return frame->line < frame->n_lines && frame->column < frame->n_columns;
}

void cli_frame_put(cli_frame *frame, cli_style style, const char *text)
{
    if (is_on(frame)) {
        char *const shown = cli_shown(text);
        put_within(frame, style, shown, frame->n_columns - frame->column);
        free(shown);
    }
}

void cli_frame_fill(cli_frame *frame, cli_style style, size_t column)
{
    const size_t to = column < frame->n_columns ? column : frame->n_columns;

    if (frame->line < frame->n_lines && frame->column < to) {
        write_styled(frame, style, "", 0, to - frame->column);
        frame->column = to;
    }
}

void cli_frame_cell(cli_frame *frame, cli_style style, const char *text, size_t width,
                    bool is_right)
{
    if (!is_on(frame)) {
        return;
    }
    char *const shown = cli_shown(text);
    const size_t left = frame->n_columns - frame->column;
    const size_t room = width < left ? width : left;
    const size_t own = cli_width(shown);
    const size_t end = frame->column + room;

    if (is_right && own < room) {
        cli_frame_fill(frame, style, end - own);
    }
    put_within(frame, style, shown, room);
    if (frame->column != SIZE_MAX) {
        cli_frame_fill(frame, style, end);
    }
    free(shown);
}

void cli_frame_cursor(cli_frame *frame)
{
    frame->has_cursor = true;
    frame->cursor_line = frame->line;
    frame->cursor_column = frame->column < frame->n_columns ? frame->column : frame->n_columns - 1;
}

void cli_frame_clear(cli_frame *frame)
{
    for (size_t i = 0; i < frame->n_owned; i++) {
        stoa_sink_clear(&frame->lines[i]);
    }
    free(frame->lines);
    *frame = (cli_frame){.n_lines = 0};
}
