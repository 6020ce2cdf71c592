package io.millrace.dataset.coco;

import io.millrace.sample.Annotation;
import io.millrace.sample.Annotation.Form;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A value of a sample. Fields name it by its lower-case name. */
enum CocoColumn {
    /** The encoded picture. */
    IMAGE,
    /** float32 [objects, 4]. */
    BOXES,
    /** int64 [objects], the numbers of the classes from 0. */
    LABELS,
    /** int64 [objects], the ids of the classes in the file. */
    CATEGORY_IDS,
    /** int64 [objects], 1 for a crowd. */
    ISCROWD,
    /** float32 [objects], in square pixels. */
    AREA,
    /** int64 [objects]. */
    ANNOTATION_IDS,
    /** float32 [objects, points, 3]. */
    KEYPOINTS,
    /** bool [objects, height, width]. */
    MASKS,
    /** int64 [], one number. */
    IMAGE_ID,
    /** Text, one line for each caption. */
    CAPTIONS;

    /** Returns the column with a name in pipeline files. */
    static Optional<CocoColumn> of(String name) {
        return Arrays.stream(values())
                .filter(column -> column.text().equals(name))
                .findFirst();
    }

    /** Returns all names, for messages. */
    static String names() {
        return Arrays.stream(values()).map(CocoColumn::text).collect(Collectors.joining(", "));
    }

    String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns whether geometry moves the values. */
    boolean isMoved() {
        return this == BOXES || this == KEYPOINTS || this == MASKS;
    }

    /** Returns whether there is one row for each object. */
    boolean isOfObjects() {
        return this != IMAGE && this != IMAGE_ID && this != CAPTIONS;
    }

    /**
     * Returns what the values mean for the geometry of pictures; null for nothing.
     *
     * @param form the form of boxes
     * @param boxes the name of the field of boxes; null when the sample has none
     */
    @Nullable
    Annotation annotation(Form form, @Nullable String boxes) {
        if (this == BOXES) {
            return new Annotation(form, false, null);
        }
        if (this == KEYPOINTS) {
            return new Annotation(Form.POINTS, false, boxes);
        }
        if (this == MASKS) {
            return new Annotation(Form.MASKS, false, boxes);
        }
        return isOfObjects() && boxes != null ? new Annotation(Form.VALUES, false, boxes) : null;
    }
}
