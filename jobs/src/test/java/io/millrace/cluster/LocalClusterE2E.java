package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.rest.ClusterRest;
import io.millrace.rest.TaskManagerReading;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.api.common.JobID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Clusters of real processes with the shipped configurations: deaths and additions of processes, and their reports. */
@EnabledOnOs({OS.LINUX, OS.MAC})
@Tag("processes")
class LocalClusterE2E {
    private static final Logger LOG = LoggerFactory.getLogger(LocalClusterE2E.class);
    private static final double MAX_SECONDS_AFTER_A_DEATH = 8;
    private static final double MAX_SECONDS_FOR_AN_ADDITION = 6;

    @TempDir
    Path folder;

    private Path notes = Path.of("");
    private Path jar = Path.of("");

    @BeforeEach
    void makeJar() throws Exception {
        notes = folder.resolve("notes");
        jar = TestCluster.jar(folder.resolve("job.jar"), TrialJob.class);
    }

    private String submit(TestCluster cluster, int parallelism) throws Exception {
        JobID job = TrialJob.submit(
                cluster.web(), jar, parallelism, notes, folder.resolve("checkpoints"), TrialJob.Placement.ANYWHERE);
        awaitNotesAfter(cluster, 0);
        return job.toString();
    }

    private void awaitNotesAfter(TestCluster cluster, long millis) throws Exception {
        cluster.await("20 notes of the job", () -> TrialJob.notesAfter(notes, millis) > 20);
    }

    @Test
    void aJobContinuesSoonAfterTaskManagersDieAndAreAdded() throws Exception {
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
                    .contains(tuple(victim.id(), ClusterStatus.State.DEAD));
            cluster.cluster().forgetDead();
            assertThat(cluster.taskManagers()).hasSize(1).doesNotContain(victim);

            long added = System.currentTimeMillis();
            ClusterProcess fresh = cluster.add(ProcessOptions.flink(Map.of("taskmanager.numberOfTaskSlots", "3")));
            assertThat(fresh.slots()).isEqualTo(3);
            assertThat(fresh.id()).isEqualTo("taskmanager-3");
            cluster.awaitSlots(5);
            ClusterRest rest = new ClusterRest(cluster.web());
            cluster.await(
                    "the job on all slots",
                    () -> rest.taskManagers().stream()
                                    .mapToInt(TaskManagerReading::free)
                                    .sum()
                            == 0);
            awaitNotesAfter(cluster, System.currentTimeMillis() + 2000);
            double forAddition = TrialJob.longestPauseSeconds(notes, added);

            LOG.info("{} s without steps after a death, {} s for an addition", afterDeath, forAddition);
            assertThat(afterDeath).isBetween(0.1, MAX_SECONDS_AFTER_A_DEATH);
            assertThat(forAddition).isLessThan(MAX_SECONDS_FOR_AN_ADDITION);
            assertThatThrownBy(() -> cluster.cluster().start(start))
                    .isInstanceOf(ClusterException.class)
                    .hasMessageContaining("is running already")
                    .hasMessageContaining(cluster.address());
            cluster.jobManager().kill();
            assertThatThrownBy(() -> cluster.cluster().start(start))
                    .isInstanceOf(ClusterException.class)
                    .hasMessage("the JobManager at " + cluster.web()
                            + " died; ./millrace cluster stop ends the remaining processes");
            List<ClusterProcess> processes = cluster.cluster().processes();
            assertThat(cluster.cluster().stop()).hasSize(2);
            assertThat(processes).noneMatch(ClusterProcess::isAlive);
            assertThat(cluster.cluster().status().jobManager()).isNull();
        }
    }

    @Test
    void aJobSurvivesItsJobManager() throws Exception {
        ClusterSettings settings = TestCluster.settings("elastic");
        try (TestCluster cluster = TestCluster.startSurviving(folder.resolve("cluster"), settings, 1)) {
            String submitted = submit(cluster, 2);
            ClusterProcess first = cluster.jobManager();

            long killed = System.currentTimeMillis();
            first.kill();
            awaitNotesAfter(cluster, killed + 5000);

            LOG.info("{} s without steps after the JobManager's death", TrialJob.longestPauseSeconds(notes, killed));
            cluster.await("another JobManager", () -> cluster.cluster().status().isRunning());
            assertThat(cluster.jobManager().pid()).isNotEqualTo(first.pid());
            cluster.await("a start from a checkpoint", () -> restored(cluster, submitted));
            assertThat(cluster.cluster().status().jobs())
                    .extracting(ClusterStatus.Job::id, ClusterStatus.Job::state)
                    .containsExactly(tuple(submitted, "RUNNING"));
        }
    }

    /** Returns whether the last start of a job was from a checkpoint. */
    private static boolean restored(TestCluster cluster, String job) throws Exception {
        return get(cluster, "/jobs/" + job + "/checkpoints")
                .path("latest")
                .path("restored")
                .isObject();
    }

    @Test
    void theTrainerRunsOnTheGpuMachineAndReadersOnOthers() throws Exception {
        ClusterSettings settings = TestCluster.settings("gpu");
        try (TestCluster cluster = TestCluster.start(folder.resolve("cluster"), ClusterStart.of(settings, 2))) {
            ClusterProcess gpu = cluster.add(ProcessOptions.flink(Map.of(
                    "external-resources", "gpu",
                    "external-resource.gpu.amount", "1",
                    "taskmanager.numberOfTaskSlots", "1")));

            JobID job = TrialJob.submit(
                    cluster.web(), jar, 4, notes, folder.resolve("checkpoints"), TrialJob.Placement.BY_RESOURCE);
            awaitNotesAfter(cluster, 0);

            Map<String, Set<String>> places = places(cluster, job);
            assertThat(places.get("train")).containsExactly(gpu.id());
            assertThat(places.get("read")).containsExactlyInAnyOrder("taskmanager-1", "taskmanager-2");
        }
    }

    /** Returns the TaskManagers of each operator. */
    private static Map<String, Set<String>> places(TestCluster cluster, JobID job) throws Exception {
        Map<String, Set<String>> places = new HashMap<>();
        for (JsonNode vertex : get(cluster, "/jobs/" + job).path("vertices")) {
            Set<String> ids = new HashSet<>();
            JsonNode details = get(
                    cluster, "/jobs/" + job + "/vertices/" + vertex.path("id").asText());
            details.path("subtasks")
                    .forEach(subtask -> ids.add(subtask.path("taskmanager-id").asText()));
            String name = vertex.path("name").asText();
            places.put(name.contains("train") ? "train" : "read", ids);
        }
        return places;
    }

    private static JsonNode get(TestCluster cluster, String path) throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(cluster.web().resolve(path)).build();
        return new ObjectMapper()
                .readTree(HttpClient.newHttpClient()
                        .send(request, HttpResponse.BodyHandlers.ofString())
                        .body());
    }

    @Test
    void aTaskManagerThatCannotStartIsReportedWithItsReason() throws Exception {
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
