package io.millrace.dataset.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.dataset.DatasetException;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.nio.file.AccessDeniedException;
import java.util.List;
import org.junit.jupiter.api.Test;

class RemoteFailuresTest {
    /** A stand-in for Hadoop's exception with this name, whose class only a plugin's class loader can load. */
    private static final class UnknownStoreException extends IOException {
        private static final long serialVersionUID = 1;
    }

    /** A stand-in for Hadoop's exception with this name, whose class only a plugin's class loader can load. */
    private static final class NoAuthWithAWSException extends IOException {
        private static final long serialVersionUID = 1;
    }

    @Test
    void transientAndPermanentFailuresAreDistinguished() {
        for (IOException passing : List.of(
                new EOFException(),
                new ConnectException("Connection refused"),
                new SocketTimeoutException("Read timed out"),
                new IOException("Status Code: 503"))) {
            assertThat(RemoteFailures.isTransient(passing))
                    .as(passing.toString())
                    .isTrue();
        }
        for (IOException lasting : List.of(
                new FileNotFoundException("x"),
                new AccessDeniedException("x"),
                new DatasetException("x"),
                new UnknownStoreException(),
                new IOException("wrapped", new NoAuthWithAWSException()))) {
            assertThat(RemoteFailures.isTransient(lasting))
                    .as(lasting.toString())
                    .isFalse();
        }
    }

    @Test
    void failuresAreTranslatedToSentences() {
        assertThat(RemoteFailures.translate("s3://b/x", new UnknownStoreException(), 1))
                .hasMessage("s3://b/x: there is no such bucket");
        assertThat(RemoteFailures.translate("s3://b/x", new NoAuthWithAWSException(), 1))
                .hasMessage("s3://b/x: no credentials were found for it; see docs/data/storage.md for how to set them");
        IOException refused = new ConnectException(
                "getFileStatus on s3://b/x: com.amazonaws.SdkClientException: Unable to"
                        + " execute HTTP request: Connection refused: Unable to execute HTTP request: Connection refused");
        assertThat(RemoteFailures.translate("s3://b/x", refused, 7))
                .hasMessage("s3://b/x cannot be read, tried 7 times: getFileStatus on s3://b/x: Unable to execute HTTP"
                        + " request: Connection refused")
                .hasCause(refused);
        IOException denied = new AccessDeniedException(
                "s3://b/x",
                null,
                "com.amazonaws.services.s3.model.AmazonS3Exception: Forbidden (Service: Amazon S3; 403)");
        assertThat(RemoteFailures.translate("s3://b/x", denied, 1))
                .hasMessage("s3://b/x: access denied: the credentials are wrong or do not allow reading it"
                        + " (s3://b/x: Forbidden)");
    }
}
