package io.millrace.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.millrace.order.EpochOrder;
import io.millrace.order.Shuffle;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PackFillTest {
    private static final EpochOrder ORDER = new EpochOrder(3, 4000, Shuffle.FULL);

    /** The length of each document. */
    private final int[] lengths = new Random(1).ints(4000, 10, 100).toArray();

    private static PackTotals totals(PackRule rule, int[] lengths) {
        return new PackCounter(ORDER, rule, new ArrayLengths(lengths)).count().totals();
    }

    /** Returns the lengths in the order in which the documents are packed. */
    private static int[] ordered(int[] lengths) {
        return IntStream.range(0, lengths.length)
                .map(place -> lengths[(int) ORDER.index(0, place)])
                .toArray();
    }

    private static PackFill fill(PackRule rule, boolean automatic, int[] lengths) {
        return PackFill.of(rule, totals(rule, lengths), automatic, ordered(lengths), lengths.length, lengths.length);
    }

    @Test
    void policyNoneIsComparedWithThePacksThatTheAutomaticChoiceMakes() {
        PackFill found = fill(new PackRule(128, PackPolicy.NONE, 16, Overlong.SPLIT), false, lengths);

        assertThat(found.tokens()).isEqualTo(Arrays.stream(lengths).average().orElseThrow());
        assertThat(found.fill()).isBetween(0.4, 0.45);
        assertThat(found.documents()).isEqualTo(1);
        assertThat(found.split()).isZero();
        PackFill.Fuller fuller = Objects.requireNonNull(found.fuller());
        PackChoice choice = PackChoice.choose(
                128, Overlong.SPLIT, PackChoice.WINDOWS, PackChoice.POLICIES, ordered(lengths), lengths.length);
        double packs = totals(choice.rule(), lengths).packs();
        assertThat(fuller.steps()).isCloseTo(packs / lengths.length, within(1e-12)); // 4,000 packs without packing
        assertThat(fuller.policy()).isEqualTo(choice.rule().policy().word());
        assertThat(fuller.cuts()).isFalse();
        assertThat(found.remedy()).hasValueSatisfying(text -> assertThat(text)
                .matches("filled to 4\\d[.]\\d %: best_fit(_decreasing)? would fill 9\\d[.]\\d %,"
                        + " the same documents in 5\\d % fewer steps"));
    }

    @Test
    void fullPacksNeedNoRemedy() {
        PackChoice choice = PackChoice.choose(
                2048, Overlong.SPLIT, PackChoice.WINDOWS, PackChoice.POLICIES, ordered(lengths), lengths.length);
        PackFill found = fill(choice.rule(), true, lengths);

        assertThat(found.fill()).isGreaterThan(0.98);
        assertThat(found.remedy()).isEmpty();
        assertThat(fill(new PackRule(2048, PackPolicy.BEST_FIT, 1024, Overlong.SPLIT), false, lengths)
                        .fuller())
                .isNull();
    }

    @Test
    void documentsOfWhichNoTwoFitAreOnlyFilledByCuttingThem() {
        int[] long65 = new int[4000];
        Arrays.fill(long65, 65);
        PackRule rule = new PackRule(100, PackPolicy.BEST_FIT, 1024, Overlong.SPLIT);
        PackFill found = fill(rule, true, long65);

        assertThat(found.remedy())
                .hasValue(
                        "filled to 65.0 %: concat would fill 99.9 %, the same documents in 35 % fewer steps, but it cuts"
                                + " documents where a sequence ends");
        PackRule refusing = new PackRule(100, PackPolicy.BEST_FIT, 1024, Overlong.REFUSE);
        assertThat(fill(refusing, true, long65).remedy()).isEmpty();
    }

    @Test
    void documentsThatAreCutCountOnceAndAsSplit() {
        int[] each150 = new int[4000];
        Arrays.fill(each150, 150);
        PackFill found = fill(new PackRule(100, PackPolicy.CONCAT, 4000, Overlong.SPLIT), false, each150);

        assertThat(found.documents()).isCloseTo(100.0 / 150, within(1e-3));
        assertThat(found.split()).isEqualTo(1);
    }

    @Test
    void documentsWithoutTokensHaveNoRemedy() {
        int[] bad = new int[4000];
        Arrays.fill(bad, DocumentLengths.BAD);
        PackRule rule = new PackRule(100, PackPolicy.NONE, 4, Overlong.SPLIT);

        assertThat(fill(rule, false, bad).remedy()).isEmpty();
    }

    @Test
    void datasetsOfAMixtureCountByTheirPacks() {
        PackFill half = new PackFill(50, 100, 2, 0, new PackFill.Fuller("best_fit", false, 0.5));
        PackFill full = new PackFill(100, 100, 6, 0.5, null);

        PackFill mean = PackFill.mean(List.of(new PackFill.Share(half, 3), new PackFill.Share(full, 1)))
                .orElseThrow();
        assertThat(mean.tokens()).isEqualTo(62.5);
        assertThat(mean.documents()).isEqualTo(3);
        assertThat(mean.split()).as("3 of the 12 documents").isEqualTo(0.25);
        assertThat(mean.remedy())
                .hasValue("filled to 62.5 %: best_fit would fill 100.0 %, the same documents in 38 % fewer steps");
        assertThat(PackFill.mean(List.of(new PackFill.Share(half, 1), new PackFill.Share(full, 99)))
                        .orElseThrow()
                        .remedy())
                .isEmpty();
        assertThat(PackFill.mean(List.of())).isEmpty();
    }

    @Test
    void impossibleValuesAreRefused() {
        assertThatThrownBy(() -> new PackFill.Fuller("best_fit", false, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("between 0 and 1, found 1.0");
        assertThatThrownBy(() -> new PackFill(5, 0, 1, 0, null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a pack of at least 1, found 5.0 of 0.0");
        assertThatThrownBy(() -> new PackFill(5, 10, 1, 1.5, null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a split share between 0 and 1, found 1.0 and 1.5");
    }
}
