package io.millrace.sample;

/**
 * The meaning of a field to transforms and to packing. The order is part of the serialized form, so new constants must
 * be added at the end.
 */
public enum FieldKind {
    /** An image, encoded or as uint8 [height, width, 1 or 3]. Geometry and colour transforms change it. */
    IMAGE,
    /**
     * An image whose values are class numbers, encoded or as an array [height, width, 1]. Geometry transforms change it
     * together with the images; they copy the nearest pixel and never mix values. Colour transforms leave it unchanged.
     */
    MASK,
    /** Numbers of a fixed shape. No image transform changes them. */
    TENSOR,
    /**
     * Numbers whose first extent differs from sample to sample, such as boxes or the bytes of a text. They are packed
     * without padding.
     */
    RAGGED
}
