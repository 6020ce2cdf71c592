package io.millrace.sequence;

import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.SplittableRandom;

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
    private static final int DOCUMENTS = 1 << 16;

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
        Candidate best = null;
        Candidate chosen = null;
        Candidate good = null;
        int chosenPlace = 0;
        for (int window : windows) {
            if (good != null && window > (long) WINDOW_FACTOR * good.rule.window()) {
                break;
            }
            for (int place = 0; place < policies.size(); place++) {
                PackRule rule = new PackRule(length, policies.get(place), window, overlong);
                Candidate candidate = new Candidate(rule, fill(rule, sample, documents));
                if (best == null || candidate.fill > best.fill + NEARLY) {
                    best = candidate;
                }
                if (candidate.fill >= TARGET && (good == null || place < chosenPlace)) {
                    good = good == null ? candidate : good;
                    chosen = candidate;
                    chosenPlace = place;
                }
            }
        }
        if (best == null) {
            throw new IllegalArgumentException("expected at least one window and one policy, found " + windows + " and " + policies);
        }
        Candidate result = chosen == null ? best : chosen;
        return new PackChoice(result.rule, fill(result), reason(result, windows.size() * policies.size(), sample.length));
    }

    private static OptionalDouble fill(Candidate candidate) {
        return Double.isNaN(candidate.fill) ? OptionalDouble.empty() : OptionalDouble.of(candidate.fill);
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

    private static String reason(Candidate chosen, int candidates, int sample) {
        PackRule rule = chosen.rule;
        String name = rule.policy().name().toLowerCase(Locale.ROOT) + " in windows of " + rule.window() + " documents";
        if (Double.isNaN(chosen.fill)) {
            return name + ", because the " + sample + " documents of the sample have no tokens to choose by";
        }
        String fills = String.format(
                Locale.ROOT, "%s fills %.2f %% of packs of %d tokens", name, 100 * chosen.fill, rule.length());
        return fills + " with the lengths of " + sample + " documents"
                + (candidates == 1
                        ? ""
                        : chosen.fill >= TARGET
                                ? ", and a smaller window or a preferred policy fills less than 99.5 %"
                                : ", and no larger window fills noticeably more");
    }
}
