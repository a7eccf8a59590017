/* Words that may stand in a command line: what a file holds, and names that Stoa knows. */
#ifndef STOA_CLI_CANDIDATES_H
#define STOA_CLI_CANDIDATES_H

#include "cli/common/place.h"

typedef struct cli_candidates {
    const char *word;      /* as typed so far */
    size_t n_before;       /* bytes of it that every candidate begins with */
    const cli_texts *args; /* operands of the line, of which the first table has the columns */
    size_t n;              /* printed so far */
    bool takes_files;
    bool goes_on; /* no blank behind the word */
} cli_candidates;

/* Print word[0 .. n_before) with `text` behind it, if that is what the word may become. */
void cli_candidate(cli_candidates *c, const char *text, const char *help);

/* Each begins at word[n_before]. */
void cli_candidates_of_list(cli_candidates *c, const char *const *names);
/* Names of library calls such as stoa_codec_name(). */
void cli_candidates_of_call(cli_candidates *c, const char *(*name)(size_t i));
/* Functions and aggregates of the query language, which need not be called yet. */
void cli_candidates_of_functions(cli_candidates *c, bool takes_aggregates, const char *behind);

/* Columns, each with `behind` behind its name. */
void cli_candidates_of_columns(cli_candidates *c, const char *behind);
/* What may stand at the end of an expression: columns, functions and keywords. */
void cli_candidates_of_expression(cli_candidates *c, bool takes_aggregates);
/* FILE[:PATH]: files, or the objects of a group. */
void cli_candidates_of_place(cli_candidates *c);

#endif
