"""Calls of libhdf5 that h5py does not pass on, in the very library that it has loaded.

Ids may go to and fro.
"""

import ctypes

import h5py.defs

# The part of h5py that is linked with libhdf5: opened again it is the same, and lends its symbols.
hdf5 = ctypes.CDLL(h5py.defs.__file__)
Id, Text = ctypes.c_int64, ctypes.c_char_p


def declare(name, result, *arguments):
    function = getattr(hdf5, name)
    function.restype, function.argtypes = result, arguments
    return function
