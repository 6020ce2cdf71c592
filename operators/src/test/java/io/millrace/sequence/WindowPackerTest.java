package io.millrace.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class WindowPackerTest {
    @Provide
    static Arbitrary<PackRule> rules() {
        return Combinators.combine(
                        Arbitraries.of(1, 2, 7, 64, 100, 1000),
                        Arbitraries.of(PackPolicy.values()),
                        Arbitraries.of(Overlong.values()))
                .as((length, policy, overlong) ->
                        new PackRule(length, policy, 4096, policy == PackPolicy.CONCAT ? Overlong.SPLIT : overlong));
    }

    @Provide
    static Arbitrary<int[]> windows() {
        return Arbitraries.oneOf(
                        Arbitraries.integers().between(-1, 5),
                        Arbitraries.integers().between(-1, 130),
                        Arbitraries.integers().between(0, 3000),
                        Arbitraries.of(0, 7, 64, 100, 128, 1000, 2000))
                .array(int[].class)
                .ofMinSize(1)
                .ofMaxSize(200);
    }

    @Property(tries = 2000)
    void eachTokenIsInOneSliceAndNoPackIsTooLong(@ForAll("rules") PackRule rule, @ForAll("windows") int[] lengths) {
        WindowPacker packer = new WindowPacker(rule);
        List<List<Slice>> packs = packs(packer, lengths);

        List<List<Slice>> parts = new ArrayList<>();
        Arrays.stream(lengths).forEach(length -> parts.add(new ArrayList<>()));
        for (List<Slice> pack : packs) {
            assertThat(pack).isNotEmpty();
            assertThat(pack.stream().mapToInt(Slice::length).sum()).isLessThanOrEqualTo(rule.length());
            assertThat(pack).isSortedAccordingTo(Comparator.comparingLong(Slice::document));
            pack.forEach(slice -> parts.get((int) slice.document()).add(slice));
        }
        PackTotals totals = packer.totals();
        for (int document = 0; document < lengths.length; document++) {
            int used = rule.used(lengths[document]);
            List<Slice> slices = parts.get(document);
            if (used == 0) {
                assertThat(slices).isEmpty();
                continue;
            }
            // With the policies that do not join documents, full packs come before the pack with the rest.
            int at = 0;
            for (Slice slice : slices) {
                assertThat(slice.from()).isEqualTo(at);
                assertThat(slice.length()).isPositive();
                at = slice.to();
            }
            assertThat(at).isEqualTo(used);
        }
        assertThat(totals)
                .isEqualTo(new PackTotals(
                        packs.size(),
                        packs.stream()
                                .flatMap(List::stream)
                                .mapToLong(Slice::length)
                                .sum(),
                        Arrays.stream(lengths).filter(n -> n > 0).asLongStream().sum() - totals.tokens(),
                        parts.stream().filter(slices -> slices.size() > 1).count(),
                        parts.stream().filter(List::isEmpty).count()));
    }

    @Property(tries = 200)
    void reusedMemoryDoesNotChangeAWindow(
            @ForAll("rules") PackRule rule, @ForAll("windows") int[] before, @ForAll("windows") int[] lengths) {
        WindowPacker used = new WindowPacker(rule);
        used.pack(before, before.length);
        assertThat(packs(used, lengths)).isEqualTo(packs(new WindowPacker(rule), lengths));
    }

    @Property(tries = 500)
    void documentsAreSplitOnlyWhereTheyAreLongOrJoined(
            @ForAll("rules") PackRule rule, @ForAll("windows") int[] lengths) {
        int room = 0;
        for (List<Slice> pack : packs(new WindowPacker(rule), lengths)) {
            for (Slice slice : pack) {
                boolean whole = slice.length() == Math.max(0, lengths[(int) slice.document()]);
                assertThat(whole
                                || rule.policy() == PackPolicy.CONCAT
                                || lengths[(int) slice.document()] > rule.length())
                        .isTrue();
            }
            int tokens = pack.stream().mapToInt(Slice::length).sum();
            room += tokens < rule.length() ? 1 : 0;
        }
        if (rule.policy() == PackPolicy.CONCAT) {
            assertThat(room).isLessThanOrEqualTo(1);
        }
    }

    @Test
    void joinedDocumentsEndWhereAPackIsFull() {
        assertThat(packs(PackPolicy.CONCAT, 10, 4, 0, 6, -1, 13, 0))
                .containsExactly(
                        List.of(new Slice(0, 0, 4), new Slice(2, 0, 6)),
                        List.of(new Slice(4, 0, 10)),
                        List.of(new Slice(4, 10, 13)));
        assertThat(packs(PackPolicy.CONCAT, 10, 5, 5, 0, -1))
                .containsExactly(List.of(new Slice(0, 0, 5), new Slice(1, 0, 5)));
    }

    @Test
    void bestFitTakesDocumentsInOrderOfArrivalOrTheLongestFirst() {
        assertThat(packs(PackPolicy.BEST_FIT, 10, 4, 5, 6, 5))
                .containsExactly(
                        List.of(new Slice(0, 0, 4), new Slice(1, 0, 5)),
                        List.of(new Slice(2, 0, 6)),
                        List.of(new Slice(3, 0, 5)));
        assertThat(packs(PackPolicy.BEST_FIT_DECREASING, 10, 4, 5, 6, 5))
                .containsExactly(
                        List.of(new Slice(0, 0, 4), new Slice(2, 0, 6)),
                        List.of(new Slice(1, 0, 5), new Slice(3, 0, 5)));
    }

    @Test
    void longDocumentFillsPacksAndItsRestIsPacked() {
        assertThat(packs(PackPolicy.BEST_FIT, 10, 25, 5))
                .containsExactly(
                        List.of(new Slice(0, 0, 10)),
                        List.of(new Slice(0, 10, 20)),
                        List.of(new Slice(0, 20, 25), new Slice(1, 0, 5)));
    }

    @Test
    void documentWithoutTokensIsInNoPackAndAWindowOfThemHasNone() {
        for (PackPolicy policy : PackPolicy.values()) {
            assertThat(packs(policy, 10, -1, 0, -1)).as("%s", policy).isEmpty();
            assertThat(packs(policy, 10, -1, 6, 0)).as("%s", policy).containsExactly(List.of(new Slice(1, 0, 6)));
        }
    }

    @Test
    void emptyDocumentBesideFullPacksAddsNoPack() {
        assertThat(packs(PackPolicy.BEST_FIT, 10, 10, 0, 20))
                .containsExactly(
                        List.of(new Slice(0, 0, 10)), List.of(new Slice(2, 0, 10)), List.of(new Slice(2, 10, 20)));
    }

    @Test
    void longDocumentsAreCutOrRefusedWhereThatIsAskedFor() {
        PackRule cut = new PackRule(10, PackPolicy.BEST_FIT, 8, Overlong.CUT);
        WindowPacker packer = new WindowPacker(cut);
        assertThat(packs(packer, new int[] {25, 3}))
                .containsExactly(List.of(new Slice(0, 0, 10)), List.of(new Slice(1, 0, 3)));
        assertThat(packer.totals().unused()).isEqualTo(15);

        PackRule refuse = new PackRule(10, PackPolicy.BEST_FIT, 8, Overlong.REFUSE);
        assertThat(packs(new WindowPacker(refuse), new int[] {25, 3})).containsExactly(List.of(new Slice(1, 0, 3)));
        assertThat(refuse.refuses(25)).isTrue();
        assertThat(refuse.refuses(10)).isFalse();
        assertThat(cut.refuses(25)).isFalse();
    }

    @Test
    void longestDocumentNeedsNoMemoryForItsPacks() {
        for (PackPolicy policy : PackPolicy.values()) {
            WindowPacks packs = new WindowPacker(new PackRule(1, policy, 8, Overlong.SPLIT))
                    .pack(new int[] {Integer.MAX_VALUE - 1}, 1);
            assertThat(packs.size()).as("%s", policy).isEqualTo(Integer.MAX_VALUE - 1);
            assertThat(packs.slices(Integer.MAX_VALUE - 2, i -> 7))
                    .containsExactly(new Slice(7, Integer.MAX_VALUE - 2, Integer.MAX_VALUE - 1));
            packs = new WindowPacker(new PackRule(2048, policy, 8, Overlong.SPLIT))
                    .pack(new int[] {Integer.MAX_VALUE}, 1);
            assertThat(packs.size()).as("%s", policy).isEqualTo(1 << 20);
            assertThat(packs.slices((1 << 20) - 1, i -> 7))
                    .containsExactly(new Slice(7, Integer.MAX_VALUE - 2047, Integer.MAX_VALUE));
        }
    }

    @Test
    void windowWithTooManyPacksIsRefused() {
        WindowPacker packer = new WindowPacker(new PackRule(1, PackPolicy.NONE, 8, Overlong.SPLIT));
        assertThatThrownBy(() -> packer.pack(new int[] {Integer.MAX_VALUE, Integer.MAX_VALUE}, 2))
                .hasMessage("a window of 2 documents with 4294967294 tokens has more than 2^31 - 1 packs of 1 tokens:"
                        + " expected longer packs or a smaller window");
    }

    @Test
    void badRulesAreRefused() {
        assertThatThrownBy(() -> new PackRule(0, PackPolicy.NONE, 8, Overlong.SPLIT))
                .hasMessage("the length of a pack must be 1 to 16777216 tokens, found 0");
        assertThatThrownBy(() -> new PackRule(8, PackPolicy.NONE, 1 << 21, Overlong.SPLIT))
                .hasMessage("the window must be 1 to 1048576 documents, found 2097152");
        assertThatThrownBy(() -> new PackRule(8, PackPolicy.CONCAT, 8, Overlong.CUT))
                .hasMessageContaining("concat splits documents wherever a pack ends, so that long ones cannot be cut");
    }

    private static List<List<Slice>> packs(PackPolicy policy, int length, int... lengths) {
        return packs(new WindowPacker(new PackRule(length, policy, lengths.length, Overlong.SPLIT)), lengths);
    }

    private static List<List<Slice>> packs(WindowPacker packer, int... lengths) {
        WindowPacks packs = packer.pack(lengths, lengths.length);
        List<List<Slice>> all = new ArrayList<>();
        for (int pack = 0; pack < packs.size(); pack++) {
            all.add(packs.slices(pack, document -> document));
        }
        return all;
    }
}
