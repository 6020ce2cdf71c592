package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A main class of the tests in a process of its own, with this process's class path. */
public final class JavaProgram {
    /** The option for short programs: without the JVM's second compiler, they need less CPU time. */
    static final String QUICK_START = "-XX:TieredStopAtLevel=1";

    private JavaProgram() {}

    /**
     * Returns the command that starts a program.
     *
     * @param options options of Java
     */
    public static List<String> command(List<String> options, Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of(
                "--add-opens=java.base/java.nio=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    /**
     * Runs a program that must end with exit code 0, and returns what it printed and logged.
     *
     * @param environment additional variables
     */
    public static String output(Map<String, String> environment, Class<?> main)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command(List.of(QUICK_START), main)).redirectErrorStream(true);
        builder.environment().putAll(environment);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}
