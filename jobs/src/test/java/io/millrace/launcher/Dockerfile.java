package io.millrace.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The instructions of conf/docker/Dockerfile, with continued lines joined and without comments.
 *
 * @param instructions the keyword and the arguments of each instruction, such as {@code FROM flink:2.3-java17}
 */
record Dockerfile(List<String> instructions) {
    private static final Path FILE = Path.of("..", "conf", "docker", "Dockerfile");

    static Dockerfile read() throws IOException {
        List<String> instructions = new ArrayList<>();
        StringBuilder instruction = new StringBuilder();
        for (String line : Files.readAllLines(FILE)) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            boolean continued = line.endsWith("\\");
            instruction.append(continued ? line.substring(0, line.length() - 1) : line);
            if (!continued) {
                instructions.add(instruction.toString().replaceAll("\\s+", " ").strip());
                instruction.setLength(0);
            }
        }
        return new Dockerfile(List.copyOf(instructions));
    }

    /** Returns the commands that the build of the image runs. */
    List<String> runs() {
        return of("RUN");
    }

    /** Returns the environment variables of the image. */
    Map<String, String> environment() {
        Map<String, String> variables = new LinkedHashMap<>();
        for (String line : of("ENV")) {
            for (String variable : line.split(" ", -1)) {
                int equals = variable.indexOf('=');
                variables.put(variable.substring(0, equals), variable.substring(equals + 1));
            }
        }
        return variables;
    }

    /** Returns the arguments of all instructions with a keyword. */
    List<String> of(String keyword) {
        return instructions.stream()
                .filter(line -> line.startsWith(keyword + " "))
                .map(line -> line.substring(keyword.length() + 1))
                .toList();
    }
}
