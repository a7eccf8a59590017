/*
 * fuzz_seal IN OUT: a copy of a file that the fuzzer found, with true checksums.
 *
 * Everything in it is opened once. That may crash as the fuzzer did; the checksums known by then
 * have been written, and they are those that are read before the crash. An OUT called .command is
 * an input of fuzz_command, and its line is run.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/driver/checksums.h"
#include "fuzz/fuzz.h"

int main(int argc, char **argv)
{
    FILE *in = argc == 3 ? fopen(argv[1], "rb") : NULL;
    uint8_t *bytes = malloc((size_t)1 << 24);
    uint8_t *out = NULL;
    int fd = -1;

    if (in == NULL || bytes == NULL) {
        fprintf(stderr, "usage: fuzz_seal IN OUT\n");
        return 2;
    }
    const size_t n = fread(bytes, 1, (size_t)1 << 24, in);
    fd = open(argv[2], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (n == 0 || fd < 0 || ftruncate(fd, (off_t)n) != 0) {
        perror(argv[2]);
        return 1;
    }
    out = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (out == MAP_FAILED) {
        perror(argv[2]);
        return 1;
    }
    memcpy(out, bytes, n);
    fuzz_seal_into(out, n);
    if (strstr(argv[2], ".command") != NULL && n > FUZZ_COMMAND_TAIL) {
        fuzz_command_reduce(out + n - FUZZ_COMMAND_TAIL);
        fuzz_command(bytes, n);
    } else {
        fuzz_check(bytes, n);
        fuzz_query(bytes, n);
    }
    return 0;
}
