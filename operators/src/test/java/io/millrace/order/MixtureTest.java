package io.millrace.order;

import static io.millrace.order.MixturePhase.OPEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class MixtureTest {
    private static MixturePhase phase(long positions, long ramp, long... weights) {
        return new MixturePhase(positions, weights, ramp);
    }

    private static Mixture mixture(MixturePhase... phases) {
        return new Mixture(List.of(phases), 0, 42);
    }

    /** Returns phases of up to 400 positions with random weights, of which a few are 0, and with ramps. */
    private static List<MixturePhase> randomPhases(Random random, int sources, int most) {
        List<MixturePhase> phases = new ArrayList<>();
        for (int number = 1 + random.nextInt(4); number > 0; number--) {
            long[] weights = MixtureShapeTest.randomWeights(random, sources);
            for (int source = 1; source < sources; source++) {
                weights[source] = random.nextInt(8) == 0 ? 0 : weights[source];
            }
            long ramp = phases.isEmpty() || random.nextBoolean() ? 0 : random.nextInt(most + most / 4);
            phases.add(new MixturePhase(1 + random.nextInt(most), weights, ramp));
        }
        return phases;
    }

    @Property(tries = 60)
    void turnsAndCountsAreThoseOfAWalkWithCounters(
            @ForAll long seed,
            @ForAll @IntRange(min = 1, max = 20) int sources,
            @ForAll @IntRange(max = 40) int jitter) {
        Mixture mixture = new Mixture(randomPhases(new Random(seed), sources, 400), jitter, seed);
        long[] counters = new long[sources];
        for (long position = 0; position < mixture.positions(); position++) {
            assertThat(mixture.counts(position)).as("before %s", position).isEqualTo(counters);
            Mixture.Turn turn = mixture.at(position);
            assertThat(turn.count()).as("at %s", position).isEqualTo(counters[turn.source()]++);
        }
        assertThat(mixture.counts(mixture.positions())).isEqualTo(counters);
    }

    @Property(tries = 60)
    void countsStayNearTheirTargets(
            @ForAll long seed,
            @ForAll @IntRange(min = 1, max = 30) int sources,
            @ForAll @IntRange(max = 30) int jitter) {
        List<MixturePhase> phases = randomPhases(new Random(seed), sources, 1000);
        Mixture mixture = new Mixture(phases, seed % 2 == 0 ? 0 : jitter, seed);
        MixtureOracle oracle = new MixtureOracle(phases);
        long[] counts = new long[sources];
        for (long position = 0; position < mixture.positions(); position++) {
            int phase = oracle.phase();
            double most = (phases.get(phase).ramp() == 0 ? 1.3 : 3) + (seed % 2 == 0 ? 0 : jitter);
            assertThat(oracle.deviation(counts)).as("at %s", position).isLessThanOrEqualTo(most);
            counts[mixture.at(position).source()]++;
            oracle.advance();
            if (oracle.phase() != phase) {
                counts = new long[sources];
            }
        }
    }

    @Property(tries = 12)
    void countsOfUpToAThousandSourcesStayWithinTheBoundAtFarPositions(
            @ForAll long seed, @ForAll @IntRange(min = 1, max = 1000) int sources) {
        long[] weights = MixtureShapeTest.randomWeights(new Random(seed), sources);
        Mixture mixture = mixture(new MixturePhase(OPEN, weights, 0));
        BigInteger sum = BigInteger.valueOf(Arrays.stream(weights).sum());
        for (long start : new long[] {0, 10_000_000_000L, 1L << 60, Mixture.MOST_POSITIONS - 200}) {
            long[] counts = mixture.counts(start);
            for (long position = start; position < start + 200; position++) {
                for (int source = 0; source < sources; source++) {
                    BigInteger off = BigInteger.valueOf(counts[source])
                            .multiply(sum)
                            .subtract(BigInteger.valueOf(position).multiply(BigInteger.valueOf(weights[source])));
                    assertThat(off.doubleValue() / sum.doubleValue()).isCloseTo(0, within(1.3));
                }
                Mixture.Turn turn = mixture.at(position);
                assertThat(turn.count()).isEqualTo(counts[turn.source()]++);
            }
            assertThat(mixture.counts(start + 200)).isEqualTo(counts);
        }
    }

    @Test
    void aLightSourceBesideHeavyOnesGetsItsShare() {
        Mixture mixture = mixture(phase(OPEN, 0, 9000, 999, 1, 0));

        assertThat(mixture.counts(10_000)).containsExactly(9000, 999, 1, 0);
        assertThat(mixture.counts(10_000_000_000L)).containsExactly(9_000_000_000L, 999_000_000, 1_000_000, 0);
        assertThat(mixture(phase(7, 0, 0, 5)).at(6)).isEqualTo(new Mixture.Turn(1, 6));
    }

    @Test
    void aRampLeadsFromTheOldSharesToTheNewOnes() {
        // The mean share of source 0 over the ramp is a half; each source gets half of the samples on the way.
        Mixture mixture = mixture(phase(1000, 0, 1, 0), phase(OPEN, 100_000, 0, 1));

        long[] middle = mixture.counts(1000 + 50_000);
        assertThat(middle[1]).isCloseTo(12_500, within(1L));
        assertThat(mixture.counts(1000 + 100_000)).containsExactly(51_000, 50_000);
        assertThat(mixture.counts(2000 + 100_000)).containsExactly(51_000, 51_000);
    }

    @Test
    void aRampWithOnePositionInEachStepDoesNotForgetLightSources() {
        // Each step is so short that its own target of a light source is rounded to 0.
        long[] from = new long[100];
        long[] to = new long[100];
        Arrays.fill(from, 1);
        Arrays.fill(to, 2);
        from[0] = 900;
        to[1] = 1800;
        Mixture mixture = mixture(new MixturePhase(1, from, 0), new MixturePhase(OPEN, to, 256));
        long[] counts = mixture.counts(1 + 256);

        assertThat(Arrays.stream(counts).skip(2).sum()).isCloseTo(98 * 256 / 999, within(3L));
    }

    @Test
    void jitterPermutesTheTurnsOfEachWindow() {
        MixturePhase[] phases = {phase(1000, 0, 3, 2, 1), phase(1000, 300, 1, 1, 1)};
        Mixture even = mixture(phases);
        Mixture jittered = new Mixture(List.of(phases), 10, 42);
        int moved = 0;
        for (long start = 0; start < 2000; start += 10) {
            int[] expected = sources(even, start, start + 10);
            int[] found = sources(jittered, start, start + 10);
            moved += Arrays.equals(expected, found) ? 0 : 1;
            Arrays.sort(expected);
            Arrays.sort(found);
            assertThat(found).isEqualTo(expected);
        }
        assertThat(moved).isGreaterThan(150);
        assertThat(sources(new Mixture(List.of(phases), 10, 43), 0, 2000)).isNotEqualTo(sources(jittered, 0, 2000));
    }

    private static int[] sources(Mixture mixture, long from, long to) {
        return IntStream.range(0, (int) (to - from))
                .map(i -> mixture.at(from + i).source())
                .toArray();
    }

    @Test
    void positionsAreTheSameInAnyOrderAndFromAnyThread() {
        List<MixturePhase> phases = randomPhases(new Random(5), 9, 3000);
        int positions = (int) new Mixture(phases, 16, 1).positions();
        Mixture.Turn[] inOrder = new Mixture.Turn[positions];
        Mixture ordered = new Mixture(phases, 16, 1);
        for (int position = 0; position < positions; position++) {
            inOrder[position] = ordered.at(position);
        }
        Mixture shared = new Mixture(phases, 16, 1);

        boolean same = IntStream.range(0, 40_000).parallel().allMatch(i -> {
            int position = (int) (i * 7919L % positions);
            return shared.at(position).equals(inOrder[position]);
        });

        assertThat(same).isTrue();
    }

    @Property(tries = 60)
    void cuttingAPhaseAndAppendingSourcesChangesNoPositionBefore(
            @ForAll long seed, @ForAll @IntRange(max = 30) int jitter) {
        Random random = new Random(seed);
        Mixture mixture = new Mixture(randomPhases(random, 5, 300), jitter, seed);
        long cut = 1 + (long) (random.nextDouble() * (mixture.positions() - 1));
        List<MixturePhase> edited = new ArrayList<>();
        long left = cut;
        for (MixturePhase phase : mixture.phases()) {
            if (left > 0) {
                edited.add(new MixturePhase(
                        Math.min(left, phase.positions()), Arrays.copyOf(phase.weights(), 6), phase.ramp()));
            }
            left -= phase.positions();
        }
        edited.add(phase(OPEN, random.nextInt(100), 3, 1, 4, 1, 5, 9));
        Mixture changed = new Mixture(edited, jitter, seed);

        assertThat(mixture.firstDifference(changed)).isGreaterThanOrEqualTo(cut);
        assertThat(changed.firstDifference(mixture)).isEqualTo(mixture.firstDifference(changed));
        for (long position = 0; position < cut; position++) {
            assertThat(changed.at(position)).isEqualTo(mixture.at(position));
        }
        long[] counts = mixture.counts(cut);
        assertThat(changed.counts(cut)).isEqualTo(Arrays.copyOf(counts, 6));
    }

    @Property(tries = 300)
    void noPositionBeforeTheFirstDifferenceDiffers(@ForAll long seed, @ForAll @IntRange(max = 2) int jitter) {
        Random random = new Random(seed);
        Mixture one = new Mixture(fewPhases(random), jitter, 1);
        Mixture other = new Mixture(fewPhases(random), jitter, 1);
        long difference = one.firstDifference(other);

        assertThat(difference).isEqualTo(other.firstDifference(one));
        assertThat(difference == Long.MAX_VALUE).isEqualTo(one.equals(other));
        for (long position = 0; position < Math.min(difference, one.positions()); position++) {
            assertThat(one.at(position)).isEqualTo(other.at(position));
        }
    }

    private static List<MixturePhase> fewPhases(Random random) {
        List<MixturePhase> phases = new ArrayList<>();
        for (int number = 1 + random.nextInt(3); number > 0; number--) {
            phases.add(phase(
                    10 + 5 * random.nextInt(2),
                    phases.isEmpty() ? 0 : 20L * random.nextInt(2),
                    1,
                    1 + random.nextInt(2)));
        }
        return phases;
    }

    @Test
    void theFirstDifferenceIsComputedFromThePhases() {
        Mixture mixture = mixture(phase(100, 0, 8, 2), phase(OPEN, 50, 6, 4));

        assertThat(mixture.firstDifference(mixture(phase(100, 0, 4, 1), phase(OPEN, 50, 60, 40))))
                .isEqualTo(Long.MAX_VALUE);
        assertThat(mixture.firstDifference(mixture(phase(100, 0, 8, 2), phase(OPEN, 51, 6, 4))))
                .isEqualTo(100);
        assertThat(mixture.firstDifference(mixture(phase(100, 0, 8, 2), phase(70, 50, 6, 4))))
                .isEqualTo(170);
        assertThat(mixture.firstDifference(mixture(phase(90, 0, 8, 2), phase(OPEN, 50, 6, 4))))
                .isEqualTo(90);
        assertThat(mixture.firstDifference(mixture(phase(100, 0, 8, 2)))).isEqualTo(100);
        assertThat(mixture.firstDifference(mixture(phase(OPEN, 0, 8, 3)))).isZero();
        assertThat(mixture.firstDifference(new Mixture(mixture.phases(), 4, 42)))
                .isZero();
        assertThat(new Mixture(mixture.phases(), 4, 42).firstDifference(new Mixture(mixture.phases(), 4, 43)))
                .isZero();
        assertThat(mixture.firstDifference(new Mixture(mixture.phases(), 1, 43)))
                .isEqualTo(Long.MAX_VALUE);
    }

    @Property(tries = 60)
    void exhaustionIsThatOfAWalk(
            @ForAll long seed, @ForAll @IntRange(max = 20) int jitter, @ForAll @IntRange(max = 3) int rounds) {
        Random random = new Random(seed);
        Mixture mixture = new Mixture(randomPhases(random, 4, 200), jitter, seed);
        long[] sizes = random.longs(4, 0, 150).toArray();
        int[] repeats = {rounds, rounds, 1, 2};
        long[] left =
                IntStream.range(0, 4).mapToLong(i -> sizes[i] * repeats[i]).toArray();
        Mixture.Exhaustion expected = null;
        for (long position = 0; position < mixture.positions() && expected == null; position++) {
            int source = mixture.at(position).source();
            expected = left[source]-- == 0 ? new Mixture.Exhaustion(position, source) : null;
        }

        assertThat(mixture.exhausted(sizes, repeats).orElse(null)).isEqualTo(expected);
    }

    @Test
    void anOpenMixtureIsExhaustedFarAway() {
        Mixture mixture = mixture(phase(OPEN, 0, 1, 1));

        assertThat(mixture.exhausted(new long[] {1L << 40, 1L << 40}, new int[] {3, 4}))
                .contains(new Mixture.Exhaustion(6L << 40, 0));
        assertThat(mixture.exhausted(new long[] {1L << 40, 1L << 40}, new int[] {Integer.MAX_VALUE, Integer.MAX_VALUE}))
                .isEmpty();
    }

    @Test
    void aThousandSourcesInAHundredPhasesAreSerializedInAMegabyte() throws Exception {
        Random random = new Random(3);
        List<MixturePhase> phases = new ArrayList<>();
        for (int number = 0; number < 100; number++) {
            phases.add(phase(
                    1_000_000,
                    number == 0 ? 0 : 100,
                    random.longs(1000, 1, 1L << 50).toArray()));
        }
        Mixture mixture = new Mixture(phases, 0, 42);
        mixture.at(1_000_000);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(mixture);
        }

        assertThat(bytes.size()).isLessThanOrEqualTo(1_000_000);
        Mixture copy = read(bytes.toByteArray());
        assertThat(copy).isEqualTo(mixture).hasSameHashCodeAs(mixture);
        assertThat(copy.at(1_000_099)).isEqualTo(mixture.at(1_000_099));
    }

    private static Mixture read(byte[] bytes) throws IOException, ClassNotFoundException {
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
            return (Mixture) in.readObject();
        }
    }

    @Test
    void badArgumentsAreRefused() {
        assertThatThrownBy(() -> mixture()).hasMessage("a mixture has no phases; expected at least one");
        assertThatThrownBy(() -> mixture(phase(OPEN, 5, 1)))
                .hasMessage(
                        "phase 0 has a ramp of 5 positions; a ramp needs a phase before it, from whose weights it leads to"
                                + " the new ones");
        assertThatThrownBy(() -> mixture(phase(OPEN, 0, 1), phase(1, 0, 1)))
                .hasMessage("phase 0 has no end, and only the last of 2 phases may be open");
        assertThatThrownBy(() -> mixture(phase(1, 0, 1), phase(1, 0, 1, 2)))
                .hasMessage("phase 1 has weights of 2 sources, and phase 0 of 1");
        assertThatThrownBy(() -> mixture(phase(1L << 61, 0, 1), phase(1L << 61, 0, 1), phase(1, 0, 1)))
                .hasMessage("the phases have more than 2^62 positions with phase 2");
        assertThatThrownBy(() -> new Mixture(List.of(phase(1, 0, 1)), -1, 0))
                .hasMessage("the jitter is -1 positions; expected 0 to 65536");
        assertThatThrownBy(() -> phase(0, 0, 1)).hasMessage("a phase has 0 positions; expected 1 to 2^62, or no end");
        assertThatThrownBy(() -> phase(1, -1, 1)).hasMessage("a ramp has -1 positions; expected 0 to 2^62");
        assertThatThrownBy(() -> phase(1, 0, 1, -2)).hasMessage("the weight of source 1 is -2; expected 0 or more");
        assertThatThrownBy(() -> phase(1, 0, 0, 0))
                .hasMessage("a phase has no source with a weight above 0, of 2 sources");
        assertThatThrownBy(() -> phase(1, 0, 1L << 62, 1))
                .hasMessage("the sum of the weights exceeds 2^62 with source 1, whose weight is 1");
        assertThatThrownBy(() -> mixture(phase(3, 0, 1)).at(3)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> mixture(phase(3, 0, 1)).counts(4)).isInstanceOf(IndexOutOfBoundsException.class);
    }
}
