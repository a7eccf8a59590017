/*
 * A bound value is its literal: the same rows by the same plan, whatever indexes there are. Random
 * predicates have their literals lifted out of the text; random values of every type, extremes
 * among them, are held against how they are written.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "index/common/kind.h"
#include "query/oracle.h"
#include "query/parse/lex.h"
#include "query/tables.h"
#include "support/parameters.h"

enum { MAX_VALUES = 512, TEXT_SIZE = 1 << 15 };

/* A text with its values. */
typedef struct bound {
    char text[TEXT_SIZE];
    stoa_parameter values[MAX_VALUES];
    size_t n;
} bound;

/* The plan without the line that shows the filter's text. */
static void take_plan(const char *plan, char *out)
{
    const char *const line = strstr(plan, "filter  ");
    const char *const end = line != NULL ? strchr(line, '\n') : NULL;

    CHECK(end != NULL);
    sprintf(out, "%.*s%s", (int)(line - plan), plan, end + 1);
}

/* Whether an index was asked. */
static bool check_same(home *h, const char *where, const bound *b)
{
    static char rows[1 << 18];
    static char plan[1 << 14];
    static char bound_plan[1 << 14];
    const stoa_query_options literal = {
        .size = sizeof literal, .where = where, .row_numbers = true, .use_indexes = true};
    stoa_query_options given = literal;

    given.where = b->text;
    given.parameters = b->values;
    given.n_parameters = b->n;
    strcpy(rows, ask(h, &literal, -1));
    const char *const found = ask(h, &given, -1);
    if (strcmp(found, rows) != 0) {
        FAIL("where\n  %s\n  %s\nfound    %.2000s\nexpected %.2000s", where, b->text, found, rows);
    }
    take_plan(explain(h, &literal, -1), plan);
    take_plan(explain(h, &given, -1), bound_plan);
    CHECK_STR(bound_plan, plan);
    return strstr(plan, "\nindex  ") != NULL;
}

static void add_every_index(home *h, const char *const *columns, size_t n)
{
    for (size_t k = 0; stoa_index_kind_at(k) != NULL; k++) {
        for (size_t c = 0; c < n; c++) {
            const char *const kind = stoa_index_kind_at(k)->name;
            stoa_error err = STOA_ERROR_INIT;
            const stoa_status status = stoa_index_add(h->table, columns[c], kind, NULL, &err);

            if (status != STOA_ETYPE && status != STOA_ERANGE) {
                CHECK_OK(status, &err);
            }
        }
    }
}

/* Predicates -------------------------------------------------------------------------------- */

/* The value of a literal; false if the token is none. */
static bool value_of(const stoa_token *token, stoa_token_kind before, stoa_parameter *value)
{
    const bool is_tested = before == STOA_TOKEN_IS || before == STOA_TOKEN_NOT; /* is not null */
    int64_t i64;
    uint64_t u64;
    double f64;

    if (token->kind == STOA_TOKEN_NUMBER && stoa_parse_i64(token->text, token->length, &i64)) {
        *value = (stoa_parameter)INT_VALUE(i64);
    } else if (token->kind == STOA_TOKEN_NUMBER &&
               stoa_parse_u64(token->text, token->length, &u64)) {
        *value = (stoa_parameter)UINT_VALUE(u64);
    } else if (token->kind == STOA_TOKEN_NUMBER) {
        CHECK(stoa_parse_f64(token->text, token->length, &f64));
        *value = (stoa_parameter)FLOAT_VALUE(f64);
    } else if (token->kind == STOA_TOKEN_TEXT) {
        *value = (stoa_parameter){
            .kind = STOA_VALUE_TEXT, .length = token->length, .as.text = token->text};
    } else if (token->kind == STOA_TOKEN_TRUE || token->kind == STOA_TOKEN_FALSE) {
        *value = (stoa_parameter)BOOL_VALUE(token->kind == STOA_TOKEN_TRUE);
    } else if (token->kind == STOA_TOKEN_NULL && !is_tested) {
        *value = (stoa_parameter)NO_VALUE;
    } else {
        return false;
    }
    return true;
}

/* Some of the literals become parameters, by number or by the mark alone. */
static void lift_literals(const char *where, stoa_arena *arena, bound *b)
{
    stoa_lexer lexer;
    stoa_token token = {.kind = STOA_TOKEN_END};
    size_t at = 0;

    b->n = 0;
    CHECK_OK(stoa_lex_open(&lexer, "where", where, arena, NULL));
    for (;;) {
        const stoa_token_kind before = token.kind;

        CHECK_OK(stoa_lex_next(&lexer, &token, NULL));
        if (token.kind == STOA_TOKEN_END) {
            break;
        }
        CHECK(b->n < MAX_VALUES && at + (token.end - token.start) + 16 < TEXT_SIZE);
        if (check_random_below(4) > 0 && value_of(&token, before, &b->values[b->n])) {
            b->n++;
            at += (size_t)(check_random_below(2) == 0 ? sprintf(b->text + at, "? ")
                                                      : sprintf(b->text + at, "?%zu ", b->n));
        } else {
            at += (size_t)sprintf(b->text + at, "%.*s ", (int)(token.end - token.start),
                                  where + token.start);
        }
    }
}

static void literals_may_be_lifted_out_of_any_predicate(void)
{
    static const char *const columns[ORACLE_COLUMNS] = {"i", "u", "f", "t", "d", "s", "c", "b"};
    static oracle_rows rows;
    static bound b;
    static char where[8192];
    const uint64_t n_cases = check_n_cases(8);
    uint64_t n_asked = 0;

    for (uint64_t k = n_cases; k > 0; k--) {
        oracle_make_rows(&rows, (int64_t)check_random_below(ORACLE_MAX_ROWS) + 1,
                         (int)check_random_below(3));
        batch table = oracle_batch(&rows);
        home h = home_of(&table, 1 + check_random_below(24), NULL, 0);

        if (k % 3 != 0) {
            add_every_index(&h, columns, ORACLE_COLUMNS);
        }
        for (int i = 0; i < 20; i++) {
            stoa_arena arena = {0};

            oracle_free(oracle_make((int)check_random_below(3), where, sizeof where));
            lift_literals(where, &arena, &b);
            n_asked += check_same(&h, where, &b);
            stoa_arena_clear(&arena);
        }
        home_leave(&h);
    }
    CHECK(n_asked > 2 * n_cases);
}

/* Values ------------------------------------------------------------------------------------ */

enum { N_ROWS = 200, N_COLUMNS = 6, MAX_TEXT = 8 };

static const char *const value_columns[N_COLUMNS] = {"i", "u", "f", "s", "t", "d"};

/* Rows, and values to ask for: those of the rows, and others near to the ends of their types. */
typedef struct pool_of_values {
    int64_t i[N_ROWS];
    uint64_t u[N_ROWS];
    double f[N_ROWS];
    char text[N_ROWS][4 * MAX_TEXT + 1];
    const char *s[N_ROWS];
    int64_t t[N_ROWS];
    int64_t d[N_ROWS];
} pool_of_values;

static uint64_t random_bits(void)
{
    static const uint64_t ends[] = {0,         1,          UINT64_MAX,          INT64_MAX,
                                    INT32_MAX, UINT32_MAX, (uint64_t)INT64_MIN, 1ull << 53};

    switch (check_random_below(4)) {
    case 0:
        return ends[check_random_below(sizeof ends / sizeof ends[0])];
    case 1:
        return ends[check_random_below(sizeof ends / sizeof ends[0])] + check_random_below(3) - 1;
    case 2:
        return check_random();
    default:
        return check_random_below(100);
    }
}

static double random_double(void)
{
    static const double odd[] = {NAN, INFINITY, -INFINITY, -0.0, 0.1, 5e-324, 1.7e308, 0x1p53};
    double value;
    const uint64_t bits = check_random();

    switch (check_random_below(3)) {
    case 0:
        return odd[check_random_below(sizeof odd / sizeof odd[0])];
    case 1:
        return (double)(int64_t)check_random_below(200) / 4 - 25;
    default:
        memcpy(&value, &bits, sizeof value);
        return isnan(value) ? NAN : value;
    }
}

/* Quotes, wildcards, and characters of one to four bytes. */
static void random_text(char *out)
{
    static const char *const parts[] = {"'",
                                        "''",
                                        "\"",
                                        "%",
                                        "_",
                                        "\\",
                                        "?",
                                        ":a",
                                        "a",
                                        "b",
                                        "\xc3\xa4",
                                        "\xe2\x82\xac",
                                        "\xf0\x9f\x98\x80"};

    *out = '\0';
    for (uint64_t n = check_random_below(MAX_TEXT); n > 0; n--) {
        strcat(out, parts[check_random_below(sizeof parts / sizeof parts[0])]);
    }
}

/* Within the years that literals of times write. */
static int64_t random_ticks(void)
{
    return (int64_t)check_random_below(200000000) - 100000000;
}

static home make_values(pool_of_values *p)
{
    batch b = batch_begin(N_COLUMNS, N_ROWS);
    int64_t i64[N_ROWS];

    for (int i = 0; i < N_ROWS; i++) {
        p->i[i] = (int64_t)random_bits();
        p->u[i] = random_bits();
        p->f[i] = random_double();
        random_text(p->text[i]);
        p->s[i] = p->text[i];
        p->t[i] = random_ticks();
        p->d[i] = random_ticks();
        memcpy(&i64[i], &p->u[i], sizeof i64[i]);
    }
    batch_integers(&b, 0, "i", "l", p->i, NULL);
    batch_integers(&b, 1, "u", "L", i64, NULL);
    batch_floats(&b, 2, "f", "g", p->f, NULL);
    batch_strings(&b, 3, "s", p->s);
    batch_integers(&b, 4, "t", "tsm:UTC", p->t, NULL);
    batch_integers(&b, 5, "d", "tDm", p->d, NULL);
    return home_of(&b, 16, NULL, 0);
}

static void write_double(double value, char *out)
{
    if (isnan(value)) {
        strcpy(out, "(0.0 / 0.0)");
    } else if (isinf(value)) {
        sprintf(out, "(%s1.0 / 0.0)", value < 0 ? "-" : "");
    } else {
        (void)stoa_format_f64(value, out);
    }
}

static void write_text(const char *text, char *out)
{
    *out++ = '\'';
    for (; *text != '\0'; text++) {
        *out++ = *text;
        if (*text == '\'') {
            *out++ = '\'';
        }
    }
    strcpy(out, "'");
}

/* A value for a column, and how it is written. */
static stoa_parameter make_value(const pool_of_values *p, size_t column, char *text, char *literal)
{
    static const stoa_time_unit units[] = {STOA_TIME_SECOND, STOA_TIME_MILLI, STOA_TIME_MICRO};
    const size_t row = (size_t)check_random_below(N_ROWS);
    const bool is_there = check_random_below(2) == 0;
    const stoa_time_unit unit = units[check_random_below(3)];
    char ticks[STOA_NUMBER_SIZE];
    int64_t count;
    double value;

    switch (column) {
    case 0:
    case 1:
        if (check_random_below(3) == 0) {
            const uint64_t u64 = is_there ? p->u[row] : random_bits();
            sprintf(literal, "%llu", (unsigned long long)u64);
            return (stoa_parameter)UINT_VALUE(u64);
        }
        count = is_there ? p->i[row] : (int64_t)random_bits();
        sprintf(literal, "%lld", (long long)count);
        return (stoa_parameter)INT_VALUE(count);
    case 2:
        value = is_there ? p->f[row] : random_double();
        write_double(value, literal);
        return (stoa_parameter)FLOAT_VALUE(value);
    case 3:
        is_there ? (void)strcpy(text, p->s[row]) : random_text(text);
        write_text(text, literal);
        return (stoa_parameter)TEXT_VALUE(text);
    case 4:
        count = is_there ? p->t[row] : random_ticks();
        (void)stoa_format_time(count, unit, true, ticks);
        sprintf(literal, "'%s'", ticks);
        return (stoa_parameter)TIME_VALUE(count, unit);
    default:
        count = is_there ? p->d[row] : random_ticks();
        (void)stoa_format_duration(count, unit, ticks);
        sprintf(literal, "'%s'", ticks);
        return (stoa_parameter)DURATION_VALUE(count, unit);
    }
}

static void make_question(const pool_of_values *p, char *where, bound *b)
{
    static const char *const forms[] = {
        "%s = %s", "%s != %s", "%s < %s", "%s <= %s", "%s > %s", "%s >= %s",
    };
    static char texts[2][4 * MAX_TEXT + 1];
    static char literals[2][64 + 8 * MAX_TEXT];
    const size_t column = (size_t)check_random_below(N_COLUMNS);
    const char *const name = value_columns[column];

    for (int i = 0; i < 2; i++) {
        b->values[i] = make_value(p, column, texts[i], literals[i]);
    }
    const uint64_t form = check_random_below(8);
    if (form < 6) {
        sprintf(where, forms[form], name, literals[0]);
        sprintf(b->text, forms[form], name, "?");
        b->n = 1;
    } else {
        sprintf(where, form == 6 ? "%s in (%s, %s)" : "%s between %s and %s", name, literals[0],
                literals[1]);
        sprintf(b->text, form == 6 ? "%s in (?, ?)" : "%s between ?1 and ?2", name);
        b->n = 2;
    }
}

static void every_value_is_what_its_literal_is(void)
{
    static pool_of_values p;
    static bound b;
    static char where[1024];
    int n_asked = 0;

    for (uint64_t k = check_n_cases(5); k > 0; k--) {
        home h = make_values(&p);

        if (k % 3 != 0) {
            add_every_index(&h, value_columns, N_COLUMNS);
        }
        for (int i = 0; i < 100; i++) {
            make_question(&p, where, &b);
            n_asked += check_same(&h, where, &b);
        }
        home_leave(&h);
    }
    CHECK(n_asked > 20);
}

TEST_MAIN(TEST(literals_may_be_lifted_out_of_any_predicate),
          TEST(every_value_is_what_its_literal_is))
