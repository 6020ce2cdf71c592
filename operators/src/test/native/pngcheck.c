/*
 * Checks the decoder of PNGs (src/main/native/png.c) with random and with damaged files. In the folder operators:
 *
 *     cd src/main/native && gcc -std=gnu11 -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -Wall -Wextra -I. \
 *         -o /tmp/pngcheck ../../test/native/pngcheck.c png.c png_filter.c -l:libdeflate.a
 *     /tmp/pngcheck 100000 1         # files, seed
 *
 * Each file is decoded whole and in a random rectangle: as written, which must give the pixels that were written, and with damage,
 * where both must give the same pixels or both be left to another decoder. The exit status is 0 if there is no difference.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libdeflate.h>

#include "png.h"

#define MOST_EXTENT 48
#define MOST_FILE (1 << 17)

static uint64_t state;

static int below(int end)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int) (((state * UINT64_C(0x2545f4914f6cdd1d)) >> 33) % (uint64_t) end);
}

static const struct kind {
    int color, samples, depth;
} kinds[] = {{0, 1, 1}, {0, 1, 2}, {0, 1, 4}, {0, 1, 8}, {0, 1, 16}, {2, 3, 8}, {2, 3, 16}, {3, 1, 1},
             {3, 1, 2}, {3, 1, 4}, {3, 1, 8}, {4, 2, 8}, {4, 2, 16}, {6, 4, 8}, {6, 4, 16}};

struct picture {
    struct kind kind;
    int height, width;
    size_t row_bytes;
    uint8_t rows[MOST_EXTENT][MOST_EXTENT * 8]; /* without filters */
    uint8_t palette[256 * 3];
};

static struct picture picture;
static uint8_t file[MOST_FILE];
static size_t file_bytes;
static struct libdeflate_compressor *compressor;

static void put32(uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8) {
        file[file_bytes++] = (uint8_t) (value >> shift);
    }
}

static void chunk(const char *type, const uint8_t *body, size_t bytes)
{
    put32((uint32_t) bytes);
    memcpy(file + file_bytes, type, 4);
    memcpy(file + file_bytes + 4, body, bytes);
    uint32_t crc = libdeflate_crc32(0, file + file_bytes, bytes + 4);
    file_bytes += bytes + 4;
    put32(crc);
}

static int predict(int filter, int left, int above, int corner)
{
    int paeth = left + above - corner;
    int from_left = abs(paeth - left), from_above = abs(paeth - above), from_corner = abs(paeth - corner);
    switch (filter) {
    case 0: return 0;
    case 1: return left;
    case 2: return above;
    case 3: return (left + above) / 2;
    default:
        return from_left <= from_above && from_left <= from_corner ? left : from_above <= from_corner ? above : corner;
    }
}

/* Draws a picture, and writes its file. Smooth rows let all three cases of the last filter occur. */
static void draw(void)
{
    struct picture *p = &picture;
    p->kind = kinds[below(sizeof kinds / sizeof *kinds)];
    p->height = 1 + below(MOST_EXTENT);
    p->width = 1 + below(MOST_EXTENT);
    int bits = p->kind.samples * p->kind.depth, step = bits < 8 ? 1 : bits / 8;
    p->row_bytes = ((size_t) p->width * (size_t) bits + 7) / 8;
    bool smooth = below(2);
    for (int y = 0; y < p->height; y++) {
        for (size_t i = 0; i < p->row_bytes; i++) {
            p->rows[y][i] = (uint8_t) (smooth ? 3 * y + (int) i + below(9) : below(256));
        }
    }
    for (size_t i = 0; i < sizeof p->palette; i++) {
        p->palette[i] = (uint8_t) below(256);
    }
    static uint8_t filtered[MOST_EXTENT * (MOST_EXTENT * 8 + 1)], compressed[MOST_FILE / 2];
    size_t bytes = 0;
    for (int y = 0; y < p->height; y++) {
        int filter = below(5);
        filtered[bytes++] = (uint8_t) filter;
        for (size_t i = 0; i < p->row_bytes; i++) {
            int left = i >= (size_t) step ? p->rows[y][i - (size_t) step] : 0, above = y ? p->rows[y - 1][i] : 0;
            int corner = y && i >= (size_t) step ? p->rows[y - 1][i - (size_t) step] : 0;
            filtered[bytes++] = (uint8_t) (p->rows[y][i] - predict(filter, left, above, corner));
        }
    }
    size_t size = libdeflate_zlib_compress(compressor, filtered, bytes, compressed, sizeof compressed);
    file_bytes = 0;
    memcpy(file, "\x89PNG\r\n\x1a\n", 8);
    file_bytes = 8;
    uint8_t header[13] = {0, 0, 0, (uint8_t) p->width, 0, 0, 0, (uint8_t) p->height, (uint8_t) p->kind.depth,
                          (uint8_t) p->kind.color, 0, 0, 0};
    chunk("IHDR", header, 13);
    if (p->kind.color == 3) {
        chunk("PLTE", p->palette, 3 * ((size_t) 1 << p->kind.depth));
    }
    for (size_t at = 0; at < size;) {
        size_t part = (size_t) below(300);
        part = part < size - at ? part : size - at;
        chunk("IDAT", compressed + at, part);
        at += part;
    }
    chunk("IEND", file, 0);
}

static void damage(void)
{
    for (int changes = 1 + below(3); changes > 0; changes--) {
        int at = below(4) ? below((int) file_bytes) : below(file_bytes < 64 ? (int) file_bytes : 64);
        switch (below(4)) {
        case 0: file[at] ^= (uint8_t) (1 << below(8)); break;
        case 1: file[at] = (uint8_t) below(256); break;
        case 2: file_bytes = file_bytes > 1 ? (size_t) below((int) file_bytes) + 1 : 1; break;
        default: { /* copies a part of the file to another place */
            int from = below((int) file_bytes), most = (int) file_bytes - (at > from ? at : from);
            memmove(file + at, file + from, (size_t) below(most + 1));
        }
        }
    }
}

/* The pixel that was written. */
static uint32_t expected(int y, int x)
{
    const struct picture *p = &picture;
    const uint8_t *row = p->rows[y];
    int depth = p->kind.depth, sample = depth / 8;
    if (p->kind.color == 2 || p->kind.color == 6) {
        const uint8_t *at = row + x * p->kind.samples * sample;
        return at[0] | (uint32_t) at[sample] << 8 | (uint32_t) at[2 * sample] << 16;
    }
    uint32_t level;
    if (depth < 8) {
        int bit = x * depth;
        level = (uint32_t) (row[bit / 8] >> (8 - depth - bit % 8)) & ((1u << depth) - 1);
    } else {
        const uint8_t *at = row + x * p->kind.samples * sample;
        level = depth == 16 && p->kind.color == 0 && at[0] ? 255 : at[depth == 16 && p->kind.color == 0];
    }
    if (p->kind.color == 3) {
        const uint8_t *at = p->palette + 3 * level;
        return at[0] | (uint32_t) at[1] << 8 | (uint32_t) at[2] << 16;
    }
    level = depth < 8 ? level * 255 / ((1u << depth) - 1) : level;
    return level * 0x010101u;
}

struct pixels {
    int width;
    uint8_t *rgb;
};

static void take(void *into, int row, const uint8_t *rgb)
{
    struct pixels *pixels = into;
    memcpy(pixels->rgb + (size_t) row * 3 * (size_t) pixels->width, rgb, 3 * (size_t) pixels->width);
}

/* Decodes a copy of the file in memory of exactly its size. */
static enum outcome decode(struct png_decoder *decoder, struct rectangle rectangle, uint8_t *rgb)
{
    uint8_t *copy = malloc(file_bytes);
    memcpy(copy, file, file_bytes);
    struct pixels pixels = {rectangle.width, rgb};
    enum outcome outcome =
        png_decode(decoder, copy, file_bytes, picture.height, picture.width, rectangle, take, &pixels);
    free(copy);
    return outcome;
}

int main(int arguments, char **argument)
{
    int files = arguments > 1 ? atoi(argument[1]) : 20000, accepted = 0, different = 0, refused = 0;
    state = arguments > 2 ? (uint64_t) atoll(argument[2]) * 2 + 1 : 1;
    compressor = libdeflate_alloc_compressor(6);
    struct png_decoder *decoder = png_decoder_new();
    static uint8_t whole[MOST_EXTENT * MOST_EXTENT * 3], part[MOST_EXTENT * MOST_EXTENT * 3];
    for (int number = 0; number < files; number++) {
        draw();
        bool damaged = number % 2;
        if (damaged) {
            damage();
        }
        struct rectangle all = {0, 0, picture.height, picture.width}, some;
        some.height = 1 + below(all.height), some.width = 1 + below(all.width);
        some.top = below(all.height - some.height + 1), some.left = below(all.width - some.width + 1);
        enum outcome first = decode(decoder, all, whole), second = decode(decoder, some, part);
        bool wrong = damaged ? first == DONE && second != DONE : first != DONE || second != DONE;
        for (int y = 0; first == DONE && !wrong && y < all.height; y++) {
            for (int x = 0; x < all.width; x++) {
                const uint8_t *at = whole + 3 * (y * all.width + x);
                wrong |= !damaged && (at[0] | (uint32_t) at[1] << 8 | (uint32_t) at[2] << 16) != expected(y, x);
                int row = y - some.top, column = x - some.left;
                wrong |= row >= 0 && row < some.height && column >= 0 && column < some.width
                    && memcmp(at, part + 3 * (row * some.width + column), 3) != 0;
            }
        }
        accepted += damaged && first == DONE;
        refused += damaged && first != DONE;
        different += wrong;
        if (wrong && different < 10) {
            printf("file %d: colour type %d of %d bits, %dx%d%s\n", number, picture.kind.color, picture.kind.depth,
                   picture.width, picture.height, damaged ? ", damaged" : "");
        }
    }
    png_decoder_free(decoder);
    libdeflate_free_compressor(compressor);
    printf("%d files: %d different, %d damaged ones decoded, %d left to another decoder\n", files, different, accepted, refused);
    return different != 0;
}
