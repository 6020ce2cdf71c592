/* Eight pixels of three bytes as eight 32-bit numbers: red in the lowest byte, then green, blue and 0. For files with -mavx2. */
#ifndef MILLRACE_PIXELS_AVX2_H
#define MILLRACE_PIXELS_AVX2_H

#include <immintrin.h>
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))

#define LANES 8
#define PIXELS_BYTES (3 * LANES)

/* Reads PIXELS_BYTES. */
INLINE __m256i open_pixels(const uint8_t *at)
{
    /* Two registers overlap, so that no byte after the pixels is read. */
    __m256i bytes = _mm256_inserti128_si256(
        _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *) at)), _mm_loadu_si128((const __m128i *) (at + LANES)), 1);
    return _mm256_shuffle_epi8(
        bytes,
        _mm256_setr_epi8(
            0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1,
            4, 5, 6, -1, 7, 8, 9, -1, 10, 11, 12, -1, 13, 14, 15, -1));
}

/* Writes PIXELS_BYTES. */
INLINE void close_pixels(__m256i pixels, uint8_t *at)
{
    __m256i halves = _mm256_shuffle_epi8(
        pixels,
        _mm256_setr_epi8(
            0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1,
            0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1));
    __m256i bytes = _mm256_permutevar8x32_epi32(halves, _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 7, 7));
    _mm_storeu_si128((__m128i *) at, _mm256_castsi256_si128(bytes));
    _mm_storel_epi64((__m128i *) (at + 2 * LANES), _mm256_extracti128_si256(bytes, 1));
}

/* Returns one channel of each pixel. */
INLINE __m256i channel_of(__m256i pixels, int channel)
{
    return _mm256_and_si256(_mm256_srli_epi32(pixels, 8 * channel), _mm256_set1_epi32(255));
}

#endif
