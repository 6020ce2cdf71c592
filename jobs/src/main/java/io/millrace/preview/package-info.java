/**
 * Shows what a pipeline does to its samples, without a job: the very samples, order and random numbers of the run, as a
 * contact sheet for people and as exact pixels for programs.
 *
 * <p>{@link io.millrace.preview.PreviewRun} reads and transforms through the same classes as the job's operators, so that
 * what is shown is what is trained on. The rest of the package draws and writes that.
 */
@NullMarked
package io.millrace.preview;

import org.jspecify.annotations.NullMarked;
