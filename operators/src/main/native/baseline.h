/*
 * Our decoder of a rectangle of a baseline JPEG to RGB, with the same pixels as libjpeg-turbo's accurate transform and "fancy"
 * upsampling. It decodes sequential Huffman-coded JPEGs of 8 bits with one scan: gray, RGB and YCbCr, the latter with as many
 * samples of colour as of luma or half as many in either direction. It needs AVX2 and BMI2. (Tests also compile it for any CPU.)
 *
 * It leaves all other files to libjpeg, and also all files in which it finds something irregular, such as an unknown code, the
 * end of the data, or bytes between two restart intervals: libjpeg knows how to go on. It does not see what is below the
 * rectangle, nor what it jumps over.
 */
#ifndef MILLRACE_BASELINE_H
#define MILLRACE_BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jpeg_reader.h"
#include "jpeg_scan.h"

/* The MCUs of a row between two entry points. Each row begins with an entry point. */
#define ENTRY_UNITS 8

/*
 * The known entry points of a file, in the order of its MCUs and from the first one on. A decode uses them, and adds those of
 * MCUs that it parses, so that later decodes can jump over these.
 */
struct entry_points {
    struct entry_point *points; /* room for baseline_most_entry_points */
    int known;
    bool intact;                /* whether the whole file has been found intact */
};

/* Returns the largest number of entry points that a file of the size has. */
size_t baseline_most_entry_points(int height, int width);

/* The state of a decoder for one thread. */
struct baseline_decoder;

/* Returns whether the CPU has the instructions of this decoder. */
bool baseline_has_instructions(void);

/* Returns NULL when there is no memory. Requires baseline_has_instructions. */
struct baseline_decoder *baseline_decoder_new(void);

/*
 * Decodes a rectangle. Returns UNSUPPORTED without a call of `read`, or when `read` does.
 *
 * data: the whole file, which must stay as it is during the call
 * height, width: those of the image, which the caller read from the header
 * entries: the entry points of exactly these data, or NULL; neither used nor added if restart markers of the file serve instead
 */
enum outcome baseline_decode(
    struct baseline_decoder *decoder, const uint8_t *data, size_t size, int height, int width, struct rectangle rectangle,
    struct entry_points *entries, jpeg_reader read, void *state);

/* What a check of a file's entropy-coded data finds. Java has the same numbers. */
enum finding {
    NOT_CHECKED, /* the file is of a kind that the check does not support */
    INTACT,
    DAMAGED
};

/*
 * Checks the entropy-coded data of a whole file, whose segments and markers are intact. The data are intact if they have as many
 * MCUs as the image, each with valid codes and with DC values that an encoder writes, and end behind them.
 *
 * height, width: those of the image, which the caller read from the header
 * entries: none are known yet, and all are added; or NULL. They are complete if the data are intact
 */
enum finding baseline_check(
    struct baseline_decoder *decoder, const uint8_t *data, size_t size, int height, int width, struct entry_points *entries);

void baseline_decoder_free(struct baseline_decoder *decoder);

#endif
