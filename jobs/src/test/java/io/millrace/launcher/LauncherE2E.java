package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * The launcher in a distribution of empty jars, with a script in place of java that prints its arguments, one per line,
 * and its environment.
 */
@Tag("processes")
@EnabledOnOs(OS.LINUX)
class LauncherE2E {
    private static final Path LAUNCHER = Path.of("..", "millrace");

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
        jar("selftest/millrace-jobs-1.0-selftest.jar", "x");
        jar("lib/millrace-operators-1.0.jar", "x");
        jar("lib/another-2.0.jar", "x");
        jar("flink/flink-core-2.3.0.jar", "x");
        Files.copy(LAUNCHER, home.resolve("millrace"));
        Path java = folder.resolve("java-home/bin/java");
        Files.createDirectories(java.getParent());
        Files.writeString(java, "#!/bin/sh\nprintf '%s\\n' \"$@\"\nenv\n");
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
        java(17);
        environment.put("PATH", System.getenv("PATH"));
        environment.put("HOME", folder.toString());
        environment.put("JAVA_HOME", folder.resolve("java-home").toString());
    }

    private void java(int version) throws Exception {
        Files.writeString(folder.resolve("java-home/release"), "JAVA_VERSION=\"" + version + ".0.1\"\n");
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
        return startIn(List.of(), arguments);
    }

    /** Starts the launcher by a command that replaces itself with the command behind it. */
    private Started startIn(List<String> wrapper, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(wrapper);
        command.addAll(List.of("bash", home.resolve("millrace").toString()));
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
                        real.resolve("lib/another-2.0.jar") + ":" + real.resolve("flink/flink-core-2.3.0.jar") + ":"
                                + real.resolve("job/millrace-jobs-1.0.jar") + ":"
                                + real.resolve("lib/millrace-operators-1.0.jar"),
                        "io.millrace.cli.Main",
                        "train",
                        "a b.yaml")
                .contains("-Dmillrace.state=" + real.resolve(".millrace"));
    }

    @Test
    void onlyTheSelfTestHasThePlantedBottlenecks() throws Exception {
        String jar = ":" + home.toRealPath().resolve("selftest/millrace-jobs-1.0-selftest.jar");

        for (List<String> options : List.of(List.of("--selftest"), List.of("--json", "--selftest=slow-storage"))) {
            List<String> arguments = new ArrayList<>(List.of("diagnose"));
            arguments.addAll(options);
            assertThat(start(arguments.toArray(String[]::new)).lines)
                    .as("%s", arguments)
                    .anyMatch(line -> line.endsWith(jar) && line.contains("lib/millrace-operators-1.0.jar"));
        }
        assertThat(start("diagnose", "selftest.yaml").lines).noneMatch(line -> line.contains(jar));
    }

    @Test
    void theCollectorThatTheUserHasChosenIsTheOnlyOne() throws Exception {
        assertThat(start("train").lines).contains("-XX:+UseParallelGC");
        Files.writeString(folder.resolve("options"), "-Xss2m\n-XX:+UseSerialGC\n");
        for (Map.Entry<String, String> choice : Map.of(
                        "JAVA_TOOL_OPTIONS", "-XX:+UseZGC",
                        "JDK_JAVA_OPTIONS", "-Dx='a b' @options",
                        "_JAVA_OPTIONS", "-XX:+UseShenandoahGC",
                        "MILLRACE_JVM_OPTS", "-Xmx1g -XX:+UseG1GC")
                .entrySet()) {
            environment.put(choice.getKey(), choice.getValue());
            assertThat(start("train").lines).as("%s", choice).doesNotContain("-XX:+UseParallelGC");
            environment.put(choice.getKey(), "-Xmx1g -XX:+UseStringDeduplication");
            assertThat(start("train").lines).as("%s", choice).contains("-XX:+UseParallelGC");
            environment.remove(choice.getKey());
        }
    }

    @Test
    void fileNamesAreUtf8AlsoWhereTheLocaleIsMissing() throws Exception {
        for (String locale : List.of("C", "ja_JP.eucJP", "xx_XX.UTF-8")) {
            environment.put("LANG", locale);
            assertThat(start("train").lines).as(locale).contains("LC_ALL=C.UTF-8");
        }
        environment.put("LANG", "C.UTF-8");
        assertThat(start("train").lines).doesNotContain("LC_ALL=C.UTF-8").contains("-Dmillrace.unicode=true");
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
    void withoutAHomeFolderTheStateIsInAFolderOfTheUserForTemporaryFiles() throws Exception {
        Files.writeString(home.resolve(".millrace"), "");
        environment.put("HOME", folder.resolve("java-home/release").toString());
        Path temporary = Files.createDirectory(folder.resolve("temporary"));
        environment.put("TMPDIR", temporary.toString());

        String state = start("status").line("-Dmillrace.state=");

        assertThat(state).startsWith("-Dmillrace.state=" + temporary.resolve("millrace-"));
        Path kept = Path.of(state.substring("-Dmillrace.state=".length()));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(kept)))
                .isEqualTo("rwx------");

        // Another user could have made a link with this name.
        Path elsewhere = Files.move(kept, folder.resolve("elsewhere"));
        Files.createSymbolicLink(kept, elsewhere);
        assertThat(start("status").exitCode).isEqualTo(1);
    }

    @Test
    void whereNoStateCanBeKeptTheLauncherNamesTheVariable() throws Exception {
        Files.writeString(home.resolve(".millrace"), "");
        environment.put("HOME", folder.resolve("java-home/release").toString());
        environment.put("TMPDIR", folder.resolve("java-home/release").toString());

        Started started = start("status");

        assertThat(started.exitCode).isEqualTo(1);
        assertThat(started.lines)
                .singleElement()
                .asString()
                .startsWith("millrace: neither " + folder.resolve("java-home/release/.local/state/millrace"))
                .contains("set MILLRACE_STATE");
    }

    @Test
    void aPackageUsesItsOwnJavaAndKeepsItsStateInTheHomeFolder() throws Exception {
        Files.createDirectories(home.resolve("java/bin"));
        for (String file : List.of("bin/java", "release")) {
            Files.copy(
                    folder.resolve("java-home").resolve(file),
                    home.resolve("java").resolve(file),
                    StandardCopyOption.COPY_ATTRIBUTES);
        }
        environment.put("JAVA_HOME", "/nowhere");

        assertThat(start("status").line("-Dmillrace.state="))
                .isEqualTo("-Dmillrace.state=" + folder.resolve(".local/state/millrace"));
        assertThat(home.resolve(".millrace")).doesNotExist();
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
    void nativeLibrariesAreUnpackedIntoTheStateFolderWhereTmpIsMountedWithNoexec() throws Exception {
        assertThat(start("devices").lines).noneMatch(line -> line.startsWith("-Djava.io.tmpdir="));

        // The folder of this test may be in /tmp, so that the mount must not hide it.
        List<String> mounted = List.of(
                "unshare",
                "--mount",
                "bash",
                "-c",
                "mount --bind /tmp /tmp && mount -o remount,bind,noexec /tmp && mount --bind \"$0\" \"$0\""
                        + " && mount -o remount,bind,exec \"$0\" && exec \"$@\"",
                folder.toString());
        List<String> trial = new ArrayList<>(mounted);
        trial.add("true");
        Assumptions.assumeTrue(new ProcessBuilder(trial).start().waitFor() == 0, "this user may not mount");
        assertThat(startIn(mounted, "devices").line("-Djava.io.tmpdir="))
                .isEqualTo("-Djava.io.tmpdir=" + home.toRealPath().resolve(".millrace/tmp"));

        environment.put("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=/mine");
        assertThat(startIn(mounted, "devices").lines).noneMatch(line -> line.startsWith("-Djava.io.tmpdir="));
    }

    @Test
    void aJavaThatIsTooOldIsRefused() throws Exception {
        java(11);
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

    /** Replaces java by a script that also makes an archive of classes, as a JVM does, and logs the attempt. */
    private void javaMakesArchives(String whatMakingDoes) throws Exception {
        Path server = folder.resolve("java-home/lib/server");
        Files.createDirectories(server);
        Files.writeString(server.resolve("libjvm.so"), "x");
        Files.writeString(
                folder.resolve("java-home/bin/java"),
                "#!/bin/sh\ncase \"$*\" in\n*-Xshare:dump*) echo dump >>" + folder.resolve("attempts") + "; "
                        + whatMakingDoes + " ;;\n*) printf '%s\\n' \"$@\" ;;\nesac\n"
                        + "for word in \"$@\"; do\ncase $word in -XX:DumpLoadedClassList=*) echo \"$*\" >${word#*=} ;; esac\ndone\n");
    }

    private List<Path> archives() throws Exception {
        return filesIn(home.toRealPath().resolve(".millrace/class-data")).stream()
                .filter(file -> file.toString().endsWith(".jsa"))
                .toList();
    }

    private static List<Path> filesIn(Path folder) throws Exception {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }

    private static void await(Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
        while (!condition.call()) {
            assertThat(System.nanoTime()).as("the time limit").isLessThan(deadline);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
    }

    private int attempts() throws Exception {
        Path attempts = folder.resolve("attempts");
        return Files.exists(attempts) ? Files.readAllLines(attempts).size() : 0;
    }

    @Test
    void theArchiveOfClassesIsMadeOnceAndUsedByEveryStart() throws Exception {
        javaMakesArchives("echo archive >made");
        environment.put("MILLRACE_CLASS_ARCHIVE", "now");

        Started first = start("train", "digits.yaml");

        assertThat(first.exitCode).as("%s", first.lines).isZero();
        Path archive = archives().get(0);
        assertThat(first.lines).contains("-XX:SharedArchiveFile=" + archive, "-Xlog:cds*=off");
        environment.remove("MILLRACE_CLASS_ARCHIVE");
        assertThat(start("status").lines).contains("-XX:SharedArchiveFile=" + archive);
        assertThat(attempts()).isEqualTo(1);
        assertThat(filesIn(archive.getParent()).toString()).doesNotContain("making");

        environment.put("MILLRACE_CLASS_ARCHIVE", "off");
        assertThat(start("status").lines.toString()).doesNotContain("SharedArchiveFile");
    }

    @Test
    void theArchiveHasTheClassesOfATrainingAndOfAJobManager() throws Exception {
        javaMakesArchives("cp classes made");
        environment.put("MILLRACE_CLASS_ARCHIVE", "now");

        start("status");

        assertThat(Files.readAllLines(archives().get(0)))
                .satisfiesExactly(
                        line -> assertThat(line).endsWith("io.millrace.cli.Main train small.yaml"),
                        line -> assertThat(line).endsWith("StandaloneSessionClusterEntrypoint --configDir ."));
    }

    @Test
    void aDistributionMakesTheArchiveAfterItsFirstCommand() throws Exception {
        javaMakesArchives("echo archive >made");

        Started first = start("status");

        assertThat(first.lines.toString()).contains("io.millrace.cli.Main").doesNotContain("SharedArchiveFile");
        await(() -> !archives().isEmpty());
        assertThat(start("status").lines)
                .contains("-XX:SharedArchiveFile=" + archives().get(0));
    }

    @Test
    void anotherCommandEndsTheMakingOfTheArchiveAndMakesItLater() throws Exception {
        Path making = folder.resolve("making");
        javaMakesArchives("echo $$ >" + making + ".part; mv " + making + ".part " + making + "; while [ ! -e "
                + folder.resolve("go") + " ]; do sleep 0.1; done; echo archive >made");
        assertThat(start("status").lines.toString()).contains("faster starts are prepared in the background");
        await(() -> Files.exists(making));
        long first = Long.parseLong(Files.readString(making).strip());
        Files.delete(making);

        assertThat(start("status").lines.toString()).doesNotContain("faster starts", "SharedArchiveFile");
        await(() -> ProcessHandle.of(first).filter(ProcessHandle::isAlive).isEmpty());
        await(() -> Files.exists(making));
        assertThat(archives()).isEmpty();
        Files.writeString(folder.resolve("go"), "");
        await(() -> !archives().isEmpty());
        assertThat(attempts()).isEqualTo(2);
    }

    @Test
    void anArchiveOfOtherLibrariesOrAnotherJavaIsNotUsed() throws Exception {
        javaMakesArchives("echo archive >made");
        environment.put("MILLRACE_CLASS_ARCHIVE", "now");
        String first = start("status").line("-XX:SharedArchiveFile=");

        Files.setLastModifiedTime(home.resolve("lib/another-2.0.jar"), FileTime.from(Instant.EPOCH));
        String other = start("status").line("-XX:SharedArchiveFile=");
        assertThat(other).isNotEqualTo(first);

        Files.writeString(folder.resolve("java-home/lib/server/libjvm.so"), "another JVM");
        assertThat(start("status").line("-XX:SharedArchiveFile=")).isNotIn(first, other);
        assertThat(archives()).as("older ones are deleted").hasSize(2);
    }

    @Test
    void whereTheArchiveCannotBeMadeCommandsWorkAndItIsNotTriedAgain() throws Exception {
        javaMakesArchives("exit 1");
        environment.put("MILLRACE_CLASS_ARCHIVE", "now");

        for (int i = 0; i < 2; i++) {
            Started started = start("status");
            assertThat(started.exitCode).isZero();
            assertThat(started.lines.toString())
                    .contains("io.millrace.cli.Main", "failed, which only makes starts slower")
                    .doesNotContain("SharedArchiveFile");
        }
        assertThat(attempts()).isEqualTo(1);
    }

    @Test
    void whereTheArchiveCannotBeWrittenCommandsWork() throws Exception {
        javaMakesArchives("echo archive >made");
        environment.put("MILLRACE_CLASS_ARCHIVE", "now");
        Files.createDirectories(home.resolve(".millrace"));
        Files.writeString(home.resolve(".millrace/class-data"), "A file in place of the folder.");

        Started started = start("status");

        assertThat(started.exitCode).isZero();
        assertThat(started.lines.toString()).contains("io.millrace.cli.Main").doesNotContain("SharedArchiveFile");
        assertThat(attempts()).isZero();
    }

    @Test
    void ofTwoStartsAtOnceOneMakesTheArchiveAndBothRun() throws Exception {
        javaMakesArchives("while [ ! -e " + folder.resolve("go") + " ]; do sleep 0.1; done; echo archive >made");
        environment.put("MILLRACE_CLASS_ARCHIVE", "now");
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try {
            Future<Started> maker = threads.submit(() -> start("status"));
            await(() -> attempts() == 1);

            Started second = start("status");
            assertThat(second.exitCode).isZero();
            assertThat(second.lines.toString()).contains("io.millrace.cli.Main").doesNotContain("SharedArchiveFile");

            Files.writeString(folder.resolve("go"), "");
            assertThat(maker.get().line("-XX:SharedArchiveFile="))
                    .contains(archives().get(0).toString());
            assertThat(attempts()).isEqualTo(1);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void aWrongSettingForTheArchiveIsRefused() throws Exception {
        environment.put("MILLRACE_CLASS_ARCHIVE", "always");
        Started started = start("status");
        assertThat(started.exitCode).isEqualTo(1);
        assertThat(started.lines)
                .containsExactly("millrace: MILLRACE_CLASS_ARCHIVE is 'always', but must be auto, now or off");
    }

    @Test
    void flinksCopyOfScalaIsLeftOutBesideTheUsersScala() throws Exception {
        jar("flink/flink-rpc-akka-2.3.0.jar", "scala/Predef.class");
        assertThat(start("status").lines.toString()).contains("flink-rpc-akka-2.3.0.jar:");

        jar("mine.jar", "scala/Predef.class");
        environment.put("MILLRACE_CLASSPATH", home.resolve("mine.jar").toString());
        assertThat(start("status").lines.toString())
                .doesNotContain("flink-rpc-akka")
                .contains("mine.jar");
        environment.put("MILLRACE_CLASSPATH", home + "/*");
        assertThat(start("status").lines.toString()).doesNotContain("flink-rpc-akka");

        jar("mine.jar", "my/Transform.class");
        assertThat(start("status").lines.toString()).contains("flink-rpc-akka-2.3.0.jar:");
    }

    @Test
    void onlyShortCommandsRunWithoutTheSecondCompiler() throws Exception {
        assertThat(start("--version").lines).contains("-XX:TieredStopAtLevel=1");
        assertThat(start("status").lines).contains("-XX:TieredStopAtLevel=1");
        assertThat(start().lines).contains("-XX:TieredStopAtLevel=1");
        assertThat(start("trian", "digits.yaml").lines).contains("-XX:TieredStopAtLevel=1");
        assertThat(start("train", "--help").lines).contains("-XX:TieredStopAtLevel=1");
        assertThat(start("train", "digits.yaml").lines)
                .doesNotContain("-XX:TieredStopAtLevel=1")
                .contains("-XX:Tier4InvocationThreshold=20000");
    }
}
