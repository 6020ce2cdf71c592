package io.millrace.python;

import io.millrace.dataset.DatasetException;
import io.millrace.option.OptionValues;
import io.millrace.python.WorkerReply.Status;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;

/**
 * A check whether a Python dataset behaves as a run expects: some items are read twice, in two processes that make the dataset, and in
 * another order, always with the same random numbers.
 *
 * @param dataset the dataset, as module:name
 * @param size the number of its items
 * @param items the number of items that were read
 * @param findings what differs or is bad, one sentence each; empty for a dataset that behaves
 */
public record DatasetCheck(String dataset, long size, int items, List<String> findings) {
    /** The number of items that are read, from the first to the last in equal distances. */
    private static final int ITEMS = 32;

    /** The number of findings that are listed. */
    private static final int MOST_FINDINGS = 50;

    public DatasetCheck {
        findings = List.copyOf(findings);
    }

    /** What one process returned for an item: the hashes of its values by name, or the reason why it is bad. */
    private record Seen(Map<String, String> values, String reason) {}

    /**
     * Checks a dataset.
     *
     * @param options the options of the format {@code python}
     * @throws DatasetException with Python's error when there is no such dataset
     */
    public static DatasetCheck of(OptionValues options) throws IOException {
        PythonDatasetFormat format = new PythonDatasetFormat();
        try (PythonDataset first = format.open(options);
                PythonDataset second = format.open(options)) {
            long size = first.size();
            List<Long> indexes = indexes(size);
            if (second.size() != size) {
                String finding = "len(" + first.call() + ") is " + size + " in one process, and " + second.size()
                        + " in another";
                return new DatasetCheck(first.call(), size, 0, List.of(finding));
            }
            List<Long> reversed = new ArrayList<>(indexes);
            Collections.reverse(reversed);
            Map<Long, Seen> once = read(first, indexes);
            List<String> findings = new ArrayList<>();
            names(once, findings);
            compare(once, read(first, reversed), "when it is read a second time, in another order", findings);
            compare(once, read(second, indexes), "in another process", findings);
            return new DatasetCheck(
                    first.call(), size, indexes.size(), findings.subList(0, Math.min(findings.size(), MOST_FINDINGS)));
        }
    }

    private static List<Long> indexes(long size) {
        TreeSet<Long> indexes = new TreeSet<>();
        long steps = Math.min(ITEMS, size);
        LongStream.range(0, steps).forEach(i -> indexes.add(steps == 1 ? 0 : i * (size - 1) / (steps - 1)));
        return List.copyOf(indexes);
    }

    private static Map<Long, Seen> read(PythonDataset dataset, List<Long> indexes) throws IOException {
        Map<Long, Seen> seen = new TreeMap<>();
        for (long index : indexes) {
            try {
                ItemReply reply = dataset.compared(index);
                seen.put(
                        index, new Seen(ItemHashes.values(reply), reply.status() == Status.DONE ? "" : reply.reason()));
            } catch (WorkerLostException e) {
                seen.put(index, new Seen(Map.of(), String.valueOf(e.getMessage())));
            }
        }
        return seen;
    }

    /** Finds items that are bad, and those with other fields than most. */
    private static void names(Map<Long, Seen> once, List<String> findings) {
        Map<String, Integer> counts = new LinkedHashMap<>();
        once.values().forEach(seen -> seen.values().keySet().forEach(name -> counts.merge(name, 1, Integer::sum)));
        long good =
                once.values().stream().filter(seen -> seen.reason().isEmpty()).count();
        once.forEach((index, seen) -> {
            if (!seen.reason().isEmpty()) {
                findings.add("item " + index + " is bad: " + seen.reason());
                return;
            }
            counts.forEach((name, count) -> {
                if (2L * count > good && !seen.values().containsKey(name)) {
                    findings.add(
                            "item " + index + " lacks '" + name + "', which " + count + " of " + good + " items have");
                } else if (2L * count <= good && seen.values().containsKey(name)) {
                    findings.add("item " + index + " has '" + name + "', which only " + count + " of " + good
                            + " items have");
                }
            });
        });
    }

    private static void compare(Map<Long, Seen> once, Map<Long, Seen> again, String how, List<String> findings) {
        once.forEach((index, seen) -> {
            Seen other = again.getOrDefault(index, seen);
            if (!other.reason().equals(seen.reason())) {
                findings.add("item " + index + " is " + words(other) + " " + how + ", but was " + words(seen));
                return;
            }
            TreeSet<String> names = new TreeSet<>(seen.values().keySet());
            names.addAll(other.values().keySet());
            names.removeIf(name ->
                    Objects.equals(seen.values().get(name), other.values().get(name)));
            if (!names.isEmpty()) {
                findings.add("item " + index + " differs " + how + ": " + String.join(", ", names));
            }
        });
    }

    private static String words(Seen seen) {
        return seen.reason().isEmpty() ? "good" : "bad (" + seen.reason() + ")";
    }
}
