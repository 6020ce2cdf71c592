/*
 * libjpeg computes colours with 16 bits behind the binary point:
 *
 *     red   = luma + (( 91881 * cr               + 32768) >> 16)
 *     green = luma + ((-22554 * cb - 46802 * cr  + 32768) >> 16)
 *     blue  = luma + ((116130 * cb               + 32768) >> 16)
 *
 * where cb and cr are 128 less than their samples. pmulhrsw computes (a * b + 2^14) >> 15 without the loss of a bit, so red is
 * luma + cr + pmulhrsw(cr, 13173), and blue is luma + pmulhrsw(2 * cb, 29033). Both are exact for all 256 samples, which
 * jpegcheck verifies. The factors of green are even, so halves of them and pmaddwd are exact.
 *
 * A step of 32 pixels is held as 16 even pixels and 16 odd ones, because that is how upsampling produces them.
 */
#include "jpeg_color.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define INLINE static inline __attribute__((always_inline))

#define RED_OF_CR 13173
#define BLUE_OF_CB 29033
#define GREEN_OF_CB (-11277)
#define GREEN_OF_CR (-23401)
#define GREEN_BITS 15

/* The 16-bit numbers of 16 even pixels and of 16 odd ones. */
struct split {
    __m256i even, odd;
};

INLINE struct split split(const uint8_t *samples)
{
    __m256i bytes = _mm256_loadu_si256((const __m256i *) samples);
    return (struct split) {_mm256_and_si256(bytes, _mm256_set1_epi16(255)), _mm256_srli_epi16(bytes, 8)};
}

INLINE struct split centered(struct split samples)
{
    const __m256i middle = _mm256_set1_epi16(128);
    return (struct split) {_mm256_sub_epi16(samples.even, middle), _mm256_sub_epi16(samples.odd, middle)};
}

/* Bytes, of which each half has eight even pixels and then eight odd ones. */
INLINE __m256i joined(__m256i even, __m256i odd)
{
    return _mm256_packus_epi16(even, odd);
}

/*
 * Stores 32 pixels of three colours, each in the order of `joined`. The bytes of 16 pixels fill three registers. Byte p of each
 * one belongs to the colour that follows from p modulo 3, and all bytes of a colour can be brought to their places p by one
 * shuffle, because 3 and 16 have no common divisor: pixel i of colour c lies at (3 * i + c) modulo 16.
 */
INLINE void store(__m256i red, __m256i green, __m256i blue, uint8_t *rgb)
{
#define TWICE(...) _mm256_setr_epi8(__VA_ARGS__, __VA_ARGS__)
    const __m256i red_places = TWICE(0, 13, 3, 8, 6, 11, 1, 14, 4, 9, 7, 12, 2, 15, 5, 10);
    const __m256i green_places = TWICE(10, 0, 13, 3, 8, 6, 11, 1, 14, 4, 9, 7, 12, 2, 15, 5);
    const __m256i blue_places = TWICE(5, 10, 0, 13, 3, 8, 6, 11, 1, 14, 4, 9, 7, 12, 2, 15);
    const __m256i second = TWICE(0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0);
    const __m256i third = TWICE(0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0);
#undef TWICE
    red = _mm256_shuffle_epi8(red, red_places);
    green = _mm256_shuffle_epi8(green, green_places);
    blue = _mm256_shuffle_epi8(blue, blue_places);
    __m256i parts[3] = {
        _mm256_blendv_epi8(_mm256_blendv_epi8(red, green, second), blue, third),
        _mm256_blendv_epi8(_mm256_blendv_epi8(green, blue, second), red, third),
        _mm256_blendv_epi8(_mm256_blendv_epi8(blue, red, second), green, third)};
    for (int i = 0; i < 3; i++) {
        _mm_storeu_si128((__m128i *) (rgb + 16 * i), _mm256_castsi256_si128(parts[i]));
        _mm_storeu_si128((__m128i *) (rgb + 48 + 16 * i), _mm256_extracti128_si256(parts[i], 1));
    }
}

INLINE __m256i red(__m256i luma, __m256i cr)
{
    __m256i part = _mm256_mulhrs_epi16(cr, _mm256_set1_epi16(RED_OF_CR));
    return _mm256_add_epi16(_mm256_add_epi16(luma, cr), part);
}

INLINE __m256i blue(__m256i luma, __m256i cb)
{
    return _mm256_add_epi16(luma, _mm256_mulhrs_epi16(_mm256_add_epi16(cb, cb), _mm256_set1_epi16(BLUE_OF_CB)));
}

INLINE __m256i green(__m256i luma, __m256i cb, __m256i cr)
{
    const __m256i factors = _mm256_set1_epi32((int) ((uint32_t) (uint16_t) GREEN_OF_CB | (uint32_t) (uint16_t) GREEN_OF_CR << 16));
    const __m256i half = _mm256_set1_epi32(1 << (GREEN_BITS - 1));
    __m256i low = _mm256_add_epi32(_mm256_madd_epi16(_mm256_unpacklo_epi16(cb, cr), factors), half);
    __m256i high = _mm256_add_epi32(_mm256_madd_epi16(_mm256_unpackhi_epi16(cb, cr), factors), half);
    __m256i part = _mm256_packs_epi32(_mm256_srai_epi32(low, GREEN_BITS), _mm256_srai_epi32(high, GREEN_BITS));
    return _mm256_add_epi16(luma, part);
}

/* cb, cr: 128 less than the samples */
INLINE void convert(struct split luma, struct split cb, struct split cr, uint8_t *rgb)
{
    store(
        joined(red(luma.even, cr.even), red(luma.odd, cr.odd)),
        joined(green(luma.even, cb.even, cr.even), green(luma.odd, cb.odd, cr.odd)),
        joined(blue(luma.even, cb.even), blue(luma.odd, cb.odd)), rgb);
}

INLINE __m256i thrice(__m256i a)
{
    return _mm256_add_epi16(_mm256_add_epi16(a, a), a);
}

void avx2_sum_rows(struct color_rows rows, int16_t *sums, int count)
{
    for (int i = 0; i < count; i += 16) {
        __m256i near = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *) (rows.near + i)));
        __m256i far = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *) (rows.far + i)));
        _mm256_storeu_si256((__m256i *) (sums + i), _mm256_add_epi16(thrice(near), far));
    }
}

void avx2_widen_row(const uint8_t *samples, int16_t *wide, int count)
{
    for (int i = 0; i < count; i += 16) {
        _mm256_storeu_si256(
            (__m256i *) (wide + i), _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *) (samples + i))));
    }
}

/*
 * The two pixels of each of 16 samples, less 128. The 128 is subtracted before the shift, where it is a multiple of the divisor.
 *
 * even, odd: what rounds the pixels: libjpeg alternates, so that colours do not drift
 */
INLINE struct split upsampled(const int16_t *samples, int even, int odd, int bits)
{
    const __m256i even_bias = _mm256_set1_epi16((short) (even - (128 << bits)));
    const __m256i odd_bias = _mm256_set1_epi16((short) (odd - (128 << bits)));
    __m256i before = _mm256_loadu_si256((const __m256i *) (samples - 1));
    __m256i here = thrice(_mm256_loadu_si256((const __m256i *) samples));
    __m256i after = _mm256_loadu_si256((const __m256i *) (samples + 1));
    return (struct split) {
        _mm256_srai_epi16(_mm256_add_epi16(_mm256_add_epi16(before, even_bias), here), bits),
        _mm256_srai_epi16(_mm256_add_epi16(_mm256_add_epi16(after, odd_bias), here), bits)};
}

void avx2_convert_420(const uint8_t *luma, const int16_t *cb, const int16_t *cr, uint8_t *rgb, int count)
{
    for (int i = 0; i < count; i += COLOR_STEP) {
        convert(split(luma + i), upsampled(cb + i / 2, 8, 7, 4), upsampled(cr + i / 2, 8, 7, 4), rgb + 3 * i);
    }
}

void avx2_convert_422(const uint8_t *luma, const int16_t *cb, const int16_t *cr, uint8_t *rgb, int count)
{
    for (int i = 0; i < count; i += COLOR_STEP) {
        convert(split(luma + i), upsampled(cb + i / 2, 1, 2, 2), upsampled(cr + i / 2, 1, 2, 2), rgb + 3 * i);
    }
}

INLINE struct split between(struct color_rows rows, int at, __m256i bias)
{
    struct split near = split(rows.near + at);
    struct split far = split(rows.far + at);
    return (struct split) {
        _mm256_srai_epi16(_mm256_add_epi16(_mm256_add_epi16(far.even, bias), thrice(near.even)), 2),
        _mm256_srai_epi16(_mm256_add_epi16(_mm256_add_epi16(far.odd, bias), thrice(near.odd)), 2)};
}

void avx2_convert_440(
    const uint8_t *luma, struct color_rows cb, struct color_rows cr, bool below, uint8_t *rgb, int count)
{
    const __m256i bias = _mm256_set1_epi16((short) ((below ? 2 : 1) - (128 << 2)));
    for (int i = 0; i < count; i += COLOR_STEP) {
        convert(split(luma + i), between(cb, i, bias), between(cr, i, bias), rgb + 3 * i);
    }
}

void avx2_convert_444(const uint8_t *luma, const uint8_t *cb, const uint8_t *cr, uint8_t *rgb, int count)
{
    for (int i = 0; i < count; i += COLOR_STEP) {
        convert(split(luma + i), centered(split(cb + i)), centered(split(cr + i)), rgb + 3 * i);
    }
}

INLINE __m256i split_bytes(const uint8_t *samples)
{
    struct split numbers = split(samples);
    return joined(numbers.even, numbers.odd);
}

void avx2_interleave(const uint8_t *red, const uint8_t *green, const uint8_t *blue, uint8_t *rgb, int count)
{
    for (int i = 0; i < count; i += COLOR_STEP) {
        store(split_bytes(red + i), split_bytes(green + i), split_bytes(blue + i), rgb + 3 * i);
    }
}

#endif
