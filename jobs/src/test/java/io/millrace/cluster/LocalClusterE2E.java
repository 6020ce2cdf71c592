package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Real processes: the shipped configuration, deaths, additions, and what is said of them. */
@EnabledOnOs({OS.LINUX, OS.MAC})
@Timeout(180)
class LocalClusterE2E {
    private static final Logger LOG = LoggerFactory.getLogger(LocalClusterE2E.class);
    private static final double MOST_SECONDS_AFTER_A_DEATH = 8;
    private static final double MOST_SECONDS_FOR_AN_ADDITION = 6;

    @TempDir
    Path folder;

    private Path notes = Path.of("");
    private Path jar = Path.of("");

    @BeforeEach
    void makeJar() throws Exception {
        notes = folder.resolve("notes");
        jar = TestCluster.jar(folder.resolve("job.jar"), TrialJob.class);
    }

    private void submit(TestCluster cluster, int parallelism) throws Exception {
        TrialJob.submit(cluster.web(), jar, parallelism, notes, folder.resolve("checkpoints"));
        awaitNotesAfter(cluster, 0);
    }

    private void awaitNotesAfter(TestCluster cluster, long millis) throws Exception {
        cluster.await("20 notes of the job", () -> TrialJob.notesAfter(notes, millis) > 20);
    }

    @Test
    void jobGoesOnSoonAfterTaskManagersDieAndCome() throws Exception {
        ClusterStart start = ClusterStart.of(TestCluster.settings("elastic"), 2);
        try (TestCluster cluster = TestCluster.start(folder.resolve("cluster"), start)) {
            submit(cluster, 6);

            long killed = System.currentTimeMillis();
            ClusterProcess victim = cluster.taskManagers().get(0);
            victim.kill();
            awaitNotesAfter(cluster, killed + 2000);
            double afterDeath = TrialJob.longestPauseSeconds(notes, killed);

            ClusterStatus status = cluster.cluster().status();
            assertThat(status.taskManagers())
                    .extracting(ClusterStatus.Worker::id, ClusterStatus.Worker::state)
                    .contains(org.assertj.core.groups.Tuple.tuple(victim.id(), ClusterStatus.State.DEAD));
            cluster.cluster().forgetDead();
            assertThat(cluster.taskManagers()).hasSize(1).doesNotContain(victim);

            long added = System.currentTimeMillis();
            ClusterProcess fresh = cluster.add(ProcessOptions.flink(Map.of("taskmanager.numberOfTaskSlots", "3")));
            assertThat(fresh.slots()).isEqualTo(3);
            assertThat(fresh.id()).isEqualTo("taskmanager-3");
            cluster.awaitSlots(5);
            cluster.await("a pause of the job", () -> TrialJob.longestPauseSeconds(notes, added) > 0.8);
            awaitNotesAfter(cluster, System.currentTimeMillis() + 2000);
            double forAddition = TrialJob.longestPauseSeconds(notes, added);

            LOG.info("{} s without steps after a death, {} s for an addition", afterDeath, forAddition);
            assertThat(afterDeath).isBetween(0.1, MOST_SECONDS_AFTER_A_DEATH);
            assertThat(forAddition).isLessThan(MOST_SECONDS_FOR_AN_ADDITION);
            assertThatThrownBy(() -> cluster.cluster().start(start))
                    .isInstanceOf(ClusterException.class)
                    .hasMessageContaining("is running already")
                    .hasMessageContaining(cluster.address());
            List<ClusterProcess> processes = cluster.cluster().processes();
            assertThat(cluster.cluster().stop()).hasSize(3);
            assertThat(processes).noneMatch(ClusterProcess::isAlive);
            assertThat(cluster.cluster().status().jobManager()).isNull();
        }
    }

    @Test
    void jobOutlivesItsJobManager() throws Exception {
        ClusterStart start = ClusterStart.of(TestCluster.settings("elastic"), 1).surviving();
        try (TestCluster cluster = TestCluster.start(folder.resolve("cluster"), start)) {
            submit(cluster, 2);
            ClusterProcess first = cluster.jobManager();

            long killed = System.currentTimeMillis();
            first.kill();
            awaitNotesAfter(cluster, killed + 5000);

            LOG.info("{} s without steps after the JobManager's death", TrialJob.longestPauseSeconds(notes, killed));
            cluster.await("another JobManager", () -> cluster.cluster().status().isRunning());
            assertThat(cluster.jobManager().pid()).isNotEqualTo(first.pid());
            cluster.await("the same job", () -> cluster.cluster().status().jobs().stream()
                    .anyMatch(job -> job.state().equals("RUNNING")));
        }
    }

    @Test
    void taskManagerThatCannotStartSaysWhy() throws Exception {
        try (TestCluster cluster =
                TestCluster.start(folder.resolve("cluster"), ClusterStart.of(TestCluster.settings("local"), 0))) {
            ProcessOptions broken = new ProcessOptions(Map.of(), List.of("-XX:NoSuchOption"), Map.of(), List.of());

            assertThatThrownBy(() -> cluster.add(broken))
                    .isInstanceOf(ClusterException.class)
                    .hasMessageContaining("TaskManager taskmanager-1 ended while it started")
                    .hasMessageContaining("NoSuchOption");
            assertThat(cluster.taskManagers()).isEmpty();

            ClusterSettings samePort = TestCluster.settings("local")
                    .with(Map.of("rest.port", Integer.toString(cluster.web().getPort())));
            assertThatThrownBy(() -> new LocalCluster(folder.resolve("other")).start(ClusterStart.of(samePort, 0)))
                    .isInstanceOf(ClusterException.class)
                    .hasMessageContaining("is taken by another program");
        }
    }
}
