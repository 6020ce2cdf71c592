package io.millrace.inspect;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The properties of a dataset.
 *
 * <p>Tested by {@code DatasetInspectorTest}.
 *
 * @param size the number of samples
 * @param classes the classes in the order of their labels; empty when the dataset's format has no classes
 * @param read the fields of the first samples before any transform
 * @param transformed the fields of the first samples after the pipeline's transforms
 * @param restarts the number of JPEGs among the first samples by their restart interval, in coded units; 0 for JPEGs without
 *     restart markers
 * @param bytes the bytes that all samples take in storage; null when unknown
 * @param remarks sentences for the user on what the dataset leaves out
 * @param samplesRead the number of first samples that were read and transformed, good and bad
 * @param first the good samples among the first samples
 * @param bad the bad samples among the first samples, and all samples without a valid label; after a scan, all bad
 *     samples
 * @param scan the result of a scan of all samples; null without a scan
 */
public record DatasetSummary(
        long size,
        List<ClassCount> classes,
        List<FieldShape> read,
        List<FieldShape> transformed,
        Map<Integer, Long> restarts,
        @Nullable Long bytes,
        List<String> remarks,
        long samplesRead,
        List<FirstSample> first,
        List<BadEntry> bad,
        @Nullable DatasetScan scan) {

    public DatasetSummary {
        classes = List.copyOf(classes);
        read = List.copyOf(read);
        transformed = List.copyOf(transformed);
        remarks = List.copyOf(remarks);
        first = List.copyOf(first);
        bad = List.copyOf(bad);
    }

    /** Returns this summary with the results of a scan of the whole dataset. */
    public DatasetSummary scanned(DatasetScan found) {
        TreeMap<Long, BadEntry> all = new TreeMap<>();
        bad.forEach(one -> all.put(one.index(), one));
        found.listed().forEach(one -> all.put(one.index(), one));
        return new DatasetSummary(
                size,
                classes,
                read,
                transformed,
                restarts,
                bytes,
                remarks,
                samplesRead,
                first,
                List.copyOf(all.values()),
                found);
    }

    /**
     * One class.
     *
     * @param name the name of the class
     * @param label the class number
     * @param count the number of samples with the label; null when the dataset has too many samples to count
     */
    public record ClassCount(
            String name, int label, @Nullable Long count) {}

    /**
     * One good sample.
     *
     * @param label its label; null when the dataset has no labels
     * @param text the beginning of its first text as it was read; null when it has none
     * @param pixelsSha256 the digest of the decoded pixels before any other transform, as uint8 [height, width, channels] row by
     *     row; null when the sample has no such image
     */
    public record FirstSample(
            long index,
            String key,
            @Nullable Long label,
            @Nullable String text,
            @Nullable String pixelsSha256) {}

    /**
     * One bad sample.
     *
     * @param offset the offset in the file; null when unknown
     */
    public record BadEntry(
            long index, String file, @Nullable Long offset, String reason) {}

    /** Returns this summary as JSON. Scripts rely on its keys. */
    public Map<String, Object> toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("size", size);
        json.put("classes", classes.stream().map(DatasetSummary::json).toList());
        json.put(
                "fields",
                Map.of(
                        "read", read.stream().map(FieldShape::toJson).toList(),
                        "transformed",
                                transformed.stream().map(FieldShape::toJson).toList()));
        json.put("restart_intervals", restarts);
        json.put("bytes", bytes);
        json.put("first", first.stream().map(DatasetSummary::json).toList());
        json.put("bad", bad.stream().map(DatasetSummary::json).toList());
        if (!remarks.isEmpty()) {
            json.put("remarks", remarks);
        }
        if (scan != null) {
            json.put("scan", json(scan));
        }
        return json;
    }

    /** Returns the classes without samples. */
    public List<ClassCount> emptyClasses() {
        List<ClassCount> empty = new ArrayList<>(classes);
        empty.removeIf(c -> c.count() == null || c.count() != 0);
        return empty;
    }

    private static Map<String, Object> json(DatasetScan found) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("samples", found.samples());
        json.put("bad", found.bad());
        json.put("bytes", found.bytes());
        json.put("labels", found.labels());
        json.put("restart_intervals", found.restarts());
        json.put("smallest", found.smallest());
        json.put("largest", found.largest());
        return json;
    }

    private static Map<String, Object> json(ClassCount found) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", found.name);
        json.put("label", found.label);
        json.put("count", found.count);
        return json;
    }

    private static Map<String, Object> json(FirstSample found) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("index", found.index);
        json.put("key", found.key);
        json.put("label", found.label);
        if (found.text != null) {
            json.put("text", found.text);
        }
        json.put("pixels_sha256", found.pixelsSha256);
        return json;
    }

    private static Map<String, Object> json(BadEntry found) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("index", found.index);
        json.put("file", found.file);
        json.put("offset", found.offset);
        json.put("reason", found.reason);
        return json;
    }
}
