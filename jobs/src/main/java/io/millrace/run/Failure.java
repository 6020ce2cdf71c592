package io.millrace.run;

import io.millrace.config.ConfigException;
import io.millrace.file.HeapLimit;
import io.millrace.pipeline.PipelineException;
import io.millrace.sample.VisibleText;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.SerializedThrowable;
import org.jspecify.annotations.Nullable;

/**
 * The exit code and the description of a failed command for the user.
 *
 * @param exitCode the exit code of the command, see {@link ExitCode}
 * @param sentence the description for the user, without a stack trace
 * @param unexpected whether the cause is a bug rather than a known mistake of the user or fault of the machine
 */
public record Failure(int exitCode, String sentence, boolean unexpected) {
    /** Flink's words when an operator of a checkpoint belongs to a task with another limit of its parallelism. */
    private static final String OTHER_TASKS = "Max parallelism mismatch";

    /**
     * Returns the failure for an exception. Exceptions of threads and of Flink that only wrap a cause are skipped.
     */
    public static Failure of(Throwable thrown) {
        Throwable root = mostHelpful(thrown);
        if (root instanceof InterruptedException) {
            return new Failure(ExitCode.INTERRUPTED, "interrupted", false);
        }
        if (root instanceof UsageException || root instanceof ConfigException || root instanceof PipelineException) {
            return new Failure(ExitCode.USAGE, String.valueOf(root.getMessage()), false);
        }
        if (String.valueOf(root.getMessage()).contains(OTHER_TASKS)) {
            return new Failure(
                    ExitCode.USAGE,
                    "the checkpoint belongs to a run with other tasks: a run that began with stages: one_task continues"
                            + " only with it, and other runs only without it",
                    false);
        }
        if (originalName(root).equals(UnsatisfiedLinkError.class.getName())) {
            return new Failure(
                    ExitCode.FAILED,
                    "a native library cannot be unpacked or loaded: " + root.getMessage() + ". "
                            + remedy(String.valueOf(root.getMessage())),
                    false);
        }
        if (originalName(root).equals(OutOfMemoryError.class.getName())) {
            return new Failure(
                    ExitCode.FAILED, "there is not enough memory: " + sentence(root) + "; " + HeapLimit.REMEDY, false);
        }
        String sentence = sentence(root);
        boolean known = isOurs(root) || isInputOutput(root);
        if (known && sentence != null) {
            return new Failure(ExitCode.FAILED, sentence, false);
        }
        String name = className(root);
        return new Failure(ExitCode.FAILED, sentence == null ? name : name + ": " + sentence, true);
    }

    /** Returns what helps where the system's loader refuses a library with this message. */
    private static String remedy(String message) {
        // The loader names the version that it looked for: version `GLIBC_2.35' not found.
        return message.contains("`GLIBC") || message.contains("`CXXABI")
                ? "This system's C or C++ library is too old: Millrace's libraries need glibc 2.35 and the libstdc++ of GCC 12,"
                        + " as in Ubuntu 22.04, Debian 12 and newer systems; a container has its own"
                : "Set -Djava.io.tmpdir in MILLRACE_JVM_OPTS to a folder that has space and from which libraries can be"
                        + " loaded, and see the limits of this shell (ulimit -a)";
    }

    /**
     * Returns the first exception of the chain whose message is meant for the user, or else the last exception. An exception
     * of Millrace is preferred to an input or output exception around it: Flink wraps any failure during a checkpoint in an
     * {@link IOException}.
     */
    private static Throwable mostHelpful(Throwable thrown) {
        Throwable candidate = thrown;
        while (candidate.getCause() != null && (!hasSentence(candidate) || wrapsOurs(candidate))) {
            candidate = candidate.getCause();
        }
        return candidate;
    }

    private static boolean wrapsOurs(Throwable thrown) {
        return isInputOutput(thrown)
                && !isOurs(thrown)
                && ExceptionUtils.findThrowable(thrown.getCause(), cause -> isOurs(cause) && hasSentence(cause))
                        .isPresent();
    }

    private static boolean hasSentence(Throwable thrown) {
        if (thrown instanceof InterruptedException) {
            return true;
        }
        // An exception that was created from its cause alone repeats the class and the message of the cause.
        Throwable cause = thrown.getCause();
        boolean borrowed = cause != null && cause.toString().equals(thrown.getMessage());
        return (isOurs(thrown) || isInputOutput(thrown)) && thrown.getMessage() != null && !borrowed;
    }

    /** Returns whether this is one of Millrace's own exceptions, whose messages are written for the user. */
    private static boolean isOurs(Throwable thrown) {
        return originalName(thrown).startsWith("io.millrace.");
    }

    private static boolean isInputOutput(Throwable thrown) {
        String name = originalName(thrown);
        return thrown instanceof IOException || name.startsWith("java.io.") || name.startsWith("java.nio.file.");
    }

    /**
     * Returns the name of the exception's class. For an exception from a cluster, it is the class that was thrown on
     * the cluster.
     */
    private static String originalName(Throwable thrown) {
        return thrown instanceof SerializedThrowable serialized
                ? serialized.getOriginalErrorClassName()
                : thrown.getClass().getName();
    }

    private static String className(Throwable thrown) {
        String name = originalName(thrown);
        return name.substring(name.lastIndexOf('.') + 1);
    }

    private static @Nullable String sentence(Throwable root) {
        if (root instanceof NoSuchFileException missing) {
            return "no such file: " + name(missing);
        }
        if (root instanceof AccessDeniedException denied) {
            return "permission denied: " + name(denied);
        }
        if (root instanceof FileAlreadyExistsException existing) {
            return "exists already: " + name(existing);
        }
        if (root instanceof NotDirectoryException file) {
            return "not a folder: " + name(file);
        }
        if (root instanceof FileSystemException broken && broken.getReason() != null) {
            return name(broken) + ": " + broken.getReason();
        }
        String message = root.getMessage();
        if (message == null || message.isBlank()) {
            return null;
        }
        if (root instanceof SerializedThrowable) {
            String prefix = originalName(root) + ": ";
            return message.startsWith(prefix) ? message.substring(prefix.length()) : message;
        }
        return root instanceof FileNotFoundException ? "cannot open " + message : message;
    }

    /** Returns the name of the file on one line. */
    private static String name(FileSystemException problem) {
        return VisibleText.line(String.valueOf(problem.getFile()));
    }
}
