/**
 * The structure of image files: their headers, decoders for the formats that OpenCV does not decode like Pillow, and checks for
 * damage in JPEG, PNG and WebP files.
 *
 * <p>Read {@link io.millrace.image.codec.ImageHeader} first. It recognises the format and the size of an image from its first
 * bytes. {@link io.millrace.image.codec.ConvertedPixels} chooses the decoder for PNG, BMP, GIF, PNM, TIFF and CMYK JPEG. {@link
 * io.millrace.image.codec.JpegStructure}, {@link io.millrace.image.codec.PngStructure} and {@link
 * io.millrace.image.codec.WebpStructure} check for damage. {@link
 * io.millrace.image.codec.JpegRestarts} adds restart markers to JPEGs. An image
 * that is damaged or too large is rejected with a {@link io.millrace.image.codec.MalformedImageException} that contains the
 * reason.
 *
 * <p>The package receives bytes and returns bytes. Classes are stateless unless their Javadoc states otherwise.
 *
 * <p>It does not promise to find all damage. {@link io.millrace.image.codec.ImageIntegrity} lists what each level of the check
 * detects.
 */
@NullMarked
package io.millrace.image.codec;

import org.jspecify.annotations.NullMarked;
