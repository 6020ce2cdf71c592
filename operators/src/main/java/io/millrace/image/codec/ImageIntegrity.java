package io.millrace.image.codec;

/**
 * The level of the check for damage before an image is decoded. Decoders accept damage: libjpeg fills unreadable parts with
 * gray, and a program that calls it through OpenCV, Pillow or torchvision receives no warning.
 *
 * <p>Both levels detect a missing end in every format, and any changed byte in the pixels of a PNG, by its checksums. In a
 * JPEG, both detect segments with wrong lengths, markers at wrong positions, and restart markers in the wrong order.
 */
public enum ImageIntegrity {
    /**
     * Checks only the structure of the file. The cost is too small to notice (5 microseconds for 50 KB). Damage in the
     * entropy-coded data of a JPEG is detected only when it creates or destroys a marker. This finds about 2, 20 and 85 of a
     * hundred files with 1, 64 and 512 bytes overwritten at random. Damage in the data of a WebP is detected only when the
     * decoder reports it, and in a TIFF when its compression shows it.
     */
    STRUCTURE,
    /**
     * Also walks the entropy-coded data of a JPEG code by code, if the native kernels decode this kind of JPEG themselves: gray,
     * RGB or YCbCr with the usual sampling, in one sequential scan. Four signs count as damage: an unknown code, a block of more
     * than 64 coefficients, a brightness out of range, and data that ends before or after the image. These are the warnings of
     * libjpeg, and a few more. The check finds about 30, 88 and 99 of a hundred of the files above. It does not find changed
     * values that leave the codes intact. It takes a fifth of the time of libjpeg-turbo's decoding. Intact files are remembered
     * together with their entry points. It needs the native kernels with AVX2.
     */
    ENTROPY
}
