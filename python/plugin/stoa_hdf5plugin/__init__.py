"""The HDF5 filter of Stoa's sparse arrays, found by every libhdf5 of this process.

Import this module before or after h5py. PyTables, netCDF4 and child processes find the filter if the module is
imported before them: they learn of it by the environment variable HDF5_PLUGIN_PATH.
"""

import os
import sys
from pathlib import Path

__all__ = ["FILTER", "PLUGIN_PATH"]

# The number of the filter in files: the compression of h5py's create_dataset().
FILTER = 53131

# Where libhdf5 looks if HDF5_PLUGIN_PATH does not say otherwise.
_DEFAULT = "/usr/local/hdf5/lib/plugin"


def _plugin_path() -> str:
    for file in sorted(Path(__file__).parent.glob("lib*/**/libh5z_stoa_sparse.*")):
        return str(file.parent)
    raise ImportError("stoa_hdf5plugin has no plugin in it: install it by pip, not from its source folder")


# The directory of the plugin.
PLUGIN_PATH = _plugin_path()


def _tell() -> None:
    known = os.environ.get("HDF5_PLUGIN_PATH") or _DEFAULT
    if PLUGIN_PATH not in known.split(os.pathsep):
        os.environ["HDF5_PLUGIN_PATH"] = os.pathsep.join([PLUGIN_PATH, known])
    h5py = sys.modules.get("h5py")
    if h5py is not None:  # its libhdf5 has read the variable already
        paths = [h5py.h5pl.get(i) for i in range(h5py.h5pl.size())]
        if os.fsencode(PLUGIN_PATH) not in paths:
            h5py.h5pl.prepend(os.fsencode(PLUGIN_PATH))


_tell()
