#include "run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct pystoa_run {
    pystoa_handle *handle;
    stoa_query *query; /* NULL when the result has ended and the plan is not kept */
    struct ArrowArrayStream stream;
    pystoa_call call;
    stoa_error said; /* by the stream that was made for others */
    bool keeps_plan;
};

/* The streams of the library have an errno and a text. */
static stoa_status stream_failed(struct ArrowArrayStream *stream, int error_number, stoa_error *err)
{
    const char *const text = stream->get_last_error(stream);
    const stoa_status status = error_number == ENOMEM      ? STOA_ENOMEM
                               : error_number == EINVAL    ? STOA_EINVAL
                               : error_number == ECANCELED ? STOA_ECANCELLED
                                                           : STOA_EDATA;

    return pystoa_fail(err, status, "%s", text != NULL ? text : strerror(error_number));
}

static void end(pystoa_run *run)
{
    if (run->stream.release != NULL) {
        run->stream.release(&run->stream);
        run->stream.release = NULL;
    }
    if (run->query != NULL && !run->keeps_plan) {
        stoa_query_close(run->query);
        run->query = NULL;
        pystoa_handle_end_run(run->handle);
    }
}

stoa_status pystoa_run_open(pystoa_handle *handle, stoa_query_options options,
                            pystoa_indexes indexes, PyObject *progress, pystoa_run **out,
                            stoa_error *err)
{
    pystoa_run *const run = calloc(1, sizeof *run);
    stoa_table *table = NULL;
    stoa_status status = STOA_OK;

    *out = NULL;
    if (run == NULL) {
        return pystoa_fail(err, STOA_ENOMEM, "memory ran out");
    }
    run->handle = pystoa_handle_share(handle);
    run->call.progress = progress;
    options.listener = pystoa_listener(&run->call);
    status = pystoa_handle_enter(handle, &table, err);
    if (status == STOA_OK) {
        status = stoa_table_use(table, NULL, err);
        if (status == STOA_OK) {
            options.use_indexes =
                indexes == PYSTOA_INDEXES_ALL || (indexes == PYSTOA_INDEXES_TRUSTED &&
                                                  pystoa_handle_trust(handle) == STOA_TRUST_HOLDS);
            options.use_trusted = indexes == PYSTOA_INDEXES_TRUSTED;
            status = stoa_query_open(table, &options, &run->query, err);
            stoa_table_release(table);
        }
        if (status == STOA_OK) {
            pystoa_handle_begin_run(handle);
        }
        pystoa_handle_leave(handle);
    }
    if (status != STOA_OK) {
        pystoa_run_close(run);
        return status;
    }
    *out = run;
    return STOA_OK;
}

stoa_status pystoa_run_begin(pystoa_run *run, const struct ArrowSchema *requested, stoa_error *err)
{
    stoa_status status = pystoa_handle_enter_run(run->handle, err);

    if (status != STOA_OK) {
        return status;
    }
    status = stoa_query_run(run->query, &run->stream, err);
    if (status == STOA_OK) {
        status = stoa_stream_cast(&run->stream, requested, err);
    }
    pystoa_handle_leave(run->handle);
    return status;
}

stoa_status pystoa_run_schema(pystoa_run *run, struct ArrowSchema *out, stoa_error *err)
{
    stoa_status status;

    *out = (struct ArrowSchema){.release = NULL};
    status = pystoa_handle_enter_run(run->handle, err);
    if (status != STOA_OK) {
        return status;
    }
    if (run->stream.release == NULL) {
        status = pystoa_fail(err, STOA_EINVAL, "the result has ended");
    } else {
        const int failed = run->stream.get_schema(&run->stream, out);
        status = failed ? stream_failed(&run->stream, failed, err) : STOA_OK;
    }
    pystoa_handle_leave(run->handle);
    return status;
}

stoa_status pystoa_run_next(pystoa_run *run, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status;

    *out = (struct ArrowArray){.release = NULL};
    status = pystoa_handle_enter_run(run->handle, err);
    if (status != STOA_OK) {
        return status;
    }
    if (run->stream.release != NULL) {
        const int failed = run->stream.get_next(&run->stream, out);
        status = failed ? stream_failed(&run->stream, failed, err) : STOA_OK;
        if (failed || out->release == NULL) {
            end(run); /* gives up the lock of the file */
        }
    }
    pystoa_handle_leave(run->handle);
    return status;
}

stoa_status pystoa_run_drain(pystoa_run *run, stoa_error *err)
{
    struct ArrowArray batch = {.release = NULL};
    stoa_status status = STOA_OK;

    do {
        status = pystoa_run_next(run, &batch, err);
        const bool is_last = batch.release == NULL;
        if (is_last) {
            return status;
        }
        batch.release(&batch);
    } while (status == STOA_OK);
    return status;
}

stoa_status pystoa_run_explain(pystoa_run *run, char **text, stoa_error *err)
{
    stoa_status status = pystoa_handle_enter_run(run->handle, err);

    *text = NULL;
    if (status == STOA_OK) {
        status = stoa_query_explain(run->query, text, err);
        pystoa_handle_leave(run->handle);
    }
    return status;
}

stoa_status pystoa_run_candidates(pystoa_run *run, stoa_row_range_visitor visitor, void *context,
                                  stoa_error *err)
{
    stoa_status status = pystoa_handle_enter_run(run->handle, err);

    if (status == STOA_OK) {
        status = stoa_query_visit_candidates(run->query, visitor, context, err);
        pystoa_handle_leave(run->handle);
    }
    return status;
}

const char *pystoa_run_hint(const pystoa_run *run)
{
    return run->query != NULL ? stoa_query_hint(run->query) : "";
}

void pystoa_run_keep_plan(pystoa_run *run)
{
    run->keeps_plan = true;
}

void pystoa_run_close(pystoa_run *run)
{
    if (run == NULL) {
        return;
    }
    const pystoa_gil gil = pystoa_gil_leave();
    stoa_error ignored = STOA_ERROR_INIT;
    if (pystoa_handle_enter_run(run->handle, &ignored) == STOA_OK) { /* else a fork's: not ours */
        run->keeps_plan = false;
        end(run);
        pystoa_handle_leave(run->handle);
    }
    pystoa_handle_release(run->handle);
    pystoa_gil_return(gil);
    if (run->call.progress != NULL) {
        const PyGILState_STATE state = PyGILState_Ensure();
        Py_DECREF(run->call.progress);
        PyGILState_Release(state);
    }
    free(run);
}

/* --- for other libraries ---------------------------------------------------------------------- */

static int number_of(stoa_status status)
{
    return status == STOA_OK           ? 0
           : status == STOA_ENOMEM     ? ENOMEM
           : status == STOA_EINVAL     ? EINVAL
           : status == STOA_ECANCELLED ? ECANCELED
                                       : EIO;
}

/* Another library raises an exception of its own in place of ours, so Ctrl-C is raised again after
 * it. The caller may not hold the GIL, which this needs. */
static void finish(pystoa_gil gil, stoa_status status)
{
    pystoa_gil_return(gil);
    if (status == STOA_OK || !gil.is_known) {
        return;
    }
    const PyGILState_STATE state = PyGILState_Ensure();
    if (PyErr_Occurred() != NULL && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
        PyErr_SetInterrupt();
    }
    PyErr_Clear();
    PyGILState_Release(state);
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    pystoa_run *const run = stream->private_data;
    const pystoa_gil gil = pystoa_gil_leave();
    const stoa_status status = pystoa_run_schema(run, out, &run->said);

    finish(gil, status);
    return number_of(status);
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    pystoa_run *const run = stream->private_data;
    const pystoa_gil gil = pystoa_gil_leave();
    const stoa_status status = pystoa_run_next(run, out, &run->said);

    finish(gil, status);
    return number_of(status);
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    const pystoa_run *const run = stream->private_data;

    return run->said.status != STOA_OK ? run->said.message : NULL;
}

static void release(struct ArrowArrayStream *stream)
{
    pystoa_run_close(stream->private_data);
    *stream = (struct ArrowArrayStream){.release = NULL};
}

void pystoa_run_export(pystoa_run *run, struct ArrowArrayStream *out)
{
    *out = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release, run};
}
