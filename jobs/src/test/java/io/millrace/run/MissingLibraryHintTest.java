package io.millrace.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import org.apache.flink.util.SerializedThrowable;
import org.junit.jupiter.api.Test;

class MissingLibraryHintTest {
    private static final URI CLUSTER = URI.create("http://gpu-1:8081");

    @Test
    void missingClassIsReportedWithTheJarsToCopy() {
        Throwable job = new IllegalStateException(
                "job failed", new SerializedThrowable(new NoClassDefFoundError("io/millrace/transform/StageOperator")));
        Failure failure = Failure.of(MissingLibraryHint.withHint(job, CLUSTER));
        assertThat(failure.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(failure.sentence())
                .contains(
                        "http://gpu-1:8081 lacks the libraries",
                        "io/millrace/transform/StageOperator",
                        "copy all jars of the distribution's lib/ (in a source tree: jobs/target/millrace-lib/)");
        assertThat(failure.unexpected()).isFalse();
    }

    @Test
    void failureOfTheJobItselfIsUnchanged() {
        IOException job = new IOException("no such folder: /data/photos");
        assertThat(MissingLibraryHint.withHint(job, CLUSTER)).isSameAs(job);
    }
}
