package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * The archive of the module dist, unpacked and used with a Java runtime, a few tools of the system and nothing else: no
 * compiler and no Maven. If this user may create namespaces, there is also no network, and the installation is
 * read-only.
 */
@Tag("processes")
@EnabledIfSystemProperty(
        named = DistributionE2E.ARCHIVE,
        matches = ".+",
        disabledReason = "the module dist runs this test after it has made the archive: mvn -B verify -Pdist")
class DistributionE2E {
    /** The system property with the path of the archive. */
    static final String ARCHIVE = "millrace.distribution";

    private static final String DIGITS = "generate={digits: {train: 2000, test: 200}}";

    /**
     * The steps of the test: training in one process, and then on a local cluster; a case of the self-test, which is in a jar of
     * its own. Every command writes its result and its messages into files.
     */
    private static final String STEPS = """
            millrace() { name=$1; shift; "$MILLRACE" "$@" >$name.out 2>$name.err; }
            train=(train "${MILLRACE%/*}/conf/digits.yaml" --set dataset.epochs=1 --set "dataset.$DIGITS"
                --set "evaluate.dataset.$DIGITS" --set parallelism=2 --set run.web_port=0 --json)
            millrace here "${train[@]}" || exit 1
            millrace jars jars copied --json || exit 6
            millrace start cluster start --taskmanagers 1 -D rest.port=0 --json || exit 2
            millrace cluster "${train[@]}" --cluster "$(sed 's/.*"rest":"\\([^"]*\\)".*/\\1/' start.out)"
            trained=$?
            millrace stop cluster stop || exit 4
            [ $trained = 0 ] || exit 3
            millrace selftest diagnose --selftest slow-storage --json # it also fails where the prediction is not exact
            # This option makes a JVM fail that cannot use the archive.
            MILLRACE_JVM_OPTS="$MILLRACE_JVM_OPTS -Xshare:on" millrace version --version || exit 5
            """;

    @TempDir
    static Path folder;

    private static Isolation isolation;
    private static Path opt;
    private static Path home;

    @BeforeAll
    static void unpack() throws Exception {
        String archive = Objects.requireNonNull(System.getProperty(ARCHIVE));
        isolation = new Isolation(folder);
        opt = Files.createDirectory(folder.resolve("opt"));
        isolation.run(List.of("tar", "xzf", Path.of(archive).toString(), "-C", opt.toString()), folder);
        try (Stream<Path> unpacked = Files.list(opt)) {
            Path versioned = unpacked.findFirst().orElseThrow();
            assertThat(versioned.getFileName().toString()).startsWith("millrace-");
            home = Files.move(versioned, opt.resolve("millrace"));
        }
    }

    @AfterAll
    static void allowDeletion() throws Exception {
        if (home != null) {
            isolation.run(List.of("chmod", "-R", "u+w", home.toString()), folder);
            isolation.run(List.of("rm", "-rf", folder.resolve("tools").toString()), folder);
        }
    }

    @Test
    void aRunTrainsWithAJavaRuntimeAloneHereAndOnAClusterOfItsOwn() throws Exception {
        Path empty = Files.createDirectory(folder.resolve("empty"));
        Files.writeString(folder.resolve("steps.sh"), STEPS);
        isolation.run(List.of("chmod", "-R", "a-w", home.toString()), folder);

        List<String> command = new ArrayList<>(isolation.command(home));
        command.addAll(List.of("env", "-i"));
        command.addAll(List.of(
                "PATH=" + isolation.tools(),
                "JAVA_HOME=" + runtime(),
                "HOME=" + Files.createDirectory(folder.resolve("home")),
                "MILLRACE_STATE=" + folder.resolve("state"),
                "MILLRACE_CLASS_ARCHIVE=now",
                "DJL_CACHE_DIR=" + folder.resolve("cache"),
                "MILLRACE_JVM_OPTS=-Dorg.bytedeco.javacpp.cachedir=" + folder.resolve("javacpp") + " -Xmx768m",
                "MILLRACE=" + home.resolve("millrace"),
                "DIGITS=" + DIGITS));
        command.addAll(List.of("bash", folder.resolve("steps.sh").toString()));
        isolation.run(command, empty);

        JsonNode here = json(empty.resolve("here.out"));
        assertThat(here.path("status").asText()).isEqualTo("finished");
        assertThat(here.path("samples").asInt()).isEqualTo(2000);
        assertThat(json(empty.resolve("cluster.out")).path("parameters_sha256").asText())
                .as("the parameters of the run on the cluster")
                .isEqualTo(here.path("parameters_sha256").asText())
                .isNotEmpty();
        assertThat(names(empty.resolve("copied")))
                .as("the jars for the lib folder of Flink")
                .isEqualTo(names(home.resolve("lib")));
        if (hasNativeKernels()) {
            assertThat(here.path("kernels").asText()).startsWith("native");
        }
        assertThat(Files.readString(empty.resolve("here.err"))).doesNotContain("SLF4J");
        assertThat(folder.resolve("state/millrace.log")).isNotEmptyFile();
        try (Stream<Path> archives = Files.list(folder.resolve("state/class-data"))) {
            assertThat(archives.filter(file -> file.toString().endsWith(".jsa")))
                    .hasSize(1);
        }
        String taskManager;
        try (Stream<Path> logs = Files.walk(folder.resolve("state"))) {
            taskManager = Files.readString(logs.filter(file -> file.endsWith("taskmanager-1.log"))
                    .findFirst()
                    .orElseThrow());
        }
        assertThat(taskManager).contains("-XX:SharedArchiveFile=" + folder.resolve("state/class-data"));
        assertThat(folder.resolve("cache")).as("PyTorch's libraries").isNotEmptyDirectory();
        assertThat(home.resolve(".millrace")).doesNotExist();
        assertThat(json(empty.resolve("selftest.out")).at("/cases/0/named").asText())
                .isEqualTo("read (storage)");
    }

    @Test
    void licencesOfTheLibrariesAreInside() throws Exception {
        assertThat(Files.readString(home.resolve("NOTICE")))
                .contains(
                        "org.apache.flink:flink-core:",
                        "ai.djl.pytorch:pytorch-native-cpu:",
                        "org.bytedeco:opencv:",
                        "org.apache.logging.log4j:log4j-core:")
                .contains("Independent JPEG Group")
                .doesNotContain("io.millrace:", "Unknown license");
        assertThat(home.resolve("LICENSE")).isNotEmptyFile();
        assertThat(home.resolve("licenses"))
                .isDirectoryContaining(path -> path.toString().contains("flink-core-"));
        assertThat(home.resolve("licenses/BSD-3-Clause.txt")).isNotEmptyFile();
        assertThat(home.resolve("CHANGELOG.md")).isNotEmptyFile();
    }

    /**
     * The Dockerfile's build context is the unpacked folder. The test creates the links with the commands of the
     * Dockerfile.
     */
    @Test
    void theStepsOfTheDockerfileMakeTheLibFolderOfFlink() throws Exception {
        Files.createDirectories(opt.resolve("flink/lib"));
        isolation.run(List.of("chmod", "-R", "u+w", home.toString()), folder);
        String links = Dockerfile.read().runs().stream()
                .filter(run -> run.contains("ln -s"))
                .findFirst()
                .orElseThrow();
        isolation.run(List.of("bash", "-c", links.replace("/opt/", opt + "/")), folder);

        try (Stream<Path> made = Files.list(opt.resolve("flink/lib"))) {
            assertThat(made.toList())
                    .allSatisfy(link -> assertThat(link).isRegularFile())
                    .anySatisfy(link -> assertThat(link.toString()).contains("millrace-operators-"))
                    .anySatisfy(link -> assertThat(link.toString()).contains("millrace-gpu-sink-"))
                    .anySatisfy(link -> assertThat(link.toString()).contains("pytorch-native-cpu-"))
                    .noneSatisfy(link -> assertThat(link.toString()).contains("millrace-jobs"))
                    .noneSatisfy(
                            link -> assertThat(link.getFileName().toString()).startsWith("flink-"));
        }
        assertThat(home.resolve("millrace-jobs.jar")).isRegularFile();
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static boolean hasNativeKernels() throws IOException {
        String machine = System.getProperty("os.arch").replace("amd64", "x86_64");
        try (Stream<Path> jars = Files.list(home.resolve("lib"))) {
            Path jar = jars.filter(path -> path.toString().contains("millrace-operators-"))
                    .findFirst()
                    .orElseThrow();
            return new String(Files.readAllBytes(jar), StandardCharsets.ISO_8859_1)
                    .contains("natives/linux-" + machine + "/libmillrace.so");
        }
    }

    /** Returns a Java runtime with the modules of a JRE, which the JDK of this test creates. */
    private static Path runtime() {
        ToolProvider jlink = ToolProvider.findFirst("jlink").orElse(null);
        Assumptions.assumeTrue(
                jlink != null && Files.isDirectory(Path.of(System.getProperty("java.home"), "jmods")),
                "the JDK has no jlink or no jmods to make a Java runtime of");
        Path runtime = folder.resolve("runtime");
        String modules = "java.se,jdk.unsupported,jdk.management,jdk.crypto.ec,jdk.zipfs,jdk.localedata,jdk.naming.dns";
        int exitCode = jlink.run(
                System.out,
                System.err,
                "--add-modules",
                modules,
                "--no-header-files",
                "--no-man-pages",
                "--output",
                runtime.toString());
        assertThat(exitCode).as("jlink").isZero();
        assertThat(runtime.resolve("bin/javac")).doesNotExist();
        return runtime;
    }

    private static JsonNode json(Path file) throws IOException {
        return new ObjectMapper().readTree(Files.readString(file).strip());
    }
}
