/* The same decoder as baseline.h, without instructions for vectors. Its functions have the same names, with a prefix. */
#ifndef MILLRACE_BASELINE_PLAIN_H
#define MILLRACE_BASELINE_PLAIN_H

#include "baseline.h"

size_t plain_baseline_most_entry_points(int height, int width);

struct baseline_decoder *plain_baseline_decoder_new(void);

enum outcome plain_baseline_decode(
    struct baseline_decoder *decoder, const uint8_t *data, size_t size, int height, int width, struct rectangle rectangle,
    struct entry_points *entries, jpeg_reader read, void *state);

enum finding plain_baseline_check(
    struct baseline_decoder *decoder, const uint8_t *data, size_t size, int height, int width, struct entry_points *entries);

void plain_baseline_decoder_free(struct baseline_decoder *decoder);

#endif
