package io.millrace.config;

import java.util.Map;
import java.util.Optional;

/** Keys that only later versions know. Who writes one means it, so the answer is no guess at a misspelling. */
final class LaterKeys {
    private static final Map<String, String> MISSING = Map.of("checkpoint", "this version has no checkpoints");

    private LaterKeys() {}

    /**
     * What to say of such a key; empty for any other.
     *
     * @param path of the key from the top of the file, as {@code dataset.epochs}
     */
    static Optional<String> problem(String path) {
        return Optional.ofNullable(MISSING.get(path)).map(what -> "not supported yet: " + what);
    }
}
