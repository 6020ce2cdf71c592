/* The header of a JPEG, as far as the baseline decoder needs and supports it. */
#ifndef MILLRACE_JPEG_HEADER_H
#define MILLRACE_JPEG_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The numbers of quantization tables and of Huffman tables of either kind that a JPEG can define. */
#define JPEG_TABLES 4

/* A Huffman table begins with the number of codes of 1 to 16 bits. One byte for each code follows. */
#define HUFFMAN_LENGTHS 16
#define HUFFMAN_MOST_SYMBOLS 256

/* Indexes of tables, from 0 to JPEG_TABLES - 1. The header has each of them. */
struct jpeg_component {
    int quanta, dc, ac;
};

struct jpeg_header {
    int height, width; /* pixels, 1 to 65500 */
    int components;    /* 1 (gray) or 3 */
    int across, down;  /* pixels for each sample of the second and third component: 1 or 2; 1 for gray */
    bool rgb;          /* whether the components are red, green and blue, and not YCbCr; only without subsampling */
    int restart_interval; /* MCUs; 0 for none */
    struct jpeg_component component[3];
    uint16_t quanta[JPEG_TABLES][64]; /* in natural order: 8 rows of 8 */
    const uint8_t *dc_codes[JPEG_TABLES], *ac_codes[JPEG_TABLES]; /* NULL when undefined */
    const uint8_t *scan, *end; /* the entropy-coded data, and the end of the file */
};

/*
 * Reads the header of a JPEG whose first scan has all components. Returns false for everything that the baseline decoder does
 * not support, and for everything irregular, which libjpeg judges then.
 *
 * header: points into `data` afterwards
 */
bool jpeg_header_read(struct jpeg_header *header, const uint8_t *data, size_t size);

#endif
