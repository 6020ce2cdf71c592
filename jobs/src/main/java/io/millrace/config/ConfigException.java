package io.millrace.config;

import java.util.List;
import java.util.stream.Collectors;

/** A pipeline file that cannot be used. The message has one line for each problem. */
public final class ConfigException extends Exception {
    private static final long serialVersionUID = 1;

    /** Transient as exceptions must be serializable and nobody sends this one. */
    private final transient List<Problem> problems;

    public ConfigException(List<Problem> problems) {
        super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
        this.problems = List.copyOf(problems);
    }

    /** All that is wrong, in order of lines; at least one. */
    public List<Problem> problems() {
        return problems;
    }
}
