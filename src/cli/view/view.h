/* What `stoa view` has open and shows: the tree of objects, a table, a page before them. */
#ifndef STOA_CLI_VIEW_VIEW_H
#define STOA_CLI_VIEW_VIEW_H

#include "cli/common/place.h"
#include "cli/view/cells.h"
#include "cli/view/frame.h"
#include "cli/view/line_input.h"
#include "cli/view/object_list.h"
#include "cli/view/page.h"
#include "cli/view/rows.h"
#include "cli/view/scroll.h"

/* What a line that is typed is for. */
typedef enum cli_prompt {
    CLI_NO_PROMPT,
    CLI_FILTER,
    CLI_SEARCH,
    CLI_GO_TO,
    CLI_N_PROMPTS,
} cli_prompt;

typedef struct cli_view {
    cli_args *args;
    cli_place *place; /* its table is the one that is shown; NULL: the tree is */
    cli_object_list objects;
    cli_scroll in_objects;
    bool has_objects; /* the file was opened without a path */
    stoa_file_patience patience;
    bool is_locked; /* the file is, so that it can be read */
    cli_rows rows;
    cli_scroll in_rows;
    cli_columns columns;
    cli_cells cells;
    bool is_unfinished; /* not all cells in sight were read */
    cli_page page;
    cli_prompt prompt;
    cli_line_input inputs[CLI_N_PROMPTS];
    char *searched; /* what / looked for; owned */
    char *message;  /* for the last line, until a key is pressed; owned */
    bool is_alert;
    bool is_over;
    cli_frame frame;
    const char *job; /* what the command is busy with */
    double drawn;    /* when its progress was shown */
} cli_view;

/* Open the file of the place, which is parsed. */
stoa_status cli_view_open_file(cli_view *view, stoa_error *err);
/* Browse until the user leaves. */
stoa_status cli_view_run(cli_view *view, stoa_error *err);
void cli_view_clear(cli_view *view);

/* --- job.c ----------------------------------------------------------------------------------- */

/* Say something in the last line; NULL: nothing more. */
void cli_view_say(cli_view *view, bool is_alert, const char *format, ...) STOA_PRINTF(3, 4);
/* Say an error; of a job that a key ended, that it did. */
void cli_view_say_error(cli_view *view, const stoa_error *err);
/* Begin a job that keeps the terminal waiting: its progress is shown, and Esc or Ctrl-C end it with
 * STOA_ECANCELLED. `job` is static. */
stoa_listener cli_view_job(cli_view *view, const char *job);

/* --- file.c ---------------------------------------------------------------------------------- */

/* Read the tree of objects, or open the table of the place. */
stoa_status cli_view_open(cli_view *view, stoa_error *err);
/* Open an object of the tree. A column of a table is shown in its table. */
stoa_status cli_view_open_object(cli_view *view, const char *path, stoa_error *err);
void cli_view_close_table(cli_view *view);
/* Lock the file for what is read now. Between keys it is not locked, so that others can write. If
 * they did, all is read again. After a failure, which is said, it is not locked. */
void cli_view_lock(cli_view *view);
void cli_view_unlock(cli_view *view);

/* --- draw.c ---------------------------------------------------------------------------------- */

/* Draw all of it. Reads the cells that come into sight, until a key waits. */
void cli_view_draw(cli_view *view);
/* Draw the last line of a job: how far it is. */
void cli_view_draw_job(cli_view *view, const stoa_progress *progress);

/* --- pages.c --------------------------------------------------------------------------------- */

void cli_view_show_help(cli_view *view);
/* What is known of an object: its layout, columns and attributes. */
stoa_status cli_view_show_object(cli_view *view, const char *path, stoa_error *err);
/* Statistics of the chosen column, of the rows that pass the filter. */
stoa_status cli_view_show_column(cli_view *view, stoa_error *err);
/* The whole value under the cursor. */
stoa_status cli_view_show_cell(cli_view *view, stoa_error *err);

#endif
