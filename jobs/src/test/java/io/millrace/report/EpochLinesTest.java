package io.millrace.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.order.SourceShares;
import io.millrace.sample.SampleUnit;
import io.millrace.sink.figures.EpochRecord;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EpochLinesTest {
    private final List<String> lines = new ArrayList<>();
    private final EpochLines epochs = new EpochLines(9L, SampleUnit.IMAGES, true, epoch -> List.of(), lines::add);

    private static EpochRecord epoch(int epoch) {
        return new EpochRecord(epoch, 2, 100, 0, null, null, null);
    }

    @Test
    void lineHasAllFigures() {
        EpochRecord all = new EpochRecord(1, 12.42, 180_338, 0.25, 0.04118, 0.0388, 0.98901);
        assertThat(EpochLines.line(all, 3L, SampleUnit.IMAGES))
                .isEqualTo(
                        "epoch 2/3  12.4 s  14,520 images/s  loss 0.0412  val loss 0.0388  accuracy 98.90 %  starved 2 %");
    }

    @Test
    void unknownIsLeftOut() {
        assertThat(EpochLines.line(new EpochRecord(0, 0, 0, 0, null, null, null), null, SampleUnit.ROWS))
                .isEqualTo("epoch 1  0.0 s");
    }

    @Test
    void eachEpochHasOneLineAlsoAfterItWasTrainedAgain() {
        epochs.show(List.of());
        epochs.show(List.of(epoch(2)));
        epochs.show(List.of(epoch(2), epoch(3)));
        epochs.show(List.of(epoch(2)));
        epochs.show(List.of(epoch(2), epoch(3), epoch(4)));
        assertThat(lines)
                .extracting(line -> line.substring(0, 9))
                .containsExactly("epoch 3/9", "epoch 4/9", "epoch 5/9");
    }

    @Test
    void epochsThatWereNeverReadAreSaid() {
        epochs.show(List.of(epoch(0)));
        epochs.show(List.of(epoch(2)));
        epochs.show(List.of(epoch(5)));
        assertThat(lines).element(1).isEqualTo("epoch 2 ended before its figures could be read");
        assertThat(lines).element(3).isEqualTo("epochs 4 to 5 ended before their figures could be read");
    }

    @Test
    void newRunSaysThatItsFirstEpochsWereNotRead() {
        new EpochLines(9L, SampleUnit.IMAGES, false, epoch -> List.of(), lines::add).show(List.of(epoch(2)));
        assertThat(lines).element(0).isEqualTo("epochs 1 to 2 ended before their figures could be read");
    }

    @ParameterizedTest
    @CsvSource({"0, 0.0 s", "1.249, 1.2 s", "42.4, 42 s", "59.7, 1 min 0 s", "200, 3 min 20 s", "7500, 2 h 5 min"})
    void durationsAreShort(double seconds, String text) {
        assertThat(Durations.text(seconds)).isEqualTo(text);
    }

    @Test
    void anEpochOfAMixtureHasTheSharesOfItsDatasets() {
        new EpochLines(
                        9L,
                        SampleUnit.IMAGES,
                        false,
                        epoch -> List.of(
                                new SourceShares.Share("web", 3, 0.25, 1),
                                new SourceShares.Share("code", 9, 0.75, 2.5)),
                        lines::add)
                .show(List.of(epoch(0)));
        assertThat(lines).singleElement().asString().endsWith("  code 75.0 %, web 25.0 %");
    }
}
