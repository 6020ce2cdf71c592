package io.millrace.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.config.ConfigException;
import io.millrace.config.Problem;
import io.millrace.config.SourceLocation;
import io.millrace.dataset.DatasetException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import org.apache.flink.runtime.client.JobExecutionException;
import org.apache.flink.util.SerializedThrowable;
import org.junit.jupiter.api.Test;

class FailureTest {
    @Test
    void exceptionFromAClusterIsReportedWithoutItsClassName() {
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
    void failureDuringACheckpointIsReportedByItsOwnSentence() {
        Exception remote = new SerializedThrowable(new IOException(
                "Could not perform checkpoint 1.", new RuntimeException(new DatasetException("wrong label"))));
        assertThat(Failure.of(remote).sentence()).isEqualTo("wrong label");
    }

    @Test
    void libraryThatCannotBeUnpackedIsNoFaultOfMillrace() {
        Failure failure = Failure.of(new SerializedThrowable(new UnsatisfiedLinkError("x.so: File too large")));
        assertThat(failure.unexpected()).isFalse();
        assertThat(failure.sentence())
                .startsWith("a native library cannot be unpacked or loaded: ")
                .contains("x.so: File too large. Set -Djava.io.tmpdir");
    }

    @Test
    void aSystemWhoseLibrariesAreTooOldIsNamed() {
        assertThat(Failure.of(new UnsatisfiedLinkError(
                                "/x/libopencv_core.so: /lib64/libstdc++.so.6: version `GLIBCXX_3.4.30' not found"))
                        .sentence())
                .contains("`GLIBCXX_3.4.30' not found. This system's C or C++ library is too old")
                .doesNotContain("tmpdir");
    }

    @Test
    void heapThatIsTooSmallIsNoFaultOfMillrace() {
        Failure failure = Failure.of(new SerializedThrowable(
                new IllegalStateException("a task failed", new OutOfMemoryError("Java heap space"))));
        assertThat(failure.unexpected()).isFalse();
        assertThat(failure.sentence())
                .startsWith("there is not enough memory: Java heap space; a larger heap holds more (MILLRACE_JVM_OPTS");
    }

    @Test
    void wrongPipelineFileIsAUsageError() {
        SourceLocation place = new SourceLocation("x.yaml", 3);
        ConfigException wrong = new ConfigException(
                List.of(new Problem(place, "batch.size", "found 0"), new Problem(place, "batch.sise", "unknown key")));
        assertThat(Failure.of(wrong))
                .isEqualTo(new Failure(
                        ExitCode.USAGE, "x.yaml:3: batch.size: found 0\nx.yaml:3: batch.sise: unknown key", false));
    }

    @Test
    void checkpointOfOtherTasksIsAUsageError() {
        Failure failure = Failure.of(
                new IllegalStateException(
                        "Failed to rollback to checkpoint. Max parallelism mismatch between checkpoint state and new program."));
        assertThat(failure.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(failure.sentence()).contains("stages: one_task continues only with it");
    }

    @Test
    void nameOfAFileAddsNoLine() {
        String name = "a\n\tmillrace: finished.tar";
        String visible = "a\\n\\tmillrace: finished.tar";
        assertThat(Failure.of(new DatasetException(name + " is empty", new IOException("x")))
                        .sentence())
                .isEqualTo(visible + " is empty");
        assertThat(Failure.of(new NoSuchFileException(name)).sentence()).isEqualTo("no such file: " + visible);
        assertThat(Failure.of(new FileSystemException(name, null, "Is a directory"))
                        .sentence())
                .isEqualTo(visible + ": Is a directory");
    }

    @Test
    void exceptionWithoutAMessageIsNamed() {
        assertThat(Failure.of(new NullPointerException()))
                .isEqualTo(new Failure(ExitCode.FAILED, "NullPointerException", true));
    }
}
