/* Any file, however damaged, is a list of findings, or cannot be opened. */
#include <stdlib.h>
#include <stoa/check.h>
#include <string.h>

#include "fuzz/fuzz.h"

typedef struct seen {
    uint64_t n_must;
    uint64_t n_bytes; /* every text is looked at to its end */
} seen;

static bool look_at_finding(void *context, const stoa_finding *finding)
{
    seen *s = context;

    s->n_must += strcmp(finding->level, "MUST") == 0;
    s->n_bytes += strlen(finding->path) + strlen(finding->section) + strlen(finding->rule) +
                  strlen(finding->message);
    return true;
}

void fuzz_check(const uint8_t *bytes, size_t n)
{
    const stoa_check_options options = {.size = sizeof options, .indexes = true};
    const hid_t file = fuzz_open(bytes, n);
    seen s = {.n_must = 0};
    uint64_t n_must = 0;

    if (file >= 0 &&
        stoa_check(file, NULL, &options, look_at_finding, &s, &n_must, NULL, NULL) == STOA_OK &&
        s.n_must != n_must) {
        abort(); /* the count, by which the command exits, is not what was shown */
    }
    fuzz_close(file);
}
