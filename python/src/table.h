/* The Python type Table. */
#ifndef PYSTOA_TABLE_H
#define PYSTOA_TABLE_H

#include "handle.h"
#include "module.h"

/* The handle of a Table; borrowed; NULL with an exception if `object` is no Table, or an empty one.
 */
pystoa_handle *pystoa_table_handle(const pystoa_state *state, PyObject *object);

#endif
