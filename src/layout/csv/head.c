#include "layout/csv/head.h"

#include <string.h>

enum { N_CANDIDATES = 4, MAX_LINES = 100 };

stoa_status stoa_csv_head_read(stoa_input *input, char *head, size_t *n, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_input_read(input, head, STOA_CSV_HEAD_BYTES, n, err));
    return stoa_input_rewind(input, err);
}

/* How often each candidate occurs in a line. */
typedef struct counts {
    size_t of[N_CANDIDATES];
} counts;

static const char candidates[] = {',', ';', '\t', '|'};

/* Count in the line at *at, and go behind it. False if it is not whole. */
static bool count_line(const char *head, size_t n, size_t *at, counts *line, bool *is_blank)
{
    bool is_inside = false;
    const size_t start = *at;

    *line = (counts){{0}};
    for (; *at < n; ++*at) {
        const char c = head[*at];
        if (c == '"') {
            is_inside = !is_inside;
        } else if (!is_inside && (c == '\n' || c == '\r')) {
            *is_blank = *at == start;
            ++*at;
            return true;
        }
        for (int i = 0; i < N_CANDIDATES && !is_inside; i++) {
            line->of[i] += c == candidates[i];
        }
    }
    *is_blank = *at == start;
    return n < STOA_CSV_HEAD_BYTES; /* else the line goes on */
}

char stoa_csv_head_delimiter(const char *head, size_t n, char except)
{
    counts first = {{0}};
    bool is_steady[N_CANDIDATES];
    size_t n_lines = 0;
    size_t at = 0;
    int best = -1;

    for (int i = 0; i < N_CANDIDATES; i++) {
        is_steady[i] = candidates[i] != except;
    }
    while (at < n && n_lines < MAX_LINES) {
        counts line;
        bool is_blank = false;
        if (!count_line(head, n, &at, &line, &is_blank)) {
            break;
        }
        if (is_blank) {
            continue;
        }
        first = n_lines++ == 0 ? line : first;
        for (int i = 0; i < N_CANDIDATES; i++) {
            is_steady[i] = is_steady[i] && line.of[i] == first.of[i] && line.of[i] > 0;
        }
    }
    if (is_steady[0] && n_lines > 0) { /* the comma, which other marks may surround */
        return candidates[0];
    }
    for (int steady = 1; steady >= 0 && best < 0; steady--) {
        for (int i = 0; i < N_CANDIDATES; i++) {
            const bool is_one =
                steady != 0 ? is_steady[i] : first.of[i] > 0 && candidates[i] != except;
            best = is_one && (best < 0 || first.of[i] > first.of[best]) ? i : best;
        }
    }
    return best >= 0 ? candidates[best] : except == ',' ? ';' : ',';
}

const char *stoa_csv_head_line(const char *head, size_t n, size_t *length, uint64_t *n_lines)
{
    static const char mark[] = "\xef\xbb\xbf";
    size_t at = n >= 3 && memcmp(head, mark, 3) == 0 ? 3 : 0;
    bool is_inside = false;

    *n_lines = 0;
    while (at < n && (head[at] == '\n' || head[at] == '\r')) {
        *n_lines += head[at] == '\n';
        at++;
    }
    const size_t start = at;
    for (; at < n && (is_inside || (head[at] != '\n' && head[at] != '\r')); at++) {
        is_inside = is_inside != (head[at] == '"');
        *n_lines += head[at] == '\n';
    }
    *n_lines += at < n;
    *length = at - start;
    return head + start;
}
