package io.millrace.source;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.apache.flink.runtime.execution.SuppressRestartsException;

/**
 * The build of the libraries in this process, as a checksum of their sources that Maven writes into the jar. A job is
 * created in one process and runs in others. Operators of another build would read its settings wrongly or not at all.
 */
public final class LibraryBuild {
    private static final String RESOURCE = "/META-INF/millrace/libraries.build";

    /**
     * The value that stands for a missing checksum. Some builds, such as those by an IDE, write no checksum. The value
     * is compatible with every checksum.
     */
    private static final String UNKNOWN = "";

    private LibraryBuild() {}

    /** Returns the checksum of this process's libraries. */
    public static String current() {
        return read(LibraryBuild.class, RESOURCE);
    }

    /**
     * Returns the checksum that a resource holds. When the resource does not exist, the result is compatible with
     * every other build.
     *
     * @param owner a class of the jar that holds the resource
     */
    public static String read(Class<?> owner, String resource) {
        try (InputStream in = owner.getResourceAsStream(resource)) {
            return in == null ? UNKNOWN : new String(in.readAllBytes(), StandardCharsets.US_ASCII).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns whether code of one build works with the libraries of the other. */
    public static boolean areCompatible(String one, String other) {
        return one.equals(UNKNOWN) || other.equals(UNKNOWN) || one.equals(other);
    }

    /**
     * Refuses a job of another build.
     *
     * @param job the checksum of the libraries with which the job was created
     * @throws SuppressRestartsException when the builds differ; the message is written for the user
     */
    static void require(String job) {
        if (!areCompatible(job, current())) {
            throw new SuppressRestartsException(new BuildMismatchException(
                    "the job was created with another build of Millrace than this Flink has in its lib folder (job "
                            + abbreviated(job)
                            + ", here " + abbreviated(current())
                            + "): copy all jars of the distribution's lib/ (in a source tree:"
                            + " jobs/target/millrace-lib/) to the lib folder of Flink on each machine, in place of the"
                            + " older ones, and restart Flink"));
        }
    }

    private static String abbreviated(String checksum) {
        return checksum.substring(0, Math.min(8, checksum.length()));
    }
}
