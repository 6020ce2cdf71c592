package io.millrace.dataset.fields;

import java.io.Serializable;

/**
 * One field that is read: its name in samples, what it is called where it is stored, and as what it is taken.
 *
 * @param name of the sample's field; {@link #LABEL} is the sample's label
 * @param from the member's suffix, column, feature or array
 */
public record FieldSource(String name, String from, As as) implements Serializable {
    /** The field that becomes the sample's label. */
    public static final String LABEL = "label";

    /** What stored values are taken for. */
    public enum As {
        /** What they look like: encoded images by their first bytes, text, numbers. */
        AUTO,
        /** An encoded picture, or its pixels. */
        IMAGE,
        /** A picture of class numbers, changed together with the images. */
        MASK,
        /** Numbers of one shape in all samples. */
        TENSOR,
        /** Numbers whose first extent differs from sample to sample. */
        RAGGED,
        /** UTF-8 text. */
        TEXT
    }
}
