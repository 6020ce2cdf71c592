package io.millrace.diagnosis.ladder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.diagnosis.CapacityModel;
import io.millrace.diagnosis.Limit;
import io.millrace.diagnosis.Measurement;
import io.millrace.diagnosis.Observed;
import io.millrace.diagnosis.StageCost;
import io.millrace.diagnosis.Task;
import io.millrace.sample.SampleUnit;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LadderTest {
    /** The figures of the first article, in steps per second. */
    private static final Ladder ARTICLE = new Ladder(
            List.of(
                    rung("device", "", 3.45, 0.3),
                    rung("host", "transfer", 3.33, 0.3),
                    rung("after RandomMask", "pack", 3.23, 0.4),
                    rung("raw", "RandomMask", 1.72, 0.95),
                    rung("nothing", "read", 0.89, 0.97)),
            256);

    private static Rung rung(String cache, String above, @Nullable Double rate, @Nullable Double busy) {
        return new Rung(cache, above, rate, 0.01, busy, null);
    }

    @Test
    void eachDropIsChargedToTheStageBetween() {
        assertThat(ARTICLE.drops())
                .extracting(Ladder.Drop::stage)
                .containsExactly("transfer", "pack", "RandomMask", "read");
        assertThat(ARTICLE.drops().get(2).samplesPerSecond()).isCloseTo(1.51, within(1e-9));
        assertThat(ARTICLE.drops().get(2).share()).isCloseTo(0.89 / 1.72 - 0.89 / 3.23, within(1e-9));
        assertThat(ARTICLE.largest().orElseThrow().stage()).isEqualTo("read");
        assertThat(ARTICLE.ceiling()).hasValue(3.45);
    }

    @Test
    void unmeasuredRungIsLeftOut() {
        Ladder ladder = new Ladder(
                List.of(
                        rung("device", "", null, null),
                        rung("host", "transfer", 100.0, null),
                        rung("raw", "pack", null, null),
                        rung("nothing", "read", 60.0, null)),
                8);

        assertThat(ladder.drops()).singleElement().satisfies(drop -> {
            assertThat(drop.stage()).isEqualTo("read");
            assertThat(drop.samplesPerSecond()).isEqualTo(40);
            assertThat(drop.coresFull()).isFalse();
        });
        assertThat(ladder.ceiling()).isEmpty();
        assertThat(LadderText.lines(ladder, SampleUnit.IMAGES, Optional.empty()).get(1))
                .contains("device")
                .contains("-")
                .doesNotContain("0.0");
    }

    /** As measured at a load of 20: a rung was faster than the one above it, and another stage had 254 % of the time. */
    @Test
    void rungsInTheWrongOrderAreNoMeasure() {
        Ladder ladder = new Ladder(
                List.of(
                        rung("device", "", 30.0, 0.5),
                        rung("host", "transfer", 12.0, 0.5),
                        rung("after Resize", "pack", 48.0, 0.5),
                        rung("raw", "Resize", 20.0, 0.5),
                        rung("nothing", "read", 22.0, 0.5)),
                8);

        assertThat(ladder.ordered()).isFalse();
        assertThat(ladder.largest()).isEmpty();
        assertThat(LadderText.sentence(ladder, Optional.empty()))
                .startsWith("which stage costs the most time is uncertain, because rungs were faster")
                .contains("the machine was too busy")
                .doesNotContain("transfer");
        assertThat(ARTICLE.ordered()).isTrue();
    }

    /** As measured with conf/text.yaml at a load of 7. */
    @Test
    void rungAboveAMuchFasterOneIsMeasuredAgain() {
        Ladder ladder = new Ladder(
                List.of(
                        rung("packed", "network", 116.0, 1.0),
                        rung("after pack_sequences", "pack", 76.7, 1.0),
                        rung("after tokenize", "pack_sequences", 127.0, 1.0),
                        rung("nothing", "tokenize", 81.0, 1.0)),
                8);

        assertThat(ladder.doubtful(Set.of(), Optional.of("tokenize")))
                .map(Rung::cache)
                .hasValue("after pack_sequences");
        assertThat(ladder.doubtful(Set.of("after pack_sequences"), Optional.of("tokenize")))
                .as("it is as slow as before, and has the largest drop")
                .isEmpty();
    }

    @Test
    void largestDropIsMeasuredAgainUnlessTheStagesOwnTimesNameItsStage() {
        assertThat(ARTICLE.doubtful(Set.of(), Optional.of("read"))).isEmpty();
        assertThat(ARTICLE.doubtful(Set.of(), Optional.of("RandomMask")))
                .map(Rung::cache)
                .hasValue("nothing");
        assertThat(ARTICLE.doubtful(Set.of(), Optional.empty())).isPresent();
        assertThat(ARTICLE.doubtful(Set.of("nothing"), Optional.of("RandomMask")))
                .isEmpty();
    }

    @Test
    void smallDropsNameNoStage() {
        Ladder ladder = new Ladder(
                List.of(
                        rung("device", "", 100.0, 0.5),
                        rung("host", "transfer", 98.0, 0.5),
                        rung("nothing", "read", 99.0, 0.5)),
                8);

        assertThat(ladder.largest()).isEmpty();
        assertThat(LadderText.lines(ladder, SampleUnit.IMAGES, Optional.empty()))
                .last()
                .asString()
                .contains("the trainer is the limit");
    }

    private static String sentence(Limit.Kind kind, String culprit) {
        return LadderText.sentence(ARTICLE, Optional.of(new Limit(kind, culprit, 1)));
    }

    @Test
    void sentenceSaysHowItFitsToTheVerdict() {
        assertThat(sentence(Limit.Kind.STORAGE, "read"))
                .startsWith("read costs the most time: ")
                .doesNotContain("own times");
        assertThat(sentence(Limit.Kind.OTHERS, "other programs"))
                .contains("of the time per sample, a part of it while other programs had its core");
        assertThat(sentence(Limit.Kind.COLLECTIONS, "garbage collection"))
                .contains("while garbage collections stopped it");
        assertThat(sentence(Limit.Kind.SLOTS, "RandomMask"))
                .contains(
                        "; the stages' own times show RandomMask as the limit: trust neither before you know why they differ");
        assertThat(sentence(Limit.Kind.EVALUATION, "evaluate"))
                .as("the ladder runs without evaluation")
                .doesNotContain("own times");
    }

    @Test
    void shortTableHasTheThroughputsAndTheTimes() {
        assertThat(LadderText.lines(ARTICLE, SampleUnit.IMAGES, Optional.empty()))
                .containsExactly(
                        "  cached            images/s   CPU  next stage  time",
                        "  device                 3.5  30 %  -              -",
                        "  host                   3.3  30 %  transfer     1 %",
                        "  after RandomMask       3.2  40 %  pack         1 %",
                        "  raw                    1.7  95 %  RandomMask  24 %",
                        "  nothing                0.9  97 %  read        48 %",
                        "read costs the most time: 48 % of the time per sample",
                        "all cores were in use, so any other stage would have shown a drop, too");
    }

    @Test
    void tableOfSequencesSaysWhatReadDoes() {
        String note =
                "read chooses the documents of each sequence, reads them, and counts the tokens of later ones that are not counted"
                        + " yet; pack_sequences joins their tokens";

        assertThat(LadderText.lines(ARTICLE, SampleUnit.sequences(60), Optional.empty()))
                .contains(note);
        assertThat(LadderText.allFigures(ARTICLE, SampleUnit.sequences(60), Optional.empty()))
                .contains(note);
        assertThat(LadderText.lines(ARTICLE, SampleUnit.IMAGES, Optional.empty()))
                .doesNotContain(note);
    }

    @Test
    void shortTableSaysWhetherTheModelDiffers() {
        Ladder ladder = new Ladder(
                List.of(
                        new Rung("device", "", 100.0, 0.01, 0.5, 101.0),
                        new Rung("nothing", "read", 60.0, 0.01, 0.5, 90.0)),
                8);
        assertThat(LadderText.lines(ladder, SampleUnit.IMAGES, Optional.empty()))
                .endsWith("1 of 2 rates differs by more than a quarter from what the times of the stages predict"
                        + " (--verbose)");
        assertThat(LadderText.allFigures(ladder, SampleUnit.IMAGES, Optional.empty())
                        .get(2))
                .endsWith("90.0  differs");
    }

    @Test
    void sentenceMentionsFullCores() {
        assertThat(LadderText.allFigures(ARTICLE, SampleUnit.IMAGES, Optional.empty())
                        .get(4))
                .contains("raw", "1.7", "95 %", "RandomMask", "1.5", "24 %");
        assertThat(LadderText.sentence(ARTICLE, Optional.empty()))
                .contains("read costs the most time: 48 %", "all cores were in use");
    }

    @Test
    void modelledRungContainsOnlyTheStagesAfterItsBorder() {
        Task chain = new Task(
                "decode",
                2,
                List.of(
                        new StageCost("decode", 1, 0.008, 0.008),
                        new StageCost("crop", 1, 0.001, 0.001),
                        new StageCost("pack", 1, 0.001, 0.001)));
        Task trainer = new Task(
                "train", 1, List.of(new StageCost("transfer", 1, 0.0005, 0.0), new StageCost("train", 1, 0.0005, 0.0)));
        Task read = new Task("read", 8, List.of(new StageCost("read", 1, 0.001, 0.0)));
        CapacityModel model = new CapacityModel(List.of(read, chain), trainer, null, List.of());
        List<Border> borders = List.of(
                new Border("device", "", 2),
                new Border("host", "transfer", 2),
                new Border("packed", "network", 2),
                new Border("after crop", "pack", 2),
                new Border("decoded", "crop", 1),
                new Border("raw", "decode", 0),
                new Border("nothing", "read", 0));
        ModelledRungs modelled = new ModelledRungs(new Measurement(1, model, Observed.NOTHING, List.of()), borders);

        assertThat(borders.stream().map(border -> modelled.rate(border).orElseThrow()))
                .usingElementComparator((a, b) -> Math.abs(a - b) < 1e-6 ? 0 : Double.compare(a, b))
                .containsExactly(2_000.0, 1_000.0, 1_000.0, 1_000.0, 1_000.0, 200.0, 200.0);
    }

    /** The link to an asynchronous device is no part of the trainer's work, but it limits the rung that copies. */
    @Test
    void linkLimitsTheRungThatCopies() {
        Task trainer = new Task("train", 1, List.of(new StageCost("train", 1, 0.0005, 0.0)));
        CapacityModel model =
                new CapacityModel(List.of(), trainer, null, List.of(new Limit(Limit.Kind.LINK, "transfer", 500)));
        List<Border> borders = List.of(new Border("device", "", 2), new Border("host", "transfer", 2));
        ModelledRungs modelled = new ModelledRungs(new Measurement(1, model, Observed.NOTHING, List.of()), borders);

        assertThat(borders.stream().map(border -> modelled.rate(border).orElseThrow()))
                .containsExactly(2_000.0, 500.0);
    }

    @Test
    void agreementDependsOnTheDistanceToTheModel() {
        assertThat(new Rung("raw", "decode", 100.0, null, null, 120.0).agreement())
                .isEqualTo(Rung.Agreement.AGREES);
        assertThat(new Rung("raw", "decode", 100.0, null, null, 130.0).agreement())
                .isEqualTo(Rung.Agreement.DIFFERS);
        assertThat(new Rung("raw", "decode", 100.0, null, null, null).agreement())
                .isEqualTo(Rung.Agreement.UNKNOWN);
    }
}
