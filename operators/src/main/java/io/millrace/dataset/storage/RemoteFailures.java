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
 * What the failures of file systems mean. Their plugins have classes of their own, which are known here by name only.
 * What is not known to be for good may pass: the number of retries bounds the error.
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
    private static final Pattern TWICE = Pattern.compile("(.{8,}): \\1$");

    private RemoteFailures() {}

    /** Whether the same request may succeed later. */
    static boolean isTransient(IOException failure) {
        return !(failure instanceof DatasetException)
                && !isMissingFile(failure)
                && !isDenied(failure)
                && find(failure, NO_CREDENTIALS) == null
                && find(failure, PERMANENT) == null;
    }

    /** Whether it says that the file does not exist. */
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
     * The failure in words for the user.
     *
     * @param tries how often it was tried
     */
    static IOException translate(String name, IOException failure, int tries) {
        if (failure instanceof DatasetException || isMissingFile(failure)) {
            return failure;
        }
        if (find(failure, NO_CREDENTIALS) != null) {
            return new DatasetException(
                    name + ": no credentials were found for it; give them as docs/data/storage.md says", failure);
        }
        if (isDenied(failure)) {
            return new DatasetException(
                    name + ": access denied: the credentials are wrong or have no right to read it (" + describe(failure)
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

    /** A message as a person wants it: one line, without classes and identifiers of requests, nothing twice. */
    static String describe(Throwable failure) {
        String message = failure.getMessage();
        if (message == null || message.isBlank()) {
            return failure.getClass().getSimpleName();
        }
        String line = message.lines().findFirst().orElse("");
        String plain = CLASS.matcher(line).replaceAll("");
        int details = plain.indexOf(" (Service: ");
        return TWICE.matcher(details < 0 ? plain : plain.substring(0, details))
                .replaceAll("$1")
                .strip();
    }
}
