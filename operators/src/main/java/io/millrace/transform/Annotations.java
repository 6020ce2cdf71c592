package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.Point;
import io.millrace.sample.Annotation;
import io.millrace.sample.Annotation.Form;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The boxes and points of a sample. They move as torchvision's {@code tv_tensors} do: a box that is turned becomes the box around it. Then
 * boxes are clamped to the picture, and those that {@code SanitizeBoundingBoxes(min_size=1)} removes go, together with the values that
 * belong to them. Points are neither clamped nor removed; a horizontal flip exchanges those of the declared pairs. Stateless.
 */
final class Annotations {
    /** The least width and height of a box, in pixels. */
    private static final float LEAST_SIZE = 1;

    /** The same for boxes of shares, whose rounding must not remove a box of one pixel. */
    private static final float LEAST_NORMALIZED_SIZE = 0.999f;

    private Annotations() {}

    /** Returns whether a sample has boxes, points or masks of objects. */
    static boolean in(Sample sample) {
        List<String> names = sample.fieldNames();
        for (int i = 0; i < names.size(); i++) {
            Annotation annotation = sample.field(names.get(i)).annotation();
            if (annotation != null && annotation.isMoved()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Moves the boxes and points of a sample.
     *
     * @throws BadSampleException when a transform before has given them another type or shape, or when the values of boxes have another
     *     number of rows than the boxes
     */
    static void move(Sample sample, Movement movement) throws BadSampleException {
        if (!in(sample)) {
            return;
        }
        Map<String, boolean[]> kept = new HashMap<>();
        for (String name : List.copyOf(sample.fieldNames())) {
            Field field = sample.field(name);
            Annotation annotation = field.annotation();
            if (annotation == null || !annotation.isCoordinates()) {
                continue;
            }
            if (!annotation.suits(field.dtype(), field.shape())) {
                throw ImageFields.badSample(
                        sample, "expected float32 " + annotation.describe() + " in '" + name + "', found " + field);
            }
            if (annotation.form().isBoxes()) {
                boolean[] keeps = new boolean[field.shape()[0]];
                sample.put(name, boxes(field, annotation, movement, keeps));
                kept.put(name, keeps);
            } else {
                Field moved = points(field, annotation, movement);
                if (movement.kind() == Movement.Kind.FLIPS_SIDES) {
                    exchange(sample, name, moved);
                }
                sample.put(name, moved);
            }
        }
        for (Map.Entry<String, boolean[]> boxes : kept.entrySet()) {
            keepRows(sample, boxes.getKey(), boxes.getValue());
        }
    }

    /** Removes the rows of a sample's boxes, and of the fields that belong to them, for which {@code kept} is false. */
    private static void keepRows(Sample sample, String boxes, boolean[] kept) throws BadSampleException {
        for (String name : List.copyOf(sample.fieldNames())) {
            Field field = sample.field(name);
            Annotation annotation = field.annotation();
            boolean belongs = annotation != null && boxes.equals(annotation.boxes());
            if (belongs && (field.shape().length == 0 || field.shape()[0] != kept.length)) {
                throw ImageFields.badSample(
                        sample,
                        "expected one row of '" + name + "' for each of the " + kept.length + " boxes in '" + boxes
                                + "', found " + field);
            }
            if (belongs || name.equals(boxes)) {
                sample.put(name, rows(field, kept));
            }
        }
    }

    private static Field rows(Field field, boolean[] kept) {
        int count = 0;
        for (boolean one : kept) {
            count += one ? 1 : 0;
        }
        if (count == kept.length) {
            return field;
        }
        byte[] all = field.data();
        int rowBytes = all.length / kept.length;
        byte[] chosen = new byte[count * rowBytes];
        int at = 0;
        for (int row = 0; row < kept.length; row++) {
            if (kept[row]) {
                System.arraycopy(all, row * rowBytes, chosen, at, rowBytes);
                at += rowBytes;
            }
        }
        int[] shape = field.shape().clone();
        shape[0] = count;
        return Field.of(field.dtype(), shape, chosen).as(field.kind()).annotated(field.annotation());
    }

    private static Field boxes(Field field, Annotation annotation, Movement movement, boolean[] kept) {
        ByteBuffer from = little(field.data());
        byte[] moved = new byte[field.bytes()];
        ByteBuffer to = little(moved);
        float least = annotation.normalized() ? LEAST_NORMALIZED_SIZE : LEAST_SIZE;
        double[] box = new double[4];
        for (int row = 0; row < kept.length; row++) {
            for (int i = 0; i < box.length; i++) {
                double scale = annotation.normalized() ? extent(movement.before(), i) : 1;
                box[i] = from.getFloat() * scale;
            }
            annotation.form().toEdges(box);
            move(movement, box);
            clamp(movement.after(), box);
            kept[row] = (float) (box[2] - box[0]) >= least && (float) (box[3] - box[1]) >= least;
            fromEdges(annotation.form(), box);
            for (int i = 0; i < box.length; i++) {
                double scale = annotation.normalized() ? extent(movement.after(), i) : 1;
                to.putFloat((float) (box[i] / scale));
            }
        }
        return Field.of(DType.FLOAT32, field.shape().clone(), moved)
                .as(field.kind())
                .annotated(annotation);
    }

    /** Returns the width for even places of a box or point, and the height for odd ones. */
    private static int extent(ImageFields.Extent size, int place) {
        return place % 2 == 0 ? size.width() : size.height();
    }

    private static void move(Movement movement, double[] box) {
        if (movement.keepsAxes()) {
            Point one = movement.boxes().at(box[0], box[1]);
            Point other = movement.boxes().at(box[2], box[3]);
            boolean valid = box[0] <= box[2] && box[1] <= box[3];
            // A box whose edges are in the wrong order, or are no numbers, has no size and goes.
            box[0] = Math.min(one.x(), other.x());
            box[1] = Math.min(one.y(), other.y());
            box[2] = valid ? Math.max(one.x(), other.x()) : box[0];
            box[3] = valid ? Math.max(one.y(), other.y()) : box[1];
            return;
        }
        Point[] corners = {
            movement.boxes().at(box[0], box[1]),
            movement.boxes().at(box[2], box[1]),
            movement.boxes().at(box[2], box[3]),
            movement.boxes().at(box[0], box[3])
        };
        box[0] = corners[0].x();
        box[1] = corners[0].y();
        box[2] = corners[0].x();
        box[3] = corners[0].y();
        for (Point corner : corners) {
            box[0] = Math.min(box[0], corner.x());
            box[1] = Math.min(box[1], corner.y());
            box[2] = Math.max(box[2], corner.x());
            box[3] = Math.max(box[3], corner.y());
        }
    }

    private static void clamp(ImageFields.Extent size, double[] box) {
        for (int i = 0; i < box.length; i++) {
            box[i] = Math.min(Math.max(box[i], 0), extent(size, i));
        }
    }

    /** Converts the edges of a box to another form. */
    private static void fromEdges(Form form, double[] box) {
        for (int i = 0; i < 2; i++) {
            double begin = box[i];
            double end = box[i + 2];
            if (form != Form.XYXY) {
                box[i + 2] = end - begin;
            }
            if (form == Form.CXCYWH) {
                box[i] = (begin + end) / 2;
            }
        }
    }

    /** Moves points. A point of COCO's visibility 0 has no place and stays as it is. */
    private static Field points(Field field, Annotation annotation, Movement movement) {
        int[] shape = field.shape();
        int numbers = shape[shape.length - 1];
        ByteBuffer from = little(field.data());
        byte[] moved = new byte[field.bytes()];
        ByteBuffer to = little(moved);
        boolean normalized = annotation.normalized();
        while (from.hasRemaining()) {
            float x = from.getFloat();
            float y = from.getFloat();
            float visibility = numbers == 3 ? from.getFloat() : 1;
            Point place = movement.points()
                    .at(
                            normalized ? x * (double) movement.before().width() : x,
                            normalized ? y * (double) movement.before().height() : y);
            double movedX = normalized ? place.x() / movement.after().width() : place.x();
            double movedY = normalized ? place.y() / movement.after().height() : place.y();
            to.putFloat(visibility == 0 ? x : (float) movedX);
            to.putFloat(visibility == 0 ? y : (float) movedY);
            if (numbers == 3) {
                to.putFloat(visibility);
            }
        }
        return Field.of(DType.FLOAT32, shape.clone(), moved).as(field.kind()).annotated(annotation);
    }

    /** Exchanges the points of each pair, for example left and right eyes, in the points of each object. */
    private static void exchange(Sample sample, String name, Field points) throws BadSampleException {
        Annotation annotation = points.annotation();
        int[] shape = points.shape();
        if (annotation == null || annotation.flipPairs().isEmpty() || points.bytes() == 0) {
            return;
        }
        List<Integer> pairs = annotation.flipPairs();
        int count = shape[shape.length - 2];
        boolean pointsOfObjects = shape.length > 2 || annotation.boxes() == null;
        int most = pairs.stream().mapToInt(Integer::intValue).max().orElseThrow();
        if (!pointsOfObjects || most >= count) {
            throw ImageFields.badSample(
                    sample,
                    "expected at least " + (most + 1) + " points of each object in '" + name
                            + "', because flip_pairs names point " + most + ", found " + points);
        }
        int pointBytes = shape[shape.length - 1] * Float.BYTES;
        byte[] data = points.data();
        byte[] kept = new byte[pointBytes];
        for (int object = 0; object < data.length; object += count * pointBytes) {
            for (int pair = 0; pair < pairs.size(); pair += 2) {
                int one = object + pairs.get(pair) * pointBytes;
                int other = object + pairs.get(pair + 1) * pointBytes;
                System.arraycopy(data, one, kept, 0, pointBytes);
                System.arraycopy(data, other, data, one, pointBytes);
                System.arraycopy(kept, 0, data, other, pointBytes);
            }
        }
    }

    private static ByteBuffer little(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
