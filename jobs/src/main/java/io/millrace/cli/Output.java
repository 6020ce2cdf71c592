package io.millrace.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintStream;
import picocli.CommandLine.Option;

/** The output of a command: text for people, or one line of JSON at the end of standard output; a mixin. */
public final class Output {
    @Option(
            names = "--json",
            description =
                    "Print the result as one line of JSON at the end of standard output; everything else goes to standard error.")
    private boolean json;

    /** Returns the stream for text: standard output, or standard error if standard output is for JSON. */
    public PrintStream text() {
        return json ? System.err : System.out;
    }

    /** Prints the result if {@code --json} was set. Call it once, at the end. */
    public void result(Object value) {
        if (!json) {
            return;
        }
        resultLine(JsonLine.of(value));
    }

    /** Prints a result that already is a line of JSON, like {@link #result}. */
    public void resultLine(String line) {
        if (json) {
            System.err.flush();
            System.out.println(line);
            System.out.flush();
        }
    }

    /** A class of its own, because picocli reads the methods of {@link Output}, which would load Jackson for every command. */
    private static final class JsonLine {
        static String of(Object value) {
            try {
                return new ObjectMapper().writeValueAsString(value);
            } catch (JsonProcessingException e) {
                throw new IllegalStateException("the result cannot be written as JSON: " + value, e);
            }
        }
    }
}
