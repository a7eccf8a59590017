/* The module pystoa._pystoa. */
#include "module.h"

#include <hdf5.h>

static PyTypeObject *type_with_module(PyTypeObject *type)
{
    while (type != NULL && PyType_GetModule(type) == NULL) { /* a class written in Python */
        PyErr_Clear();
        type = PyType_GetSlot(type, Py_tp_base);
    }
    return type;
}

/* An exception that is raised stays so: the search for the module has ones of its own. */
pystoa_state *pystoa_state_of(PyObject *object)
{
    PyObject *raised[3];

    PyErr_Fetch(&raised[0], &raised[1], &raised[2]);
    pystoa_state *const state = PyType_GetModuleState(type_with_module(Py_TYPE(object)));
    PyErr_Restore(raised[0], raised[1], raised[2]);
    return state;
}

void pystoa_object_free(PyObject *object)
{
    PyTypeObject *const type = Py_TYPE(object);
    freefunc const release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    release(object);
    Py_DECREF(type);
}

static PyTypeObject *add_type(PyObject *module, PyType_Spec *spec)
{
    PyObject *const type = PyType_FromModuleAndSpec(module, spec, NULL);

    if (type != NULL && PyModule_AddType(module, (PyTypeObject *)type) < 0) {
        Py_DECREF(type);
        return NULL;
    }
    return (PyTypeObject *)type;
}

static PyObject *name_list(const char *(*name)(size_t i))
{
    PyObject *const list = PyList_New(0);

    for (size_t i = 0; list != NULL && name(i) != NULL; i++) {
        PyObject *const text = PyUnicode_FromString(name(i));
        const bool is_added = text != NULL && PyList_Append(list, text) == 0;

        Py_XDECREF(text);
        if (!is_added) {
            Py_DECREF(list);
            return NULL;
        }
    }
    PyObject *const all = list != NULL ? PySequence_Tuple(list) : NULL;
    Py_XDECREF(list);
    return all;
}

static int add_names(PyObject *module, const char *as, const char *(*name)(size_t i))
{
    PyObject *const names = name_list(name);
    const int result = names != NULL ? PyModule_AddObjectRef(module, as, names) : -1;

    Py_XDECREF(names);
    return result;
}

/* Errors are exceptions; libhdf5 would print its own stack beside them. */
static void be_silent(void)
{
    PyThreadState *const python = PyEval_SaveThread();

    stoa_hdf5_lock();
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    stoa_hdf5_unlock();
    PyEval_RestoreThread(python);
}

static int execute(PyObject *module)
{
    pystoa_state *const state = PyModule_GetState(module);

    be_silent();
    state->errors = PyImport_ImportModule("pystoa._errors");
    state->values = PyImport_ImportModule("pystoa._values");
    if (state->errors == NULL || state->values == NULL) {
        return -1;
    }
    return (state->schema = add_type(module, &pystoa_schema_spec)) != NULL &&
                   (state->array = add_type(module, &pystoa_array_spec)) != NULL &&
                   (state->reader = add_type(module, &pystoa_reader_spec)) != NULL &&
                   (state->table = add_type(module, &pystoa_table_spec)) != NULL &&
                   (state->query = add_type(module, &pystoa_query_spec)) != NULL &&
                   PyModule_AddFunctions(module, pystoa_listing_functions) == 0 &&
                   PyModule_AddFunctions(module, pystoa_schema_functions) == 0 &&
                   PyModule_AddFunctions(module, pystoa_write_functions) == 0 &&
                   PyModule_AddFunctions(module, pystoa_edit_functions) == 0 &&
                   PyModule_AddFunctions(module, pystoa_convert_functions) == 0 &&
                   PyModule_AddFunctions(module, pystoa_verify_functions) == 0 &&
                   PyModule_AddFunctions(module, pystoa_sparse_functions) == 0 &&
                   PyModule_AddStringConstant(module, "version", stoa_version()) == 0 &&
                   add_names(module, "layouts", stoa_layout_name) == 0 &&
                   add_names(module, "codecs", stoa_codec_name) == 0 &&
                   add_names(module, "index_kinds", stoa_index_kind_name) == 0 &&
                   add_names(module, "functions", stoa_function_name) == 0 &&
                   add_names(module, "aggregates", stoa_aggregate_name) == 0
               ? 0
               : -1;
}

static int traverse(PyObject *module, visitproc visit, void *arg)
{
    const pystoa_state *const state = PyModule_GetState(module);

    Py_VISIT(state->errors);
    Py_VISIT(state->values);
    Py_VISIT(state->schema);
    Py_VISIT(state->array);
    Py_VISIT(state->reader);
    Py_VISIT(state->table);
    Py_VISIT(state->query);
    return 0;
}

static int clear(PyObject *module)
{
    pystoa_state *const state = PyModule_GetState(module);

    Py_CLEAR(state->errors);
    Py_CLEAR(state->values);
    Py_CLEAR(state->schema);
    Py_CLEAR(state->array);
    Py_CLEAR(state->reader);
    Py_CLEAR(state->table);
    Py_CLEAR(state->query);
    return 0;
}

static void release(void *module)
{
    (void)clear(module);
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, execute}, {0, NULL}};

static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "pystoa._pystoa",
    .m_doc = "The C part of pystoa.",
    .m_size = sizeof(pystoa_state),
    .m_slots = slots,
    .m_traverse = traverse,
    .m_clear = clear,
    .m_free = release,
};

PyMODINIT_FUNC PyInit__pystoa(void);

PyMODINIT_FUNC PyInit__pystoa(void)
{
    return PyModuleDef_Init(&definition);
}
