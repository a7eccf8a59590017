/*
 * Attributes of the CF conventions, for programs that know netCDF but not HEP001: xarray, netCDF's
 * tools, GDAL. They repeat what the dataset says already, and Stoa reads none of them.
 *
 * - `_FillValue` is the fill value (HEP001 §8.5), by which these programs find missing rows.
 * - `calendar` is of times, whose `units` (§8.6) are those of CF.
 * - `flag_values` and `flag_meanings` are the codes of a categorical column and their labels.
 */
#ifndef STOA_COLUMN_CF_ATTRIBUTES_H
#define STOA_COLUMN_CF_ATTRIBUTES_H

#include "core/string_set.h"
#include "hdf/metadata/types.h"

#define STOA_CF_FILL "_FillValue"
#define STOA_CF_CALENDAR "calendar"
#define STOA_CF_FLAG_VALUES "flag_values"
#define STOA_CF_FLAG_MEANINGS "flag_meanings"

/*
 * Whether a column of that Arrow kind has `_FillValue`.
 *
 * xarray turns integers that have it into float64, which holds no integer beyond 2^53. So 64-bit
 * integers have it only once a value is missing; times do not become floats, and have it always.
 */
bool stoa_cf_has_fill(const stoa_element *element, stoa_kind kind, bool has_missing);
/* Write `_FillValue`: one element of the dataset's type, as netCDF does, equal to its fill
 * value. */
stoa_status stoa_cf_write_fill(hid_t dataset, stoa_error *err);
/* Bring `_FillValue` and `calendar` in step with a dataset that may have had another kind of
 * values, or none missing. */
stoa_status stoa_cf_write(hid_t dataset, const stoa_element *element, stoa_kind kind,
                          bool has_missing, stoa_error *err);

/* Write the flags of a dataset of codes: label n has code n. Labels with blanks, more than 256 of
 * them, or more than 32 KiB of them, are no flags; then both attributes are deleted. NULL: no
 * flags. */
stoa_status stoa_cf_write_flags(hid_t dataset, const stoa_string_set *labels, stoa_error *err);

#endif
