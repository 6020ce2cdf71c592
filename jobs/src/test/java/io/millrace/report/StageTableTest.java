package io.millrace.report;

import static io.millrace.rest.StageReadingTest.stage;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.rest.StageReading;
import java.util.List;
import org.junit.jupiter.api.Test;

class StageTableTest {
    private static final List<StageReading> STAGES = List.of(
            stage("read", 2, 180_000, 210),
            stage("RandomResizedCrop", 2, 180_000, 9_400),
            StageReading.unknown("train"));

    @Test
    void columnsAreAlignedUnknownIsADashAndTheLimitIsMarked() {
        assertThat(StageTable.render(STAGES, 104, "RandomResizedCrop")).isEqualTo("""
                          stage              slots  samples  own ms  samples/s per slot  CPU ms  wait in ms  wait out ms  bad
                          read                   2  180,000     210             857,143     189           5            7    2
                        > RandomResizedCrop      2  180,000   9,400              19,149   8,460           5            7    2
                          train                  -        -       -                   -       -           -            -    -
                        """);
    }

    @Test
    void narrowTerminalLosesTheColumnsOfHighestRankFirst() {
        String table = StageTable.render(STAGES, 80, null);
        assertThat(table).contains("own ms", "bad").doesNotContain("wait out ms", "wait in ms");
        assertThat(table.lines()).allMatch(line -> line.length() <= 80);
    }

    @Test
    void nameAndRateStayOnTheNarrowestTerminal() {
        assertThat(StageTable.render(STAGES, 10, null).lines().findFirst())
                .hasValue("  stage              samples/s per slot");
    }

    @Test
    void figuresThatLackAPartOfTheRunAreMarked() {
        assertThat(StageTable.render(List.of(STAGES.get(0).markedAtLeast(), STAGES.get(1)), 80, "read"))
                .contains("> read *  ", "  RandomResizedCrop  ")
                .endsWith(
                        "  * at least: the figures before a restart, or of the last seconds on a cluster, are missing\n");
        assertThat(StageReading.unknown("read").markedAtLeast().atLeast())
                .as("no figure that could mislead")
                .isFalse();
    }

    /** The rows that were missing from batches are the bad samples of the other stages. */
    @Test
    void badSamplesAreNotShownAgainAtTheTrainer() {
        assertThat(StageTable.render(
                        List.of(stage("decode", 2, 180_000, 210), stage("train", 1, 179_998, 210)), 80, null))
                .contains("  5    2\n")
                .contains("  5    -\n");
    }

    @Test
    void withoutALimitNothingIsMarked() {
        assertThat(StageTable.render(List.of(StageReading.unknown("a"), StageReading.unknown("b")), 80, null))
                .doesNotContain(">");
    }
}
