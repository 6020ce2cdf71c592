/*
 * The baseline decoder without instructions for vectors: the sources of the production, and the transform and the colours in plain
 * C. Tests compare it with the one for AVX2, on any CPU with little-endian numbers. The production uses libjpeg-turbo where AVX2 is
 * missing, because this decoder is slower.
 */
#if !defined(MILLRACE_PLAIN)
#define MILLRACE_PLAIN
#endif

#define baseline_has_instructions plain_baseline_has_instructions
#define baseline_most_entry_points plain_baseline_most_entry_points
#define baseline_decoder_new plain_baseline_decoder_new
#define baseline_decoder_free plain_baseline_decoder_free
#define baseline_decode plain_baseline_decode
#define baseline_check plain_baseline_check
#define scan_begin plain_scan_begin
#define scan_tell plain_scan_tell
#define scan_seek plain_scan_seek
#define scan_jump plain_scan_jump
#define scan_find_marker plain_scan_find_marker
#define scan_skip plain_scan_skip
#define scan_check plain_scan_check
#define scan_is_complete plain_scan_is_complete
#define scan_ends_unusually plain_scan_ends_unusually
#define scan_is_regular plain_scan_is_regular
#define scan_prepare_skips plain_scan_prepare_skips
#define scan_unit plain_scan_unit
#define avx2_transform plain_transform
#define avx2_sum_rows plain_sum_rows
#define avx2_widen_row plain_widen_row
#define avx2_convert_420 plain_convert_420
#define avx2_convert_422 plain_convert_422
#define avx2_convert_440 plain_convert_440
#define avx2_convert_444 plain_convert_444
#define avx2_interleave plain_interleave

#include "baseline.c"
#include "jpeg_scan_avx2.c"

/* ---- Transform: the formulas of jpeg_blocks_avx2.c, whose numbers wrap and saturate in the same places ---- */

static int16_t saturated(int32_t value)
{
    return (int16_t) (value < INT16_MIN ? INT16_MIN : value > INT16_MAX ? INT16_MAX : value);
}

/* a * first + b * second, modulo 2^32 */
static uint32_t products(int16_t a, int16_t b, int first, int second)
{
    return (uint32_t) (a * first) + (uint32_t) (b * second);
}

/* Transforms eight numbers, `stride` apart, in place. `bits` are dropped. */
static void transform_eight(int16_t *at, int stride, int bits)
{
    int16_t r[8];
    for (int i = 0; i < 8; i++) {
        r[i] = at[i * stride];
    }
    uint32_t half = 1u << (bits - 1);
    uint32_t sum = (uint32_t) ((int16_t) (r[0] + r[4]) * 8192) + half;
    uint32_t difference = (uint32_t) ((int16_t) (r[0] - r[4]) * 8192) + half;
    uint32_t far = products(r[2], r[6], 10703, 4433);
    uint32_t near = products(r[2], r[6], 4433, -10704);
    uint32_t even[4] = {sum + far, difference + near, difference - near, sum - far};
    int16_t z3 = (int16_t) (r[7] + r[3]);
    int16_t z4 = (int16_t) (r[5] + r[1]);
    uint32_t third = products(z3, z4, -6436, 9633);
    uint32_t fourth = products(z3, z4, 9633, 6437);
    uint32_t odd[4] = {
        products(r[7], r[1], -7373, 4926) + fourth, products(r[5], r[3], -20995, 4177) + third,
        products(r[5], r[3], -4176, -20995) + fourth, products(r[7], r[1], -4927, -7373) + third};
    for (int i = 0; i < 4; i++) {
        at[i * stride] = saturated((int32_t) (even[i] + odd[i]) >> bits);
        at[(7 - i) * stride] = saturated((int32_t) (even[i] - odd[i]) >> bits);
    }
}

/* Transforms one side of a pair. Returns false for a large coefficient in the first row. */
static bool transform_block(const int16_t *coefficients, const int16_t *quanta, uint8_t *to, ptrdiff_t stride)
{
    int16_t block[64];
    bool regular = true;
    for (int i = 0; i < 64; i++) {
        block[i] = (int16_t) (coefficients[i / 8 * 16 + i % 8] * quanta[i / 8 * 16 + i % 8]);
        regular &= i >= 8 || (block[i] >= -8191 && block[i] <= 8191);
    }
    for (int i = 0; i < 8; i++) {
        transform_eight(block + i, 8, 11);
    }
    for (int i = 0; i < 8; i++) {
        transform_eight(block + 8 * i, 1, 18);
    }
    for (int i = 0; i < 64; i++) {
        int sample = block[i] + 128;
        to[i / 8 * stride + i % 8] = (uint8_t) (sample < 0 ? 0 : sample > 255 ? 255 : sample);
    }
    return regular;
}

bool avx2_transform(int16_t *pair, const int16_t *quanta, int last, struct block_places to)
{
    (void) last;
    bool regular = transform_block(pair + 8, quanta + 8, to.other, to.stride);
    regular &= transform_block(pair, quanta, to.one, to.stride);
    memset(pair, 0, 2 * 64 * sizeof *pair);
    return regular;
}

/* ---- Colours: libjpeg's formulas ---- */

static uint8_t clamped(int value)
{
    return (uint8_t) (value < 0 ? 0 : value > 255 ? 255 : value);
}

static void convert(int luma, int cb, int cr, uint8_t *rgb)
{
    cb -= 128;
    cr -= 128;
    rgb[0] = clamped(luma + ((91881 * cr + 32768) >> 16));
    rgb[1] = clamped(luma + ((-22554 * cb - 46802 * cr + 32768) >> 16));
    rgb[2] = clamped(luma + ((116130 * cb + 32768) >> 16));
}

void avx2_sum_rows(struct color_rows rows, int16_t *sums, int count)
{
    for (int i = 0; i < count; i++) {
        sums[i] = (int16_t) (3 * rows.near[i] + rows.far[i]);
    }
}

void avx2_widen_row(const uint8_t *samples, int16_t *wide, int count)
{
    for (int i = 0; i < count; i++) {
        wide[i] = samples[i];
    }
}

/* The colour of pixel i. Two pixels share a sample; the farther one is before the even pixel and behind the odd one. */
static int upsampled(const int16_t *samples, int i, int even, int odd, int bits)
{
    const int16_t *at = samples + i / 2;
    return i % 2 == 0 ? (3 * at[0] + at[-1] + even) >> bits : (3 * at[0] + at[1] + odd) >> bits;
}

void avx2_convert_420(const uint8_t *luma, const int16_t *cb, const int16_t *cr, uint8_t *rgb, int count)
{
    for (int i = 0; i < count; i++) {
        convert(luma[i], upsampled(cb, i, 8, 7, 4), upsampled(cr, i, 8, 7, 4), rgb + 3 * i);
    }
}

void avx2_convert_422(const uint8_t *luma, const int16_t *cb, const int16_t *cr, uint8_t *rgb, int count)
{
    for (int i = 0; i < count; i++) {
        convert(luma[i], upsampled(cb, i, 1, 2, 2), upsampled(cr, i, 1, 2, 2), rgb + 3 * i);
    }
}

void avx2_convert_440(
    const uint8_t *luma, struct color_rows cb, struct color_rows cr, bool below, uint8_t *rgb, int count)
{
    int bias = below ? 2 : 1;
    for (int i = 0; i < count; i++) {
        convert(
            luma[i], (3 * cb.near[i] + cb.far[i] + bias) >> 2, (3 * cr.near[i] + cr.far[i] + bias) >> 2, rgb + 3 * i);
    }
}

void avx2_convert_444(const uint8_t *luma, const uint8_t *cb, const uint8_t *cr, uint8_t *rgb, int count)
{
    for (int i = 0; i < count; i++) {
        convert(luma[i], cb[i], cr[i], rgb + 3 * i);
    }
}

void avx2_interleave(const uint8_t *red, const uint8_t *green, const uint8_t *blue, uint8_t *rgb, int count)
{
    for (int i = 0; i < count; i++) {
        rgb[3 * i] = red[i];
        rgb[3 * i + 1] = green[i];
        rgb[3 * i + 2] = blue[i];
    }
}
