/* The exchange of left and right of pixels of one or three bytes. */
#ifndef MILLRACE_MIRROR_H
#define MILLRACE_MIRROR_H

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
/* Swaps left and right in each of `height` rows of `width` pixels of 1 or 3 channels, in place. */
void avx2_mirror(uint8_t *pixels, size_t height, size_t width, size_t channels);
#endif

#endif
