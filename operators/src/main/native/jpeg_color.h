/*
 * The conversion of rows of samples to RGB with AVX2, with "fancy" upsampling like libjpeg's: a pixel is three parts of the nearer
 * sample and one part of the farther one, in both directions. It is called only if the CPU has AVX2.
 *
 * All functions work in steps: they read up to COLOR_SLACK bytes behind the samples that they need, and write whole steps of
 * COLOR_STEP pixels.
 */
#ifndef MILLRACE_JPEG_COLOR_H
#define MILLRACE_JPEG_COLOR_H

#include <stdbool.h>
#include <stdint.h>

#define COLOR_STEP 32
#define COLOR_SLACK 64

/* The rows of one component of colour that are nearest to a row of pixels, when it has half as many rows as luma. */
struct color_rows {
    const uint8_t *near, *far;
};

/* Computes 3 * near + far for `count` samples. Writes up to 15 numbers more. */
void avx2_sum_rows(struct color_rows rows, int16_t *sums, int count);

/* Converts samples to 16 bits. Writes up to 15 numbers more. */
void avx2_widen_row(const uint8_t *samples, int16_t *wide, int count);

/*
 * Convert a row of `count` pixels from an even column on. Two pixels share a sample of Cb and one of Cr, of which one more on
 * either side is read.
 *
 * cb, cr: the sample of the first pixel; of 4:2:0 after avx2_sum_rows, of 4:2:2 after avx2_widen_row
 */
void avx2_convert_420(const uint8_t *luma, const int16_t *cb, const int16_t *cr, uint8_t *rgb, int count);
void avx2_convert_422(const uint8_t *luma, const int16_t *cb, const int16_t *cr, uint8_t *rgb, int count);

/* below: whether the farther row is below the nearer one */
void avx2_convert_440(
    const uint8_t *luma, struct color_rows cb, struct color_rows cr, bool below, uint8_t *rgb, int count);

void avx2_convert_444(const uint8_t *luma, const uint8_t *cb, const uint8_t *cr, uint8_t *rgb, int count);

/* Interleaves red, green and blue. For gray, all three are the same row. */
void avx2_interleave(const uint8_t *red, const uint8_t *green, const uint8_t *blue, uint8_t *rgb, int count);

#endif
