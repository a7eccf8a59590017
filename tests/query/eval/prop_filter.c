/*
 * Random tests of every stored type, evaluated with the kernels of every instruction set, from any
 * row on, say what plain arithmetic says of each row.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/cpu.h"
#include "query/asking.h"

enum { MAX_ROWS = 1200, MAX_TEXT = 16384, N_NUMBERS = 13, N_COLUMNS = 2 * N_NUMBERS + 6 };

/* The numeric types; each has two columns, a<k> and b<k>. */
static const char *const formats[N_NUMBERS] = {"c", "s", "i", "l", "C",   "S",   "I",
                                               "L", "e", "f", "g", "tdD", "tss:"};
/* Dictionaries are d0 .. d2 by the width of their codes. */
static const char *const code_formats[3] = {"c", "s", "i"};

/* A table, with its values beside it as numbers that hold any of them exactly. */
typedef struct table {
    int64_t n;
    long double number[2 * N_NUMBERS][MAX_ROWS];
    const char *text[4][MAX_ROWS]; /* d0 d1 d2 s */
    bool flag[MAX_ROWS];
    bool known[N_COLUMNS][MAX_ROWS];
    batch batch;
} table;

enum { TEXTS = 2 * N_NUMBERS, FLAG = TEXTS + 4, N_USED = FLAG + 1 };

static int64_t least_of(int k)
{
    static const int64_t least[N_NUMBERS] = {
        INT8_MIN, INT16_MIN, INT32_MIN, INT64_MIN, 0, 0, 0, 0, 0, 0, 0, -100000, -100000};
    return least[k];
}

static uint64_t greatest_of(int k)
{
    static const uint64_t greatest[N_NUMBERS] = {
        INT8_MAX,   INT16_MAX, INT32_MAX, INT64_MAX, UINT8_MAX, UINT16_MAX, UINT32_MAX,
        UINT64_MAX, 0,         0,         0,         100000,    100000};
    return greatest[k];
}

static bool is_float(int k)
{
    return k >= 8 && k <= 10;
}

static bool is_time(int k)
{
    return k >= 11;
}

/* Integers -------------------------------------------------------------------------------- */

/* The bits of a value of type k, near others, near nothing, or at an end. */
static int64_t random_integer(int k)
{
    const uint64_t width = greatest_of(k) - (uint64_t)least_of(k);

    switch (check_random_below(5)) {
    case 0:
        return (int64_t)((uint64_t)least_of(k) + check_random_below(3));
    case 1:
        return (int64_t)(greatest_of(k) - check_random_below(3));
    case 2:
        return (int64_t)((uint64_t)least_of(k) +
                         (width == UINT64_MAX ? check_random() : check_random() % (width + 1)));
    default:
        return (int64_t)((uint64_t)least_of(k) + width / 2 + check_random_below(20));
    }
}

static double random_float(void)
{
    static const double special[] = {0.0,     -0.0,     INFINITY, -INFINITY, NAN,    65504,
                                     -65504,  6e-8,     1e-45,    5e-324,    0.1,    FLT_MAX,
                                     DBL_MAX, -FLT_MAX, 1e300,    16777217,  0x1p63, -0x1p63};

    switch (check_random_below(4)) {
    case 0:
        return special[check_random_below(sizeof special / sizeof *special)];
    case 1:
        return (double)(int64_t)check_random() / 3e18;
    default:
        return (double)check_random_below(40) / 4 - 5;
    }
}

/* The table ------------------------------------------------------------------------------- */

static void make_numbers(table *t, int column)
{
    const int k = column / 2;
    static int64_t integers[MAX_ROWS];
    static double floats[MAX_ROWS];
    char name[16];

    snprintf(name, sizeof name, "%c%d", column % 2 == 0 ? 'a' : 'b', k);
    for (int64_t i = 0; i < t->n; i++) {
        if (is_float(k)) {
            const double x = random_float();
            floats[i] = x;
            t->number[column][i] = k == 10 ? (long double)x
                                   : k == 9
                                       ? (long double)(float)x
                                       : (long double)stoa_f16_to_f32(stoa_f32_to_f16((float)x));
        } else {
            integers[i] = random_integer(k);
            t->number[column][i] = k == 7 ? (long double)(uint64_t)integers[i] : integers[i];
        }
    }
    if (is_float(k)) {
        batch_floats(&t->batch, column, name, formats[k], floats, t->known[column]);
    } else {
        batch_integers(&t->batch, column, name, formats[k], integers, t->known[column]);
    }
}

/* "d<width>": labels l0, l1, ...; a missing row has a code that is no label's. */
static void make_dictionary(table *t, int d, int n_labels)
{
    static char names[1000][16]; /* the same in every dictionary */
    static const char *labels[1000];
    const int column = TEXTS + d;
    const size_t width = (size_t)1 << d;
    struct ArrowSchema *schema = t->batch.schema.children[column];
    struct ArrowArray *array = t->batch.array.children[column];
    uint8_t *codes = stoa_alloc((size_t)t->n, width);
    uint8_t *bits = stoa_alloc_zero((size_t)t->n / 8 + 1, 1);
    int64_t n_null = 0;
    char name[] = {'d', (char)('0' + d), '\0'};

    for (int i = 0; i < n_labels; i++) {
        snprintf(names[i], sizeof names[i], "l%d", i);
        labels[i] = check_random_below(20) == 0 ? NULL : names[i];
    }
    for (int64_t i = 0; i < t->n; i++) {
        const int64_t label = (int64_t)check_random_below((uint64_t)n_labels);
        const int64_t code = t->known[column][i] ? label : (int64_t)check_random();
        memcpy(codes + (size_t)i * width, &code, width);
        if (t->known[column][i]) {
            stoa_bit_set(bits, (uint64_t)i);
        } else {
            n_null++;
        }
        t->text[d][i] = t->known[column][i] ? labels[label] : NULL;
        t->known[column][i] = t->text[d][i] != NULL;
    }
    batch dictionary = batch_begin(1, n_labels);
    struct ArrowArray moved;
    void *const buffers[] = {bits, codes};
    batch_strings(&dictionary, 0, "", labels);
    stoa_array_move(dictionary.array.children[0], &moved);
    CHECK_OK(stoa_schema_make(schema, name, code_formats[d], NULL));
    CHECK_OK(stoa_schema_dictionary(schema, "u", NULL));
    CHECK_OK(stoa_array_make(array, t->n, n_null, 2, buffers, NULL));
    CHECK_OK(stoa_array_dictionary(array, &moved, NULL));
    batch_end(&dictionary);
}

static void make_table(table *t, int64_t n)
{
    static const char *const words[] = {
        "",           "l1",       "l12",        "l123456789", "l123456780", "abc", "abcdefgh",
        "abcdefghij", "\xc3\xa4", "x\xc3\xa4y", "xaby",       "aab",        "a%b", "l_1"};
    int64_t flags[MAX_ROWS];

    t->n = n;
    t->batch = batch_begin(N_USED, n);
    for (int column = 0; column < N_USED; column++) {
        const uint64_t one_in = check_random_below(3) == 0 ? UINT64_MAX : 1 + check_random_below(9);
        for (int64_t i = 0; i < n; i++) {
            t->known[column][i] = one_in == UINT64_MAX || check_random_below(one_in) != 0;
        }
    }
    for (int column = 0; column < TEXTS; column++) {
        make_numbers(t, column);
    }
    for (int d = 0; d < 3; d++) {
        make_dictionary(t, d, 1 + (int)check_random_below(d == 0 ? 127 : 700));
    }
    for (int64_t i = 0; i < n; i++) {
        t->text[3][i] =
            t->known[TEXTS + 3][i] ? words[check_random_below(sizeof words / sizeof *words)] : NULL;
        flags[i] = t->flag[i] = check_random_below(2) != 0;
    }
    batch_strings(&t->batch, TEXTS + 3, "s", t->text[3]);
    batch_integers(&t->batch, FLAG, "p", "b", flags, t->known[FLAG]);
}

/* Constants ------------------------------------------------------------------------------- */

/* A constant for type k: its text, and the number that the text means. */
static long double random_constant(int k, char *text)
{
    if (is_time(k)) {
        const int64_t day = (int64_t)check_random_below(40) - 20;
        const time_t seconds = (time_t)day * 86400;
        struct tm tm;
        gmtime_r(&seconds, &tm);
        strftime(text, 40, "'%Y-%m-%d'", &tm);
        return k == 11 ? day : day * 86400;
    }
    switch (check_random_below(is_float(k) ? 6 : 12)) {
    case 0:
        strcpy(text, "(1e308 * 10)");
        return (long double)INFINITY;
    case 1:
        strcpy(text, "(1e308 * 10 - 1e308 * 10)");
        return (long double)NAN;
    case 2:
        strcpy(text, "18446744073709551615");
        return (long double)UINT64_MAX;
    case 3:
    case 4:
    case 5: {
        double x = random_float();
        if (!isfinite(x)) {
            x = nextafterf(0.1f, 1);
        }
        x = check_random_below(3) == 0 ? nextafter((double)(float)x, 1e9) : x;
        snprintf(text, 64, "%.17g", x);
        return (long double)x;
    }
    case 6: {
        const double x =
            (double)(check_random_below(2) == 0 ? (int64_t)greatest_of(k) : least_of(k)) + 0.5;
        snprintf(text, 64, "%.17g", x);
        return (long double)x;
    }
    case 7:
        strcpy(text, "-1e30");
        return (long double)-1e30;
    default: {
        const int64_t bits = random_integer(k);
        snprintf(text, 64, k == 7 ? "%llu" : "%lld", (long long)bits);
        return k == 7 ? (long double)(uint64_t)bits : (long double)bits;
    }
    }
}

/* Tests and their verdicts ---------------------------------------------------------------- */

typedef char verdicts_of[MAX_ROWS]; /* '1', '0', '-' */

static const char *const operators[] = {"=", "!=", "<", "<=", ">", ">="};

static bool holds(int op, long double x, long double y)
{
    switch (op) {
    case 0:
        return x == y;
    case 1:
        return x != y;
    case 2:
        return x < y;
    case 3:
        return x <= y;
    case 4:
        return x > y;
    default:
        return x >= y;
    }
}

static bool text_holds(int op, const char *x, const char *y)
{
    return holds(op, strcmp(x, y), 0);
}

static void make_number_test(const table *t, char *where, char *out)
{
    const int k = (int)check_random_below(N_NUMBERS);
    const int op = (int)check_random_below(6);
    const int form = (int)check_random_below(5);
    const long double *x = t->number[2 * k];
    char text[3][64];
    const long double c = random_constant(k, text[0]);
    const long double high = random_constant(k, text[1]);

    if (form == 0) {
        sprintf(where, "a%d between %s and %s", k, text[0], text[1]);
    } else if (form == 1) {
        sprintf(where, "a%d %s b%d", k, operators[op], k);
    } else if (form == 2) {
        sprintf(where, "a%d is null", k);
    } else {
        sprintf(where, "a%d %s %s", k, operators[op], text[0]);
    }
    for (int64_t i = 0; i < t->n; i++) {
        const bool known = t->known[2 * k][i] && (form != 1 || t->known[2 * k + 1][i]);
        const bool yes = form == 0   ? holds(5, x[i], c) && holds(3, x[i], high)
                         : form == 1 ? holds(op, x[i], t->number[2 * k + 1][i])
                                     : holds(op, x[i], c);
        out[i] = form == 2 ? (known ? '0' : '1') : !known ? '-' : yes ? '1' : '0';
    }
}

static void make_list_test(const table *t, char *where, char *out)
{
    static const int lengths[] = {1, 2, 5, 40, 150};
    const int k = (int)check_random_below(N_NUMBERS);
    const int n = lengths[check_random_below(5)];
    const bool has_null = check_random_below(4) == 0;
    long double list[150];
    char text[64];
    int at = sprintf(where, "a%d in (", k);

    for (int i = 0; i < n; i++) {
        list[i] = random_constant(k, text);
        at += sprintf(where + at, "%s%s", i > 0 ? ", " : "", text);
    }
    sprintf(where + at, "%s)", has_null ? ", null" : "");
    for (int64_t r = 0; r < t->n; r++) {
        bool found = false;
        for (int i = 0; i < n; i++) {
            found = found || t->number[2 * k][r] == list[i];
        }
        out[r] = !t->known[2 * k][r] ? '-' : found ? '1' : has_null ? '-' : '0';
    }
}

/* A text has the shape of `like`: a part at its start, its end, inside, or all of it. */
static bool is_like(const char *x, const char *part, int shape)
{
    const size_t n = strlen(x);
    const size_t n_part = strlen(part);

    switch (shape) {
    case 0:
        return strcmp(x, part) == 0;
    case 1:
        return strncmp(x, part, n_part) == 0;
    case 2:
        return n >= n_part && strcmp(x + n - n_part, part) == 0;
    default:
        return strstr(x, part) != NULL;
    }
}

static void make_text_test(const table *t, char *where, char *out)
{
    static const char *const parts[] = {"l1", "l12", "l5",       "l123456789", "\xc3\xa4",
                                        "ab", "",    "abcdefgh", "y",          "l"};
    static const char *const patterns[] = {"'%s'", "'%s%%'", "'%%%s'", "'%%%s%%'"};
    const int d = (int)check_random_below(4);
    const int op = (int)check_random_below(6);
    const int form = (int)check_random_below(4);
    const int shape = (int)check_random_below(4);
    const char *a = parts[check_random_below(10)];
    const char *b = parts[check_random_below(10)];
    const char *name = d == 3 ? "s" : (const char *[]){"d0", "d1", "d2"}[d];
    int at = sprintf(where, "%s ", name);

    if (form == 0) {
        sprintf(where + at, "%s '%s'", operators[op], a);
    } else if (form == 1) {
        at += sprintf(where + at, "like ");
        sprintf(where + at, patterns[shape], a);
    } else if (form == 2) {
        sprintf(where + at, "in ('%s', '%s')", a, b);
    } else {
        sprintf(where + at, "is null");
    }
    for (int64_t i = 0; i < t->n; i++) {
        const char *x = t->text[d][i];
        const bool yes = x != NULL && (form == 0   ? text_holds(op, x, a)
                                       : form == 1 ? is_like(x, a, shape)
                                                   : strcmp(x, a) == 0 || strcmp(x, b) == 0);
        out[i] = form == 3 ? (x == NULL ? '1' : '0') : x == NULL ? '-' : yes ? '1' : '0';
    }
}

static char both(char a, char b)
{
    return a == '0' || b == '0' ? '0' : a == '1' && b == '1' ? '1' : '-';
}

static char opposite(char a)
{
    return a == '-' ? '-' : a == '1' ? '0' : '1';
}

static void make_test(const table *t, int depth, char *where, char *out)
{
    static verdicts_of others[8];
    const uint64_t choice = check_random_below(depth > 0 ? 9 : 6);

    if (choice < 2) {
        make_number_test(t, where, out);
    } else if (choice == 2) {
        make_list_test(t, where, out);
    } else if (choice < 5) {
        make_text_test(t, where, out);
    } else if (choice == 5) {
        strcpy(where, "p");
        for (int64_t i = 0; i < t->n; i++) {
            out[i] = !t->known[FLAG][i] ? '-' : t->flag[i] ? '1' : '0';
        }
    } else {
        const bool is_or = choice == 8;
        const bool negated = check_random_below(3) == 0;
        char *other = others[depth];
        int at = sprintf(where, negated ? "not (" : "(");
        make_test(t, depth - 1, where + at, out);
        at += (int)strlen(where + at);
        at += sprintf(where + at, is_or ? " or " : " and ");
        make_test(t, depth - 1, where + at, other);
        strcat(where, ")");
        for (int64_t i = 0; i < t->n; i++) {
            const char verdict = is_or ? opposite(both(opposite(out[i]), opposite(other[i])))
                                       : both(out[i], other[i]);
            out[i] = negated ? opposite(verdict) : verdict;
        }
    }
}

/* Evaluation ------------------------------------------------------------------------------ */

/* A unit of the table, whose columns are made when they are asked for. */
typedef struct unit {
    const table *table;
    int64_t first;
    struct ArrowArray sliced[N_COLUMNS];
    int n_fetched[N_COLUMNS];
} unit;

static stoa_status fetch(void *context, size_t column, stoa_view *view, stoa_error *err)
{
    unit *u = context;
    const struct ArrowArray *array = u->table->batch.array.children[column];

    u->n_fetched[column]++;
    u->sliced[column] = *array; /* the same buffers, borrowed, from another row on */
    u->sliced[column].offset = u->first;
    u->sliced[column].length = array->length - u->first;
    u->sliced[column].null_count = array->null_count != 0 ? -1 : 0;
    return stoa_view_of(u->table->batch.schema.children[column], &u->sliced[column], view, err);
}

static void check_filter(const table *t, const stoa_scope *scope, const stoa_expr *expr,
                         const char *where, const char *expected)
{
    unit u = {.table = t, .first = (int64_t)check_random_below((uint64_t)t->n)};
    const int64_t n = t->n - u.first;
    stoa_evaluation ev = {0};
    stoa_view views[N_COLUMNS];
    uint8_t bits[MAX_ROWS / 8 + 1];
    int64_t n_selected = -1;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_evaluation_open(&ev, scope, NULL));
    ev.fetch = fetch;
    ev.fetch_context = &u;
    for (int round = 0; round < 2; round++) { /* the second one has the conjuncts in new order */
        memset(u.n_fetched, 0, sizeof u.n_fetched);
        stoa_evaluation_unit(&ev, views);
        for (int64_t at = 0, step; at < n; at += step) {
            step = (int64_t)(1 + check_random_below(300));
            step = step < n - at ? step : n - at;
            stoa_evaluation_move(&ev, views, at, step);
            memset(bits, 0xaa, sizeof bits);
            CHECK_OK(stoa_eval_filter(&ev, expr, bits, &n_selected, &err), &err);
            CHECK_I64(n_selected, (int64_t)stoa_bit_count(bits, 0, (uint64_t)step));
            for (int64_t i = 0; i < step; i++) {
                if (stoa_bit_get(bits, (uint64_t)i) != (expected[u.first + at + i] == '1')) {
                    FAIL(
                        "row %lld of %lld (rows from %lld on), STOA_SIMD=%s\n  %.3000s\nis %d, not "
                        "%c",
                        (long long)(at + i), (long long)n, (long long)u.first, getenv("STOA_SIMD"),
                        where, stoa_bit_get(bits, (uint64_t)i), expected[u.first + at + i]);
                }
            }
        }
        for (int c = 0; c < N_USED; c++) {
            CHECK(u.n_fetched[c] <= 1);
        }
    }
    stoa_evaluation_clear(&ev);
}

static void check_verdicts(const table *t, const stoa_scope *scope, const stoa_expr *expr,
                           const char *where, const char *expected)
{
    stoa_evaluation ev = {0};
    stoa_view views[N_COLUMNS];
    stoa_vector vector;

    for (size_t c = 0; c < N_USED; c++) {
        CHECK_OK(
            stoa_view_of(t->batch.schema.children[c], t->batch.array.children[c], &views[c], NULL));
    }
    CHECK_OK(stoa_evaluation_open(&ev, scope, NULL));
    stoa_evaluation_move(&ev, views, 0, t->n);
    CHECK_OK(stoa_eval(&ev, expr, &vector, NULL));
    CHECK_OK(stoa_vector_spread(&ev.arena, &vector, NULL));
    for (int64_t i = 0; i < t->n; i++) {
        const char found = stoa_vector_is_null(&vector, i)             ? '-'
                           : stoa_bit_get(vector.as.bits, (uint64_t)i) ? '1'
                                                                       : '0';
        if (found != expected[i]) {
            FAIL("row %lld of %lld, STOA_SIMD=%s\n  %.3000s\nis %c, not %c", (long long)i,
                 (long long)t->n, getenv("STOA_SIMD"), where, found, expected[i]);
        }
    }
    stoa_evaluation_clear(&ev);
}

static void stored_values_are_tested_as_plain_arithmetic_says(void)
{
    static const char *const sets[] = {"scalar", "avx2", "avx512"};
    static table t;
    static char where[8 * MAX_TEXT];
    static verdicts_of expected;

    if (LDBL_MANT_DIG < 64) {
        SKIP("no number type here holds every int64 and every double");
    }
    for (uint64_t k = check_n_cases(60); k > 0; k--) {
        make_table(&t, 1 + (int64_t)check_random_below(k % 10 == 0 ? MAX_ROWS : 200));
        for (int p = 0; p < 40; p++) {
            stoa_arena arena = {0};
            stoa_scope scope;
            const stoa_syntax *tree = NULL;
            stoa_expr *expr = NULL;
            stoa_error err = STOA_ERROR_INIT;
            make_test(&t, (int)check_random_below(4), where, expected);
            CHECK_OK(stoa_scope_open(&t.batch.schema, &arena, &scope, NULL));
            CHECK_OK(stoa_parse("where", where, NULL, &arena, &tree, &err), &err);
            CHECK_OK(stoa_bind(&(stoa_binder){&scope, &arena}, tree, &expr, &err), &err);
            for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) { /* or the best there is */
                setenv("STOA_SIMD", sets[s], 1);
                check_filter(&t, &scope, expr, where, expected);
                check_verdicts(&t, &scope, expr, where, expected);
            }
            unsetenv("STOA_SIMD");
            stoa_arena_clear(&arena);
        }
        batch_end(&t.batch);
    }
}

TEST_MAIN(TEST(stored_values_are_tested_as_plain_arithmetic_says))
