/* Output that is compressed by gzip on its way to a file. */
#ifndef STOA_CLI_GZIP_H
#define STOA_CLI_GZIP_H

#include "cli/common/cli.h"

/* Open a file that compresses into `out`, which stays open when it is closed. Its fclose() fails if
 * not everything was written. NULL, with errno, if that cannot be. */
FILE *cli_gzip_open(FILE *out);

#endif
