package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.dataset.DatasetException;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.flink.runtime.client.JobExecutionException;
import org.apache.flink.util.SerializedThrowable;
import org.junit.jupiter.api.Test;

class FailureTest {
    @Test
    void exceptionFromAClusterLosesItsClassName() {
        Exception remote = new SerializedThrowable(new DatasetException("data/x is empty"));
        Failure failure = Failure.of(new JobExecutionException(null, "Job execution failed.", remote));
        assertThat(failure).isEqualTo(new Failure(ExitCode.FAILED, "data/x is empty", false));
    }

    @Test
    void wrapperThatOnlyRepeatsItsCauseIsSkipped() {
        IOException cause = new IOException("the connection was closed");
        assertThat(Failure.of(new UncheckedIOException(new IOException(cause))).sentence())
                .isEqualTo("the connection was closed");
    }

    @Test
    void exceptionWithoutAMessageIsNamed() {
        assertThat(Failure.of(new NullPointerException()))
                .isEqualTo(new Failure(ExitCode.FAILED, "NullPointerException", true));
    }
}
