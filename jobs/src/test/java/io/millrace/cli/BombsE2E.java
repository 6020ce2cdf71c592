package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.run.ExitCode;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Small files that announce more than the heap holds, or a walk without end, in a JVM with a small heap. Each of them is a bad sample
 * or a refused dataset, within seconds. The script {@code bombs.py} made the files. {@code DecompressionBombTest} has more images.
 */
@Tag("processes")
class BombsE2E {
    private static final String HEAP = "400m";
    private static final long MOST_MINUTES = 6;
    private static final long MOST_MILLIS = 60_000;
    private static final String TOO_LARGE = "bytes, a quarter of the heap, found ";
    private static final String TOO_SMALL = " MB is too small; a larger heap holds more";

    @TempDir
    static Path folder;

    /** The output for each pipeline, by its name. The last line is the mark of the end. */
    private static final Map<String, String> OUTPUTS = new HashMap<>();

    private static String whole = "";

    /**
     * A file that is made to need much time or memory.
     *
     * @param path the path of the dataset
     * @param options more options of the dataset
     * @param expected a part of the sentence about it
     */
    record Bomb(String format, String path, String options, String expected) {
        Bomb(String format, String path, String expected) {
            this(format, path, "", expected);
        }

        String name() {
            return path.replace('/', '-') + ".yaml";
        }

        @Override
        public String toString() {
            return path;
        }
    }

    static List<Bomb> bombs() {
        String image = ", fields: {image: image}";
        return Stream.of(files(image), coco(), tables(), texts())
                .flatMap(List::stream)
                .toList();
    }

    private static List<Bomb> texts() {
        String lines = ", separator: \"\\n\"";
        String document = "expected a document of at most ";
        return List.of(
                new Bomb("text", "document.txt.gz", document),
                new Bomb("text", "document.txt.zst", document),
                new Bomb("text", "line.txt.gz", lines, document),
                new Bomb("text", "long.txt", TOO_LARGE + "943718400"),
                new Bomb("jsonl", "line.jsonl", "expected a line of at most "),
                new Bomb("jsonl", "line.jsonl.zst", "expected a line of at most "),
                new Bomb("jsonl", "deep.jsonl", ", fields: {x: x}", "at most 900 deep"));
    }

    private static List<Bomb> coco() {
        String memory = "expected images and annotations that take at most three quarters of the heap, ";
        return List.of(
                coco("many", memory),
                coco("deep", "lists and objects at most 1000 deep, found more in line 1, column "),
                coco("runs", "expected texts of at most"),
                coco("numbers", "expected a list of numbers of at most"),
                coco("polygon", "expected polygons that can be drawn in"),
                coco("polygons", "expected polygons of at most"),
                coco("size", "found 1000000000 and 1000000000"),
                coco("points", "expected keypoints of at most"),
                coco("names", "expected names of keypoints of at most"));
    }

    private static Bomb coco(String name, String expected) {
        String path = "coco-" + name;
        return new Bomb(
                "coco",
                path,
                ", annotations: '" + folder.resolve(path).resolve("a.json") + "', fields: [boxes, masks, keypoints]",
                expected);
    }

    private static List<Bomb> tables() {
        return List.of(
                new Bomb("csv", "row.csv", "row.csv:2: expected a row of at most 16777216 bytes, found a longer one"),
                new Bomb("csv", "quoted.csv", "found a longer one; is a quote not closed?"),
                new Bomb("csv", "columns.csv", "columns.csv:1: expected at most 65536 values, found more"),
                new Bomb("csv", "zeros.csv.gz", "expected an unpacked file that is read to memory, of at most"));
    }

    private static List<Bomb> files(String image) {
        return List.of(
                new Bomb("parquet", "zstd.parquet", image, "expected a page of at most"),
                new Bomb("parquet", "gzip.parquet", image, "expected a page of at most"),
                new Bomb("parquet", "snappy.parquet", image, "that 700004 compressed bytes can hold"),
                new Bomb("parquet", "dictionary.parquet", image, "expected a page of at most"),
                new Bomb("parquet", "nested.parquet", image, "it is nested too deeply"),
                new Bomb("parquet", "lists.parquet", image, "1,073,741,823,500"),
                new Bomb("arrow", "zstd.arrow", image, "expected a buffer of at most"),
                new Bomb("arrow", "lz4.arrow", image, "expected a buffer of at most"),
                new Bomb("arrow", "numbers.arrow", image, "expected a buffer of at most"),
                new Bomb("hdf5", "text.h5", "expected a row of at most"),
                new Bomb("hdf5", "rows.h5", "expected a row of at most"),
                new Bomb("hdf5", "chunk.h5", "expected a row of at most"),
                new Bomb("hdf5", "samples.h5", "expected at most 1099511627776 samples"),
                new Bomb("hdf5", "header.h5", "expected blocks of an object header that fit into the file"),
                new Bomb("hdf5", "links.h5", "expected a group whose links fit into the file"),
                new Bomb("tar", "member.tar", TOO_LARGE + "629145600"),
                new Bomb("tar", "name.tar", "of up to 16777216 bytes, found 8589934592"),
                new Bomb("tar", "records.tar", ", fields: {text: txt}", "found a second member 'txt'"),
                new Bomb("tar", "deep.tar", ", fields: {x: json, label: cls}", "at most 900 deep"),
                new Bomb("tar", "wide.tar", ", fields: {x: json, label: cls}", TOO_SMALL),
                new Bomb("tfrecord", "record.tfrecord", image, TOO_LARGE + "629145604"),
                new Bomb("lmdb", "walk", "expected a tree that has each page once"),
                new Bomb("lmdb", "keys", "expected a tree that has each page once"),
                new Bomb("idx", "idx", TOO_LARGE + "314572800"),
                new Bomb("idx", "long", "found it at 1048656 or later"),
                new Bomb("npy", "npy", "so expected the end at offset 400000000000000128"),
                new Bomb("tar", "manifest/a.tar", ", fields: {text: txt}", "manifest.json is not complete JSON"),
                new Bomb("arrow", "saved", "state.json: expected JSON"),
                new Bomb("folder", "pixels", "failed on sample 0 (a/1.png): the heap of "),
                new Bomb("folder", "zeros", TOO_LARGE + "943718400"),
                new Bomb("folder", "csv", "labels.csv:2: expected values of at most 16777216 characters"),
                new Bomb("folder", "commas", "labels.csv:2: expected at most 65536 values"));
    }

    @BeforeAll
    static void inspect() throws Exception {
        unpack();
        lengthen("member.tar", 512 + (600L << 20) + 1024);
        lengthen("record.tfrecord", 16 + (600L << 20));
        lengthen("zeros/a/1.jpg", 900L << 20);
        lengthen("csv/labels.csv", 700L << 20);
        lengthen("long.txt", 900L << 20);
        lengthen("line.jsonl", 900L << 20);
        lengthen("row.csv", 1L << 30);
        lengthen("quoted.csv", 1L << 30);
        List<String> pipelines = new ArrayList<>();
        for (Bomb bomb : bombs()) {
            Path pipeline = folder.resolve(bomb.name());
            Files.writeString(pipeline, """
                    name: bomb
                    dataset: {format: %s, path: '%s'%s}
                    transforms: [%s]
                    train: {model: none}
                    run: {folder: '%s/runs'}
                    """.formatted(
                            bomb.format(),
                            folder.resolve(bomb.path()),
                            bomb.options(),
                            bomb.format().equals("folder") ? "decode, Pad: {padding: 1}" : "",
                            folder));
            pipelines.add(pipeline.toString());
        }
        pipelines.add(folder.resolve("deep.yaml").toString());
        pipelines.add(folder.resolve("laughs.yaml").toString());
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(JavaCommand.of(
                        System.getProperty("java.class.path"),
                        InspectedFiles.class.getName(),
                        HEAP,
                        folder.resolve("log"),
                        pipelines))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        boolean ended = process.waitFor(MOST_MINUTES, TimeUnit.MINUTES);
        process.destroyForcibly().waitFor();
        whole = Files.readString(output, StandardCharsets.UTF_8);
        assertThat(ended).as("ends in time: %s", whole).isTrue();
        for (String part : whole.split(InspectedFiles.BEGIN, -1)) {
            int line = part.indexOf('\n');
            if (line > 0) {
                OUTPUTS.put(part.substring(part.lastIndexOf('/', line) + 1, line), part.substring(line + 1));
            }
        }
    }

    private static void unpack() throws IOException {
        try (InputStream resource = Objects.requireNonNull(BombsE2E.class.getResourceAsStream("bombs.zip"));
                ZipInputStream zip = new ZipInputStream(resource)) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                Path file = folder.resolve(entry.getName());
                Files.createDirectories(file.getParent());
                Files.copy(zip, file);
            }
        }
    }

    /** Adds zeros to a file, which take no space on the disk. */
    private static void lengthen(String file, long bytes) throws IOException {
        try (RandomAccessFile opened = new RandomAccessFile(folder.resolve(file).toFile(), "rw")) {
            opened.setLength(bytes);
        }
    }

    @ParameterizedTest
    @MethodSource("bombs")
    void fileIsRefusedOrItsSampleIsBad(Bomb bomb) {
        String name = Path.of(bomb.path()).getName(0).toString();
        assertThat(ended(bomb.name())).contains(bomb.expected()).containsAnyOf(name, "(a/1.png)");
    }

    @ParameterizedTest
    @MethodSource("pipelineFiles")
    void pipelineFileIsRefused(String file, String expected) {
        assertThat(ended(file)).contains(expected, InspectedFiles.END + ExitCode.USAGE + " ");
    }

    static List<Object[]> pipelineFiles() {
        return List.of(
                new Object[] {"deep.yaml", "not YAML: Nesting Depth exceeded max"},
                new Object[] {"laughs.yaml", "more than 100000 values"});
    }

    /** Returns the output for a pipeline after a check that its inspection ended well. */
    private static String ended(String name) {
        String output = OUTPUTS.getOrDefault(name, "");
        int end = output.lastIndexOf(InspectedFiles.END);
        assertThat(end).as("%s has an end: %s", name, whole).isNotNegative();
        String[] mark = output.substring(end).strip().split(" ", -1);
        assertThat(Long.parseLong(mark[3])).as(output).isLessThan(MOST_MILLIS);
        assertThat(output).doesNotContain("OutOfMemoryError", "StackOverflowError", "fault of Millrace", "\tat ");
        return output;
    }
}
