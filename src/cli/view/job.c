/* Messages, and jobs that a key ends. */
#include <stdarg.h>
#include <stdlib.h>

#include "cli/common/progress.h"
#include "cli/view/screen.h"
#include "cli/view/view.h"

void cli_view_say(cli_view *view, bool is_alert, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    char *const text = format != NULL ? cli_vsprintf(format, values) : NULL;
    va_end(values);
    free(view->message);
    view->message = text;
    view->is_alert = is_alert;
}

void cli_view_say_error(cli_view *view, const stoa_error *err)
{
    if (err->status == STOA_ECANCELLED) {
        cli_view_say(view, false, "%s: ended", view->job != NULL ? view->job : "reading");
    } else {
        cli_view_say(view, true, "%s", err->message);
    }
}

/* Go on with a job, unless Esc or Ctrl-C was pressed. */
static bool go_on(void *context, const stoa_progress *progress)
{
    enum { TENTH = 10 };
    cli_view *const view = context;

    if (cli_screen_is_cancelled()) {
        return false;
    }
    if (cli_clock() - view->drawn > 1.0 / TENTH) {
        view->drawn = cli_clock();
        cli_view_draw_job(view, progress);
    }
    return true;
}

stoa_listener cli_view_job(cli_view *view, const char *job)
{
    view->job = job;
    view->drawn = cli_clock();
    return (stoa_listener){.on_progress = go_on, .context = view};
}
