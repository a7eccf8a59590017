/* Lists of any kind, in however many batches and appends, are read back as they were, and the table
 * conforms (HEP001-2026-07 §9): src/column/write/list_writer.c. */
#include <stdlib.h>
#include <string.h>

#include "table/list_kit.h"

enum { MAX_ROWS = 200, MAX_DEPTH = 4, N_LEAVES = 9 };

/* What the column is made of. Each level has 32-bit or 64-bit offsets. */
typedef struct shape {
    int depth;
    bool is_large[MAX_DEPTH];
    uint64_t leaf;
    bool has_missing[MAX_DEPTH + 1]; /* the values' last */
    bool is_sliced;
} shape;

/* Missing ones are rare at first. The values of a missing list are as wild as others. */
static bool *random_validity(bool has_missing, int64_t n)
{
    bool *const valid = calloc((size_t)n + 1, sizeof *valid);

    CHECK(valid != NULL);
    for (int64_t i = 0; i < n; i++) {
        valid[i] = !has_missing || check_random_below(5) != 0;
    }
    return valid;
}

static void random_numbers(batch *b, const char *format, int64_t low, int64_t high,
                           const bool *valid)
{
    int64_t *const values = calloc((size_t)b->array.length + 1, sizeof *values);

    CHECK(values != NULL);
    for (int64_t i = 0; i < b->array.length; i++) {
        values[i] = low + (int64_t)(check_random() % ((uint64_t)high - (uint64_t)low + 1));
    }
    batch_integers(b, 0, "item", format, values, valid);
    free(values);
}

static void random_floats(batch *b, const bool *valid)
{
    static const double edges[] = {0.0, -0.0, 1.5, 9.9692099683868690e+36, -1e300};
    double *const values = calloc((size_t)b->array.length + 1, sizeof *values);

    CHECK(values != NULL);
    for (int64_t i = 0; i < b->array.length; i++) {
        values[i] = edges[check_random_below(sizeof edges / sizeof *edges)];
    }
    batch_floats(b, 0, "item", "g", values, valid);
    free(values);
}

static void random_texts(batch *b, bool are_labels, const bool *valid)
{
    static const char *const edges[] = {
        "", "a", "trailing ", "\x1a", "\xc3\xbcn\xc3\xaf", "long, longer",
    };
    const char **const values = calloc((size_t)b->array.length + 1, sizeof *values);

    CHECK(values != NULL);
    for (int64_t i = 0; i < b->array.length; i++) {
        const size_t which = check_random_below(sizeof edges / sizeof *edges);
        values[i] = valid[i] ? edges[which] : NULL;
    }
    (are_labels ? batch_categories : batch_strings)(b, 0, "item", values);
    free(values);
}

/* Pairs of numbers, or structs of one. No part of them is missing. */
static void random_nested(batch *b, bool is_struct, const bool *valid)
{
    const int64_t n = b->array.length;
    batch items = batch_begin(1, is_struct ? n : 2 * n);
    int64_t *const lengths = calloc((size_t)n + 1, sizeof *lengths);

    CHECK(lengths != NULL);
    random_numbers(&items, "s", INT16_MIN + 1, INT16_MAX, NULL);
    if (is_struct) {
        CHECK_OK(stoa_schema_rename(&items.schema, "item", NULL));
        stoa_schema_move(&items.schema, b->schema.children[0]);
        stoa_array_move(&items.array, b->array.children[0]);
    } else {
        batch_lists(b, 0, "item", "+w:2", &items, lengths, valid);
    }
    free(lengths);
}

static void random_leaf(const shape *s, batch *b)
{
    bool *const valid = random_validity(s->has_missing[MAX_DEPTH], b->array.length);

    switch (s->leaf) {
    case 0:
        random_numbers(b, "c", INT8_MIN, INT8_MAX, valid);
        break;
    case 1:
        random_numbers(b, "l", -5, INT64_MAX, valid);
        break;
    case 2:
        random_numbers(b, "b", 0, 1, valid);
        break;
    case 3:
        random_numbers(b, "tsm:UTC", -4000, 4000, valid);
        break;
    case 4:
        random_floats(b, valid);
        break;
    case 5:
    case 6:
        random_texts(b, s->leaf == 6, valid);
        break;
    default:
        random_nested(b, s->leaf == 8, valid);
        break;
    }
    free(valid);
}

/* An array may begin in its buffers. */
static void slice(batch *b, int64_t n)
{
    b->array.children[0]->offset = b->array.length - n;
    b->array.children[0]->length = n;
    b->array.length = n;
}

static batch random_level(const shape *s, int level, int64_t n, const char *name)
{
    const int64_t more = s->is_sliced ? (int64_t)check_random_below(3) : 0;
    batch b = batch_begin(1, n + more);

    if (level == s->depth) {
        random_leaf(s, &b);
    } else {
        bool *const valid = random_validity(s->has_missing[level], n + more);
        int64_t *const lengths = calloc((size_t)(n + more) + 1, sizeof *lengths);
        int64_t n_items = 0;
        CHECK(lengths != NULL);
        for (int64_t i = 0; i < n + more; i++) {
            lengths[i] = (int64_t)check_random_below(4);
            n_items += lengths[i];
        }
        batch items = random_level(s, level + 1, n_items, "item");
        batch_lists(&b, 0, name, s->is_large[level] ? "+L" : "+l", &items, lengths, valid);
        free(lengths);
        free(valid);
    }
    slice(&b, n);
    return b;
}

static shape random_shape(void)
{
    shape s = {.depth = 1 + (int)check_random_below(MAX_DEPTH),
               .leaf = check_random_below(N_LEAVES),
               .is_sliced = check_random_below(2) == 0};

    for (int i = 0; i < MAX_DEPTH; i++) {
        s.is_large[i] = check_random_below(2) == 0;
    }
    return s;
}

/* The model: what each row should say. */
typedef struct model {
    char *rows[MAX_ROWS];
    int64_t n;
} model;

/* A batch of rows; from some batch on a level has missing entries. */
static batch random_batch(shape *s, model *m)
{
    s->has_missing[check_random_below(MAX_DEPTH + 1)] |= check_random_below(2) == 0;
    batch b = random_level(s, 0, (int64_t)check_random_below(20), "v");
    for (int64_t i = 0; i < b.array.length; i++) {
        CHECK(m->n < MAX_ROWS);
        m->rows[m->n] =
            stoa_strdup(list_array_text(b.schema.children[0], b.array.children[0], i, 1));
        CHECK(m->rows[m->n++] != NULL);
    }
    return b;
}

static void compare(stoa_table *table, const model *m)
{
    CHECK_U64(stoa_table_n_rows(table), m->n);
    for (int64_t i = 0; i < m->n; i++) {
        CHECK_STR(list_text(stoa_table_find(table, "v"), (uint64_t)i, 1), m->rows[i]);
    }
}

static void lists_that_are_written_and_appended_are_read_back(void)
{
    static const char *const codecs[] = {"auto", "none", "deflate", "small"};

    for (uint64_t n = (60); n > 0; n--) {
        stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
        const stoa_column_options storage = {NULL, codecs[check_random_below(4)],
                                             check_random_below(3) == 0 ? STOA_CONTIGUOUS
                                             : check_random_below(2) == 0
                                                 ? 1 + check_random_below(9)
                                                 : 0};
        const size_t n_batches = 1 + check_random_below(3);
        shape s = random_shape();
        model m = {.n = 0};
        batch batches[3];
        stoa_error err = STOA_ERROR_INIT;

        for (size_t i = 0; i < n_batches; i++) {
            batches[i] = random_batch(&s, &m);
        }
        options.columns = &storage;
        options.n_columns = storage.chunk_rows == STOA_CONTIGUOUS ? 1 : check_random_below(2);
        options.revision = check_random_below(2) == 0 ? STOA_REVISION_2026_07 : STOA_REVISION_TOLD;
        const hid_t file = new_file();
        write_batches(file, "/t", batches, n_batches, &options);
        stoa_table *table = open_table(file, "/t");
        compare(table, &m);
        for (uint64_t a = check_random_below(4); a > 0; a--) {
            for (int i = 0; i < MAX_DEPTH; i++) {
                s.is_large[i] = check_random_below(2) == 0;
            }
            batch b = random_batch(&s, &m);
            CHECK_OK(append(table, &b, &err), &err);
            if (check_random_below(2) == 0) {
                stoa_table_close(table);
                table = open_table(file, "/t");
            }
            compare(table, &m);
        }
        stoa_table_close(table);
        check_conformant(file, "/t");
        for (int64_t i = 0; i < m.n; i++) {
            free(m.rows[i]);
        }
        H5Fclose(file);
    }
}

TEST_MAIN(TEST(lists_that_are_written_and_appended_are_read_back))
