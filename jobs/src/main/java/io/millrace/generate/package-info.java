/**
 * Data for the examples, drawn by the program itself: no download, no font, no Flink.
 *
 * <p>{@link io.millrace.generate.Generators} is the way in. Every image is a function of (seed, stream, index), so any
 * number of threads writes the same bytes. A finished folder carries a marker ({@code .millrace-generated.json}) that
 * says what made it; a folder whose marker says "unfinished" is made anew. May import {@code io.millrace.option}.
 */
@NullMarked
package io.millrace.generate;

import org.jspecify.annotations.NullMarked;
