/* Turns a rule and a message into a finding. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "check/checker.h"
#include "core/progress.h"
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
    const char *const section = stoa_rule_section(id, checker->revision);
    char message[512];
    va_list args;

    if (checker->muted || section == NULL || stoa_check_over(checker)) {
        return;
    }
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    make_harmless(message);

    const stoa_finding finding = {.path = path,
                                  .level = rule->level,
                                  .section = section,
                                  .rule = rule->rule,
                                  .message = message,
                                  .refuses = stoa_rule_refuses(id, checker->strict),
                                  .column = checker->column,
                                  .revision = checker->revision};
    checker->n_findings++;
    checker->n_refused += finding.refuses;
    if (checker->visitor != NULL && !checker->visitor(checker->context, &finding)) {
        checker->stopped = true;
    }
}

void stoa_check_tell(stoa_checker *checker, uint64_t row)
{
    const stoa_progress progress = {
        .stage = checker->stage, .rows = row, .total_rows = checker->n_rows};

    if (checker->status == STOA_OK) {
        checker->status = stoa_report_progress(checker->listener, &progress, checker->err);
    }
}

void stoa_check_memory(stoa_checker *checker)
{
    if (checker->status == STOA_OK) {
        checker->status = stoa_fail_memory(checker->err);
    }
}
