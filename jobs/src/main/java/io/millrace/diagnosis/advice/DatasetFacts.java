package io.millrace.diagnosis.advice;

import java.util.List;
import java.util.Map;

/**
 * What some samples show on their way.
 *
 * @param storedBytes of a sample as it is read, the mean
 * @param pixels of the image behind each stage, read included, the mean; stages behind which it is encoded are not in it
 * @param fields that the last transform leaves
 */
public record DatasetFacts(double storedBytes, Map<String, Double> pixels, List<String> fields) {
    /** Nothing was looked at. */
    public static final DatasetFacts UNKNOWN = new DatasetFacts(Double.NaN, Map.of(), List.of());

    public DatasetFacts {
        pixels = Map.copyOf(pixels);
        fields = List.copyOf(fields);
    }
}
