package io.millrace.order;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The steps of a plan that a run leaves out. The steps of the plan are counted as if nothing were left out; the steps of the run are
 * those that remain, counted without gaps.
 *
 * @param gaps the steps of the plan that are left out, in ascending order, with at least one step between two of them
 */
public record SkippedSteps(List<Gap> gaps) implements Serializable {
    private static final Pattern GAP = Pattern.compile("(\\d{1,18})-(\\d{1,18})");

    /** Nothing is left out. */
    public static final SkippedSteps NONE = new SkippedSteps(List.of());

    /**
     * Consecutive steps of the plan.
     *
     * @param from the first step
     * @param to the step after the last one
     * @param before the number of steps that are left out before {@code from}
     */
    public record Gap(long from, long to, long before) implements Serializable {
        /** Returns the first step of the run after the gap. */
        private long runStep() {
            return from - before;
        }

        /** Returns the number of steps that are left out up to the end of the gap. */
        private long after() {
            return before + (to - from);
        }
    }

    public SkippedSteps {
        gaps = List.copyOf(gaps);
    }

    /**
     * Returns the steps with further ones, which are counted as the run counts them without those that are left out already. So a stretch
     * has the numbers that the logs of the run show.
     *
     * @param first the first step of the run to leave out, at least 0
     * @param last the last one, at least {@code first}
     */
    public SkippedSteps and(long first, long last) {
        if (first < 0 || last < first) {
            throw new IllegalArgumentException(
                    "expected a first step of at least 0 and a last step of at least the first one, found " + first
                            + "-" + last);
        }
        long from = inPlan(first);
        long to = inPlan(last) + 1;
        List<Gap> all = new ArrayList<>(gaps);
        all.add(new Gap(from, to, 0));
        all.sort(Comparator.comparingLong(Gap::from));
        List<Gap> merged = new ArrayList<>();
        for (Gap gap : all) {
            Gap latest = merged.isEmpty() ? null : merged.get(merged.size() - 1);
            if (latest != null && gap.from <= latest.to) {
                merged.set(merged.size() - 1, new Gap(latest.from, Math.max(latest.to, gap.to), latest.before));
            } else {
                merged.add(new Gap(gap.from, gap.to, latest == null ? 0 : latest.after()));
            }
        }
        return new SkippedSteps(merged);
    }

    /** Returns the number of steps that are left out. */
    public long count() {
        return gaps.isEmpty() ? 0 : gaps.get(gaps.size() - 1).after();
    }

    /**
     * Returns the step of the plan for a step of the run.
     *
     * @param step 0 or more
     */
    public long inPlan(long step) {
        int low = 0;
        int high = gaps.size();
        while (low < high) { // the number of gaps before the step
            int middle = (low + high) >>> 1;
            if (gaps.get(middle).runStep() <= step) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low == 0 ? step : Math.addExact(step, gaps.get(low - 1).after());
    }

    /** Returns the number of steps of the run before a step of the plan. */
    public long inRun(long planStep) {
        long left = 0;
        for (Gap gap : gaps) {
            if (planStep <= gap.from) {
                break;
            }
            left += Math.min(planStep, gap.to) - gap.from;
        }
        return planStep - left;
    }

    /** Returns the first step of the run that two runs with the same plan take from different steps of it; {@link Long#MAX_VALUE} for none. */
    public long firstDifference(SkippedSteps other) {
        for (int i = 0; i < Math.max(gaps.size(), other.gaps.size()); i++) {
            Gap own = i < gaps.size() ? gaps.get(i) : null;
            Gap theirs = i < other.gaps.size() ? other.gaps.get(i) : null;
            if (own == null || !own.equals(theirs)) {
                return Math.min(
                        own == null ? Long.MAX_VALUE : own.runStep(),
                        theirs == null ? Long.MAX_VALUE : theirs.runStep());
            }
        }
        return Long.MAX_VALUE;
    }

    /** Returns the gaps in steps of the plan: {@code 48200-48260, 60061-60071}; an empty text for none. */
    @Override
    public String toString() {
        return gaps.stream().map(gap -> gap.from + "-" + (gap.to - 1)).collect(Collectors.joining(", "));
    }

    /**
     * Reads steps as {@link #toString} writes them.
     *
     * @throws IllegalArgumentException when the text is something else
     */
    public static SkippedSteps parse(String text) {
        SkippedSteps skipped = NONE;
        for (String part : text.isEmpty() ? List.<String>of() : List.of(text.split(", ", -1))) {
            Matcher gap = GAP.matcher(part);
            if (!gap.matches()) {
                throw new IllegalArgumentException("expected steps that are left out, found '" + text + "'");
            }
            long before = skipped.count(); // all earlier gaps are before this one
            skipped = skipped.and(Long.parseLong(gap.group(1)) - before, Long.parseLong(gap.group(2)) - before);
        }
        return skipped;
    }
}
