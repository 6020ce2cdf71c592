package io.millrace.cluster;

import io.millrace.cli.Main;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * An archive of the libraries' classes, which the JVMs that tests start share (class data sharing). A JVM maps the archive
 * instead of loading and verifying the classes. The first test that needs the archive makes it, in the folder target.
 *
 * <p>A JVM uses the archive only if its class path begins with the same libraries. Therefore {@link #ordered} puts them first.
 */
public final class SharedClasses {
    private static final Path FOLDER =
            Path.of("target", "class-data").toAbsolutePath().normalize();

    /** A pipeline that loads most classes of Flink and of the libraries. */
    private static final String PIPELINE = """
            dataset: { format: synthetic, size: 64, shape: [8, 8, 3], epochs: 1 }
            batch: { size: 8 }
            train: { model: { mlp: { hidden: [8] } } }
            """;

    /** Without these options, Java 17 moves the archive at each start, which costs 17,000 page faults. */
    private static final List<String> UNMOVED =
            List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:ArchiveRelocationMode=0");

    private static final List<String> LIBRARIES = Stream.of(ownClassPath())
            .filter(entry -> ClassPath.isLibrary(Path.of(entry)))
            .toList();

    private static final List<String> OPTIONS = options(FOLDER.resolve(
            Integer.toHexString((LIBRARIES + System.getProperty("java.vm.version")).hashCode()) + ".jsa"));

    private SharedClasses() {}

    /** Returns the options for a JVM: none if the archive could not be made, and then the reason is printed. */
    public static List<String> options() {
        return OPTIONS;
    }

    /** Returns a class path with the libraries first. */
    public static String ordered(String classPath) {
        List<String> entries = new ArrayList<>(LIBRARIES);
        Arrays.stream(classPath.split(File.pathSeparator, -1))
                .filter(entry -> !LIBRARIES.contains(entry))
                .forEach(entries::add);
        return String.join(File.pathSeparator, entries);
    }

    private static String[] ownClassPath() {
        return System.getProperty("java.class.path").split(File.pathSeparator, -1);
    }

    private static List<String> options(Path archive) {
        try {
            Files.createDirectories(FOLDER);
            // Several JVMs run tests at the same time.
            try (FileChannel channel = FileChannel.open(
                            FOLDER.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock lock = channel.lock()) {
                if (!Files.exists(archive)) {
                    make(archive);
                }
                List<String> options = new ArrayList<>(UNMOVED);
                options.addAll(List.of("-XX:SharedArchiveFile=" + archive, "-Xlog:cds=error"));
                return lock.isValid() ? options : List.of();
            }
        } catch (IOException e) {
            System.err.println("JVMs of tests share no classes: " + e);
            return List.of();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static void make(Path archive) throws IOException, InterruptedException {
        Path run = Files.createTempDirectory(FOLDER, "run");
        Path pipeline = Files.writeString(run.resolve("tiny.yaml"), PIPELINE);
        Path classes = run.resolve("classes");
        java(
                run,
                List.of("-XX:DumpLoadedClassList=" + classes, "-Xmx512m", "-Dmillrace.log=" + run.resolve("log")),
                String.join(File.pathSeparator, ownClassPath()),
                List.of(Main.class.getName(), "train", pipeline.toString()));
        Path made = run.resolve("made.jsa");
        java(
                run,
                List.of("-Xshare:dump", "-XX:SharedClassListFile=" + classes, "-XX:SharedArchiveFile=" + made),
                String.join(File.pathSeparator, LIBRARIES),
                List.of());
        Files.move(made, archive, StandardCopyOption.ATOMIC_MOVE);
    }

    private static void java(Path folder, List<String> options, String classPath, List<String> program)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(ProcessCommand.java()));
        ProcessCommand.inherited(ProcessRole.JOBMANAGER, command);
        command.addAll(List.of(TestCluster.SHORT_LIVED.split(" ")));
        command.addAll(UNMOVED);
        command.addAll(options);
        command.addAll(List.of("-cp", classPath));
        command.addAll(program);
        Path log = folder.resolve("output");
        int exitCode = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start()
                .waitFor();
        if (exitCode != 0) {
            String last = Files.readAllLines(log, StandardCharsets.UTF_8).stream()
                    .reduce((first, second) -> second)
                    .orElse("no output");
            throw new IOException(command.stream().limit(8).collect(Collectors.joining(" ")) + " ... ended with "
                    + exitCode + ": " + last);
        }
    }
}
