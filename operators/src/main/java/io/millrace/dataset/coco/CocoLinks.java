package io.millrace.dataset.coco;

import io.millrace.dataset.DatasetException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * The search for the picture and the class of each annotation, after the whole file has been read. Used once.
 *
 * <p>Tested by {@code CocoDatasetTest}.
 */
final class CocoLinks {
    private final CocoBuilder read;
    private final CocoIndex.Objects all;
    private final TreeMap<Long, String> categories = new TreeMap<>();

    CocoLinks(CocoBuilder read) {
        this.read = read;
        this.all = read.all;
    }

    /** Returns the content of the file, ordered by its pictures. */
    CocoIndex index(List<String> remarksOnPaths) throws DatasetException {
        orderIds();
        if (read.withoutId == 0) { // an annotation without an id can be used all the same
            requireDistinctAnnotations();
        }
        CocoIndex.Pictures pictures = pictures();
        if (categories.isEmpty()) {
            for (int i = 0; i < all.count; i++) {
                if (all.isObject[i]) {
                    categories.put(all.categories[i], read.idsOfCategories.text(all.categories[i]));
                }
            }
        }
        List<String> remarks = new ArrayList<>(remarksOnPaths);
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
                    pictures.problems.putIfAbsent(
                            image, "annotation " + read.idsOfAnnotations.text(all.ids[i]) + ": " + problem);
                }
            }
        }
        addRemarks(pictures, remarks);
        return new CocoIndex(
                pictures,
                all,
                categories.keySet().stream().mapToLong(Long::longValue).toArray(),
                List.copyOf(categories.values()),
                read.points,
                read.samePoints ? read.pointNames : List.of(),
                new CocoIndex.Ids(read.idsOfImages, read.idsOfCategories, read.idsOfAnnotations),
                remarks);
    }

    /** Gives ids that are texts their places in the order of the texts. */
    private void orderIds() {
        read.idsOfImages.order();
        read.idsOfCategories.order();
        read.idsOfAnnotations.order();
        for (int i = 0; i < read.paths.size(); i++) {
            read.imageIds[i] = read.idsOfImages.ordered(read.imageIds[i]);
        }
        for (int i = 0; i < all.count; i++) {
            all.images[i] = read.idsOfImages.ordered(all.images[i]);
            all.categories[i] = read.idsOfCategories.ordered(all.categories[i]);
            all.ids[i] = read.idsOfAnnotations.ordered(all.ids[i]);
        }
        read.categories.forEach((id, name) -> categories.put(read.idsOfCategories.ordered(id), name));
    }

    /** Returns the pictures in the order of their ids. */
    private CocoIndex.Pictures pictures() throws DatasetException {
        CocoIndex.Pictures pictures = new CocoIndex.Pictures(read.paths.size());
        List<Integer> order =
                new ArrayList<>(IntStream.range(0, read.paths.size()).boxed().toList());
        order.sort(Comparator.comparingLong(image -> read.imageIds[image]));
        for (int i = 0; i < order.size(); i++) {
            int from = order.get(i);
            pictures.ids[i] = read.imageIds[from];
            pictures.files[i] = read.paths.get(from);
            pictures.heights[i] = read.heights[from];
            pictures.widths[i] = read.widths[from];
            if (i > 0 && pictures.ids[i] == pictures.ids[i - 1]) {
                throw new DatasetException(read.file + ": expected each image id once, found "
                        + read.idsOfImages.text(pictures.ids[i]) + " for " + pictures.files[i - 1] + " and for "
                        + pictures.files[i]);
            }
        }
        return pictures;
    }

    /** Returns the reason for which an annotation cannot be used; an empty text if it can. */
    private String problem(int annotation, int height, int width) {
        String problem = read.problems.get(annotation);
        if (problem != null) {
            return problem;
        }
        if (all.isObject[annotation] && !categories.containsKey(all.categories[annotation])) {
            return "expected a category_id that categories lists, found "
                    + read.idsOfCategories.text(all.categories[annotation]);
        }
        return all.outlines.isEmpty() ? "" : all.outlines.get(annotation).problem(height, width);
    }

    private void requireDistinctAnnotations() throws DatasetException {
        long[] ids = Arrays.copyOf(all.ids, all.count);
        Arrays.sort(ids);
        for (int i = 1; i < ids.length; i++) {
            if (ids[i] == ids[i - 1]) {
                throw new DatasetException(read.file + ": expected each annotation id once, found "
                        + read.idsOfAnnotations.text(ids[i]) + " several times");
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
                    + " to pictures that images does not list, such as image_id " + read.idsOfImages.text(stray)
                    + ", and " + (strays == 1 ? "is" : "are") + " left out");
        }
        return imageOf;
    }

    private void addRemarks(CocoIndex.Pictures pictures, List<String> remarks) {
        if (all.count == 0 && pictures.files.length > 0 && read.columns.stream().anyMatch(CocoColumn::isOfObjects)) {
            remarks.add("the file has no annotations, so no picture has objects");
        }
        repeated(List.of(pictures.files))
                .ifPresent(name -> remarks.add(
                        "several images have the file_name " + name + ", and each of them is a sample of its own"));
        repeated(List.copyOf(categories.values()))
                .ifPresent(name ->
                        remarks.add("several categories have the name '" + name + "', and each is a class of its own"));
        addRemarkOnCategories(remarks);
        if (read.columns.contains(CocoColumn.BOXES)) {
            int empty = 0;
            for (int i = 0; i < all.count; i++) {
                boolean none = all.boxes[CocoBuilder.BOX * i + 2] <= 0 || all.boxes[CocoBuilder.BOX * i + 3] <= 0;
                empty += all.isObject[i] && none && !read.problems.containsKey(i) ? 1 : 0;
            }
            if (empty > 0) {
                remarks.add(empty + (empty == 1 ? " box has" : " boxes have")
                        + " no width or height; samples have them until a transform that moves pixels removes them");
            }
        }
        if (read.columns.contains(CocoColumn.AREA) && read.withoutArea > 0) {
            remarks.add(read.withoutArea + " objects have no area, which is NaN in samples");
        }
        if (read.columns.contains(CocoColumn.KEYPOINTS) && !read.samePoints) {
            remarks.add("the categories have different keypoints, so their names cannot be used as flip_pairs");
        }
        if (read.withoutOutline > 0) {
            remarks.add(read.withoutOutline + (read.withoutOutline == 1 ? " object has" : " objects have")
                    + " no segmentation; masks of zeros stand for them");
        }
    }

    private void addRemarkOnCategories(List<String> remarks) {
        long[] known = categories.keySet().stream().mapToLong(Long::longValue).toArray();
        if (known.length > 0 && !(known[0] == 0 && known[known.length - 1] == known.length - 1)) {
            remarks.add("the " + known.length + " category ids from " + known[0] + " to " + known[known.length - 1]
                    + " became the class numbers 0 to " + (known.length - 1)
                    + ", in the order of the ids; the field category_ids has the ids of the file");
        }
    }

    /** Returns the first name that a list has several times. */
    private static Optional<String> repeated(List<String> names) {
        Set<String> seen = new HashSet<>();
        return names.stream().filter(name -> !seen.add(name)).findFirst();
    }
}
