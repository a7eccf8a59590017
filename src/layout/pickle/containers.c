/* Opcodes that build lists, tuples, dicts and objects (pickle.h). */
#include <stdlib.h>

#include "layout/pickle/machine.h"

/* --- containers ------------------------------------------------------------------------------ */

static stoa_status push_mark(stoa_pickle_machine *m)
{
    return stoa_pickle_push(m, NULL);
}

static stoa_status push_empty(stoa_pickle_machine *m)
{
    stoa_pickled *node = NULL;

    return stoa_pickle_push_new(m, m->op->kind, &node);
}

/* Make a container of the nodes above the mark. */
static stoa_status gather(stoa_pickle_machine *m, stoa_pickle_kind kind)
{
    stoa_pickled *node = NULL;
    stoa_pickled **items = NULL;
    size_t n = 0;

    STOA_RETURN_NOT_OK(stoa_pickle_pop_marked(m, &items, &n));
    if (kind == STOA_PICKLE_DICT && n % 2 != 0) {
        STOA_RETURN_NOT_OK(stoa_pickle_unbalanced(m));
    }
    STOA_RETURN_NOT_OK(stoa_pickle_make(m, kind, &node));
    STOA_RETURN_NOT_OK(stoa_pickle_add_items(m, node, items, n));
    return stoa_pickle_push(m, node);
}

static stoa_status gather_marked(stoa_pickle_machine *m)
{
    return gather(m, m->op->kind);
}

/* Make a tuple of the n top nodes. */
static stoa_status gather_few(stoa_pickle_machine *m)
{
    const size_t n = m->op->n;
    stoa_pickled *items[3] = {NULL};
    stoa_pickled *node = NULL;

    for (size_t i = n; i-- > 0;) {
        STOA_RETURN_NOT_OK(stoa_pickle_pop(m, &items[i]));
    }
    STOA_RETURN_NOT_OK(stoa_pickle_make(m, STOA_PICKLE_TUPLE, &node));
    STOA_RETURN_NOT_OK(stoa_pickle_add_items(m, node, items, n));
    return stoa_pickle_push(m, node);
}

/* Add nodes to the container on top. */
static stoa_status put_in(const stoa_pickle_machine *m, stoa_pickle_kind kind,
                          stoa_pickled *const *items, size_t n)
{
    stoa_pickled *node = NULL;

    STOA_RETURN_NOT_OK(stoa_pickle_peek(m, &node));
    if (node->kind != kind || (kind == STOA_PICKLE_DICT && n % 2 != 0)) {
        return stoa_fail(m->err, STOA_EDATA, "a pickle puts items into what holds none");
    }
    return stoa_pickle_add_items(m, node, items, n);
}

static stoa_status put_marked(stoa_pickle_machine *m)
{
    stoa_pickled **items = NULL;
    size_t n = 0;

    STOA_RETURN_NOT_OK(stoa_pickle_pop_marked(m, &items, &n));
    return put_in(m, m->op->kind, items, n);
}

static stoa_status append_one(stoa_pickle_machine *m)
{
    stoa_pickled *item = NULL;

    STOA_RETURN_NOT_OK(stoa_pickle_pop(m, &item));
    return put_in(m, STOA_PICKLE_LIST, &item, 1);
}

static stoa_status set_one(stoa_pickle_machine *m)
{
    stoa_pickled *items[2];

    STOA_RETURN_NOT_OK(stoa_pickle_pop(m, &items[1]));
    STOA_RETURN_NOT_OK(stoa_pickle_pop(m, &items[0]));
    return put_in(m, STOA_PICKLE_DICT, items, 2);
}

static stoa_status drop_one(stoa_pickle_machine *m)
{
    if (m->depth == 0) {
        return stoa_pickle_unbalanced(m);
    }
    m->depth--;
    return STOA_OK;
}

static stoa_status drop_marked(stoa_pickle_machine *m)
{
    stoa_pickled **items = NULL;
    size_t n = 0;

    return stoa_pickle_pop_marked(m, &items, &n);
}

static stoa_status push_again(stoa_pickle_machine *m)
{
    stoa_pickled *node = NULL;
    const stoa_status status = stoa_pickle_peek(m, &node);

    return status == STOA_OK ? stoa_pickle_push(m, node) : status;
}

/* --- calls ----------------------------------------------------------------------------------- */

static stoa_status push_name(stoa_pickle_machine *m, const char *module, size_t module_length,
                             const char *name, size_t length)
{
    stoa_status status = STOA_OK;
    stoa_buffer text = {0};

    STOA_TRY(stoa_buffer_append(&text, module, module_length, m->err));
    STOA_TRY(stoa_buffer_append(&text, " ", 1, m->err));
    STOA_TRY(stoa_buffer_append(&text, name, length, m->err));
    STOA_TRY(stoa_pickle_push_bytes(m, STOA_PICKLE_GLOBAL, text.data, text.size));

done:
    stoa_buffer_clear(&text);
    return status;
}

static stoa_status push_global(stoa_pickle_machine *m)
{
    const char *module = NULL;
    const char *name = NULL;
    size_t module_length = 0;
    size_t length = 0;

    STOA_RETURN_NOT_OK(stoa_pickle_read_line(m, &module, &module_length));
    STOA_RETURN_NOT_OK(stoa_pickle_read_line(m, &name, &length));
    return push_name(m, module, module_length, name, length);
}

static stoa_status push_stack_global(stoa_pickle_machine *m)
{
    stoa_pickled *module = NULL;
    stoa_pickled *name = NULL;

    STOA_RETURN_NOT_OK(stoa_pickle_pop(m, &name));
    STOA_RETURN_NOT_OK(stoa_pickle_pop(m, &module));
    if (module->kind != STOA_PICKLE_TEXT || name->kind != STOA_PICKLE_TEXT) {
        return stoa_fail(m->err, STOA_EDATA, "a pickle names something by what is no text");
    }
    return push_name(m, module->as.bytes.data, module->as.bytes.length, name->as.bytes.data,
                     name->as.bytes.length);
}

/* An object: the callable, its arguments, and no state yet. */
static stoa_status push_object(stoa_pickle_machine *m, stoa_pickled *called,
                               stoa_pickled *arguments)
{
    stoa_pickled *parts[] = {called, arguments, NULL};
    stoa_pickled *node = NULL;

    STOA_RETURN_NOT_OK(stoa_pickle_push_new(m, STOA_PICKLE_OBJECT, &node));
    return stoa_pickle_add_items(m, node, parts, 3);
}

static stoa_status reduce(stoa_pickle_machine *m)
{
    stoa_pickled *called = NULL;
    stoa_pickled *arguments = NULL;

    STOA_RETURN_NOT_OK(stoa_pickle_pop(m, &arguments));
    STOA_RETURN_NOT_OK(stoa_pickle_pop(m, &called));
    return push_object(m, called, arguments);
}

/* Keyword arguments are ignored. */
static stoa_status reduce_named(stoa_pickle_machine *m)
{
    stoa_pickled *ignored = NULL;

    STOA_RETURN_NOT_OK(stoa_pickle_pop(m, &ignored));
    return reduce(m);
}

/* The class is above the mark, followed by its arguments. */
static stoa_status reduce_marked(stoa_pickle_machine *m)
{
    stoa_pickled **items = NULL;
    stoa_pickled *called = NULL;
    stoa_pickled *arguments = NULL;
    size_t n = 0;

    STOA_RETURN_NOT_OK(stoa_pickle_pop_marked(m, &items, &n));
    if (n == 0) {
        STOA_RETURN_NOT_OK(stoa_pickle_unbalanced(m));
    }
    called = items[0];
    STOA_RETURN_NOT_OK(stoa_pickle_make(m, STOA_PICKLE_TUPLE, &arguments));
    STOA_RETURN_NOT_OK(stoa_pickle_add_items(m, arguments, items + 1, n - 1));
    return push_object(m, called, arguments);
}

/* The arguments are above the mark, and the class is given by name. */
static stoa_status reduce_instance(stoa_pickle_machine *m)
{
    stoa_pickled *called = NULL;
    stoa_pickled *arguments = NULL;

    STOA_RETURN_NOT_OK(gather(m, STOA_PICKLE_TUPLE));
    STOA_RETURN_NOT_OK(stoa_pickle_pop(m, &arguments));
    STOA_RETURN_NOT_OK(push_global(m));
    STOA_RETURN_NOT_OK(stoa_pickle_pop(m, &called));
    return push_object(m, called, arguments);
}

static stoa_status build(stoa_pickle_machine *m)
{
    stoa_pickled *state = NULL;
    stoa_pickled *node = NULL;

    STOA_RETURN_NOT_OK(stoa_pickle_pop(m, &state));
    STOA_RETURN_NOT_OK(stoa_pickle_peek(m, &node));
    if (node->kind != STOA_PICKLE_OBJECT) {
        return stoa_fail(m->err, STOA_EDATA, "a pickle gives a state to what is no object");
    }
    node->as.items.at[2] = state;
    return STOA_OK;
}

const stoa_pickle_op stoa_pickle_container_ops[256] = {
    ['('] = {.run = push_mark},
    ['0'] = {.run = drop_one},
    ['1'] = {.run = drop_marked},
    ['2'] = {.run = push_again},
    ['R'] = {.run = reduce},
    ['a'] = {.run = append_one},
    ['b'] = {.run = build},
    ['c'] = {.run = push_global},
    ['d'] = {gather_marked, .kind = STOA_PICKLE_DICT},
    ['}'] = {push_empty, .kind = STOA_PICKLE_DICT},
    ['e'] = {put_marked, .kind = STOA_PICKLE_LIST},
    ['i'] = {.run = reduce_instance},
    ['l'] = {gather_marked, .kind = STOA_PICKLE_LIST},
    [']'] = {push_empty, .kind = STOA_PICKLE_LIST},
    ['o'] = {.run = reduce_marked},
    ['s'] = {.run = set_one},
    ['t'] = {gather_marked, .kind = STOA_PICKLE_TUPLE},
    [')'] = {push_empty, .kind = STOA_PICKLE_TUPLE},
    ['u'] = {put_marked, .kind = STOA_PICKLE_DICT},
    [0x81] = {.run = reduce},
    [0x85] = {gather_few, .n = 1},
    [0x86] = {gather_few, .n = 2},
    [0x87] = {gather_few, .n = 3},
    [0x92] = {.run = reduce_named},
    [0x93] = {.run = push_stack_global},
};
