/* The interface that the decoders of JPEGs share: a rectangle of an image, whose rows a function of the caller fetches. */
#ifndef MILLRACE_JPEG_READER_H
#define MILLRACE_JPEG_READER_H

#include <stdint.h>

#include "outcome.h"

#define READER_SLACK 32

/* A rectangle in the decoded image, whose extents are (extent + reduction - 1) / reduction of the stored ones. */
struct rectangle {
    int top, left, height, width;
};

/*
 * Returns row `row` of the rectangle, from 0, as RGB. Rows are fetched in order, each at most once. A row and the one before it
 * stay valid until the next call, and READER_SLACK bytes behind a row can be read. Returns NULL when the decoder finds that it
 * does not support the file.
 */
typedef const uint8_t *(*jpeg_rows)(void *decoder, int row);

/*
 * The reader of the rectangle's rows, which is called when the first row can be decoded. It fetches them with `rows`, and
 * returns DONE, UNSUPPORTED as soon as a row is NULL, or a failure. Another decoder may call it again for the same
 * rectangle. libjpeg may leave it by longjmp, so it must not own memory or other resources.
 */
typedef enum outcome (*jpeg_reader)(jpeg_rows rows, void *decoder, void *state);

#endif
