/* A stranger's program: built outside the tree against the installed Stoa. */
#include <hdf5.h>
#include <stdio.h>
#include <stoa/stoa.h>
#include <string.h>

int main(int argc, char **argv)
{
    unsigned major = 0;
    unsigned minor = 0;
    unsigned release = 0;
    stoa_table *table = NULL;
    stoa_error err = STOA_ERROR_INIT;

    if (strcmp(stoa_version(), STOA_VERSION) != 0) {
        fprintf(stderr, "header %s, library %s\n", STOA_VERSION, stoa_version());
        return 1;
    }
    if (H5get_libversion(&major, &minor, &release) < 0) {
        return 1;
    }
    if (argc > 1) {
        const hid_t file = H5Fopen(argv[1], H5F_ACC_RDONLY, H5P_DEFAULT);

        if (stoa_table_open(file, "/t", &table, &err) != STOA_OK) {
            fprintf(stderr, "%s\n", err.message);
            return 1;
        }
        printf("%llu rows\n", (unsigned long long)stoa_table_n_rows(table));
        stoa_table_close(table);
        H5Fclose(file);
    }
    printf("stoa %s\n", stoa_version());
    return 0;
}
