package io.millrace.served;

import static org.assertj.core.api.Assertions.assertThat;

import ai.djl.Device;
import ai.djl.ndarray.NDArray;
import ai.djl.pytorch.engine.PtNDManager;
import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.device.AlignedMemory;
import io.millrace.device.DeviceBatch;
import io.millrace.device.HostDevice;
import io.millrace.lifecycle.Handles;
import io.millrace.run.ExitCode;
import io.millrace.sample.Split;
import io.millrace.train.engine.TrainingRuntime;
import io.millrace.train.input.DevicePlan;
import io.millrace.train.input.ModelInputs;
import io.millrace.train.input.RowMixture;
import io.millrace.train.input.Targets;
import io.millrace.train.loss.Losses;
import io.millrace.train.spec.TrainSpec;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Batches that the server transforms, compared with what a trainer on the host makes of the same rows. */
class ServedTransformsITCase extends ServedPhotos {
    private static final int CLASSES = 4;
    private static final int PIXELS = 24 * 24 * 3;

    /** A trainer's inputs and targets, computed from the rows of a preview. */
    private static final class Trainer implements AutoCloseable {
        private final Handles handles = new Handles();
        private final PtNDManager manager = handles.add(TrainingRuntime.open(0));
        private final Map<Long, ServedClient.Row> rows = new TreeMap<>();
        private final ModelInputs inputs;
        private final Targets targets;
        private final DeviceBatch batch;

        private Trainer(TrainSpec spec, List<List<ServedClient.Row>> expected) {
            expected.forEach(step -> step.forEach(row -> rows.put(row.position(), row)));
            DevicePlan plan = DevicePlan.of(spec);
            inputs = handles.add(new ModelInputs(spec, plan, 8, manager));
            targets = handles.add(
                    Targets.open(spec, plan, Losses.create(spec.recipe().loss()), CLASSES, 8, manager));
            batch = handles.add(new HostDevice().allocate(spec.data().input(), 8));
        }

        /** Requires that a transformed batch has exactly the bytes of this trainer. */
        private void requireSame(ServedClient.Batch found) {
            List<Long> positions = new ArrayList<>();
            for (int row = 0; row < found.columns().required("__position__").size(); row++) {
                positions.add(found.number("__position__", row));
            }
            int samples = found.isPadded() ? 0 : positions.size();
            batch.begin(found.step(), found.step(), found.epoch(), Split.TRAIN, samples);
            if (samples == 0) {
                batch.filling().pad();
            }
            for (int row = 0; row < samples; row++) {
                ServedClient.Row raw = Objects.requireNonNull(rows.get(positions.get(row)));
                assertThat(found.number("__index__", row)).isEqualTo(raw.index());
                try (AlignedMemory image = AlignedMemory.allocate(PIXELS, "an image")) {
                    image.buffer().put(HexFormat.of().parseHex(raw.image()));
                    batch.filling().put(0, row, image.address());
                }
                batch.filling().place(row, raw.position(), raw.index(), raw.label());
            }
            batch.seal();
            try (PtNDManager step = manager.newSubManager(Device.cpu())) {
                List<RowMixture> mixtures = inputs.mixtures(batch);
                NDArray images = inputs.make(batch, mixtures, step).get(0).transpose(0, 2, 3, 1);
                assertThat(text(found, "image")).isEqualTo(hex(images));
                NDArray labels = targets.make(batch, mixtures, step);
                if (found.columns().required("label").get(0).asText().length() == 2 * Long.BYTES) {
                    for (int row = 0; row < positions.size(); row++) {
                        assertThat(found.number("label", row)).isEqualTo(labels.getLong(row, 0));
                    }
                } else {
                    assertThat(text(found, "label")).isEqualTo(hex(labels));
                }
            }
        }

        private static String text(ServedClient.Batch batch, String field) {
            StringBuilder text = new StringBuilder();
            batch.columns().required(field).forEach(row -> text.append(row.asText()));
            return text.toString();
        }

        private static String hex(NDArray floats) {
            float[] values = floats.toFloatArray();
            ByteBuffer bytes = ByteBuffer.allocate(values.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
            bytes.asFloatBuffer().put(values);
            return HexFormat.of().formatHex(bytes.array());
        }

        @Override
        public void close() {
            handles.close();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1 | file   | [ToFloat, {Normalize: {mean: [0.4, 0.5, 0.6], std: [0.2, 0.3, 0.4]}}]",
                "1 | inline | [ConvertColor, ToFloat, {OneHot: {classes: 4}}]",
                "1 | file   | [ToFloat, {MixUp: {alpha: 0.4}}]",
                "1 | file   | [ToFloat, {OneHot: {classes: 4}}, CutMix]",
                "1 | inline | [{RandomChoice: {transforms: [MixUp, CutMix]}}]",
                "2 | file   | [ToFloat, {RandomChoice: {transforms: [MixUp, CutMix]}}]",
                "2 | inline | [ToFloat, {Normalize: {mean: [0.5], std: [0.5]}}]"
            })
    void batchesHaveTheTrainersBytesAlsoAfterSeeks(int world, String kind, String transforms) throws Exception {
        ServedRun run = serve(world, "device.transforms=" + transforms);
        List<List<ServedClient.Row>> expected = run.expected();
        List<ServedClient> clients = new ArrayList<>();
        List<Trainer> trainers = new ArrayList<>();
        try (Handles handles = new Handles()) {
            for (int rank = 0; rank < world; rank++) {
                ServedClient client = handles.add(run.connect(rank, "server")).open(kind);
                clients.add(client);
                trainers.add(handles.add(new Trainer(run.training(rank), expected)));
                requirePlan(client.plan(), transforms, 8 / world);
            }
            for (int first : new int[] {0, 9, 2}) {
                for (ServedClient client : clients) {
                    client.seek(first);
                }
                for (int step = first; step < first + 3; step++) {
                    for (int rank = 0; rank < world; rank++) {
                        ServedClient.Batch batch = clients.get(rank).take();
                        assertThat(batch.step()).isEqualTo(step);
                        trainers.get(rank).requireSame(batch);
                    }
                }
            }
            for (ServedClient client : clients) {
                client.seek(STEPS);
            }
            for (ServedClient client : clients) {
                client.awaitEnd();
            }
            for (ServedClient client : clients) {
                client.bye();
            }
        }
        for (JsonNode stage : run.end(ExitCode.OK).required("stages")) {
            if (stage.required("name").asText().equals("assemble")) {
                assertThat(stage.required("own_ms").asDouble()).isPositive();
                return;
            }
        }
        throw new AssertionError("the summary lacks the stage assemble");
    }

    private static void requirePlan(JsonNode plan, String transforms, int rows) {
        assertThat(plan.required("transforms")).isEmpty();
        boolean soft = transforms.contains("Mix") || transforms.contains("OneHot");
        JsonNode label = plan.required("fields").get(3);
        assertThat(label.required("dtype").asText()).isEqualTo(soft ? "float32" : "int64");
        assertThat(label.required("shape").toString()).isEqualTo(soft ? "[4]" : "[]");
        JsonNode image = plan.required("fields").get(4);
        assertThat(image.required("dtype").asText()).isEqualTo("float32");
        assertThat(image.required("from").asText()).isEqualTo("uint8");
        assertThat(image.required("shape").toString()).isEqualTo("[24,24,3]");
        assertThat(plan.required("buffer_bytes").asLong())
                .isBetween((long) rows * PIXELS * Float.BYTES, (long) rows * PIXELS * Float.BYTES + 8192);
    }

    @Test
    void ranksThatAskForOtherSidesAreRefusedAndTheRunGoesOn() throws Exception {
        ServedRun run = serve(2, "device.transforms=[ToFloat]");
        try (ServedClient first = run.connect(0, "server").open("inline").seek(0)) {
            String reason = first.waitReason();
            while (!reason.contains("rank 1")) { // then the server knows the side of rank 0
                reason = first.waitReason();
            }
            try (ServedClient other = run.connect(1, "client").open("inline").seek(0)) {
                JsonNode error = other.error();
                assertThat(error.required("code").asText()).isEqualTo("transforms");
                assertThat(error.required("message").asText())
                        .contains(
                                "rank 1 (trainer 1",
                                "applies the device transforms itself, but rank 0 (trainer 0",
                                "lets the server apply the device transforms: start all ranks with the same transforms");
            }
            try (ServedClient same = run.connect(1, "server").open("inline").seek(0)) {
                assertThat(first.take().step()).isZero();
                assertThat(same.take().step()).isZero();
                for (ServedClient client : List.of(first, same)) {
                    client.seek(STEPS);
                }
                for (ServedClient client : List.of(first, same)) {
                    client.awaitEnd();
                    client.bye();
                }
            }
        }
        run.end(ExitCode.OK);
    }

    @Test
    void unknownSidesAndTransformsThatTheServerCannotApplyAreRefused() throws Exception {
        ServedRun run = serve(1, "device.transforms=[{Normalize: {mean: [0.5, 0.5], std: [1.0, 1.0]}}]");
        try (ServedClient unknown = run.connect(0, "gpu");
                ServedClient refused = run.connect(0, "server")) {
            JsonNode error = unknown.error();
            assertThat(error.required("code").asText()).isEqualTo("protocol");
            assertThat(error.required("message").asText())
                    .isEqualTo("the client asks for device transforms by 'gpu': expected client or server");
            error = refused.error();
            assertThat(error.required("code").asText()).isEqualTo("transforms");
            assertThat(error.required("message").asText())
                    .isEqualTo(
                            "the server cannot apply device.transforms: Normalize: 'mean' has 2 numbers, expected 1 or one for"
                                    + " each of the 3 channels. Correct this, or let the client apply them (transforms: client)");
        }
        try (ServedClient client = run.connect(0, "client").open("inline")) {
            client.seek(STEPS).requireEnd(STEPS);
            client.bye();
        }
        run.end(ExitCode.OK);
    }
}
