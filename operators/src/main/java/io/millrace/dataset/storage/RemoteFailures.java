package io.millrace.dataset.storage;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.UnavailableException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The classification of the failures of file systems. The plugins of file systems have their own exception classes,
 * which this class recognizes by their names. A failure that is not known to be permanent counts as transient. The
 * number of retries bounds the cost of a wrong classification.
 */
final class RemoteFailures {
    private static final String NO_BUCKET = "UnknownStoreException";
    private static final Set<String> NO_CREDENTIALS =
            Set.of("NoAuthWithAWSException", "NoAwsCredentialsException", "CredentialInitializationException");
    private static final Set<String> PERMANENT = Set.of(
            NO_BUCKET,
            "AWSBadRequestException",
            "AWSRedirectException",
            "AccessControlException",
            "RemoteFileChangedException");

    private static final Pattern CLASS = Pattern.compile("(?:[a-z]\\w*\\.)+\\w+(?:Exception|Error): ");
    private static final Pattern REPETITION = Pattern.compile("(.{8,}): \\1$");

    private RemoteFailures() {}

    /** Returns whether the same request may succeed later. */
    static boolean isTransient(IOException failure) {
        return !(failure instanceof DatasetException)
                && !isMissingFile(failure)
                && !isDenied(failure)
                && find(failure, NO_CREDENTIALS) == null
                && find(failure, PERMANENT) == null;
    }

    /** Returns whether the failure means that the file does not exist. */
    static boolean isMissingFile(IOException failure) {
        return find(failure, Set.of(NO_BUCKET)) == null
                && (causedBy(failure, FileNotFoundException.class) || causedBy(failure, NoSuchFileException.class));
    }

    private static boolean isDenied(IOException failure) {
        return causedBy(failure, AccessDeniedException.class);
    }

    private static boolean causedBy(Throwable failure, Class<? extends IOException> type) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (type.isInstance(cause)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the exception with a message for the user.
     *
     * @param name the file's name for people
     * @param tries the number of requests that were sent
     */
    static IOException translate(String name, IOException failure, int tries) {
        if (failure instanceof DatasetException || isMissingFile(failure)) {
            return failure;
        }
        if (find(failure, NO_CREDENTIALS) != null) {
            return new DatasetException(
                    name + ": no credentials were found for it; see docs/data/storage.md for how to set them", failure);
        }
        if (isDenied(failure)) {
            return new DatasetException(
                    name + ": access denied: the credentials are wrong or do not allow reading it (" + describe(failure)
                            + ")",
                    failure);
        }
        if (find(failure, Set.of(NO_BUCKET)) != null) {
            return new DatasetException(name + ": there is no such bucket", failure);
        }
        String times = tries == 1 ? "" : ", tried " + tries + " times";
        return new UnavailableException(name + " cannot be read" + times + ": " + describe(failure), failure);
    }

    private static @Nullable Throwable find(Throwable failure, Set<String> simpleNames) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (simpleNames.contains(cause.getClass().getSimpleName())) {
                return cause;
            }
        }
        return null;
    }

    /**
     * Returns the message in a short form: one line without class names, identifiers of requests and repetitions.
     */
    static String describe(Throwable failure) {
        String message = failure.getMessage();
        if (message == null || message.isBlank()) {
            return failure.getClass().getSimpleName();
        }
        String line = message.lines().findFirst().orElse("");
        String plain = CLASS.matcher(line).replaceAll("");
        int details = plain.indexOf(" (Service: ");
        return REPETITION
                .matcher(details < 0 ? plain : plain.substring(0, details))
                .replaceAll("$1")
                .strip();
    }
}
