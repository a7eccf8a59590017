#include "layout/pickle/machine.h"

#include <string.h>

/* --- parts of a program ---------------------------------------------------------------------- */

static stoa_status cut_short(const stoa_pickle_machine *m)
{
    return stoa_fail(m->err, STOA_EDATA, "a pickle is cut short");
}

stoa_status stoa_pickle_read_bytes(stoa_pickle_machine *m, uint64_t n, const uint8_t **bytes)
{
    if (n > (uint64_t)(m->end - m->at)) {
        return cut_short(m);
    }
    *bytes = m->at;
    m->at += n;
    return STOA_OK;
}

stoa_status stoa_pickle_read_number(stoa_pickle_machine *m, unsigned n, uint64_t *number)
{
    const uint8_t *bytes = NULL;
    const stoa_status status = stoa_pickle_read_bytes(m, n, &bytes);

    *number = 0;
    for (unsigned i = 0; status == STOA_OK && i < n; i++) {
        *number |= (uint64_t)bytes[i] << (8 * i);
    }
    return status;
}

stoa_status stoa_pickle_read_line(stoa_pickle_machine *m, const char **line, size_t *length)
{
    const uint8_t *end = memchr(m->at, '\n', (size_t)(m->end - m->at));

    if (end == NULL) {
        return cut_short(m);
    }
    *line = (const char *)m->at;
    *length = (size_t)(end - m->at);
    m->at = end + 1;
    return STOA_OK;
}

/* --- the stack ------------------------------------------------------------------------------- */

stoa_status stoa_pickle_make(const stoa_pickle_machine *m, stoa_pickle_kind kind,
                             stoa_pickled **node)
{
    *node = stoa_arena_zero(m->arena, 1, sizeof **node);
    STOA_RETURN_NO_MEMORY(m->err, *node);
    (*node)->kind = kind;
    return STOA_OK;
}

stoa_status stoa_pickle_push(stoa_pickle_machine *m, stoa_pickled *node)
{
    if (m->depth == m->room) {
        const size_t room = m->room * 2 + 64;
        stoa_pickled **stack = stoa_realloc(m->stack, room, sizeof(stoa_pickled *));
        STOA_RETURN_NO_MEMORY(m->err, stack);
        m->stack = stack;
        m->room = room;
    }
    m->stack[m->depth++] = node;
    return STOA_OK;
}

stoa_status stoa_pickle_push_new(stoa_pickle_machine *m, stoa_pickle_kind kind, stoa_pickled **node)
{
    STOA_RETURN_NOT_OK(stoa_pickle_make(m, kind, node));
    return stoa_pickle_push(m, *node);
}

stoa_status stoa_pickle_unbalanced(const stoa_pickle_machine *m)
{
    return stoa_fail(m->err, STOA_EDATA, "a pickle takes from its stack what is not there");
}

stoa_status stoa_pickle_pop(stoa_pickle_machine *m, stoa_pickled **node)
{
    if (m->depth == 0 || m->stack[m->depth - 1] == NULL) {
        return stoa_pickle_unbalanced(m);
    }
    *node = m->stack[--m->depth];
    return STOA_OK;
}

stoa_status stoa_pickle_peek(const stoa_pickle_machine *m, stoa_pickled **node)
{
    if (m->depth == 0 || m->stack[m->depth - 1] == NULL) {
        return stoa_pickle_unbalanced(m);
    }
    *node = m->stack[m->depth - 1];
    return STOA_OK;
}

stoa_status stoa_pickle_pop_marked(stoa_pickle_machine *m, stoa_pickled ***nodes, size_t *n)
{
    size_t mark = m->depth;

    while (mark > 0 && m->stack[mark - 1] != NULL) {
        mark--;
    }
    if (mark == 0) {
        return stoa_pickle_unbalanced(m);
    }
    *nodes = m->stack + mark;
    *n = m->depth - mark;
    m->depth = mark - 1;
    return STOA_OK;
}

stoa_status stoa_pickle_add_items(const stoa_pickle_machine *m, stoa_pickled *node,
                                  stoa_pickled *const *items, size_t n)
{
    const size_t needed = node->as.items.n + n;

    if (needed > node->as.items.room) {
        const size_t room = node->as.items.n == 0 ? needed : 2 * needed;
        stoa_pickled **at = stoa_arena_alloc(m->arena, room, sizeof(stoa_pickled *));
        STOA_RETURN_NO_MEMORY(m->err, at);
        if (node->as.items.n > 0) {
            memcpy(at, node->as.items.at, node->as.items.n * sizeof(stoa_pickled *));
        }
        node->as.items.at = at;
        node->as.items.room = room;
    }
    if (n > 0) {
        memcpy(node->as.items.at + node->as.items.n, items, n * sizeof(stoa_pickled *));
    }
    node->as.items.n = needed;
    return STOA_OK;
}

stoa_status stoa_pickle_push_bytes(stoa_pickle_machine *m, stoa_pickle_kind kind, const void *data,
                                   size_t length)
{
    stoa_pickled *node = NULL;

    STOA_RETURN_NOT_OK(stoa_pickle_push_new(m, kind, &node));
    node->as.bytes.data = stoa_arena_text(m->arena, data, length);
    node->as.bytes.length = length;
    return node->as.bytes.data != NULL ? STOA_OK : stoa_fail_memory(m->err);
}
