/* The ledger of trusted files. Its public calls are in <stoa/index.h>. */
#ifndef STOA_TABLE_TRUST_H
#define STOA_TABLE_TRUST_H

#include <stoa/index.h>
#include <time.h>

/* Nanoseconds from `now` until any change is certain to alter these timestamps of a file; 0 if it
 * already is. */
int64_t stoa_trust_unsettled(const struct timespec *modified, const struct timespec *changed,
                             const struct timespec *now);

/* A table of a file, and its GENERATION, or NULL. */
typedef struct stoa_trust_table {
    const char *path;
    const uint64_t *generation;
} stoa_trust_table;

/* Record tables of one file, as stoa_trust_record() does. The ledger is written once. */
stoa_status stoa_trust_record_all(const char *file, const stoa_trust_table *tables, size_t n,
                                  const char *stamp, stoa_error *err);

typedef stoa_status stoa_trust_visitor(void *context, const stoa_trust_table *table,
                                       stoa_error *err);
/* Visit the entries of the file's present state. Whether a table still has the GENERATION of its
 * entry must be compared. The ledger is read once. */
stoa_status stoa_trust_visit(const char *file, stoa_trust_visitor *visitor, void *context,
                             stoa_error *err);

#endif
