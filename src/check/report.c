/* Turns a rule and a message into a finding. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "check/checker.h"
#include "core/text.h"

/* Names in files are untrusted. Make them one line of valid UTF-8 without control characters. */
static void make_harmless(char *text)
{
    size_t length = strlen(text);

    for (size_t i = 0; i < length;) {
        const size_t valid = stoa_utf8_valid(text + i, length - i);
        for (size_t end = i + valid; i < end; i++) {
            const unsigned char byte = (unsigned char)text[i];
            if (byte < 0x20 || byte == 0x7f) {
                text[i] = '?';
            }
        }
        if (i < length) {
            text[i++] = '?';
        }
    }
}

void stoa_check_report(stoa_checker *checker, const char *path, stoa_rule_id id, const char *format,
                       ...)
{
    const stoa_rule_info *rule = stoa_rule_at(id);
    char message[512];
    va_list args;

    if (checker->muted || stoa_check_over(checker)) {
        return;
    }
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    make_harmless(message);

    const stoa_finding finding = {path,       rule->level, rule->section,
                                  rule->rule, message,     stoa_rule_refuses(id, checker->strict)};
    checker->n_refused += finding.refuses;
    if (checker->visitor != NULL && !checker->visitor(checker->context, &finding)) {
        checker->stopped = true;
    }
}

void stoa_check_memory(stoa_checker *checker)
{
    if (checker->status == STOA_OK) {
        checker->status = stoa_fail_memory(checker->err);
    }
}
