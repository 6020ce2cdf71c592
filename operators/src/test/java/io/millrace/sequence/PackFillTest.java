package io.millrace.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.millrace.order.EpochOrder;
import io.millrace.order.Shuffle;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PackFillTest {
    private static final EpochOrder ORDER = new EpochOrder(3, 4000, Shuffle.FULL);

    /** The lengths of documents by their places in the order. */
    private final int[] lengths = new Random(1).ints(4000, 10, 100).toArray();

    private SequencePlan plan(PackRule rule, int[] byPlace) {
        return new PackCounter(ORDER, rule, new DocumentLengths() {
                    @Override
                    public long size() {
                        return byPlace.length;
                    }

                    @Override
                    public int length(long document) {
                        return byPlace[(int) ORDER.place(0, document)];
                    }
                })
                .count();
    }

    private PackFill fill(PackRule rule, boolean automatic) {
        return PackFill.of(rule, plan(rule, lengths).totals(), automatic, lengths, lengths.length);
    }

    @Test
    void policyNoneIsComparedWithThePacksThatTheAutomaticChoiceMakes() {
        PackFill found = fill(new PackRule(128, PackPolicy.NONE, 16, Overlong.SPLIT), false);

        assertThat(found.tokens()).isEqualTo(Arrays.stream(lengths).average().orElseThrow());
        assertThat(found.fill()).isBetween(0.4, 0.45);
        PackFill.Fuller fuller = found.fuller();
        assertThat(fuller).isNotNull();
        PackChoice choice = PackChoice.choose(
                128, Overlong.SPLIT, PackChoice.WINDOWS, PackChoice.POLICIES, lengths, lengths.length);
        double packs = plan(choice.rule(), lengths).packs();
        assertThat(fuller.steps()).isCloseTo(packs / lengths.length, within(1e-12)); // 4,000 packs without packing
        assertThat(fuller.policy()).isEqualTo(choice.rule().policy().word());
        assertThat(fuller.cuts()).isFalse();
        assertThat(found.remedy())
                .hasValueSatisfying(text -> assertThat(text)
                        .matches("filled to 4\\d[.]\\d %: best_fit(_decreasing)? would fill 9\\d[.]\\d %,"
                                + " the same documents in 5\\d % fewer steps"));
    }

    @Test
    void fullPacksNeedNoRemedy() {
        PackChoice choice = PackChoice.choose(
                2048, Overlong.SPLIT, PackChoice.WINDOWS, PackChoice.POLICIES, lengths, lengths.length);
        PackFill found = fill(choice.rule(), true);

        assertThat(found.fill()).isGreaterThan(0.98);
        assertThat(found.remedy()).isEmpty();
        assertThat(fill(new PackRule(2048, PackPolicy.BEST_FIT, 1024, Overlong.SPLIT), false)
                        .fuller())
                .isNull();
    }

    @Test
    void documentsOfWhichNoTwoFitAreOnlyFilledByCuttingThem() {
        int[] long65 = new int[4000];
        Arrays.fill(long65, 65);
        PackRule rule = new PackRule(100, PackPolicy.BEST_FIT, 1024, Overlong.SPLIT);
        PackFill found = PackFill.of(rule, plan(rule, long65).totals(), true, long65, 4000);

        assertThat(found.remedy())
                .hasValue("filled to 65.0 %: concat would fill 99.9 %, the same documents in 35 % fewer steps, but it cuts"
                        + " documents where a sequence ends");
        PackRule refusing = new PackRule(100, PackPolicy.BEST_FIT, 1024, Overlong.REFUSE);
        assertThat(PackFill.of(refusing, plan(refusing, long65).totals(), true, long65, 4000)
                        .remedy())
                .isEmpty();
    }

    @Test
    void documentsWithoutTokensHaveNoRemedy() {
        int[] bad = new int[4000];
        Arrays.fill(bad, DocumentLengths.BAD);
        PackRule rule = new PackRule(100, PackPolicy.NONE, 4, Overlong.SPLIT);

        assertThat(PackFill.of(rule, plan(rule, bad).totals(), false, bad, 4000).remedy())
                .isEmpty();
    }

    @Test
    void datasetsOfAMixtureCountByTheirPacks() {
        PackFill half = new PackFill(50, 100, new PackFill.Fuller("best_fit", false, 0.5));
        PackFill full = new PackFill(100, 100, null);

        PackFill mean = PackFill.mean(List.of(new PackFill.Share(half, 3), new PackFill.Share(full, 1)))
                .orElseThrow();
        assertThat(mean.tokens()).isEqualTo(62.5);
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
        assertThatThrownBy(() -> new PackFill(5, 0, null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a pack of at least 1, found 5.0 of 0.0");
    }
}
