/* The filters of PNG's rows (W3C PNG, section 9), in the direction of decoding. */
#ifndef MILLRACE_PNG_FILTER_H
#define MILLRACE_PNG_FILTER_H

#include <stddef.h>
#include <stdint.h>

/* The number of filters. */
#define FILTERS 5

/* The bytes behind a row that a function may read, and may write in the case of `line`. */
#define FILTER_SLACK 16

/*
 * Removes the filter of a row.
 *
 * filter: below FILTERS
 * raw, above, line: the filtered row, the row above without its filter, and the result, of `bytes` bytes and FILTER_SLACK more
 * pixel_bytes: the distance to the pixel on the left: 1, 2, 3, 4, 6 or 8, of which `bytes` is a multiple
 */
void png_unfilter(int filter, const uint8_t *raw, const uint8_t *above, uint8_t *line, size_t bytes, int pixel_bytes);

#endif
