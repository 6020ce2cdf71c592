package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.config.RunConfig;
import io.millrace.lifecycle.Uninterrupted;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedFlinkITCase {
    /** Static, because the task runs in this JVM. */
    private static final CountDownLatch STUCK = new CountDownLatch(1);

    private static final CountDownLatch RELEASE = new CountDownLatch(1);

    @TempDir
    Path folder;

    @Test
    void aFolderForTemporaryFilesThatCannotBeWrittenIsNamed() throws Exception {
        Path taken = Files.writeString(folder.resolve("taken"), "a file where a folder should be");

        assertThatThrownBy(() -> SharedRpcSystem.load(taken))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("io.tmp.dirs")
                .hasMessageContaining(taken.toString());
        assertThatThrownBy(() -> EmbeddedFlink.start(1, "0", RunConfig.Web.ON, temporary(taken)))
                .isInstanceOf(Exception.class);
        assertThat(taken).hasContent("a file where a folder should be");

        try (EmbeddedFlink flink = EmbeddedFlink.start(1, "0", RunConfig.Web.ON, temporary(folder.resolve("fine")))) {
            assertThat(flink.web()).hasHost("127.0.0.1");
        }
    }

    @Test
    void aTaskThatDoesNotEndDoesNotHoldTheEndOfFlink() throws Exception {
        try {
            EmbeddedFlink flink = EmbeddedFlink.start(1, "0", RunConfig.Web.OFF, temporary(folder.resolve("stuck")));
            StreamExecutionEnvironment environment =
                    StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
            environment.setParallelism(1);
            environment
                    .fromSequence(1, 1)
                    .map(EmbeddedFlinkITCase::holdOut)
                    .returns(Long.class)
                    .sinkTo(new DiscardingSink<>());
            flink.jobs().submit(environment.getStreamGraph());
            STUCK.await();

            long began = System.nanoTime();
            flink.close(Duration.ofSeconds(2));
            assertThat(System.nanoTime() - began).isLessThan(TimeUnit.SECONDS.toNanos(30));
        } finally {
            RELEASE.countDown();
        }
    }

    /** Runs on in spite of a cancellation, as a function of a user may. */
    private static Long holdOut(Long value) {
        STUCK.countDown();
        Uninterrupted.await(RELEASE::await);
        return value;
    }

    private static Configuration temporary(Path folder) {
        Configuration configuration = new Configuration();
        configuration.set(CoreOptions.TMP_DIRS, folder.toString());
        return configuration;
    }
}
