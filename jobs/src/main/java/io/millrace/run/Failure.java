package io.millrace.run;

import io.millrace.config.ConfigException;
import io.millrace.pipeline.PipelineException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import org.apache.flink.util.SerializedThrowable;
import org.jspecify.annotations.Nullable;

/**
 * What went wrong, for the user.
 *
 * @param sentence without a stack trace
 * @param unexpected whether it is no error of the user or the machine that we know, but a bug
 */
public record Failure(int exitCode, String sentence, boolean unexpected) {

    /** Finds the cause that says most: wrappers of threads and of Flink say nothing that helps. */
    public static Failure of(Throwable thrown) {
        Throwable root = telling(thrown);
        if (root instanceof InterruptedException) {
            return new Failure(ExitCode.INTERRUPTED, "interrupted", false);
        }
        if (root instanceof UsageException || root instanceof ConfigException || root instanceof PipelineException) {
            return new Failure(ExitCode.USAGE, String.valueOf(root.getMessage()), false);
        }
        String sentence = sentence(root);
        boolean known = isOurs(root) || isInputOutput(root);
        if (known && sentence != null) {
            return new Failure(ExitCode.FAILED, sentence, false);
        }
        String name = className(root);
        return new Failure(ExitCode.FAILED, sentence == null ? name : name + ": " + sentence, true);
    }

    /** The first in the chain that has words for the user; failing that, the last. */
    private static Throwable telling(Throwable thrown) {
        Throwable candidate = thrown;
        while (!tells(candidate) && candidate.getCause() != null) {
            candidate = candidate.getCause();
        }
        return candidate;
    }

    private static boolean tells(Throwable thrown) {
        if (thrown instanceof InterruptedException) {
            return true;
        }
        // The message of an exception made of its cause alone is the cause's class and message.
        Throwable cause = thrown.getCause();
        boolean borrowed = cause != null && cause.toString().equals(thrown.getMessage());
        return (isOurs(thrown) || isInputOutput(thrown)) && thrown.getMessage() != null && !borrowed;
    }

    /** Our exceptions have messages for the user. */
    private static boolean isOurs(Throwable thrown) {
        return originalName(thrown).startsWith("io.millrace.");
    }

    private static boolean isInputOutput(Throwable thrown) {
        String name = originalName(thrown);
        return thrown instanceof IOException || name.startsWith("java.io.") || name.startsWith("java.nio.file.");
    }

    /** The class; of an exception that came back from a cluster, the class that it had there. */
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
            return "no such file: " + missing.getFile();
        }
        if (root instanceof AccessDeniedException denied) {
            return "permission denied: " + denied.getFile();
        }
        if (root instanceof FileAlreadyExistsException existing) {
            return "exists already: " + existing.getFile();
        }
        if (root instanceof NotDirectoryException file) {
            return "not a folder: " + file.getFile();
        }
        if (root instanceof FileSystemException broken && broken.getReason() != null) {
            return broken.getFile() + ": " + broken.getReason();
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
}
