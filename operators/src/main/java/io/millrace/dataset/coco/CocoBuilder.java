package io.millrace.dataset.coco;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.coco.CocoValues.Listed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The collection of an annotations file while it is read. The lists of the file may have any order, so that annotations find their
 * pictures and classes at the end, in {@link CocoLinks}.
 *
 * <p>Tested by {@code CocoDatasetTest}.
 */
final class CocoBuilder {
    /** The numbers of a box, and those of a keypoint. */
    static final int BOX = 4;

    static final int POINT = 3;

    final String file;
    final Set<CocoColumn> columns;
    private final boolean crowds;
    private final CocoMemory memory;
    final List<String> paths = new ArrayList<>();
    long[] imageIds = new long[1024];
    int[] heights = new int[1024];
    int[] widths = new int[1024];
    final CocoIds idsOfImages;
    final CocoIds idsOfCategories;
    final CocoIds idsOfAnnotations;
    final TreeMap<Long, String> categories = new TreeMap<>();
    int points;
    List<String> pointNames = List.of();

    /** Whether all categories with keypoints have the same ones. */
    boolean samePoints = true;

    private final Row row = new Row();

    final CocoIndex.Objects all = new CocoIndex.Objects();
    private final List<float[]> keypoints = new ArrayList<>();
    private final List<Outline> outlines = new ArrayList<>();
    private final List<String> captions = new ArrayList<>();

    /** The first problem of annotations, by their numbers. */
    final Map<Integer, String> problems = new HashMap<>();

    long withoutId;
    long withoutArea;
    long withoutOutline;

    CocoBuilder(String file, Set<CocoColumn> columns, boolean crowds) {
        this.file = file;
        this.columns = columns;
        this.crowds = crowds;
        this.memory = new CocoMemory(file);
        this.idsOfImages = new CocoIds("images", memory);
        this.idsOfCategories = new CocoIds("categories", memory);
        this.idsOfAnnotations = new CocoIds("annotations", memory);
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
        Listed box = Listed.NONE;
        Listed keypoints = Listed.NONE;

        /** The polygons of the segmentation. */
        List<Listed> polygons = List.of();

        /** Whether the segmentation has runs, as text or as numbers. */
        boolean hasRuns;

        Listed runsSize = Listed.NONE;
        Listed runs = Listed.NONE;

        @Nullable
        String packedRuns;

        @Nullable
        String caption;

        /** A reason for which the annotation cannot be used; null for none. */
        @Nullable
        String problem;
    }

    /** Returns an empty annotation for {@link #add}. The builder has only one. */
    Row row() {
        row.id = null;
        row.image = null;
        row.category = null;
        row.crowd = false;
        row.area = Double.NaN;
        row.box = Listed.NONE;
        row.keypoints = Listed.NONE;
        row.polygons = List.of();
        row.hasRuns = false;
        row.runsSize = Listed.NONE;
        row.runs = Listed.NONE;
        row.packedRuns = null;
        row.caption = null;
        row.problem = null;
        return row;
    }

    void addImage(long id, String path, int height, int width) throws DatasetException {
        memory.add(CocoMemory.IMAGE + 2L * path.length());
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

    /** Adds a category, whose name may be missing. */
    void addCategory(long id, @Nullable String name, List<String> keypoints) throws DatasetException {
        String shown = idsOfCategories.read(id);
        String title = name == null ? shown : name;
        memory.add(title);
        String before = categories.put(id, title);
        if (before != null) {
            throw new DatasetException(file + ": expected each category id once, found " + shown + " for '" + before
                    + "' and for '" + title + "'");
        }
        if (pointNames.isEmpty()) {
            pointNames = keypoints;
        } else if (!keypoints.isEmpty() && !keypoints.equals(pointNames)) {
            samePoints = false;
        }
        points = Math.max(points, keypoints.size());
    }

    void add(Row added) throws DatasetException {
        if (added.crowd && !crowds) {
            return;
        }
        memory.add(CocoMemory.ANNOTATION);
        all.grow();
        int count = all.count;
        boolean object = added.category != null;
        if (added.problem != null) {
            problem(added.problem);
        }
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
            double[] found = added.keypoints.numbers();
            float[] numbers = new float[found.length];
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = (float) found[i];
            }
            keypoints.add(numbers);
            memory.add((long) Float.BYTES * numbers.length);
            points = Math.max(points, numbers.length / POINT);
            if (added.keypoints.odd() != null) {
                problem("expected x, y and visibility of each point as keypoints, found " + added.keypoints.describe());
            }
            if (numbers.length % POINT != 0) {
                problem("expected x, y and visibility of each point as keypoints, found " + numbers.length
                        + " numbers");
            }
        }
        if (columns.contains(CocoColumn.MASKS)) {
            Outline outline = object ? outline(added) : Outline.NOTHING;
            outlines.add(outline);
            memory.add(outline.bytes());
        }
        if (columns.contains(CocoColumn.CAPTIONS)) {
            captions.add(added.caption == null ? "" : added.caption);
            memory.add(captions.get(captions.size() - 1));
        }
        all.count++;
    }

    private Outline outline(Row added) throws DatasetException {
        int[][] polygons = new int[added.polygons.size()][];
        for (int i = 0; i < polygons.length; i++) {
            Listed found = added.polygons.get(i);
            double[] polygon = found.numbers();
            String problem = found.odd() == null
                    ? Outline.polygonProblem(polygon)
                    : "expected lists of numbers as segmentation, found " + found.describe();
            if (!problem.isEmpty()) {
                problem(problem);
                return Outline.NOTHING;
            }
            polygons[i] = Arrays.stream(polygon).mapToInt(Outline::fine).toArray();
        }
        if (!added.hasRuns) {
            withoutOutline += polygons.length == 0 ? 1 : 0;
            return new Outline(polygons, new int[0], 0, 0);
        }
        int[] runs = added.packedRuns == null ? wholes(added.runs.numbers()) : Outline.unpacked(added.packedRuns);
        int[] size = wholes(added.runsSize.numbers());
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

    private void addBox(Listed found) throws DatasetException {
        double[] box = found.numbers();
        boolean finite = Arrays.stream(box).allMatch(Double::isFinite);
        if (box.length != BOX || !finite) {
            problem("expected bbox: [left, top, width, height], found " + found.describe());
            return;
        }
        for (int i = 0; i < BOX; i++) {
            all.boxes[BOX * all.count + i] = (float) box[i];
        }
    }

    private void problem(String reason) throws DatasetException {
        memory.add(reason);
        problems.putIfAbsent(all.count, reason);
    }

    /**
     * Orders the annotations by their pictures.
     *
     * @param remarks sentences for the user on what was read
     */
    CocoIndex build(List<String> remarks) throws DatasetException {
        all.keypoints = keypoints;
        all.outlines = outlines;
        all.captions = captions;
        return new CocoLinks(this).index(remarks);
    }
}
