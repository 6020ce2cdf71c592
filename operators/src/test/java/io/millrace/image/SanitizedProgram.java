package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A program in C that runs under AddressSanitizer and UndefinedBehaviorSanitizer. These stop it at a read or a write outside
 * of its memory.
 *
 * @param file the program
 */
record SanitizedProgram(Path file) {
    /** The folder of the native kernels' sources. */
    static final Path SOURCES = Path.of("src", "main", "native");

    private record Ended(int code, String output) {}

    /** Returns whether gcc is there, with the libraries of the sanitizers: a program without them does not link. */
    static boolean canBeBuilt(Path folder) throws IOException, InterruptedException {
        Path empty = Files.writeString(folder.resolve("empty.c"), "int main(void) { return 0; }");
        return gcc(folder.resolve("empty"), List.of(empty.toString())).code() == 0;
    }

    /**
     * Compiles a program.
     *
     * @param folder the folder for the program
     * @param arguments the sources, libraries and further options
     */
    static SanitizedProgram build(Path folder, String name, List<String> arguments)
            throws IOException, InterruptedException {
        Path file = folder.resolve(name);
        Ended compiled = gcc(file, arguments);
        assertThat(compiled.code()).as(compiled.output()).isZero();
        return new SanitizedProgram(file);
    }

    private static Ended gcc(Path file, List<String> arguments) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of("gcc", "-std=gnu11", "-O1", "-g", "-fsanitize=address,undefined"));
        command.addAll(List.of("-fno-sanitize-recover=all", "-I", SOURCES.toString(), "-o", file.toString()));
        command.addAll(arguments);
        return end(command);
    }

    /** Runs the program, which must end without a failure, and returns its output. */
    String run(List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(file.toString()));
        command.addAll(arguments);
        Ended ended = end(command);
        assertThat(ended.code()).as(ended.output()).isZero();
        return ended.output();
    }

    private static Ended end(List<String> command) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("ASAN_OPTIONS", "detect_leaks=0"); // it needs ptrace, which containers may forbid
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), output);
    }
}
