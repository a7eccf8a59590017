/* A stranger's program: built outside the tree against the installed Stoa. */
#include <hdf5.h>
#include <stdio.h>
#include <stoa/stoa.h>
#include <string.h>

int main(void)
{
    unsigned major = 0;
    unsigned minor = 0;
    unsigned release = 0;

    if (strcmp(stoa_version(), STOA_VERSION) != 0) {
        fprintf(stderr, "header %s, library %s\n", STOA_VERSION, stoa_version());
        return 1;
    }
    if (H5get_libversion(&major, &minor, &release) < 0) {
        return 1;
    }
    printf("stoa %s\n", stoa_version());
    return 0;
}
