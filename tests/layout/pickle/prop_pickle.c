/* Programs that Python wrote, changed at random: read or refused, within bounds, and nothing more.
 */
#include <stdlib.h>
#include <string.h>

#include "layout/pickle/pickle.h"
#include "support/check.h"

typedef struct seed {
    const char *bytes;
    size_t n;
} seed;

#define SEED(text)                                                                                 \
    {                                                                                              \
        text, sizeof(text) - 1                                                                     \
    }

static const seed seeds[] = {
    SEED("(lp0\nVa\np1\naV\xe9\np2\na."),
    SEED("(lp0\n(I0\nVindex\np1\ntp2\na."),
    SEED("(dp0\nVtz\np1\ncpytz\n_p\np2\n(VEurope/Berlin\np3\nI3180\nI0\nVLMT\np4\ntp5\nRp6\ns."),
    SEED("\x80\x02}q\x00(X\x01\x00\x00\x00"
         "aq\x01K\x01X\x01\x00\x00\x00"
         "bq\x02]q\x03(K\x02G@\x00\x00\x00\x00\x00\x00\x00\x8a\x01\xff"
         "eu."),
    SEED("\x80\x05\x95\x10\x00\x00\x00\x00\x00\x00\x00"
         "\x8c\x05numpy\x94\x8c\x07ndarray\x94\x93\x94K\x00\x85\x94"
         "C\x01"
         "b\x94\x87\x94R\x94(K\x01K\x02\x85\x94N\x89]\x94(h\x01Neetb."),
    SEED("(I1\nitables.filters\nFilters\np0\n(dp1\nS'shuffle'\np2\nI01\nsb."),
};

enum { MOST = 256, DEEP = 12 };

/* Opcodes are likelier than chance has them. */
static uint8_t random_byte(void)
{
    static const char opcodes[] = "().012FIJKLMNRSTUVXabcd}eghijl]opqrst)uGBC\x80\x81\x85\x86\x87"
                                  "\x88\x89\x8a\x8b\x8c\x8d\x8e\x92\x93\x94\x95\x96\n";

    return check_random_below(2) != 0 ? (uint8_t)opcodes[check_random_below(sizeof opcodes - 1)]
                                      : (uint8_t)check_random_below(256);
}

static size_t change(uint8_t *program, size_t n)
{
    const size_t at = n > 0 ? (size_t)check_random_below(n) : 0;

    switch (check_random_below(4)) {
    case 0: /* another byte */
        if (n > 0) {
            program[at] = random_byte();
        }
        return n;
    case 1: /* one less */
        if (n > 0) {
            memmove(program + at, program + at + 1, n - at - 1);
        }
        return n > 0 ? n - 1 : 0;
    case 2: /* one more */
        if (n < MOST) {
            memmove(program + at + 1, program + at, n - at);
            program[at] = random_byte();
        }
        return n < MOST ? n + 1 : n;
    default: /* cut off */
        return check_random_below(8) == 0 ? at : n;
    }
}

/* Look at every byte that a node leads to; so deep, since it may lead to itself. */
static size_t look(const stoa_pickled *node, int depth)
{
    size_t sum = 0;

    if (node == NULL || depth > DEEP) {
        return 0;
    }
    if (node->kind == STOA_PICKLE_TEXT || node->kind == STOA_PICKLE_BYTES ||
        node->kind == STOA_PICKLE_GLOBAL || node->kind == STOA_PICKLE_BIG) {
        for (size_t i = 0; i < node->as.bytes.length; i++) {
            sum += (uint8_t)node->as.bytes.data[i];
        }
    } else if (node->kind >= STOA_PICKLE_LIST) {
        for (size_t i = 0; i < node->as.items.n && i < 4; i++) {
            sum += look(node->as.items.at[i], depth + 1);
        }
    }
    return sum + node->kind;
}

static void changed_programs_are_read_or_refused(void)
{
    uint64_t n_read = 0;

    for (uint64_t left = check_n_cases(40000); left > 0; left--) {
        const seed *from = &seeds[check_random_below(sizeof seeds / sizeof *seeds)];
        uint8_t *program = malloc(MOST); /* so that a sanitizer knows its end */
        stoa_pickle *pickle = NULL;
        stoa_error err = STOA_ERROR_INIT;
        size_t n = from->n;

        CHECK(program != NULL);
        memcpy(program, from->bytes, n);
        for (uint64_t k = check_random_below(4); k > 0; k--) {
            n = change(program, n);
        }
        program = realloc(program, n + (n == 0));
        CHECK(program != NULL);
        const stoa_status status = stoa_pickle_read(program, n, &pickle, &err);
        CHECK(status == STOA_OK || status == STOA_EDATA);
        CHECK((pickle != NULL) == (status == STOA_OK));
        if (pickle != NULL) {
            CHECK(look(stoa_pickle_root(pickle), 0) < SIZE_MAX);
            (void)stoa_pickled_call(stoa_pickle_root(pickle), "ndarray");
            n_read++;
        }
        stoa_pickle_close(pickle);
        free(program);
    }
    CHECK(n_read > 0);
}

TEST_MAIN(TEST(changed_programs_are_read_or_refused))
