package io.millrace.train.input;

import static io.millrace.train.Vectors.part;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.djl.Device;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.device.DeviceBatch;
import io.millrace.device.HostDevice;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Split;
import io.millrace.train.FieldRows;
import io.millrace.train.TrainStep;
import io.millrace.train.Vectors;
import io.millrace.train.engine.TrainingRuntime;
import io.millrace.train.loss.Losses;
import io.millrace.train.network.Models;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.MemoryFormat;
import io.millrace.train.spec.Recipe;
import io.millrace.train.spec.Roles;
import io.millrace.train.spec.RunLength;
import io.millrace.train.spec.TrainData;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.spec.TrainSpecException;
import io.millrace.train.spec.Tuning;
import io.millrace.train.update.Optimizers;
import io.millrace.train.update.Schedules;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that compare mixed batches with torchvision 0.29.1 for the same shares and boxes, and random shares with their
 * distribution.
 */
class MixturesTest {
    private static final Component TO_FLOAT = part(DeviceTransforms.all(), "ToFloat", Map.of());
    private static final Component MIX_UP = part(DeviceTransforms.all(), "MixUp", Map.of("alpha", 0.4));
    private static final Component CUT_MIX = part(DeviceTransforms.all(), "CutMix", Map.of());

    @Test
    void mixedUpImagesAndLabelsEqualTorchvisionToTheLastBit() throws IOException {
        Vectors vectors = Vectors.read("mixtures.safetensors");
        for (String share : List.of("0.0", "0.1", "0.3", "0.7654321", "1.0")) {
            assertMixed(vectors, RowMixture.ofShare(Double.parseDouble(share)), "mixup." + share);
        }
    }

    @Test
    void pastedBoxesAndTheirLabelsEqualTorchvisionToTheLastBit() throws IOException {
        Vectors vectors = Vectors.read("mixtures.safetensors");
        double[] boxes = vectors.doubles("boxes");
        for (int i = 0; i < boxes.length / 8; i++) {
            int at = 8 * i;
            RowMixture mixture = RowMixture.ofBox(boxes[at], (int) boxes[at + 1], (int) boxes[at + 2], 7, 5);
            assertThat(mixture.box())
                    .isEqualTo(new RowMixture.Box(
                            (int) boxes[at + 3], (int) boxes[at + 4], (int) boxes[at + 5], (int) boxes[at + 6]));
            assertThat(mixture.share()).isEqualTo(boxes[at + 7]);
            assertMixed(vectors, mixture, "cutmix." + i);
        }
    }

    private static void assertMixed(Vectors vectors, RowMixture mixture, String name) {
        TrainSpec spec = spec(vectors.spec(), 1, TO_FLOAT, MIX_UP);
        DevicePlan plan = DevicePlan.of(spec.data().roles(), spec.data().transforms());
        try (PtNDManager manager = TrainingRuntime.open(1);
                ModelInputs inputs = new ModelInputs(spec, plan, vectors.rows(), manager);
                Targets targets =
                        Targets.open(spec, plan, Losses.create(spec.recipe().loss()), 4, vectors.rows(), manager);
                DeviceBatch batch = new HostDevice().allocate(spec.data().input(), vectors.rows());
                PtNDManager step = manager.newSubManager(Device.cpu())) {
            vectors.fill(batch, 0, 0, vectors.rows());
            assertThat(inputs.make(batch, List.of(mixture), step).get(0).toFloatArray())
                    .as(name)
                    .isEqualTo(vectors.floats(name + ".images"));
            assertThat(targets.make(batch, List.of(mixture), step).toFloatArray())
                    .as(name)
                    .isEqualTo(vectors.floats(name + ".labels"));
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.2, 1.0, 4.0})
    void sharesAreDrawnFromTheBetaDistribution(double alpha) throws IOException {
        double[] limits = Vectors.read("mixtures.safetensors").doubles("beta." + alpha);
        int[] counts = new int[limits.length + 1];
        SampleRandom random = new SampleRandom(42, 7);
        int draws = 100_000;
        for (int step = 0; step < draws; step++) {
            double share = BetaRandom.next(alpha, random.reset(0, step));
            int bin = 0;
            while (bin < limits.length && share > limits[bin]) {
                bin++;
            }
            counts[bin]++;
        }
        double expected = draws / (double) counts.length;
        double chiSquare = 0;
        for (int count : counts) {
            chiSquare += (count - expected) * (count - expected) / expected;
        }
        // The 99.9th percentile of chi-square with 19 degrees of freedom.
        assertThat(chiSquare).isLessThan(43.8);
    }

    @Test
    void verySmallAlphasKeepOneOfTheTwoRows() {
        SampleRandom random = new SampleRandom(3, 7);
        int ends = 0;
        for (int step = 0; step < 1000; step++) {
            double share = BetaRandom.next(1e-4, random.reset(0, step));
            assertThat(share).isBetween(0.0, 1.0);
            ends += share < 1e-6 || share > 1 - 1e-6 ? 1 : 0;
        }
        assertThat(ends).isGreaterThan(990);
    }

    @Test
    void choicesAreDrawnWithTheirShares() {
        Mix.OneOf choice = new Mix.OneOf(List.of(new Mix.MixUp(1), new Mix.CutMix(1)), List.of(0.25, 0.75));
        SampleRandom random = new SampleRandom(5, 7);
        int boxes = 0;
        for (int step = 0; step < 10_000; step++) {
            boxes += choice.draw(random.reset(0, step), 32, 32).box() == null ? 0 : 1;
        }
        assertThat(boxes).isBetween(7350, 7650);
    }

    @Test
    void mixturesDependOnSeedAndStepAlone() throws IOException {
        Vectors vectors = Vectors.read("mixtures.safetensors");
        String first = drawn(vectors, 1, 1);
        assertThat(drawn(vectors, 1, 1)).isEqualTo(first);
        assertThat(drawn(vectors, 2, 1)).isNotEqualTo(first);
        assertThat(drawn(vectors, 1, 2)).isNotEqualTo(first);
    }

    private static String drawn(Vectors vectors, long seed, long step) {
        TrainSpec spec = spec(vectors.spec(), seed, TO_FLOAT, choice());
        DevicePlan plan = DevicePlan.of(spec.data().roles(), spec.data().transforms());
        try (PtNDManager manager = TrainingRuntime.open(1);
                ModelInputs inputs = new ModelInputs(spec, plan, vectors.rows(), manager);
                DeviceBatch batch = new HostDevice().allocate(spec.data().input(), vectors.rows())) {
            vectors.fill(batch, step, 0, vectors.rows());
            return inputs.mixtures(batch).toString();
        }
    }

    @Test
    void trainingOnMixedRowsWorksWithQuarantinedRowsAndEvaluationMixesNothing() throws IOException {
        Vectors vectors = Vectors.read("mixtures.safetensors");
        TrainSpec mixing = spec(vectors.spec(), 1, TO_FLOAT, choice());
        TrainSpec plain = spec(vectors.spec(), 1, TO_FLOAT);
        try (TrainStep mixed = TrainStep.open(mixing, 6);
                TrainStep same = TrainStep.open(plain, 6);
                DeviceBatch batch = new HostDevice().allocate(vectors.spec(), 6)) {
            FieldRows rows = new FieldRows(vectors);
            rows.fill(batch, Split.EVALUATE, List.of(0, 1, 2, 3, 4, 5));
            assertThat(mixed.evaluate(batch)).isEqualTo(same.evaluate(batch));
            for (List<Integer> present : List.of(List.of(1), List.of(0, 3, 5))) {
                rows.fill(batch, Split.TRAIN, present);
                assertThat(mixed.train(batch).loss()).isFinite();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(MemoryFormat.class)
    void mixedImagesAreEqualInBothMemoryFormats(MemoryFormat format) throws IOException {
        Vectors vectors = Vectors.read("mixtures.safetensors");
        TrainSpec spec = spec(vectors.spec(), 1, new Tuning(1, format), TO_FLOAT, MIX_UP);
        DevicePlan plan = DevicePlan.of(spec.data().roles(), spec.data().transforms());
        try (PtNDManager manager = TrainingRuntime.open(1);
                ModelInputs inputs = new ModelInputs(spec, plan, 6, manager);
                DeviceBatch batch = new HostDevice().allocate(spec.data().input(), 6)) {
            vectors.fill(batch, 0, 0, 6);
            assertThat(inputs.make(batch, List.of(RowMixture.ofShare(0.3)), manager)
                            .get(0)
                            .toFloatArray())
                    .isEqualTo(vectors.floats("mixup.0.3.images"));
        }
    }

    @Test
    void inputThatCannotBeMixedIsReportedWhenOpened() {
        BatchSpec pictures = new BatchSpec(List.of(FieldRows.IMAGE, FieldRows.MASK, FieldRows.PLACE, FieldRows.TEXT));
        assertRefused(new Roles(List.of("image"), "mask"), pictures, "MixUp mixes labels", TO_FLOAT, MIX_UP);
        assertRefused(new Roles(List.of("place"), "label"), pictures, "CutMix mixes images of one size", CUT_MIX);
        assertRefused(
                new Roles(List.of("image", "text"), "label"),
                pictures,
                "MixUp mixes floats, but the model's input 'text' is UINT8[?]",
                MIX_UP);
        assertRefused(
                Roles.DEFAULT, pictures, "ToFloat comes after MixUp, which mixes finished rows", MIX_UP, TO_FLOAT);
    }

    @Test
    void choicesAreCheckedWhenTheyAreRead() {
        assertThatThrownBy(() -> part(
                        DeviceTransforms.all(), "RandomChoice", Map.of("transforms", List.of("MixUp", "Normalize"))))
                .hasMessageContaining("expected MixUp or CutMix")
                .hasMessageContaining("Normalize");
        assertThatThrownBy(() -> part(
                        DeviceTransforms.all(),
                        "RandomChoice",
                        Map.of("transforms", List.of(Map.of("CutMix", Map.of("alpha", -1L))))))
                .hasMessageContaining("above 0");
    }

    private static Component choice() {
        return part(
                DeviceTransforms.all(),
                "RandomChoice",
                Map.of("transforms", List.of("MixUp", Map.of("CutMix", Map.of("alpha", 1L)))));
    }

    private static void assertRefused(Roles roles, BatchSpec batch, String sentence, Component... transforms) {
        TrainSpec like = spec(batch, 1, transforms);
        Component model = roles.inputs().size() > 1
                ? part(
                        Models.all(),
                        "torchscript",
                        Map.of("path", Vectors.file("reader.pt").toString(), "classes", 4L))
                : like.recipe().model();
        TrainSpec spec = like.with(new TrainData(batch, roles, like.data().transforms()))
                .with(like.recipe().withModel(model));
        assertThatThrownBy(() -> TrainStep.open(spec, 6))
                .isInstanceOf(TrainSpecException.class)
                .hasMessageContaining(sentence);
    }

    private static TrainSpec spec(BatchSpec batch, long seed, Component... transforms) {
        return spec(batch, seed, Tuning.ofThreads(1), transforms);
    }

    private static TrainSpec spec(BatchSpec batch, long seed, Tuning tuning, Component... transforms) {
        return new TrainSpec(
                new TrainData(batch, List.of(transforms)),
                new Recipe(
                        part(Models.all(), "mlp", Map.of("hidden", List.of(8L), "classes", 4L)),
                        part(Losses.all(), "cross_entropy", Map.of()),
                        part(Optimizers.all(), "sgd", Map.of("learning_rate", 0.1)),
                        part(Schedules.all(), "constant", Map.of()),
                        seed),
                new RunLength(1, 1),
                tuning);
    }
}
