package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.image.ImageVectors;
import io.millrace.image.codec.JpegRestarts;
import io.millrace.run.ExitCode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The command {@code pack} on small photos, some of which are bad. */
class PackCommandITCase {
    private static final int COUNT = 60;
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private static Path folder;

    private static Path photos;

    @BeforeAll
    static void draw() throws IOException {
        photos = SmallData.photos(folder.resolve("photos"), COUNT, 0, 1);
    }

    private static CommandRun pack(Path out, String... more) {
        List<String> arguments = new ArrayList<>(List.of("pack", photos.toString(), out.toString(), "--json"));
        arguments.addAll(List.of(more));
        return CommandRun.of(arguments.toArray(String[]::new));
    }

    private static Map<String, byte[]> files(Path out) throws IOException {
        Map<String, byte[]> files = new TreeMap<>();
        try (Stream<Path> found = Files.list(out)) {
            for (Path file : found.toList()) {
                files.put(
                        String.valueOf(file.getFileName()),
                        Files.isDirectory(file) ? new byte[0] : Files.readAllBytes(file));
            }
        }
        return files;
    }

    private static byte[] file(Map<String, byte[]> files, String name) {
        return Optional.ofNullable(files.get(name)).orElseThrow();
    }

    private static String sha256(byte[] bytes) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }

    @Test
    void tarShardsHoldEveryImageUnchanged(@TempDir Path out) throws Exception {
        CommandRun run = pack(out, "--shard-size", "60kB");
        assertThat(run.exitCode()).as(run.err()).isZero();
        Map<String, byte[]> files = files(out);
        JsonNode manifest = JSON.readTree(file(files, "manifest.json"));
        assertThat(manifest).isEqualTo(run.json().path("manifest"));
        assertThat(manifest.path("samples").asInt()).isEqualTo(COUNT);
        assertThat(manifest.path("classes")).hasSize(4);
        assertThat(files).hasSize(manifest.path("shards").size() + 1).doesNotContainKey(".pack");

        List<String> packed = new ArrayList<>();
        long first = 0;
        for (JsonNode shard : manifest.path("shards")) {
            byte[] bytes = file(files, shard.path("file").asText());
            assertThat(bytes).hasSize(shard.path("bytes").asInt()).hasSizeLessThanOrEqualTo(60_000);
            assertThat(sha256(bytes)).isEqualTo(shard.path("sha256").asText());
            assertThat(shard.path("first").asLong()).isEqualTo(first);
            first += shard.path("samples").asLong();
            try (TarArchiveInputStream tar = new TarArchiveInputStream(new ByteArrayInputStream(bytes))) {
                for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                    byte[] content = tar.readAllBytes();
                    packed.add(
                            entry.getName().endsWith(".cls")
                                    ? "label " + new String(content, StandardCharsets.US_ASCII)
                                    : sha256(content));
                }
            }
        }
        assertThat(packed).isEqualTo(originals());
    }

    /** Returns the digest and the label of each image, in the order of the indexes. */
    private static List<String> originals() throws Exception {
        List<String> originals = new ArrayList<>();
        List<Path> classes;
        try (Stream<Path> found = Files.list(photos)) {
            classes = found.filter(Files::isDirectory).sorted().toList();
        }
        for (int label = 0; label < classes.size(); label++) {
            try (Stream<Path> found = Files.list(classes.get(label))) {
                for (Path file : found.sorted().toList()) {
                    originals.add(sha256(Files.readAllBytes(file)));
                    originals.add("label " + label);
                }
            }
        }
        return originals;
    }

    @ParameterizedTest
    @ValueSource(strings = {"tar", "tfrecord", "arrow"})
    void shardsAreTheSameAtAnyParallelism(String format, @TempDir Path one, @TempDir Path three) throws IOException {
        assertThat(pack(one, "--format", format, "--shard-size", "60kB", "--parallelism", "1")
                        .exitCode())
                .isZero();
        assertThat(pack(three, "--format", format, "--shard-size", "60kB", "--parallelism", "3")
                        .exitCode())
                .isZero();
        Map<String, byte[]> files = files(one);
        assertThat(files).hasSizeGreaterThan(3);
        assertThat(files(three)).containsExactlyEntriesOf(files);
    }

    @ParameterizedTest
    @ValueSource(strings = {"tar", "tfrecord", "arrow"})
    void shardsAreReadLikeTheFolder(String format, @TempDir Path out) throws Exception {
        assertThat(pack(out, "--format", format, "--shard-size", "60kB").exitCode())
                .isZero();
        JsonNode original = inspect("folder", photos);
        JsonNode packed = inspect(format, out);
        assertThat(packed.path("classes")).isEqualTo(original.path("classes")).hasSize(4);
        assertThat(packed.path("scan").path("bad").asInt()).isZero();
        List<String> pixels = original.path("first").findValuesAsText("pixels_sha256");
        assertThat(packed.path("first").findValuesAsText("pixels_sha256"))
                .isEqualTo(pixels)
                .hasSize(COUNT);
    }

    private static JsonNode inspect(String format, Path path) throws IOException {
        Path pipeline =
                Files.writeString(Files.createTempFile(folder, "inspect", ".yaml"), """
                dataset: { format: %s, path: %s }
                transforms: [ decode ]
                train: { model: none }
                """.formatted(format, path));
        CommandRun run = CommandRun.of("inspect", pipeline.toString(), "--first", "1000", "--scan", "--json");
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.json();
    }

    @Test
    void restartMarkersAreWrittenAndCountedAndChangeNoPixel(
            @TempDir Path data, @TempDir Path whole, @TempDir Path again) throws Exception {
        Path mixed = SmallData.photos(data.resolve("photos"), 40, 0, 7);
        Path progressive = mixed.resolve("desert/progressive.jpg");
        Files.write(progressive, ImageVectors.file("decode/gray-progressive.jpg"));
        Files.write(mixed.resolve("desert/gray.png"), ImageVectors.file("decode/gray.png"));
        Path present = firstImage(mixed);
        Files.write(
                present,
                new JpegRestarts().recode(Files.readAllBytes(present), 4).bytes());

        CommandRun run = CommandRun.of(
                "pack", mixed.toString(), whole.toString(), "--restart", "4", "--shard-size", "60kB", "--json");
        assertThat(run.exitCode()).as(run.err()).isZero();
        JsonNode manifest = run.json().path("manifest");
        JsonNode restarts = manifest.path("restarts");
        assertThat(restarts.path("added").asInt()).isEqualTo(39);
        assertThat(restarts.path("present").asInt()).isEqualTo(1);
        assertThat(restarts.path("left").asInt()).isEqualTo(2);
        assertThat(manifest.path("source").path("restart").asInt()).isEqualTo(4);
        assertThat(run.err())
                .contains("restart markers: 39 JPEGs got them, 1 had them, 2 images were left as they are;"
                        + " the data grew by "
                        + String.format(
                                Locale.ROOT, "%,d", restarts.path("bytes").asLong()));

        JsonNode original = inspect("folder", mixed);
        JsonNode packed = inspect("tar", whole);
        assertThat(packed.path("first").findValuesAsText("pixels_sha256"))
                .isEqualTo(original.path("first").findValuesAsText("pixels_sha256"))
                .hasSize(42);
        assertThat(original.path("restart_intervals").toString()).isEqualTo("{\"0\":40,\"4\":1}");
        assertThat(packed.path("restart_intervals").toString()).isEqualTo("{\"0\":1,\"4\":40}");
        assertThat(packed.path("scan").path("restart_intervals")).isEqualTo(packed.path("restart_intervals"));
        long grown = packed.path("scan").path("bytes").asLong()
                - original.path("scan").path("bytes").asLong();
        assertThat(restarts.path("bytes").asLong()).isEqualTo(grown).isPositive();

        CommandRun second =
                CommandRun.of("pack", whole.toString(), again.toString(), "--from", "tar", "--restart", "4", "--json");
        assertThat(second.exitCode()).as(second.err()).isZero();
        assertThat(second.json()
                        .path("manifest")
                        .path("restarts")
                        .path("present")
                        .asInt())
                .isEqualTo(40);
        assertThat(second.json().path("manifest").path("restarts").path("bytes").asInt())
                .isZero();
    }

    @Test
    void resizedImagesHaveTheRequestedSize(@TempDir Path out) throws Exception {
        CommandRun run = pack(out, "--resize", "32x48", "--encode", "png");
        assertThat(run.exitCode()).as(run.err()).isZero();
        byte[] shard = file(files(out), "shard-000000.tar");
        try (TarArchiveInputStream tar = new TarArchiveInputStream(new ByteArrayInputStream(shard))) {
            assertThat(tar.getNextEntry().getName()).isEqualTo("000000000.png");
            byte[] png = tar.readAllBytes();
            assertThat(HexFormat.of().formatHex(png, 16, 24)).isEqualTo("0000003000000020");
        }
    }

    @Test
    void secondPackDoesNothingAndPackOfAnotherDatasetIsRefused(@TempDir Path out) throws IOException {
        assertThat(pack(out, "--shard-size", "1MB").exitCode()).isZero();
        Map<String, byte[]> before = files(out);
        CommandRun again = pack(out, "--shard-size", "1MB");
        assertThat(again.exitCode()).isZero();
        assertThat(again.json().path("made").asBoolean()).isFalse();
        pack(out, "--shard-size", "2MB").fails(ExitCode.FAILED, "contains another pack", "--force");
        assertThat(files(out)).containsExactlyEntriesOf(before);
        assertThat(pack(out, "--shard-size", "2MB", "--force").exitCode()).isZero();
    }

    @Test
    void interruptedPackContinuesWithUnfinishedTasks(@TempDir Path whole, @TempDir Path torn) throws IOException {
        assertThat(pack(whole, "--shard-size", "60kB", "--max-quarantined", "0.5")
                        .exitCode())
                .isZero();
        // An empty file makes the commit fail after all tasks have finished.
        Path victim = firstImage(photos);
        byte[] image = Files.readAllBytes(victim);
        try {
            Files.write(victim, new byte[0]);
            pack(torn, "--shard-size", "60kB", "--max-quarantined", "0")
                    .fails(ExitCode.FAILED, "1 of 60 samples are bad", "empty file");
            assertThat(files(torn)).containsOnlyKeys(".pack");
        } finally {
            Files.write(victim, image);
        }
        // The state after a kill: one task without its record, another one with a truncated shard.
        Path work = torn.resolve(".pack");
        Files.delete(work.resolve("000000.json"));
        Path part = work.resolve("000002-0.tar");
        byte[] bytes = Files.readAllBytes(part);
        Files.write(part, Arrays.copyOf(bytes, bytes.length / 2));

        CommandRun run = pack(torn, "--shard-size", "60kB", "--max-quarantined", "0.5");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(files(torn)).containsExactlyEntriesOf(files(whole));
    }

    @Test
    void badSamplesAreListedAndLeftOut(@TempDir Path data, @TempDir Path out) throws IOException {
        Path bad = SmallData.photos(data.resolve("photos"), 40, 4, 2);
        Files.write(firstImage(bad), new byte[0]);
        CommandRun run = CommandRun.of(
                "pack", bad.toString(), out.toString(), "--encode", "jpeg", "--max-quarantined", "50%", "--json");
        assertThat(run.exitCode()).as(run.err()).isZero();
        JsonNode manifest = run.json().path("manifest");
        List<String> lines = Files.readAllLines(out.resolve("quarantine.jsonl"));
        assertThat(lines).hasSize(manifest.path("quarantined").asInt()).hasSizeGreaterThan(1);
        assertThat(JSON.readTree(lines.get(0)).path("reason").asText()).contains("expected");
        assertThat(manifest.path("samples").asInt() + lines.size())
                .isEqualTo(manifest.path("source").path("samples").asInt());
    }

    private static Path firstImage(Path root) throws IOException {
        try (Stream<Path> found = Files.walk(root)) {
            return found.filter(file -> file.toString().endsWith(".jpg"))
                    .sorted()
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void wrongArgumentsAreReportedInASentence(@TempDir Path out) throws IOException {
        pack(out, "--format", "zip").fails(ExitCode.USAGE, "--format", "tar | tfrecord | arrow", "'zip'");
        pack(out, "--shard-size", "256 potatoes").fails(ExitCode.USAGE, "--shard-size", "potatoes");
        for (String units : List.of("0", "-1", "70000")) {
            pack(out, "--restart", units).fails(ExitCode.USAGE, "--restart", "expected 1 to 65535", units);
        }
        pack(out, "--restart", "x").fails(ExitCode.USAGE, "--restart", "expected a whole number", "'x'");
        pack(out, "--resize", "0").fails(ExitCode.USAGE, "--resize");
        pack(out, "--encode", "png", "--quality", "0").fails(ExitCode.USAGE, "--quality");
        Path mine = Files.writeString(out.resolve("mine.dat"), "not yours");
        CommandRun.of("pack", mine.toString(), out.toString())
                .fails(ExitCode.USAGE, "cannot derive the format", "--from");
        CommandRun.of("pack", folder.resolve("nothing.bin").toString(), out.toString())
                .fails(ExitCode.USAGE, "no such file or folder: " + folder.resolve("nothing.bin"));
        pack(mine).fails(ExitCode.FAILED, mine + " is a file", "expected a new or empty folder");
        pack(out).fails(ExitCode.FAILED, "is not empty");
        assertThat(files(out)).containsOnlyKeys("mine.dat");
    }
}
