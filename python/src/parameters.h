/* Python values as parameters of a query. */
#ifndef PYSTOA_PARAMETERS_H
#define PYSTOA_PARAMETERS_H

#include "module.h"

typedef struct pystoa_parameters {
    stoa_parameter *items; /* borrow texts from `keeps` */
    size_t n;
    PyObject *keeps; /* what owns the texts */
} pystoa_parameters;

/**
 * @param from  None or NULL; a sequence, for `?`; or a dict, for `:name`
 * @param[out] out  yours, cleared by pystoa_parameters_clear(), also after a failure
 * @return false with an exception
 */
bool pystoa_parameters_of(const pystoa_state *state, PyObject *from, pystoa_parameters *out);
void pystoa_parameters_clear(pystoa_parameters *parameters);

#endif
