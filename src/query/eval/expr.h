/*
 * Bound expressions: columns resolved, types checked, constants folded.
 *
 * Values are computed in few domains, so that each operation is one loop over one type: signed
 * integers as int64, uint64 as itself, floats as double. Comparisons across domains are exact
 * (notes E4): binding moves a literal into its column's domain.
 */
#ifndef STOA_QUERY_EXPR_H
#define STOA_QUERY_EXPR_H

#include <stoa/table.h>

#include "arrow/read.h"
#include "column/read/learned_dictionary.h"
#include "query/parse/parse.h"

typedef enum stoa_value_domain {
    STOA_DOMAIN_NULL, /* the literal null */
    STOA_DOMAIN_BOOL,
    STOA_DOMAIN_I64, /* int8 .. int64, uint8 .. uint32 */
    STOA_DOMAIN_U64,
    STOA_DOMAIN_F64, /* float16 .. float64 (widened, notes E3) */
    STOA_DOMAIN_TEXT,
    STOA_DOMAIN_BYTES,
    STOA_DOMAIN_TIME,     /* int64 ticks since 1970 */
    STOA_DOMAIN_DURATION, /* int64 ticks */
    STOA_DOMAIN_OTHER     /* lists and structs: can be output and tested for null */
} stoa_value_domain;

typedef struct stoa_value_type {
    stoa_value_domain domain;
    stoa_time_unit unit; /* TIME, DURATION */
    bool utc;            /* TIME */
} stoa_value_type;

static inline bool stoa_domain_is_ticks(stoa_value_domain domain)
{
    return domain == STOA_DOMAIN_TIME || domain == STOA_DOMAIN_DURATION;
}

/* Values are stoa_bytes. */
static inline bool stoa_domain_is_bytes(stoa_value_domain domain)
{
    return domain == STOA_DOMAIN_TEXT || domain == STOA_DOMAIN_BYTES;
}

static inline bool stoa_domain_is_number(stoa_value_domain domain)
{
    return domain == STOA_DOMAIN_I64 || domain == STOA_DOMAIN_U64 || domain == STOA_DOMAIN_F64;
}

/* Vectors ----------------------------------------------------------------------------------- */

typedef struct stoa_bytes {
    const char *data;
    size_t length;
} stoa_bytes;

/* n values of one type. An arena or an Arrow array owns the memory. */
typedef struct stoa_vector {
    stoa_value_type type;
    int64_t n;
    bool constant;           /* one value that stands for all n */
    const uint8_t *validity; /* n bits from the first value on; NULL: nothing is missing */
    union {
        const uint8_t *bits;     /* BOOL */
        const int64_t *i64;      /* I64, TIME, DURATION */
        const uint64_t *u64;     /* U64 */
        const double *f64;       /* F64 */
        const stoa_bytes *bytes; /* TEXT, BYTES */
    } as;
} stoa_vector;

static inline bool stoa_vector_is_null(const stoa_vector *vector, int64_t i)
{
    return vector->type.domain == STOA_DOMAIN_NULL ||
           (vector->validity != NULL &&
            !stoa_bit_get(vector->validity, vector->constant ? 0 : (uint64_t)i));
}

/* Trees ------------------------------------------------------------------------------------- */

typedef enum stoa_op {
    STOA_OP_CONSTANT, /* value */
    STOA_OP_COLUMN,   /* column */
    STOA_OP_AND,
    STOA_OP_OR,
    STOA_OP_NOT,
    STOA_OP_IS_NULL,
    STOA_OP_COMPARE, /* compare; operands of two domains that compare.c supports */
    STOA_OP_ALWAYS,  /* true where the operand is not missing, else missing */
    STOA_OP_NEVER,   /* false where the operand is not missing, else missing */
    STOA_OP_IN,      /* value: sorted constants of the operand's domain; has_null, memo */
    STOA_OP_LIKE,    /* value: the pattern; escape */
    STOA_OP_NEGATE,
    STOA_OP_ADD,
    STOA_OP_SUBTRACT,
    STOA_OP_MULTIPLY,
    STOA_OP_DIVIDE,
    STOA_OP_REMAINDER,
    STOA_OP_CAST,     /* between BOOL, I64, U64 and F64; of ticks to a finer unit */
    STOA_OP_FUNCTION, /* function */
    STOA_OP_CASE,     /* condition, value, condition, value, ..., and the value else */
    STOA_OP_COALESCE, /* the first operand that is not missing */
    STOA_OP_LET,      /* operands x and body: OPERAND in the body is x, evaluated once */
    STOA_OP_OPERAND,
    STOA_OP_LIST, /* operands: lists (a COLUMN, an ITEM_AT or a SLICE) and, except for LENGTH, a
                     body evaluated on the items; list; memo: number of EACH nodes in the body */
    STOA_OP_ITEM, /* in the body of a LIST: the items */
    STOA_OP_EACH, /* in the body of a LIST: the operand's value in each item's row; memo: its number
                     in the body */
    STOA_OP_ITEM_AT,   /* operands: lists, position; from_one; a domain of OTHER means a list */
    STOA_OP_SLICE,     /* operands: lists, first and last position, from 1; the value is a list */
    STOA_OP_DICTIONARY /* its operand reads one dictionary column alone: evaluated once per label
                          and for missing, then looked up by code; column, memo */
} stoa_op;

typedef enum stoa_compare { STOA_EQ, STOA_NE, STOA_LT, STOA_LE, STOA_GT, STOA_GE } stoa_compare;

/* What a LIST computes from a list's items. */
typedef enum stoa_list_op {
    STOA_LIST_LENGTH,
    STOA_LIST_COUNT,
    STOA_LIST_SUM,
    STOA_LIST_MEAN,
    STOA_LIST_MIN,
    STOA_LIST_MAX,
    STOA_LIST_ANY,
    STOA_LIST_ALL,
    STOA_LIST_ITEM, /* these two make an ITEM_AT and a SLICE, and no LIST */
    STOA_LIST_SLICE
} stoa_list_op;

typedef struct stoa_function stoa_function;

typedef struct stoa_expr stoa_expr;
struct stoa_expr {
    stoa_op op;
    stoa_value_type type;
    const stoa_syntax *syntax; /* its source text, for messages */
    size_t n_args;
    stoa_expr **args;
    size_t column;
    size_t memo;
    stoa_compare compare;
    stoa_list_op list;
    bool has_null;         /* IN: the list holds a null */
    bool from_one;         /* ITEM_AT: positions count from 1, else from 0 */
    const uint64_t *slots; /* IN: a hash table of the list (compare.c), of 2^(64 - shift) slots */
    unsigned shift;
    int escape; /* LIKE: a byte, or -1 */
    const stoa_function *function;
    stoa_kind kind; /* the type that a cast names; else STOA_KIND_NULL */
    stoa_vector value;
};

/* Binding ----------------------------------------------------------------------------------- */

/* A column that an expression can name. */
typedef struct stoa_scope_column {
    const char *name;
    stoa_type type;
    stoa_value_type value;
    stoa_type plain;    /* of its values: that of the labels if is_labelled */
    bool is_dictionary; /* of texts */
    bool is_labelled;   /* a dictionary of numbers, times or booleans */
    bool is_known;      /* all fields are filled in; otherwise only the name */
    const struct ArrowSchema *schema;
    const stoa_learned_dictionary
        *learned_dictionary; /* learned dictionary, if read as codes; or NULL */
} stoa_scope_column;

/* Whether a column's rows are codes of labels. */
static inline bool stoa_scope_column_is_coded(const stoa_scope_column *column)
{
    return column->is_dictionary || column->is_labelled;
}

/* The body of a LIST that is being bound. In it, the name of the lists means their items. */
typedef struct stoa_list_body {
    const stoa_expr *lists;
    stoa_value_type item;
    size_t n_each;
} stoa_list_body;

/* A name that `as` gives to an expression. */
typedef struct stoa_alias {
    const char *name;
    const struct stoa_syntax *syntax; /* NULL: it is computed from groups */
} stoa_alias;

typedef struct stoa_scope {
    size_t n_columns;
    stoa_scope_column *columns;
    stoa_table *table;           /* its columns are resolved when named; NULL: all are known */
    struct ArrowSchema **fields; /* where the schemas go */
    size_t n_memos;              /* DICTIONARY and IN nodes bound so far */
    stoa_list_body *body;        /* NULL: none is being bound */
    bool is_of_groups;           /* the columns are those of groups */
    const stoa_alias *aliases;   /* names that are no columns */
    size_t n_aliases;

    struct stoa_parameters *parameters; /* of the texts; NULL: none */
} stoa_scope;

/* The type that values of a column compute as. `labels`: the values are labels of a dictionary. */
stoa_value_type stoa_value_type_of(const stoa_type *type, bool labels);
/* A scope over a struct schema, which must outlive it. */
stoa_status stoa_scope_open(const struct ArrowSchema *table, stoa_arena *arena, stoa_scope *scope,
                            stoa_error *err);
/* A scope over the columns of a table, which must outlive it. `schema` receives the columns that
 * are resolved; the caller releases it. */
stoa_status stoa_scope_of_table(stoa_table *table, struct ArrowSchema *schema, stoa_arena *arena,
                                stoa_scope *scope, stoa_error *err);
/* Resolve a column; required before an expression uses it. */
stoa_status stoa_scope_know(stoa_scope *scope, size_t column, stoa_error *err);
/* SIZE_MAX if there is no such column. */
size_t stoa_scope_find(const stoa_scope *scope, const char *name, size_t length);
/* A column with a similar name, or NULL. */
const char *stoa_scope_nearest(const stoa_scope *scope, const char *name);
/* The scope as stoa_names, for parsing. */
stoa_names stoa_scope_names(const stoa_scope *scope);

/* What binding needs at every node. */
typedef struct stoa_binder {
    stoa_scope *scope;
    stoa_arena *arena; /* of the bound tree */
} stoa_binder;

/*
 * Bind a syntax tree. Error messages point at the place in the text.
 *
 * @return STOA_ENOTFOUND for an unknown column, STOA_ETYPE, STOA_ERANGE if folding overflows
 */
stoa_status stoa_bind(const stoa_binder *binder, const stoa_syntax *syntax, stoa_expr **out,
                      stoa_error *err);
/* Like stoa_bind(), for a condition: the result must be a boolean. */
stoa_status stoa_bind_predicate(const stoa_binder *binder, const stoa_syntax *syntax,
                                stoa_expr **out, stoa_error *err);
/* What is read of a column. */
typedef enum stoa_use {
    STOA_USE_NONE,
    STOA_USE_PLACES, /* of lists: where they lie, and which are missing; of others all */
    STOA_USE_VALUES
} stoa_use;

/* Mark every column that the expression reads, unless more of it is marked. */
void stoa_expr_columns(const stoa_expr *expr, stoa_use *uses);
/* Mark a column, or an expression's columns, of which the value is only tested for being missing.
 */
void stoa_expr_presence(const stoa_expr *expr, stoa_use *uses);
/* Whether evaluation may fail for some row, as arithmetic does on overflow. Every function and
 * LIST counts as one that may fail. */
bool stoa_expr_may_fail(const stoa_expr *expr);

/* Shared among the binder's files. */
stoa_status stoa_expr_make(const stoa_binder *binder, stoa_op op, stoa_value_domain domain,
                           const stoa_syntax *syntax, size_t n_args, stoa_expr *const *args,
                           stoa_expr **out, stoa_error *err);
/* A constant that holds a copy of one value. */
stoa_status stoa_expr_constant(const stoa_binder *binder, const stoa_syntax *syntax,
                               stoa_value_domain domain, const void *value, stoa_expr **out,
                               stoa_error *err);
/* Replace an operation on constants by its value. */
stoa_status stoa_expr_fold(const stoa_binder *binder, stoa_expr **expr, stoa_error *err);
stoa_status stoa_expr_cast(const stoa_binder *binder, stoa_value_domain domain, stoa_expr **expr,
                           stoa_error *err);
stoa_status stoa_expr_null(const stoa_binder *binder, const stoa_syntax *syntax, stoa_expr **out,
                           stoa_error *err);
stoa_status stoa_bind_compare(const stoa_binder *binder, const stoa_syntax *syntax,
                              stoa_compare compare, stoa_expr *left, stoa_expr *right,
                              stoa_expr **out, stoa_error *err);
stoa_status stoa_bind_between(const stoa_binder *binder, const stoa_syntax *syntax,
                              stoa_expr *const args[3], stoa_expr **out, stoa_error *err);
stoa_status stoa_bind_in(const stoa_binder *binder, const stoa_syntax *syntax, size_t n_args,
                         stoa_expr *const *args, stoa_expr **out, stoa_error *err);
stoa_status stoa_bind_like(const stoa_binder *binder, const stoa_syntax *syntax, size_t n_args,
                           stoa_expr *const *args, stoa_expr **out, stoa_error *err);
/* Give operands one type: numbers that of arithmetic, times and durations the finest unit. A text
 * in quotes becomes a time among times. Operands that are the literal null are left. */
stoa_status stoa_bind_common(const stoa_binder *binder, size_t n, stoa_expr **args,
                             stoa_value_type *type, stoa_error *err);
/* Convert to a type of the same domain, or to a number's of another. */
stoa_status stoa_expr_convert(const stoa_binder *binder, const stoa_value_type *type,
                              stoa_expr **expr, stoa_error *err);
/* Replace a text in quotes by the time or duration that it is, in the coarsest unit that holds it.
 */
stoa_status stoa_expr_of_text(const stoa_binder *binder, stoa_value_domain domain, stoa_expr **expr,
                              stoa_error *err);
stoa_status stoa_bind_call(const stoa_binder *binder, const stoa_syntax *syntax, size_t n_args,
                           stoa_expr **args, stoa_expr **out, stoa_error *err);
stoa_status stoa_bind_cast(const stoa_binder *binder, const stoa_syntax *syntax, stoa_expr *arg,
                           stoa_expr **out, stoa_error *err);
/* Binds any expression, without stoa_bind()'s treatment of dictionaries. bind.c passes it to the
 * binder of lists, which binds bodies with it. */
typedef stoa_status stoa_bind_any(const stoa_binder *binder, const stoa_syntax *syntax,
                                  stoa_expr **out, stoa_error *err);
/* Whether a call or an index applies to a list's items; stoa_bind_list() binds those. */
stoa_status stoa_is_about_list(const stoa_binder *binder, const stoa_syntax *syntax, bool *is_so,
                               stoa_error *err);
stoa_status stoa_bind_list(const stoa_binder *binder, stoa_bind_any *bind,
                           const stoa_syntax *syntax, stoa_expr **out, stoa_error *err);
/* A column or lists in it, where they are named. In the body of a LIST this becomes the items,
 * or the row's value for each item. */
stoa_status stoa_bind_in_body(const stoa_binder *binder, const stoa_syntax *syntax,
                              stoa_expr **expr, stoa_error *err);
/* The Arrow field of a COLUMN or of lists in it: an ITEM_AT of domain OTHER, or a SLICE. */
const struct ArrowSchema *stoa_expr_field(const stoa_scope *scope, const stoa_expr *expr);
/* Whether the value is a list that is made of a column's. */
static inline bool stoa_expr_is_lists(const stoa_expr *expr)
{
    return expr->op == STOA_OP_SLICE ||
           (expr->op == STOA_OP_ITEM_AT && expr->type.domain == STOA_DOMAIN_OTHER);
}
static inline bool stoa_expr_is_constant(const stoa_expr *expr)
{
    return expr->op == STOA_OP_CONSTANT;
}
static inline bool stoa_expr_is_null(const stoa_expr *expr)
{
    return expr->op == STOA_OP_CONSTANT && stoa_vector_is_null(&expr->value, 0);
}
/* Convert a constant, text or ticks, to a time or duration of the type. Returns false if that is
 * not possible. */
bool stoa_expr_ticks(const stoa_expr *constant, const stoa_type *type, stoa_time *ticks);
/* Fail: a text is not a valid value for `what`, a time or duration. */
stoa_status stoa_fail_ticks(const stoa_syntax *syntax, const char *what, const stoa_type *type,
                            stoa_error *err);
/* "int16", "text", "timestamp[ms]". `out` has 64 bytes. */
const char *stoa_expr_type_name(const stoa_binder *binder, const stoa_expr *expr, char *out);

#endif
