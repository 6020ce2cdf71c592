package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.CommandRun;
import io.millrace.cli.SmallData;
import io.millrace.config.ConfigReader;
import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetFormat;
import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.StorageOptions;
import io.millrace.dataset.storage.RangedFile;
import io.millrace.dataset.storage.Storage;
import io.millrace.diagnosis.Limit;
import io.millrace.diagnosis.Measurement;
import io.millrace.diagnosis.TrialLimits;
import io.millrace.diagnosis.Trials;
import io.millrace.option.OptionValues;
import io.millrace.run.ExitCode;
import io.millrace.s3.FaultyProxy;
import io.millrace.s3.FaultyProxy.Fate;
import io.millrace.s3.S3Server;
import io.millrace.s3.Upload;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.ServiceLoader;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystem.WriteMode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs that read from {@code s3://} with Flink's plugin, a real server, and a proxy that fails requests. */
class S3ITCase {
    private static final int CHUNK = 1 << 20;

    @TempDir
    static Path folder;

    private static S3Server server;
    private static FaultyProxy proxy;
    private static byte[] shard = new byte[5 * CHUNK + 321];

    @BeforeAll
    static void upload() throws Exception {
        // The module s3-testing copies the plugin and the class path of the server into its target folder.
        Path plugins = Path.of(Objects.requireNonNull(System.getenv("MILLRACE_PLUGINS"), "Maven sets it"));
        server = S3Server.start(plugins.resolveSibling("s3proxy"), folder);
        server.bucket("data");
        proxy = new FaultyProxy(server.port());
        FileSystems.initialize(settings(server.port(), S3Server.SECRET_KEY));
        new Random(3).nextBytes(shard);
        Path local = Files.createDirectories(folder.resolve("local"));
        Files.write(local.resolve("shard"), shard);
        for (String vector : List.of(
                "arrow/file.arrow",
                "hdf5/gzip.h5",
                "lmdb/classes.mdb",
                "parquet/snappy.parquet",
                "cifar10/data_batch_1.bin",
                "npy/images.npy",
                "npy/labels.npy",
                "tar/pax.tar",
                "tfrecord/train-00000-of-00002.tfrecord")) {
            Path copy = local.resolve(vector);
            Files.createDirectories(copy.getParent());
            Files.copy(
                    Path.of("../operators/src/test/resources/vectors/dataset").resolve(vector), copy);
        }
        images(local.resolve("random"));
        SmallData.digits(local.resolve("digits"));
        SmallData.photos(local.resolve("photos"), 24, 4, 1);
        Upload.tree(local, "data");
    }

    /** Writes 64 images and labels in NumPy's format. Hadoop's client reads 64 KiB ahead, which is hardly more than an image. */
    private static void images(Path folder) throws IOException {
        Files.createDirectories(folder);
        npy(
                folder.resolve("images.npy"),
                "'|u1', 'fortran_order': False, 'shape': (64, 144, 144, 3)",
                64 * 144 * 144 * 3);
        npy(folder.resolve("labels.npy"), "'<i8', 'fortran_order': False, 'shape': (64,)", 64 * Long.BYTES);
    }

    private static void npy(Path file, String type, int bytes) throws IOException {
        String header = String.format("{'descr': %s, }%" + (104 - type.length()) + "s%n", type, "");
        try (OutputStream out = Files.newOutputStream(file)) {
            out.write(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (byte) header.length(), 0});
            out.write(header.getBytes(StandardCharsets.US_ASCII));
            out.write(new byte[bytes]);
        }
    }

    @AfterAll
    static void stop() throws IOException {
        proxy.close();
        server.close();
    }

    @BeforeEach
    void serveAll() throws IOException {
        proxy.faults((number, method, path) -> Fate.SERVED);
        FileSystems.initialize(settings(proxy.port(), S3Server.SECRET_KEY));
    }

    private static Map<String, String> settings(int port, String secret) {
        return Map.of(
                "s3.endpoint",
                "http://127.0.0.1:" + port,
                "s3.path.style.access",
                "true",
                "s3.access-key",
                S3Server.ACCESS_KEY,
                "s3.secret-key",
                secret);
    }

    private static String flink(int port, String secret) {
        return "flink={s3.endpoint: 'http://127.0.0.1:" + port + "', s3.path.style.access: true, s3.access-key: "
                + S3Server.ACCESS_KEY + ", s3.secret-key: " + secret + "}";
    }

    /** Returns faults for half of the requests. The number of a request determines the kind of its fault. */
    private static Fate halfFail(int number, String method, String path) {
        Fate[] ways = {Fate.ERROR, Fate.DROPPED, Fate.SLOW_DOWN, Fate.REFUSED};
        long drawn = new Random(number * 7919L + 5).nextLong();
        return (drawn & 1) == 0 ? Fate.SERVED : ways[(int) (drawn >>> 1 & 3)];
    }

    private static JsonNode train(Path pipeline, String... settings) {
        CommandRun run = CommandRun.of(arguments("train", pipeline, settings));
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.json();
    }

    private static String[] arguments(String command, Path pipeline, String... settings) {
        List<String> arguments = new ArrayList<>(List.of(command, pipeline.toString(), "--json"));
        Arrays.stream(settings).forEach(setting -> arguments.addAll(List.of("--set", setting)));
        return arguments.toArray(String[]::new);
    }

    private static Path photosPipeline() throws IOException {
        return SmallData.photosPipeline(
                folder.resolve("photos.yaml"), folder.resolve("local/photos"), folder.resolve("runs"));
    }

    private static void assertSame(JsonNode remote, JsonNode local) {
        for (String key : List.of("parameters_sha256", "samples", "steps", "quarantined", "quarantined_rows")) {
            assertThat(remote.required(key)).as(key).isEqualTo(local.required(key));
        }
    }

    @Test
    void serverThatFailsHalfOfTheRequestsLosesNoSampleOfAFolder() throws IOException {
        Path pipeline = photosPipeline();
        String blocks = "order.shuffle={blocks: {size: 5, open: 2}}";
        JsonNode local = train(pipeline, blocks);
        proxy.faults(S3ITCase::halfFail);

        JsonNode remote =
                train(pipeline, blocks, "dataset.path=s3://data/photos", flink(proxy.port(), S3Server.SECRET_KEY));

        assertSame(remote, local);
        assertThat(remote.required("quarantined").asInt()).isEqualTo(4);
        assertThat(proxy.failed()).isBetween(proxy.requests() / 3, proxy.requests() * 2 / 3);
        assertThat(proxy.requests()).isGreaterThan(2 * 24);
    }

    @Test
    void serverThatFailsHalfOfTheRequestsLosesNoSampleOfIdxFiles() throws IOException {
        Path pipeline = SmallData.digitsPipeline(
                folder.resolve("digits.yaml"), folder.resolve("local/digits"), folder.resolve("runs"));
        JsonNode local = train(pipeline);
        proxy.faults(S3ITCase::halfFail);

        JsonNode remote = train(
                pipeline,
                "dataset.path=s3://data/digits",
                "storage.chunk=64KiB",
                flink(proxy.port(), S3Server.SECRET_KEY));

        assertSame(remote, local);
        assertThat(proxy.failed()).isPositive();
    }

    @ParameterizedTest
    @CsvSource({
        "arrow, arrow/file.arrow",
        "cifar, cifar10/data_batch_1.bin",
        "hdf5, hdf5/gzip.h5",
        "lmdb, lmdb/classes.mdb",
        "parquet, parquet/snappy.parquet",
        "npy, npy",
        "tar, tar/pax.tar",
        "tfrecord, tfrecord/train-00000-of-00002.tfrecord"
    })
    void everyFormatReadsTheSameFromAServerThatFails(String format, String path) throws IOException {
        StorageOptions options = new StorageOptions(
                4,
                StorageOptions.SMALLEST_CHUNK,
                20,
                Duration.ofSeconds(30),
                // HDF5 files are copied before they are read, and LMDB's pages are small.
                format.equals("hdf5") || format.equals("lmdb")
                        ? new StorageOptions.CacheOptions(
                                folder.resolve("format-cache").toString(), 1 << 30)
                        : null);
        OptionValues remotePath = values(format, "s3://data/" + path);
        OptionValues localPath =
                values(format, folder.resolve("local").resolve(path).toString());
        proxy.faults(S3ITCase::halfFail);
        try (Dataset local = new DatasetSpec(format, localPath).open();
                Dataset remote = new DatasetSpec(format, remotePath, options).open()) {
            assertThat(remote.size()).isEqualTo(local.size()).isPositive();
            for (long i = 0; i < local.size(); i++) {
                assertThat(contents(remote, i)).isEqualTo(contents(local, i));
            }
        }
        assertThat(proxy.requests()).isPositive();
    }

    private static OptionValues values(String format, String path) {
        DatasetFormat known = ServiceLoader.load(DatasetFormat.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(candidate -> candidate.name().equals(format))
                .findFirst()
                .orElseThrow();
        return OptionValues.of(known.options(), Map.of("path", path));
    }

    /** Returns the label and the fields of a sample, or the reason why it is bad. */
    private static List<String> contents(Dataset dataset, long index) throws IOException {
        List<String> contents = new ArrayList<>();
        try {
            Sample sample = dataset.read(index);
            contents.add("label " + sample.label());
            for (String name : sample.fieldNames()) {
                contents.add(name + " " + Arrays.toString(sample.field(name).data()));
            }
        } catch (BadSampleException e) {
            contents.add("bad: " + e.reason());
        }
        return contents;
    }

    @Test
    void secondRunWithACacheFetchesNothing() throws IOException {
        Path pipeline = photosPipeline();
        String[] settings = {
            "dataset.path=s3://data/photos",
            "storage.cache={folder: " + folder.resolve("cache") + ", size: 1GB}",
            flink(proxy.port(), S3Server.SECRET_KEY)
        };
        JsonNode first = train(pipeline, settings);
        // Without the cache each epoch reads twice, and the probe before the start reads once more.
        assertThat(proxy.gets()).isBetween(20, 28);
        proxy.faults((number, method, path) -> Fate.SERVED);

        JsonNode second = train(pipeline, settings);

        assertSame(second, first);
        assertThat(proxy.gets()).isZero();
    }

    /** The same culprit as {@code storage-latency} of the self-test, which simulates it without a server. */
    @Test
    void latencyOfRequestsIsNamedAsTheStorage() throws Exception {
        Path pipeline = Files.writeString(folder.resolve("latency.yaml"), """
                dataset: { format: npy, path: s3://data/random, epochs: endless }
                order: { shuffle: full }
                parallelism: 2
                batch: { size: 8 }
                train: { model: none }
                """);
        TrialLimits limits = new TrialLimits(Duration.ofSeconds(2), 0.03, Duration.ofSeconds(8));
        proxy.faults((number, method, path) -> method.equals("GET") ? Fate.LATE : Fate.SERVED);
        Measurement measured;
        try (Trials trials = Trials.start(3, Files.createDirectories(folder.resolve("latency")))) {
            measured =
                    trials.run(ConfigReader.read(pipeline, List.of()), limits).measurement();
        }

        assertThat(measured.verdict().limit().orElseThrow())
                .extracting(Limit::kind, Limit::culprit)
                .containsExactly(Limit.Kind.STORAGE, "read");
        assertThat(measured.verdict().line()).startsWith("limited by read (the storage): ");
        // The reads of 2 slots with 4 threads wait for a request each.
        assertThat(measured.observed().samplesPerSecond()).isLessThan(8 / 0.06);
    }

    @Test
    void onlyRequestedRangesAreServed() throws IOException {
        StorageOptions options = new StorageOptions(4, CHUNK, 0, Duration.ofSeconds(30), null);
        try (RangedFile file = Storage.of("s3://data", options).ranged("shard")) {
            for (int[] range : new int[][] {{100_000, 7}, {0, 1000}, {CHUNK - 5, 200_000}, {0, 3 * CHUNK}}) {
                proxy.faults((number, method, path) -> Fate.SERVED);
                assertThat(file.read(range[0], range[1]))
                        .isEqualTo(Arrays.copyOfRange(shard, range[0], range[0] + range[1]));
                // Hadoop's client reads at least 64 KiB from the requested position.
                int requests = (range[1] + CHUNK - 1) / CHUNK;
                assertThat(proxy.bodyBytes()).isLessThanOrEqualTo(range[1] + requests * (64 << 10));
            }
        }
    }

    @Test
    void largeReadIsCompleteOverDroppedAndStalledConnections() throws IOException {
        StorageOptions options = new StorageOptions(4, CHUNK, 20, Duration.ofSeconds(3), null);
        proxy.faults((number, method, path) -> number == 4 ? Fate.STALLED : halfFail(number, method, path));
        Storage storage = Storage.of("s3://data", options);

        try (RangedFile file = storage.ranged("shard");
                InputStream in = storage.open("shard")) {
            assertThat(file.read(0, shard.length)).isEqualTo(shard);
            assertThat(in.readAllBytes()).isEqualTo(shard);
        }
        assertThat(proxy.failed()).isGreaterThan(3);
    }

    @Test
    void storageErrorsAreReportedInASentence() throws IOException {
        Path pipeline = photosPipeline();
        String remote = "dataset.path=s3://data/photos";
        inspect(pipeline, remote, flink(proxy.port(), "wrong"))
                .fails(
                        ExitCode.FAILED,
                        "s3://data/photos",
                        "access denied: the credentials are wrong or do not allow reading it");
        inspect(pipeline, "dataset.path=s3://no-such-bucket/photos", flink(proxy.port(), S3Server.SECRET_KEY))
                .fails(ExitCode.FAILED, "s3://no-such-bucket/photos");
        inspect(pipeline, "dataset.path=s3://data/fotos", flink(proxy.port(), S3Server.SECRET_KEY))
                .fails(ExitCode.FAILED, "s3://data/fotos");
        inspect(pipeline, "dataset.path=gs://data/photos")
                .fails(ExitCode.FAILED, "gs://data/photos: gs:// needs Flink's plugin flink-gs-fs-hadoop: put its jar");
    }

    @Test
    void unreachableAddressIsReportedWithinSeconds() throws IOException {
        int closed = closedPort();
        long begun = System.nanoTime();

        inspect(photosPipeline(), "dataset.path=s3://data/photos", flink(closed, S3Server.SECRET_KEY))
                .fails(ExitCode.FAILED, "s3://data/photos", "cannot be read, tried 7 times", "127.0.0.1:" + closed);

        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(40));
    }

    @Test
    void fileThatVanishesBetweenReadsIsReported() throws IOException {
        FileSystems.initialize(settings(server.port(), S3Server.SECRET_KEY));
        var path = new org.apache.flink.core.fs.Path("s3://data/brief");
        FileSystem files = FileSystem.get(path.toUri());
        try (OutputStream out = files.create(path, WriteMode.OVERWRITE)) {
            out.write(new byte[200_000]);
        }
        try (RangedFile file = Storage.of("s3://data").ranged("brief")) {
            files.delete(path, false);

            assertThatThrownBy(() -> file.read(150_000, 10))
                    .isInstanceOf(DatasetException.class)
                    .hasMessage("s3://data/brief is gone: it had 200000 bytes when it was opened");
        }
    }

    private static int closedPort() throws IOException {
        try (FaultyProxy gone = new FaultyProxy(1)) {
            return gone.port();
        }
    }

    private static CommandRun inspect(Path pipeline, String... settings) {
        return CommandRun.of(arguments("inspect", pipeline, settings));
    }
}
