package io.millrace.run;

import java.io.IOException;
import java.net.URI;
import java.util.Set;
import org.apache.flink.util.SerializedThrowable;
import org.jspecify.annotations.Nullable;

/** A hint for jobs that failed because the cluster lacks Millrace's libraries or has those of another build. */
final class MissingLibraryHint {
    /** The errors that the JVM throws when classes are missing or incompatible. */
    private static final Set<String> LIBRARY_ERRORS = Set.of(
            "java.lang.NoClassDefFoundError",
            "java.lang.ClassNotFoundException",
            "java.lang.UnsatisfiedLinkError",
            "java.lang.NoSuchMethodError",
            "java.lang.NoSuchFieldError",
            "java.lang.AbstractMethodError",
            "java.lang.IncompatibleClassChangeError",
            "java.io.InvalidClassException",
            "java.io.InvalidObjectException");

    private MissingLibraryHint() {}

    /** Returns the exception itself, or an exception whose message explains how to install the libraries. */
    static Throwable withHint(Throwable thrown, URI cluster) {
        Throwable error = libraryError(thrown);
        return error == null
                ? thrown
                : new IOException(
                        "the Flink at " + cluster
                                + " lacks the libraries of this Millrace, or has those of another build ("
                                + describe(error)
                                + "): copy all jars of the distribution's lib/ (in a source tree:"
                                + " jobs/target/millrace-lib/) to the lib folder of Flink on each of its machines, remove"
                                + " older ones, and restart Flink",
                        thrown);
    }

    private static @Nullable Throwable libraryError(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (LIBRARY_ERRORS.contains(name(cause))) {
                return cause;
            }
        }
        return null;
    }

    private static String name(Throwable thrown) {
        return thrown instanceof SerializedThrowable serialized
                ? serialized.getOriginalErrorClassName()
                : thrown.getClass().getName();
    }

    private static String describe(Throwable error) {
        String message = String.valueOf(error.getMessage());
        String shortName = name(error).substring(name(error).lastIndexOf('.') + 1);
        return message.contains(shortName) ? message : shortName + ": " + message;
    }
}
