"""linking.h5, whose external links lead to objects of Arkouda's files, and to all of one."""

import h5py

with h5py.File("linking.h5", "w") as file:
    file["there"] = h5py.ExternalLink("parts3_LOCALE0001.h5", "/s")
    file["all"] = h5py.ExternalLink("parts3_LOCALE0000.h5", "/")
    file["none"] = h5py.ExternalLink("no_offsets.h5", "/s")
