package io.millrace.pipeline;

import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * The texts from which Flink makes its paths. Flink takes the part after the scheme as it is, so that a URI with escaped
 * characters, such as {@code %20}, would lead to a folder of that name.
 */
public final class FlinkPath {
    private static final Pattern ADDRESS = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*:/.*", Pattern.DOTALL);

    private FlinkPath() {}

    /** Returns whether a text is an address with a scheme, such as s3://bucket/folder, and not a path on this machine. */
    public static boolean isAddress(String text) {
        return ADDRESS.matcher(text).matches();
    }

    /** Returns the text for a path on this machine. */
    public static String address(Path path) {
        return "file:" + path.toAbsolutePath();
    }

    /** Returns Flink's path for an address or a path on this machine. */
    public static org.apache.flink.core.fs.Path of(String text) {
        return new org.apache.flink.core.fs.Path(isAddress(text) ? text : address(Path.of(text)));
    }
}
