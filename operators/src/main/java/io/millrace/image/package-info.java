/**
 * Pixels: reading image headers, decoding, resampling and moving pixels about, with Pillow's results to the last bit.
 *
 * <p>Bytes in, bytes out: nothing here knows Flink, files or random numbers. The loops that cost most are in {@link
 * io.millrace.image.Kernels}, twins of which one is chosen at start; C of our own is called by {@link
 * io.millrace.image.NativeCode} alone. What could not be decoded to the pixels of Pillow's
 * {@code convert("RGB")} is refused with a reason rather than decoded to something near.
 *
 * <p>Not promised: thread safety of the decoder and the resampler, which keep scratch memory; each thread has its own.
 */
@NullMarked
package io.millrace.image;

import org.jspecify.annotations.NullMarked;
