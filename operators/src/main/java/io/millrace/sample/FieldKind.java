package io.millrace.sample;

import java.util.Locale;

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
     * Numbers whose first extent differs from sample to sample, such as boxes, or bytes of unknown meaning. They are packed
     * without padding.
     */
    RAGGED,
    /** A text: uint8 [n], UTF-8 without an error. Batches hold its bytes as those of a ragged field. */
    TEXT;

    /** Returns the name in lower case, for people and in JSON. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns whether the first extent differs from sample to sample. */
    public boolean varies() {
        return this == RAGGED || this == TEXT;
    }

    /** Returns the kind of the same values in a batch, which does not distinguish texts from other bytes. */
    public FieldKind inBatch() {
        return this == TEXT ? RAGGED : this;
    }
}
