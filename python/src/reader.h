/* The Python type Reader: the batches of a query's result, one after the other. */
#ifndef PYSTOA_READER_H
#define PYSTOA_READER_H

#include "module.h"
#include "run.h"

/* A Reader, which takes the run over, also if it fails. */
PyObject *pystoa_reader_new(const pystoa_state *state, pystoa_run *run);

#endif
