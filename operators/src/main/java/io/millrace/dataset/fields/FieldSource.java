package io.millrace.dataset.fields;

import io.millrace.sample.Annotation;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * The source of one field: its name in samples, its name in the files, and the kind of field that its values become.
 *
 * @param name the name of the field in samples; {@link #LABEL} is the sample's label
 * @param from the suffix of the member, or the name of the column, feature or array
 * @param as the kind of field that the stored values become
 * @param annotation what the values mean for the geometry of pictures, if they are boxes, points, masks of objects, or values of boxes;
 *     {@code as} is then {@link As#RAGGED}, or {@link As#MASK} for pictures of ids
 */
public record FieldSource(
        String name, String from, As as, @Nullable Annotation annotation) implements Serializable {
    /** The name of the field that becomes the sample's label. */
    public static final String LABEL = "label";

    /** Creates the source of values that are no boxes, points or values of boxes. */
    public FieldSource(String name, String from, As as) {
        this(name, from, as, null);
    }

    /** Returns the same field with another name in the files. */
    public FieldSource withFrom(String from) {
        return new FieldSource(name, from, as, annotation);
    }

    /** Returns whether the numbers become float32 or masks, whatever type is stored. */
    public boolean isConverted() {
        return annotation != null && annotation.isMoved();
    }

    /** The kind of field that stored values become. */
    public enum As {
        /**
         * The kind follows from the values: images are recognized by their first bytes, and other values are text or
         * numbers.
         */
        AUTO,
        /** An encoded picture, or the pixels of one. */
        IMAGE,
        /** A picture of class numbers. Transforms change it together with the images. */
        MASK,
        /** Numbers of one shape in all samples. */
        TENSOR,
        /** Numbers whose first extent differs from sample to sample. */
        RAGGED,
        /** UTF-8 text. */
        TEXT
    }
}
