package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.batch.MicroBatchMemory;
import io.millrace.cli.CommandRun;
import io.millrace.dataset.npy.NpyFile;
import io.millrace.sample.DType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Fields of every wire type on their whole way from the dataset to the trainer. */
class WireITCase {
    private static final int SAMPLES = 120;
    private static final int WIDTH = 40;

    /** The only sample whose id exceeds 65,535. */
    private static final int LARGE = 77;

    private static final String ALL = "x: auto, kind: auto, image: auto, weights: auto, flags: auto, tokens: auto";

    @TempDir
    static Path folder;

    private static Path pipeline;
    private static int entries;

    @BeforeAll
    static void write() throws IOException {
        Random random = new Random(3);
        float[] x = new float[SAMPLES * WIDTH];
        for (int i = 0; i < x.length; i++) {
            // Whole numbers that every type can hold. Three in four are 0, so that the sparse form is smaller.
            x[i] = Math.max(0, random.nextInt(240) - 180);
            entries += x[i] == 0 ? 0 : 1;
        }
        float[] weights = new float[SAMPLES * 3];
        for (int i = 0; i < weights.length; i++) {
            weights[i] = random.nextFloat();
        }
        byte[] tokens = longs(IntStream.range(0, SAMPLES * 2)
                .mapToLong(i -> i == 2 * LARGE ? 70_000 : i)
                .toArray());
        byte[] flags = new byte[SAMPLES * 9];
        for (int i = 0; i < flags.length; i++) {
            flags[i] = (byte) random.nextInt(2);
        }
        byte[] pixels = new byte[SAMPLES * 16];
        random.nextBytes(pixels);
        long[] kinds = random.longs(SAMPLES, 0, 4).toArray();
        file("x", NpyFile.of(new int[] {SAMPLES, WIDTH}, x));
        file("weights", NpyFile.of(new int[] {SAMPLES, 3}, weights));
        file("tokens", NpyFile.of(DType.INT64, new int[] {SAMPLES, 2}, tokens));
        file("flags", NpyFile.of(DType.BOOL, new int[] {SAMPLES, 9}, flags));
        file("image", NpyFile.of(DType.UINT8, new int[] {SAMPLES, 4, 4, 1}, pixels));
        file("kind", NpyFile.of(DType.INT64, new int[] {SAMPLES}, longs(kinds)));
        pipeline = Files.writeString(folder.resolve("wire.yaml"), """
                name: wire
                dataset:
                  format: npy
                  path: %s
                  fields: {x: x.npy, weights: weights.npy, tokens: tokens.npy, flags: flags.npy, image: image.npy, kind: kind.npy}
                  epochs: 3
                parallelism: 2
                batch: {size: 16, max_quarantined: 1%%}
                device: {transforms: [ToFloat: {scale: 60}]}
                train:
                  model: {mlp: {hidden: [8], classes: 4}}
                  input: x
                  target: kind
                  optimizer: {sgd: {learning_rate: 0.1}}
                  threads: 1
                run: {folder: %s, web_port: 0}
                """.formatted(folder, folder.resolve("runs")));
    }

    private static byte[] longs(long... values) {
        ByteBuffer bytes = ByteBuffer.allocate(values.length * 8).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asLongBuffer().put(values);
        return bytes.array();
    }

    private static void file(String name, byte[] content) throws IOException {
        Files.write(folder.resolve(name + ".npy"), content);
    }

    @AfterEach
    void allMemoryIsReleased() {
        assertThat(MicroBatchMemory.allocatedBytes()).isZero();
    }

    @Test
    void typesThatHoldAllNumbersTrainToTheSameParameters() {
        JsonNode plain = train(
                "batch.fields={" + ALL + "}",
                "batch.wire={x: plain, kind: plain, image: plain, weights: plain, flags: plain, tokens: plain}");
        JsonNode narrow = train(
                "batch.fields={" + ALL.replace("x: auto", "x: sparse") + "}",
                "batch.wire={weights: bfloat16, tokens: {ids: 80000}, image: auto}");
        JsonNode half = train("batch.wire={x: float16}");
        JsonNode bytes = train("batch.wire={x: uint8, kind: ids}");

        assertThat(plain.path("bytes_per_sample").asLong()).isEqualTo(WIDTH * 4 + 8 + 16 + 12 + 9 + 16 + 24);
        for (JsonNode other : List.of(narrow, half, bytes)) {
            assertThat(other.path("parameters_sha256")).isEqualTo(plain.path("parameters_sha256"));
            assertThat(other.path("final_loss")).isEqualTo(plain.path("final_loss"));
        }
        assertThat(half.path("bytes_per_sample").asLong()).isEqualTo(WIDTH * 2 + 1 + 24);
        assertThat(bytes.path("bytes_per_sample").asLong()).isEqualTo(WIDTH + 1 + 24);
        double sparse = 4 + 8.0 * entries / SAMPLES;
        assertThat(narrow.path("bytes_per_sample").asDouble())
                .isCloseTo(sparse + 1 + 16 + 3 * 2 + 2 + 2 * 4 + 24, within(0.6));
        assertThat(narrow.path("wire").findValuesAsText("type"))
                .containsExactly("sparse float32", "uint8", "uint8", "bfloat16", "bits", "int32");
        JsonNode x = narrow.at("/wire/0");
        assertThat(x.path("bytes_per_sample").asDouble()).isCloseTo(sparse, within(1e-9));
        assertThat(x.path("saved_bytes_per_sample").asDouble()).isCloseTo(WIDTH * 4 - sparse, within(1e-9));
        double saved = WIDTH * 4 - sparse + 7 + 0 + 0 + 7 + 0;
        assertThat(narrow.at("/wire/1/saved_bytes_per_sample").asDouble()).isEqualTo(7);
        assertThat(narrow.path("saved_bytes_per_sample").asDouble())
                .as(
                        "training does not use image, weights, flags and tokens, so they never have more than their plain size")
                .isGreaterThanOrEqualTo(saved);
        assertThat(narrow.path("saved_bytes").asLong())
                .isEqualTo(Math.round(narrow.path("saved_bytes_per_sample").asDouble() * 3 * SAMPLES));
    }

    @Test
    void floatsOf16BitsTrainToNearlyTheSameLoss() {
        double plain = train("train.input=weights").path("final_loss").asDouble();

        double half = train("train.input=weights", "batch.wire={weights: float16}")
                .path("final_loss")
                .asDouble();
        double brain = train("train.input=weights", "batch.wire={weights: bfloat16}")
                .path("final_loss")
                .asDouble();

        assertThat(half).isNotEqualTo(plain).isCloseTo(plain, within(1e-4));
        assertThat(brain).isNotEqualTo(plain).isCloseTo(plain, within(1e-3));
    }

    @Test
    void numberOutsideItsTypeIsQuarantinedOnce() throws IOException {
        JsonNode summary =
                train("batch.fields={x: auto, kind: auto, tokens: auto}", "batch.wire={tokens: {ids: 60000}}");

        assertThat(summary.path("quarantined").asLong()).isEqualTo(1);
        assertThat(summary.path("quarantined_rows").asLong()).isEqualTo(3);
        assertThat(Files.readString(CommandRun.folder(folder.resolve("runs")).resolve("quarantine.jsonl")))
                .contains("\"stage\":\"pack\"", "\"dataset\":\"" + folder, "\"index\":" + LARGE)
                .contains("'tokens' has the wire type uint16, which cannot represent 70000 at element 0");
    }

    @Test
    void wireOfEachFieldIsPrintedAtTheStart() {
        CommandRun run = run(false, "batch.fields={x: sparse, kind: auto, flags: auto}");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
                .contains("sent    x: sparse float32, as batch.fields requests: the nonzero values and their places\n")
                .contains("sent    kind: uint8, class numbers of 4 classes: 8x less than int64\n")
                .contains("sent    flags: bits, not used by training: 4.5x less than bool\n")
                .containsPattern("[0-9]+ bytes saved for each sample");
    }

    @Test
    void unknownTypesAreReportedWithTheKnownOnes() {
        for (String[] bad : new String[][] {
            {
                "batch.wire={x: float8}",
                "expected one of auto | plain | uint8 | float16 | bfloat16 | float32 | bits | ids"
            },
            {"batch.wire=float16", "expected auto, or fields with their types, found 'float16'"},
            {"batch.wire={tokens: {ids: 0}}", "expected at least 1 id, found 0"},
            {"batch.wire={nothing: bits}", "batch.wire names 'nothing', which is not sent: expected some of [x, kind]"},
            {"batch.wire={x: ids}", "batch.wire sends 'x' as ids, but it is float32: expected whole numbers"}
        }) {
            CommandRun run = run(true, bad[0]);
            assertThat(run.exitCode()).as(run.err()).isNotZero();
            assertThat(run.err()).contains(bad[1]);
        }
    }

    private static JsonNode train(String... settings) {
        CommandRun run = run(true, settings);
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.json();
    }

    private static CommandRun run(boolean json, String... settings) {
        List<String> arguments = new ArrayList<>(List.of("train", pipeline.toString(), "--verbose"));
        if (json) {
            arguments.add("--json");
        }
        Arrays.stream(settings).forEach(setting -> arguments.addAll(List.of("--set", setting)));
        return CommandRun.of(arguments.toArray(String[]::new));
    }
}
