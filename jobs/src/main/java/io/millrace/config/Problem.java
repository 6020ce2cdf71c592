package io.millrace.config;

/**
 * A problem with a pipeline file.
 *
 * @param key the path of the key, such as {@code transforms.1.Resize.size}; empty when the problem concerns no key
 * @param message the expected and the found value, for people
 */
public record Problem(SourceLocation location, String key, String message) {
    @Override
    public String toString() {
        return key.isEmpty() ? location + ": " + message : location + ": " + key + ": " + message;
    }
}
