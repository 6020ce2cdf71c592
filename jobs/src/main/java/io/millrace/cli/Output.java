package io.millrace.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintStream;
import picocli.CommandLine.Option;

/** A command's result: text for people, or one line of JSON, last on standard output. */
public final class Output {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    @Option(
            names = "--json",
            description =
                    "Print the result as one line of JSON, last on standard output; all else goes to standard error.")
    private boolean json;

    /** Where text for people goes: standard output, or standard error when that is for JSON. */
    public PrintStream text() {
        return json ? System.err : System.out;
    }

    /** Prints the result, if it is asked for as JSON. Call it once, last. */
    public void result(Object value) {
        if (!json) {
            return;
        }
        try {
            resultLine(MAPPER.writeValueAsString(value));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the result cannot be written as JSON: " + value, e);
        }
    }

    /** As {@link #result}, for a result that is a line of JSON already. */
    public void resultLine(String line) {
        if (json) {
            System.err.flush();
            System.out.println(line);
            System.out.flush();
        }
    }
}
