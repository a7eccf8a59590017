/* What the files of a place (place*.c) share. */
#ifndef STOA_CLI_PLACE_PARTS_H
#define STOA_CLI_PLACE_PARTS_H

#include "cli/place.h"

/* Its name, from file and path. */
void cli_place_rename(cli_place *place);
/* Where no such file is there and the name is a pattern, the files that it means, sorted. */
stoa_status cli_place_find_files(cli_place *place, stoa_error *err);
void cli_place_clear_trusted(cli_place *place);

#endif
