/* Decimals of answers, such as the sum of products of prices, which have up to 38 digits. */
#ifndef STOA_SQL_DECIMALS_H
#define STOA_SQL_DECIMALS_H

#include <stoa/arrow.h>
#include <stoa/error.h>

/*
 * Replace a stream by one whose columns of decimals have float64, if the type has more digits than
 * a float64 keeps: more than 15, and some behind the point. Values are rounded. Decimals within
 * lists and structs stay.
 *
 * @param[in,out] stream  released on failure
 */
stoa_status stoa_sql_round_decimals(struct ArrowArrayStream *stream, stoa_error *err);

#endif
