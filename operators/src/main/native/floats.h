/*
 * The conversion of bytes to floats, with the formula (converted / divisor - mean) / deviation, which rounds after each operation.
 * `converted` is the byte, or the channel of a pixel's product with a matrix:
 * fma(blue, weight, fma(green, weight, red * weight)) + offset.
 */
#ifndef MILLRACE_FLOATS_H
#define MILLRACE_FLOATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A multiple of 1 to 4 channels, so the constants of a group of bytes are the same for each group. */
#define FLOATS_GROUP 24

/* The constants of each byte of a group; the inverses are 1 / divisor and 1 / deviation, the others are used only with a matrix. */
struct float_constants {
    float divisor[FLOATS_GROUP], divisor_inverse[FLOATS_GROUP], mean[FLOATS_GROUP], deviation[FLOATS_GROUP],
        deviation_inverse[FLOATS_GROUP], red[FLOATS_GROUP], green[FLOATS_GROUP], blue[FLOATS_GROUP], offset[FLOATS_GROUP];
};

/*
 * What the formula does apart from the conversion to a float, and whether a division x / d is computed faster, as
 * fma(fma(-q, d, x), r, q) with r = 1 / d and q = x * r, after P. Markstein (IBM Journal of Research and Development 34, 1990). Without
 * a matrix a channel has only 256 results: the caller has checked that this changes none of them. With a matrix it must be false.
 */
struct float_steps {
    bool mixes, divides, standardizes, by_inverses;
};

#if defined(__x86_64__)
/* Converts `count` bytes. */
void avx2_floats(
    const struct float_constants *constants, struct float_steps steps, const uint8_t *bytes, float *floats, size_t count);
#endif

#endif
