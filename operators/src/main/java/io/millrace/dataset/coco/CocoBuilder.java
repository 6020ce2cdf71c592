package io.millrace.dataset.coco;

import io.millrace.dataset.DatasetException;
import java.util.ArrayList;
import java.util.Arrays;
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

    private int count;
    private long[] ids = new long[1024];
    private long[] images = new long[1024];
    private long[] categoryIds = new long[1024];
    private boolean[] isObject = new boolean[1024];
    private boolean[] isCrowd = new boolean[1024];
    private float[] areas = new float[1024];
    private float[] boxes = new float[BOX * 1024];
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
        if (count == ids.length) {
            int more = 2 * count;
            ids = Arrays.copyOf(ids, more);
            images = Arrays.copyOf(images, more);
            categoryIds = Arrays.copyOf(categoryIds, more);
            isObject = Arrays.copyOf(isObject, more);
            isCrowd = Arrays.copyOf(isCrowd, more);
            areas = Arrays.copyOf(areas, more);
            boxes = Arrays.copyOf(boxes, BOX * more);
        }
        boolean object = added.category != null;
        withoutId += added.id == null ? 1 : 0;
        withoutArea += object && Double.isNaN(added.area) ? 1 : 0;
        ids[count] = added.id == null ? -1 : added.id;
        images[count] = added.image == null ? -1 : added.image;
        categoryIds[count] = added.category == null ? -1 : added.category;
        isObject[count] = object;
        isCrowd[count] = added.crowd;
        areas[count] = (float) added.area;
        if (object && columns.contains(CocoColumn.BOXES)) {
            addBox(added.box);
        }
        if (columns.contains(CocoColumn.KEYPOINTS)) {
            float[] all = new float[added.keypoints.length];
            for (int i = 0; i < all.length; i++) {
                all[i] = (float) added.keypoints[i];
            }
            keypoints.add(all);
            points = Math.max(points, all.length / POINT);
            if (all.length % POINT != 0) {
                problem("expected x, y and visibility of each point as keypoints, found " + all.length + " numbers");
            }
        }
        if (columns.contains(CocoColumn.MASKS)) {
            outlines.add(object ? outline(added) : Outline.NOTHING);
        }
        if (columns.contains(CocoColumn.CAPTIONS)) {
            captions.add(added.caption == null ? "" : added.caption);
        }
        count++;
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
            return new Outline(polygons, Outline.NOTHING.runs(), 0, 0);
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
            boxes[BOX * count + i] = (float) box[i];
        }
    }

    private void problem(String reason) {
        problems.putIfAbsent(count, reason);
    }

    /** Orders the annotations by their pictures. */
    CocoIndex build() throws DatasetException {
        requireDistinct("annotation", Arrays.copyOf(ids, count), withoutId);
        Integer[] order = IntStream.range(0, paths.size()).boxed().toArray(Integer[]::new);
        Arrays.sort(order, (a, b) -> Long.compare(imageIds[a], imageIds[b]));
        long[] sorted = new long[order.length];
        String[] files = new String[order.length];
        int[] rowsOf = new int[order.length];
        int[] columnsOf = new int[order.length];
        for (int i = 0; i < order.length; i++) {
            sorted[i] = imageIds[order[i]];
            files[i] = paths.get(order[i]);
            rowsOf[i] = heights[order[i]];
            columnsOf[i] = widths[order[i]];
            if (i > 0 && sorted[i] == sorted[i - 1]) {
                throw new DatasetException(file + ": expected each image id once, found " + sorted[i] + " for "
                        + files[i - 1] + " and for " + files[i]);
            }
        }
        if (categories.isEmpty()) {
            for (int i = 0; i < count; i++) {
                if (isObject[i]) {
                    categories.put(categoryIds[i], String.valueOf(categoryIds[i]));
                }
            }
        }
        int[] firsts = new int[sorted.length + 1];
        int[] imageOf = new int[count];
        List<String> remarks = new ArrayList<>();
        group(sorted, firsts, imageOf, remarks);
        int[] rows = new int[firsts[sorted.length]];
        int[] next = firsts.clone();
        Map<Integer, String> bad = new HashMap<>();
        for (int i = 0; i < count; i++) {
            if (imageOf[i] < 0) {
                continue;
            }
            rows[next[imageOf[i]]++] = i;
            if (isObject[i] && !categories.containsKey(categoryIds[i])) {
                problems.putIfAbsent(i, "expected a category_id that categories lists, found " + categoryIds[i]);
            }
            String unfit = outlines.isEmpty() ? "" : outlines.get(i).problem(rowsOf[imageOf[i]], columnsOf[imageOf[i]]);
            if (!unfit.isEmpty()) {
                problems.putIfAbsent(i, unfit);
            }
            if (problems.containsKey(i)) {
                bad.putIfAbsent(imageOf[i], "annotation " + ids[i] + ": " + problems.get(i));
            }
        }
        addRemarks(remarks);
        return new CocoIndex(
                sorted,
                files,
                rowsOf,
                columnsOf,
                firsts,
                rows,
                new CocoIndex.Objects(ids, categoryIds, isObject, boxes, areas, isCrowd, keypoints, outlines, captions),
                categories.keySet().stream().mapToLong(Long::longValue).toArray(),
                List.copyOf(categories.values()),
                points,
                bad,
                remarks);
    }

    private void requireDistinct(String what, long[] all, long absent) throws DatasetException {
        if (absent > 0) {
            return; // an annotation without an id can be used, except as a reference
        }
        Arrays.sort(all);
        for (int i = 1; i < all.length; i++) {
            if (all[i] == all[i - 1]) {
                throw new DatasetException(
                        file + ": expected each " + what + " id once, found " + all[i] + " several times");
            }
        }
    }

    /** Finds the picture of each annotation, and counts the annotations of each picture. */
    private void group(long[] sorted, int[] firsts, int[] imageOf, List<String> remarks) {
        int strays = 0;
        long stray = 0;
        for (int i = 0; i < count; i++) {
            int image = Arrays.binarySearch(sorted, images[i]);
            imageOf[i] = image < 0 ? -1 : image;
            if (image >= 0) {
                firsts[image + 1]++;
            } else {
                stray = strays++ == 0 ? images[i] : stray;
            }
        }
        Arrays.parallelPrefix(firsts, Integer::sum);
        if (strays > 0) {
            remarks.add(strays + (strays == 1 ? " annotation belongs" : " annotations belong")
                    + " to pictures that images does not list, such as image_id " + stray + ", and "
                    + (strays == 1 ? "is" : "are") + " left out");
        }
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
            for (int i = 0; i < count; i++) {
                boolean none = boxes[BOX * i + 2] <= 0 || boxes[BOX * i + 3] <= 0;
                empty += isObject[i] && none && !problems.containsKey(i) ? 1 : 0;
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
