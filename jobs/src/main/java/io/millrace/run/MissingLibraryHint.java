package io.millrace.run;

import java.io.IOException;
import java.net.URI;
import java.util.Set;
import org.apache.flink.util.SerializedThrowable;
import org.jspecify.annotations.Nullable;

/** Tells a job that failed by its own fault from one whose cluster lacks Millrace's libraries, or has others. */
final class MissingLibraryHint {
    /** What the JVM throws when classes are missing or do not go together. */
    private static final Set<String> SIGNS = Set.of(
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

    /** The same failure, or one that says what to do about it. */
    static Throwable explained(Throwable thrown, URI cluster) {
        Throwable sign = sign(thrown);
        return sign == null
                ? thrown
                : new IOException(
                        "the Flink at " + cluster + " lacks the libraries of this Millrace, or has those of another ("
                                + text(sign)
                                + "): copy all jars of jobs/target/millrace-lib/ to the lib folder of Flink"
                                + " on each of its machines, in place of older ones, and start it again",
                        thrown);
    }

    private static @Nullable Throwable sign(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (SIGNS.contains(name(cause))) {
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

    private static String text(Throwable sign) {
        String message = String.valueOf(sign.getMessage());
        String shortName = name(sign).substring(name(sign).lastIndexOf('.') + 1);
        return message.contains(shortName) ? message : shortName + ": " + message;
    }
}
