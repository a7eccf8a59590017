/*
 * An ArrowArrayStream over plain C arrays, made by hand: all that a program needs to hand its data
 * to Stoa, or to anything else that speaks the Arrow C data interface. Copy it into your own.
 *
 * Nothing is copied here: the arrays are lent, and must stay until the stream is released.
 */
#ifndef EXAMPLES_ARRAYS_H
#define EXAMPLES_ARRAYS_H

#include <errno.h>
#include <stdlib.h>
#include <stoa/arrow.h>
#include <string.h>

/* One column: what Arrow calls a field and the buffers of an array. */
typedef struct column {
    const char *name;
    const char *format;     /* "l" int64, "g" float64, "u" string, "S" uint16, ... */
    int64_t null_count;     /* rows whose bit in buffers[0] is not set */
    int64_t n_buffers;      /* numbers 2: validity, values; strings 3: validity, ends, bytes */
    const void *buffers[3]; /* a validity of NULL: no row is missing */
} column;

typedef struct table_of_arrays {
    const column *columns;
    int64_t n_columns;
    int64_t n_rows;
    int given; /* the one batch has been asked for */
} table_of_arrays;

static void release_schema(struct ArrowSchema *schema)
{
    free(schema->private_data); /* the children, all in one block */
    schema->release = NULL;
}

static void release_child_schema(struct ArrowSchema *schema)
{
    schema->release = NULL; /* its memory is the parent's */
}

static int give_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    const table_of_arrays *const table = stream->private_data;
    const size_t n = (size_t)table->n_columns;
    struct ArrowSchema *const fields = calloc(n, sizeof *fields + sizeof(struct ArrowSchema *));
    struct ArrowSchema **const children = (struct ArrowSchema **)(void *)(fields + n);

    if (fields == NULL) {
        return ENOMEM;
    }
    for (size_t i = 0; i < n; i++) {
        fields[i] = (struct ArrowSchema){.format = table->columns[i].format,
                                         .name = table->columns[i].name,
                                         .flags = ARROW_FLAG_NULLABLE,
                                         .release = release_child_schema};
        children[i] = &fields[i];
    }
    *out = (struct ArrowSchema){.format = "+s", /* a struct: its children are the columns */
                                .name = "",
                                .n_children = table->n_columns,
                                .children = children,
                                .release = release_schema,
                                .private_data = fields};
    return 0;
}

/* An array and, behind it, its list of buffers. */
typedef struct array_block {
    struct ArrowArray array;
    const void *buffers[3];
} array_block;

static void release_array(struct ArrowArray *array)
{
    free(array->private_data);
    array->release = NULL;
}

static void release_child_array(struct ArrowArray *array)
{
    array->release = NULL;
}

static int give_batch(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    static const void *no_validity[1]; /* of the struct itself: every row is there */
    table_of_arrays *const table = stream->private_data;
    const size_t n = (size_t)table->n_columns;
    array_block *blocks;
    struct ArrowArray **children;

    *out = (struct ArrowArray){.release = NULL};
    if (table->given++) {
        return 0; /* a batch that is released already ends the stream */
    }
    blocks = calloc(n, sizeof *blocks + sizeof(struct ArrowArray *));
    if (blocks == NULL) {
        return ENOMEM;
    }
    children = (struct ArrowArray **)(void *)(blocks + n);
    for (size_t i = 0; i < n; i++) {
        const column *const c = &table->columns[i];

        memcpy(blocks[i].buffers, c->buffers, sizeof c->buffers);
        blocks[i].array = (struct ArrowArray){.length = table->n_rows,
                                              .null_count = c->null_count,
                                              .n_buffers = c->n_buffers,
                                              .buffers = blocks[i].buffers,
                                              .release = release_child_array};
        children[i] = &blocks[i].array;
    }
    *out = (struct ArrowArray){.length = table->n_rows,
                               .n_buffers = 1,
                               .buffers = no_validity,
                               .n_children = table->n_columns,
                               .children = children,
                               .release = release_array,
                               .private_data = blocks};
    return 0;
}

static const char *say_nothing(struct ArrowArrayStream *stream)
{
    (void)stream;
    return NULL; /* memory is all that can fail here */
}

static void release_stream(struct ArrowArrayStream *stream)
{
    stream->release = NULL;
}

/* The stream of `table`, in one batch. */
static struct ArrowArrayStream stream_of(table_of_arrays *table)
{
    return (struct ArrowArrayStream){.get_schema = give_schema,
                                     .get_next = give_batch,
                                     .get_last_error = say_nothing,
                                     .release = release_stream,
                                     .private_data = table};
}

#endif
