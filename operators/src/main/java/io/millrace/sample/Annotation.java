package io.millrace.sample;

import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The meaning of numbers that belong to the objects in a picture. Transforms that move the pixels of the sample's pictures move boxes
 * and points with them, and remove the rows of boxes that are gone. Immutable.
 *
 * @param form the meaning of one row
 * @param normalized whether coordinates are shares of the picture's width and height, 0 to 1; otherwise they are in pixels, from the
 *     outer corner of the upper left pixel. Always false for {@link Form#VALUES}
 * @param boxes the field of boxes to which the rows belong, one row for each box; null for none
 * @param flipPairs the numbers of points, two for each pair, that change places when left becomes right; empty for other forms
 * @param ids the values of a picture of ids that still has to be divided into masks; null otherwise
 */
public record Annotation(
        Form form,
        boolean normalized,
        @Nullable String boxes,
        List<Integer> flipPairs,
        @Nullable Ids ids) implements Serializable {

    public Annotation {
        flipPairs = List.copyOf(flipPairs);
    }

    /** Creates the annotation of values that do not change places and are no ids. */
    public Annotation(Form form, boolean normalized, @Nullable String boxes) {
        this(form, normalized, boxes, List.of(), null);
    }

    /** Returns the same annotation of points that change places. */
    public Annotation withFlipPairs(List<Integer> pairs) {
        return new Annotation(form, normalized, boxes, pairs, ids);
    }

    /** Returns the same annotation of masks that still are a picture of ids; null for masks. */
    public Annotation withIds(@Nullable Ids values) {
        return new Annotation(form, normalized, boxes, flipPairs, values);
    }

    /**
     * The values of objects in a picture of ids, [height, width]. Each of them is an object; other values are none.
     *
     * @param least the least value of an object, at least 1
     * @param most the largest value of an object
     */
    public record Ids(int least, int most) implements Serializable {}

    /** The meaning of one row of an annotated field. The order is part of the serialized form of samples. */
    public enum Form {
        /** A box: the left, top, right and bottom edge. */
        XYXY,
        /** A box: the left and top edge, the width and the height. */
        XYWH,
        /** A box: the place of its middle, right and down, the width and the height. */
        CXCYWH,
        /** Points (x, y), or (x, y, visibility). */
        POINTS,
        /** Anything else that a box has, such as its class. */
        VALUES,
        /** The mask of an object, bool [height, width]: one for its pixels and 0 elsewhere. */
        MASKS;

        /** Returns whether a row is a box. */
        public boolean isBoxes() {
            return this == XYXY || this == XYWH || this == CXCYWH;
        }

        /**
         * Converts a box of this form to its edges, in place.
         *
         * @param box the four numbers of a box; afterwards its left, top, right and bottom edge
         */
        public void toEdges(double[] box) {
            for (int i = 0; i < 2; i++) {
                if (this == XYWH) {
                    box[i + 2] += box[i];
                } else if (this == CXCYWH) {
                    double half = box[i + 2] / 2;
                    box[i + 2] = box[i] + half;
                    box[i] -= half;
                }
            }
        }
    }

    /** Returns whether geometry moves the values. Coordinates are float32 then. */
    public boolean isMoved() {
        return form != Form.VALUES;
    }

    /** Returns whether the values are coordinates. */
    public boolean isCoordinates() {
        return form.isBoxes() || form == Form.POINTS;
    }

    /** Returns whether the numbers of an array of this shape can have the meaning. */
    public boolean suits(DType dtype, int[] shape) {
        int last = shape.length == 0 ? 0 : shape[shape.length - 1];
        return switch (form) {
            case XYXY, XYWH, CXCYWH -> dtype == DType.FLOAT32 && shape.length == 2 && last == 4;
            case POINTS -> dtype == DType.FLOAT32 && shape.length >= 2 && (last == 2 || last == 3);
            case VALUES -> shape.length >= 1;
            case MASKS -> dtype == DType.BOOL && shape.length == 3;
        };
    }

    /** Describes the numbers that have the meaning, for messages. */
    public String describe() {
        return switch (form) {
            case XYXY, XYWH, CXCYWH -> "boxes [number, 4]";
            case POINTS -> "points [..., 2] or [..., 3]";
            case MASKS -> "masks [number, height, width]";
            case VALUES -> "one row for each box of '" + boxes + "'";
        };
    }
}
