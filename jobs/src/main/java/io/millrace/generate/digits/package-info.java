/**
 * A generator of handwritten-looking digits, in the files and the format of MNIST.
 *
 * <p>Read {@link io.millrace.generate.digits.DigitsGenerator} first: it writes the IDX files on several threads.
 * {@code DigitShapes} contains the strokes of each digit, and {@code DigitPen} draws them with random variations.
 *
 * <p>The package does not promise that its digits resemble the digits of real people, so a model that is trained on
 * them is not a model for MNIST.
 */
@NullMarked
package io.millrace.generate.digits;

import org.jspecify.annotations.NullMarked;
