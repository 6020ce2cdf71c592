/* The decoder of a rectangle of a JPEG to RGB, which does as little as possible for pixels outside of it. */
#ifndef MILLRACE_JPEG_H
#define MILLRACE_JPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum outcome {
    DONE = 0,
    UNSUPPORTED = 1,  /* a colour space, sampling or size that this decoder does not support */
    FAILED = 2,       /* libjpeg refuses the file */
    NO_MEMORY = 3
};

/* A rectangle in the decoded image, whose extents are (extent + reduction - 1) / reduction of the stored ones. */
struct rectangle {
    int top, left, height, width;
};

/* The state of a decoder for one thread. */
struct jpeg_decoder;

/* Returns NULL when there is no memory. */
struct jpeg_decoder *jpeg_decoder_new(void);

/*
 * The reader of the rectangle's rows, which is called when the first row can be decoded. It fetches the rows with
 * jpeg_decoder_row, in order, each at most once, and returns DONE or a failure.
 */
typedef enum outcome (*jpeg_reader)(struct jpeg_decoder *decoder, void *state);

/*
 * Decodes a rectangle. When libjpeg fails within `read`, a longjmp leaves it, so it must not own memory or other resources.
 *
 * data: the whole file; height, width: those of the stored image, which the caller read from the header
 * reduction: 1, 2, 4 or 8
 */
enum outcome jpeg_decode(
    struct jpeg_decoder *decoder, const uint8_t *data, size_t size, int height, int width, int reduction,
    struct rectangle rectangle, jpeg_reader read, void *state);

/* Returns row `row` of the rectangle, from 0. It stays valid until the next call. */
const uint8_t *jpeg_decoder_row(void *decoder, int row);

void jpeg_decoder_free(struct jpeg_decoder *decoder);

#endif
