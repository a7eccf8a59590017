/* Whatever a table holds, its CSV reads back as the same values; for src/layout/csv/, text_csv.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "layout/csv/value.h"
#include "layout/csv_kit.h"
#include "support/check.h"

enum { MAX_COLUMNS = 8 };

/* A stream of random batches; made again from the same seed, it gives the same ones. */
typedef struct random_table {
    stoa_type types[MAX_COLUMNS];
    int n_columns;
    uint64_t n_rows;
    uint64_t given;
    uint64_t batch_rows;
    uint64_t state; /* of the values' generator */
    unsigned missing_percent;
} random_table;

/* xorshift64* (Vigna 2016). */
static uint64_t draw(random_table *table)
{
    uint64_t x = table->state;

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    table->state = x;
    return x * UINT64_C(0x2545f4914f6cdd1d);
}

static void draw_text(random_table *table, bool is_first, stoa_csv_value *value, char *room)
{
    static const char *const pieces[] = {"a",
                                         "b",
                                         ",",
                                         "\"",
                                         "\n",
                                         "\r",
                                         "\t",
                                         " ",
                                         "0",
                                         "1",
                                         "-",
                                         ".",
                                         "e",
                                         "NA",
                                         "\xc3\xa4",
                                         "\xe2\x82\xac",
                                         "\xf0\x9f\x99\x82",
                                         "\x01"};
    size_t n = is_first ? 4 : 0;

    /* A word in the first row keeps the column from looking like numbers. */
    memcpy(room, "word", n);
    for (uint64_t k = is_first ? 0 : draw(table) % 8; k > 0; k--) {
        const char *piece = pieces[draw(table) % (sizeof pieces / sizeof pieces[0])];
        memcpy(room + n, piece, strlen(piece));
        n += strlen(piece);
    }
    value->text = room;
    value->length = n;
}

static void draw_value(random_table *table, const stoa_type *type, bool is_first,
                       stoa_csv_value *value, char *room)
{
    const uint64_t bits = draw(table);
    const bool is_missing = draw(table) % 100 < table->missing_percent && !is_first;

    *value = (stoa_csv_value){.is_missing = is_missing};
    switch (type->kind) {
    case STOA_KIND_STRING:
        draw_text(table, is_first, value, room);
        break;
    case STOA_KIND_FLOAT64:
        memcpy(&value->f, &bits, sizeof bits);
        break;
    case STOA_KIND_FLOAT32: {
        const uint32_t half = (uint32_t)bits;
        float f;
        memcpy(&f, &half, sizeof f);
        value->f = (double)f;
        break;
    }
    case STOA_KIND_BOOL:
        value->i = bits & 1;
        break;
    case STOA_KIND_UINT64:
        value->i = (int64_t)bits | 1; /* not the whole range from 0, which leaves no fill value */
        break;
    case STOA_KIND_TIMESTAMP:
    case STOA_KIND_DURATION:
        value->i = (int64_t)bits >> 2;
        break;
    default:
        value->i = (int64_t)bits >> draw(table) % 63 >> (64 - 8 * type->width);
        break;
    }
}

static stoa_status table_schema(void *self, struct ArrowSchema *out, stoa_error *err)
{
    const random_table *table = self;
    char name[16];

    CHECK_OK(stoa_schema_make(out, "", "+s", err), err);
    CHECK_OK(stoa_schema_children(out, table->n_columns, err), err);
    for (int k = 0; k < table->n_columns; k++) {
        (void)snprintf(name, sizeof name, "c,%d", k);
        CHECK_OK(stoa_schema_make_type(out->children[k], name, &table->types[k], err), err);
    }
    return STOA_OK;
}

static stoa_status table_next(void *self, struct ArrowArray *out, stoa_error *err)
{
    random_table *table = self;
    const uint64_t left = table->n_rows - table->given;
    const uint64_t n = left < table->batch_rows ? left : table->batch_rows;
    char room[256];

    out->release = NULL;
    if (n == 0) {
        return STOA_OK;
    }
    CHECK_OK(stoa_array_make(out, (int64_t)n, 0, 1, (void *[]){NULL}, err), err);
    CHECK_OK(stoa_array_children(out, table->n_columns, err), err);
    for (int k = 0; k < table->n_columns; k++) {
        const stoa_type *type = &table->types[k];
        stoa_csv_builder builder = {0};
        for (uint64_t i = 0; i < n; i++) {
            stoa_csv_value value;
            draw_value(table, type, table->given + i == 0, &value, room);
            CHECK_OK(stoa_csv_builder_add(&builder, type, &value, err), err);
        }
        CHECK_OK(stoa_csv_builder_finish(&builder, type, out->children[k], err), err);
    }
    table->given += n;
    return STOA_OK;
}

static void open_table(random_table *table, struct ArrowArrayStream *stream)
{
    static const stoa_producer producer = {table_schema, table_next, NULL};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_stream_make(stream, &producer, table, &err), &err);
}

static random_table draw_table(void)
{
    static const stoa_kind kinds[] = {
        STOA_KIND_BOOL,     STOA_KIND_INT8,   STOA_KIND_INT16,   STOA_KIND_INT32,
        STOA_KIND_INT64,    STOA_KIND_UINT64, STOA_KIND_FLOAT32, STOA_KIND_FLOAT64,
        STOA_KIND_STRING,   STOA_KIND_STRING, STOA_KIND_DATE,    STOA_KIND_TIMESTAMP,
        STOA_KIND_DURATION,
    };
    random_table table = {
        .n_columns = 1 + (int)check_random_below(MAX_COLUMNS),
        .n_rows = check_random_below(3) == 0 ? check_random_below(4) : check_random_below(500),
        .batch_rows = 1 + check_random_below(300),
        .state = check_random() | 1,
        .missing_percent = (unsigned)check_random_below(4) * 30,
    };

    for (int k = 0; k < table.n_columns; k++) {
        const stoa_kind kind = kinds[check_random_below(sizeof kinds / sizeof kinds[0])];
        table.types[k] = (stoa_type){
            .kind = kind,
            .width = stoa_kind_width(kind),
            .unit = kind == STOA_KIND_TIMESTAMP || kind == STOA_KIND_DURATION
                        ? STOA_TIME_SECOND + check_random_below(4)
                        : STOA_TIME_DAY,
            .utc = kind == STOA_KIND_TIMESTAMP && check_random_below(2) == 0,
        };
    }
    return table;
}

/* JSON tells a missing value from an empty string, and every number by its shortest digits. */
static void a_table_reads_back_from_its_csv(void)
{
    for (uint64_t n = check_n_cases(300); n > 0; n--) {
        const random_table drawn = draw_table();
        random_table table = drawn;
        struct ArrowArrayStream stream;
        const stoa_csv_options options = {sizeof options,
                                          .batch_rows = 1 + check_random_below(300)};

        open_table(&table, &stream);
        char *before = strdup(kit_stream_text(&stream, STOA_TEXT_JSONL));
        table = drawn;
        open_table(&table, &stream);
        const char *csv = kit_stream_text(&stream, STOA_TEXT_CSV);
        const char *path = kit_file("t.csv", csv, strlen(csv));
        const char *after = kit_text(path, &options, STOA_TEXT_JSONL);
        CHECK(before != NULL);
        if (strcmp(before, after) != 0) {
            size_t at = 0;
            while (before[at] == after[at]) {
                at++;
            }
            at -= at < 60 ? at : 60;
            FAIL("%.120s\nbecame\n%.120s", before + at, after + at);
        }
        free(before);
    }
}

/* What was read once is canonical: written and read again, it is the same bytes. */
static void csv_of_what_was_read_is_canonical(void)
{
    for (uint64_t n = check_n_cases(300); n > 0; n--) {
        random_table table = draw_table();
        struct ArrowArrayStream stream;

        open_table(&table, &stream);
        const char *csv = kit_stream_text(&stream, STOA_TEXT_CSV);
        const char *path = kit_file("t.csv", csv, strlen(csv));
        char *once = strdup(kit_text(path, NULL, STOA_TEXT_CSV));
        CHECK(once != NULL);
        path = kit_file("u.csv", once, strlen(once));
        const bool is_same = strcmp(kit_text(path, NULL, STOA_TEXT_CSV), once) == 0;
        free(once);
        CHECK(is_same);
    }
}

/* Rubbish never does more than fail: the sanitizers look on. */
static void any_bytes_are_read_or_refused(void)
{
    static const char alphabet[] = "\"\"\",,\n\n\r\t ax1-.e:T\0\x80\xc3\xff";

    for (uint64_t n = check_n_cases(3000); n > 0; n--) {
        char text[200];
        const size_t length = check_random_below(sizeof text);
        const stoa_csv_options options = {sizeof options, .max_field_bytes = 50,
                                          .on_error = (stoa_csv_on_error)check_random_below(3)};
        stoa_error err = STOA_ERROR_INIT;
        stoa_csv *csv;

        for (size_t i = 0; i < length; i++) {
            text[i] = alphabet[check_random_below(sizeof alphabet - 1)];
        }
        const char *path = kit_file("t.csv", text, length);
        if (stoa_csv_open(path, &options, &csv, &err) == STOA_OK) {
            stoa_csv_close(csv);
            (void)kit_text(path, &options, STOA_TEXT_CSV);
        } else {
            CHECK(err.status == STOA_ESYNTAX || err.status == STOA_EDATA);
            CHECK(err.message[0] != '\0');
        }
    }
}

TEST_MAIN(TEST(a_table_reads_back_from_its_csv), TEST(csv_of_what_was_read_is_canonical),
          TEST(any_bytes_are_read_or_refused))
