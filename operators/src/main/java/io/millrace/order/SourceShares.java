package io.millrace.order;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The parts of a run that the datasets of a mixture have had, as pure functions of the steps. Bad samples count, too.
 *
 * @param batch the number of samples of a step
 */
public record SourceShares(Order order, Sources sources, long batch) implements Serializable {
    /** The parts of a run without a mixture. */
    public static final SourceShares NONE = new SourceShares(new EpochOrder(0, 1, Shuffle.NONE), Sources.single(1), 1);

    private static final double UNKNOWN = -1;

    /** The largest number of datasets in a line of text. */
    private static final int MOST = 4;

    /**
     * A dataset's part of a run.
     *
     * @param source the name of the dataset
     * @param samples the number of samples that were used, each as often as it was used
     * @param share the part of all samples, 0 to 1
     * @param epoch how often the dataset has been gone through; negative when nobody knows how many samples a round has
     */
    public record Share(String source, long samples, double share, double epoch) {
        /** Returns the share in percent, and the epoch if it is known: {@code code 20.1 % (epoch 1.46)}. */
        public String text() {
            return epoch < 0
                    ? String.format(Locale.ROOT, "%s %.1f %%", source, 100 * share)
                    : String.format(Locale.ROOT, "%s %.1f %% (epoch %.2f)", source, 100 * share, epoch);
        }
    }

    /** Returns whether the run is one on a mixture. */
    public boolean isMixture() {
        return sources.named();
    }

    /** Returns the shares in the steps before one, in the order of the pipeline file; none for a run without a mixture. */
    public List<Share> before(long step) {
        return between(0, step);
    }

    /** Returns the shares in the steps from one to another, which is excluded. The epoch is that of the end. */
    public List<Share> between(long from, long to) {
        if (!isMixture() || to <= from) {
            return List.of();
        }
        long[] before = order.counts(Math.multiplyExact(from, batch));
        long[] counts = order.counts(Math.multiplyExact(to, batch));
        List<Share> shares = new ArrayList<>();
        for (int source = 0; source < counts.length; source++) {
            long samples = counts[source] - before[source];
            shares.add(new Share(
                    sources.get(source).name(),
                    samples,
                    (double) samples / ((to - from) * batch),
                    sources.get(source).isEndless()
                            ? UNKNOWN
                            : (double) counts[source] / sources.get(source).size()));
        }
        return shares;
    }

    /** Returns the largest shares as one line, without the epochs: {@code web 79.9 %, code 20.1 %}; an empty text for none. */
    public static String line(List<Share> shares) {
        String line = shares.stream()
                .sorted((a, b) -> Long.compare(b.samples, a.samples))
                .limit(MOST)
                .map(share -> String.format(Locale.ROOT, "%s %.1f %%", share.source, 100 * share.share))
                .collect(Collectors.joining(", "));
        return shares.size() <= MOST ? line : line + " and " + (shares.size() - MOST) + " more";
    }
}
