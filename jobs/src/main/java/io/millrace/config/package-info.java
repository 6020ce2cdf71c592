/**
 * Pipeline files: the records that hold them, and a reader that reports all problems of a file together, each with its line
 * and key.
 *
 * <p>Read {@link io.millrace.config.PipelineConfig} first: it lists the parts of a file. Each part is a {@code *Config}
 * record that declares its options, reads itself from a {@link io.millrace.config.Section} and writes itself into a
 * {@link io.millrace.config.WrittenConfig}. {@link io.millrace.config.ConfigReader} is the entry point.
 *
 * <p>To add an option, declare it in the record that it belongs to, add it to the record's {@code OPTIONS}, read it and write
 * it there, and run {@code ./millrace options}. {@code DeclaredOptionsTest} fails until all four are done.
 *
 * <p>The package opens no dataset and no device: whether the data fits the model is checked by {@code
 * io.millrace.pipeline}.
 */
@NullMarked
package io.millrace.config;

import org.jspecify.annotations.NullMarked;
