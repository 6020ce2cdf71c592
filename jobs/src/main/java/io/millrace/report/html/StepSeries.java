package io.millrace.report.html;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The steps of a run in their order, as a bounded number of spans. When there are too many spans, each pair of neighbours is
 * merged. Not thread-safe.
 */
final class StepSeries {
    private final int most;
    private List<StepSpan> spans = new ArrayList<>();
    private int each = 1;
    private @Nullable StepSpan open;
    private int inOpen;

    /**
     * Creates an empty series.
     *
     * @param most the largest number of spans, at least 2
     */
    StepSeries(int most) {
        if (most < 2) {
            throw new IllegalArgumentException("spans of a series: expected at least 2, found " + most);
        }
        this.most = most;
    }

    /** Adds the following step. */
    void add(StepSpan step) {
        open = open == null ? step : open.and(step);
        inOpen++;
        if (inOpen < each) {
            return;
        }
        spans.add(open);
        open = null;
        inOpen = 0;
        if (spans.size() == most) {
            spans = pairs(spans);
            each *= 2;
        }
    }

    private static List<StepSpan> pairs(List<StepSpan> spans) {
        List<StepSpan> pairs = new ArrayList<>();
        for (int i = 0; i + 1 < spans.size(); i += 2) {
            pairs.add(spans.get(i).and(spans.get(i + 1)));
        }
        if (spans.size() % 2 == 1) {
            pairs.add(spans.get(spans.size() - 1));
        }
        return pairs;
    }

    /** Returns all steps that were added. */
    List<StepSpan> spans() {
        List<StepSpan> all = new ArrayList<>(spans);
        if (open != null) {
            all.add(open);
        }
        return List.copyOf(all);
    }

    /**
     * Returns spans of about equal time, so that each rate is the mean of many steps; {@code about} is the approximate
     * number of spans.
     */
    static List<StepSpan> even(List<StepSpan> spans, int about) {
        double width = spans.stream().mapToDouble(StepSpan::seconds).sum() / about;
        List<StepSpan> even = new ArrayList<>();
        StepSpan open = null;
        for (StepSpan span : spans) {
            open = open == null ? span : open.and(span);
            if (open.seconds() >= width) {
                even.add(open);
                open = null;
            }
        }
        if (open != null) {
            even.add(open);
        }
        return List.copyOf(even);
    }
}
