package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.cli.CommandRun;
import io.millrace.cli.SmallData;
import io.millrace.python.PythonWithNumpy;
import io.millrace.served.ClientProcess;
import io.millrace.served.ServerProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The sockets at which the processes of Millrace listen in each mode. */
@EnabledOnOs(OS.LINUX)
@Tag("processes")
class ListeningSocketsE2E {
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(5);

    @TempDir
    static Path shared;

    private static Path digits;

    @TempDir
    Path folder;

    @BeforeAll
    static void makeData() throws Exception {
        digits = SmallData.digits(shared.resolve("digits"));
    }

    private Path training() throws Exception {
        Path pipeline = SmallData.digitsPipeline(folder.resolve("train.yaml"), digits, folder.resolve("runs"));
        return Files.writeString(pipeline, Files.readString(pipeline).replace("epochs: 2", "epochs: endless"));
    }

    /** Waits for a state of a process that a test has started, or for its end. */
    private static void await(Process process, Callable<Boolean> state) throws Exception {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!state.call()) {
            assertThat(process.isAlive()).as("the process runs").isTrue();
            assertThat(System.nanoTime()).isLessThan(deadline);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
    }

    private static void requireLoopback(long pid) throws Exception {
        assertThat(ListeningSockets.of(pid)).as("REST and files, at least").hasSizeGreaterThanOrEqualTo(2);
        assertThat(ListeningSockets.beyondLoopback(pid)).isEmpty();
    }

    @Test
    void trainListensOnLoopback() throws Exception {
        ClientProcess programs = new ClientProcess(folder);
        Process train = programs.begin("train", training().toString());
        try {
            await(train, () -> programs.printed().contains("epoch 2"));
            requireLoopback(train.pid());
        } finally {
            ServerProcess.kill(train);
        }
    }

    @Test
    void trainOfTwoReplicasListensOnLoopback() throws Exception {
        ClientProcess programs = new ClientProcess(folder);
        Process train = programs.begin(
                "train", training().toString(), "--set", "ranks=2", "--set", "replicas=sync", "--set", "run.web=off");
        try {
            await(train, () -> programs.printed().contains("epoch 2"));
            requireLoopback(train.pid());
            assertThat(programs.printed()).doesNotContain("web UI");
        } finally {
            ServerProcess.kill(train);
        }
    }

    @Test
    void serveListensOnLoopback() throws Exception {
        Path pipeline = SmallData.servedPipeline(folder.resolve("serve.yaml"), digits, folder.resolve("runs"), 9);
        try (ServerProcess serve = new ServerProcess(folder, List.of())) {
            serve.begin(pipeline, List.of());
            await(serve.process(), serve::isReady);
            requireLoopback(serve.process().pid());
        }
    }

    @Test
    void diagnoseListensOnLoopback() throws Exception {
        Process diagnose =
                new ClientProcess(folder).begin("diagnose", training().toString());
        try {
            await(diagnose, () -> ListeningSockets.of(diagnose.pid()).size() >= 2);
            requireLoopback(diagnose.pid());
        } finally {
            ServerProcess.kill(diagnose);
        }
    }

    @Test
    void packListensOnLoopbackAndPythonWorkersNowhere() throws Exception {
        Optional<String> python = PythonWithNumpy.find();
        assumeTrue(python.isPresent(), "needs Python 3.9 or newer with numpy");
        Path gate = folder.resolve("gate");
        Path begun = folder.resolve("begun");
        Files.writeString(folder.resolve("data.py"), """
                import os, time, numpy
                class Waiting:
                    def __len__(self):
                        return 3000
                    def __getitem__(self, i):
                        if i == 2999: # the first 1,000 are read before Flink starts
                            open(r"%s", "w").close()
                            while not os.path.exists(r"%s"):
                                time.sleep(0.01)
                        return numpy.zeros((4, 4, 3), numpy.uint8), i
                """.formatted(begun, gate));
        Path pipeline = Files.writeString(
                folder.resolve("pack.yaml"),
                "dataset: { format: python, dataset: 'data:Waiting' }\npython: { executable: " + python.orElseThrow()
                        + " }\ntrain: { model: none }\nrun: { web_port: 0 }\n");
        Process pack = new ClientProcess(folder)
                .begin("pack", pipeline.toString(), folder.resolve("out").toString());
        try {
            await(pack, () -> Files.exists(begun));
            requireLoopback(pack.pid());
            List<ProcessHandle> workers = pack.descendants().toList();
            assertThat(workers).isNotEmpty();
            for (ProcessHandle worker : workers) {
                assertThat(ListeningSockets.of(worker.pid())).isEmpty();
            }
            Files.createFile(gate);
            assertThat(pack.waitFor(5, TimeUnit.MINUTES)).isTrue();
            assertThat(pack.exitValue()).isZero();
        } finally {
            ServerProcess.kill(pack);
        }
    }

    @Test
    void aClusterListensOnLoopback() throws Exception {
        ClusterStart start = ClusterStart.of(TestCluster.settings("elastic"), 1);
        try (TestCluster cluster = TestCluster.start(folder.resolve("cluster"), start)) {
            for (ClusterProcess process : cluster.cluster().processes()) {
                assertThat(ListeningSockets.of(process.pid())).as(process.id()).isNotEmpty();
                assertThat(ListeningSockets.beyondLoopback(process.pid()))
                        .as(process.id())
                        .isEmpty();
            }
        }
    }

    @Test
    void aClusterOnOneMachineDoesNotReplaceItsJobManager() {
        CommandRun.of("cluster", "start", "--name", "never-started", "--ha")
                .fails(2, "--ha does not exist any more", "high-availability.*", "docs/cluster/cluster.md");
    }

    @Test
    void aConfigurationForOthersIsRefusedWithoutTheOption() {
        CommandRun.of("cluster", "start", "--name", "never-started", "-D", "rest.bind-address=0.0.0.0")
                .fails(1, "rest.bind-address is 0.0.0.0", "add --bind 0.0.0.0");
    }
}
