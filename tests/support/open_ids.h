/* HDF5 ids that a test has left open. Only check.c uses this. */
#ifndef STOA_TESTS_OPEN_IDS_H
#define STOA_TESTS_OPEN_IDS_H

#include <stdbool.h>

/* Restart the count. */
void check_forget_ids(void);

/* True if no id opened since check_forget_ids() is still open. Otherwise prints them. */
bool check_no_open_ids(const char *test);

/* Free `block` (from malloc) when check_drop_kept() is called. */
void check_keep(char *block);
void check_drop_kept(void);

#endif
