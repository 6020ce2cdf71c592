package io.millrace.sink.progress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.device.HostDevice;
import io.millrace.exchange.ExchangeException;
import io.millrace.file.WholeFiles;
import io.millrace.order.BatchPlan;
import io.millrace.sink.FakeStep;
import io.millrace.sink.OpenFiles;
import io.millrace.sink.SinkFixture;
import io.millrace.sink.figures.TrainerMetrics;
import io.millrace.sink.files.UnwritableException;
import io.millrace.sink.spec.SinkSpec;
import io.millrace.sink.trainer.ReplicaRendezvous;
import io.millrace.sink.trainer.Trainer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.runtime.util.TestingTaskManagerRuntimeInfo;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the files of a run. A failure while the files or the trainer are opened leaves no file open. */
@EnabledOnOs(OS.LINUX)
class RunLogsTest {
    private static final BatchPlan PLAN = new BatchPlan(40, 8, false, 1, 0, 1);

    @TempDir
    Path folder;

    private SinkSpec spec;

    @BeforeEach
    void specify() {
        spec = SinkFixture.spec(PLAN, (train, capacity, device) -> new FakeStep(-1), 2, 1, folder);
    }

    @Test
    void filesAreOpenUntilTheLogsAreClosed() throws Exception {
        try (RunLogs logs = RunLogs.begin(spec)) {
            logs.flush();
            assertThat(OpenFiles.below(folder)).hasSize(3).anyMatch(file -> file.contains("steps.csv"));
        }
        assertThat(OpenFiles.below(folder)).isEmpty();
    }

    @Test
    void ledgerThatCannotBeWrittenLeavesNoFileOpen() throws Exception {
        Files.createDirectory(WholeFiles.partial(folder.resolve("ledger.csv")));

        assertThatThrownBy(() -> RunLogs.begin(spec))
                .isInstanceOf(UnwritableException.class)
                .hasMessageContaining("ledger.csv");
        assertThat(OpenFiles.below(folder)).isEmpty();
    }

    @Test
    void eventFileThatCannotBeCreatedLeavesNoFileOpen() throws Exception {
        // This is the name of the next file: its time is the latest time of all names, and its number is the number
        // of files.
        Files.createDirectory(folder.resolve("events.out.tfevents.9999999999.millrace.0001"));

        assertThatThrownBy(() -> RunLogs.begin(spec))
                .isInstanceOf(UnwritableException.class)
                .hasMessageContaining("events.out.tfevents.9999999999.millrace.0001");
        assertThat(OpenFiles.below(folder)).isEmpty();
    }

    @Test
    void trainerThatCannotJoinItsReplicasLeavesNoFileOpenAndClosesItsStep() throws Exception {
        AtomicInteger closed = new AtomicInteger();
        SinkSpec counted = SinkFixture.spec(
                PLAN, (train, capacity, device) -> new FakeStep(-1, closed::incrementAndGet), 2, 1, folder);
        ReplicaRendezvous rendezvous = ReplicaRendezvous.open(1, new TestingTaskManagerRuntimeInfo());
        rendezvous.close();

        try (HostDevice device = new HostDevice()) {
            assertThatThrownBy(() -> Trainer.open(counted, device, new TrainerMetrics(), null, rendezvous))
                    .isInstanceOf(ExchangeException.class)
                    .hasMessage("the addresses of the other ranks never arrived");
        }
        assertThat(OpenFiles.below(folder)).isEmpty();
        assertThat(closed).hasValue(1);
    }
}
