package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The launcher in a distribution of empty jars, with a script in place of java that prints its arguments, one per line,
 * and its environment.
 */
@Tag("processes")
@EnabledOnOs(OS.LINUX)
class LauncherE2E {
    private static final Path LAUNCHER = Path.of("..", "millrace");
    private static final String VECTOR = "jdk.incubator.vector";
    private static final String MACHINE = System.getProperty("os.arch").replace("amd64", "x86_64");

    @TempDir
    Path folder;

    private Path home;
    private final Map<String, String> environment = new HashMap<>();

    /** The output of the launcher, both streams together, and its exit code. */
    private record Started(int exitCode, List<String> lines) {
        String line(String prefix) {
            return lines.stream()
                    .filter(line -> line.startsWith(prefix))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no line " + prefix + " in " + lines));
        }
    }

    @BeforeEach
    void makeADistribution() throws Exception {
        home = folder.resolve("millrace-1.0");
        jar("job/millrace-jobs-1.0.jar", "x");
        jar("lib/millrace-operators-1.0.jar", "natives/linux-" + MACHINE + "/libmillrace.so");
        jar("lib/another-2.0.jar", "x");
        jar("flink/flink-core-2.3.0.jar", "x");
        Files.copy(LAUNCHER, home.resolve("millrace"));
        Path java = folder.resolve("java-home/bin/java");
        Files.createDirectories(java.getParent());
        Files.writeString(java, "#!/bin/sh\nprintf '%s\\n' \"$@\"\nenv\n");
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
        java(17, "java.base jdk.incubator.vector");
        environment.put("PATH", System.getenv("PATH"));
        environment.put("HOME", folder.toString());
        environment.put("JAVA_HOME", folder.resolve("java-home").toString());
    }

    private void java(int version, String modules) throws Exception {
        Files.writeString(
                folder.resolve("java-home/release"),
                "JAVA_VERSION=\"" + version + ".0.1\"\nMODULES=\"" + modules + "\"\n");
    }

    private void jar(String name, String entry) throws Exception {
        Path jar = home.resolve(name);
        Files.createDirectories(jar.getParent());
        try (OutputStream out = Files.newOutputStream(jar);
                ZipOutputStream zip = new ZipOutputStream(out)) {
            zip.putNextEntry(new ZipEntry(entry));
            zip.closeEntry();
        }
    }

    private Started start(String... arguments) throws Exception {
        List<String> command =
                new ArrayList<>(List.of("bash", home.resolve("millrace").toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder launcher =
                new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
        launcher.environment().clear();
        launcher.environment().putAll(environment);
        Process process = launcher.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Started(process.waitFor(), output.lines().toList());
    }

    @Test
    void aDistributionStartsItsJarsAndKeepsItsStateBesideThem() throws Exception {
        Started started = start("train", "a b.yaml");

        assertThat(started.exitCode).as("%s", started.lines).isZero();
        Path real = home.toRealPath();
        assertThat(started.lines)
                .containsSequence(
                        "-cp",
                        real.resolve("job/millrace-jobs-1.0.jar") + ":" + real.resolve("lib/another-2.0.jar") + ":"
                                + real.resolve("lib/millrace-operators-1.0.jar") + ":"
                                + real.resolve("flink/flink-core-2.3.0.jar"),
                        "io.millrace.cli.Main",
                        "train",
                        "a b.yaml")
                .contains("-Dmillrace.state=" + real.resolve(".millrace"));
    }

    @Test
    void aReadOnlyInstallationKeepsItsStateInTheHomeFolder() throws Exception {
        Files.writeString(home.resolve(".millrace"), "A file in place of the folder, which root cannot write either.");

        assertThat(start("status").line("-Dmillrace.state="))
                .isEqualTo("-Dmillrace.state=" + folder.resolve(".local/state/millrace"));

        environment.put("XDG_STATE_HOME", folder.resolve("xdg").toString());
        assertThat(start("status").line("-Dmillrace.state="))
                .isEqualTo("-Dmillrace.state=" + folder.resolve("xdg/millrace"));

        environment.put("MILLRACE_STATE", "mine");
        Started started = start("status");
        assertThat(started.line("-Dmillrace.state=")).isEqualTo("-Dmillrace.state=" + folder.resolve("mine"));
        assertThat(started.line("-Dmillrace.log=")).isEqualTo("-Dmillrace.log=" + folder.resolve("mine/millrace.log"));
    }

    @Test
    void whereNoStateCanBeKeptTheLauncherNamesTheVariable() throws Exception {
        Files.writeString(home.resolve(".millrace"), "");
        environment.put("HOME", folder.resolve("java-home/release").toString());

        Started started = start("status");

        assertThat(started.exitCode).isEqualTo(1);
        assertThat(started.lines)
                .singleElement()
                .asString()
                .startsWith("millrace: neither " + home.toRealPath().resolve(".millrace"))
                .contains("set MILLRACE_STATE");
    }

    @Test
    void nativeLibrariesAreUnpackedIntoTheStateFolderWhereThereIsNoHomeFolder() throws Exception {
        environment.put("HOME", folder.resolve("none").toString());

        Path cache = home.toRealPath().resolve(".millrace/cache");
        assertThat(start("devices").lines)
                .contains("DJL_CACHE_DIR=" + cache.resolve("djl"))
                .contains("-Dorg.bytedeco.javacpp.cachedir=" + cache.resolve("javacpp"));
    }

    @Test
    void theModuleOfTheVectorKernelsIsNotLoadedBesideNativeKernels() throws Exception {
        assertThat(start("train", "digits.yaml").lines).doesNotContain(VECTOR);
        environment.put("MILLRACE_KERNELS", "native");
        assertThat(start("train", "digits.yaml").lines).doesNotContain(VECTOR);
        environment.put("MILLRACE_KERNELS", "scalar");
        assertThat(start("train", "digits.yaml").lines).doesNotContain(VECTOR);
    }

    @Test
    void theModuleOfTheVectorKernelsIsLoadedWhereTheyAreRequired() throws Exception {
        environment.put("MILLRACE_KERNELS", "Vector");
        assertThat(start("devices").lines).containsSequence("--add-modules", VECTOR);

        environment.put("MILLRACE_JVM_OPTS", "-Xmx1g -Dmillrace.kernels=scalar");
        assertThat(start("devices").lines).doesNotContain(VECTOR);
    }

    @Test
    void theModuleOfTheVectorKernelsIsLoadedWhereThereAreNoNativeKernels() throws Exception {
        jar("lib/millrace-operators-1.0.jar", "natives/linux-other/libmillrace.so");
        assertThat(start("devices").lines).containsSequence("--add-modules", VECTOR);

        environment.put("MILLRACE_KERNELS", "scalar");
        assertThat(start("devices").lines).doesNotContain(VECTOR);
    }

    @Test
    void theModuleOfTheVectorKernelsIsNotLoadedIntoARuntimeWithoutIt() throws Exception {
        jar("lib/millrace-operators-1.0.jar", "x");
        java(17, "java.base java.logging");
        assertThat(start("devices").lines).doesNotContain(VECTOR);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ColorJitter: { hue: 0.1 }", "RandAugment", "RandomGrayscale: {}", "ConvertColor: {}"})
    void theModuleOfTheVectorKernelsIsLoadedForTransformsThatHaveNoNativeKernels(String transform) throws Exception {
        Files.writeString(folder.resolve("colour.yaml"), "transforms: [ decode, " + transform + " ]\n");
        assertThat(start("train", "colour.yaml").lines).containsSequence("--add-modules", VECTOR);
        assertThat(start("train", "other.yaml", "--set", "transforms=[" + transform + "]").lines)
                .containsSequence("--add-modules", VECTOR);

        environment.put("MILLRACE_KERNELS", "scalar");
        assertThat(start("train", "colour.yaml").lines).doesNotContain(VECTOR);
    }

    @Test
    void aJavaThatIsTooOldIsRefused() throws Exception {
        java(11, "java.base");
        Started started = start("devices");
        assertThat(started.exitCode).isEqualTo(1);
        assertThat(started.lines)
                .containsExactly("millrace: " + environment.get("JAVA_HOME")
                        + "/bin/java is Java 11; a Java runtime, version 17 or newer, is required (set JAVA_HOME)");
    }

    @Test
    void anIncompleteDistributionIsNamed() throws Exception {
        Files.delete(home.resolve("flink/flink-core-2.3.0.jar"));
        Started started = start("devices");
        assertThat(started.exitCode).isEqualTo(1);
        assertThat(started.lines)
                .containsExactly("millrace: the distribution in " + home.toRealPath()
                        + " is incomplete: there is no flink/*.jar");
    }
}
