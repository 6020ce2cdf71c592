package io.millrace.generate.photos;

/**
 * The spectrum of a noise: features from one size downwards, where each octave is half as large as the one before.
 *
 * @param width the width of the largest features, in pixels
 * @param height the height of the largest features, in pixels; different from {@code width} for waves or bark
 * @param gain the strength of an octave relative to the one before, 0 to 1: 0.5 decreases as 1/f, as in photographs; larger
 *     values are rougher
 */
record Spectrum(double width, double height, double gain) {}
