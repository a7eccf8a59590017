/* The answer of `query` and of `sql`: where it goes, and in which format. */
#ifndef STOA_CLI_ANSWER_H
#define STOA_CLI_ANSWER_H

#include "cli/output/output.h"
#include "cli/output/store.h"

/* Rows of a table on a terminal, if the user does not say how many. */
enum { CLI_FIRST_ROWS = 50 };

/* Zero-initialise, but for `format`. End it with cli_answer_discard(). */
typedef struct cli_answer {
    int format;         /* a cli_format; CLI_FORMAT_BY_NAME at first */
    const char *output; /* name of the file or table; NULL: stdout */
    cli_store store;
    cli_store_origin origin; /* of a table */
    bool no_formulas;
    unsigned n_threads; /* at most, that write text; 0: one per processor */
    cli_output to;
} cli_answer;

/* Declare -f, -o, --codec, --no-formulas and the options of tables. */
void cli_answer_options(cli_args *args, cli_answer *answer);
/* Choose the format by -f, or by the name of the output. False after a message. `is_text`: the
 * answer is text in any case, such as a plan. */
bool cli_answer_accepted(cli_args *args, cli_answer *answer, bool is_text);

/* Open the output; does nothing for a table. */
stoa_status cli_answer_open(cli_answer *answer, stoa_error *err);
/* Whether it is a table on a terminal. */
bool cli_answer_is_shown(const cli_answer *answer);
stoa_status cli_answer_write(const cli_answer *answer, struct ArrowArrayStream *stream,
                             const stoa_listener *listener, uint64_t *n_rows, stoa_error *err);
/* Make the file appear. */
stoa_status cli_answer_finish(cli_answer *answer, stoa_error *err);
void cli_answer_discard(cli_answer *answer);

#endif
