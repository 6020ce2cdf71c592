package io.millrace.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.order.EpochOrder;
import io.millrace.order.Shuffle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ForkJoinPool;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.apache.commons.lang3.SerializationUtils;
import org.junit.jupiter.api.Test;

class SequencePlanTest {
    private static final List<Shuffle> SHUFFLES = List.of(Shuffle.NONE, Shuffle.FULL, new Shuffle.Blocks(8, 3));

    @Property(tries = 150)
    void roundHasEachPackOnceInAnyOrderOfSeeks(
            @ForAll("rules") PackRule any,
            @ForAll("windows") int[] wide,
            @ForAll long seed,
            @ForAll @IntRange(max = 2) int shuffle) {
        int[] lengths =
                Arrays.stream(wide).map(n -> Math.min(n, 20 * any.length())).toArray();
        PackRule rule = new PackRule(any.length(), any.policy(), 16, any.overlong());
        EpochOrder documents = new EpochOrder(seed, lengths.length, SHUFFLES.get(shuffle));
        SequencePlan plan = new PackCounter(documents, rule, new ArrayLengths(lengths)).count();
        PlannedPacks packs = new PlannedPacks(plan, new ArrayLengths(lengths));

        List<List<Slice>> first = round(packs, 0);
        for (int round = 1; round < 4; round++) {
            assertThat(round(packs, round)).containsExactlyInAnyOrderElementsOf(first);
        }
        assertThat(first.stream().flatMap(List::stream).mapToLong(Slice::length).sum())
                .isEqualTo(plan.totals().tokens());

        PlannedPacks others = new PlannedPacks(plan, new ArrayLengths(lengths));
        List<Integer> seeks =
                new ArrayList<>(IntStream.range(0, first.size()).boxed().toList());
        Collections.shuffle(seeks, new Random(seed));
        for (int number : seeks) {
            assertThat(others.pack(0, number)).isEqualTo(first.get(number));
        }
    }

    @Property(tries = 50)
    void packsOfADocumentAreThoseThatHaveItsTokens(
            @ForAll("rules") PackRule any,
            @ForAll("windows") int[] wide,
            @ForAll long seed,
            @ForAll @IntRange(max = 2) int shuffle) {
        int[] lengths =
                Arrays.stream(wide).map(n -> Math.min(n, 20 * any.length())).toArray();
        PackRule rule = new PackRule(any.length(), any.policy(), 16, any.overlong());
        EpochOrder documents = new EpochOrder(seed, lengths.length, SHUFFLES.get(shuffle));
        SequencePlan plan = new PackCounter(documents, rule, new ArrayLengths(lengths)).count();
        PlannedPacks packs = new PlannedPacks(plan, new ArrayLengths(lengths));
        for (int round = 0; round < 3; round++) {
            List<Set<Long>> expected = Stream.generate(() -> (Set<Long>) new HashSet<Long>())
                    .limit(lengths.length)
                    .toList();
            for (long number = 0; number < plan.packs(); number++) {
                SequencePlan.Place place = plan.place(round, number);
                assertThat(plan.number(round, place.window(), place.pack())).isEqualTo(number);
                for (Slice slice : packs.pack(round, number)) {
                    expected.get((int) slice.document()).add(number);
                }
            }
            for (int document = 0; document < lengths.length; document++) {
                assertThat(LongStream.of(packs.with(document).apply(round)).boxed())
                        .containsExactlyInAnyOrderElementsOf(expected.get(document));
            }
        }
    }

    @Provide
    static Arbitrary<PackRule> rules() {
        return WindowPackerTest.rules();
    }

    @Provide
    static Arbitrary<int[]> windows() {
        return WindowPackerTest.windows();
    }

    @Test
    void roundZeroVisitsTheWindowsInTheOrderOfTheDocuments() {
        Example example = new Example(3000, 16);
        long number = 0;
        for (int window = 0; window < example.plan.windows(); window++) {
            int packs = example.plan.place(0, number).packs();
            HashSet<Integer> inWindow = new HashSet<>();
            for (int i = 0; i < packs; i++) {
                SequencePlan.Place place = example.plan.place(0, number + i);
                assertThat(place.window()).isEqualTo(window);
                assertThat(place.first()).isEqualTo(number);
                inWindow.add(place.pack());
            }
            assertThat(inWindow).hasSize(packs);
            number += packs;
        }
        assertThat(number).isEqualTo(example.plan.packs());
    }

    @Test
    void laterRoundsVisitWholeWindowsInAnotherOrder() {
        Example example = new Example(3000, 16);
        List<List<Integer>> orders = new ArrayList<>();
        for (int round = 0; round < 3; round++) {
            List<Integer> windows = new ArrayList<>();
            long number = 0;
            while (number < example.plan.packs()) {
                SequencePlan.Place place = example.plan.place(round, number);
                assertThat(place.first()).isEqualTo(number);
                windows.add(place.window());
                number += place.packs();
            }
            assertThat(windows).doesNotHaveDuplicates().hasSize(example.plan.windows());
            orders.add(windows);
        }
        assertThat(orders).doesNotHaveDuplicates();
    }

    @Test
    void packsOfAWindowAreShuffledAnewInEachRound() {
        Example example = new Example(64, 64);
        List<List<Integer>> orders = new ArrayList<>();
        for (int round = 0; round < 4; round++) {
            int r = round;
            orders.add(LongStream.range(0, example.plan.packs())
                    .mapToObj(number -> example.plan.place(r, number).pack())
                    .toList());
        }
        assertThat(orders).doesNotHaveDuplicates();
    }

    @Test
    void packsStayInOrderWhereDocumentsAreNotShuffled() {
        ArrayLengths lengths = new ArrayLengths(LengthSamples.WEB.lengths(500, 1));
        EpochOrder documents = new EpochOrder(42, 500, Shuffle.NONE);
        PackRule rule = new PackRule(1000, PackPolicy.CONCAT, 16, Overlong.SPLIT);
        PlannedPacks packs = new PlannedPacks(new PackCounter(documents, rule, lengths).count(), lengths);
        assertThat(round(packs, 1)).isEqualTo(round(packs, 0));
        assertThat(round(packs, 0).stream().flatMap(List::stream).map(Slice::document))
                .isSorted();
    }

    @Test
    void countIsTheSameAtAnyParallelism() throws Exception {
        int[] lengths = LengthSamples.WEB.lengths(20_000, 3);
        EpochOrder documents = new EpochOrder(5, lengths.length, Shuffle.FULL);
        PackRule rule = new PackRule(2048, PackPolicy.BEST_FIT_DECREASING, 128, Overlong.SPLIT);
        SequencePlan plan = new PackCounter(documents, rule, new ArrayLengths(lengths)).count();
        for (int threads : new int[] {1, 2, 7}) {
            ForkJoinPool pool = new ForkJoinPool(threads);
            try {
                PackCounter counter = new PackCounter(documents, rule, new ArrayLengths(lengths));
                assertThat(pool.submit(counter::count).get()).isEqualTo(plan);
                assertThat(counter.counted()).isEqualTo(lengths.length);
            } finally {
                pool.shutdown();
            }
        }
    }

    @Test
    void threadsGetTheSamePacks() {
        Example example = new Example(3000, 16);
        List<List<Slice>> expected = round(example.packs, 1);
        PlannedPacks shared = new PlannedPacks(example.plan, example.lengths);
        List<List<Slice>> found = IntStream.range(0, expected.size())
                .parallel()
                .mapToObj(number -> shared.pack(1, number))
                .toList();
        assertThat(found).isEqualTo(expected);
    }

    @Test
    void serializedPlanFindsTheSamePlaces() {
        Example example = new Example(3000, 16);
        SequencePlan copy = SerializationUtils.clone(example.plan);
        assertThat(copy).isEqualTo(example.plan).hasSameHashCodeAs(example.plan);
        for (long number = 0; number < copy.packs(); number += 17) {
            assertThat(copy.place(2, number)).isEqualTo(example.plan.place(2, number));
        }
        // 4 bytes a window, and the rest of the plan
        assertThat(SerializationUtils.serialize(example.plan).length).isLessThan(4 * example.plan.windows() + 2000);
    }

    @Property(tries = 60)
    void windowsOfBadDocumentsHaveNoPacksAndEachOtherPackHasItsPlace(
            @ForAll long seed, @ForAll @IntRange(max = 2) int shuffle, @ForAll @IntRange(min = 1, max = 3) int window) {
        Random random = new Random(seed);
        int[] lengths = new int[300];
        Arrays.fill(lengths, DocumentLengths.BAD);
        random.ints(random.nextInt(20), 0, lengths.length).forEach(document -> lengths[document] = 1 + document % 9);
        EpochOrder documents = new EpochOrder(seed, lengths.length, SHUFFLES.get(shuffle));
        PackRule rule = new PackRule(4, PackPolicy.BEST_FIT, window, Overlong.SPLIT);
        SequencePlan plan = new PackCounter(documents, rule, new ArrayLengths(lengths)).count();
        PlannedPacks packs = new PlannedPacks(plan, new ArrayLengths(lengths));
        for (int round = 0; round < 3; round++) {
            List<Slice> slices =
                    round(packs, round).stream().flatMap(List::stream).toList();
            assertThat(slices.stream().mapToLong(Slice::length).sum())
                    .isEqualTo(Arrays.stream(lengths).filter(n -> n > 0).sum());
            assertThat(slices).allMatch(slice -> slice.length() > 0).doesNotHaveDuplicates();
            for (long number = 0; number < plan.packs(); number++) {
                SequencePlan.Place place = plan.place(round, number);
                assertThat(plan.number(round, place.window(), place.pack())).isEqualTo(number);
            }
        }
    }

    @Test
    void datasetWithoutDocumentsHasNoPacks() {
        EpochOrder documents = new EpochOrder(1, 0, Shuffle.FULL);
        SequencePlan plan = new PackCounter(documents, Example.RULE, new ArrayLengths()).count();
        assertThat(plan.packs()).isZero();
        assertThat(plan.windows()).isZero();
        assertThatThrownBy(() -> plan.place(0, 0)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void badArgumentsAreRefused() {
        Example example = new Example(100, 16);
        assertThatThrownBy(() -> example.plan.place(0, example.plan.packs()))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> example.plan.place(-1, 0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> new PlannedPacks(example.plan, new ArrayLengths(1, 2)))
                .hasMessage("the plan is for 100 documents, but there are lengths of 2");
        EpochOrder documents = example.plan.documents();
        assertThatThrownBy(() -> new PackCounter(documents, Example.RULE, new ArrayLengths(1)))
                .hasMessage("the order has 100 documents, but there are lengths of 1");
        PackRule rule = example.plan.rule();
        assertThatThrownBy(() -> new SequencePlan(documents, rule, new int[6], PackTotals.NONE))
                .hasMessage("expected the counts of 7 windows for 100 documents, found 6");
        int[] negative = {0, -1, 1, 0, 0, 0, 0};
        assertThatThrownBy(() -> new SequencePlan(documents, rule, negative, PackTotals.NONE))
                .hasMessage("expected 0 or more packs in window 1, found -1");
        int[] ones = new int[7];
        Arrays.fill(ones, 1);
        assertThatThrownBy(() -> new SequencePlan(documents, rule, ones, PackTotals.NONE))
                .hasMessage("expected 0 packs in all windows, found 7");
    }

    @Test
    void moreWindowsThanAnArrayHoldsAreRefused() {
        EpochOrder documents = new EpochOrder(1, Integer.MAX_VALUE - 8L, Shuffle.NONE);
        assertThatThrownBy(() -> SequencePlan.windows(documents, 1))
                .hasMessage("windows of 1 document are too small for 2,147,483,639 documents");
    }

    @Test
    void changedLengthsAreNoticed() {
        Example example = new Example(100, 16);
        int[] changed = new int[100];
        Arrays.fill(changed, 1000);
        PlannedPacks packs = new PlannedPacks(example.plan, new ArrayLengths(changed));
        assertThatThrownBy(() -> packs.pack(0, 0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(
                        "the lengths of the documents have changed since they were counted: window 0 had");
    }

    private static List<List<Slice>> round(PlannedPacks packs, int round) {
        return LongStream.range(0, packs.size())
                .mapToObj(number -> packs.pack(round, number))
                .toList();
    }

    /** Packs of 1,000 tokens of documents with lengths as on the web. */
    private static final class Example {
        static final PackRule RULE = new PackRule(1000, PackPolicy.BEST_FIT, 16, Overlong.SPLIT);

        final ArrayLengths lengths;
        final SequencePlan plan;
        final PlannedPacks packs;

        Example(int documents, int window) {
            lengths = new ArrayLengths(LengthSamples.WEB.lengths(documents, 1));
            PackRule rule = new PackRule(RULE.length(), RULE.policy(), window, RULE.overlong());
            plan = new PackCounter(new EpochOrder(42, documents, Shuffle.FULL), rule, lengths).count();
            packs = new PlannedPacks(plan, lengths);
        }
    }
}
