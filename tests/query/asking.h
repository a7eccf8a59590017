/* Expressions over batches in memory, for the tests of this folder. */
#ifndef STOA_TESTS_QUERY_ASKING_H
#define STOA_TESTS_QUERY_ASKING_H

#include "query/eval/emit.h"
#include "query/eval/eval.h"
#include "support/batches.h"

#define LENGTH(array) ((int64_t)(sizeof(array) / sizeof(array)[0]))

/* The syntax tree of an expression, as "(and (> delay 3) (is-null x))", or the error's message. A
 * static buffer. */
const char *tree_of(const char *text);
/* The result of a predicate for each row: "1" true, "0" false, "-" missing; or the error's message.
 * A static buffer. */
const char *verdicts(const batch *b, const char *where);
/* The same for the selection: "1" selected, "0" not selected. */
const char *selected(const batch *b, const char *where);
/* The values of an expression, formatted by value_text() and separated by spaces. */
const char *values_of(const batch *b, const char *text);
/* Bind an expression that must be refused. Returns the status; the message is in `err`. */
stoa_status refusal(const batch *b, const char *text, stoa_error *err);

#endif
