/* Initializes libhdf5, once the arguments of a command are accepted. */
#include <fcntl.h>
#include <hdf5.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/common/cli.h"
#include "cli/common/interrupt.h"

/* libhdf5 would print its error stack if this failed, so stderr is redirected meanwhile. */
bool cli_begin_hdf5(void)
{
    const int said = dup(STDERR_FILENO);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    bool begun = false;

    if (said >= 0 && nowhere >= 0) {
        cli_signals_say_to(said);
        (void)dup2(nowhere, STDERR_FILENO);
    }
    /* Every command closes what it opened, so libhdf5 need not shut down, which would only cost
     * time. */
    (void)H5dont_atexit();
    /* Errors are reported through stoa_error, once and in one line. */
    begun = H5open() >= 0 && H5Eset_auto2(H5E_DEFAULT, NULL, NULL) >= 0;
    if (said >= 0 && nowhere >= 0) {
        (void)dup2(said, STDERR_FILENO);
        cli_signals_say_to(STDERR_FILENO);
    }
    (void)close(said);
    (void)close(nowhere);
    if (!begun) {
        cli_complain(getenv("HDF5_DRIVER") != NULL || getenv("HDF5_VOL_CONNECTOR") != NULL
                         ? "the HDF5 library does not begin: does it have what HDF5_DRIVER and "
                           "HDF5_VOL_CONNECTOR ask for?"
                         : "memory ran out: the HDF5 library could not begin");
    }
    return begun;
}
