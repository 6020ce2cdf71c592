package io.millrace.sequence;

import java.io.Serializable;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The fill of the packs of a run, and the fill that another rule would reach with the same documents. A training step on a pack takes as
 * long for empty places as for tokens.
 *
 * @param tokens the mean number of tokens in a pack, at least 0
 * @param places the mean number of tokens that a pack holds, at least 1
 * @param documents the mean number of documents in a pack, at least 0; a document that is split counts once
 * @param split the share of the documents that are in more than one pack, 0 to 1
 * @param fuller a rule that needs fewer packs; null when none is known that would save a noticeable share of them
 */
public record PackFill(
        double tokens,
        double places,
        double documents,
        double split,
        @Nullable Fuller fuller) implements Serializable {
    /** The smallest gain of speed that is worth a change. */
    private static final double LEAST_GAIN = 1.03;

    /**
     * A rule that needs fewer packs.
     *
     * @param policy the name of its policy
     * @param cuts whether it splits documents wherever a pack ends
     * @param steps the share of the packs that it needs, above 0 and less than 1
     */
    public record Fuller(String policy, boolean cuts, double steps) implements Serializable {
        public Fuller {
            if (!(steps > 0 && steps < 1)) {
                throw new IllegalArgumentException("expected a share of the steps between 0 and 1, found " + steps);
            }
        }
    }

    public PackFill {
        if (!(tokens >= 0 && places >= 1)) {
            throw new IllegalArgumentException(
                    "expected 0 or more tokens in a pack of at least 1, found " + tokens + " of " + places);
        }
        if (!(documents >= 0 && split >= 0 && split <= 1)) {
            throw new IllegalArgumentException(
                    "expected 0 or more documents in a pack and a split share between 0 and 1, found " + documents
                            + " and " + split);
        }
    }

    /**
     * Returns the fill of the packs of a dataset.
     *
     * @param rule the rule by which they were made
     * @param totals the totals of all of them
     * @param automatic whether {@link PackChoice} has chosen the rule among all windows and policies
     * @param sample the lengths of some documents, as {@link PackChoice#choose} needs them
     * @param counted the number of documents of the totals
     * @param documents the number of documents of the dataset
     */
    public static PackFill of(
            PackRule rule, PackTotals totals, boolean automatic, int[] sample, long counted, long documents) {
        double good = counted - totals.empty();
        double packs = Math.max(1, totals.packs()); // documents that are all bad have none
        double tokens = totals.tokens() / packs;
        Optional<Fuller> best = Optional.empty();
        if (tokens > 0 && LEAST_GAIN * tokens <= rule.length()) {
            double fill = tokens / rule.length();
            best = automatic
                    ? Optional.empty()
                    : fuller(fill, rule, PackChoice.WINDOWS, PackChoice.POLICIES, sample, documents);
            if (best.isEmpty() && rule.policy() != PackPolicy.CONCAT && rule.overlong() == Overlong.SPLIT) {
                best = fuller(fill, rule, PackChoice.WINDOWS, List.of(PackPolicy.CONCAT), sample, documents);
            }
        }
        return new PackFill(
                tokens, rule.length(), good / packs, good == 0 ? 0 : totals.split() / good, best.orElse(null));
    }

    private static Optional<Fuller> fuller(
            double fill,
            PackRule rule,
            List<Integer> windows,
            List<PackPolicy> policies,
            int[] sample,
            long documents) {
        PackChoice choice = PackChoice.choose(rule.length(), rule.overlong(), windows, policies, sample, documents);
        PackPolicy policy = choice.rule().policy();
        return choice.fill().isPresent() && choice.fill().getAsDouble() >= LEAST_GAIN * fill
                ? Optional.of(new Fuller(
                        policy.word(),
                        policy == PackPolicy.CONCAT,
                        fill / choice.fill().getAsDouble()))
                : Optional.empty();
    }

    /** A fill of some packs of a run. */
    public record Share(PackFill fill, long packs) {}

    /** Returns the mean fill of the packs of several datasets; empty when there are no packs. */
    public static Optional<PackFill> mean(List<Share> shares) {
        double packs = shares.stream().mapToLong(Share::packs).sum();
        if (packs == 0) {
            return Optional.empty();
        }
        double tokens = 0;
        double places = 0;
        double documents = 0;
        double split = 0;
        double steps = 0;
        for (Share share : shares) {
            PackFill fill = share.fill;
            double part = share.packs / packs;
            tokens += part * fill.tokens;
            places += part * fill.places;
            documents += part * fill.documents;
            split += part * fill.documents * fill.split;
            steps += part * (fill.fuller == null ? 1 : fill.fuller.steps);
        }
        List<Fuller> rules = shares.stream()
                .flatMap(share -> Optional.ofNullable(share.fill.fuller).stream())
                .toList();
        String policies = rules.stream().map(Fuller::policy).distinct().collect(Collectors.joining(" and "));
        boolean cuts = rules.stream().anyMatch(Fuller::cuts);
        return Optional.of(new PackFill(
                tokens,
                places,
                documents,
                documents == 0 ? 0 : split / documents,
                LEAST_GAIN * steps <= 1 ? new Fuller(policies, cuts, steps) : null));
    }

    /** Returns the share of the places of all packs that hold tokens, 0 to 1. */
    public double fill() {
        return tokens / places;
    }

    /**
     * Returns a clause such as "filled to 61.2 %: best_fit would fill 99.4 %, the same documents in 38 % fewer steps"; empty when no rule is
     * known that needs fewer packs.
     */
    public Optional<String> remedy() {
        return fuller == null
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "filled to %.1f %%: %s would fill %.1f %%, the same documents in %.0f %% fewer steps%s",
                        100 * fill(),
                        fuller.policy,
                        100 * fill() / fuller.steps,
                        100 * (1 - fuller.steps),
                        fuller.cuts ? ", but it cuts documents where a sequence ends" : ""));
    }
}
