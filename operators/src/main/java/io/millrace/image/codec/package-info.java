/**
 * The structure of image files: headers, and decoders for the formats that OpenCV does not decode as Pillow does (BMP, GIF,
 * PNM, TIFF, CMYK JPEG), and the checks for damage in JPEG and PNG files.
 *
 * <p>Start with {@link io.millrace.image.codec.ImageHeader}, which recognises a file's format and size from its first bytes. {@link
 * io.millrace.image.codec.ConvertedPixels} chooses the decoder. A file that is damaged or not supported is rejected with a {@link
 * io.millrace.image.codec.MalformedImageException} that holds the reason.
 *
 * <p>Bytes in, bytes out: this package imports nothing else of Millrace. Classes are stateless unless they say otherwise.
 */
@NullMarked
package io.millrace.image.codec;

import org.jspecify.annotations.NullMarked;
