package io.millrace.config;

/**
 * Where something was said: a line of a pipeline file, or an override.
 *
 * @param source the file as the user named it, or {@code --set key=value}
 * @param line from 1; 0 when the whole source is meant
 */
public record SourceLocation(String source, int line) {
    @Override
    public String toString() {
        return line > 0 ? source + ":" + line : source;
    }
}
