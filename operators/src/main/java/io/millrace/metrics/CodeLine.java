package io.millrace.metrics;

import java.io.Serializable;

/**
 * A line of the user's code, and the number of times that it was found running; or a dataset of a mixture, and the time of its reading.
 *
 * @param file the path in its folder of modules, such as {@code augment.py}; empty when no Python code was running. Or the name of the
 *     dataset
 * @param line the number of the line, from 1; 0 when it is unknown
 * @param function the function that contains the line
 * @param text the line without its indentation; empty when the file cannot be read
 * @param samples the number of times, or of milliseconds
 */
public record CodeLine(String file, int line, String function, String text, long samples) implements Serializable {
    /** Returns the place, such as {@code augment.py:31}. */
    public String place() {
        return file.isEmpty() ? "outside of Python code" : file + ":" + line;
    }

    boolean isSameLine(CodeLine other) {
        return line == other.line && file.equals(other.file) && function.equals(other.function);
    }

    CodeLine plus(long more) {
        return new CodeLine(file, line, function, text, samples + more);
    }
}
