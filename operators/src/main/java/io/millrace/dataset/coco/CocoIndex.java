package io.millrace.dataset.coco;

import java.util.List;
import java.util.Map;

/**
 * The content of an annotations file, ordered by the ids of the pictures. The annotations of a picture keep the order of the file.
 * Immutable, although its arrays are not copied.
 *
 * @param imageIds the ids of the pictures, ascending
 * @param files the paths of the pictures
 * @param heights the rows of the pictures as the file states them; 0 where it does not
 * @param widths the columns, in the same way
 * @param firsts for each picture the place of its first annotation in {@code rows}, followed by the number of all annotations
 * @param rows the annotations of all pictures, by their numbers in the file
 * @param annotations the annotations
 * @param categories the ids of the classes, ascending
 * @param classes the names of the classes, in the order of {@code categories}
 * @param points the number of keypoints of an object
 * @param problems the reasons for which pictures are bad samples, by the number of the picture
 * @param remarks sentences for the user
 */
record CocoIndex(
        long[] imageIds,
        String[] files,
        int[] heights,
        int[] widths,
        int[] firsts,
        int[] rows,
        Objects annotations,
        long[] categories,
        List<String> classes,
        int points,
        Map<Integer, String> problems,
        List<String> remarks) {

    /**
     * The annotations by their numbers in the file. Arrays of columns that are not read are empty.
     *
     * @param ids the ids
     * @param categories the ids of the classes
     * @param isObject whether the annotation is an object, which has a class, and not a caption
     * @param boxes left, top, width and height of each box
     * @param areas the areas
     * @param crowds whether the annotation is a crowd
     * @param keypoints x, y and visibility of each point; an empty array for an object without points
     * @param outlines the outlines of the objects; null for a caption
     * @param captions the captions; an empty text for an object
     */
    record Objects(
            long[] ids,
            long[] categories,
            boolean[] isObject,
            float[] boxes,
            float[] areas,
            boolean[] crowds,
            List<float[]> keypoints,
            List<Outline> outlines,
            List<String> captions) {}
}
