package io.millrace.sample;

/** What a field means to transforms and to packing. The order is part of the serialized form: append only. */
public enum FieldKind {
    /** A picture, encoded or uint8 [height, width, 1 or 3]: geometry and colour transforms change it. */
    IMAGE,
    /**
     * A picture whose values are class numbers, encoded or [height, width, 1]: geometry changes it together with the
     * images, taking the nearest pixel and never a mixture; colour transforms leave it alone.
     */
    MASK,
    /** Numbers of a fixed shape: no image transform touches them. */
    TENSOR,
    /** Numbers whose first extent differs from sample to sample, as text (its bytes) or boxes do: packed without padding. */
    RAGGED
}
