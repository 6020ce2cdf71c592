package io.millrace.dataset.coco;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The content of an annotations file, ordered by the ids of the pictures. The annotations of a picture keep the order of the file.
 * Immutable, although its arrays are not copied.
 *
 * <p>Tested by {@code CocoDatasetTest}.
 */
final class CocoIndex {
    private final Pictures pictures;
    private final Objects annotations;
    private final long[] categories;
    private final List<String> classes;
    private final int points;
    private final List<String> pointNames;
    private final Ids ids;
    private final List<String> remarks;

    /** The ids of the three lists. */
    record Ids(CocoIds images, CocoIds categories, CocoIds annotations) {}

    /** The pictures, ascending by their ids. */
    static final class Pictures {
        final long[] ids;
        final String[] files;

        /** The rows as the file states them; 0 where it does not. */
        final int[] heights;

        final int[] widths;

        /** For each picture the place of its first annotation in {@code rows}, followed by the number of all annotations. */
        final int[] firsts;

        /** The annotations of all pictures, by their numbers in the file. */
        int[] rows = {};

        /** The reasons for which pictures are bad samples, by the number of the picture. */
        Map<Integer, String> problems = Map.of();

        Pictures(int count) {
            ids = new long[count];
            files = new String[count];
            heights = new int[count];
            widths = new int[count];
            firsts = new int[count + 1];
        }
    }

    /** The annotations by their numbers in the file. What is not read is empty. */
    static final class Objects {
        private static final int FIRST = 1024;

        int count;
        long[] ids = new long[FIRST];
        long[] images = new long[FIRST];
        long[] categories = new long[FIRST];

        /** Whether the annotation is an object, which has a class, and not a caption. */
        boolean[] isObject = new boolean[FIRST];

        boolean[] isCrowd = new boolean[FIRST];
        float[] areas = new float[FIRST];

        /** Left, top, width and height of each box. */
        float[] boxes = new float[CocoBuilder.BOX * FIRST];

        /** X, y and visibility of each point; an empty array for an object without points. */
        List<float[]> keypoints = List.of();

        List<Outline> outlines = List.of();

        /** The captions; an empty text for an object. */
        List<String> captions = List.of();

        /** Makes room for one more annotation. */
        void grow() {
            if (count == ids.length) {
                int more = 2 * count;
                ids = Arrays.copyOf(ids, more);
                images = Arrays.copyOf(images, more);
                categories = Arrays.copyOf(categories, more);
                isObject = Arrays.copyOf(isObject, more);
                isCrowd = Arrays.copyOf(isCrowd, more);
                areas = Arrays.copyOf(areas, more);
                boxes = Arrays.copyOf(boxes, CocoBuilder.BOX * more);
            }
        }
    }

    /**
     * Takes ownership of everything.
     *
     * @param categories the ids of the classes, ascending
     * @param classes the names of the classes, in the order of {@code categories}
     * @param points the number of keypoints of an object
     * @param pointNames the names of the keypoints of all categories; empty when there are none, or categories have different ones
     * @param ids the ids as the file has them
     * @param remarks sentences for the user
     */
    CocoIndex(
            Pictures pictures,
            Objects annotations,
            long[] categories,
            List<String> classes,
            int points,
            List<String> pointNames,
            Ids ids,
            List<String> remarks) {
        this.pictures = pictures;
        this.annotations = annotations;
        this.categories = categories;
        this.classes = List.copyOf(classes);
        this.points = points;
        this.pointNames = List.copyOf(pointNames);
        this.ids = ids;
        this.remarks = List.copyOf(remarks);
    }

    int size() {
        return pictures.files.length;
    }

    String file(int image) {
        return pictures.files[image];
    }

    long imageId(int image) {
        return pictures.ids[image];
    }

    /** Returns the ids as the file has them. */
    Ids ids() {
        return ids;
    }

    /** Returns the rows of a picture as the file states them; 0 where it does not. */
    int height(int image) {
        return pictures.heights[image];
    }

    int width(int image) {
        return pictures.widths[image];
    }

    /** Returns the reason for which a picture is a bad sample; null for a good one. */
    @Nullable
    String problem(int image) {
        return pictures.problems.get(image);
    }

    /** Returns the numbers of all annotations of a picture. */
    int[] rows(int image) {
        return Arrays.copyOfRange(pictures.rows, pictures.firsts[image], pictures.firsts[image + 1]);
    }

    /** Returns the numbers of those annotations of a picture that are objects. */
    int[] objects(int image) {
        return Arrays.stream(rows(image))
                .filter(row -> annotations.isObject[row])
                .toArray();
    }

    /** Returns the annotations of all pictures, which must not be changed. */
    Objects annotations() {
        return annotations;
    }

    /** Returns the number of an object's class, from 0. */
    int label(int object) {
        return Arrays.binarySearch(categories, annotations.categories[object]);
    }

    List<String> classes() {
        return classes;
    }

    /** Returns the number of keypoints of an object. */
    int points() {
        return points;
    }

    /** Returns the names of the keypoints of all categories; empty when there are none, or categories have different ones. */
    List<String> pointNames() {
        return pointNames;
    }

    List<String> remarks() {
        return remarks;
    }
}
