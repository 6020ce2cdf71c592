package io.millrace.dataset.coco;

import io.millrace.dataset.DatasetException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The collection of an annotations file while it is read. The lists of the file may have any order, so that annotations find their
 * pictures and classes at the end.
 *
 * <p>Tested by {@code CocoDatasetTest}.
 */
final class CocoBuilder {
    static final double[] NONE = {};

    /** The numbers of a box, and those of a keypoint. */
    static final int BOX = 4;

    static final int POINT = 3;

    private final String file;
    private final Set<CocoColumn> columns;
    private final boolean crowds;
    private final List<String> paths = new ArrayList<>();
    private long[] imageIds = new long[1024];
    private int[] heights = new int[1024];
    private int[] widths = new int[1024];
    private final TreeMap<Long, String> categories = new TreeMap<>();
    private int points;
    private final Row row = new Row();

    private final CocoIndex.Objects all = new CocoIndex.Objects();
    private final List<float[]> keypoints = new ArrayList<>();
    private final List<Outline> outlines = new ArrayList<>();
    private final List<String> captions = new ArrayList<>();

    /** The first problem of annotations, by their numbers. */
    private final Map<Integer, String> problems = new HashMap<>();

    private long withoutId;
    private long withoutArea;

    CocoBuilder(String file, Set<CocoColumn> columns, boolean crowds) {
        this.file = file;
        this.columns = columns;
        this.crowds = crowds;
    }

    /** The values of one annotation. */
    static final class Row {
        @Nullable
        Long id;

        @Nullable
        Long image;

        @Nullable
        Long category;

        boolean crowd;
        double area;
        double[] box = NONE;
        double[] keypoints = NONE;

        /** The polygons of the segmentation. */
        List<double[]> polygons = List.of();

        /** Whether the segmentation has runs, as text or as numbers. */
        boolean hasRuns;

        double[] runsSize = NONE;
        double[] runs = NONE;

        @Nullable
        String packedRuns;

        @Nullable
        String caption;
    }

    /** Returns an empty annotation for {@link #add}. The builder has only one. */
    Row row() {
        row.id = null;
        row.image = null;
        row.category = null;
        row.crowd = false;
        row.area = Double.NaN;
        row.box = NONE;
        row.keypoints = NONE;
        row.polygons = List.of();
        row.hasRuns = false;
        row.runsSize = NONE;
        row.runs = NONE;
        row.packedRuns = null;
        row.caption = null;
        return row;
    }

    void addImage(long id, String path, int height, int width) {
        if (paths.size() == imageIds.length) {
            imageIds = Arrays.copyOf(imageIds, 2 * paths.size());
            heights = Arrays.copyOf(heights, imageIds.length);
            widths = Arrays.copyOf(widths, imageIds.length);
        }
        heights[paths.size()] = height;
        widths[paths.size()] = width;
        imageIds[paths.size()] = id;
        paths.add(path);
    }

    void addCategory(long id, String name, int keypoints) throws DatasetException {
        String before = categories.put(id, name);
        if (before != null) {
            throw new DatasetException(file + ": expected each category id once, found " + id + " for '" + before
                    + "' and for '" + name + "'");
        }
        points = Math.max(points, keypoints);
    }

    void add(Row added) {
        if (added.crowd && !crowds) {
            return;
        }
        all.grow();
        int count = all.count;
        boolean object = added.category != null;
        withoutId += added.id == null ? 1 : 0;
        withoutArea += object && Double.isNaN(added.area) ? 1 : 0;
        all.ids[count] = added.id == null ? -1 : added.id;
        all.images[count] = added.image == null ? -1 : added.image;
        all.categories[count] = added.category == null ? -1 : added.category;
        all.isObject[count] = object;
        all.isCrowd[count] = added.crowd;
        all.areas[count] = (float) added.area;
        if (object && columns.contains(CocoColumn.BOXES)) {
            addBox(added.box);
        }
        if (columns.contains(CocoColumn.KEYPOINTS)) {
            float[] numbers = new float[added.keypoints.length];
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = (float) added.keypoints[i];
            }
            keypoints.add(numbers);
            points = Math.max(points, numbers.length / POINT);
            if (numbers.length % POINT != 0) {
                problem("expected x, y and visibility of each point as keypoints, found " + numbers.length
                        + " numbers");
            }
        }
        if (columns.contains(CocoColumn.MASKS)) {
            outlines.add(object ? outline(added) : Outline.NOTHING);
        }
        if (columns.contains(CocoColumn.CAPTIONS)) {
            captions.add(added.caption == null ? "" : added.caption);
        }
        all.count++;
    }

    private Outline outline(Row added) {
        int[][] polygons = new int[added.polygons.size()][];
        for (int i = 0; i < polygons.length; i++) {
            double[] polygon = added.polygons.get(i);
            String problem = Outline.polygonProblem(polygon);
            if (!problem.isEmpty()) {
                problem(problem);
                return Outline.NOTHING;
            }
            polygons[i] = Arrays.stream(polygon).mapToInt(Outline::fine).toArray();
        }
        if (!added.hasRuns) {
            return new Outline(polygons, new int[0], 0, 0);
        }
        int[] runs = added.packedRuns == null ? wholes(added.runs) : Outline.unpacked(added.packedRuns);
        int[] size = wholes(added.runsSize);
        if (runs == null || size == null || size.length != 2) {
            problem(
                    "expected size: [height, width] and counts, a list of whole numbers or their text, as segmentation, found others");
            return Outline.NOTHING;
        }
        return new Outline(polygons, runs, size[0], size[1]);
    }

    /** Returns whole numbers of 0 or more; null when one of the numbers is another one. */
    private static int @Nullable [] wholes(double[] numbers) {
        int[] wholes = new int[numbers.length];
        for (int i = 0; i < numbers.length; i++) {
            wholes[i] = (int) numbers[i];
            if (wholes[i] != numbers[i] || wholes[i] < 0) {
                return null;
            }
        }
        return wholes;
    }

    private void addBox(double[] box) {
        boolean finite = Arrays.stream(box).allMatch(Double::isFinite);
        if (box.length != BOX || !finite) {
            problem("expected bbox: [left, top, width, height], found "
                    + (box.length == 0 ? "none" : Arrays.toString(box)));
            return;
        }
        for (int i = 0; i < BOX; i++) {
            all.boxes[BOX * all.count + i] = (float) box[i];
        }
    }

    private void problem(String reason) {
        problems.putIfAbsent(all.count, reason);
    }

    /** Orders the annotations by their pictures. */
    CocoIndex build() throws DatasetException {
        if (withoutId == 0) { // an annotation without an id can be used all the same
            requireDistinct("annotation", Arrays.copyOf(all.ids, all.count));
        }
        CocoIndex.Pictures pictures = pictures();
        if (categories.isEmpty()) {
            for (int i = 0; i < all.count; i++) {
                if (all.isObject[i]) {
                    categories.put(all.categories[i], String.valueOf(all.categories[i]));
                }
            }
        }
        List<String> remarks = new ArrayList<>();
        int[] imageOf = group(pictures, remarks);
        pictures.rows = new int[pictures.firsts[pictures.files.length]];
        pictures.problems = new HashMap<>();
        int[] next = pictures.firsts.clone();
        for (int i = 0; i < all.count; i++) {
            int image = imageOf[i];
            if (image >= 0) {
                pictures.rows[next[image]++] = i;
                String problem = problem(i, pictures.heights[image], pictures.widths[image]);
                if (!problem.isEmpty()) {
                    pictures.problems.putIfAbsent(image, "annotation " + all.ids[i] + ": " + problem);
                }
            }
        }
        addRemarks(remarks);
        all.keypoints = keypoints;
        all.outlines = outlines;
        all.captions = captions;
        return new CocoIndex(
                pictures,
                all,
                categories.keySet().stream().mapToLong(Long::longValue).toArray(),
                List.copyOf(categories.values()),
                points,
                remarks);
    }

    /** Returns the pictures in the order of their ids. */
    private CocoIndex.Pictures pictures() throws DatasetException {
        CocoIndex.Pictures pictures = new CocoIndex.Pictures(paths.size());
        List<Integer> order =
                new ArrayList<>(IntStream.range(0, paths.size()).boxed().toList());
        order.sort(Comparator.comparingLong(image -> imageIds[image]));
        for (int i = 0; i < order.size(); i++) {
            int from = order.get(i);
            pictures.ids[i] = imageIds[from];
            pictures.files[i] = paths.get(from);
            pictures.heights[i] = heights[from];
            pictures.widths[i] = widths[from];
            if (i > 0 && pictures.ids[i] == pictures.ids[i - 1]) {
                throw new DatasetException(file + ": expected each image id once, found " + pictures.ids[i] + " for "
                        + pictures.files[i - 1] + " and for " + pictures.files[i]);
            }
        }
        return pictures;
    }

    /** Returns the reason for which an annotation cannot be used; an empty text if it can. */
    private String problem(int annotation, int height, int width) {
        String problem = problems.get(annotation);
        if (problem != null) {
            return problem;
        }
        if (all.isObject[annotation] && !categories.containsKey(all.categories[annotation])) {
            return "expected a category_id that categories lists, found " + all.categories[annotation];
        }
        return outlines.isEmpty() ? "" : outlines.get(annotation).problem(height, width);
    }

    private void requireDistinct(String what, long[] ids) throws DatasetException {
        Arrays.sort(ids);
        for (int i = 1; i < ids.length; i++) {
            if (ids[i] == ids[i - 1]) {
                throw new DatasetException(
                        file + ": expected each " + what + " id once, found " + ids[i] + " several times");
            }
        }
    }

    /** Counts the annotations of each picture, and returns the picture of each annotation; -1 for none. */
    private int[] group(CocoIndex.Pictures pictures, List<String> remarks) {
        int[] imageOf = new int[all.count];
        int strays = 0;
        long stray = 0;
        for (int i = 0; i < all.count; i++) {
            int image = Arrays.binarySearch(pictures.ids, all.images[i]);
            imageOf[i] = image < 0 ? -1 : image;
            if (image >= 0) {
                pictures.firsts[image + 1]++;
            } else {
                stray = strays++ == 0 ? all.images[i] : stray;
            }
        }
        Arrays.parallelPrefix(pictures.firsts, Integer::sum);
        if (strays > 0) {
            remarks.add(strays + (strays == 1 ? " annotation belongs" : " annotations belong")
                    + " to pictures that images does not list, such as image_id " + stray + ", and "
                    + (strays == 1 ? "is" : "are") + " left out");
        }
        return imageOf;
    }

    private void addRemarks(List<String> remarks) {
        long[] known = categories.keySet().stream().mapToLong(Long::longValue).toArray();
        if (known.length > 0 && !(known[0] == 0 && known[known.length - 1] == known.length - 1)) {
            remarks.add("the " + known.length + " category ids from " + known[0] + " to " + known[known.length - 1]
                    + " became the class numbers 0 to " + (known.length - 1)
                    + ", in the order of the ids; the field category_ids has the ids of the file");
        }
        if (columns.contains(CocoColumn.BOXES)) {
            int empty = 0;
            for (int i = 0; i < all.count; i++) {
                boolean none = all.boxes[BOX * i + 2] <= 0 || all.boxes[BOX * i + 3] <= 0;
                empty += all.isObject[i] && none && !problems.containsKey(i) ? 1 : 0;
            }
            if (empty > 0) {
                remarks.add(empty + (empty == 1 ? " box has" : " boxes have")
                        + " no width or height; samples have them until a transform that moves pixels removes them");
            }
        }
        if (columns.contains(CocoColumn.AREA) && withoutArea > 0) {
            remarks.add(withoutArea + " objects have no area, which is NaN in samples");
        }
    }
}
