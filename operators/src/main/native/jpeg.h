/*
 * The decoder of a rectangle of a JPEG to RGB with libjpeg-turbo, which does as little as possible for pixels outside of it.
 * Builds without the headers of libjpeg do not have it.
 */
#ifndef MILLRACE_JPEG_H
#define MILLRACE_JPEG_H

#include <stddef.h>
#include <stdint.h>

#include "jpeg_reader.h"

/* The state of a decoder for one thread. */
struct jpeg_decoder;

/* Returns NULL when there is no memory. */
struct jpeg_decoder *jpeg_decoder_new(void);

/*
 * Decodes a rectangle. When libjpeg fails within `read`, a longjmp leaves it.
 *
 * data: the whole file; height, width: those of the stored image, which the caller read from the header
 * reduction: 1, 2, 4 or 8
 */
enum outcome jpeg_decode(
    struct jpeg_decoder *decoder, const uint8_t *data, size_t size, int height, int width, int reduction,
    struct rectangle rectangle, jpeg_reader read, void *state);

void jpeg_decoder_free(struct jpeg_decoder *decoder);

#endif
