package io.millrace.transform;

/**
 * The kind of work that a transform does on pictures, which {@link TransformFactory#pictureWork} declares. The advice of
 * {@code diagnose} uses it to find transforms that can change places or run elsewhere.
 */
public enum PictureWork {
    /** Turns encoded pictures into pixels. */
    DECODE,
    /** Cuts out a rectangle and keeps its pixels as they are. */
    CROP,
    /** Computes pictures of another size. */
    RESIZE,
    /** Computes each pixel from the same pixel alone, so that a crop before or after it has the same result. */
    PER_PIXEL,
    /**
     * Computes each pixel from its neighbours, its place or the whole picture. It can run after a crop instead of before it.
     * Then only the pixels at the edge of the crop or the overall brightness differ.
     */
    NEIGHBOURHOOD,
    /** Turns bytes into floats that the device can compute from the bytes as well. */
    TO_FLOAT,
    /** Changes no pixel and needs the same time for each picture. */
    NONE,
    /** Any other work. */
    OTHER
}
