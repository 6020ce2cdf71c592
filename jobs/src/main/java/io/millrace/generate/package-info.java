/**
 * Generators of the examples' data: digits, photos and texts that the program makes itself, without downloads, fonts or Flink.
 *
 * <p>Read {@link io.millrace.generate.Generators} first: it finds the generators and manages the folders that they fill. The
 * generators themselves are in the packages {@code digits}, {@code photos} and {@code text}.
 *
 * <p>Every image and text is a function of (seed, stream, index), so that any number of threads writes the same bytes. A
 * generated folder contains a marker ({@code .millrace-generated.json}) with the request. If the marker records that
 * the generation is unfinished, the folder is generated again.
 *
 * <p>The package promises equal bytes only for equal versions of a generator.
 */
@NullMarked
package io.millrace.generate;

import org.jspecify.annotations.NullMarked;
