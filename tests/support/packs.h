/* Counter of chunk compressions (stoa_pipeline_apply), for tests of how often they happen. */
#ifndef STOA_TESTS_PACKS_H
#define STOA_TESTS_PACKS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether compressions are counted. The linker must be able to redirect calls. */
bool check_counts_packs(void);
/* Compressions since the last check_forget_packs(), which also runs before every test. */
uint64_t check_n_packs(void);
void check_forget_packs(void);

#endif
