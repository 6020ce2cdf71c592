package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThatThrownBy;

import io.millrace.cli.CommandRun;
import io.millrace.rest.ClusterRest;
import io.millrace.run.ExitCode;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands for the local cluster when only clusters with other names run. */
class NamedClustersTest {
    private static final String STATE = "millrace.state";

    @TempDir
    Path state;

    private @Nullable String before;

    @BeforeEach
    void useTheFolder() throws Exception {
        before = System.getProperty(STATE);
        System.setProperty(STATE, state.toString());
        cluster(
                "trial",
                "127.0.0.1:18981",
                ProcessIdentity.of(ProcessHandle.current().pid()).orElseThrow());
        cluster("dead", "127.0.0.1:18982", "another process");
    }

    @AfterEach
    void restore() {
        if (before == null) {
            System.clearProperty(STATE);
        } else {
            System.setProperty(STATE, before);
        }
    }

    /** Writes the files of a cluster whose JobManager has the number of this process. */
    private void cluster(String name, String rest, String identity) throws IOException {
        ClusterFolder folder = new ClusterFolder(state.resolve("cluster").resolve(name));
        folder.create();
        Files.writeString(folder.configuration().resolve("config.yaml"), "rest.bind-address: 127.0.0.1\n");
        folder.describe(new ClusterFolder.Description(rest, List.of()));
        folder.remember(new ClusterProcess(
                ProcessRole.JOBMANAGER,
                "jobmanager",
                ProcessHandle.current().pid(),
                identity,
                0,
                folder.logs().resolve("jobmanager.log")));
    }

    @Test
    void statusAndStopNameTheClusterThatRunsUnderAnotherName() {
        CommandRun status = CommandRun.of("cluster", "status");
        assertThat(status.exitCode()).isEqualTo(ExitCode.OK);
        assertThat(status.out())
                .contains(
                        "no cluster runs under the name local; ./millrace cluster start starts one",
                        "another local cluster runs: trial (add --name trial)")
                .doesNotContain("dead");
        CommandRun stop = CommandRun.of("cluster", "stop");
        assertThat(stop.exitCode()).isEqualTo(ExitCode.OK);
        assertThat(stop.out()).contains("nothing to stop", "another local cluster runs: trial (add --name trial)");
        CommandRun.of("cluster", "add")
                .fails(
                        ExitCode.FAILED,
                        "no cluster is running",
                        "another local cluster runs: trial (add --name trial)");
    }

    @Test
    void clusterWhoseProcessesHaveEndedIsNoneToAddTo() throws Exception {
        cluster("local", "127.0.0.1:18983", "another process");
        CommandRun.of("cluster", "add")
                .fails(
                        ExitCode.FAILED,
                        "no cluster is running",
                        "another local cluster runs: trial (add --name trial)");
    }

    @Test
    void commandsForJobsNameTheAddressOfTheClusterThatRunsUnderAnotherName() {
        assumeThatThrownBy(() -> new ClusterRest(URI.create("http://127.0.0.1:8081")).flinkVersion())
                .as("Flink at the default port")
                .isInstanceOf(IOException.class);
        for (String[] arguments : List.of(new String[] {"status"}, new String[] {"stop", "digits"})) {
            CommandRun.of(arguments)
                    .fails(
                            ExitCode.FAILED,
                            "no answer from Flink at http://127.0.0.1:8081",
                            "another local cluster runs: trial (add --cluster 127.0.0.1:18981)");
        }
    }
}
