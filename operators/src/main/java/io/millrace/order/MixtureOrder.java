package io.millrace.order;

import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * The order of a run that is trained on a {@link Mixture} of datasets. Each dataset, a source of the mixture, is gone through in epochs
 * of its own, which continue over the epochs of the run and the phases of the mixture. The round of a {@link Order.Pick} is the
 * number of the source's epoch.
 *
 * <p>Source 0 has the order that a run on it alone has. The seeds of the other sources are derived from the run's seed and the
 * source's number, so that sources of one size do not go in step, and a source that is appended changes no other one.
 */
public final class MixtureOrder implements Order {
    private static final long serialVersionUID = 1;

    /**
     * A dataset of the mixture.
     *
     * @param size the number of its samples, 0 to 2^40
     * @param shuffle the kind of shuffling
     */
    public record Source(long size, Shuffle shuffle) {}

    private final long seed;
    private final long size;
    private final Mixture mixture;
    private final EpochOrder[] orders;

    /**
     * Creates an order.
     *
     * @param seed the run's seed
     * @param size the number of training rows of an epoch of the run, at least 1
     * @param sources the datasets, as many as the mixture has sources
     * @throws IllegalArgumentException when a value is out of its range, or a source with a weight above 0 has no samples; the message
     *     is a sentence
     */
    public MixtureOrder(long seed, long size, Mixture mixture, List<Source> sources) {
        if (size < 1) {
            throw new IllegalArgumentException("an epoch has " + size + " rows; expected at least 1");
        }
        if (sources.size() != mixture.sources()) {
            throw new IllegalArgumentException(
                    "the mixture has weights of " + mixture.sources() + " sources, and there are " + sources.size());
        }
        for (int source = 0; source < sources.size(); source++) {
            for (int phase = 0; phase < mixture.phases().size() && sources.get(source).size == 0; phase++) {
                if (mixture.phases().get(phase).uses(source)) {
                    throw new IllegalArgumentException("source " + source + " has no samples, but a weight of "
                            + mixture.phases().get(phase).weights()[source] + " in phase " + phase);
                }
            }
        }
        this.seed = seed;
        this.size = size;
        this.mixture = mixture;
        this.orders = IntStream.range(0, sources.size())
                .mapToObj(source ->
                        new EpochOrder(sourceSeed(seed, source), sources.get(source).size, sources.get(source).shuffle))
                .toArray(EpochOrder[]::new);
    }

    /** Returns the seed of a source's order: the run's seed for source 0, and a derived one for any other source. */
    public static long sourceSeed(long seed, int source) {
        return source == 0 ? seed : Philox.derived(seed, Philox.SOURCE, source);
    }

    @Override
    public long seed() {
        return seed;
    }

    @Override
    public long size() {
        return size;
    }

    /** Returns the mixture. */
    public Mixture mixture() {
        return mixture;
    }

    /** Returns the order of a source. */
    public EpochOrder order(int source) {
        return orders[source];
    }

    /**
     * {@inheritDoc}
     *
     * @throws IndexOutOfBoundsException when the mixture ends before the place
     * @throws ArithmeticException when a source is gone through more than 2^31 times
     */
    @Override
    public Pick at(int epoch, long i) {
        Objects.checkIndex(i, size);
        return pick(mixture.at(Math.addExact(Math.multiplyExact(epoch, size), i)));
    }

    @Override
    public long[] counts(long places) {
        return mixture.counts(places);
    }

    private Pick pick(Mixture.Turn turn) {
        EpochOrder order = orders[turn.source()];
        long round = turn.count() / order.size();
        if (round > Integer.MAX_VALUE) {
            throw new ArithmeticException("source " + turn.source() + " of " + order.size()
                    + " samples would be gone through more than 2^31 times");
        }
        return new Pick(turn.source(), (int) round, order.index((int) round, turn.count() % order.size()));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof MixtureOrder order
                && seed == order.seed
                && size == order.size
                && mixture.equals(order.mixture)
                && List.of(orders).equals(List.of(order.orders));
    }

    @Override
    public int hashCode() {
        return Objects.hash(seed, size, mixture, List.of(orders));
    }

    @Override
    public String toString() {
        return "MixtureOrder[seed=" + seed + ", size=" + size + ", mixture=" + mixture + ", orders=" + List.of(orders)
                + "]";
    }
}
