#include "png.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <libdeflate.h>

#include "png_filter.h"
#include "scratch.h"

#define SIGNATURE_BYTES 8
#define CHUNK_OVERHEAD 12
/* libpng refuses larger extents, and OpenCV refuses more pixels. */
#define MOST_EXTENT 1000000
#define MOST_PIXELS (INT64_C(1) << 30)
#define MOST_COLORS 256
/* Marks a colour that the palette has. The lower bytes are red, green and blue. */
#define PRESENT UINT32_C(0x01000000)

/* The linked library, for the list of what a release contains. */
__attribute__((used)) static const char linked_library[] = "millrace links libdeflate " LIBDEFLATE_VERSION_STRING;

enum color { GRAY = 0, RGB = 2, PALETTE = 3, GRAY_ALPHA = 4, RGBA = 6 };

struct png_decoder {
    struct libdeflate_decompressor *inflater;
    uint8_t *raw; /* the decompressed rows, each after its filter */
    size_t raw_capacity;
    uint8_t *lines; /* two rows without filters, and one of RGB */
    size_t lines_capacity;
    uint32_t palette[MOST_COLORS];
};

/* What the header and the palette say. */
struct png {
    int height, width;
    int depth;
    enum color color;
    int pixel_bytes; /* the distance to the pixel on the left; 1 if a pixel has less than a byte */
    size_t row_bytes;
    uint8_t *compressed;
    size_t compressed_bytes;
};

struct png_decoder *png_decoder_new(void)
{
    struct png_decoder *decoder = calloc(1, sizeof *decoder);
    if (decoder) {
        decoder->inflater = libdeflate_alloc_decompressor();
        if (!decoder->inflater) {
            free(decoder);
            return NULL;
        }
    }
    return decoder;
}

void png_decoder_free(struct png_decoder *decoder)
{
    if (decoder) {
        libdeflate_free_decompressor(decoder->inflater);
        free(decoder->raw);
        free(decoder->lines);
        free(decoder);
    }
}

static uint32_t u32(const uint8_t *at)
{
    return (uint32_t) at[0] << 24 | (uint32_t) at[1] << 16 | (uint32_t) at[2] << 8 | at[3];
}

/* Reads the 13 bytes of IHDR. */
static bool read_header(const uint8_t *at, struct png *png)
{
    png->depth = at[8];
    png->color = at[9];
    int samples;
    bool deep = png->depth == 8 || png->depth == 16;
    bool shallow = png->depth == 1 || png->depth == 2 || png->depth == 4;
    bool allowed;
    switch (at[9]) {
    case GRAY: samples = 1, allowed = deep || shallow; break;
    case PALETTE: samples = 1, allowed = png->depth == 8 || shallow; break;
    case GRAY_ALPHA: samples = 2, allowed = deep; break;
    case RGB: samples = 3, allowed = deep; break;
    case RGBA: samples = 4, allowed = deep; break;
    default: return false;
    }
    /* The last three bytes are the methods of compression and filtering, which are always 0, and the interlacing. */
    if (!allowed || u32(at) != (uint32_t) png->width || u32(at + 4) != (uint32_t) png->height || at[10] || at[11] || at[12]) {
        return false;
    }
    if (png->width > MOST_EXTENT || png->height > MOST_EXTENT || (int64_t) png->width * png->height > MOST_PIXELS) {
        return false;
    }
    int bits = samples * png->depth;
    png->pixel_bytes = bits < 8 ? 1 : bits / 8;
    png->row_bytes = ((size_t) png->width * (size_t) bits + 7) / 8;
    return true;
}

static bool read_palette(struct png_decoder *decoder, const uint8_t *at, size_t bytes, int depth)
{
    size_t colors = bytes / 3;
    if (bytes % 3 || colors < 1 || colors > (size_t) 1 << depth) {
        return false;
    }
    memset(decoder->palette, 0, sizeof decoder->palette);
    for (size_t i = 0; i < colors; i++, at += 3) {
        decoder->palette[i] = PRESENT | at[0] | (uint32_t) at[1] << 8 | (uint32_t) at[2] << 16;
    }
    return true;
}

/* Letters, of which the third is a capital. */
static bool is_type(const uint8_t *at)
{
    for (int i = 0; i < 4; i++) {
        uint8_t small = at[i] | 0x20;
        if (small < 'a' || small > 'z') {
            return false;
        }
    }
    return !(at[2] & 0x20);
}

/*
 * Reads all chunks, and moves the compressed data together: behind the first byte of the first IDAT, the data of each IDAT moves
 * towards the beginning, so that nothing that is still to be read is overwritten.
 */
static bool read_chunks(struct png_decoder *decoder, uint8_t *data, size_t size, struct png *png)
{
    if (size < SIGNATURE_BYTES + CHUNK_OVERHEAD + 13 || memcmp(data, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16) != 0
        || !read_header(data + 16, png)) {
        return false;
    }
    bool colors = false, ended = false;
    size_t at = SIGNATURE_BYTES + CHUNK_OVERHEAD + 13;
    while (size - at >= CHUNK_OVERHEAD) { /* at <= size, because each chunk fits */
        size_t length = u32(data + at);
        uint8_t *type = data + at + 4, *body = type + 4;
        if (length > size - at - CHUNK_OVERHEAD || !is_type(type)) {
            return false;
        }
        if (memcmp(type, "IDAT", 4) == 0) {
            if (ended || (png->color == PALETTE && !colors)) {
                return false;
            }
            if (!png->compressed) {
                png->compressed = body;
            }
            memmove(png->compressed + png->compressed_bytes, body, length);
            png->compressed_bytes += length;
        } else {
            ended = png->compressed != NULL; /* all data must follow each other */
            if (memcmp(type, "IEND", 4) == 0) {
                return ended && length == 0;
            }
            if (memcmp(type, "PLTE", 4) == 0) {
                if (png->color != PALETTE || colors || ended || !read_palette(decoder, body, length, png->depth)) {
                    return false;
                }
                colors = true;
            } else if (!(type[0] & 0x20)) {
                return false; /* a chunk that is necessary and unknown; the frames of an animation are ignored */
            }
        }
        at += CHUNK_OVERHEAD + length;
    }
    return false;
}

/* Decompresses all rows, and finds whether each has a known filter. */
static enum outcome decompress(struct png_decoder *decoder, const struct png *png)
{
    size_t stride = png->row_bytes + 1, bytes = stride * (size_t) png->height;
    if (png->compressed_bytes < 2 || png->compressed_bytes > SIZE_MAX / 2) {
        return UNSUPPORTED;
    }
    /* zlib refuses distances beyond the window, which libdeflate does not check. */
    int window_bits = (png->compressed[0] >> 4) + 8;
    if (window_bits > 15 || (window_bits < 15 && bytes > (size_t) 1 << window_bits)) {
        return UNSUPPORTED;
    }
    if (!grow(&decoder->raw, &decoder->raw_capacity, bytes + FILTER_SLACK)) {
        return NO_MEMORY;
    }
    if (libdeflate_zlib_decompress(
            decoder->inflater, png->compressed, png->compressed_bytes, decoder->raw, bytes, NULL) != LIBDEFLATE_SUCCESS) {
        return UNSUPPORTED;
    }
    for (int row = 0; row < png->height; row++) {
        if (decoder->raw[(size_t) row * stride] >= FILTERS) {
            return UNSUPPORTED;
        }
    }
    memset(decoder->raw + bytes, 0, FILTER_SLACK);
    return DONE;
}

/* Writes four bytes; the next pixel overwrites the last one. */
static inline uint8_t *put(uint8_t *to, uint32_t rgb)
{
    memcpy(to, &rgb, 4);
    return to + 3;
}

static inline uint32_t gray(uint32_t level)
{
    return level * UINT32_C(0x010101);
}

/* Converts columns of pixels with at most 8 bits. Returns false if an index has no colour. */
static bool convert_indexes(const struct png_decoder *decoder, const struct png *png, const uint8_t *line, int left, int width, uint8_t *to)
{
    int mask = (1 << png->depth) - 1, last = 8 / png->depth - 1;
    int shift = png->depth == 8 ? 0 : png->depth == 4 ? 1 : png->depth == 2 ? 2 : 3;
    uint32_t scale = 255 / (uint32_t) mask, present = PRESENT;
    for (int x = left; x < left + width; x++) {
        uint32_t level = (line[x >> shift] >> (png->depth * (last - (x & last)))) & mask;
        uint32_t color = png->color == PALETTE ? decoder->palette[level] : PRESENT | gray(level * scale);
        present &= color;
        to = put(to, color);
    }
    return present;
}

/* Converts columns of a row to RGB. Returns NULL if an index has no colour. */
static const uint8_t *convert(
    const struct png_decoder *decoder, const struct png *png, const uint8_t *line, int left, int width, uint8_t *rgb)
{
    uint8_t *to = rgb;
    if (png->color == PALETTE && png->depth == 8) {
        uint32_t present = PRESENT;
        for (const uint8_t *at = line + left, *end = at + width; at < end; at++) {
            present &= decoder->palette[*at];
            to = put(to, decoder->palette[*at]);
        }
        return present ? rgb : NULL;
    }
    if (png->depth < 8) {
        return convert_indexes(decoder, png, line, left, width, rgb) ? rgb : NULL;
    }
    const uint8_t *at = line + (size_t) left * (size_t) png->pixel_bytes;
    const uint8_t *end = at + (size_t) width * (size_t) png->pixel_bytes;
    if (png->color == RGB && png->depth == 8) {
        return at;
    }
    if (png->color == RGB) {
        for (; at < end; at += 2) {
            *to++ = *at;
        }
    } else if (png->color == RGBA && png->depth == 8) {
        for (; at < end; at += 4) {
            uint32_t pixel;
            memcpy(&pixel, at, 4);
            to = put(to, pixel);
        }
    } else if (png->color == RGBA) {
        for (; at < end; at += 8) {
            to = put(to, at[0] | (uint32_t) at[2] << 8 | (uint32_t) at[4] << 16);
        }
    } else if (png->color == GRAY && png->depth == 16) {
        for (; at < end; at += 2) {
            to = put(to, gray(at[0] ? 255 : at[1]));
        }
    } else { /* gray, or gray with alpha of which the first byte is the upper byte of the level */
        for (; at < end; at += png->pixel_bytes) {
            to = put(to, gray(*at));
        }
    }
    return rgb;
}

static enum outcome read_rows(
    struct png_decoder *decoder, const struct png *png, struct rectangle rectangle, png_row take, void *state)
{
    size_t line_bytes = png->row_bytes + FILTER_SLACK;
    if (!grow(&decoder->lines, &decoder->lines_capacity, 2 * line_bytes + 3 * (size_t) rectangle.width + 4)) {
        return NO_MEMORY;
    }
    uint8_t *above = decoder->lines, *line = above + line_bytes, *rgb = line + line_bytes;
    memset(above, 0, line_bytes);
    const uint8_t *raw = decoder->raw;
    for (int row = 0; row < rectangle.top + rectangle.height; row++, raw += png->row_bytes + 1) {
        png_unfilter(raw[0], raw + 1, above, line, png->row_bytes, png->pixel_bytes);
        if (row >= rectangle.top) {
            const uint8_t *converted = convert(decoder, png, line, rectangle.left, rectangle.width, rgb);
            if (!converted) {
                return UNSUPPORTED;
            }
            take(state, row - rectangle.top, converted);
        }
        uint8_t *swapped = above;
        above = line;
        line = swapped;
    }
    return DONE;
}

enum outcome png_decode(
    struct png_decoder *decoder, uint8_t *data, size_t size, int height, int width, struct rectangle rectangle, png_row take,
    void *state)
{
    struct png png = {.height = height, .width = width};
    if (!read_chunks(decoder, data, size, &png)) {
        return UNSUPPORTED;
    }
    enum outcome outcome = decompress(decoder, &png);
    if (outcome == DONE) {
        outcome = read_rows(decoder, &png, rectangle, take, state);
    }
    shrink(&decoder->raw, &decoder->raw_capacity);
    shrink(&decoder->lines, &decoder->lines_capacity);
    return outcome;
}
