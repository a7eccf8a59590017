/* The state of the extension module, and what its files are compiled with. */
#ifndef PYSTOA_MODULE_H
#define PYSTOA_MODULE_H

#define Py_LIMITED_API 0x030B0000 /* CPython 3.11 */
#include <Python.h>
#include <stdbool.h>
#include <stdint.h>
#include <stoa/stoa.h>

/* Each interpreter has a module of its own, with a state of its own. */
typedef struct pystoa_state {
    PyObject *errors; /* the module pystoa._errors */
    PyObject *values; /* the module pystoa._values */
    PyTypeObject *schema;
    PyTypeObject *array;
    PyTypeObject *reader;
    PyTypeObject *table;
    PyTypeObject *query;
} pystoa_state;

/* The state of the module that the type of an object, or a base of it, was made for. */
pystoa_state *pystoa_state_of(PyObject *object);

/* One for each Python type. */
extern PyType_Spec pystoa_schema_spec;
extern PyType_Spec pystoa_array_spec;
extern PyType_Spec pystoa_reader_spec;
extern PyType_Spec pystoa_table_spec;
extern PyType_Spec pystoa_query_spec;

/* Functions of the module, each list ended by {NULL}. */
extern PyMethodDef pystoa_listing_functions[];
extern PyMethodDef pystoa_schema_functions[];
extern PyMethodDef pystoa_write_functions[];
extern PyMethodDef pystoa_edit_functions[];
extern PyMethodDef pystoa_convert_functions[];
extern PyMethodDef pystoa_verify_functions[];
extern PyMethodDef pystoa_sparse_functions[];

/* Types have no members for free functions to find: an object is freed by its type's own slot, and
 * each holds a reference to its heap type. */
void pystoa_object_free(PyObject *object);

#endif
