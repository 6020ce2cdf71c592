/**
 * Operations on pixels: decoding, encoding, resampling, geometry and colours. An image in this package is any array of
 * pixels [height, width, channels], so masks are images, too. The results equal those of Pillow and torchvision to the
 * last bit, except where a class documents a difference.
 *
 * <p>Read {@link io.millrace.image.ImageDecoder}, {@link io.millrace.image.Resampler} and
 * {@link io.millrace.image.PixelOps} first. The package {@code codec} below reads headers and the structure of files.
 *
 * <p>The package computes with bytes in memory. It uses no files and no random numbers. The most expensive loops are in
 * {@link io.millrace.image.Kernels}. There are two implementations with equal results: in C and in plain Java. The first
 * use of kernels chooses one of them. The classes whose names begin with {@code Native} call the C code.
 *
 * <p>An image that cannot be decoded to the pixels of Pillow's {@code convert("RGB")} is refused with a reason; it is
 * never decoded to similar pixels.
 *
 * <p>The package does not promise thread safety of classes that keep scratch memory, for example the decoder and the
 * resampler. Each thread uses its own instance.
 */
@NullMarked
package io.millrace.image;

import org.jspecify.annotations.NullMarked;
