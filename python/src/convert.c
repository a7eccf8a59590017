/* The function that converts tables of a file to another layout, in another file or in the same. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "call.h"
#include "session.h"
#include "strings.h"

typedef struct step {
    char *path;
    char *target;
    char *outer;
    char *inside;
    uint64_t n_rows;
} step;

typedef struct paths {
    char **items;
    size_t n;
    bool is_full; /* memory ran out */
} paths;

typedef struct request {
    const char *from;
    const char *to;
    const char *object; /* NULL: every table */
    const char *target; /* NULL: the path that it has */
    stoa_layout_options options;
    pystoa_strings missing;
    pystoa_strings settings;
    pystoa_strings fills;
    stoa_file *source; /* NULL if the tables stay in their file */
    pystoa_session session;
    paths listed;
    step *steps;
    size_t n_steps;
    bool is_full;
    PyObject *left; /* objects that stay behind: pairs of a path and a kind */
} request;

static char *copy_of(const char *text, bool *is_full)
{
    char *const copy = text != NULL ? strdup(text) : NULL;

    *is_full = *is_full || (text != NULL && copy == NULL);
    return copy;
}

static bool add_path(void *context, const stoa_object *object)
{
    request *const r = context;
    const bool is_all = r->target == NULL;
    char **longer;

    if (!stoa_layout_converts(is_all ? r->options.layout : NULL, object)) {
        return true;
    }
    longer = realloc(r->listed.items, (r->listed.n + 1) * sizeof *longer);
    if (longer == NULL) {
        r->is_full = true;
        return false;
    }
    r->listed.items = longer;
    longer[r->listed.n++] = copy_of(object->path, &r->is_full);
    return !r->is_full;
}

static bool add_step(void *context, const stoa_layout_step *is)
{
    request *const r = context;
    step *const longer = realloc(r->steps, (r->n_steps + 1) * sizeof *longer);

    if (longer == NULL) {
        r->is_full = true;
        return false;
    }
    r->steps = longer;
    longer[r->n_steps++] =
        (step){copy_of(is->path, &r->is_full), copy_of(is->target, &r->is_full),
               copy_of(is->outer, &r->is_full), copy_of(is->inside, &r->is_full), 0};
    return !r->is_full;
}

static hid_t source_id(const request *r)
{
    return stoa_file_id(r->source != NULL ? r->source : r->session.file);
}

static stoa_status memory_checked(const request *r, stoa_status status, stoa_error *err)
{
    return status == STOA_OK && r->is_full ? pystoa_fail(err, STOA_ENOMEM, "memory ran out")
                                           : status;
}

static stoa_status find_steps(request *r, stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (r->object != NULL) {
        const char *const target = r->target != NULL ? r->target : r->object;

        return memory_checked(
            r,
            stoa_layout_visit_steps(source_id(r), r->object, target, &r->options, add_step, r, err),
            err);
    }
    status = memory_checked(r, stoa_layout_visit(source_id(r), add_path, r, err), err);
    if (status == STOA_OK && r->listed.n == 0) {
        return pystoa_fail(err, STOA_ENOTFOUND, "'%s' has no table to convert", r->from);
    }
    if (status == STOA_OK && r->listed.n > 1 && r->target != NULL) {
        return pystoa_fail(err, STOA_EINVAL, "'%s' has %zu tables, which cannot all be '%s'",
                           r->from, r->listed.n, r->target);
    }
    for (size_t i = 0; status == STOA_OK && i < r->listed.n; i++) {
        status = memory_checked(r,
                                stoa_layout_visit_steps(source_id(r), r->listed.items[i], r->target,
                                                        &r->options, add_step, r, err),
                                err);
    }
    return status;
}

static bool add_left(void *context, const stoa_unconverted *object)
{
    request *const r = context;
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *const pair = Py_BuildValue("NN", pystoa_str(object->path), pystoa_str(object->kind));
    const bool is_added = pair != NULL && PyList_Append(r->left, pair) == 0;

    Py_XDECREF(pair);
    PyGILState_Release(state);
    return is_added;
}

/* What stays behind if all tables of a file go to another one. */
static stoa_status find_left(request *r, stoa_error *err)
{
    const char **tables;
    stoa_status status;

    if (r->object != NULL || r->source == NULL) {
        return STOA_OK;
    }
    tables = calloc(r->n_steps + 1, sizeof *tables);
    if (tables == NULL) {
        return pystoa_fail(err, STOA_ENOMEM, "memory ran out");
    }
    for (size_t i = 0; i < r->n_steps; i++) {
        tables[i] = r->steps[i].path;
    }
    status = stoa_layout_visit_unconverted(source_id(r), tables, r->n_steps, add_left, r, err);
    free((void *)(uintptr_t)tables);
    return status;
}

static stoa_status convert_steps(request *r, stoa_error *err)
{
    const hid_t target = stoa_file_id(r->session.file);
    const char **const targets = calloc(r->n_steps + 1, sizeof *targets);
    stoa_status status = STOA_OK;

    if (targets == NULL) {
        return pystoa_fail(err, STOA_ENOMEM, "memory ran out");
    }
    r->options.unlisted = true;
    for (size_t i = 0; status == STOA_OK && i < r->n_steps; i++) {
        step *const is = &r->steps[i];
        const stoa_layout_step one = {is->path, is->target, is->outer, is->inside};

        targets[i] = is->target;
        status =
            stoa_layout_convert_step(source_id(r), &one, target, &r->options, &is->n_rows, err);
    }
    if (status == STOA_OK) {
        status = stoa_layout_list_written(target, targets, r->n_steps, &r->options, err);
    }
    free((void *)(uintptr_t)targets);
    return status;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat first;
    struct stat second;

    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

/* All of a file that AnnData wrote, matrices and the rest with it. */
static bool is_anndata(const request *r)
{
    return r->object == NULL && r->target == NULL && r->source != NULL &&
           (strcmp(r->options.layout, "hep001") == 0 ||
            strcmp(r->options.layout, "anndata") == 0) &&
           stoa_anndata_is_one(source_id(r));
}

static stoa_status convert_anndata(request *r, stoa_error *err)
{
    stoa_status status = pystoa_session_open(
        &r->session, r->to, r->options.replace ? STOA_FILE_REPLACE : STOA_FILE_CREATE, err);

    return status == STOA_OK ? stoa_anndata_convert(source_id(r), stoa_file_id(r->session.file),
                                                    &r->options, NULL, NULL, NULL, err)
                             : status;
}

static stoa_status convert_all(request *r, stoa_error *err)
{
    stoa_file_options options = STOA_FILE_OPTIONS_INIT;
    const stoa_file_patience patience = pystoa_patience();
    stoa_status status = STOA_OK;

    options.patience = &patience;
    if (!is_same_file(r->from, r->to)) {
        status = stoa_file_open_with(r->from, STOA_FILE_READ, &options, &r->source, err);
    }
    if (status == STOA_OK && is_anndata(r)) {
        status = convert_anndata(r, err);
    } else if (status == STOA_OK) {
        status = pystoa_session_open_target(&r->session, r->to, err);
        if (status == STOA_OK) {
            status = find_steps(r, err);
        }
        if (status == STOA_OK) {
            status = find_left(r, err);
        }
        if (status == STOA_OK) {
            status = convert_steps(r, err);
        }
    }
    stoa_file_close(r->source);
    r->source = NULL;
    return status == STOA_OK ? pystoa_session_commit(&r->session, NULL, false, err) : status;
}

static void clear(request *r)
{
    pystoa_session_close(&r->session);
    for (size_t i = 0; i < r->listed.n; i++) {
        free(r->listed.items[i]);
    }
    free(r->listed.items);
    for (size_t i = 0; i < r->n_steps; i++) {
        free(r->steps[i].path);
        free(r->steps[i].target);
        free(r->steps[i].outer);
        free(r->steps[i].inside);
    }
    free(r->steps);
    pystoa_strings_clear(&r->missing);
    pystoa_strings_clear(&r->settings);
    pystoa_strings_clear(&r->fills);
    Py_XDECREF(r->left);
}

/* The tables that were made, as tuples of a path, a target and a number of rows; what is left. */
static PyObject *result_of(const request *r)
{
    PyObject *const tables = PyList_New(0);

    for (size_t i = 0; tables != NULL && i < r->n_steps; i++) {
        const step *const is = &r->steps[i];
        PyObject *const one = Py_BuildValue("NNK", pystoa_str(is->path), pystoa_str(is->target),
                                            (unsigned long long)is->n_rows);
        const bool is_added = one != NULL && PyList_Append(tables, one) == 0;

        Py_XDECREF(one);
        if (!is_added) {
            Py_DECREF(tables);
            return NULL;
        }
    }
    return tables != NULL ? Py_BuildValue("NO", tables, r->left) : NULL;
}

static PyObject *run(const pystoa_state *state, request *r, pystoa_call *call)
{
    stoa_status status;

    r->options.missing = (const void *)r->missing.items;
    r->options.n_missing = r->missing.n;
    r->options.settings = (const void *)r->settings.items;
    r->options.n_settings = r->settings.n;
    r->options.fills = (const void *)r->fills.items;
    r->options.n_fills = r->fills.n;
    r->options.listener = pystoa_listener(call);
    PyThreadState *const python = PyEval_SaveThread();
    status = convert_all(r, &call->err);
    PyEval_RestoreThread(python);
    return status == STOA_OK ? result_of(r) : pystoa_raise(state, &call->err);
}

static PyObject *convert(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"source",        "target",  "layout",   "source_object",
                            "target_object", "title",   "codec",    "chunk_rows",
                            "replace",       "widen",   "missing",  "settings",
                            "fills",         "threads", "progress", NULL};
    request r = {.options = STOA_LAYOUT_OPTIONS_INIT, .session = PYSTOA_SESSION_INIT};
    pystoa_call call = PYSTOA_CALL_INIT;
    PyObject *from = NULL;
    PyObject *to = NULL;
    PyObject *missing = NULL;
    PyObject *settings = NULL;
    PyObject *fills = NULL;
    PyObject *progress = Py_None;
    int replace = 0;
    int widen = 0;
    PyObject *result = NULL;

    if (!PyArg_ParseTupleAndKeywords(
            arguments, keywords, "O&O&s|zzzzO&ppOOOO&O", names, PyUnicode_FSConverter, &from,
            PyUnicode_FSConverter, &to, &r.options.layout, &r.object, &r.target, &r.options.title,
            &r.options.codec, pystoa_count, &r.options.chunk_rows, &replace, &widen, &missing,
            &settings, &fills, pystoa_small_count, &r.options.threads, &progress)) {
        return NULL;
    }
    r.from = PyBytes_AsString(from);
    r.to = PyBytes_AsString(to);
    r.options.replace = replace != 0;
    r.options.widen = widen != 0;
    r.left = PyList_New(0);
    call.progress = progress != Py_None ? progress : NULL;
    if (r.left != NULL && pystoa_strings_of(missing, 2, &r.missing) &&
        pystoa_strings_of(settings, 2, &r.settings) && pystoa_strings_of(fills, 2, &r.fills)) {
        result = run(PyModule_GetState(module), &r, &call);
    }
    clear(&r);
    Py_DECREF(from);
    Py_DECREF(to);
    return result;
}

PyMethodDef pystoa_convert_functions[] = {
    {"convert", (PyCFunction)(void (*)(void))convert, METH_VARARGS | METH_KEYWORDS,
     "What pystoa.convert() is made of."},
    {NULL, NULL, 0, NULL},
};
