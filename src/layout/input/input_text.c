#include "layout/input/input_text.h"

#include <errno.h>
#include <iconv.h>
#include <stdlib.h>
#include <string.h>

enum { RAW_BYTES = 65536, TEXT_BYTES = 4 * RAW_BYTES, MAX_DROPPED = 1 << 20 };

struct stoa_text_filter {
    stoa_input_text is;
    iconv_t converter;
    bool converts;
    uint8_t raw[RAW_BYTES]; /* bytes that are not converted yet */
    size_t n_raw;
    uint8_t text[TEXT_BYTES]; /* UTF-8 that is not handed out yet */
    size_t at;
    size_t n_text;
    bool at_end;
    uint64_t n_read; /* bytes converted */

    uint64_t n_lines;    /* line breaks handed out */
    uint64_t n_left;     /* lines still to be skipped */
    uint64_t n_header;   /* of the header, still to be left out */
    bool at_start;       /* of a line */
    bool is_inside;      /* quotes */
    bool is_dropped;     /* the current line is left out */
    stoa_buffer dropped; /* uint64_t: n_lines when a line was left out */
};

stoa_status stoa_text_filter_open(const stoa_input_text *text, stoa_text_filter **out,
                                  stoa_error *err)
{
    stoa_text_filter *filter = stoa_alloc_zero(1, sizeof *filter);

    *out = NULL;
    STOA_RETURN_NO_MEMORY(err, filter);
    filter->is = *text;
    if (text->encoding != NULL) {
        filter->converter = iconv_open("UTF-8", text->encoding);
        if (filter->converter == (iconv_t)-1) {
            free(filter);
            return stoa_fail(err, STOA_EINVAL,
                             "the encoding '%s' is not known; 'iconv -l' lists those that are, "
                             "such as utf-16, latin1 and cp1252",
                             text->encoding);
        }
        filter->converts = true;
    }
    stoa_text_filter_rewind(filter);
    *out = filter;
    return STOA_OK;
}

void stoa_text_filter_rewind(stoa_text_filter *filter)
{
    filter->n_raw = 0;
    filter->at = 0;
    filter->n_text = 0;
    filter->at_end = false;
    filter->n_read = 0;
    filter->n_lines = 0;
    filter->n_left = filter->is.n_skipped;
    filter->n_header = filter->is.n_header;
    filter->at_start = true;
    filter->is_inside = false;
    filter->is_dropped = false;
    filter->dropped.size = 0;
    if (filter->converts) {
        (void)iconv(filter->converter, NULL, NULL, NULL, NULL);
    }
}

/* Convert all bytes but the start of a character, which is left for the next time. */
static stoa_status convert(stoa_text_filter *filter, stoa_error *err)
{
    char *in = (char *)filter->raw;
    char *out = (char *)filter->text;
    size_t n_in = filter->n_raw;
    size_t n_out = TEXT_BYTES;

    const size_t done = iconv(filter->converter, &in, &n_in, &out, &n_out);
    filter->n_read += filter->n_raw - n_in;
    if (done == (size_t)-1 && (errno == EILSEQ || (errno == EINVAL && filter->at_end))) {
        return stoa_fail(err, STOA_ESYNTAX, "byte %llu, 0x%02x, is not %s; give another --encoding",
                         (unsigned long long)filter->n_read, (unsigned)(uint8_t)*in,
                         filter->is.encoding);
    }
    memmove(filter->raw, in, n_in);
    filter->n_raw = n_in;
    filter->n_text = TEXT_BYTES - n_out;
    return STOA_OK;
}

static stoa_status fetch(stoa_text_filter *filter, stoa_text_read read, void *context,
                         stoa_error *err)
{
    size_t n = 0;

    filter->at = 0;
    filter->n_text = 0;
    while (filter->n_text == 0 && !filter->at_end) {
        STOA_RETURN_NOT_OK(
            read(context, filter->raw + filter->n_raw, RAW_BYTES - filter->n_raw, &n, err));
        filter->at_end = n < RAW_BYTES - filter->n_raw;
        filter->n_raw += n;
        if (filter->converts) {
            STOA_RETURN_NOT_OK(convert(filter, err));
        } else {
            memcpy(filter->text, filter->raw, filter->n_raw);
            filter->n_text = filter->n_raw;
            filter->n_raw = 0;
        }
    }
    return STOA_OK;
}

/* Decide at the start of a line whether it is left out. */
static stoa_status begin_line(stoa_text_filter *filter, uint8_t first, stoa_error *err)
{
    filter->at_start = false;
    const bool is_skipped = filter->n_left > 0;
    const bool is_comment = !is_skipped && filter->is.comment != 0 && !filter->is_inside &&
                            first == (uint8_t)filter->is.comment;
    const bool is_header = !is_skipped && !is_comment && filter->n_header > 0;

    filter->is_dropped = is_skipped || is_comment || is_header;
    filter->n_left -= is_skipped;
    filter->n_header -= is_header;
    if (filter->is_dropped && filter->dropped.size < MAX_DROPPED * sizeof(uint64_t)) {
        return stoa_buffer_append(&filter->dropped, &filter->n_lines, sizeof filter->n_lines, err);
    }
    return STOA_OK;
}

/* Hand out text, without the lines that are left out. */
static stoa_status hand_out(stoa_text_filter *filter, uint8_t **to, size_t *room, stoa_error *err)
{
    while (filter->at<filter->n_text && * room> 0) {
        const uint8_t byte = filter->text[filter->at];
        if (filter->at_start) {
            STOA_RETURN_NOT_OK(begin_line(filter, byte, err));
        }
        filter->at++;
        if (!filter->is_dropped) {
            *(*to)++ = byte;
            --*room;
            filter->is_inside = filter->is_inside != (byte == '"');
        }
        if (byte == '\n') {
            filter->at_start = true;
            filter->n_lines += !filter->is_dropped;
        }
    }
    return STOA_OK;
}

stoa_status stoa_text_filter_read(stoa_text_filter *filter, stoa_text_read read, void *context,
                                  void *bytes, size_t capacity, size_t *n, stoa_error *err)
{
    uint8_t *to = bytes;
    size_t room = capacity;

    while (room > 0) {
        if (filter->at == filter->n_text) {
            if (filter->at_end) {
                break;
            }
            STOA_RETURN_NOT_OK(fetch(filter, read, context, err));
        }
        STOA_RETURN_NOT_OK(hand_out(filter, &to, &room, err));
    }
    *n = capacity - room;
    return STOA_OK;
}

uint64_t stoa_text_filter_line(const stoa_text_filter *filter, uint64_t line)
{
    const uint64_t *const dropped = (const uint64_t *)(const void *)filter->dropped.data;
    const size_t n = filter->dropped.size / sizeof *dropped;
    size_t before = 0;

    while (before < n && dropped[before] < line) {
        before++;
    }
    return line + before;
}

void stoa_text_filter_close(stoa_text_filter *filter)
{
    if (filter != NULL) {
        if (filter->converts) {
            (void)iconv_close(filter->converter);
        }
        stoa_buffer_clear(&filter->dropped);
        free(filter);
    }
}
