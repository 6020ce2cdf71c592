/* The inverse cosine transform of blocks of coefficients to samples, with AVX2. It is called only if the CPU has AVX2. */
#ifndef MILLRACE_JPEG_BLOCKS_H
#define MILLRACE_JPEG_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the samples of two blocks go. */
struct block_places {
    uint8_t *one;     /* the first of eight rows of the block on the left side of the pair */
    uint8_t *other;   /* the same for the right side; may be `one`, whose samples win then */
    ptrdiff_t stride; /* bytes from row to row */
    bool joined;      /* whether `other` is one + 8 */
};

/*
 * Transforms a pair of blocks, and fills it with zeros. Returns false when a coefficient is so large that libjpeg-turbo would
 * compute other samples. Only damaged files have such coefficients.
 *
 * pair: 8 rows of 8 + 8 coefficients, aligned to 32 bytes
 * quanta: what the coefficients are multiplied by, in the same order and with the same alignment
 * last: no coefficient of either block from this index on, in the order of the file, differs from 0
 */
bool avx2_transform(int16_t *pair, const int16_t *quanta, int last, struct block_places places);

#endif
