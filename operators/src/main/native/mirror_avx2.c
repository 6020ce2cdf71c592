/*
 * The exchange of left and right with 16-byte registers. A register holds sixteen pixels of one byte, or five of three and one more
 * byte, which stays unchanged.
 * This file is compiled with -mavx2, and its function is called only if the CPU has AVX2.
 */
#include "mirror.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define REGISTER 16
#define FIVE 15 /* the bytes of five pixels */

static void mirror_rest(uint8_t *left, uint8_t *right, ptrdiff_t channels)
{
    for (; left < right; left += channels, right -= channels) {
        for (ptrdiff_t channel = 0; channel < channels; channel++) {
            uint8_t kept = left[channel];
            left[channel] = right[channel];
            right[channel] = kept;
        }
    }
}

/*
 * The registers of the next step are read before those of this step are written, because they share a byte, and the CPU would
 * otherwise wait for the writes.
 */
static void mirror_row(uint8_t *left, uint8_t *end)
{
    /* The shuffles of five pixels from the end of a register to its beginning, and from its beginning to its end. */
    const __m128i to_left = _mm_setr_epi8(13, 14, 15, 10, 11, 12, 7, 8, 9, 4, 5, 6, 1, 2, 3, -1);
    const __m128i to_right = _mm_setr_epi8(-1, 12, 13, 14, 9, 10, 11, 6, 7, 8, 3, 4, 5, 0, 1, 2);
    const __m128i behind = _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1);
    const __m128i before = _mm_setr_epi8(-1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    /* A shorter row would have its right register begin before the row, and C does not define such a pointer. */
    if (end - left >= 2 * REGISTER) {
        uint8_t *right = end - REGISTER;
        __m128i first = _mm_loadu_si128((const __m128i *) left);
        __m128i last = _mm_loadu_si128((const __m128i *) right);
        while (right - left >= REGISTER) {
            /* At least 16 bytes lie between left and right, so both reads stay within the row. */
            __m128i next_first = _mm_loadu_si128((const __m128i *) (left + FIVE));
            __m128i next_last = _mm_loadu_si128((const __m128i *) (right - FIVE));
            __m128i to_first = _mm_or_si128(_mm_shuffle_epi8(last, to_left), _mm_and_si128(first, behind));
            __m128i to_last = _mm_or_si128(_mm_shuffle_epi8(first, to_right), _mm_and_si128(last, before));
            _mm_storeu_si128((__m128i *) left, to_first);
            _mm_storeu_si128((__m128i *) right, to_last);
            first = next_first;
            last = next_last;
            left += FIVE;
            right -= FIVE;
        }
        end = right + REGISTER;
    }
    mirror_rest(left, end - 3, 3);
}

static void mirror_gray_row(uint8_t *left, uint8_t *end)
{
    const __m128i reversed = _mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    for (; end - left >= 2 * REGISTER; left += REGISTER, end -= REGISTER) {
        __m128i first = _mm_loadu_si128((const __m128i *) left);
        __m128i last = _mm_loadu_si128((const __m128i *) (end - REGISTER));
        _mm_storeu_si128((__m128i *) left, _mm_shuffle_epi8(last, reversed));
        _mm_storeu_si128((__m128i *) (end - REGISTER), _mm_shuffle_epi8(first, reversed));
    }
    mirror_rest(left, end - 1, 1);
}

void avx2_mirror(uint8_t *pixels, size_t height, size_t width, size_t channels)
{
    size_t row_bytes = channels * width;
    for (size_t row = 0; row < height; row++) {
        uint8_t *begin = pixels + row * row_bytes;
        if (channels == 1) {
            mirror_gray_row(begin, begin + row_bytes);
        } else {
            mirror_row(begin, begin + row_bytes);
        }
    }
}

#endif
