package io.millrace.served;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.CommandRun;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Served samples whose fields have other names than {@code image} and {@code label}. */
class ServedFieldsITCase {
    private static final int SAMPLES = 16;
    private static final int PIXELS = 6;
    private static final int CLASSES = 5;
    private static final String TRANSFORMS = "[ToFloat, {OneHot: {classes: 5}}]";

    @TempDir
    Path folder;

    private Path pipeline;

    /** Writes the fields x, 6 bytes, and y, the number of a class. */
    @BeforeEach
    void write() throws IOException {
        ByteBuffer x = ByteBuffer.allocate(SAMPLES * PIXELS);
        ByteBuffer y = ByteBuffer.allocate(SAMPLES * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int sample = 0; sample < SAMPLES; sample++) {
            for (int pixel = 0; pixel < PIXELS; pixel++) {
                x.put((byte) pixel(sample, pixel));
            }
            y.putLong(sample % CLASSES);
        }
        npy(folder.resolve("x.npy"), "|u1", "(16, 6)", x.array());
        npy(folder.resolve("y.npy"), "<i8", "(16,)", y.array());
        pipeline = folder.resolve("fields.yaml");
        Files.writeString(pipeline, """
                dataset: { format: npy, path: %s, fields: { x: x.npy, y: y.npy }, epochs: 1 }
                batch: { size: 4 }
                device: { transforms: %s }
                run: { folder: %s, web_port: 0 }
                """.formatted(folder, TRANSFORMS, folder.resolve("runs")));
    }

    private static int pixel(long sample, int pixel) {
        return (int) (sample * PIXELS + pixel) * 2 + 1;
    }

    private static void npy(Path file, String type, String shape, byte[] values) throws IOException {
        String header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }".formatted(type, shape);
        String padded = header + " ".repeat(64 - (10 + header.length() + 1) % 64) + "\n";
        ByteBuffer bytes =
                ByteBuffer.allocate(10 + padded.length() + values.length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put(HexFormat.of().parseHex("934e554d50590100")).putShort((short) padded.length());
        Files.write(
                file,
                bytes.put(padded.getBytes(StandardCharsets.US_ASCII))
                        .put(values)
                        .array());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "train={input: x, target: y}",
                "train={model: {mlp: {hidden: [16]}}, input: x, target: y, loss: cross_entropy, optimizer: sgd}"
            })
    void serverTransformsTheFieldsThatTheSectionTrainNames(String train) throws Exception {
        ServedRun run = new ServedRun(pipeline, folder, 1, train);
        try (ServedClient client = run.connect(0, "server").open("inline").seek(0)) {
            JsonNode fields = client.plan().required("fields");
            assertThat(fields.findValuesAsText("name")).containsSubsequence("x", "y");
            assertThat(client.plan().required("transforms")).isEmpty();
            ServedClient.Batch batch = client.take();
            for (int row = 0; row < 4; row++) {
                long sample = batch.number("__index__", row);
                float[] x = new float[PIXELS];
                for (int pixel = 0; pixel < PIXELS; pixel++) {
                    x[pixel] = pixel(sample, pixel) / 255f;
                }
                float[] y = new float[CLASSES];
                y[(int) (sample % CLASSES)] = 1;
                assertThat(batch.columns().required("x").get(row).asText()).isEqualTo(hex(x));
                assertThat(batch.columns().required("y").get(row).asText()).isEqualTo(hex(y));
            }
            run.finish(client);
        }
    }

    @Test
    void samplesWithoutLabelsAreSentWithoutThem() throws Exception {
        ServedRun run = new ServedRun(pipeline, folder, 1, "train={input: x, target: y}");
        try (ServedClient client = run.connect(0, "server").open("inline").seek(0)) {
            assertThat(client.plan().required("labelled").asBoolean()).isFalse();
            assertThat(client.plan().required("fields").findValuesAsText("name"))
                    .containsExactly("__index__", "__position__", "__weight__", "x", "y");
            ServedClient.Batch batch = client.take();
            assertThat(batch.columns().has("label")).isFalse();
            assertThat(batch.number("__index__", 0)).isBetween(0L, SAMPLES - 1L);
            run.finish(client);
        }
    }

    private static String hex(float[] values) {
        ByteBuffer bytes = ByteBuffer.allocate(values.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(values);
        return HexFormat.of().formatHex(bytes.array());
    }

    @Test
    void clientLearnsWhichFieldsTheTransformsChange() throws Exception {
        ServedRun run = new ServedRun(pipeline, folder, 1, "train={input: x, target: y}");
        try (ServedClient client = run.client(0, "inline")) {
            assertThat(client.plan().required("transforms").toString())
                    .isEqualTo("[{\"name\":\"ToFloat\",\"field\":\"x\",\"mean\":[0.0],\"std\":[255.0]},"
                            + "{\"name\":\"OneHot\",\"field\":\"y\",\"classes\":5}]");
            run.finish(client);
        }
    }

    @Test
    void fieldsOfTheBatchNeedNoImage() throws Exception {
        ServedRun run = new ServedRun(pipeline, folder, 1, "batch.fields=[x]", "device.transforms=[ToFloat]");
        try (ServedClient client = run.connect(0, "server").open("inline")) {
            JsonNode fields = client.plan().required("fields");
            assertThat(fields.get(fields.size() - 1).required("name").asText()).isEqualTo("x");
            assertThat(fields.get(fields.size() - 1).required("dtype").asText()).isEqualTo("float32");
            run.finish(client);
        }
    }

    @Test
    void fieldThatTheSamplesLackIsNamed() throws Exception {
        ServedRun run = new ServedRun(pipeline, folder, 1, "train.input=z", "train.target=y");
        try (ServedClient refused = run.connect(0, "server")) {
            JsonNode error = refused.error();
            assertThat(error.required("code").asText()).isEqualTo("transforms");
            assertThat(error.required("message").asText()).contains("no field 'z' in the batch, only [x, y]");
        }
        try (ServedClient client = run.client(0, "inline")) {
            run.finish(client);
        }
        assertThat(CommandRun.of("serve", pipeline.toString(), "--listen", "127.0.0.1:0", "--set", "train.input={x: y}")
                        .err())
                .contains("--set train.input={x: y}: train.input: expected text, found {x=y}");
    }
}
