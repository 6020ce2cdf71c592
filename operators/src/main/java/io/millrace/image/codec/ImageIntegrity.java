package io.millrace.image.codec;

/**
 * How closely an encoded image is looked at for damage before it is decoded. Decoders forgive: libjpeg fills what it
 * cannot read with gray, and a program that calls it through OpenCV (or Pillow, or torchvision) is not told.
 *
 * <p>Seen at either level: a missing end, for every format; any changed byte in a PNG's picture, by its checksums; in a
 * JPEG, segments with wrong lengths, markers where none may be, restart markers out of turn.
 */
public enum ImageIntegrity {
    /**
     * The frame of the file only; costs nothing that can be measured (5 microseconds for 50 KB). Damage within a JPEG's
     * entropy-coded data is seen only where it makes or breaks a marker: of files with 1, 64 and 512 bytes overwritten
     * at random about 2, 20 and 85 of a hundred. In a WebP or TIFF it is seen where its decoder notices.
     */
    STRUCTURE,
    /**
     * Besides, a JPEG's entropy-coded data is walked code by code (baseline and extended; not progressive nor
     * arithmetic): an unknown code, a block of more than 64 coefficients, a brightness out of range, and picture and
     * data that do not end together are damage. That is what libjpeg warns of, and a little more. Of the files above
     * about 30, 88 and 99 of a hundred are seen; what is not are changed values that leave all codes in step. Adds about
     * a third to the time of decoding (ImageDecoderBenchmark).
     */
    ENTROPY
}
