/*
 * The accurate integer transform of libjpeg ("islow"), bit by bit: the algorithm of Loeffler, Ligtenberg and Moschytz with
 * constants of 13 bits. It transforms columns, keeps 2 more bits, and transforms rows. libjpeg-turbo computes it with the same
 * 16-bit and 32-bit numbers, which wrap and saturate in the same places. There is one exception: when all rows of coefficients
 * but the first are zero, it multiplies the first row by 4 without saturation. So larger coefficients are reported.
 *
 * A register holds a row of both blocks, one in either half, because the instructions work on halves of 16 bytes.
 */
#include "jpeg_blocks.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* Constants of the transform, times 2^13. */
#define F_0_298 2446
#define F_0_390 3196
#define F_0_541 4433
#define F_0_765 6270
#define F_0_899 7373
#define F_1_175 9633
#define F_1_501 12299
#define F_1_847 15137
#define F_1_961 16069
#define F_2_053 16819
#define F_2_562 20995
#define F_3_072 25172

/* The bits that are dropped after the columns, and after the rows. */
#define AFTER_COLUMNS 11
#define AFTER_ROWS 18

/* Coefficients of the first row that are not larger can be multiplied by 4. */
#define LARGEST 8191

/* Sixteen 32-bit numbers: those from the lower halves of the 16-byte halves, and from the upper ones. */
struct wide {
    __m256i low, high;
};

INLINE struct wide plus(struct wide a, struct wide b)
{
    return (struct wide) {_mm256_add_epi32(a.low, b.low), _mm256_add_epi32(a.high, b.high)};
}

INLINE struct wide minus(struct wide a, struct wide b)
{
    return (struct wide) {_mm256_sub_epi32(a.low, b.low), _mm256_sub_epi32(a.high, b.high)};
}

/* a * first + b * second */
INLINE struct wide products(__m256i a, __m256i b, int first, int second)
{
    const __m256i factors = _mm256_set1_epi32((int) ((uint32_t) (uint16_t) first | (uint32_t) (uint16_t) second << 16));
    return (struct wide) {
        _mm256_madd_epi16(_mm256_unpacklo_epi16(a, b), factors), _mm256_madd_epi16(_mm256_unpackhi_epi16(a, b), factors)};
}

/* a * 2^13, and the half that rounds when `bits` are dropped. */
INLINE struct wide scaled(__m256i a, int bits)
{
    const __m256i zero = _mm256_setzero_si256();
    const __m256i half = _mm256_set1_epi32(1 << (bits - 1));
    return (struct wide) {
        _mm256_add_epi32(_mm256_srai_epi32(_mm256_unpacklo_epi16(zero, a), 3), half),
        _mm256_add_epi32(_mm256_srai_epi32(_mm256_unpackhi_epi16(zero, a), 3), half)};
}

INLINE __m256i narrow(struct wide a, int bits)
{
    return _mm256_packs_epi32(_mm256_srai_epi32(a.low, bits), _mm256_srai_epi32(a.high, bits));
}

/* The sums of the even rows and of the odd rows of coefficients: result i is even[i] + odd[i], and 7 - i is even[i] - odd[i]. */
struct sums {
    struct wide even[4], odd[4];
};

INLINE struct sums sum_of_eight(const __m256i r[8], int bits)
{
    struct sums sums;
    struct wide far = products(r[2], r[6], F_0_541 + F_0_765, F_0_541);
    struct wide near = products(r[2], r[6], F_0_541, F_0_541 - F_1_847);
    struct wide sum = scaled(_mm256_add_epi16(r[0], r[4]), bits);
    struct wide difference = scaled(_mm256_sub_epi16(r[0], r[4]), bits);
    sums.even[0] = plus(sum, far);
    sums.even[1] = plus(difference, near);
    sums.even[2] = minus(difference, near);
    sums.even[3] = minus(sum, far);
    __m256i z3 = _mm256_add_epi16(r[7], r[3]);
    __m256i z4 = _mm256_add_epi16(r[5], r[1]);
    struct wide third = products(z3, z4, F_1_175 - F_1_961, F_1_175);
    struct wide fourth = products(z3, z4, F_1_175, F_1_175 - F_0_390);
    sums.odd[0] = plus(products(r[7], r[1], -F_0_899, F_1_501 - F_0_899), fourth);
    sums.odd[1] = plus(products(r[5], r[3], -F_2_562, F_3_072 - F_2_562), third);
    sums.odd[2] = plus(products(r[5], r[3], F_2_053 - F_2_562, -F_2_562), fourth);
    sums.odd[3] = plus(products(r[7], r[1], F_0_298 - F_0_899, -F_0_899), third);
    return sums;
}

/* The same when r[4] to r[7] are zero. */
INLINE struct sums sum_of_four(const __m256i r[4], int bits)
{
    const __m256i zero = _mm256_setzero_si256();
    struct sums sums;
    struct wide far = products(r[2], zero, F_0_541 + F_0_765, 0);
    struct wide near = products(r[2], zero, F_0_541, 0);
    struct wide sum = scaled(r[0], bits);
    sums.even[0] = plus(sum, far);
    sums.even[1] = plus(sum, near);
    sums.even[2] = minus(sum, near);
    sums.even[3] = minus(sum, far);
    sums.odd[0] = products(r[3], r[1], F_1_175, F_1_175 - F_0_390 + F_1_501 - F_0_899);
    sums.odd[1] = products(r[3], r[1], F_1_175 - F_1_961 + F_3_072 - F_2_562, F_1_175);
    sums.odd[2] = products(r[3], r[1], F_1_175 - F_2_562, F_1_175 - F_0_390);
    sums.odd[3] = products(r[3], r[1], F_1_175 - F_1_961, F_1_175 - F_0_899);
    return sums;
}

INLINE void finish(struct sums sums, int bits, __m256i r[8])
{
    for (int i = 0; i < 4; i++) {
        r[i] = narrow(plus(sums.even[i], sums.odd[i]), bits);
        r[7 - i] = narrow(minus(sums.even[i], sums.odd[i]), bits);
    }
}

INLINE void transpose(__m256i r[8])
{
    __m256i a[8], b[8];
    for (int i = 0; i < 4; i++) {
        a[2 * i] = _mm256_unpacklo_epi16(r[2 * i], r[2 * i + 1]);
        a[2 * i + 1] = _mm256_unpackhi_epi16(r[2 * i], r[2 * i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        b[i] = _mm256_unpacklo_epi32(a[i], a[i + 2]);
        b[i + 1] = _mm256_unpackhi_epi32(a[i], a[i + 2]);
        b[i + 2] = _mm256_unpacklo_epi32(a[i + 1], a[i + 3]);
        b[i + 3] = _mm256_unpackhi_epi32(a[i + 1], a[i + 3]);
    }
    for (int i = 0; i < 4; i++) {
        r[2 * i] = _mm256_unpacklo_epi64(b[i], b[i + 4]);
        r[2 * i + 1] = _mm256_unpackhi_epi64(b[i], b[i + 4]);
    }
}

/* Finishes the first four columns, and transposes them: r[i] becomes column i, with its eight rows. */
INLINE void finish_four_columns(struct sums sums, __m256i r[4])
{
    __m256i rows[8], pairs[4];
    for (int i = 0; i < 4; i++) {
        rows[i] = _mm256_srai_epi32(_mm256_add_epi32(sums.even[i].low, sums.odd[i].low), AFTER_COLUMNS);
        rows[7 - i] = _mm256_srai_epi32(_mm256_sub_epi32(sums.even[i].low, sums.odd[i].low), AFTER_COLUMNS);
    }
    for (int i = 0; i < 4; i++) {
        pairs[i] = _mm256_packs_epi32(rows[2 * i], rows[2 * i + 1]);
    }
    __m256i even_upper = _mm256_unpacklo_epi16(pairs[0], pairs[1]); /* rows 0 and 2 by column */
    __m256i odd_upper = _mm256_unpackhi_epi16(pairs[0], pairs[1]);
    __m256i even_lower = _mm256_unpacklo_epi16(pairs[2], pairs[3]);
    __m256i odd_lower = _mm256_unpackhi_epi16(pairs[2], pairs[3]);
    __m256i upper01 = _mm256_unpacklo_epi16(even_upper, odd_upper); /* column 0, then column 1: rows 0 to 3 */
    __m256i upper23 = _mm256_unpackhi_epi16(even_upper, odd_upper);
    __m256i lower01 = _mm256_unpacklo_epi16(even_lower, odd_lower);
    __m256i lower23 = _mm256_unpackhi_epi16(even_lower, odd_lower);
    r[0] = _mm256_unpacklo_epi64(upper01, lower01);
    r[1] = _mm256_unpackhi_epi64(upper01, lower01);
    r[2] = _mm256_unpacklo_epi64(upper23, lower23);
    r[3] = _mm256_unpackhi_epi64(upper23, lower23);
}

/* Stores the columns r as rows of bytes, with 128 added. */
INLINE void store(const __m256i r[8], struct block_places to)
{
    const __m256i middle = _mm256_set1_epi8((char) 0x80);
    __m256i a[4], b[4], c[4], rows[4];
    for (int i = 0; i < 4; i++) {
        a[i] = _mm256_packs_epi16(r[i], r[i + 4]);
    }
    b[0] = _mm256_unpacklo_epi8(a[0], a[1]); /* columns 0 and 1 */
    b[1] = _mm256_unpacklo_epi8(a[2], a[3]); /* 2 and 3 */
    b[2] = _mm256_unpackhi_epi8(a[0], a[1]); /* 4 and 5 */
    b[3] = _mm256_unpackhi_epi8(a[2], a[3]); /* 6 and 7 */
    c[0] = _mm256_unpacklo_epi16(b[0], b[1]); /* columns 0 to 3 of rows 0 to 3 */
    c[1] = _mm256_unpackhi_epi16(b[0], b[1]); /* of rows 4 to 7 */
    c[2] = _mm256_unpacklo_epi16(b[2], b[3]); /* columns 4 to 7 */
    c[3] = _mm256_unpackhi_epi16(b[2], b[3]);
    rows[0] = _mm256_unpacklo_epi32(c[0], c[2]);
    rows[1] = _mm256_unpackhi_epi32(c[0], c[2]);
    rows[2] = _mm256_unpacklo_epi32(c[1], c[3]);
    rows[3] = _mm256_unpackhi_epi32(c[1], c[3]);
    for (int i = 0; i < 4; i++) {
        ptrdiff_t upper = 2 * i * to.stride;
        ptrdiff_t lower = upper + to.stride;
        __m256i two = _mm256_xor_si256(rows[i], middle);
        if (to.joined) {
            two = _mm256_permute4x64_epi64(two, 0xd8);
            _mm_storeu_si128((__m128i *) (to.one + upper), _mm256_castsi256_si128(two));
            _mm_storeu_si128((__m128i *) (to.one + lower), _mm256_extracti128_si256(two, 1));
        } else {
            __m128i one = _mm256_castsi256_si128(two);
            __m128i other = _mm256_extracti128_si256(two, 1);
            _mm_storel_epi64((__m128i *) (to.other + upper), other);
            _mm_storel_epi64((__m128i *) (to.other + lower), _mm_unpackhi_epi64(other, other));
            _mm_storel_epi64((__m128i *) (to.one + upper), one);
            _mm_storel_epi64((__m128i *) (to.one + lower), _mm_unpackhi_epi64(one, one));
        }
    }
}

/* The sample of a block with one coefficient, in each of eight bytes. */
INLINE uint64_t flat(int coefficient)
{
    int sample = ((coefficient + 4) >> 3) + 128;
    sample = sample < 0 ? 0 : sample > 255 ? 255 : sample;
    return (uint64_t) sample * UINT64_C(0x0101010101010101);
}

static bool transform_flat(int16_t *pair, const int16_t *quanta, struct block_places to)
{
    int16_t left = (int16_t) (pair[0] * quanta[0]);
    int16_t right = (int16_t) (pair[8] * quanta[8]);
    pair[0] = 0;
    pair[8] = 0;
    uint64_t one = flat(left);
    uint64_t other = flat(right);
    for (int row = 0; row < 8; row++) {
        memcpy(to.other + row * to.stride, &other, sizeof other);
        memcpy(to.one + row * to.stride, &one, sizeof one);
    }
    return left >= -LARGEST && left <= LARGEST && right >= -LARGEST && right <= LARGEST;
}

INLINE __m256i take(__m256i *coefficients, const __m256i *quanta, int row)
{
    __m256i products = _mm256_mullo_epi16(coefficients[row], quanta[row]);
    coefficients[row] = _mm256_setzero_si256();
    return products;
}

bool avx2_transform(int16_t *pair, const int16_t *quanta, int last, struct block_places to)
{
    if (last <= 1) {
        return transform_flat(pair, quanta, to);
    }
    __m256i *coefficients = (__m256i *) pair;
    const __m256i *factors = (const __m256i *) quanta;
    __m256i r[8];
    /* The first ten coefficients are in the first four rows and columns. */
    int rows = last <= 10 ? 4 : 8;
    for (int i = 0; i < 4; i++) {
        r[i] = take(coefficients, factors, i);
    }
    __m256i largest = _mm256_abs_epi16(r[0]);
    if (rows == 4) {
        finish_four_columns(sum_of_four(r, AFTER_COLUMNS), r);
        finish(sum_of_four(r, AFTER_ROWS), AFTER_ROWS, r);
    } else {
        for (int i = 4; i < 8; i++) {
            r[i] = take(coefficients, factors, i);
        }
        finish(sum_of_eight(r, AFTER_COLUMNS), AFTER_COLUMNS, r);
        transpose(r);
        finish(sum_of_eight(r, AFTER_ROWS), AFTER_ROWS, r);
    }
    store(r, to);
    /* Also the absolute value of -32768, which stays negative, has a bit above those of the largest one. */
    return _mm256_testz_si256(largest, _mm256_set1_epi16((short) ~LARGEST));
}

#endif
