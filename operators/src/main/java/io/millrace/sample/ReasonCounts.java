package io.millrace.sample;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** Bad samples counted by their reasons, so that a reason that many samples share is one line. Not thread-safe. */
public final class ReasonCounts {
    /** The largest number of reasons that are kept apart, because each reason may name another number. */
    private static final int MOST_KEPT = 1000;

    private record Group(long samples, String first) {}

    private final Map<String, Group> groups = new LinkedHashMap<>();
    private long others;

    /**
     * Adds a bad sample.
     *
     * @param place the place of the sample, for example its file, which is shown if it is the first with this reason
     */
    public void add(String reason, String place) {
        Group group = groups.get(reason);
        if (group == null && groups.size() == MOST_KEPT) {
            others++;
        } else {
            groups.put(reason, group == null ? new Group(1, place) : new Group(group.samples + 1, group.first));
        }
    }

    /**
     * Returns a line for each reason, the most frequent first, such as {@code 12 samples: the file is empty (first: a.jpg)}, and a
     * line that counts the samples with other reasons.
     *
     * @param most the largest number of lines with a reason, at least 1
     */
    public List<String> lines(int most) {
        List<Map.Entry<String, Group>> sorted = groups.entrySet().stream()
                .sorted(Comparator.comparingLong((Map.Entry<String, Group> each) -> each.getValue().samples)
                        .reversed())
                .toList();
        long left = others
                + sorted.stream()
                        .skip(most)
                        .mapToLong(each -> each.getValue().samples)
                        .sum();
        return Stream.concat(
                        sorted.stream().limit(most).map(each -> line(each.getKey(), each.getValue())),
                        left == 0 ? Stream.empty() : Stream.of(others(left)))
                .toList();
    }

    private static String line(String reason, Group group) {
        return Counted.of(group.samples, "sample") + ": " + reason + " (" + (group.samples == 1 ? "" : "first: ")
                + group.first + ")";
    }

    private static String others(long samples) {
        return String.format(Locale.ROOT, "%,d with other reasons", samples);
    }
}
