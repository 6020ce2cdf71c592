package io.millrace.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The problems that are found while a file is read. They are collected, so that all of them are reported together. */
final class Problems {
    private final List<Problem> found = new ArrayList<>();

    void add(SourceLocation location, String key, String message) {
        found.add(new Problem(location, key, message));
    }

    int count() {
        return found.size();
    }

    /** Returns the problems of the file by line, then those of the overrides. */
    List<Problem> sorted() {
        return found.stream()
                .sorted(Comparator.comparing(
                                (Problem p) -> p.location().source().startsWith(Overrides.FLAG))
                        .thenComparingInt(p -> p.location().line()))
                .toList();
    }

    /** Throws an exception when there is a problem. */
    void check() throws ConfigException {
        if (!found.isEmpty()) {
            throw new ConfigException(sorted());
        }
    }
}
