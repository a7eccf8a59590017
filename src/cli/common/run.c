/* Runs a command, and closes what it has opened. */
#include <stdlib.h>

#include "cli/common/place.h"

int cli_run(const cli_command *command, char **argv, size_t argc)
{
    cli_args args = {.command = command, .argv = argv, .argc = argc};
    stoa_error err = STOA_ERROR_INIT;
    int status = CLI_DONE;

    if (command->run(&args, &err) == STOA_OK) {
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
