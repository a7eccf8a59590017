/* Closes ids, and converts libhdf5's error stack to one line. */
#include "hdf/ids.h"

#include <stdio.h>
#include <string.h>

#include "core/memory.h"

/* Nesting depths of this thread. */
static _Thread_local unsigned n_stacks_held;
static _Thread_local unsigned n_printing_off;

static stoa_error_stack switch_off(void)
{
    stoa_error_stack errors = {NULL, NULL};

    (void)H5Eget_auto2(H5E_DEFAULT, &errors.print, &errors.context);
    if (errors.print != NULL) {
        (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    }
    return errors;
}

stoa_error_stack stoa_call_begin(void)
{
    stoa_hdf5_lock();
    return n_printing_off > 0 && n_stacks_held == 0 ? switch_off() : (stoa_error_stack){NULL, NULL};
}

void stoa_call_end(const stoa_error_stack *errors)
{
    if (errors->print != NULL) {
        (void)H5Eset_auto2(H5E_DEFAULT, errors->print, errors->context);
    }
    stoa_hdf5_unlock();
}

stoa_error_stack stoa_error_stack_begin(void)
{
    stoa_hdf5_lock();
    n_stacks_held++;
    return n_stacks_held == 1 ? switch_off() : (stoa_error_stack){NULL, NULL};
}

void stoa_error_stack_end(const stoa_error_stack *errors)
{
    n_stacks_held--;
    stoa_call_end(errors);
}

void stoa_error_stack_discard(const stoa_error_stack *errors)
{
    (void)H5Eclear2(H5E_DEFAULT);
    stoa_error_stack_end(errors);
}

void stoa_error_printing_off(void)
{
    n_printing_off++;
}

void stoa_error_printing_on(void)
{
    n_printing_off--;
    if (n_printing_off == 0) {
        (void)H5Eclear2(H5E_DEFAULT);
    }
}

typedef struct reason {
    char text[256];
    bool is_memory; /* memory ran out */
} reason;

/* libhdf5's description of an external link that it could not follow, before the name of the
 * file. */
static const char elink[] = "unable to open external file, ";

/* What to add to libhdf5's reason if it does not know the version of a message. HDF5 2.0 has newer
 * ones for types and layouts than 1.14, and writes them with libver='latest'. */
static void add_version(char *text, size_t size)
{
#if H5_VERSION_GE(2, 0, 0)
    static const char needed[] = "a newer HDF5";
#else
    static const char needed[] = "HDF5 2.0 or newer";
#endif
    const size_t length = strlen(text);

    if (strcmp(text, "bad version number for datatype message") == 0 ||
        strcmp(text, "bad version number for layout message") == 0) {
        (void)snprintf(text + length, size - length,
                       " (unless it is damaged, it takes %s; this is HDF5 %d.%d.%d)", needed,
                       H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE);
    }
}

/* The walk goes from the innermost frame outwards. The first description is the most specific one,
 * unless an external link was not followed. */
static herr_t keep_deepest(unsigned n, const H5E_error2_t *frame, void *context)
{
    reason *const why = context;

    if (frame->desc != NULL && strncmp(frame->desc, elink, sizeof elink - 1) == 0) {
        (void)snprintf(why->text, sizeof why->text,
                       "another file is opened only with --follow-external, %s",
                       frame->desc + sizeof elink - 1);
    } else if (n == 0 && frame->desc != NULL) {
        (void)snprintf(why->text, sizeof why->text, "%s", frame->desc);
        add_version(why->text, sizeof why->text);
        /* libhdf5 has two codes for lack of memory, and also uses one of them for lack of file
         * space. */
        why->is_memory = (frame->min_num == H5E_NOSPACE && frame->func_name != NULL &&
                          strncmp(frame->func_name, "stoa_", 5) == 0) ||
                         (frame->maj_num == H5E_RESOURCE &&
                          (frame->min_num == H5E_NOSPACE || frame->min_num == H5E_CANTALLOC) &&
                          strstr(frame->desc, "memory") != NULL);
    }
    return 0;
}

stoa_status stoa_hdf_fail(stoa_error *err, const char *format, ...)
{
    reason why = {.is_memory = false};
    stoa_status status = STOA_EHDF5;

    (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_deepest, &why);
    if (why.is_memory) {
        status = stoa_fail_memory(err);
    } else if (err != NULL && err->status == STOA_OK) {
        char text[512];
        va_list args;

        va_start(args, format);
        (void)vsnprintf(text, sizeof text, format, args);
        va_end(args);
        (void)stoa_fail(err, STOA_EHDF5, "cannot %s%s%s", text, why.text[0] != '\0' ? ": " : "",
                        why.text);
    }
    (void)H5Eclear2(H5E_DEFAULT);
    return status;
}

/* Whether no link refers to the object. libhdf5 would search the whole file for one. */
static bool is_nameless(hid_t object)
{
    H5O_info2_t info;

    return H5Oget_info3(object, &info, H5O_INFO_BASIC) >= 0 && info.rc == 0;
}

char *stoa_hdf_name(hid_t object, ssize_t (*get)(hid_t, char *, size_t))
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    char first[512] = ""; /* avoids a second call, which may walk through the file */
    const ssize_t length =
        get == H5Iget_name && is_nameless(object) ? 0 : get(object, first, sizeof first);
    char *name = stoa_alloc_zero(length > 0 ? (size_t)length + 1 : 1, 1);

    if (name != NULL && length > 0 && (size_t)length < sizeof first) {
        memcpy(name, first, (size_t)length);
    } else if (name != NULL && length > 0) {
        (void)get(object, name, (size_t)length + 1);
    }
    stoa_error_stack_discard(&errors);
    return name;
}

stoa_status stoa_hdf_close(hid_t *id, stoa_status status, stoa_error *err)
{
    if (*id < 0) {
        return status;
    }

    const stoa_error_stack errors = stoa_error_stack_begin();
    herr_t closed;
    switch (H5Iget_type(*id)) {
    case H5I_FILE:
        closed = H5Fclose(*id);
        break;
    case H5I_GROUP:
        closed = H5Gclose(*id);
        break;
    case H5I_DATASET:
        closed = H5Dclose(*id);
        break;
    case H5I_ATTR:
        closed = H5Aclose(*id);
        break;
    case H5I_DATATYPE:
        closed = H5Tclose(*id);
        break;
    case H5I_DATASPACE:
        closed = H5Sclose(*id);
        break;
    case H5I_GENPROP_LST:
        closed = H5Pclose(*id);
        break;
    default:
        closed = H5Idec_ref(*id);
        break;
    }
    *id = H5I_INVALID_HID;
    if (closed < 0) {
        const stoa_status failed = stoa_hdf_fail(status == STOA_OK ? err : NULL, "close an object");
        status = status == STOA_OK ? failed : status;
    }
    stoa_error_stack_end(&errors);
    return status;
}
