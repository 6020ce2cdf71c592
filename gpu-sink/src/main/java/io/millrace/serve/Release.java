package io.millrace.serve;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The release of Millrace that this server is part of. Its client is released with it, and works with no other one. The release of a
 * version is its numbers: 0.1.0-SNAPSHOT in Java and 0.1.0.dev0 in Python are both of the release 0.1.0.
 */
final class Release {
    private static final String RESOURCE = "/millrace-release.properties";
    private static final Pattern NUMBERS = Pattern.compile("\\d+(\\.\\d+)*");
    private static final String OWN = numbers(read());

    private Release() {}

    /** Returns the numbers of this server's version. */
    static String own() {
        return OWN;
    }

    /**
     * Requires that a client is of this release.
     *
     * @param version the client's version; null for a program of somebody else, which has only the version of the protocol
     * @throws Refusal when it is of another release
     */
    static void requireSame(@Nullable String version) throws Refusal {
        if (version != null && !numbers(version).equals(OWN)) {
            throw new Refusal(
                    Refusal.Code.PROTOCOL,
                    "the client is of Millrace " + shortened(version) + ", this server of Millrace " + OWN
                            + ": install both from the same release");
        }
    }

    private static String numbers(String version) {
        Matcher matcher = NUMBERS.matcher(version);
        return matcher.lookingAt() ? matcher.group() : "";
    }

    /** Returns the beginning of what a client calls its version. It may be anything. */
    private static String shortened(String version) {
        return version.length() <= 40 ? version : version.substring(0, 40) + "...";
    }

    private static String read() {
        Properties properties = new Properties();
        try (InputStream in = Release.class.getResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new IllegalStateException(RESOURCE + " is missing from the build");
            }
            properties.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties.getProperty("millrace");
    }
}
