#include "layout/common/histogram.h"

#include <stdlib.h>

void stoa_histogram_close(stoa_histogram *histogram)
{
    for (unsigned i = 0; i < STOA_MAX_AXES; i++) {
        free(histogram->axes[i].edges);
        free(histogram->axes[i].units);
        free(histogram->axes[i].spaced);
    }
    (void)stoa_hdf_close(&histogram->weights, STOA_OK, NULL);
    *histogram = (stoa_histogram){.weights = H5I_INVALID_HID};
}

double stoa_axis_edge(const stoa_axis *axis, uint64_t i)
{
    if (axis->edges != NULL) {
        return axis->edges[i];
    }
    return i == axis->n_bins
               ? axis->last
               : axis->first + (axis->last - axis->first) * ((double)i / (double)axis->n_bins);
}
