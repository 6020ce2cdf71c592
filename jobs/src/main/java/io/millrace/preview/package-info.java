/**
 * The preview of a pipeline's samples without a job, as a contact sheet for people and as .npy files for programs.
 * Samples, their order and their random numbers are the same as in the run.
 *
 * <p>Read {@link io.millrace.preview.PreviewRun} first. It reads and transforms samples with the same classes as the job's
 * operators, so that the preview shows the samples that are trained on. {@link io.millrace.preview.ContactSheet} draws them,
 * with {@code SheetLayout} for positions and {@code Raster} for pixels; {@link io.millrace.preview.NpyFolder} writes files.
 * {@link io.millrace.preview.StepRows} finds the samples of each training step.
 *
 * <p>The package uses {@code pipeline} and the packages that {@code pipeline} uses, {@code train} for the device's
 * transforms, and OpenCV. It starts no Flink job.
 *
 * <p>The package does not promise fixed pixels of the contact sheet; the .npy files are exact.
 */
@NullMarked
package io.millrace.preview;

import org.jspecify.annotations.NullMarked;
