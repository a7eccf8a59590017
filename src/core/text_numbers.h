/*
 * Numbers of different texts, 0 .. n - 1, that several threads share.
 *
 * Which text gets which number depends on the threads. So nothing that an answer shows may depend
 * on it.
 */
#ifndef STOA_CORE_TEXT_NUMBERS_H
#define STOA_CORE_TEXT_NUMBERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

typedef struct stoa_text_numbers stoa_text_numbers;

stoa_status stoa_text_numbers_open(stoa_text_numbers **out, stoa_error *err);
/* The numbers of n texts; new ones become known. Any thread may call this. With many texts, memory
 * accesses overlap.
 *
 * @return STOA_ERANGE if there are more than 2^31 different texts
 */
stoa_status stoa_text_numbers_add(stoa_text_numbers *numbers, const char *const *texts,
                                  const size_t *lengths, size_t n, uint32_t *out, stoa_error *err);
/*
 * Numbers of the texts of one list by their places in it, for all threads to read and to fill in.
 *
 * @param list      the address of the list, which stays as it is as long as `numbers`
 * @param[out] out  n entries, 0 at first, which `numbers` owns; NULL for any list but the first
 */
stoa_status stoa_text_numbers_of_list(stoa_text_numbers *numbers, const void *list, size_t n,
                                      _Atomic uint32_t **out, stoa_error *err);
/* Whether the first n places of that list were filled in with n numbers, and there are no others:
 * its texts are distinct. */
bool stoa_text_numbers_are_distinct(const stoa_text_numbers *numbers, const void *list, size_t n);
/* Borrowed until a text is added; for when no thread adds any. */
const char *stoa_text_numbers_get(const stoa_text_numbers *numbers, uint32_t number,
                                  size_t *length);
/* How many there are. */
uint32_t stoa_text_numbers_count(const stoa_text_numbers *numbers);
/* NULL is fine. */
void stoa_text_numbers_close(stoa_text_numbers *numbers);

#endif
