/* Which HDF5 ids a test has left open; for check.c alone. */
#ifndef STOA_TESTS_OPEN_IDS_H
#define STOA_TESTS_OPEN_IDS_H

#include <stdbool.h>

/* Start counting anew. */
void check_forget_ids(void);

/* True if no id is open that was opened since check_forget_ids(); otherwise names them. */
bool check_no_open_ids(const char *test);

/* Free `block` (from malloc) when check_drop_kept() is called. */
void check_keep(char *block);
void check_drop_kept(void);

#endif
