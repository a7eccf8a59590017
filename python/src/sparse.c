/* Functions for sparse arrays and for matrices of AnnData. A file is open only while a call lasts.
 */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "call.h"
#include "session.h"

/* --- places ----------------------------------------------------------------------------------- */

/* An array that is open for reading. */
typedef struct source {
    stoa_file *file;
    const char *object;
    stoa_sparse *array;    /* NULL: a matrix of AnnData */
    stoa_matrix_form form; /* COO: a sparse array */
    unsigned rank;
    hsize_t extent[H5S_MAX_RANK];
    hsize_t chunk[H5S_MAX_RANK];
    uint64_t n_values; /* of a matrix of AnnData */
    hid_t type;        /* of values in memory */
} source;

/* Whether `path` is a dataset; then its type in memory, its extent and its chunks are noted. */
static bool look(hid_t loc, const char *path, source *s, hsize_t *extent)
{
    hid_t object = H5I_INVALID_HID;

    stoa_hdf5_lock();
    H5E_BEGIN_TRY
    {
        object = H5Oopen(loc, path, H5P_DEFAULT);
    }
    H5E_END_TRY
    const bool is = object >= 0 && H5Iget_type(object) == H5I_DATASET;
    if (is) {
        const hid_t type = H5Dget_type(object);
        const hid_t space = H5Dget_space(object);
        const hid_t list = H5Dget_create_plist(object);

        s->type = H5Tget_native_type(type, H5T_DIR_ASCEND);
        s->rank = (unsigned)H5Sget_simple_extent_dims(space, extent, NULL);
        if (H5Pget_layout(list) == H5D_CHUNKED) {
            (void)H5Pget_chunk(list, H5S_MAX_RANK, s->chunk);
        }
        (void)H5Pclose(list);
        (void)H5Sclose(space);
        (void)H5Tclose(type);
    }
    if (object >= 0) {
        (void)H5Oclose(object);
    }
    stoa_hdf5_unlock();
    return is && s->type >= 0;
}

static stoa_status open_matrix(source *s, hid_t file, stoa_error *err)
{
    stoa_matrix_group_info info = STOA_MATRIX_GROUP_INFO_INIT;
    const stoa_status status = stoa_matrix_group_describe(file, s->object, &info, err);
    hsize_t n[H5S_MAX_RANK] = {0};
    char *const path = malloc(strlen(s->object) + sizeof "/data");
    bool is = false;

    if (status != STOA_OK || path == NULL) {
        free(path);
        return status != STOA_OK ? status : pystoa_fail(err, STOA_ENOMEM, "memory ran out");
    }
    (void)sprintf(path, "%s/data", s->object);
    is = look(file, path, s, n);
    free(path);
    s->form = info.form;
    s->rank = 2;
    s->extent[0] = info.n_rows;
    s->extent[1] = info.n_columns;
    s->n_values = n[0];
    return is ? STOA_OK : pystoa_fail(err, STOA_EDATA, "the matrix has no dataset 'data'");
}

static stoa_status open_source(source *s, const char *path, bool follows, stoa_error *err)
{
    stoa_file_options options = STOA_FILE_OPTIONS_INIT;
    const stoa_file_patience patience = pystoa_patience();
    stoa_status status;

    options.patience = &patience;
    options.follow_external = follows;
    status = stoa_file_open_with(path, STOA_FILE_READ, &options, &s->file, err);
    if (status != STOA_OK) {
        return status;
    }
    const hid_t file = stoa_file_id(s->file);
    if (stoa_matrix_group_is_one(file, s->object)) {
        return open_matrix(s, file, err);
    }
    status = stoa_sparse_open(file, s->object, NULL, &s->array, err);
    if (status == STOA_OK && !look(file, s->object, s, s->extent)) {
        status = pystoa_fail(err, STOA_EDATA, "the type of the elements cannot be read");
    }
    return status;
}

/* Errors name the file, too. */
static stoa_status at(const source *s, const char *path, stoa_status status, stoa_error *err)
{
    if (status != STOA_OK && s->file != NULL) {
        (void)snprintf(err->where, sizeof err->where, "%s:%s", path, s->object);
    }
    return status;
}

static void close_source(source *s)
{
    if (s->type >= 0) {
        stoa_hdf5_lock();
        (void)H5Tclose(s->type);
        stoa_hdf5_unlock();
    }
    stoa_sparse_close(s->array); /* nothing was changed */
    stoa_file_close(s->file);
}

/* --- types ------------------------------------------------------------------------------------ */

/* A type is told to Python as JSON: "f8" and other words of NumPy, [item, [4]] for an array, and
 * names, formats, offsets and itemsize of a compound. */

static bool say_type(hid_t type, FILE *out, int depth);

static void say_text(const char *text, FILE *out)
{
    (void)fputc('"', out);
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < 0x20 || *text == '"' || *text == '\\') {
            (void)fprintf(out, "\\u%04x", (unsigned char)*text);
        } else {
            (void)fputc(*text, out);
        }
    }
    (void)fputc('"', out);
}

static bool say_array(hid_t type, FILE *out, int depth)
{
    hsize_t extent[H5S_MAX_RANK];
    const int rank = H5Tget_array_dims2(type, extent);
    const hid_t item = H5Tget_super(type);

    (void)fputc('[', out);
    const bool is_known = rank > 0 && say_type(item, out, depth + 1);
    for (int i = 0; i < rank; i++) {
        (void)fprintf(out, "%s%llu", i == 0 ? ", [" : ", ", (unsigned long long)extent[i]);
    }
    (void)fputs("]]", out);
    (void)H5Tclose(item);
    return is_known;
}

static void say_members(hid_t type, FILE *out, bool names)
{
    for (int i = 0; i < H5Tget_nmembers(type); i++) {
        (void)fputs(i == 0 ? "" : ", ", out);
        if (names) {
            char *const name = H5Tget_member_name(type, (unsigned)i);
            say_text(name != NULL ? name : "", out);
            (void)H5free_memory(name);
        } else {
            (void)fprintf(out, "%zu", H5Tget_member_offset(type, (unsigned)i));
        }
    }
}

static bool say_compound(hid_t type, FILE *out, int depth)
{
    bool is_known = true;

    (void)fputs("{\"names\": [", out);
    say_members(type, out, true);
    (void)fputs("], \"offsets\": [", out);
    say_members(type, out, false);
    (void)fputs("], \"formats\": [", out);
    for (int i = 0; is_known && i < H5Tget_nmembers(type); i++) {
        const hid_t member = H5Tget_member_type(type, (unsigned)i);
        (void)fputs(i == 0 ? "" : ", ", out);
        is_known = say_type(member, out, depth + 1);
        (void)H5Tclose(member);
    }
    (void)fprintf(out, "], \"itemsize\": %zu}", H5Tget_size(type));
    return is_known;
}

/* h5py's boolean type is an enumeration of FALSE and TRUE. */
static bool is_bool(hid_t type)
{
    int8_t no = -1;
    int8_t yes = -1;
    bool is = H5Tget_size(type) == 1 && H5Tget_nmembers(type) == 2;

    H5E_BEGIN_TRY
    {
        is = is && H5Tenum_valueof(type, "FALSE", &no) >= 0 &&
             H5Tenum_valueof(type, "TRUE", &yes) >= 0;
    }
    H5E_END_TRY
    return is && no == 0 && yes == 1;
}

static bool say_enum(hid_t type, FILE *out, int depth)
{
    if (is_bool(type)) {
        (void)fputs("\"?\"", out);
        return true;
    }
    const hid_t integer = H5Tget_super(type);
    const bool is_known = say_type(integer, out, depth + 1);
    (void)H5Tclose(integer);
    return is_known;
}

static bool say_word(char letter, size_t size, bool is_known, FILE *out)
{
    (void)fprintf(out, "\"%c%zu\"", letter, size);
    return is_known;
}

static bool say_type(hid_t type, FILE *out, int depth)
{
    enum { MAX_DEPTH = 32 };
    const size_t size = H5Tget_size(type);
    const bool is_whole = size == 1 || size == 2 || size == 4 || size == 8;

    if (depth > MAX_DEPTH) {
        return false;
    }
    switch (H5Tget_class(type)) {
    case H5T_INTEGER:
        return say_word(H5Tget_sign(type) == H5T_SGN_NONE ? 'u' : 'i', size, is_whole, out);
    case H5T_BITFIELD:
        return say_word('u', size, is_whole, out);
    case H5T_FLOAT:
        return say_word('f', size, is_whole && size > 1, out);
    case H5T_STRING:
        return say_word('S', size, H5Tis_variable_str(type) == 0, out);
    case H5T_OPAQUE:
        return say_word('V', size, true, out);
    case H5T_ENUM:
        return say_enum(type, out, depth);
    case H5T_ARRAY:
        return say_array(type, out, depth);
    case H5T_COMPOUND:
        return say_compound(type, out, depth);
    default:
        return false;
    }
}

/* The type of values in words for Python, which is yours. */
static stoa_status describe_type(const source *s, char **text, stoa_error *err)
{
    size_t length = 0;
    FILE *const out = open_memstream(text, &length);

    if (out == NULL) {
        return pystoa_fail(err, STOA_ENOMEM, "memory ran out");
    }
    stoa_hdf5_lock();
    const bool is_known = say_type(s->type, out, 0);
    stoa_hdf5_unlock();
    if (fclose(out) != 0) {
        return pystoa_fail(err, STOA_ENOMEM, "memory ran out");
    }
    return is_known ? STOA_OK
                    : pystoa_fail(err, STOA_ETYPE,
                                  "NumPy has no type for the elements, such as those of variable "
                                  "length; 'stoa dump' shows them");
}

/* The type of one of NumPy's words that sparse arrays are written with; H5I_INVALID_HID: none. */
static hid_t make_type(const char *word)
{
    const int8_t no = 0;
    const int8_t yes = 1;
    const struct {
        const char *word;
        hid_t type;
    } known[] = {
        {"i1", H5T_NATIVE_INT8},
        {"i2", H5T_NATIVE_INT16},
        {"i4", H5T_NATIVE_INT32},
        {"i8", H5T_NATIVE_INT64},
        {"u1", H5T_NATIVE_UINT8},
        {"u2", H5T_NATIVE_UINT16},
        {"u4", H5T_NATIVE_UINT32},
        {"u8", H5T_NATIVE_UINT64},
        {"f4", H5T_NATIVE_FLOAT},
        {"f8", H5T_NATIVE_DOUBLE},
        {"f2", H5Tget_order(H5T_NATIVE_INT) == H5T_ORDER_BE ? H5T_IEEE_F16BE : H5T_IEEE_F16LE}};
    hid_t type = H5I_INVALID_HID;

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(word, known[i].word) == 0) {
            return H5Tcopy(known[i].type);
        }
    }
    if (strcmp(word, "?") == 0) {
        type = H5Tenum_create(H5T_NATIVE_INT8);
        (void)H5Tenum_insert(type, "FALSE", &no);
        (void)H5Tenum_insert(type, "TRUE", &yes);
    } else if (strcmp(word, "c8") == 0 || strcmp(word, "c16") == 0) {
        const hid_t part = word[1] == '8' ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
        const size_t size = H5Tget_size(part);
        type = H5Tcreate(H5T_COMPOUND, 2 * size);
        (void)H5Tinsert(type, "r", 0, part);
        (void)H5Tinsert(type, "i", size, part);
    }
    return type;
}

/* --- reading ---------------------------------------------------------------------------------- */

/* Elements are read in slabs that take about this long, so that Ctrl-C is seen between them. */
enum { SHORT = 20, LONG = 60 }; /* milliseconds */

static uint64_t milliseconds(void)
{
    struct timespec time = {0};

    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

static uint64_t adapted(uint64_t step, uint64_t began)
{
    const uint64_t took = milliseconds() - began;

    return took < SHORT && step < UINT64_MAX / 4 ? 2 * step
           : took > LONG && step > 1             ? step / 2
                                                 : step;
}

static stoa_status tell(const stoa_listener *listener, const char *stage, uint64_t n, uint64_t all,
                        stoa_error *err)
{
    const stoa_progress progress = {.stage = stage, .rows = n, .total_rows = all};

    return listener->on_progress(listener->context, &progress)
               ? STOA_OK
               : pystoa_fail(err, STOA_ECANCELLED, "the callback stopped the call");
}

typedef struct reading {
    source from;
    uint64_t start[H5S_MAX_RANK];
    uint64_t count[H5S_MAX_RANK];
    size_t value_size;
    /* Of type bytearray. */
    PyObject *coordinates; /* uint64_t, shape (n, rank); of a matrix int64_t, shape (n,): those
                              across its lines */
    PyObject *values;      /* shape (n,) */
    PyObject *lengths;     /* of a matrix: uint64_t, the number of entries in each line */
    stoa_listener listener;
} reading;

/* Make room for `n_bytes` more at the end of a bytearray that nobody else sees yet: a pointer to
 * them. NULL if memory ran out. */
static void *grow(PyObject *array, uint64_t n_bytes)
{
    const PyGILState_STATE state = PyGILState_Ensure();
    const Py_ssize_t old = PyByteArray_Size(array);
    const bool is_done = n_bytes <= (uint64_t)(PY_SSIZE_T_MAX - old) &&
                         PyByteArray_Resize(array, old + (Py_ssize_t)n_bytes) == 0;
    char *const data = is_done ? PyByteArray_AsString(array) + old : NULL;

    PyErr_Clear();
    PyGILState_Release(state);
    return data;
}

static stoa_status read_slab(const reading *r, const uint64_t *start, const uint64_t *count,
                             stoa_error *err)
{
    const size_t tuple = r->from.rank * sizeof(uint64_t);
    stoa_sparse_points points = {.n = 0};
    stoa_status status =
        stoa_sparse_read(r->from.array, start, count, STOA_FILE_NATIVE, &points, err);

    if (status == STOA_OK && points.n > 0) {
        void *const coordinates = grow(r->coordinates, points.n * tuple);
        void *const values = grow(r->values, points.n * r->value_size);

        if (coordinates != NULL && values != NULL) {
            memcpy(coordinates, points.coordinates, points.n * tuple);
            memcpy(values, points.values, points.n * r->value_size);
        } else {
            status = pystoa_fail(err, STOA_ENOMEM, "memory ran out");
        }
    }
    stoa_sparse_points_clear(&points);
    return status;
}

/* Of each line the number of entries in the box; all of them together. */
static uint64_t count_lines(const reading *r, const stoa_matrix *m, uint64_t n, uint64_t *lengths)
{
    const unsigned across = m->form == STOA_MATRIX_CSR ? 1 : 0;
    const int64_t *const pointers = m->pointers;
    const int64_t *const indices = across == 1 ? m->columns : m->rows;
    uint64_t n_all = 0;

    for (uint64_t i = 0; i < n; i++) {
        lengths[i] = 0;
        for (int64_t k = pointers[i]; k < pointers[i + 1]; k++) {
            lengths[i] += (uint64_t)indices[k] - r->start[across] < r->count[across];
        }
        n_all += lengths[i];
    }
    return n_all;
}

/* The entries in the box: their indices across the lines, and their values. */
static void take_lines(const reading *r, const stoa_matrix *m, uint64_t n, int64_t *to,
                       char *values)
{
    const unsigned across = m->form == STOA_MATRIX_CSR ? 1 : 0;
    const int64_t *const indices = across == 1 ? m->columns : m->rows;
    const char *const from = m->values;

    if (n == m->n) {
        memcpy(to, indices, (size_t)n * sizeof *to);
        memcpy(values, from, (size_t)n * r->value_size);
        return;
    }
    for (uint64_t k = 0; k < m->n; k++) {
        if ((uint64_t)indices[k] - r->start[across] < r->count[across]) {
            *to++ = indices[k];
            memcpy(values, from + k * r->value_size, r->value_size);
            values += r->value_size;
        }
    }
}

static stoa_status read_lines(const reading *r, uint64_t first, uint64_t n, stoa_error *err)
{
    stoa_matrix matrix = {.n = 0};
    uint64_t *const lengths = grow(r->lengths, n * sizeof *lengths);
    stoa_status status = stoa_matrix_group_read(stoa_file_id(r->from.file), r->from.object, first,
                                                n, r->from.type, &matrix, err);

    if (status == STOA_OK && lengths == NULL) {
        status = pystoa_fail(err, STOA_ENOMEM, "memory ran out");
    }
    const uint64_t n_found = status == STOA_OK ? count_lines(r, &matrix, n, lengths) : 0;
    if (n_found > 0) {
        int64_t *const indices = grow(r->coordinates, n_found * sizeof *indices);
        char *const values = grow(r->values, n_found * r->value_size);

        if (indices != NULL && values != NULL) {
            take_lines(r, &matrix, n_found, indices, values);
        } else {
            status = pystoa_fail(err, STOA_ENOMEM, "memory ran out");
        }
    }
    stoa_matrix_clear(&matrix);
    return status;
}

static stoa_status within(const reading *r, stoa_error *err)
{
    for (unsigned i = 0; i < r->from.rank; i++) {
        const uint64_t extent = r->from.extent[i];
        if (r->start[i] > extent || r->count[i] > extent - r->start[i]) {
            return pystoa_fail(err, STOA_ERANGE, "dimension %u ends at %llu now", i,
                               (unsigned long long)extent);
        }
    }
    return STOA_OK;
}

static stoa_status read_box(reading *r, stoa_error *err)
{
    enum { FEW_LINES = 1 << 12 };
    const bool is_matrix = r->from.array == NULL;
    const unsigned along = r->from.form == STOA_MATRIX_CSC ? 1 : 0;
    const uint64_t unit = is_matrix || r->from.chunk[0] == 0 ? 1 : r->from.chunk[0];
    const uint64_t end = r->start[along] + r->count[along];
    uint64_t step = is_matrix ? FEW_LINES : 1;
    uint64_t start[H5S_MAX_RANK];
    uint64_t count[H5S_MAX_RANK];
    stoa_status status = within(r, err);

    memcpy(start, r->start, sizeof start);
    memcpy(count, r->count, sizeof count);
    for (uint64_t at = start[along]; status == STOA_OK && at < end; at = start[along]) {
        const uint64_t began = milliseconds();
        const uint64_t rows = step > UINT64_MAX / unit ? UINT64_MAX : step * unit - at % unit;

        count[along] = rows < end - at ? rows : end - at;
        status = is_matrix ? read_lines(r, at, count[along], err) : read_slab(r, start, count, err);
        if (status == STOA_OK) {
            status = tell(&r->listener, "reading", at - r->start[along] + count[along],
                          r->count[along], err);
        }
        start[along] += count[along];
        step = adapted(step, began);
    }
    return status;
}

/* --- functions for reading -------------------------------------------------------------------- */

/* Numbers of a tuple, at most H5S_MAX_RANK; -1 with an exception. */
static int numbers_of(PyObject *tuple, uint64_t *numbers)
{
    const Py_ssize_t n = PyTuple_Check(tuple) ? PyTuple_Size(tuple) : -1;

    if (n < 0 || n > H5S_MAX_RANK) {
        PyErr_Format(PyExc_ValueError, "an array has at most %d dimensions", H5S_MAX_RANK);
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        numbers[i] = PyLong_AsUnsignedLongLong(PyTuple_GetItem(tuple, i));
        if (PyErr_Occurred()) {
            return -1;
        }
    }
    return (int)n;
}

static PyObject *tuple_of(const uint64_t *numbers, unsigned n)
{
    PyObject *const tuple = PyTuple_New((Py_ssize_t)n);

    for (unsigned i = 0; tuple != NULL && i < n; i++) {
        PyObject *const number = PyLong_FromUnsignedLongLong(numbers[i]);
        if (number == NULL || PyTuple_SetItem(tuple, (Py_ssize_t)i, number) < 0) {
            Py_DECREF(tuple);
            return NULL;
        }
    }
    return tuple;
}

typedef struct description {
    source from;
    uint64_t extent[H5S_MAX_RANK];
    uint64_t chunk[H5S_MAX_RANK];
    stoa_sparse_info info; /* of a sparse array */
    char *type;
    size_t fill_size;
    void *fill;
} description;

static stoa_status describe_array(description *d, stoa_error *err)
{
    const stoa_status status = stoa_sparse_describe(d->from.array, &d->info, err);

    if (status != STOA_OK) {
        return status;
    }
    memcpy(d->chunk, d->info.chunk, d->info.rank * sizeof *d->chunk);
    stoa_hdf5_lock();
    const hid_t list = H5Dget_create_plist(d->info.dataset);
    const bool is_read = H5Pget_fill_value(list, d->from.type, d->fill) >= 0;
    (void)H5Pclose(list);
    stoa_hdf5_unlock();
    return is_read ? STOA_OK : pystoa_fail(err, STOA_EHDF5, "the fill value cannot be read");
}

static stoa_status describe(description *d, const char *path, bool follows, stoa_error *err)
{
    stoa_status status = open_source(&d->from, path, follows, err);

    if (status == STOA_OK) {
        status = describe_type(&d->from, &d->type, err);
    }
    if (status != STOA_OK) {
        return at(&d->from, path, status, err);
    }
    for (unsigned i = 0; i < d->from.rank; i++) {
        d->extent[i] = d->from.extent[i];
    }
    stoa_hdf5_lock();
    d->fill_size = H5Tget_size(d->from.type);
    stoa_hdf5_unlock();
    d->fill = calloc(1, d->fill_size);
    if (d->fill == NULL) {
        return pystoa_fail(err, STOA_ENOMEM, "memory ran out");
    }
    return d->from.array != NULL ? at(&d->from, path, describe_array(d, err), err) : STOA_OK;
}

static PyObject *description_of(const description *d)
{
    static const char *const forms[] = {
        [STOA_MATRIX_COO] = "array", [STOA_MATRIX_CSR] = "csr", [STOA_MATRIX_CSC] = "csc"};
    const bool is_array = d->from.array != NULL;

    return Py_BuildValue("{s:s,s:N,s:N,s:s,s:N,s:K,s:K}", "kind", forms[d->from.form], "shape",
                         tuple_of(d->extent, d->from.rank), "chunks",
                         is_array ? tuple_of(d->chunk, d->from.rank) : Py_NewRef(Py_None), "type",
                         d->type, "fill",
                         PyBytes_FromStringAndSize(d->fill, (Py_ssize_t)d->fill_size), "nnz",
                         (unsigned long long)(is_array ? d->info.n_defined : d->from.n_values),
                         "stored_bytes", (unsigned long long)d->info.n_stored_bytes);
}

static PyObject *info(PyObject *module, PyObject *arguments)
{
    description d = {.from = {.type = H5I_INVALID_HID}, .info = STOA_SPARSE_INFO_INIT};
    PyObject *path = NULL;
    int follows = 0;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status;

    if (!PyArg_ParseTuple(arguments, "O&sp", PyUnicode_FSConverter, &path, &d.from.object,
                          &follows)) {
        return NULL;
    }
    const char *const name = PyBytes_AsString(path);
    PyThreadState *const python = PyEval_SaveThread();
    status = describe(&d, name, follows != 0, &err);
    PyEval_RestoreThread(python);
    PyObject *const result =
        status == STOA_OK ? description_of(&d) : pystoa_raise(PyModule_GetState(module), &err);
    PyThreadState *const again = PyEval_SaveThread();
    close_source(&d.from);
    PyEval_RestoreThread(again);
    free(d.type);
    free(d.fill);
    Py_DECREF(path);
    return result;
}

static stoa_status run_read(reading *r, const char *path, bool follows, unsigned rank, char **type,
                            stoa_error *err)
{
    stoa_status status = open_source(&r->from, path, follows, err);

    if (status == STOA_OK && r->from.rank != rank) {
        status = pystoa_fail(err, STOA_ERANGE, "the array has %u dimensions now, not %u",
                             r->from.rank, rank);
    }
    if (status == STOA_OK) {
        status = describe_type(&r->from, type, err);
    }
    if (status == STOA_OK) {
        stoa_hdf5_lock();
        r->value_size = H5Tget_size(r->from.type);
        stoa_hdf5_unlock();
        status = read_box(r, err);
    }
    status = at(&r->from, path, status, err);
    close_source(&r->from);
    return status;
}

static PyObject *read_elements(PyObject *module, PyObject *arguments)
{
    reading r = {.from = {.type = H5I_INVALID_HID}};
    pystoa_call call = PYSTOA_CALL_INIT;
    PyObject *path = NULL;
    PyObject *start;
    PyObject *count;
    PyObject *progress;
    int follows = 0;
    char *type = NULL;
    stoa_status status;
    PyObject *result = NULL;

    if (!PyArg_ParseTuple(arguments, "O&spOOO", PyUnicode_FSConverter, &path, &r.from.object,
                          &follows, &start, &count, &progress)) {
        return NULL;
    }
    const int rank = numbers_of(start, r.start);
    if (rank < 0 || numbers_of(count, r.count) != rank) {
        Py_DECREF(path);
        return NULL;
    }
    const char *const name = PyBytes_AsString(path);
    r.coordinates = PyByteArray_FromStringAndSize(NULL, 0);
    r.values = PyByteArray_FromStringAndSize(NULL, 0);
    r.lengths = PyByteArray_FromStringAndSize(NULL, 0);
    call.progress = progress != Py_None ? progress : NULL;
    r.listener = pystoa_listener(&call);
    if (r.coordinates != NULL && r.values != NULL && r.lengths != NULL) {
        PyThreadState *const python = PyEval_SaveThread();
        status = run_read(&r, name, follows != 0, (unsigned)rank, &type, &call.err);
        PyEval_RestoreThread(python);
        result = status == STOA_OK ? Py_BuildValue("OOsO", r.coordinates, r.values, type, r.lengths)
                                   : pystoa_raise(PyModule_GetState(module), &call.err);
    }
    free(type);
    Py_XDECREF(r.coordinates);
    Py_XDECREF(r.values);
    Py_XDECREF(r.lengths);
    Py_DECREF(path);
    return result;
}

/* --- writing ---------------------------------------------------------------------------------- */

typedef struct writing {
    const char *path;
    const char *object;
    const char *type;
    unsigned rank;
    uint64_t extent[H5S_MAX_RANK];
    uint64_t chunk[H5S_MAX_RANK];
    stoa_sparse_options options;
    Py_buffer coordinates; /* uint64_t, shape (n, rank) */
    Py_buffer values;
    Py_buffer fill;
    bool replaces;
    stoa_listener listener;
    uint64_t n;
} writing;

static stoa_status sizes_fit(writing *w, hid_t type, stoa_error *err)
{
    stoa_hdf5_lock();
    const size_t size = type >= 0 ? H5Tget_size(type) : 0;
    stoa_hdf5_unlock();
    if (size == 0) {
        return pystoa_fail(err, STOA_ETYPE,
                           "a sparse array is not written with values of type '%s'", w->type);
    }
    w->n = (uint64_t)w->values.len / size;
    if ((uint64_t)w->coordinates.len != w->n * w->rank * sizeof(uint64_t) ||
        (uint64_t)w->values.len != w->n * size ||
        (w->options.fill != NULL && (size_t)w->fill.len != size)) {
        return pystoa_fail(err, STOA_EINVAL, "coordinates, values and the fill value do not match");
    }
    return STOA_OK;
}

static stoa_status write_elements(const writing *w, stoa_sparse *array, hid_t type, stoa_error *err)
{
    const uint64_t *const coordinates = w->coordinates.buf;
    const char *const values = w->values.buf;
    const uint64_t size = w->n > 0 ? (uint64_t)w->values.len / w->n : 0;
    uint64_t step = UINT64_C(1) << 16;
    stoa_status status = STOA_OK;

    for (uint64_t at = 0; status == STOA_OK && at < w->n;) {
        const uint64_t began = milliseconds();
        const uint64_t n = step < w->n - at ? step : w->n - at;

        status =
            stoa_sparse_write(array, n, coordinates + at * w->rank, values + at * size, type, err);
        at += n;
        if (status == STOA_OK) {
            status = tell(&w->listener, "writing", at, w->n, err);
        }
        step = adapted(step, began);
    }
    return status;
}

static stoa_status write_array(const writing *w, hid_t file, hid_t type, stoa_error *err)
{
    stoa_sparse *array = NULL;
    stoa_status status = STOA_OK;

    if (w->replaces) {
        status = stoa_sparse_remove(file, w->object, err);
        status = status == STOA_ENOTFOUND ? STOA_OK : status;
    }
    if (status == STOA_OK) {
        status = stoa_sparse_create(file, w->object, type, w->rank, w->extent, &w->options, NULL,
                                    &array, err);
    }
    if (status == STOA_OK) {
        status = write_elements(w, array, type, err);
    }
    if (status != STOA_OK) {
        stoa_sparse_close(array);
        return status;
    }
    return stoa_sparse_commit(array, err);
}

static stoa_status run_write(writing *w, stoa_error *err)
{
    pystoa_session session = PYSTOA_SESSION_INIT;
    stoa_status status = pystoa_session_open_target(&session, w->path, err);

    if (status == STOA_OK) {
        stoa_hdf5_lock();
        const hid_t type = make_type(w->type);
        stoa_hdf5_unlock();
        status = sizes_fit(w, type, err);
        if (status == STOA_OK) {
            status = write_array(w, stoa_file_id(session.file), type, err);
        }
        if (type >= 0) {
            stoa_hdf5_lock();
            (void)H5Tclose(type);
            stoa_hdf5_unlock();
        }
    }
    if (status == STOA_OK) {
        status = pystoa_session_commit(&session, NULL, false, err);
    }
    pystoa_session_close(&session);
    return status;
}

static bool take_arguments(writing *w, PyObject *shape, PyObject *chunks, PyObject *coordinates,
                           PyObject *values, PyObject *fill)
{
    const int rank = numbers_of(shape, w->extent);

    if (rank < 0) {
        return false;
    }
    w->rank = (unsigned)rank;
    if (chunks != Py_None) {
        const int n = numbers_of(chunks, w->chunk);
        if (n != rank) {
            if (n >= 0) {
                PyErr_Format(PyExc_ValueError, "chunks have %d dimensions, the array %d", n, rank);
            }
            return false;
        }
        w->options.chunk = w->chunk;
    }
    if (PyObject_GetBuffer(coordinates, &w->coordinates, PyBUF_SIMPLE) < 0 ||
        PyObject_GetBuffer(values, &w->values, PyBUF_SIMPLE) < 0 ||
        (fill != Py_None && PyObject_GetBuffer(fill, &w->fill, PyBUF_SIMPLE) < 0)) {
        return false;
    }
    w->options.fill = fill != Py_None ? w->fill.buf : NULL;
    return true;
}

static PyObject *write_sparse(PyObject *module, PyObject *arguments)
{
    writing w = {.options = STOA_SPARSE_OPTIONS_INIT};
    pystoa_call call = PYSTOA_CALL_INIT;
    PyObject *path = NULL;
    PyObject *shape;
    PyObject *chunks;
    PyObject *coordinates;
    PyObject *values;
    PyObject *fill;
    PyObject *progress;
    int replaces = 0;
    PyObject *result = NULL;

    if (!PyArg_ParseTuple(arguments, "O&ssOOOOOzpO", PyUnicode_FSConverter, &path, &w.object,
                          &w.type, &shape, &coordinates, &values, &fill, &chunks, &w.options.values,
                          &replaces, &progress)) {
        return NULL;
    }
    w.path = PyBytes_AsString(path);
    w.replaces = replaces != 0;
    call.progress = progress != Py_None ? progress : NULL;
    w.listener = pystoa_listener(&call);
    if (take_arguments(&w, shape, chunks, coordinates, values, fill)) {
        PyThreadState *const python = PyEval_SaveThread();
        const stoa_status status = run_write(&w, &call.err);
        PyEval_RestoreThread(python);
        result = status == STOA_OK ? PyLong_FromUnsignedLongLong(w.n)
                                   : pystoa_raise(PyModule_GetState(module), &call.err);
    }
    PyBuffer_Release(&w.fill);
    PyBuffer_Release(&w.values);
    PyBuffer_Release(&w.coordinates);
    Py_DECREF(path);
    return result;
}

PyMethodDef pystoa_sparse_functions[] = {
    {"sparse_info", info, METH_VARARGS,
     "sparse_info(path, object, follow_external): what a sparse array is, as a dict."},
    {"sparse_read", read_elements, METH_VARARGS,
     "sparse_read(path, object, follow_external, start, count, progress): coordinates, values, the "
     "type of values, and the lengths of lines."},
    {"sparse_write", write_sparse, METH_VARARGS,
     "sparse_write(path, object, type, shape, coordinates, values, fill, chunks, codec, replace, "
     "progress): the number of elements."},
    {NULL, NULL, 0, NULL},
};
