package io.millrace.preview;

import io.millrace.sample.Annotation;
import io.millrace.sample.Annotation.Form;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.ImagePart;
import io.millrace.sample.Numbers;
import io.millrace.sample.Sample;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The boxes, points and masks of a sample, in the pixels of one of its pictures. Immutable, although the arrays of masks are
 * not copied.
 *
 * @param boxes the boxes whose edges are numbers in the right order
 * @param dots the points that have a place
 * @param masks the masks of objects, which have the size of the whole picture
 * @param place the part of the whole picture that the picture is
 * @param count the number of objects by their kind, for example "2 boxes, 34 points"; empty for none
 */
record ShownObjects(List<Box> boxes, List<Dot> dots, List<Mask> masks, Place place, String count) {
    private static final Pattern CLASS_FIELD = Pattern.compile(".*(label|class|categor).*", Pattern.CASE_INSENSITIVE);

    /** No objects. */
    static final ShownObjects NONE = new ShownObjects(List.of(), List.of(), List.of(), Place.WHOLE, "");

    ShownObjects {
        boxes = List.copyOf(boxes);
        dots = List.copyOf(dots);
        masks = List.copyOf(masks);
    }

    /**
     * The names of the classes of objects.
     *
     * @param field the field of class numbers; null when the dataset names none
     * @param names the names of the classes by their numbers
     */
    record Classes(@Nullable String field, List<String> names) {
        Classes {
            names = List.copyOf(names);
        }
    }

    /**
     * A box.
     *
     * @param name its class; empty without one
     * @param number the number that decides its colour, at least 0
     */
    record Box(double left, double top, double right, double bottom, String name, int number) {}

    /** A point. */
    record Dot(double x, double y, int number) {}

    /** The mask with an index in a field of masks. */
    record Mask(Field field, int index, int number) {
        /** Returns whether the object has a pixel, which may lie beyond the picture. */
        boolean has(int row, int column) {
            int height = field.shape()[1];
            int width = field.shape()[2];
            return row >= 0
                    && row < height
                    && column >= 0
                    && column < width
                    && field.data()[(index * height + row) * width + column] != 0;
        }
    }

    /**
     * The part of a whole picture that a picture is, and its scale.
     *
     * @param left the column of the whole picture at which the picture begins
     * @param top the row of the whole picture at which the picture begins
     * @param columns the columns of the picture for each column of the whole picture
     * @param rows the rows of the picture for each row of the whole picture
     */
    record Place(double left, double top, double columns, double rows) {
        static final Place WHOLE = new Place(0, 0, 1, 1);

        static Place of(ImagePart part, Field picture) {
            return new Place(
                    (double) part.left() * part.reduction(),
                    (double) part.top() * part.reduction(),
                    (double) picture.width() / part.width() / part.reduction(),
                    (double) picture.height() / part.height() / part.reduction());
        }
    }

    /**
     * Returns the objects of a sample.
     *
     * @param picture one of the sample's pictures, [height, width, channels]
     * @param part the part of a whole picture that it is; null for the whole one
     */
    static ShownObjects of(Sample sample, Field picture, @Nullable ImagePart part, Classes classes) {
        Collection collection = new Collection(
                sample,
                part == null ? picture.width() : part.imageWidth(),
                part == null ? picture.height() : part.imageHeight(),
                classes);
        for (String name : sample.fieldNames()) {
            collection.add(name, sample.field(name));
        }
        return new ShownObjects(
                collection.boxes,
                collection.dots,
                collection.masks,
                part == null ? Place.WHOLE : Place.of(part, picture),
                String.join(", ", collection.counts));
    }

    /** The objects of a sample while its fields are read. */
    private static final class Collection {
        private final Sample sample;
        private final int width;
        private final int height;
        private final Classes classes;
        private final List<Box> boxes = new ArrayList<>();
        private final List<Dot> dots = new ArrayList<>();
        private final List<Mask> masks = new ArrayList<>();
        private final List<String> counts = new ArrayList<>();

        Collection(Sample sample, int width, int height, Classes classes) {
            this.sample = sample;
            this.width = width;
            this.height = height;
            this.classes = classes;
        }

        void add(String name, Field field) {
            Annotation annotation = field.annotation();
            if (annotation == null || !annotation.isMoved() || !annotation.suits(field.dtype(), field.shape())) {
                return;
            }
            String owner = annotation.form().isBoxes() ? name : annotation.boxes();
            String classField = classField(owner);
            long[] numbers = classField == null ? new long[0] : wholes(sample.field(classField));
            boolean named = classField != null && classField.equals(classes.field());
            if (annotation.form() == Form.MASKS) {
                int count = field.shape()[0];
                count(count, "mask", "masks");
                for (int i = 0; i < count; i++) {
                    masks.add(new Mask(field, i, color(i, numbers)));
                }
                return;
            }
            ByteBuffer coordinates = ByteBuffer.wrap(field.data()).order(ByteOrder.LITTLE_ENDIAN);
            double columns = annotation.normalized() ? width : 1;
            double rows = annotation.normalized() ? height : 1;
            if (annotation.form().isBoxes()) {
                int count = field.shape()[0];
                count(count, "box", "boxes");
                for (int i = 0; i < count; i++) {
                    double[] box = new double[4];
                    for (int edge = 0; edge < box.length; edge++) {
                        box[edge] = coordinates.getFloat() * (edge % 2 == 0 ? columns : rows);
                    }
                    annotation.form().toEdges(box);
                    if (box[0] <= box[2] && box[1] <= box[3]) {
                        boxes.add(new Box(
                                box[0], box[1], box[2], box[3], className(i, numbers, named), color(i, numbers)));
                    }
                }
                return;
            }
            addDots(field, coordinates, columns, rows, numbers);
        }

        private void addDots(Field field, ByteBuffer coordinates, double columns, double rows, long[] classNumbers) {
            int[] shape = field.shape();
            boolean visibilities = shape[shape.length - 1] == 3;
            int count = field.bytes() / Float.BYTES / shape[shape.length - 1];
            int ofObject = Math.max(1, count / Math.max(1, shape[0]));
            int shown = 0;
            for (int i = 0; i < count; i++) {
                double x = coordinates.getFloat() * columns;
                double y = coordinates.getFloat() * rows;
                boolean visible = !visibilities || coordinates.getFloat() != 0;
                if (visible && Double.isFinite(x) && Double.isFinite(y)) {
                    dots.add(new Dot(x, y, color(i / ofObject, classNumbers)));
                    shown++;
                }
            }
            count(shown, "point", "points");
        }

        private void count(int count, String one, String several) {
            counts.add(String.format(Locale.ROOT, "%,d %s", count, count == 1 ? one : several));
        }

        private static int color(int row, long[] classNumbers) {
            return Math.floorMod(row < classNumbers.length ? classNumbers[row] : row, 254);
        }

        private String className(int row, long[] classNumbers, boolean named) {
            if (row >= classNumbers.length) {
                return "";
            }
            long number = classNumbers[row];
            return named && number >= 0 && number < classes.names().size()
                    ? classes.names().get((int) number)
                    : Long.toString(number);
        }

        /** Returns the field of the class numbers of some boxes; null for none. */
        private @Nullable String classField(@Nullable String owner) {
            for (String name : sample.fieldNames()) {
                Field field = sample.field(name);
                Annotation annotation = field.annotation();
                boolean numbers = annotation != null
                        && annotation.form() == Form.VALUES
                        && annotation.boxes() != null
                        && annotation.boxes().equals(owner)
                        && field.shape().length == 1
                        && isWhole(field.dtype());
                boolean chosen =
                        classes.field() == null ? CLASS_FIELD.matcher(name).matches() : name.equals(classes.field());
                if (numbers && chosen) {
                    return name;
                }
            }
            return null;
        }

        private static boolean isWhole(DType dtype) {
            return dtype != DType.ENCODED && dtype != DType.BOOL && !dtype.isFloat();
        }

        private static long[] wholes(Field field) {
            ByteBuffer bytes = ByteBuffer.wrap(field.data()).order(ByteOrder.LITTLE_ENDIAN);
            long[] numbers = new long[field.shape()[0]];
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = Numbers.whole(bytes, field.dtype(), i);
            }
            return numbers;
        }
    }
}
