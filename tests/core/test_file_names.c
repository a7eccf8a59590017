#include "core/file_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/memory.h"
#include "support/check.h"

static void a_pattern_gives_its_files_in_the_order_of_bytes(void)
{
    static const char *const names[] = {"b.h5", "a.h5", "B.h5", "c.txt"};
    static const char *const sorted[] = {"first", "B.h5", "a.h5", "b.h5"};
    char folder[] = "/tmp/stoa-names-XXXXXX";
    char first[] = "first";
    char *const one[] = {first};
    stoa_error err = STOA_ERROR_INIT;
    stoa_file_names found = {.n = 0};

    CHECK(mkdtemp(folder) != NULL);
    for (size_t i = 0; i < 4; i++) {
        char *const name = stoa_format("%s/%s", folder, names[i]);
        FILE *const file = fopen(name, "w");
        CHECK(file != NULL && fclose(file) == 0);
        free(name);
    }
    char *const pattern = stoa_format("%s/*.h5", folder);
    CHECK(stoa_file_is_pattern(pattern) && !stoa_file_is_pattern(folder));
    CHECK_OK(stoa_file_names_add(&found, one, 1, &err), &err);
    CHECK_OK(stoa_file_names_match(&found, pattern, &err), &err);
    CHECK_U64(found.n, 4);
    for (size_t i = 0; i < 4; i++) {
        const char *const slash = strrchr(found.names[i], '/');
        CHECK_STR(slash != NULL ? slash + 1 : found.names[i], sorted[i]);
    }
    stoa_file_names_clear(&found);
    CHECK(found.names == NULL && found.n == 0);
    for (size_t i = 0; i < 4; i++) {
        char *const name = stoa_format("%s/%s", folder, names[i]);
        CHECK_I64(unlink(name), 0);
        free(name);
    }
    CHECK_STATUS(STOA_ENOTFOUND, stoa_file_names_match(&found, pattern, &err));
    CHECK_CONTAINS(err.message, "no file has a name of this pattern");
    CHECK_U64(found.n, 0);
    free(pattern);
    CHECK_I64(rmdir(folder), 0);
}

TEST_MAIN(TEST(a_pattern_gives_its_files_in_the_order_of_bytes))
