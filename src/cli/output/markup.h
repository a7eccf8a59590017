/* Text from files in HTML and XML. */
#ifndef STOA_CLI_MARKUP_H
#define STOA_CLI_MARKUP_H

#include <stdio.h>

/* Write a text so that it is only text, in content and in attributes. Control characters are
 * escaped as in tables, then the special characters of XML. */
void cli_put_markup(FILE *out, const char *text);

#endif
