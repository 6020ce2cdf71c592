package io.millrace.config;

/**
 * The source location of a key or value: a line of a pipeline file, or an override.
 *
 * @param source the file as the user named it, or {@code --set key=value}
 * @param line the line, from 1; 0 for the whole source
 */
public record SourceLocation(String source, int line) {
    @Override
    public String toString() {
        return line > 0 ? source + ":" + line : source;
    }
}
