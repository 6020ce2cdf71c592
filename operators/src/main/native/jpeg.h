/* Decodes a rectangle of a JPEG to RGB, doing as little as possible for what lies outside of it. */
#ifndef MILLRACE_JPEG_H
#define MILLRACE_JPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum outcome {
    DONE = 0,
    NOT_OURS = 1,  /* a colour space, sampling or size that this decoder leaves to others */
    FAILED = 2,    /* libjpeg refuses the file */
    NO_MEMORY = 3
};

/* In pixels of the decoded picture, which is 1/reduction of the stored one: (extent + reduction - 1) / reduction. */
struct rectangle {
    int top, left, height, width;
};

/* Serves one thread. */
struct jpeg_decoder;

/* NULL when there is no memory. */
struct jpeg_decoder *jpeg_decoder_new(void);

/*
 * Called with an outcome of DONE so far, once the first row can be decoded: fetches the rectangle's rows by
 * jpeg_decoder_row, in order, each at most once.
 */
typedef enum outcome (*jpeg_reader)(struct jpeg_decoder *decoder, void *state);

/*
 * Decodes. `read` may be left by longjmp when libjpeg fails below it, and must hold nothing that would be lost.
 *
 * data: the whole file; height, width: of the stored picture, as the caller's look at the header found them
 * reduction: 1, 2, 4 or 8
 */
enum outcome jpeg_decode(
    struct jpeg_decoder *decoder, const uint8_t *data, size_t size, int height, int width, int reduction,
    struct rectangle rectangle, jpeg_reader read, void *state);

/* Row `row` of the rectangle, counted from 0; it and the one before stay valid until the call after. */
const uint8_t *jpeg_decoder_row(void *decoder, int row);

void jpeg_decoder_free(struct jpeg_decoder *decoder);

#endif
