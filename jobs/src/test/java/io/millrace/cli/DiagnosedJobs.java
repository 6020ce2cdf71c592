package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cluster.ClusterJob;
import io.millrace.cluster.TestCluster;
import io.millrace.cluster.TrialJob;
import io.millrace.diagnosis.TrialPipelines;
import io.millrace.run.ExitCode;
import io.millrace.served.ClientProcess;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;

/** The checks of {@code diagnose --job} on a cluster with two slots. */
public final class DiagnosedJobs {
    private final TestCluster cluster;
    private final ClientProcess programs;
    private final Path folder;

    public DiagnosedJobs(TestCluster cluster, ClientProcess programs, Path folder) throws IOException {
        this.cluster = cluster;
        this.programs = programs;
        this.folder = Files.createDirectories(folder);
    }

    /** Diagnoses a job whose limit is known, a foreign job, a missing job and a missing cluster. */
    public void check() throws Exception {
        ClusterJob job =
                ClusterJob.submit(cluster, programs, TrialPipelines.file(folder), folder.resolve("summary.json"));
        try {
            requireLimitNamed(job.id());
            CommandRun.of("diagnose", "--job", "nowhere", "--cluster", cluster.address())
                    .fails(ExitCode.USAGE, "no job 'nowhere'", "millrace trial");
            CommandRun.of("diagnose", "--job", job.id(), "--cluster", "127.0.0.1:1")
                    .fails(ExitCode.FAILED, "no answer from Flink at http://127.0.0.1:1: no program listens there");
            requireForeignJobRefused();
            requireEndReported(job.id());
        } finally {
            cancel(job.id());
        }
    }

    private void requireLimitNamed(String job) {
        CommandRun byId = watch(job, "5", "--json");
        JsonNode json = byId.json();
        assertThat(json.at("/verdict/limit").asText()).as("%s", byId).isEqualTo("Delay");
        assertThat(json.at("/verdict/images_per_s").asDouble())
                .as("%s", byId)
                .isBetween(1.0, 1.5 * 1e3 / TrialPipelines.DELAY_MILLIS);
        assertThat(json.at("/stages").findValuesAsText("name"))
                .containsExactly("read", "RandomMask", "Delay", "pack", "train");
        assertThat(watch(job.substring(0, 10), "3").out())
                .contains("watching millrace trial for 3 s", "\nverdict ")
                .doesNotContain("; ceiling ");
        assertThat(watch("trial", "3", "--verbose").out())
                .contains("watching millrace trial for 3 s", "\nverdict ", "limited by", "; ceiling ");
    }

    private CommandRun watch(String job, String seconds, String... more) {
        String[] command = {"diagnose", "--job", job, "--cluster", cluster.address(), "--seconds", seconds};
        String[] all =
                Stream.concat(Arrays.stream(command), Arrays.stream(more)).toArray(String[]::new);
        CommandRun run = CommandRun.of(all);
        assertThat(run.exitCode()).as("%s", run).isZero();
        return run;
    }

    private void requireForeignJobRefused() throws Exception {
        JobID foreign = TrialJob.submit(
                cluster.web(),
                TestCluster.jar(folder.resolve("foreign.jar"), TrialJob.class),
                1,
                folder.resolve("notes"),
                folder.resolve("checkpoints"),
                TrialJob.Placement.ANYWHERE);
        try {
            CommandRun.of("diagnose", "--job", foreign.toString(), "--cluster", cluster.address())
                    .fails(ExitCode.USAGE, "job " + foreign, "is not one of Millrace's");
        } finally {
            cancel(foreign.toString());
        }
    }

    private void requireEndReported(String job) throws Exception {
        Process client = programs.begin("diagnose", "--job", job, "--cluster", cluster.address(), "--seconds", "600");
        try {
            cluster.await("the watching", () -> programs.printed().contains("watching") || !client.isAlive());
            cancel(job);
            assertThat(client.waitFor()).as(programs.printed()).isEqualTo(ExitCode.FAILED);
        } finally {
            client.destroyForcibly();
        }
        assertThat(programs.printed())
                .contains("millrace: job " + job + " ended before it was watched for 600 s: its state is CANCELED")
                .doesNotContain("Exception", "\tat ");
        CommandRun.of("diagnose", "--job", job, "--cluster", cluster.address())
                .fails(ExitCode.USAGE, "job " + job + " has ended: it is CANCELED");
    }

    private void cancel(String job) throws Exception {
        HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(cluster.web().resolve("/jobs/" + job + "?mode=cancel"))
                                .method("PATCH", BodyPublishers.noBody())
                                .build(),
                        BodyHandlers.discarding());
    }
}
