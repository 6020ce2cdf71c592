package io.millrace.python;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The Python program of the workers: resources of the jar, which the interpreter gets as texts. */
final class WorkerProgram {
    private static final String PACKAGE = "millrace_worker";

    /** The modules of the package, whose files are in a folder of its name. */
    static final List<String> MODULES = List.of(
            "channel",
            "dataset",
            "errors",
            "forks",
            "function",
            "items",
            "kinds",
            "layouts",
            "load",
            "main",
            "memory",
            "packing",
            "profile",
            "randomness",
            "replies",
            "reports",
            "transform",
            "values");

    private static final ObjectMapper JSON = new ObjectMapper();

    private WorkerProgram() {}

    /** Returns the argument of {@code python -c}. */
    static String bootstrap() {
        return resource("bootstrap.py");
    }

    /** Returns the message with the texts of all modules by their full names. */
    static byte[] modules() {
        Map<String, String> texts = new LinkedHashMap<>();
        texts.put(PACKAGE, resource(PACKAGE + "/__init__.py"));
        for (String module : MODULES) {
            texts.put(PACKAGE + "." + module, resource(PACKAGE + "/" + module + ".py"));
        }
        try {
            return JSON.writeValueAsBytes(texts);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the program cannot be written as JSON", e);
        }
    }

    private static String resource(String name) {
        try (InputStream stream = Objects.requireNonNull(WorkerProgram.class.getResourceAsStream(name), name)) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException("the jar lacks " + name, e);
        }
    }
}
