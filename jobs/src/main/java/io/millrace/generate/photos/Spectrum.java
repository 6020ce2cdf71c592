package io.millrace.generate.photos;

/**
 * The look of a noise: features from one size downwards, each octave half as large.
 *
 * @param width pixels of the largest features, across
 * @param height pixels of the largest features, downwards; unequal to {@code width} for waves or bark
 * @param gain strength of an octave to the one before, 0 to 1: 0.5 falls as 1/f, as in photographs; more is rougher
 */
record Spectrum(double width, double height, double gain) {}
