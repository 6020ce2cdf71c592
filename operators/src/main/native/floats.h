/* The conversion of bytes to floats, with the formula (byte / divisor - mean) / deviation, which rounds after each operation. */
#ifndef MILLRACE_FLOATS_H
#define MILLRACE_FLOATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A multiple of 1 to 4 channels, so the constants of a group of bytes are the same for each group. */
#define FLOATS_GROUP 24

/*
 * The constants of each byte of a group. A division x / d is computed as fma(fma(-q, d, x), r, q) with r = 1 / d and q = x * r, after
 * P. Markstein (IBM Journal of Research and Development 34, 1990). The caller has checked the results of all 256 bytes.
 */
struct float_constants {
    float divisor[FLOATS_GROUP], divisor_inverse[FLOATS_GROUP], mean[FLOATS_GROUP], deviation[FLOATS_GROUP],
        deviation_inverse[FLOATS_GROUP];
};

/* What the formula does apart from the conversion to a float. */
struct float_steps {
    bool divides, standardizes;
};

#if defined(__x86_64__)
/* Returns whether the CPU has AVX2 and FMA, which avx2_floats needs. */
bool floats_has_instructions(void);

/* Converts `count` bytes. */
void avx2_floats(
    const struct float_constants *constants, struct float_steps steps, const uint8_t *bytes, float *floats, size_t count);
#endif

#endif
