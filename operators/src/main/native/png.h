/*
 * The decoder of a rectangle of a PNG to RGB. libdeflate decompresses, and this decoder does the rest. Builds without the headers of
 * libdeflate do not have it.
 *
 * It decodes PNGs that are not interlaced, and leaves all others and all irregular ones to another decoder, which may accept them.
 * Alpha is dropped, gray becomes three equal channels, colour of 16 bits keeps the upper byte, and gray of 16 bits is clipped to 255.
 */
#ifndef MILLRACE_PNG_H
#define MILLRACE_PNG_H

#include <stddef.h>
#include <stdint.h>

#include "jpeg_reader.h"

/* The state of a decoder for one thread. */
struct png_decoder;

/* Takes a row of the rectangle, from 0, as RGB. The row is valid during the call. */
typedef void (*png_row)(void *state, int row, const uint8_t *rgb);

/* Returns NULL when there is no memory. */
struct png_decoder *png_decoder_new(void);

/*
 * Decodes a rectangle, row by row in order. No row is taken unless the outcome is DONE, or unless a row of a palette image has an
 * index without a colour. What is decoded does not depend on the rectangle, apart from such rows.
 *
 * data: the whole file, whose checksums of chunks the caller has checked; it is overwritten
 * height, width: those that the caller read from the header, at least 1
 * rectangle: a rectangle within the image
 */
enum outcome png_decode(
    struct png_decoder *decoder, uint8_t *data, size_t size, int height, int width, struct rectangle rectangle, png_row take,
    void *state);

void png_decoder_free(struct png_decoder *decoder);

#endif
