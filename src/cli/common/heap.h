/* How the command's memory comes from the system. */
#ifndef STOA_CLI_HEAP_H
#define STOA_CLI_HEAP_H

/*
 * Keep memory freed with one batch of rows for the next. glibc would return it to the system and
 * get zeroed pages in exchange, which costs more than reading the rows.
 *
 * The heap and its next 32 MiB are huge pages from now on. A short command gets one of them in less
 * time than the tens of usual ones that it would fill. Call this before there are threads, and
 * again when another library has called malloc_trim(), as DuckDB does when it is opened.
 */
void cli_heap_settle(void);

#endif
