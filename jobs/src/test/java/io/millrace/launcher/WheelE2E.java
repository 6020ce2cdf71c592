package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The wheel of the module dist, installed by pip into a folder, and used by a Python program without Java on the PATH, without a home
 * folder and in a path with spaces and other letters than ASCII. If this user may create namespaces, there is also no network, and
 * the installation is read-only.
 */
@Tag("processes")
@EnabledIfSystemProperty(
        named = WheelE2E.WHEEL,
        matches = ".+",
        disabledReason = "the module dist runs this test after it has made the wheel: mvn -B verify -Pdist")
@EnabledIfEnvironmentVariable(
        named = WheelE2E.PYTHON,
        matches = ".+",
        disabledReason = "set MILLRACE_TEST_PYTHON to a Python with numpy and pip")
class WheelE2E {
    /** The system property with the folder of the wheel. It has no wheel where none could be made. */
    static final String WHEEL = "millrace.wheel";

    static final String PYTHON = "MILLRACE_TEST_PYTHON";

    /** A program that starts a server twice and receives one batch of each, and the command that pip has made. */
    private static final String PROGRAM = """
            import json, os, subprocess, sys, time
            import millrace

            site, digits = sys.argv[1], "generate={digits: {train: 2000, test: 200}}"
            settings = ["dataset." + digits, "evaluate.dataset." + digits, "parallelism=2"]
            config, seconds = os.path.join(site, "millrace/_server/conf/digits.yaml"), []
            for _ in range(2):
                begun = time.monotonic()
                with millrace.Loader(config, settings=settings) as loader:
                    shape = next(iter(loader))["image"].shape
                seconds.append(time.monotonic() - begun)

            def command(*arguments):
                script = [sys.executable, os.path.join(site, "bin/millrace"), *arguments]
                done = subprocess.run(script, capture_output=True, text=True)
                return [done.returncode, done.stdout, done.stderr]

            train = ["train", config, "--set", "dataset." + digits, "--set", "evaluate.dataset." + digits]
            os.environ["MILLRACE_CLASS_ARCHIVE"] = "now"
            archive = command("--version")
            os.environ["MILLRACE_CLASS_ARCHIVE"] = "off"
            print(json.dumps({
                "archive": archive,
                "shape": shape, "seconds": seconds, "version": command("--version"), "wrong": command("trian"),
                "inspected": command("inspect", "none.yaml", "--json"),
                "none": command("train", "none.yaml", "--json"),
                "model": command(*train),
            }))
            """;

    /** A program that receives all batches of its own server, whose reader of Parquet loads a native library. */
    private static final String READER = """
            import sys
            import millrace

            with millrace.Loader("rows.yaml") as loader:
                print(sum(len(batch["value"]) for batch in loader), "rows", loader.stats()["memory"]["kind"])
            """;

    private static final String MOUNTABLE = "for one in \"$WHEEL_FOLDER\" \"$WHEEL_PYTHON\"; do"
            + " mount --bind \"$one\" \"$one\" && mount -o remount,bind,exec \"$one\" || exit; done";

    /** A place in which the server of the wheel must start: a shell command before the program, and variables. */
    private enum Place {
        OTHER_USER("exec setpriv --reuid 54321 --regid 54321 --clear-groups \"$@\"", "HOME=/"),
        SMALL_SHARED_MEMORY("mount -t tmpfs -o size=64m tmpfs /dev/shm && exec \"$@\""),
        NOTHING_RUNS_IN_TMP(
                "mount --bind /tmp /tmp && mount -o remount,bind,noexec /tmp && " + MOUNTABLE + " && exec \"$@\""),
        NO_PATH("exec \"$@\"", "PATH=/nowhere"),
        TURKISH("exec \"$@\"", "LANG=tr_TR.UTF-8", "MILLRACE_JVM_OPTS=-Duser.language=tr -Duser.country=TR");

        private final String script;

        /** One variable in each line. */
        private final String variables;

        Place(String script, String... variables) {
            this.script = script;
            this.variables = String.join("\n", variables);
        }
    }

    @TempDir
    static Path folder;

    private static Isolation isolation;
    private static Path site;
    private static String python;

    @BeforeAll
    static void install() throws Exception {
        isolation = new Isolation(folder);
        python = Objects.requireNonNull(System.getenv(PYTHON));
        site = folder.resolve("pictures of käse/site");
        Path wheels = Path.of(Objects.requireNonNull(System.getProperty(WHEEL)));
        List<Path> made;
        try (Stream<Path> files = Files.list(wheels)) {
            made = files.filter(file -> file.toString().endsWith(".whl")).toList();
        }
        Assumptions.assumeFalse(made.isEmpty(), "there is no wheel in " + wheels + ": see the warning of the build");
        assertThat(made).hasSize(1);
        isolation.run(
                List.of(
                        python,
                        "-m",
                        "pip",
                        "install",
                        "-q",
                        "--no-index",
                        "--no-deps",
                        "--target",
                        site.toString(),
                        made.get(0).toString()),
                folder);
    }

    @AfterAll
    static void allowDeletion() throws Exception {
        if (Files.exists(site)) {
            isolation.run(List.of("chmod", "-R", "u+w", site.toString()), folder);
        }
        isolation.run(List.of("rm", "-rf", folder.resolve("tools").toString()), folder);
    }

    @Test
    void theSbomNamesWhatTheWheelHas() throws Exception {
        JsonNode bom;
        try (Stream<Path> files = Files.walk(site)) {
            Path found = files.filter(file -> file.endsWith("sboms/millrace.cdx.json"))
                    .findFirst()
                    .orElseThrow();
            bom = new ObjectMapper().readTree(Files.readString(found));
        }

        assertThat(bom.path("bomFormat").asText()).isEqualTo("CycloneDX");
        List<String> names = bom.path("components").findValuesAsText("name");
        assertThat(names)
                .contains("flink-core", "opencv", "millrace-operators", "openjdk")
                .doesNotContain("pytorch-native-cpu");
        try (Stream<Path> jars = Files.walk(site)) {
            assertThat(jars.filter(file ->
                                    file.getParent().getFileName().toString().matches("job|lib|flink"))
                            .filter(file -> file.toString().endsWith(".jar") && !file.endsWith("jrt-fs.jar"))
                            .count())
                    .as("jars, which all have a component")
                    .isEqualTo(bom.path("components").findValuesAsText("purl").stream()
                            .filter(purl -> purl.startsWith("pkg:maven/"))
                            .count());
        }
    }

    @Test
    void theChecksumsAreThoseOfTheFiles() throws Exception {
        Path wheels = Path.of(Objects.requireNonNull(System.getProperty(WHEEL)));
        isolation.run(List.of("bash", "-c", "sha256sum -c *.sha256 && cd .. && sha256sum -c *.sha256"), wheels);

        assertThat(isolation.output().lines().filter(line -> line.endsWith(": OK")))
                .hasSize(4);
    }

    @ParameterizedTest
    @EnumSource
    void theServerStartsWhere(Place place) throws Exception {
        Path work = Files.createDirectory(folder.resolve(place.name()));
        Files.writeString(work.resolve("reader.py"), READER);
        Files.copy(
                Path.of("../operators/src/test/resources/vectors/dataset/parquet/zstd.parquet"),
                work.resolve("rows.parquet"));
        Files.writeString(work.resolve("rows.yaml"), """
                dataset: { format: parquet, path: rows.parquet, fields: { value: label }, epochs: 1 }
                batch: { size: 10, drop_last: false }
                """);
        for (Path readable : List.of(folder, work)) {
            Files.setPosixFilePermissions(readable, PosixFilePermissions.fromString("rwxrwxrwx"));
        }
        Path temporary = Files.createDirectory(work.resolve("tmp"));
        Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rwxrwxrwx"));
        List<String> command = new ArrayList<>(List.of("env", "-i"));
        command.addAll(List.of(
                "PATH=" + System.getenv("PATH"),
                "HOME=" + work,
                "PYTHONPATH=" + site + ":" + packages(),
                "TMPDIR=" + temporary,
                "WHEEL_FOLDER=" + folder,
                "WHEEL_PYTHON=" + Path.of(python).getParent().getParent(),
                "MILLRACE_CLASS_ARCHIVE=off"));
        command.addAll(List.of("unshare", "--mount", "bash", "-c", place.script, "bash", "env"));
        command.addAll(place.variables.lines().toList());
        String interpreter = null;
        // Another user may not enter the folder of the first one.
        for (String candidate : List.of(python, "/usr/bin/python3")) {
            if (isolation.succeeds(with(command, candidate, "-c", "import numpy"), work)) {
                interpreter = candidate;
                break;
            }
        }
        Assumptions.assumeTrue(interpreter != null, "there is no such place here: " + place);

        isolation.run(with(command, interpreter, "reader.py"), work);

        assertThat(isolation.output()).contains("20 rows memfd");
    }

    private static List<String> with(List<String> command, String... more) {
        return Stream.concat(command.stream(), Stream.of(more)).toList();
    }

    /** Returns the folder of Python's packages, which has numpy. */
    private static String packages() throws Exception {
        isolation.run(List.of(python, "-c", "import numpy, os; print(os.path.dirname(numpy.__path__[0]))"), folder);
        return isolation.output().strip();
    }

    @Test
    void aPythonProgramNeedsNeitherJavaNorANetworkNorAHomeFolder() throws Exception {
        Path empty = Files.createDirectory(folder.resolve("empty"));
        Files.writeString(folder.resolve("program.py"), PROGRAM);
        Files.writeString(empty.resolve("none.yaml"), """
                dataset: { format: idx, path: data/digits, generate: { digits: { train: 2000, test: 200 } }, epochs: 1 }
                batch: { size: 64 }
                train: { model: none }
                """);
        isolation.run(List.of("chmod", "-R", "a-w", site.toString()), folder);

        List<String> command = new ArrayList<>(isolation.command(site));
        command.addAll(List.of("env", "-i"));
        command.addAll(List.of(
                "PATH=" + isolation.tools(),
                "HOME=/proc/nowhere",
                "LANG=C",
                "PYTHONUTF8=1",
                "PYTHONPATH=" + site,
                "TMPDIR=" + Files.createDirectory(folder.resolve("tmp")),
                "MILLRACE_CLASS_ARCHIVE=off",
                // An installed torch would be the libtorch of the server.
                "PYTORCH_LIBRARY_PATH="));
        command.addAll(List.of(python, folder.resolve("program.py").toString(), site.toString()));
        Path result = folder.resolve("result.json");
        command.addAll(0, List.of("bash", "-c", "\"$@\" >\"$0\"", result.toString()));
        isolation.run(command, empty);

        JsonNode found = new ObjectMapper().readTree(Files.readString(result));
        assertThat(found.path("shape").toString()).isEqualTo("[64,28,28,1]");
        assertThat(found.at("/archive/2").asText())
                .as("without libtorch")
                .contains("preparing faster starts", "done in");
        assertThat(found.at("/version/1").asText()).contains("millrace ");
        assertThat(found.at("/wrong/0").asInt()).isEqualTo(2);
        assertThat(found.at("/wrong/2").asText()).startsWith("millrace: ").contains("train");
        assertThat(found.at("/inspected/0").asInt())
                .as("%s", found.at("/inspected"))
                .isZero();
        assertThat(found.at("/inspected/1").asText()).contains("2000");
        assertThat(found.at("/none/0").asInt()).as("%s", found.at("/none")).isZero();
        assertThat(found.at("/none/1").asText()).contains("\"samples\":2000");
        assertThat(found.at("/model/0").asInt()).isNotZero();
        assertThat(found.at("/model/2").asText()).contains("pip install torch==");
    }
}
