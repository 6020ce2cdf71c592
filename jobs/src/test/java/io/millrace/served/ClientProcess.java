package io.millrace.served;

import io.millrace.cli.JavaCommand;
import io.millrace.cli.Main;
import io.millrace.cluster.TestCluster;
import io.millrace.pipeline.JobJars;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Programs in processes of their own, as users start them: Millrace with its job in a jar, and Flink's client. */
public final class ClientProcess {
    private final Path folder;
    private final Path jobJar;
    private final Map<String, String> environment;

    /** The exit code and the output of a program. */
    public record Ended(int exitCode, String out, String err) {}

    /** Creates the job's jar. */
    public ClientProcess(Path folder) throws Exception {
        this(folder, Map.of());
    }

    /**
     * Creates the job's jar. {@code ./millrace} runs with these environment variables, and jobs contain the user's jars
     * that the variables name.
     */
    public ClientProcess(Path folder, Map<String, String> environment) throws Exception {
        this.folder = folder;
        this.jobJar = TestCluster.jar(folder.resolve("millrace-jobs.jar"), Main.class);
        this.environment = Map.copyOf(environment);
    }

    public Path jobJar() {
        return jobJar;
    }

    /** Runs {@code ./millrace} with these arguments until it ends. */
    public Ended millrace(String... arguments) throws IOException, InterruptedException {
        return run(ourClassPath(), Main.class.getName(), environment, arguments);
    }

    /** Runs {@code flink} with these arguments until it ends. Its lib folder contains the libraries of Millrace. */
    public Ended flink(Path configuration, String... arguments) throws IOException, InterruptedException {
        return run(
                libraries(),
                "org.apache.flink.client.cli.CliFrontend",
                Map.of("FLINK_CONF_DIR", configuration.toString()),
                arguments);
    }

    /** Starts {@code ./millrace} with these arguments in the background. */
    public Process begin(String... arguments) throws IOException {
        return begin(List.of(), arguments);
    }

    /** Starts {@code ./millrace} in the background with words before its command, for example {@code unshare}. */
    public Process begin(List<String> prefix, String... arguments) throws IOException {
        ProcessBuilder builder = builder(ourClassPath(), Main.class.getName(), environment, arguments);
        builder.command().addAll(0, prefix);
        return builder.redirectErrorStream(true)
                .redirectOutput(folder.resolve("program.out").toFile())
                .start();
    }

    /** Returns the output so far of the program that was started last. */
    public String printed() throws IOException {
        return Files.readString(folder.resolve("program.out"), StandardCharsets.UTF_8);
    }

    /** Writes a program that runs {@code ./millrace} with its arguments, in the working directory of its caller. */
    public Path launcher() throws IOException {
        List<String> command =
                JavaCommand.of(ourClassPath(), Main.class.getName(), "512m", folder.resolve("client.log"), List.of());
        String quoted = command.stream()
                .map(word -> "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "));
        Path program = folder.resolve("millrace");
        Files.writeString(program, "#!/bin/sh\nexec " + quoted + " \"$@\"\n", StandardCharsets.UTF_8);
        return Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    }

    private Ended run(String classPath, String main, Map<String, String> variables, String... arguments)
            throws IOException, InterruptedException {
        Path out = Files.createTempFile(folder, "out", "");
        Path err = Files.createTempFile(folder, "err", "");
        int exitCode = builder(classPath, main, variables, arguments)
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start()
                .waitFor();
        return new Ended(
                exitCode, Files.readString(out, StandardCharsets.UTF_8), Files.readString(err, StandardCharsets.UTF_8));
    }

    private ProcessBuilder builder(String classPath, String main, Map<String, String> variables, String... arguments) {
        List<String> command =
                JavaCommand.of(classPath, main, "512m", folder.resolve("client.log"), List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().putAll(variables);
        return builder;
    }

    /** Returns the class path that the launcher would use. */
    private String ourClassPath() {
        String own = environment.getOrDefault(JobJars.VARIABLE, "");
        return jobJar + File.pathSeparator + libraries() + (own.isEmpty() ? "" : File.pathSeparator + own);
    }

    /** Returns the class path of this test without the jobs module and without tests. */
    private static String libraries() {
        List<String> entries = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            Path path = Path.of(entry);
            boolean jobs = path.endsWith(Path.of("jobs", "target", "classes"));
            if (!jobs && !path.endsWith("test-classes") && !entry.endsWith("-tests.jar")) {
                entries.add(entry);
            }
        }
        return String.join(File.pathSeparator, entries);
    }
}
