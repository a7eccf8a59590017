#include "sql/hints.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "arrow/build.h"
#include "core/text.h"
#include "sql/condition.h"

enum { MAX_TABLES = 64 };

/* A table of a FROM. */
typedef struct table {
    const stoa_tree *tree;
    const char *alias;
    bool is_place;
    bool is_open;     /* `columns` is there */
    bool is_blocked;  /* fewer rows may change the answer */
    bool is_nullable; /* an outer join may make its columns missing */
    struct ArrowSchema columns;
    stoa_buffer hint;
} table;

/* A FROM, and the statement it is in. */
typedef struct from {
    table tables[MAX_TABLES];
    size_t n;
    bool is_odd; /* there are more tables, or forms that are not known */
    const stoa_tree *tree;
} from;

typedef struct hinting {
    const char *statement;
    stoa_sql_columns_of *columns_of;
    void *context;
    stoa_arena arena;
    stoa_buffer edits; /* struct edit */
} hinting;

typedef struct edit {
    size_t at;
    size_t length;
    char *text;
} edit;

/* Tables of a FROM ------------------------------------------------------------------------------
 */

static bool has(const stoa_tree *tree, const char *key)
{
    const stoa_tree *const member = stoa_tree_find(tree, key);

    return member != NULL &&
           (member->first != NULL || (member->text != NULL && *member->text != 0));
}

static void add_table(from *f, const stoa_tree *tree, bool is_blocked, bool is_nullable)
{
    if (f->n == MAX_TABLES) {
        f->is_odd = true;
        return;
    }
    table *const t = &f->tables[f->n++];
    const char *const name = stoa_tree_text(tree, "table_name");
    *t = (table){.tree = tree, .alias = stoa_tree_text(tree, "alias"), .is_nullable = is_nullable};
    t->is_place = stoa_tree_is(tree, "type", "BASE_TABLE") && !has(tree, "schema_name") &&
                  !has(tree, "catalog_name") && stoa_sql_is_place(name);
    t->is_blocked = is_blocked || has(tree, "sample") || has(tree, "at_clause") ||
                    has(tree, "column_name_alias");
    t->alias = t->alias[0] != '\0' ? t->alias : name;
}

/* What a join does with the rows of a side. */
typedef struct side {
    bool is_kept;     /* rows without a partner stay */
    bool is_nullable; /* and get missing values in place of this side's */
} side;

/* False for a join that is not known. */
static bool sides_of(const stoa_tree *join, side *left, side *right)
{
    static const struct {
        const char *type;
        side left;
        side right;
    } all[] = {
        {"INNER", {false, false}, {false, false}}, {"LEFT", {true, false}, {false, true}},
        {"RIGHT", {false, true}, {true, false}},   {"OUTER", {true, true}, {true, true}},
        {"FULL", {true, true}, {true, true}},      {"SEMI", {false, false}, {false, false}},
        {"ANTI", {true, false}, {false, false}},
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (stoa_tree_is(join, "join_type", all[i].type)) {
            *left = all[i].left;
            *right = all[i].right;
            return true;
        }
    }
    return false;
}

static void collect(from *f, const stoa_tree *tree, bool is_blocked, bool is_nullable)
{
    side left;
    side right;

    if (tree == NULL || stoa_tree_is(tree, "type", "EMPTY")) {
        return;
    }
    if (!stoa_tree_is(tree, "type", "JOIN")) {
        add_table(f, tree, is_blocked, is_nullable);
        return;
    }
    const bool is_known = sides_of(tree, &left, &right);
    const bool is_plain = stoa_tree_is(tree, "ref_type", "REGULAR") ||
                          stoa_tree_is(tree, "ref_type", "CROSS") ||
                          stoa_tree_is(tree, "ref_type", "NATURAL");
    const bool is_asof = stoa_tree_is(tree, "ref_type", "ASOF");
    collect(f, stoa_tree_find(tree, "left"), is_blocked || !is_known || !(is_plain || is_asof),
            is_nullable || (is_known && left.is_nullable));
    /* Conditions do not see the right side of these, and a column's name may mean another one. */
    const bool is_hidden =
        stoa_tree_is(tree, "join_type", "SEMI") || stoa_tree_is(tree, "join_type", "ANTI");
    collect(f, stoa_tree_find(tree, "right"), is_blocked || !is_known || !is_plain || is_hidden,
            is_nullable || (is_known && right.is_nullable));
}

/* Columns ---------------------------------------------------------------------------------------
 */

/* The only column of that name, whose case does not count. */
static const struct ArrowSchema *find_column(const table *t, const char *name)
{
    const struct ArrowSchema *found = NULL;

    for (int64_t i = 0; t->is_open && i < t->columns.n_children; i++) {
        if (strcasecmp(t->columns.children[i]->name, name) == 0) {
            if (found != NULL) {
                return NULL;
            }
            found = t->columns.children[i];
        }
    }
    return found;
}

/* Whether a name alone may mean columns of both sides of a join. */
static bool is_shared(const stoa_tree *join, const char *name)
{
    if (join == NULL || !stoa_tree_is(join, "type", "JOIN")) {
        return false;
    }
    const stoa_tree *const names = stoa_tree_find(join, "using_columns");
    bool is = stoa_tree_is(join, "ref_type", "NATURAL") ||
              is_shared(stoa_tree_find(join, "left"), name) ||
              is_shared(stoa_tree_find(join, "right"), name);
    for (const stoa_tree *at = names != NULL ? names->first : NULL; at != NULL && !is;
         at = at->next) {
        is = at->text == NULL || strcasecmp(at->text, name) == 0;
    }
    return is;
}

typedef struct search {
    const from *f;
    const table *t;
} search;

/* The table's column that "column" or "alias"."column" means. */
static const struct ArrowSchema *find_reference(void *context, const stoa_tree *names)
{
    const search *const s = context;
    const stoa_tree *const first = names != NULL ? names->first : NULL;
    size_t n_alike = 0;

    if (first == NULL || first->text == NULL) {
        return NULL;
    }
    const stoa_tree *const second = first->next;
    if (second != NULL && (second->next != NULL || second->text == NULL)) {
        return NULL;
    }
    for (size_t i = 0; i < s->f->n; i++) {
        const table *const other = &s->f->tables[i];
        n_alike += second != NULL ? strcasecmp(other->alias, first->text) == 0
                                  : find_column(other, first->text) != NULL;
    }
    if (n_alike != 1) {
        return NULL;
    }
    if (second != NULL) {
        return strcasecmp(s->t->alias, first->text) == 0 ? find_column(s->t, second->text) : NULL;
    }
    return !is_shared(s->f->tree, first->text) ? find_column(s->t, first->text) : NULL;
}

/* Conditions ------------------------------------------------------------------------------------
 */

/* @param rejects_nulls  the condition must not be true for missing values */
static stoa_status offer(from *f, const stoa_tree *condition, table *t, bool rejects_nulls,
                         stoa_error *err)
{
    search s = {f, t};
    stoa_buffer text = {.size = 0};
    stoa_truth of_nulls = STOA_TRUE;
    stoa_status status = STOA_OK;

    if (t->is_open && !t->is_blocked &&
        stoa_condition_translate(condition, find_reference, &s, &text, &of_nulls) &&
        !(rejects_nulls && of_nulls == STOA_TRUE)) {
        status = stoa_buffer_print(&t->hint, err, "%s%.*s", t->hint.size > 0 ? " and " : "",
                                   (int)text.size, (const char *)text.data);
    }
    stoa_buffer_clear(&text);
    return status;
}

/* Offer a condition, or each of those that `and` joins, to tables [first, end). */
static stoa_status offer_all(from *f, const stoa_tree *condition, size_t first, size_t end,
                             bool is_where, stoa_error *err)
{
    if (condition == NULL) {
        return STOA_OK;
    }
    if (stoa_tree_is(condition, "type", "CONJUNCTION_AND")) {
        const stoa_tree *const children = stoa_tree_find(condition, "children");
        for (const stoa_tree *at = children != NULL ? children->first : NULL; at != NULL;
             at = at->next) {
            STOA_RETURN_NOT_OK(offer_all(f, at, first, end, is_where, err));
        }
        return STOA_OK;
    }
    for (size_t i = first; i < end; i++) {
        STOA_RETURN_NOT_OK(
            offer(f, condition, &f->tables[i], !is_where || f->tables[i].is_nullable, err));
    }
    return STOA_OK;
}

/* The conditions of ON. `*at` is the number of the first table of `tree`, then of the next one. */
static stoa_status offer_joins(from *f, const stoa_tree *tree, size_t *at, stoa_error *err)
{
    side left;
    side right;

    if (tree == NULL || stoa_tree_is(tree, "type", "EMPTY")) {
        return STOA_OK;
    }
    if (!stoa_tree_is(tree, "type", "JOIN")) {
        ++*at;
        return STOA_OK;
    }
    const size_t first = *at;
    STOA_RETURN_NOT_OK(offer_joins(f, stoa_tree_find(tree, "left"), at, err));
    const size_t middle = *at;
    STOA_RETURN_NOT_OK(offer_joins(f, stoa_tree_find(tree, "right"), at, err));
    const stoa_tree *const condition = stoa_tree_find(tree, "condition");
    if (!sides_of(tree, &left, &right) || !stoa_tree_is(tree, "ref_type", "REGULAR")) {
        return STOA_OK;
    }
    if (!left.is_kept) {
        STOA_RETURN_NOT_OK(offer_all(f, condition, first, middle, false, err));
    }
    return right.is_kept ? STOA_OK : offer_all(f, condition, middle, *at, false, err);
}

/* The statement's text --------------------------------------------------------------------------
 */

/* The length of the quoted name at a position; 0 if that is not the table's. */
static size_t quoted_length(const char *text, const char *name)
{
    const char quote = *text;
    const char *at = text + 1;

    if (quote != '\'' && quote != '"') {
        return 0;
    }
    for (; *name != '\0'; name++) {
        if (*at != *name || (*at == quote && at[1] != quote)) {
            return 0;
        }
        at += *at == quote ? 2 : 1;
    }
    return *at == quote && at[1] != quote ? (size_t)(at + 1 - text) : 0;
}

static stoa_status add_edit(hinting *h, const table *t, stoa_error *err)
{
    const stoa_tree *const location = stoa_tree_find(t->tree, "query_location");
    const char *const name = stoa_tree_text(t->tree, "table_name");
    stoa_buffer text = {.size = 0};
    stoa_status status = STOA_OK;
    uint64_t at = 0;

    if (location == NULL || !stoa_parse_u64(location->text, location->length, &at) ||
        at >= strlen(h->statement)) {
        return STOA_OK;
    }
    edit e = {(size_t)at, quoted_length(h->statement + at, name), NULL};
    if (e.length == 0) {
        return STOA_OK;
    }
    STOA_TRY(stoa_buffer_print(&text, err, "read_stoa("));
    STOA_TRY(stoa_buffer_quote(&text, '\'', name, strlen(name), err));
    STOA_TRY(stoa_buffer_print(&text, err, ", hint := "));
    STOA_TRY(stoa_buffer_quote(&text, '\'', (const char *)t->hint.data, t->hint.size, err));
    STOA_TRY(stoa_buffer_print(&text, err, ")"));
    if (!has(t->tree, "alias")) {
        STOA_TRY(stoa_buffer_print(&text, err, " AS "));
        STOA_TRY(stoa_buffer_quote(&text, '"', name, strlen(name), err));
    }
    STOA_TRY(stoa_buffer_detach_text(&text, &e.text, err));
    status = stoa_buffer_append(&h->edits, &e, sizeof e, err);
    if (status != STOA_OK) {
        free(e.text);
    }

done:
    stoa_buffer_clear(&text);
    return status;
}

static int by_place(const void *a, const void *b)
{
    const size_t first = ((const edit *)a)->at;
    const size_t second = ((const edit *)b)->at;

    return first < second ? -1 : first > second;
}

static stoa_status apply(hinting *h, stoa_buffer *out, stoa_error *err)
{
    edit *const edits = (edit *)(void *)h->edits.data;
    const size_t n = h->edits.size / sizeof *edits;
    size_t at = 0;

    if (n == 0) {
        return STOA_OK;
    }
    qsort(edits, n, sizeof *edits, by_place);
    for (size_t i = 0; i < n; i++) {
        if (edits[i].at >= at) {
            STOA_RETURN_NOT_OK(stoa_buffer_append(out, h->statement + at, edits[i].at - at, err));
            STOA_RETURN_NOT_OK(stoa_buffer_append(out, edits[i].text, strlen(edits[i].text), err));
            at = edits[i].at + edits[i].length;
        }
    }
    return stoa_buffer_append(out, h->statement + at, strlen(h->statement + at) + 1, err);
}

/* A SELECT --------------------------------------------------------------------------------------
 */

static bool has_conditions(const stoa_tree *tree)
{
    return tree != NULL && stoa_tree_is(tree, "type", "JOIN") &&
           (has(tree, "condition") || has_conditions(stoa_tree_find(tree, "left")) ||
            has_conditions(stoa_tree_find(tree, "right")));
}

static stoa_status hint_select(hinting *h, const stoa_tree *node, stoa_error *err)
{
    const stoa_tree *const tree = stoa_tree_find(node, "from_table");
    const stoa_tree *const where = stoa_tree_find(node, "where_clause");
    stoa_status status = STOA_OK;
    size_t at = 0;

    if (has(node, "sample") || (where == NULL && !has_conditions(tree))) {
        return STOA_OK;
    }
    from *const f = stoa_alloc_zero(1, sizeof *f);
    STOA_RETURN_NO_MEMORY(err, f);
    f->tree = tree;
    collect(f, tree, false, false);
    for (size_t i = 0; i < f->n && !f->is_odd; i++) {
        table *const t = &f->tables[i];
        stoa_error ignored = STOA_ERROR_INIT; /* the scan fails, too, and says why */
        t->is_open = t->is_place && h->columns_of(h->context, stoa_tree_text(t->tree, "table_name"),
                                                  &t->columns, &ignored) == STOA_OK;
    }
    if (!f->is_odd) {
        STOA_TRY(offer_all(f, where, 0, f->n, true, err));
        STOA_TRY(offer_joins(f, tree, &at, err));
    }
    for (size_t i = 0; i < f->n && !f->is_odd; i++) {
        STOA_TRY(f->tables[i].hint.size > 0 ? add_edit(h, &f->tables[i], err) : STOA_OK);
    }

done:
    for (size_t i = 0; i < f->n; i++) {
        stoa_schema_release(&f->tables[i].columns);
        stoa_buffer_clear(&f->tables[i].hint);
    }
    free(f);
    return status;
}

/* Every SELECT, also of subqueries. */
static stoa_status hint_all(hinting *h, const stoa_tree *tree, stoa_error *err)
{
    if (tree->kind == STOA_JSON_OBJECT && stoa_tree_is(tree, "type", "SELECT_NODE")) {
        STOA_RETURN_NOT_OK(hint_select(h, tree, err));
    }
    for (const stoa_tree *at = tree->first; at != NULL; at = at->next) {
        STOA_RETURN_NOT_OK(hint_all(h, at, err));
    }
    return STOA_OK;
}

stoa_status stoa_sql_add_hints(const char *statement, const char *serialized, size_t length,
                               stoa_sql_columns_of *columns_of, void *context, stoa_buffer *out,
                               stoa_error *err)
{
    hinting h = {.statement = statement, .columns_of = columns_of, .context = context};
    stoa_status status = STOA_OK;
    stoa_tree *tree = NULL;
    stoa_error ignored = STOA_ERROR_INIT;

    out->size = 0;
    if (stoa_tree_read(&h.arena, serialized, length, &tree, &ignored) == STOA_OK) {
        const stoa_tree *const all = stoa_tree_find(tree, "statements");
        if (all != NULL && all->first != NULL && all->first->next == NULL) {
            STOA_TRY(hint_all(&h, all, err));
            STOA_TRY(apply(&h, out, err));
        }
    }

done:
    for (size_t i = 0; i < h.edits.size / sizeof(edit); i++) {
        free(((edit *)(void *)h.edits.data)[i].text);
    }
    stoa_buffer_clear(&h.edits);
    stoa_arena_clear(&h.arena);
    return status;
}
