/*
 * The passes with AVX2. This file is compiled with -mavx2, and its functions are called only if the CPU has AVX2.
 *
 * AVX2 has no fast 32-bit multiplication, but pmaddwd multiplies eight pairs of 16-bit numbers and adds each pair. So the
 * passes process two taps at a time and split each weight w into w >> 11 and w & 2047, which both fit into 16 bits:
 *
 *     sum(pixel * w) = (sum(pixel * (w >> 11)) << 11) + sum(pixel * (w & 2047))
 *
 * This is exact as long as the sum fits into 32 bits. It does, because the weights add up to about 2^22 and a pixel is at most
 * 255.
 */
#include "resize.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define INLINE static inline __attribute__((always_inline))

struct sums {
    __m256i high, low;
};

INLINE __m256i load_two(const uint8_t *upper, const uint8_t *lower)
{
    __m128i a = _mm_loadu_si128((const __m128i *) upper);
    __m128i b = _mm_loadu_si128((const __m128i *) lower);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1);
}

INLINE struct sums empty(void)
{
    return (struct sums) {_mm256_setzero_si256(), _mm256_set1_epi32(HALF)};
}

INLINE struct sums add(struct sums sums, __m256i pixels, uint32_t high, uint32_t low)
{
    sums.high = _mm256_add_epi32(sums.high, _mm256_madd_epi16(pixels, _mm256_set1_epi32((int) high)));
    sums.low = _mm256_add_epi32(sums.low, _mm256_madd_epi16(pixels, _mm256_set1_epi32((int) low)));
    return sums;
}

/* The sums are not clamped here. The saturating packs that follow do that, from signed 32 to unsigned 16 to unsigned 8 bits. */
INLINE __m256i finish(struct sums sums)
{
    return _mm256_srai_epi32(_mm256_add_epi32(_mm256_slli_epi32(sums.high, LOW_BITS), sums.low), FRACTION_BITS);
}

/* One pixel of two rows: red, green, blue and 0 of the upper row in the lower half, those of the lower row in the upper half. */
INLINE __m256i pixel(
    const uint8_t *upper, const uint8_t *lower, const uint32_t *high, const uint32_t *low, int pairs)
{
    /* Bytes r0 g0 b0 r1 g1 b1 ... become 16-bit pairs (r0 r1) (g0 g1) (b0 b1) (0 0), then those of taps 2 and 3. */
    const __m256i front = _mm256_setr_epi8(
        0, -1, 3, -1, 1, -1, 4, -1, 2, -1, 5, -1, -1, -1, -1, -1,
        0, -1, 3, -1, 1, -1, 4, -1, 2, -1, 5, -1, -1, -1, -1, -1);
    const __m256i back = _mm256_setr_epi8(
        6, -1, 9, -1, 7, -1, 10, -1, 8, -1, 11, -1, -1, -1, -1, -1,
        6, -1, 9, -1, 7, -1, 10, -1, 8, -1, 11, -1, -1, -1, -1, -1);
    struct sums sums = empty();
    int pair = 0;
    for (; pair + 1 < pairs; pair += 2) {
        __m256i bytes = load_two(upper + 6 * pair, lower + 6 * pair);
        sums = add(sums, _mm256_shuffle_epi8(bytes, front), high[pair], low[pair]);
        sums = add(sums, _mm256_shuffle_epi8(bytes, back), high[pair + 1], low[pair + 1]);
    }
    if (pair < pairs) {
        __m256i bytes = load_two(upper + 6 * pair, lower + 6 * pair);
        sums = add(sums, _mm256_shuffle_epi8(bytes, front), high[pair], low[pair]);
    }
    return finish(sums);
}

INLINE void across(const struct axis *axis, const uint8_t *const in[2], uint8_t *const out[2], int pairs)
{
    const __m256i order = _mm256_setr_epi8(
        0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1,
        0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
    const int columns = axis->out;
    const int32_t *start = axis->start;
    const uint32_t *high = axis->high;
    const uint32_t *low = axis->low;
    for (int x = 0; x < columns; x += 4) {
        __m256i four[4];
        for (int i = 0; i < 4; i++) {
            int column = i < columns - x ? i : 0;
            size_t source = (size_t) start[column] * 3;
            size_t weight = (size_t) column * (size_t) pairs;
            four[i] = pixel(in[0] + source, in[1] + source, high + weight, low + weight, pairs);
        }
        /* To move on costs less than to multiply x by the pairs: 5 % of the pass with nine pairs. */
        start += 4;
        high += 4 * pairs;
        low += 4 * pairs;
        __m256i bytes = _mm256_shuffle_epi8(
            _mm256_packus_epi16(_mm256_packus_epi32(four[0], four[1]), _mm256_packus_epi32(four[2], four[3])), order);
        /* 16 bytes hold four pixels and 4 bytes too many: the next pixels overwrite them, or they lie in the row's slack. */
        _mm_storeu_si128((__m128i *) (out[0] + 3 * x), _mm256_castsi256_si128(bytes));
        _mm_storeu_si128((__m128i *) (out[1] + 3 * x), _mm256_extracti128_si256(bytes, 1));
    }
}

static void avx2_across(const struct axis *axis, int channels, const uint8_t *const in[2], uint8_t *const out[2])
{
    if (channels == 1) { /* one channel is rare (digits, gray scans) and the images are small: plain C suffices */
        plain_passes.across(axis, channels, in, out);
        return;
    }
    switch (axis->pairs) { /* constants, so that the compiler unrolls their loops; six pairs are enough to shrink to a fifth */
#define CASE(number)                   \
    case number:                       \
        across(axis, in, out, number); \
        break;
        CASE(1)
        CASE(2)
        CASE(3)
        CASE(4)
        CASE(5)
        CASE(6)
#undef CASE
    default:
        across(axis, in, out, axis->pairs);
    }
}

INLINE void down(const uint32_t *high, const uint32_t *low, const uint8_t *const *rows, uint8_t *out, size_t count, int pairs)
{
    const __m256i zero = _mm256_setzero_si256();
    for (size_t at = 0; at < count; at += 32) {
        struct sums sums[4] = {empty(), empty(), empty(), empty()};
        for (int pair = 0; pair < pairs; pair++) {
            __m256i a = _mm256_loadu_si256((const __m256i *) (rows[2 * pair] + at));
            __m256i b = _mm256_loadu_si256((const __m256i *) (rows[2 * pair + 1] + at));
            __m256i front = _mm256_unpacklo_epi8(a, b);
            __m256i back = _mm256_unpackhi_epi8(a, b);
            sums[0] = add(sums[0], _mm256_unpacklo_epi8(front, zero), high[pair], low[pair]);
            sums[1] = add(sums[1], _mm256_unpackhi_epi8(front, zero), high[pair], low[pair]);
            sums[2] = add(sums[2], _mm256_unpacklo_epi8(back, zero), high[pair], low[pair]);
            sums[3] = add(sums[3], _mm256_unpackhi_epi8(back, zero), high[pair], low[pair]);
        }
        /* The packs restore the order before the unpacks. */
        __m256i front = _mm256_packus_epi32(finish(sums[0]), finish(sums[1]));
        __m256i back = _mm256_packus_epi32(finish(sums[2]), finish(sums[3]));
        _mm256_storeu_si256((__m256i *) (out + at), _mm256_packus_epi16(front, back));
    }
}

static void avx2_down(const struct axis *axis, int y, const uint8_t *const *rows, uint8_t *out, size_t count)
{
    const uint32_t *high = axis->high + (size_t) y * (size_t) axis->pairs;
    const uint32_t *low = axis->low + (size_t) y * (size_t) axis->pairs;
    switch (axis->pairs) {
    case 1:
        down(high, low, rows, out, count, 1);
        break;
    case 2:
        down(high, low, rows, out, count, 2);
        break;
    case 3:
        down(high, low, rows, out, count, 3);
        break;
    default:
        down(high, low, rows, out, count, axis->pairs);
    }
}

const struct passes avx2_passes = {avx2_across, avx2_down};

#endif
