/* Shared by the files that implement place.h (place*.c). */
#ifndef STOA_CLI_PLACE_PARTS_H
#define STOA_CLI_PLACE_PARTS_H

#include "cli/common/place.h"

/* Make the name from file and path. */
void cli_place_rename(cli_place *place);
/* If the file does not exist and the name is a pattern, find the files it matches, sorted. */
stoa_status cli_place_find_files(cli_place *place, stoa_error *err);

#endif
