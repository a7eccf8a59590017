/* Random rows, random predicates, and their truth by SQL's three values. */
#include "oracle.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every number of the columns and literals is exact in it, on the machines where the big ones
 * occur. Not long double where there is a choice: valgrind computes that with 53 bits. */
#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 number;
#define HAS_BIG true
#else
typedef long double number;
#define HAS_BIG (LDBL_MANT_DIG >= 64)
#endif

/* Rows -------------------------------------------------------------------------------------- */

enum { I, U, F, T, D, S, C, B };

static const char *const words[] = {"", "a", "ab", "abc", "b%", "ba", "\xc3\xa4", "zz"};
#define N_WORDS (sizeof words / sizeof words[0])
static const double floats[] = {NAN, INFINITY, -INFINITY, -0.0, 0.0,
                                0.5, 1,        -2.25,     7,    9007199254740992.0};
#define N_FLOATS (sizeof floats / sizeof floats[0])

static bool chance(unsigned percent)
{
    return check_random_below(100) < percent;
}

void oracle_make_rows(oracle_rows *rows, int64_t n, int order)
{
    const unsigned missing = (unsigned)check_random_below(3) * 15;

    rows->n = n;
    for (int64_t k = 0; k < n; k++) {
        oracle_row *row = &rows->rows[k];
        const int64_t drift = order == 0 ? 0 : k * order / 20;
        for (int c = 0; c < ORACLE_COLUMNS; c++) {
            row->has[c] = !chance(missing);
        }
        row->i = (int64_t)check_random_below(9) - 4 + drift;
        row->u = chance(20) && HAS_BIG ? UINT64_MAX - 3 - check_random_below(3)
                                       : check_random_below(6) + (uint64_t)(drift > 0 ? drift : 0);
        row->f = floats[check_random_below(N_FLOATS - !HAS_BIG)];
        row->t = ((int64_t)check_random_below(9) - 4) * 43200 + drift * 3600;
        row->d = (int64_t)check_random_below(9) - 4 + drift / 8;
        row->s = words[(check_random_below(3) + (uint64_t)(drift > 0 ? drift : 0)) % N_WORDS];
        row->c = words[check_random_below(N_WORDS)];
        row->b = chance(50);
    }
}

batch oracle_batch(const oracle_rows *rows)
{
    const int64_t n = rows->n;
    int64_t i[ORACLE_MAX_ROWS], u[ORACLE_MAX_ROWS], t[ORACLE_MAX_ROWS], d[ORACLE_MAX_ROWS];
    int64_t b[ORACLE_MAX_ROWS];
    double f[ORACLE_MAX_ROWS];
    const char *s[ORACLE_MAX_ROWS], *c[ORACLE_MAX_ROWS];
    bool has[ORACLE_COLUMNS][ORACLE_MAX_ROWS];
    batch out = batch_begin(ORACLE_COLUMNS, n);

    for (int64_t k = 0; k < n; k++) {
        const oracle_row *row = &rows->rows[k];
        for (int column = 0; column < ORACLE_COLUMNS; column++) {
            has[column][k] = row->has[column];
        }
        i[k] = row->i;
        u[k] = (int64_t)row->u;
        f[k] = row->f;
        t[k] = row->t;
        d[k] = row->d;
        s[k] = row->has[S] ? row->s : NULL;
        c[k] = row->has[C] ? row->c : NULL;
        b[k] = row->b;
    }
    batch_integers(&out, I, "i", "s", i, has[I]);
    batch_integers(&out, U, "u", "L", u, has[U]);
    batch_floats(&out, F, "f", "g", f, has[F]);
    batch_integers(&out, T, "t", "tss:", t, has[T]);
    batch_integers(&out, D, "d", "tdD", d, has[D]);
    batch_strings(&out, S, "s", s);
    batch_categories(&out, C, "c", c);
    batch_integers(&out, B, "b", "b", b, has[B]);
    return out;
}

/* Values ------------------------------------------------------------------------------------ */

/* A number (times are numbers of nanoseconds) or a text. */
typedef struct cell {
    bool has;
    const char *text; /* NULL: a number */
    number x;
} cell;

typedef enum term_kind {
    TERM_COLUMN,
    TERM_LITERAL,
    TERM_PLUS,
    TERM_TIMES,
    TERM_ABS,
    TERM_HALF
} term_kind;

typedef struct term {
    term_kind kind;
    int column;
    number by; /* PLUS, TIMES */
    cell literal;
} term;

#define DAY_NS 86400000000000.0L

static cell column_value(int column, const oracle_row *row)
{
    cell v = {.has = row->has[column]};

    switch (column) {
    case I:
        v.x = row->i;
        break;
    case U:
        v.x = row->u;
        break;
    case F:
        v.x = row->f;
        break;
    case T:
        v.x = row->t * 1e9L;
        break;
    case D:
        v.x = row->d * DAY_NS;
        break;
    case S:
        v.text = row->s;
        break;
    case C:
        v.text = row->c;
        break;
    default:
        v.x = row->b;
        break;
    }
    return v;
}

static cell term_value(const term *t, const oracle_row *row)
{
    cell v = t->kind == TERM_LITERAL ? t->literal : column_value(t->column, row);

    switch (t->kind) {
    case TERM_PLUS:
        v.x += t->by;
        break;
    case TERM_TIMES:
        v.x *= t->by;
        break;
    case TERM_ABS:
        v.x = v.x < 0 ? -v.x : v.x;
        break;
    case TERM_HALF:
        v.x /= 2;
        break;
    default:
        break;
    }
    return v;
}

/* Texts ------------------------------------------------------------------------------------- */

static void literal_for(int column, term *t, char *text, size_t size)
{
    static const struct {
        const char *text;
        number value;
    } numbers[] = {{"0", 0},
                   {"1", 1},
                   {"-2", -2},
                   {"3", 3},
                   {"0.5", 0.5L},
                   {"-1.25", -1.25L},
                   {"1e30", 1e30L},
                   {"-1e30", -1e30L},
                   {"12", 12},
                   {"20.0", 20},
                   {"9007199254740993", 9007199254740993.0L},
                   {"18446744073709551611", 18446744073709551611.0L}};
    static const struct {
        const char *text;
        number value; /* hours since 1970 */
    } times[] = {{"'1970-01-01'", 0},        {"'1970-01-02T12:00:00'", 36},
                 {"'1969-12-31'", -24},      {"'1970-01-01T00:00:00.000000001'", 1e-9L / 3600},
                 {"'1970-01-03 00:00'", 48}, {"'1969-12-30T12:00:00-12:00'", -24},
                 {"'2500-01-01'", 4645896}};
    const size_t k = check_random_below(column == T || column == D ? 7 : HAS_BIG ? 12 : 10);

    *t = (term){.kind = TERM_LITERAL, .literal = {.has = true}};
    if (column == S || column == C) {
        const char *word = words[check_random_below(N_WORDS)];
        t->literal.text = word;
        snprintf(text, size, "'%s'", word);
    } else if (column == T || column == D) {
        /* Nanoseconds of so few days are exact; the one beyond is far enough away. */
        t->literal.x = k == 3 ? 1 : times[k].value * 3600e9L;
        snprintf(text, size, "%s", times[k].text);
    } else {
        t->literal.x = numbers[k].value;
        snprintf(text, size, "%s", numbers[k].text);
    }
}

static void operand_for(int column, term *t, char *text, size_t size)
{
    static const char *const names[] = {"i", "u", "f", "t", "d", "s", "c", "b"};
    const char *name = names[column];

    *t = (term){.kind = TERM_COLUMN, .column = column};
    if (column != I || chance(50)) {
        snprintf(text, size, "%s", name);
        return;
    }
    t->by = (number)check_random_below(5);
    switch (check_random_below(4)) {
    case 0:
        t->kind = TERM_PLUS;
        snprintf(text, size, "%s + %d", name, (int)t->by);
        break;
    case 1:
        t->kind = TERM_TIMES;
        snprintf(text, size, "%d * %s", (int)t->by, name);
        break;
    case 2:
        t->kind = TERM_ABS;
        snprintf(text, size, "abs(%s)", name);
        break;
    default:
        t->kind = TERM_HALF;
        snprintf(text, size, "%s / 2", name);
        break;
    }
}

/* Predicates -------------------------------------------------------------------------------- */

typedef enum node_kind { AND, OR, NOT, COMPARE, IN, BETWEEN, IS_NULL, LIKE, BOOLEAN } node_kind;

enum { MAX_TERMS = 5 };

struct oracle_node {
    node_kind kind;
    int op; /* of a comparison: 0 = 1 != 2 < 3 <= 4 > 5 >= */
    int n_terms;
    term terms[MAX_TERMS];
    bool null_in_list;
    const char *pattern;
    oracle_node *children[2];
};

static const char *const operators[] = {"=", "!=", "<", "<=", ">", ">="};

static void make_compare(oracle_node *node, int column, char *text, size_t size)
{
    char a[64];
    char b[64];

    node->op = (int)check_random_below(6);
    operand_for(column, &node->terms[0], a, sizeof a);
    if (chance(15) && column <= F) {
        operand_for((int)check_random_below(3), &node->terms[1], b, sizeof b);
    } else if (chance(15) && (column == S || column == C || column == T || column == D)) {
        operand_for(column == S || column == C ? (chance(50) ? S : C) : (chance(50) ? T : D),
                    &node->terms[1], b, sizeof b);
    } else {
        literal_for(column, &node->terms[1], b, sizeof b);
    }
    if (chance(15)) {
        const term swap = node->terms[0];
        node->terms[0] = node->terms[1];
        node->terms[1] = swap;
        snprintf(text, size, "%s %s %s", b, operators[node->op], a);
    } else {
        snprintf(text, size, "%s %s %s", a, operators[node->op], b);
    }
}

static void make_in(oracle_node *node, int column, char *text, size_t size)
{
    char part[64];

    operand_for(column, &node->terms[0], part, sizeof part);
    node->n_terms = 2 + (int)check_random_below(MAX_TERMS - 1);
    int n = snprintf(text, size, "%s in (", part);
    for (int k = 1; k < node->n_terms; k++) {
        literal_for(column, &node->terms[k], part, sizeof part);
        n += snprintf(text + n, size - (size_t)n, "%s%s", k > 1 ? ", " : "", part);
    }
    node->null_in_list = chance(20);
    snprintf(text + n, size - (size_t)n, "%s)", node->null_in_list ? ", null" : "");
}

static void make_leaf(oracle_node *node, char *text, size_t size)
{
    static const char *const patterns[] = {"a%", "%b", "_", "a_%", "%", "ab", "b%", "zz%"};
    static const node_kind kinds[] = {COMPARE, COMPARE, COMPARE, IN,
                                      BETWEEN, IS_NULL, LIKE,    BOOLEAN};
    const int column = (int)check_random_below(ORACLE_COLUMNS);
    char parts[3][64];

    node->kind = kinds[check_random_below(8)];
    if (column == B && node->kind != IS_NULL) {
        node->kind = BOOLEAN;
    }
    switch (node->kind) {
    case COMPARE:
        make_compare(node, column, text, size);
        break;
    case IN:
        make_in(node, column, text, size);
        break;
    case BETWEEN:
        operand_for(column, &node->terms[0], parts[0], sizeof parts[0]);
        literal_for(column, &node->terms[1], parts[1], sizeof parts[1]);
        literal_for(column, &node->terms[2], parts[2], sizeof parts[2]);
        snprintf(text, size, "%s between %s and %s", parts[0], parts[1], parts[2]);
        break;
    case IS_NULL:
        operand_for(column, &node->terms[0], parts[0], sizeof parts[0]);
        snprintf(text, size, "%s is missing", parts[0]);
        break;
    case LIKE:
        node->pattern = patterns[check_random_below(8)];
        operand_for(chance(50) ? S : C, &node->terms[0], parts[0], sizeof parts[0]);
        snprintf(text, size, "%s like '%s'", parts[0], node->pattern);
        break;
    default: {
        static const char *const texts[] = {"b", "b = 1", "b != false", "b in (1)"};
        node->terms[0] = (term){.kind = TERM_COLUMN, .column = B};
        snprintf(text, size, "%s", texts[check_random_below(4)]);
    }
    }
}

oracle_node *oracle_make(int depth, char *text, size_t size)
{
    oracle_node *node = calloc(1, sizeof *node);
    char parts[2][4096];

    CHECK(node != NULL);
    if (depth == 0 || chance(20)) {
        make_leaf(node, text, size);
        return node;
    }
    const uint64_t roll = check_random_below(5);
    node->kind = roll < 2 ? AND : roll < 4 ? OR : NOT;
    node->children[0] = oracle_make(depth - 1, parts[0], sizeof parts[0]);
    if (node->kind == NOT) {
        snprintf(text, size, "not (%.4000s)", parts[0]);
    } else {
        node->children[1] = oracle_make(depth - 1, parts[1], sizeof parts[1]);
        snprintf(text, size, "(%.4000s) %s (%.4000s)", parts[0], node->kind == AND ? "and" : "or",
                 parts[1]);
    }
    return node;
}

void oracle_free(oracle_node *node)
{
    if (node != NULL) {
        oracle_free(node->children[0]);
        oracle_free(node->children[1]);
        free(node);
    }
}

/* Judging ----------------------------------------------------------------------------------- */

static char truth(bool value)
{
    return value ? '1' : '0';
}

static char compare(int op, cell a, cell b)
{
    if (!a.has || !b.has) {
        return '-';
    }
    if (a.text != NULL) {
        const int order = strcmp(a.text, b.text); /* bytes, as unsigned ones: no locale is set */
        a.x = order;
        b.x = 0;
    }
    switch (op) {
    case 0:
        return truth(a.x == b.x);
    case 1:
        return truth(a.x != b.x);
    case 2:
        return truth(a.x < b.x);
    case 3:
        return truth(a.x <= b.x);
    case 4:
        return truth(a.x > b.x);
    default:
        return truth(a.x >= b.x);
    }
}

static char both(char a, char b)
{
    return a == '0' || b == '0' ? '0' : a == '-' || b == '-' ? '-' : '1';
}

static char negated(char a)
{
    return a == '-' ? '-' : truth(a == '0');
}

static char either(char a, char b)
{
    return negated(both(negated(a), negated(b)));
}

static bool matches(const char *text, const char *pattern)
{
    if (*pattern == '\0') {
        return *text == '\0';
    }
    if (*pattern == '%') {
        return matches(text, pattern + 1) || (*text != '\0' && matches(text + 1, pattern));
    }
    if (*text == '\0') {
        return false;
    }
    if (*pattern == '_') {
        text++;
        while (((unsigned char)*text & 0xc0) == 0x80) {
            text++;
        }
        return matches(text, pattern + 1);
    }
    return *text == *pattern && matches(text + 1, pattern + 1);
}

char oracle_judge(const oracle_node *node, const oracle_row *row)
{
    const cell x = node->kind > NOT ? term_value(&node->terms[0], row) : (cell){0};
    char verdict = node->null_in_list ? '-' : '0';

    switch (node->kind) {
    case AND:
        return both(oracle_judge(node->children[0], row), oracle_judge(node->children[1], row));
    case OR:
        return either(oracle_judge(node->children[0], row), oracle_judge(node->children[1], row));
    case NOT:
        return negated(oracle_judge(node->children[0], row));
    case COMPARE:
        return compare(node->op, x, term_value(&node->terms[1], row));
    case IN:
        for (int k = 1; k < node->n_terms; k++) {
            verdict = either(verdict, compare(0, x, term_value(&node->terms[k], row)));
        }
        return verdict;
    case BETWEEN:
        return both(compare(5, x, term_value(&node->terms[1], row)),
                    compare(3, x, term_value(&node->terms[2], row)));
    case IS_NULL:
        return truth(!x.has);
    case LIKE:
        return x.has ? truth(matches(x.text, node->pattern)) : '-';
    default:
        return x.has ? truth(x.x != 0) : '-';
    }
}
