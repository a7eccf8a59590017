/* Runs a command, and closes what it has opened. */
#include <stdlib.h>

#include "cli/common/place.h"

static int run(cli_args args)
{
    stoa_error err = STOA_ERROR_INIT;
    int status = CLI_DONE;

    if (args.command->run(&args, &err) == STOA_OK) {
        status = args.status;
    } else {
        status = cli_fail(
            args.place != NULL && args.place->name != NULL ? args.place->name : args.subject, &err);
    }
    for (cli_place *place = args.places; place != NULL;) {
        cli_place *const next = place->next;
        cli_place_close(place);
        place = next;
    }
    for (size_t i = 0; i < args.n_kept; i++) {
        free(args.kept[i]);
    }
    free(args.kept);
    return status;
}

int cli_run(const cli_command *command, char **argv, size_t argc)
{
    return run((cli_args){.command = command, .argv = argv, .argc = argc});
}

void cli_run_described(const cli_command *command, cli_describe *describe, void *context)
{
    (void)run((cli_args){.command = command, .describe = describe, .context = context});
}
