package io.millrace.image;

/**
 * How closely an encoded image is looked at for damage before it is decoded. Decoders forgive: libjpeg fills what it
 * cannot read with gray, and a program that calls it through OpenCV (or Pillow, or torchvision) is not told.
 *
 * <p>Seen at either level: a missing end, for every format; any changed byte in a PNG's picture, by its checksums; in a
 * JPEG, segments with wrong lengths, markers where none may be, restart markers out of turn.
 */
public enum ImageIntegrity {
    /**
     * The frame of the file only. A changed byte amid a JPEG's entropy-coded data is seen only where it makes or breaks
     * a marker, about one in a hundred; one in a WebP or TIFF where its decoder notices.
     */
    STRUCTURE,
    /**
     * Besides, a JPEG's entropy-coded data is walked code by code (baseline and extended; not progressive nor
     * arithmetic): an unknown code, a block of more than 64 coefficients, and picture or data ending before the other
     * are damage. Seen is what upsets the count of codes, most changed bytes. Not seen is a change of values that
     * leaves all codes in step. Costs about a third of the decoding (ImageDecoderBenchmark).
     */
    ENTROPY
}
