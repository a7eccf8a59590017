/* stoa view: browse a file on the terminal. */
#include "cli/view/screen.h"
#include "cli/view/view.h"

static stoa_status view(cli_args *args, stoa_error *err)
{
    cli_place *const place = cli_place_new(args);
    cli_view shown = {.args = args, .place = place};
    const char *why = NULL;
    stoa_status status = STOA_OK;

    cli_widen_option(args, &place->widens);
    cli_files_options(args, &place->by_name, &place->is_strict);
    cli_follow_option(args, &place->follows);
    cli_operand(args, &args->subject, "PLACE", "FILE, or FILE:PATH to begin in a table");
    if (!cli_accepted(args)) {
        return STOA_OK;
    }
    if (!cli_screen_is_there(&why)) {
        return cli_misused(args, "%s; 'stoa ls', 'stoa info' and 'stoa query' print", why);
    }
    STOA_TRY(cli_place_parse(place, args->subject, err));
    STOA_TRY(cli_view_open_file(&shown, err));
    STOA_TRY(cli_view_run(&shown, err));

done:
    cli_view_clear(&shown);
    return status;
}

const cli_command cmd_view = {"view", "browse a file on the terminal", "stoa view run.h5", view};
