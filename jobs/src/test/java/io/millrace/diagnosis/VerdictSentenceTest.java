package io.millrace.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.sample.SampleUnit;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class VerdictSentenceTest {
    private static final Limit DECODE = new Limit(Limit.Kind.SLOTS, "decode", 1900);
    private static final Limit STEP = new Limit(Limit.Kind.TRAINING, "train", 3450);
    private static final Confidence HIGH = new Confidence(Confidence.Level.HIGH, "they agree");
    private static final Confidence LOW = new Confidence(Confidence.Level.LOW, "they differ");

    private static Verdict verdict(Confidence confidence, Limit... path) {
        return new Verdict(
                List.of(path),
                3450.0,
                2.0,
                new Observed(1900.0, 0.4, null, SampleUnit.ROWS, null),
                confidence,
                path.length < 2 ? null : new Prediction(2900, 3100, 3300),
                Map.of());
    }

    @Test
    void namesTheLimitOneThroughputAndTheOneWithoutTheLimit() {
        assertThat(VerdictSentence.of(verdict(HIGH, DECODE, STEP), null, null))
                .isEqualTo("limited by decode: 1,900 rows/s, about 3,100 without this limit");
    }

    @Test
    void steadyThroughputOfTheRunScalesThePrediction() {
        assertThat(VerdictSentence.of(verdict(HIGH, DECODE, STEP), 3800.0, null))
                .isEqualTo("limited by decode: 3,800 rows/s, about 6,200 without this limit");
    }

    @Test
    void nothingIsPromisedWhereTheLimitStays() {
        assertThat(VerdictSentence.of(verdict(HIGH, STEP), null, null))
                .isEqualTo("limited by train (the model itself): 1,900 rows/s");
    }

    @Test
    void anUncertainVerdictNamesNoLimit() {
        Verdict uncertain = verdict(LOW, DECODE, STEP);
        assertThat(VerdictSentence.certain(uncertain, null)).isEmpty();
        assertThat(VerdictSentence.of(uncertain, null, null))
                .isEqualTo("1,900 rows/s; what limits the run is uncertain: they differ");
        assertThat(VerdictSentence.of(uncertain, null, new CoreUse(2, 0.7, 1.3, 1, CoreSlowdown.UNKNOWN)))
                .isEqualTo("1,900 rows/s; what limits the run is uncertain: the machine was too busy, other programs"
                        + " used 1.3 of 2 cores");
    }
}
