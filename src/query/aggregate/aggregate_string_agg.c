/*
 * string_agg: the texts of each group with a separator between them, in the order of the rows or of
 * another value. A cell's `a` counts the bytes of the result.
 *
 * Texts are kept as records, one behind the other in `list`. Those that do not fit into memory go
 * to a file, which is read again for each batch of groups.
 */
#include <stdlib.h>
#include <string.h>

#include "query/aggregate/aggregate.h"
#include "query/aggregate/rank.h"

/* A text. Its bytes follow, and then those of a key that is a text. */
typedef struct record {
    uint32_t group;
    bool has_key; /* otherwise it is missing, and comes last */
    uint64_t length;
    uint64_t key; /* its rank, or its length */
} record;

enum { READ_BYTES = 1 << 20 };

static bool has_text_keys(const stoa_aggregate *aggregate)
{
    return aggregate->by != NULL && stoa_domain_is_bytes(aggregate->by->type.domain);
}

static size_t key_bytes(const stoa_aggregate *aggregate, const record *r)
{
    return has_text_keys(aggregate) && r->has_key ? (size_t)r->key : 0;
}

static stoa_status string_agg_bind(const stoa_binder *binder, stoa_aggregate *aggregate,
                                   stoa_error *err)
{
    stoa_expr *const by = aggregate->by;
    char source[STOA_SOURCE_SIZE];

    if (by != NULL && by->type.domain == STOA_DOMAIN_OTHER) {
        return STOA_FAIL_SYNTAX(err, STOA_ETYPE, by->syntax,
                                "%s is a list or a struct, which have no order",
                                stoa_syntax_source(by->syntax, source));
    }
    if (by != NULL && by->type.domain == STOA_DOMAIN_BOOL) {
        STOA_RETURN_NOT_OK(stoa_expr_cast(binder, STOA_DOMAIN_I64, &aggregate->by, err));
    }
    if (aggregate->separator.data == NULL) {
        aggregate->separator = (stoa_bytes){",", 1};
    }
    aggregate->column = SIZE_MAX;
    aggregate->result.domain = STOA_DOMAIN_TEXT;
    return STOA_OK;
}

/* Gathering --------------------------------------------------------------------------------- */

static stoa_status add(stoa_aggregate *aggregate, const record *r, const void *text,
                       const void *key, stoa_error *err)
{
    stoa_buffer *const list = &aggregate->list;
    stoa_cell *const cell = &stoa_cells(aggregate)[r->group];

    cell->a.u64 += r->length + (cell->n > 0 ? aggregate->separator.length : 0);
    cell->n++;
    if (cell->a.u64 > INT32_MAX) {
        return stoa_fail(err, STOA_ERANGE,
                         "string_agg: the texts of a group are longer than 2 GiB");
    }
    STOA_RETURN_NOT_OK(stoa_buffer_append(list, r, sizeof *r, err));
    STOA_RETURN_NOT_OK(stoa_buffer_append(list, text, (size_t)r->length, err));
    return stoa_buffer_append(list, key, key_bytes(aggregate, r), err);
}

/* Set the key of a row. `words` are those of the keys, one for each row. */
static const char *find_key(const stoa_aggregate *aggregate, const stoa_operand *by, int64_t row,
                            record *r)
{
    const char *text = NULL;

    r->has_key = by != NULL && by->n_kept > 0 &&
                 (stoa_operand_word(by, row - row % 64) >> (row % 64) & 1) != 0;
    if (!r->has_key) {
        return NULL;
    }
    if (by->kind == STOA_KIND_STRING) {
        text = ((const stoa_bytes *)by->values)[row].data;
        r->key = ((const stoa_bytes *)by->values)[row].length;
    } else {
        const stoa_operand one = stoa_operand_row(by, row);
        stoa_block block;
        block.at = 0;
        (void)stoa_block_next(&block, &one, NULL);
        const uint64_t word = block.values->u64;
        r->key = stoa_rank_of(word, aggregate->by->type.domain);
    }
    return text;
}

static stoa_status string_agg_update(stoa_aggregate *aggregate, const stoa_operand *operand,
                                     const uint32_t *ids, stoa_error *err)
{
    const stoa_bytes *const texts = operand->values;

    STOA_EACH_KEPT(row, operand)
    {
        record r = {.group = ids != NULL ? ids[row] : 0, .length = texts[row].length};
        const char *const key = find_key(aggregate, operand->by, row, &r);
        STOA_RETURN_NOT_OK(add(aggregate, &r, texts[row].data, key, err));
    }
    return STOA_OK;
}

static stoa_status spill(stoa_aggregate *aggregate, stoa_error *err)
{
    if (aggregate->files == NULL) {
        aggregate->files = stoa_alloc_zero(STOA_PAIR_FILES, sizeof *aggregate->files);
        STOA_RETURN_NO_MEMORY(err, aggregate->files);
    }
    STOA_RETURN_NOT_OK(
        stoa_spill_append(&aggregate->files[0], aggregate->list.data, aggregate->list.size, err));
    aggregate->list.size = 0;
    return STOA_OK;
}

/* Records in memory that follow each other. */
static const uint8_t *next_record(const stoa_aggregate *aggregate, const uint8_t *at, record *r)
{
    memcpy(r, at, sizeof *r);
    return at + sizeof *r + r->length + key_bytes(aggregate, r);
}

static stoa_status string_agg_merge(stoa_aggregate *aggregate, const stoa_aggregate *from,
                                    const uint32_t *ids, stoa_error *err)
{
    const uint8_t *at = from->list.data;
    const uint8_t *const end = at != NULL ? at + from->list.size : NULL;
    record r;

    for (uint64_t n = 0; at != end; n++) {
        const uint8_t *const text = at + sizeof r;
        at = next_record(aggregate, at, &r);
        r.group = ids != NULL ? ids[r.group] : 0;
        STOA_RETURN_NOT_OK(add(aggregate, &r, text, text + r.length, err));
        STOA_RETURN_NOT_OK(
            n % STOA_AGGREGATE_LOOK == 0 ? stoa_aggregate_look(aggregate->listener, err) : STOA_OK);
        if (aggregate->list.size > aggregate->most_bytes) {
            STOA_RETURN_NOT_OK(spill(aggregate, err));
        }
    }
    return STOA_OK;
}

/* Results ----------------------------------------------------------------------------------- */

/* A text of the groups asked for. */
typedef struct entry {
    uint32_t group;
    bool has_key;
    bool is_descending;
    uint64_t key;
    stoa_bytes key_text;
    stoa_bytes text;
    size_t order; /* of the rows */
} entry;

static int compare_keys(const entry *a, const entry *b)
{
    const int order = a->key_text.data != NULL
                          ? stoa_compare_bytes(a->key_text.data, a->key_text.length,
                                               b->key_text.data, b->key_text.length)
                          : (a->key > b->key) - (a->key < b->key);

    return a->is_descending ? -order : order;
}

static int compare_entries(const void *left, const void *right)
{
    const entry *const a = left;
    const entry *const b = right;
    int order = (a->group > b->group) - (a->group < b->group);

    if (order == 0) {
        order = (b->has_key > a->has_key) - (b->has_key < a->has_key);
    }
    if (order == 0 && a->has_key) {
        order = compare_keys(a, b);
    }
    return order != 0 ? order : (a->order > b->order) - (a->order < b->order);
}

/* The groups asked for, and the texts found. */
typedef struct found {
    const stoa_aggregate *aggregate;
    uint32_t first;
    uint32_t n;
    stoa_arena *arena; /* NULL: the texts stay where they are */
    stoa_buffer entries;
} found;

static stoa_status find_one(found *to, const record *r, const uint8_t *text, stoa_error *err)
{
    const bool has_text_key = has_text_keys(to->aggregate) && r->has_key;
    const size_t n_key = key_bytes(to->aggregate, r);
    entry one = {.group = r->group,
                 .has_key = r->has_key,
                 .is_descending = to->aggregate->is_descending,
                 .key = r->key,
                 .text = {(const char *)text, (size_t)r->length},
                 .order = to->entries.size};

    if (r->group < to->first || r->group - to->first >= to->n) {
        return STOA_OK;
    }
    if (to->arena != NULL) {
        one.text.data = stoa_arena_text(to->arena, (const char *)text, one.text.length + n_key);
        STOA_RETURN_NO_MEMORY(err, one.text.data);
    }
    if (has_text_key) {
        one.key_text = (stoa_bytes){one.text.data + one.text.length, n_key};
    }
    return stoa_buffer_append(&to->entries, &one, sizeof one, err);
}

/* Find texts in n bytes of records, of which the last may be cut off. */
static stoa_status find_some(found *to, const uint8_t *bytes, size_t n, size_t *n_done,
                             stoa_error *err)
{
    record r;

    for (*n_done = 0; n - *n_done >= sizeof r;) {
        const uint8_t *const at = bytes + *n_done;
        const size_t size = (size_t)(next_record(to->aggregate, at, &r) - at);
        if (size > n - *n_done) {
            break;
        }
        STOA_RETURN_NOT_OK(find_one(to, &r, at + sizeof r, err));
        *n_done += size;
    }
    return STOA_OK;
}

static stoa_status find_in_file(found *to, const stoa_spill *file, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer bytes = {0};
    size_t n_done = 0;

    for (uint64_t at = 0; at < file->size;) {
        /* A record that is larger than the buffer makes it grow. */
        const uint64_t left = file->size - at;
        const size_t wanted = bytes.size > READ_BYTES ? bytes.size : READ_BYTES;
        const size_t more = left < wanted ? (size_t)left : wanted;
        const size_t kept = bytes.size;
        STOA_TRY(stoa_aggregate_look(to->aggregate->listener, err));
        STOA_TRY(stoa_buffer_grow(&bytes, more, err));
        STOA_TRY(stoa_spill_read(file, at, (uint8_t *)bytes.data + kept, more, err));
        at += more;
        STOA_TRY(find_some(to, bytes.data, bytes.size, &n_done, err));
        memmove(bytes.data, (const uint8_t *)bytes.data + n_done, bytes.size - n_done);
        bytes.size -= n_done;
    }

done:
    stoa_buffer_clear(&bytes);
    return status;
}

/* Join the entries of each group, which follow each other. */
static stoa_status join(const stoa_aggregate *aggregate, const found *all, stoa_arena *arena,
                        stoa_bytes *texts, stoa_error *err)
{
    const entry *const entries = (const entry *)(const void *)all->entries.data;
    const size_t n = all->entries.size / sizeof *entries;
    const stoa_bytes separator = aggregate->separator;

    for (size_t i = 0; i < n;) {
        const uint32_t group = entries[i].group;
        const size_t length = (size_t)stoa_cells(aggregate)[group].a.u64;
        char *to = stoa_arena_alloc(arena, length + 1, 1);
        STOA_RETURN_NO_MEMORY(err, to);
        texts[group - all->first] = (stoa_bytes){to, length};
        for (bool is_first = true; i < n && entries[i].group == group; i++) {
            if (!is_first) {
                memcpy(to, separator.data, separator.length);
                to += separator.length;
            }
            memcpy(to, entries[i].text.data, entries[i].text.length);
            to += entries[i].text.length;
            is_first = false;
        }
    }
    return STOA_OK;
}

static stoa_status string_agg_result(stoa_aggregate *aggregate, uint32_t first, uint32_t n,
                                     stoa_arena *arena, stoa_vector *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    found all = {.aggregate = aggregate, .first = first, .n = n};
    stoa_bytes *const texts = stoa_arena_zero(arena, n, sizeof *texts);
    uint8_t *validity = NULL;
    size_t ignored;

    STOA_TRY(texts != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_aggregate_validity(aggregate, 1, first, n, arena, &validity, err));
    if (aggregate->files != NULL) {
        all.arena = arena;
        STOA_TRY(find_in_file(&all, &aggregate->files[0], err));
        all.arena = NULL;
    }
    STOA_TRY(find_some(&all, aggregate->list.data, aggregate->list.size, &ignored, err));
    if (all.entries.size > 0) {
        qsort(all.entries.data, all.entries.size / sizeof(entry), sizeof(entry), compare_entries);
    }
    STOA_TRY(join(aggregate, &all, arena, texts, err));
    out->validity = validity;
    out->as.bytes = texts;

done:
    stoa_buffer_clear(&all.entries);
    return status;
}

const stoa_aggregate_kind stoa_aggregate_string_agg = {
    .text =
        {"string_agg", "listagg group_concat", "string_agg(x, separator order by y)",
         "the texts, with the separator (or a comma) between them; in the order of y, or of the "
         "rows",
         NULL},
    .form = STOA_TAKES_TEXTS,
    .bind = string_agg_bind,
    .update = string_agg_update,
    .merge = string_agg_merge,
    .result = string_agg_result,
};
