package io.millrace.order;

import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The division of the positions of a run among its sources, with weights that change from phase to phase. The source of a position,
 * and how many samples each source has given before it, are pure functions of the phases, the jitter and the seed. They cost time in
 * proportion to the number of sources.
 *
 * <p>Within a phase, the count of each source since the beginning of the phase is at every position at most 1.3 samples off its
 * target, which is the sum of the source's shares of the positions before. In a phase with a ramp, the largest difference of 9,000
 * random mixtures is 2.5 samples. Jitter adds at most its window. The counts of the sources continue from one phase to the next, so
 * that no sample of a source is left out or used twice. A change of a phase changes no position before it, and cutting a phase
 * changes no position before the cut.
 *
 * <p>A mixture is immutable, and safe for any thread. In serialized form it has 8 bytes for each source of each phase.
 */
public final class Mixture implements Serializable {
    /** The largest number of positions: 2^62. */
    public static final long MOST_POSITIONS = 1L << 62;

    /** The largest window of jitter. */
    public static final int MOST_JITTER = 1 << 16;

    private static final long serialVersionUID = 1;

    /**
     * The source of a position.
     *
     * @param source the number of the source, from 0
     * @param count the number of samples that the source has given before the position
     */
    public record Turn(int source, long count) {}

    /**
     * The end of a source's samples.
     *
     * @param position the first position for which the source has no sample left
     * @param source the number of the source
     */
    public record Exhaustion(long position, int source) {}

    /** A phase in the form in which positions are divided. */
    private static final class Division {
        private final int phase;
        private final long[] before;
        private final MixtureSteps steps;

        Division(int phase, long[] before, MixtureSteps steps) {
            this.phase = phase;
            this.before = before;
            this.steps = steps;
        }
    }

    /** The turns of the positions of a window, counted from the beginning of its phase. */
    private static final class Window {
        private final long start;
        private final int[] sources;
        private final long[] counts;

        Window(long start, int[] sources, long[] counts) {
            this.start = start;
            this.sources = sources;
            this.counts = counts;
        }
    }

    private final MixturePhase[] phases;
    private final int jitter;
    private final long seed;

    /** The first position of each phase, and the position after the last phase. */
    private final transient long[] starts;

    /** The counts of the sources at the beginning of each phase, as far as they have been computed. */
    private final transient AtomicReferenceArray<long @Nullable []> before;

    /** The last used one of the phases with even numbers, and of those with odd ones: neighbours do not displace each other. */
    private final transient AtomicReferenceArray<@Nullable Division> divisions = new AtomicReferenceArray<>(2);

    /** The last used window. Threads may replace each other's window. Then they compute it again. */
    private transient @Nullable Window latest;

    /**
     * Creates a mixture.
     *
     * @param phases at least one phase; all have the same number of sources, only the last may be open, and the first has no ramp
     * @param jitter the size of the windows within which positions are permuted, from the beginning of each phase on, 0 to 65,536;
     *     0 and 1 mean no jitter
     * @param seed the seed of the jitter
     * @throws IllegalArgumentException when a value is out of its range; the message is a sentence
     */
    public Mixture(List<MixturePhase> phases, int jitter, long seed) {
        this.phases = phases.toArray(MixturePhase[]::new);
        this.jitter = jitter;
        this.seed = seed;
        this.starts = starts(this.phases);
        this.before = new AtomicReferenceArray<>(this.phases.length);
        if (jitter < 0 || jitter > MOST_JITTER) {
            throw new IllegalArgumentException("the jitter is " + jitter + " positions; expected 0 to " + MOST_JITTER);
        }
    }

    private static long[] starts(MixturePhase[] phases) {
        if (phases.length == 0) {
            throw new IllegalArgumentException("a mixture has no phases; expected at least one");
        }
        if (phases[0].ramp() > 0) {
            throw new IllegalArgumentException("phase 0 has a ramp of " + phases[0].ramp()
                    + " positions; a ramp needs a phase before it, from whose weights it leads to the new ones");
        }
        long[] starts = new long[phases.length + 1];
        for (int number = 0; number < phases.length; number++) {
            MixturePhase phase = phases[number];
            if (phase.sources() != phases[0].sources()) {
                throw new IllegalArgumentException("phase " + number + " has weights of " + phase.sources()
                        + " sources, and phase 0 of " + phases[0].sources());
            }
            boolean open = phase.positions() == MixturePhase.OPEN;
            if (open && number < phases.length - 1) {
                throw new IllegalArgumentException("phase " + number + " has no end, and only the last of "
                        + phases.length + " phases may be open");
            }
            if (!open && phase.positions() > MOST_POSITIONS - starts[number]) {
                throw new IllegalArgumentException("the phases have more than 2^62 positions with phase " + number);
            }
            starts[number + 1] = open ? MOST_POSITIONS : starts[number] + phase.positions();
        }
        return starts;
    }

    /** Returns the phases. */
    public List<MixturePhase> phases() {
        return List.of(phases);
    }

    /** Returns the number of sources. */
    public int sources() {
        return phases[0].sources();
    }

    /** Returns the number of positions of all phases, {@link #MOST_POSITIONS} when the last one is open. */
    public long positions() {
        return starts[phases.length];
    }

    /**
     * Returns the source of a position.
     *
     * @param position 0 to {@code positions() - 1}
     */
    public Turn at(long position) {
        Objects.checkIndex(position, positions());
        int phase = phase(position);
        Division division = division(phase);
        long inPhase = position - starts[phase];
        Turn turn = jitter > 1 ? jittered(division, inPhase) : division.steps.at(inPhase);
        return new Turn(turn.source, division.before[turn.source] + turn.count);
    }

    /**
     * Returns how many samples each source has given before a position.
     *
     * @param position 0 to {@code positions()}
     */
    public long[] counts(long position) {
        Objects.checkIndex(position, positions() + 1);
        if (position == 0) {
            return new long[sources()];
        }
        int phase = phase(position - 1);
        Division division = division(phase);
        long inPhase = position - starts[phase];
        long start = jitter > 1 ? inPhase - inPhase % jitter : inPhase;
        long[] counts = MixtureSteps.sum(division.before, division.steps.counts(start));
        if (start < inPhase) {
            Window window = window(division, start);
            for (int i = 0; i < inPhase - start; i++) {
                counts[window.sources[i]]++;
            }
        }
        return counts;
    }

    private int phase(long position) {
        int at = Arrays.binarySearch(starts, position);
        return at >= 0 ? at : -at - 2;
    }

    private Turn jittered(Division division, long inPhase) {
        int i = (int) (inPhase % jitter);
        Window window = window(division, inPhase - i);
        return new Turn(window.sources[i], window.counts[i]);
    }

    /** Returns the turns of a window. The window is whole also at the end of a phase, so that the end decides no turn before it. */
    private Window window(Division division, long start) {
        Window window = latest;
        long run = starts[division.phase] + start;
        if (window == null || window.start != run) {
            Permutation places = new Permutation(Philox.derived(seed, Philox.JITTER, 0), run, jitter);
            int[] sources = new int[jitter];
            long[] counts = new long[jitter];
            long[] next = division.steps.counts(start);
            for (int i = 0; i < jitter; i++) {
                sources[i] = division.steps.at(start + places.apply(i)).source();
                counts[i] = next[sources[i]]++;
            }
            window = new Window(run, sources, counts);
            latest = window;
        }
        return window;
    }

    private Division division(int phase) {
        Division division = divisions.get(phase % 2);
        if (division == null || division.phase != phase) {
            MixtureRamp ramp = new MixtureRamp(
                    phases[phase].ramp(),
                    phase == 0 ? phases[0].weights() : lastWeights(phase - 1),
                    phases[phase].weights());
            division = new Division(phase, before(phase), new MixtureSteps(ramp));
            divisions.set(phase % 2, division);
        }
        return division;
    }

    private long[] before(int phase) {
        for (int known = 0; known <= phase; known++) {
            if (before.get(known) == null) {
                before.set(known, counts(starts[known]));
            }
        }
        return Objects.requireNonNull(before.get(phase));
    }

    /** Returns the weights with which a phase ends: its own, unless it ends within its ramp. */
    private long[] lastWeights(int phase) {
        MixturePhase ending = phases[phase];
        if (ending.positions() >= ending.ramp()) {
            return ending.weights();
        }
        MixtureRamp ramp = new MixtureRamp(ending.ramp(), lastWeights(phase - 1), ending.weights());
        return ramp.weights(ramp.step(ending.positions() - 1));
    }

    /**
     * Returns the first position at which two mixtures may differ; {@link Long#MAX_VALUE} for equal ones. Sources may have been
     * appended to one of them. Phases are compared in turn: where the weights or the ramps of two phases differ, the first
     * position of the phase counts as different, and where only their ends differ, the earlier end, even if the weights continue
     * after it. Different jitter, or different seeds with jitter, count as different from position 0 on.
     */
    public long firstDifference(Mixture other) {
        boolean jitters = jitter > 1 || other.jitter > 1;
        if (jitters && (jitter != other.jitter || seed != other.seed)) {
            return 0;
        }
        int common = Math.min(phases.length, other.phases.length);
        for (int phase = 0; phase < common; phase++) {
            if (!phases[phase].sameRule(other.phases[phase])) {
                return starts[phase];
            }
            if (starts[phase + 1] != other.starts[phase + 1]) {
                return Math.min(starts[phase + 1], other.starts[phase + 1]);
            }
        }
        return phases.length == other.phases.length ? Long.MAX_VALUE : starts[common];
    }

    /**
     * Returns the first position for which its source has no sample left, and the source; empty when all samples suffice.
     *
     * @param sizes the number of samples of each source, 0 or more
     * @param rounds how often each source may be gone through, 0 or more
     */
    public Optional<Exhaustion> exhausted(long[] sizes, int[] rounds) {
        long[] most = new long[sources()];
        for (int source = 0; source < most.length; source++) {
            most[source] = Math.multiplyHigh(sizes[source], rounds[source]) != 0 || sizes[source] * rounds[source] < 0
                    ? Long.MAX_VALUE
                    : sizes[source] * rounds[source];
        }
        if (!exceeds(positions(), most)) {
            return Optional.empty();
        }
        long enough = 0;
        long tooMany = positions();
        while (tooMany - enough > 1) {
            long middle = enough + (tooMany - enough) / 2;
            if (exceeds(middle, most)) {
                tooMany = middle;
            } else {
                enough = middle;
            }
        }
        return Optional.of(new Exhaustion(enough, at(enough).source));
    }

    private boolean exceeds(long position, long[] most) {
        long[] counts = counts(position);
        for (int source = 0; source < counts.length; source++) {
            if (counts[source] > most[source]) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Mixture mixture
                && jitter == mixture.jitter
                && seed == mixture.seed
                && Arrays.equals(phases, mixture.phases);
    }

    @Override
    public int hashCode() {
        return Objects.hash(Arrays.hashCode(phases), jitter, seed);
    }

    @Override
    public String toString() {
        return "Mixture[phases=" + Arrays.toString(phases) + ", jitter=" + jitter + ", seed=" + seed + "]";
    }

    private Object readResolve() {
        return new Mixture(List.of(phases), jitter, seed);
    }
}
