package io.millrace.sequence;

import io.millrace.sample.Counted;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import java.util.StringJoiner;

/**
 * The choice of a window and a policy by the lengths of a sample of documents, which are packed with every candidate.
 *
 * <p>The choice is the smallest window in which one of the policies fills at least {@link #TARGET} of the packs. A policy that comes earlier
 * in the list is chosen in place of a later one, also if it needs a window up to {@value #WINDOW_FACTOR} times as large. If no candidate
 * reaches the target, the choice is the first one that fills nearly as much as the best one.
 *
 * @param rule the rule
 * @param fill the share of the places of all packs that hold tokens, 0 to 1, in packs of the sample; empty if the sample has no tokens
 * @param reason a sentence that explains the choice
 */
public record PackChoice(PackRule rule, OptionalDouble fill, String reason) {
    /** The fill that is good enough. */
    public static final double TARGET = 0.995;

    /** The windows among which {@code auto} chooses. */
    public static final List<Integer> WINDOWS = List.of(1 << 10, 1 << 12, 1 << 14, 1 << 16);

    /** The policies among which {@code auto} chooses, the preferred one first. */
    public static final List<PackPolicy> POLICIES = List.of(PackPolicy.BEST_FIT, PackPolicy.BEST_FIT_DECREASING);

    private static final int WINDOW_FACTOR = 4;

    /** A gain of fill for which a larger window or a later policy is not worth it. */
    private static final double NEARLY = 0.0005;

    /** The least number of documents that are packed with a candidate, in whole windows. */
    private static final int DOCUMENTS = 1 << 18;

    private static final int LEAST_WINDOWS = 3;

    private record Candidate(PackRule rule, double fill) {}

    /**
     * Chooses a rule.
     *
     * @param length the number of tokens that a pack holds
     * @param overlong the treatment of long documents
     * @param windows the windows among which to choose, ascending; one if the user has chosen it
     * @param policies the policies among which to choose, the preferred one first
     * @param sample the lengths of some documents of the dataset, or {@link DocumentLengths#BAD}; of all of them if there are not more
     * @param documents the number of documents of the dataset
     * @throws IllegalArgumentException when a rule is impossible; the message is a sentence for the user
     */
    public static PackChoice choose(
            int length,
            Overlong overlong,
            List<Integer> windows,
            List<PackPolicy> policies,
            int[] sample,
            long documents) {
        List<Candidate> tried = new ArrayList<>();
        Candidate chosen = null;
        int firstGood = Integer.MAX_VALUE;
        for (int window : windows) {
            if (window / WINDOW_FACTOR > firstGood) {
                break;
            }
            for (PackPolicy policy : policies) {
                PackRule rule = new PackRule(length, policy, window, overlong);
                Candidate candidate = new Candidate(rule, fill(rule, sample, documents));
                tried.add(candidate);
                if (candidate.fill >= TARGET && (chosen == null || isPreferred(candidate, chosen, policies))) {
                    chosen = candidate;
                    firstGood = Math.min(firstGood, window);
                }
            }
        }
        if (tried.isEmpty()) {
            throw new IllegalArgumentException(
                    "expected at least one window and one policy, found " + windows + " and " + policies);
        }
        Candidate result = chosen == null ? fullest(tried) : chosen;
        OptionalDouble fill = Double.isNaN(result.fill) ? OptionalDouble.empty() : OptionalDouble.of(result.fill);
        return new PackChoice(result.rule, fill, reason(result, tried, sample.length));
    }

    private static boolean isPreferred(Candidate candidate, Candidate other, List<PackPolicy> policies) {
        return policies.indexOf(candidate.rule.policy()) < policies.indexOf(other.rule.policy());
    }

    private static Candidate fullest(List<Candidate> tried) {
        Candidate best = tried.get(0);
        for (Candidate candidate : tried) {
            best = candidate.fill > best.fill + NEARLY ? candidate : best;
        }
        return best;
    }

    /** Returns the fill of the sample's packs, or NaN if it has no tokens. */
    private static double fill(PackRule rule, int[] sample, long documents) {
        if (sample.length == 0) {
            return Double.NaN;
        }
        WindowPacker packer = new WindowPacker(rule);
        int[] window = new int[(int) Math.max(1, Math.min(rule.window(), documents))];
        boolean whole = sample.length == documents;
        long packed = 0;
        long wanted = whole ? documents : Math.max(DOCUMENTS, (long) LEAST_WINDOWS * window.length);
        SplittableRandom random = new SplittableRandom(1);
        while (packed < wanted) {
            int count = whole ? (int) Math.min(window.length, documents - packed) : window.length;
            for (int i = 0; i < count; i++) {
                window[i] = sample[whole ? (int) packed + i : random.nextInt(sample.length)];
            }
            packer.pack(window, count);
            packed += count;
        }
        return packer.totals().tokens() == 0 ? Double.NaN : packer.totals().fill(rule.length());
    }

    private static String reason(Candidate chosen, List<Candidate> tried, int sample) {
        PackRule rule = chosen.rule;
        String name = rule.policy().word() + " in windows of " + Counted.of(rule.window(), "document");
        if (Double.isNaN(chosen.fill)) {
            return name + ", because no document of the sample has tokens to choose by";
        }
        StringJoiner others = new StringJoiner(", ", " (", ")").setEmptyValue("");
        for (Candidate other : tried) {
            if (other.rule.window() == rule.window() && !other.equals(chosen)) {
                others.add(String.format(
                        Locale.ROOT, "%s: %.2f %%", other.rule.policy().word(), 100 * other.fill));
            }
        }
        return String.format(
                Locale.ROOT,
                "%s fills packs of %s to %.2f %%%s, by the lengths of %s",
                name,
                Counted.of(rule.length(), "token"),
                100 * chosen.fill,
                others,
                Counted.of(sample, "document"));
    }
}
