package io.millrace.config;

/**
 * One thing that is wrong with a pipeline file.
 *
 * @param key the path of the key, as {@code transforms.1.Resize.size}; empty when no key is concerned
 * @param message what was expected and what was found
 */
public record Problem(SourceLocation location, String key, String message) {
    @Override
    public String toString() {
        return key.isEmpty() ? location + ": " + message : location + ": " + key + ": " + message;
    }
}
