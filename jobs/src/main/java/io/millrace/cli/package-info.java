/**
 * The command line: one class for each command.
 *
 * <p>Read {@link io.millrace.cli.Main} first. It lists the commands. Each command is a {@link io.millrace.cli.CliCommand}: it
 * parses its arguments with picocli, calls the package that does the work, and prints the result as text or as JSON. Options
 * that several commands share are mixins, such as {@link io.millrace.cli.PipelineArguments}. {@link
 * io.millrace.cli.FlinkMain} is the entry point for {@code flink run}.
 *
 * <p>Training jobs are submitted by {@code io.millrace.run}.
 *
 * <p>The names of commands and options, the exit codes and the keys of the JSON output are stable. The text output is not.
 */
@NullMarked
package io.millrace.cli;

import org.jspecify.annotations.NullMarked;
