"""Mean waveforms of LEGEND's LH5 files, of the events that pass a filter.

Needs legend-pydataobj, legend-lh5io (which writes the file) and pystoa.
"""

import lh5
import numpy as np
from lgdo.types import Array, Table, WaveformTable
from lh5.compression import RadwareSigcompress
from pystoa import lh5 as stoa_lh5

# A file as a data acquisition writes it: 500 events, with compressed waveforms.
rng = np.random.default_rng(1)
energy = rng.uniform(0, 3000, 500)
pulse = np.where(np.arange(200) < 80, 0, np.exp(-(np.arange(200) - 80) / 100))
waveforms = WaveformTable(t0=np.zeros(500), t0_units="ns", dt=np.full(500, 16.0), dt_units="ns",
                          values=(100 + np.outer(energy, pulse)).astype("u2"))  # fmt: skip
waveforms.values.attrs["compression"] = RadwareSigcompress(codec_shift=-32768)
lh5.write(Table({"daqenergy": Array(energy), "waveform": waveforms}), "ch1/raw", "run.lh5", wo_mode="of")

# Only the waveforms of events that pass are read and decoded.
high = stoa_lh5.read("ch1/raw", "run.lh5", field_mask=["waveform"], where="daqenergy > 2500")
values = high["waveform"].values.nda
print(f"{len(values)} of {len(energy)} waveforms, their mean rises to {values.mean(axis=0).max():.0f}")

# With legend-lh5io it is the same, by two reads and a mask.
mask = lh5.read("ch1/raw/daqenergy", "run.lh5").nda > 2500
assert np.array_equal(lh5.read("ch1/raw/waveform/values", "run.lh5", idx=mask).nda, values)
