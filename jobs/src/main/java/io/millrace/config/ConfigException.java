package io.millrace.config;

import java.util.List;
import java.util.stream.Collectors;

/** Thrown for a pipeline file that cannot be used. The message has one line for each problem. */
public final class ConfigException extends Exception {
    private static final long serialVersionUID = 1;

    /** Transient, because exceptions must be serializable and this one is never sent. */
    private final transient List<Problem> problems;

    public ConfigException(List<Problem> problems) {
        super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
        this.problems = List.copyOf(problems);
    }

    /** Returns all problems in the order of their lines; there is at least one. */
    public List<Problem> problems() {
        return problems;
    }
}
