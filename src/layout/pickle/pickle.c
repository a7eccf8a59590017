/* Reads a pickle, and answers queries about it (pickle.h). */
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "layout/pickle/machine.h"

struct stoa_pickle {
    stoa_arena arena; /* nodes and their content */
    stoa_pickled *root;
};

/* --- the memo -------------------------------------------------------------------------------- */

static stoa_status keep(stoa_pickle_machine *m, uint64_t number)
{
    stoa_pickled *node = NULL;

    STOA_RETURN_NOT_OK(stoa_pickle_peek(m, &node));
    if (number >= m->length) { /* picklers number memo entries consecutively */
        return stoa_fail(m->err, STOA_EDATA, "a pickle keeps its value number %llu",
                         (unsigned long long)number);
    }
    if (number >= m->n_memo) {
        const size_t room = (size_t)number * 2 + 16;
        stoa_pickled **memo = stoa_realloc(m->memo, room, sizeof(stoa_pickled *));
        STOA_RETURN_NO_MEMORY(m->err, memo);
        for (size_t i = m->n_memo; i < room; i++) {
            memo[i] = NULL;
        }
        m->memo = memo;
        m->n_memo = room;
    }
    m->memo[number] = node;
    return STOA_OK;
}

static stoa_status recall(stoa_pickle_machine *m, uint64_t number)
{
    if (number >= m->n_memo || m->memo[number] == NULL) {
        return stoa_fail(m->err, STOA_EDATA,
                         "a pickle asks for its value number %llu, which it "
                         "has not kept",
                         (unsigned long long)number);
    }
    return stoa_pickle_push(m, m->memo[number]);
}

/* The number of a value: of n bytes, or a line if n is 0. */
static stoa_status take_number(stoa_pickle_machine *m, uint64_t *number)
{
    const char *line = NULL;
    size_t length = 0;

    if (m->op->n > 0) {
        return stoa_pickle_read_number(m, m->op->n, number);
    }
    STOA_RETURN_NOT_OK(stoa_pickle_read_line(m, &line, &length));
    return stoa_parse_u64(line, length, number)
               ? STOA_OK
               : stoa_fail(m->err, STOA_EDATA, "a pickle counts by what is no number");
}

static stoa_status keep_numbered(stoa_pickle_machine *m)
{
    uint64_t number = 0;

    STOA_RETURN_NOT_OK(take_number(m, &number));
    return keep(m, number);
}

static stoa_status recall_numbered(stoa_pickle_machine *m)
{
    uint64_t number = 0;

    STOA_RETURN_NOT_OK(take_number(m, &number));
    return recall(m, number);
}

static stoa_status keep_next(stoa_pickle_machine *m)
{
    return keep(m, m->n_kept++);
}

/* --- the program ----------------------------------------------------------------------------- */

/* The protocol, since newer ones change nothing that matters here or use unknown opcodes; or the
 * length of a frame. */
static stoa_status skip(stoa_pickle_machine *m)
{
    uint64_t ignored = 0;

    return stoa_pickle_read_number(m, m->op->n, &ignored);
}

static stoa_status stop(stoa_pickle_machine *m)
{
    m->is_done = true;
    return STOA_OK;
}

static const stoa_pickle_op ops[256] = {
    ['.'] = {.run = stop},
    ['g'] = {.run = recall_numbered},
    ['h'] = {recall_numbered, .n = 1},
    ['j'] = {recall_numbered, .n = 4},
    ['p'] = {.run = keep_numbered},
    ['q'] = {keep_numbered, .n = 1},
    ['r'] = {keep_numbered, .n = 4},
    [0x80] = {skip, .n = 1},
    [0x94] = {.run = keep_next},
    [0x95] = {skip, .n = 8},
};

static const stoa_pickle_op *op_of(uint8_t opcode)
{
    return stoa_pickle_value_ops[opcode].run != NULL       ? &stoa_pickle_value_ops[opcode]
           : stoa_pickle_container_ops[opcode].run != NULL ? &stoa_pickle_container_ops[opcode]
                                                           : &ops[opcode];
}

static stoa_status run(stoa_pickle_machine *m, stoa_pickled **root)
{
    while (!m->is_done) {
        const uint8_t *opcode = NULL;
        STOA_RETURN_NOT_OK(stoa_pickle_read_bytes(m, 1, &opcode));
        m->op = op_of(*opcode);
        if (m->op->run == NULL) {
            return stoa_fail(m->err, STOA_EDATA, "a pickle does 0x%02x, which is not done here",
                             *opcode);
        }
        STOA_RETURN_NOT_OK(m->op->run(m));
    }
    if (m->at != m->end) {
        return stoa_fail(m->err, STOA_EDATA, "a pickle ends before its last byte");
    }
    STOA_RETURN_NOT_OK(stoa_pickle_pop(m, root));
    if (m->depth != 0) {
        STOA_RETURN_NOT_OK(stoa_pickle_unbalanced(m));
    }
    return STOA_OK;
}

stoa_status stoa_pickle_read(const void *bytes, size_t n, stoa_pickle **out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_pickle *pickle = stoa_alloc_zero(1, sizeof *pickle);
    stoa_pickle_machine m = {
        .at = bytes, .end = (const uint8_t *)bytes + n, .length = n, .err = err};

    *out = NULL;
    STOA_TRY(pickle != NULL ? STOA_OK : stoa_fail_memory(err));
    m.arena = &pickle->arena;
    STOA_TRY(run(&m, &pickle->root));
    *out = pickle;
    pickle = NULL;

done:
    free(m.memo);
    free(m.stack);
    stoa_pickle_close(pickle);
    return status;
}

void stoa_pickle_close(stoa_pickle *pickle)
{
    if (pickle != NULL) {
        stoa_arena_clear(&pickle->arena);
        free(pickle);
    }
}

const stoa_pickled *stoa_pickle_root(const stoa_pickle *pickle)
{
    return pickle->root;
}

/* --- queries --------------------------------------------------------------------------------- */

bool stoa_pickled_is_text(const stoa_pickled *node, const char *text)
{
    return node != NULL && node->kind == STOA_PICKLE_TEXT &&
           node->as.bytes.length == strlen(text) &&
           memcmp(node->as.bytes.data, text, node->as.bytes.length) == 0;
}

size_t stoa_pickled_count(const stoa_pickled *node)
{
    return node != NULL && (node->kind == STOA_PICKLE_LIST || node->kind == STOA_PICKLE_TUPLE)
               ? node->as.items.n
               : 0;
}

const stoa_pickled *stoa_pickled_item(const stoa_pickled *node, size_t i)
{
    return i < stoa_pickled_count(node) ? node->as.items.at[i] : NULL;
}

/* The last of several equal keys counts. */
const stoa_pickled *stoa_pickled_get(const stoa_pickled *node, const char *key)
{
    for (size_t i = node != NULL && node->kind == STOA_PICKLE_DICT ? node->as.items.n : 0; i >= 2;
         i -= 2) {
        if (stoa_pickled_is_text(node->as.items.at[i - 2], key)) {
            return node->as.items.at[i - 1];
        }
    }
    return NULL;
}

const stoa_pickled *stoa_pickled_get_int(const stoa_pickled *node, int64_t key)
{
    for (size_t i = node != NULL && node->kind == STOA_PICKLE_DICT ? node->as.items.n : 0; i >= 2;
         i -= 2) {
        const stoa_pickled *const have = node->as.items.at[i - 2];
        if (have->kind == STOA_PICKLE_INT && have->as.integer == key) {
            return node->as.items.at[i - 1];
        }
    }
    return NULL;
}

const stoa_pickled *stoa_pickled_call(const stoa_pickled *node, const char *name)
{
    const stoa_pickled *const called =
        node != NULL && node->kind == STOA_PICKLE_OBJECT ? node->as.items.at[0] : NULL;
    const size_t length = strlen(name);

    if (called == NULL || called->kind != STOA_PICKLE_GLOBAL || called->as.bytes.length <= length) {
        return NULL;
    }
    const char *const end = called->as.bytes.data + called->as.bytes.length - length;
    return end[-1] == ' ' && memcmp(end, name, length) == 0 ? node->as.items.at[1] : NULL;
}

char *stoa_pickled_text(const stoa_pickled *node)
{
    if (node == NULL || node->kind != STOA_PICKLE_TEXT ||
        memchr(node->as.bytes.data, '\0', node->as.bytes.length) != NULL) {
        return NULL;
    }
    return stoa_strndup(node->as.bytes.data, node->as.bytes.length);
}
