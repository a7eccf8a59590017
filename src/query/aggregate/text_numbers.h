/*
 * Numbers of different texts, 0 .. n - 1, which all threads of a query share.
 *
 * Which text gets which number depends on the threads. So nothing that an answer shows may depend
 * on it.
 */
#ifndef STOA_QUERY_TEXT_NUMBERS_H
#define STOA_QUERY_TEXT_NUMBERS_H

#include "query/eval/eval.h"

typedef struct stoa_text_numbers stoa_text_numbers;

stoa_status stoa_text_numbers_open(stoa_text_numbers **out, stoa_error *err);
/* The number of a text, which becomes known. Any thread may call this.
 *
 * @return STOA_ERANGE if there are more than 2^31 texts
 */
stoa_status stoa_text_numbers_add(stoa_text_numbers *numbers, const char *text, size_t length,
                                  uint32_t *number, stoa_error *err);
/* The same for the texts of rows `at`, n of them: the number of texts[at[i]] goes to out[at[i]].
 * Memory accesses overlap. n is at most STOA_WINDOW_ROWS. */
stoa_status stoa_text_numbers_add_many(stoa_text_numbers *numbers, const stoa_bytes *texts,
                                       const uint32_t *at, size_t n, uint32_t *out,
                                       stoa_error *err);
/* Borrowed until a text is added; for when no thread adds any. */
stoa_bytes stoa_text_numbers_get(const stoa_text_numbers *numbers, uint32_t number);
uint32_t stoa_text_numbers_count(const stoa_text_numbers *numbers);
/* NULL is fine. */
void stoa_text_numbers_close(stoa_text_numbers *numbers);

#endif
