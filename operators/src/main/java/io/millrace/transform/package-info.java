/**
 * The transforms that the data servers apply to each sample, one class per transform, with torchvision's names and
 * rules. A picture in this package is an image or a mask.
 *
 * <p>Read {@link io.millrace.transform.Transform} and {@link io.millrace.transform.TransformFactory} first: they are
 * the interface of every transform. Then read one transform, for example {@link io.millrace.transform.RandomGrayscale}.
 * {@link io.millrace.transform.ImageFields} treats the images and masks of a sample alike.
 * {@link io.millrace.transform.PlacedTransform} adds random numbers and the quarantine, and
 * {@link io.millrace.transform.StageOperator} is the Flink operator around it.
 *
 * <p>A transform is a function of the sample and its random numbers. {@code decode} looks ahead to a
 * {@link io.millrace.transform.Cropping} transform after it and decodes only the part that this transform needs. {@link
 * io.millrace.transform.TransformContext} tells a transform its neighbors, and in {@link io.millrace.transform.StageChain} a stage
 * leaves the work that it has done for the stages behind it in the same task.
 *
 * <p>A few rules are public because the device has the same transforms, whose results are equal to the bit:
 * {@link io.millrace.transform.FlipDraw}, {@link io.millrace.transform.JitterDraw} and
 * {@link io.millrace.transform.ResizeRule}. A {@link io.millrace.transform.FloatTransformFactory} is one class for all places.
 *
 * <p>The package does not promise torchvision's random numbers: the numbers of a transform have torchvision's
 * distributions, but come from {@link io.millrace.order.SampleRandom}.
 */
@NullMarked
package io.millrace.transform;

import org.jspecify.annotations.NullMarked;
