/* How often a chunk was packed (stoa_pipeline_apply), for tests that count. */
#ifndef STOA_TESTS_PACKS_H
#define STOA_TESTS_PACKS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether anything is counted: where the linker can send calls elsewhere. */
bool check_counts_packs(void);
/* Since the last check_forget_packs(); every test begins with one. */
uint64_t check_n_packs(void);
void check_forget_packs(void);

#endif
