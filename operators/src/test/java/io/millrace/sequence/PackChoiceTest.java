package io.millrace.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.sample.Counted;
import java.util.List;
import org.junit.jupiter.api.Test;

class PackChoiceTest {
    private static final int SAMPLE = 30_000;

    @Test
    void orderOfArrivalIsChosenWhereItFillsAsWell() {
        PackChoice choice = auto(8192, LengthSamples.WEB.lengths(SAMPLE, 1));
        assertThat(choice.rule().policy()).isEqualTo(PackPolicy.BEST_FIT);
        assertThat(choice.rule().window()).isLessThanOrEqualTo(4096);
        assertThat(choice.fill().orElseThrow()).isGreaterThanOrEqualTo(PackChoice.TARGET);
        assertThat(choice.reason())
                .startsWith("best_fit in windows of " + Counted.of(choice.rule().window(), "document")
                        + " fills packs of 8,192 tokens to 99.")
                .contains("% (best_fit_decreasing: 99.")
                .endsWith(" %), by the lengths of 30,000 documents");
    }

    @Test
    void longestFirstIsChosenWhereOrderOfArrivalFillsLess() {
        PackChoice choice = auto(2048, LengthSamples.CHATS.lengths(SAMPLE, 1));
        assertThat(choice.rule().policy()).isEqualTo(PackPolicy.BEST_FIT_DECREASING);
        assertThat(choice.rule().window()).isEqualTo(1024);
        assertThat(choice.fill().orElseThrow()).isGreaterThanOrEqualTo(PackChoice.TARGET);
    }

    @Test
    void largeWindowIsChosenWhereAPackHoldsManyDocuments() {
        PackChoice choice = auto(32_768, LengthSamples.CHATS.lengths(SAMPLE, 1));
        assertThat(choice.rule().window()).isEqualTo(16_384);
        assertThat(choice.fill().orElseThrow()).isGreaterThanOrEqualTo(PackChoice.TARGET);
    }

    @Test
    void bestFillIsChosenWhereNoneIsGood() {
        int[] lengths = {600, 600, 600, 600, 600, 600};
        PackChoice choice = PackChoice.choose(
                1000, Overlong.SPLIT, PackChoice.WINDOWS, PackChoice.POLICIES, lengths, lengths.length);
        assertThat(choice.rule()).isEqualTo(new PackRule(1000, PackPolicy.BEST_FIT, 1024, Overlong.SPLIT));
        assertThat(choice.fill()).hasValue(0.6);
        assertThat(choice.reason())
                .isEqualTo("best_fit in windows of 1,024 documents fills packs of 1,000 tokens to 60.00 %"
                        + " (best_fit_decreasing: 60.00 %), by the lengths of 6 documents");
    }

    @Test
    void wholeDatasetIsPackedAsItIs() {
        int[] lengths = {500, 500, 1000};
        PackChoice choice = PackChoice.choose(
                1000, Overlong.SPLIT, PackChoice.WINDOWS, PackChoice.POLICIES, lengths, lengths.length);
        assertThat(choice.fill()).hasValue(1);
    }

    @Test
    void valuesOfTheUserAreKept() {
        PackChoice choice = PackChoice.choose(
                2048,
                Overlong.SPLIT,
                List.of(100),
                List.of(PackPolicy.CONCAT),
                LengthSamples.CHATS.lengths(1000, 1),
                1_000_000);
        assertThat(choice.rule()).isEqualTo(new PackRule(2048, PackPolicy.CONCAT, 100, Overlong.SPLIT));
        assertThat(choice.reason())
                .startsWith("concat in windows of 100 documents fills packs of 2,048 tokens to 9")
                .endsWith(" %, by the lengths of 1,000 documents");
    }

    @Test
    void oneOfAThingIsNotNamedInThePlural() {
        PackChoice choice =
                PackChoice.choose(1, Overlong.SPLIT, List.of(1), List.of(PackPolicy.BEST_FIT), new int[] {1}, 1);
        assertThat(choice.reason())
                .isEqualTo(
                        "best_fit in windows of 1 document fills packs of 1 token to 100.00 %, by the lengths of 1 document");
    }

    @Test
    void sampleWithoutTokensHasNoFill() {
        for (int[] lengths : new int[][] {{}, {-1, 0, -1}}) {
            PackChoice choice = auto(2048, lengths);
            assertThat(choice.fill()).isEmpty();
            assertThat(choice.rule().policy()).isEqualTo(PackPolicy.BEST_FIT);
            assertThat(choice.reason())
                    .isEqualTo(
                            "best_fit in windows of 1,024 documents, because no document of the sample has tokens to choose by");
        }
    }

    @Test
    void noCandidatesAreRefused() {
        assertThatThrownBy(() -> PackChoice.choose(8, Overlong.SPLIT, List.of(), PackChoice.POLICIES, new int[1], 1))
                .hasMessageStartingWith("expected at least one window and one policy");
    }

    private static PackChoice auto(int length, int[] sample) {
        return PackChoice.choose(length, Overlong.SPLIT, PackChoice.WINDOWS, PackChoice.POLICIES, sample, 10_000_000);
    }
}
