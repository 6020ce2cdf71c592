package io.millrace.source;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.apache.flink.runtime.execution.SuppressRestartsException;

/**
 * Which build of the libraries this process has: a checksum of their sources, which the build writes down. A job is made in
 * one process and runs in others, and operators of another build would read its settings wrongly or not at all.
 */
public final class LibraryBuild {
    private static final String RESOURCE = "/META-INF/millrace/libraries.build";

    /** Of a build without checksums, as by an editor; goes with every other. */
    private static final String UNKNOWN = "";

    private LibraryBuild() {}

    /** The checksum of this process's libraries. */
    public static String current() {
        return read(LibraryBuild.class, RESOURCE);
    }

    /**
     * The checksum that a resource holds; of a resource that is not there, one that goes with every other.
     *
     * @param owner a class of the jar that has it
     */
    public static String read(Class<?> owner, String resource) {
        try (InputStream in = owner.getResourceAsStream(resource)) {
            return in == null ? UNKNOWN : new String(in.readAllBytes(), StandardCharsets.US_ASCII).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether what is of one build works with the libraries of the other. */
    public static boolean areCompatible(String one, String other) {
        return one.equals(UNKNOWN) || other.equals(UNKNOWN) || one.equals(other);
    }

    /**
     * Refuses a job of another build.
     *
     * @param job the checksum of the libraries that it was made with
     * @throws SuppressRestartsException with a sentence
     */
    static void require(String job) {
        if (!areCompatible(job, current())) {
            throw new SuppressRestartsException(new BuildMismatchException(
                    "the job was made with another build of Millrace than this Flink has in its lib folder ("
                            + shown(job)
                            + ", here " + shown(current()) + "): copy all jars of jobs/target/millrace-lib/ to the lib"
                            + " folder of Flink on each machine, in place of the older ones, and start it again"));
        }
    }

    private static String shown(String checksum) {
        return checksum.substring(0, Math.min(8, checksum.length()));
    }
}
