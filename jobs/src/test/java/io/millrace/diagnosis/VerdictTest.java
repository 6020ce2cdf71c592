package io.millrace.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.diagnosis.Confidence.Level;
import io.millrace.metrics.CodeLine;
import io.millrace.metrics.CodeProfile;
import io.millrace.report.VerdictSummary;
import io.millrace.rest.StageReading;
import io.millrace.sample.SampleUnit;
import io.millrace.sequence.PackFill;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class VerdictTest {
    private static Task task(String name, int slots, double millis) {
        return new Task(name, slots, List.of(new StageCost(name, 1, millis / 1e3, millis / 1e3)));
    }

    private static CapacityModel model(double decodeMillis, double packMillis, double trainMillis) {
        return new CapacityModel(
                List.of(task("decode", 2, decodeMillis), task("pack", 2, packMillis)),
                task("train", 1, trainMillis),
                null,
                List.of());
    }

    @Test
    void lineNamesTheLimitTheSpeedAfterAFixTheNextLimitAndTheCeiling() {
        Verdict verdict = Verdict.of(model(1, 0.64, 0.29), new Observed(2_000.0, 0.44));

        assertThat(verdict.line())
                .isEqualTo(
                        "limited by decode: 2,000 samples/s; fixed 2,750 to 3,448, then pack; ceiling 3,448; starved 44 %");
        assertThat(verdict.confidence().level()).isEqualTo(Level.HIGH);
    }

    @Test
    void lineNamesTheCodeOfTheUserAndTheLineThatCostsMost() {
        CapacityModel model = new CapacityModel(
                List.of(task("python", 2, 1), task("pack", 2, 0.64)), task("train", 1, 0.29), 2.0, List.of());
        CodeProfile few = CodeProfile.of("augment:noise");
        CodeProfile many = few.plus(List.of(new CodeLine("augment.py", 31, "noise", "image += 1", 50)));

        assertThat(line(model, few)).startsWith("limited by python augment:noise (the 2 cores): 1,000 samples/s; ");
        assertThat(line(model, many))
                .startsWith("limited by python augment:noise (line 31, the 2 cores): 1,000 samples/s; ");
        assertThat(line(model.withCores(8), many))
                .startsWith("limited by python augment:noise (line 31): 1,000 samples/s; ");
    }

    @Test
    void lineNamesTheDatasetOfAMixtureThatReadingSpendsMostOfItsTimeOn() {
        CapacityModel model = new CapacityModel(
                List.of(task("read", 2, 1), task("pack", 2, 0.64)), task("train", 1, 0.29), 8.0, List.of());

        assertThat(line("read", model, CodeProfile.ofDatasets(Map.of("web", 290L, "code", 710L))))
                .startsWith("limited by read (code 71 % of the time): 1,000 samples/s; ");
    }

    private static String line(CapacityModel model, CodeProfile code) {
        return line("python", model, code);
    }

    private static String line(String stage, CapacityModel model, CodeProfile code) {
        Measurement measured = new Measurement(1, model, new Observed(1_000.0, 0.9), List.of());
        return measured.with(List.of(StageReading.unknown(stage).with(code), StageReading.unknown("pack")))
                .verdict()
                .line();
    }

    @Test
    void unmeasuredWorkStillCostsTimeAfterAFix() {
        Verdict verdict = Verdict.of(model(1, 0.5, 0.1), new Observed(1_600.0, 0.8));

        assertThat(verdict.next().orElseThrow().samplesPerSecond()).isEqualTo(3_200);
        assertThat(verdict.confidence().level()).isEqualTo(Level.MEDIUM);
    }

    /** One of four threads has a tenth of the speed of the others, which wait for it. */
    @Test
    void waitingForASlowSlotEndsWhenTheSlotIsFixed() {
        Task slow = new Task("decode", 4, 3.1, List.of(new StageCost("decode", 1, 0.004, 0.001)));
        CapacityModel model = new CapacityModel(List.of(slow), task("train", 1, 0.1), null, List.of());

        Verdict verdict = Verdict.of(model, new Observed(600.0, 0.9));

        assertThat(verdict.limit().orElseThrow().kind()).isEqualTo(Limit.Kind.STRAGGLER);
        Measurement measured = new Measurement(1, model, new Observed(600.0, 0.9), List.of());
        assertThat(measured.predicted(m -> m.without(verdict.limit().orElseThrow())))
                .hasValueSatisfying(
                        prediction -> assertThat(prediction.likely()).isEqualTo(1_000, within(1.0)));
    }

    @Test
    void predictionsStayBelowTheCeiling() {
        Verdict verdict = Verdict.of(model(1, 0.1, 0.4), new Observed(2_400.0, 0.1));

        assertThat(verdict.path())
                .allSatisfy(limit -> assertThat(limit.samplesPerSecond()).isLessThanOrEqualTo(2_500));
    }

    /** The slots are 1 % slower than the trainer. Faster slots would bring 3 %. */
    @Test
    void trainerThatHardlyWaitsIsTheLimit() {
        CapacityModel model = model(2.02, 0.1, 1);

        assertThat(Verdict.of(model, new Observed(970.0, 0.03)).line())
                .isEqualTo("limited by train (the model itself): 970 samples/s; ceiling 1,000; starved 3 %");
        assertThat(Verdict.of(model, new Observed(930.0, 0.07)).line())
                .startsWith("limited by decode: 930 samples/s; fixed 930 to 1,000, then train (the model itself)");
    }

    @Test
    void transferThatKeepsTheTrainerBusyIsNamedBeforeTheSlots() {
        Task trainer = new Task(
                "train", 1, List.of(new StageCost("transfer", 1, 8e-3, 7e-3), new StageCost("train", 1, 2e-3, 2e-3)));
        CapacityModel model = new CapacityModel(List.of(task("decode", 2, 20.2)), trainer, null, List.of());

        assertThat(Verdict.of(model, new Observed(99.0, 0.01)).path())
                .extracting(Limit::culprit)
                .containsExactly("transfer", "decode", "train");
    }

    /** Whatever the model computes, faster data could not bring more than the 1 % for which the trainer waits. */
    @Test
    void trainerThatHardlyWaitsIsTheLimitAlsoWhereItsModelIsFarFaster() {
        assertThat(Verdict.of(model(4, 0.1, 1), new Observed(500.0, 0.01))
                        .limit()
                        .orElseThrow()
                        .culprit())
                .isEqualTo("train");
    }

    @Test
    void busyStorageOfCheckpointsIsNamedBesideTheLimit() {
        CapacityModel model = model(2, 0.1, 0.5);

        assertThat(Verdict.of(model, new Observed(1_000.0, 0.5, 0.83, SampleUnit.SAMPLES, null))
                        .line())
                .startsWith("limited by decode: 1,000 samples/s; fixed ")
                .endsWith("; starved 50 %; storage of checkpoints busy 83 %");
        assertThat(Verdict.of(model, new Observed(1_000.0, 0.5, 0.4, SampleUnit.SAMPLES, null))
                        .line())
                .endsWith("; starved 50 %");
    }

    @Test
    void nothingComesAfterTrainingAsTheLimit() {
        Verdict verdict = Verdict.of(model(0.1, 0.1, 1), new Observed(990.0, 0.01));

        assertThat(verdict.line())
                .isEqualTo("limited by train (the model itself): 990 samples/s; ceiling 1,000; starved 1 %");
        assertThat(verdict.next()).isEmpty();
    }

    @Test
    void disagreementOfModelAndMeasurementIsReported() {
        Verdict verdict = Verdict.of(model(1, 0.1, 0.1), new Observed(500.0, 0.9));

        assertThat(verdict.confidence().level()).isEqualTo(Level.LOW);
        assertThat(verdict.line())
                .endsWith("uncertain: the model predicts 2,000 samples/s, 500 were measured")
                .contains("500 samples/s");
    }

    @Test
    void limitIsUnknownWithoutAMeasurement() {
        CapacityModel model = new CapacityModel(
                List.of(), new Task("train", 1, List.of(new StageCost("train", 1, null, null))), null, List.of());

        Verdict verdict = Verdict.of(model, Observed.NOTHING);

        assertThat(verdict.limit()).isEmpty();
        assertThat(verdict.line()).isEqualTo("limit unknown: too little has been measured");
    }

    @Test
    void singleCoreIsNamedInTheSingular() {
        CapacityModel model = new CapacityModel(List.of(task("decode", 2, 1)), task("train", 1, 0.1), 1.3, List.of());

        Verdict verdict = Verdict.of(model, new Observed(900.0, 0.5));

        assertThat(verdict.line()).startsWith("limited by decode (the only free core): 900 samples/s;");
        assertThat(Verdict.cores(2.4)).isEqualTo("the 2 cores");
    }

    @Test
    void limitOfTheCoresNamesTheirNumber() {
        CapacityModel model = new CapacityModel(List.of(task("decode", 8, 3)), task("train", 1, 0.5), 2.0, List.of());

        assertThat(Verdict.of(model, new Observed(570.0, 0.5)).line())
                .startsWith("limited by decode (the 2 cores): 570 samples/s; fixed 1,756 to 2,000, then train");
    }

    @Test
    void readOfPackedDocumentsSaysWhatItDoes() {
        CapacityModel model = new CapacityModel(
                List.of(task("read", 2, 1), task("pack", 2, 0.64)), task("train", 1, 0.29), 8.0, List.of());
        Observed packed = new Observed(990.0, 0.5, null, SampleUnit.sequences(60), new PackFill(60, 100, 3, 0, null));

        assertThat(Verdict.of(model, packed).line())
                .startsWith("limited by read (reading and packing of documents): 990 sequences/s, 59,400 tokens/s");
        assertThat(Verdict.of(model, new Observed(990.0, 0.5)).line()).startsWith("limited by read: 990 samples/s");
    }

    @Test
    void badlyFilledSequencesAreALineBesideTheVerdict() {
        PackFill bad = new PackFill(60, 100, 3, 0.125, new PackFill.Fuller("best_fit", false, 0.625));
        CapacityModel model = model(0.1, 0.1, 1);
        VerdictSummary summary = new Measurement(
                        1, model, new Observed(990.0, 0.01, null, SampleUnit.SAMPLES, bad), List.of())
                .summary(null);

        assertThat(summary.limit()).isEqualTo(CapacityModel.STEP);
        assertThat(summary.packsLines())
                .containsExactly(
                        "packs   60.0 % tokens, 40.0 % padding, 3.0 documents in each, 12.5 % of the documents split;"
                                + " 2,970 documents/s",
                        "packs   filled to 60.0 %: best_fit would fill 96.0 %, the same documents in 38 % fewer steps");
        assertThat(new ObjectMapper()
                        .<JsonNode>valueToTree(summary)
                        .get("packs")
                        .toString())
                .isEqualTo("{\"fill\":0.6,\"padding\":0.4,\"documents_per_sequence\":3.0,\"split_documents\":0.125,"
                        + "\"documents_per_s\":2970.0,\"policy\":\"best_fit\",\"fewer_steps\":0.375,\"remedy\":\"filled to 60.0 %: best_fit"
                        + " would fill 96.0 %, the same documents in 38 % fewer steps\"}");
        assertThat(new Measurement(
                                1,
                                model,
                                new Observed(990.0, 0.01, null, SampleUnit.SAMPLES, bad),
                                List.of(),
                                null,
                                Map.of(),
                                0.971)
                        .summary(500.0)
                        .packsLines())
                .first()
                .asString()
                .endsWith("; 1,500 documents/s, 97.1 % of the words in the tokenizer's cache");
        Observed full = new Observed(990.0, 0.01, null, SampleUnit.SAMPLES, new PackFill(99, 100, 4, 0, null));
        assertThat(new Measurement(1, model, full, List.of()).summary(null).packsLines())
                .containsExactly(
                        "packs   99.0 % tokens, 1.0 % padding, 4.0 documents in each, 0.0 % of the documents split;"
                                + " 3,960 documents/s");
        assertThat(new Measurement(1, model, new Observed(990.0, 0.01), List.of())
                        .summary(null)
                        .packs())
                .isNull();
    }
}
