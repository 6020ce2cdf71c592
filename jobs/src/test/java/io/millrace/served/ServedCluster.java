package io.millrace.served;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.SlowTraining;
import io.millrace.cli.SmallData;
import io.millrace.cluster.Certificates;
import io.millrace.cluster.ClusterStart;
import io.millrace.cluster.TestCluster;
import io.millrace.rest.ClusterJob;
import io.millrace.rest.ClusterRest;
import io.millrace.serve.ServeSpec;
import io.millrace.sink.deliver.ServeAddresses;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A cluster of real processes with two slots on two TaskManagers, on which a test serves digits. Sinks have a certificate for clients
 * of other machines, for which {@code serve} needs {@link #certificate}.
 *
 * @param runs the folder of the runs
 */
public record ServedCluster(
        TestCluster cluster, ClientProcess programs, Path pipeline, Path runs, Certificates certificates)
        implements AutoCloseable {
    public static final int SAMPLES = 500;
    public static final int STEPS_PER_EPOCH = 16;
    public static final int EPOCHS = 2;

    /** The number of samples of the evaluation. */
    public static final int EVALUATED = 100;

    private static final String PASSWORD = "password-of-the-key-store";

    /** Starts a cluster whose files are in a folder. */
    public static ServedCluster start(Path folder) throws Exception {
        Path digits = SmallData.digits(folder.resolve("digits"));
        Path runs = folder.resolve("runs");
        Path pipeline = SmallData.digitsPipeline(folder.resolve("digits.yaml"), digits, runs);
        Files.writeString(
                pipeline,
                Files.readString(pipeline).replace("parallelism: 2", "parallelism: 1")
                        + "evaluate: { dataset: { format: idx, path: " + digits + ", split: test } }\n");
        Certificates certificates = Certificates.make(folder.resolve("tls"), PASSWORD);
        Map<String, String> changes = new LinkedHashMap<>(keystore(certificates));
        changes.put("taskmanager.numberOfTaskSlots", "1");
        changes.put("$internal.dispatcher.client-aliveness-check.interval", "500ms");
        return new ServedCluster(
                TestCluster.start(
                        folder.resolve("cluster"),
                        ClusterStart.of(TestCluster.settings("elastic").with(changes), 2)),
                new ClientProcess(folder),
                pipeline,
                runs,
                certificates);
    }

    /** Returns the settings of the certificate alone: Flink's own connections do not use TLS. */
    private static Map<String, String> keystore(Certificates certificates) {
        Map<String, String> settings = certificates.settings();
        settings.keySet().removeIf(key -> !key.matches("security\\.ssl\\.rest\\.key.*"));
        return settings;
    }

    /** Returns the options of {@code serve} with the certificate of its front door. */
    public List<String> certificate() {
        List<String> options = new ArrayList<>();
        keystore(certificates).forEach((key, value) -> options.addAll(List.of("--set", "flink." + key + "=" + value)));
        return options;
    }

    /** Starts {@code serve} with a front door on the cluster. */
    public Process begin(Path ready, String... more) throws Exception {
        return begin(pipeline, ready, more);
    }

    /** Starts {@code serve} of another pipeline with a front door on the cluster. */
    public Process begin(Path other, Path ready, String... more) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("serve", other.toString()));
        arguments.addAll(List.of("--cluster", cluster.address(), "--ready-file", ready.toString()));
        if (!List.of(more).contains("--listen")) {
            arguments.addAll(List.of("--listen", "127.0.0.1:0"));
        }
        arguments.addAll(List.of(more));
        return programs.begin(arguments.toArray(String[]::new));
    }

    /** Returns what {@code serve} wrote when it was ready. */
    public JsonNode ready(Process serve, Path file) throws Exception {
        cluster.await("the front door", () -> Files.exists(file) || !serve.isAlive());
        assertThat(serve.isAlive()).as(programs.printed()).isTrue();
        return SlowTraining.json(Files.readString(file));
    }

    /** Starts {@code serve} without a front door, and returns its result. */
    public JsonNode detached(String... more) throws Exception {
        return detached(pipeline, more);
    }

    /** Starts {@code serve} of another pipeline without a front door, and returns its result. */
    public JsonNode detached(Path other, String... more) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("serve", other.toString()));
        arguments.addAll(List.of("--cluster", cluster.address(), "--detach", "--json"));
        arguments.addAll(List.of(more));
        ClientProcess.Ended ended = programs.millrace(arguments.toArray(String[]::new));
        assertThat(ended.exitCode()).as("%s", ended).isZero();
        return SlowTraining.json(ended.out().lines().reduce("", (first, second) -> second));
    }

    public ClusterRest rest() {
        return new ClusterRest(cluster.web());
    }

    /** Returns the id of the job that runs. */
    public String runningJob() throws Exception {
        List<ClusterJob> running = rest().jobs().stream()
                .filter(job -> job.endedAtMillis() == null)
                .toList();
        assertThat(running).hasSize(1);
        return running.get(0).id();
    }

    /** Waits for the sink of a rank, which a job may show later than those of other ranks, and returns its addresses. */
    public JsonNode sink(String job, int rank) throws Exception {
        JsonNode[] found = new JsonNode[1];
        cluster.await("the addresses of rank " + rank, () -> {
            Optional<String> text = rest().accumulator(job, ServeAddresses.accumulator(ServeSpec.Stream.TRAINING));
            found[0] = text.isPresent() ? SlowTraining.json(text.get()).get(Integer.toString(rank)) : null;
            return found[0] != null;
        });
        return found[0];
    }

    /** Stops a job and waits for its end, and returns what {@code stop} printed. */
    public String stop(String job) throws Exception {
        ClientProcess.Ended stopped = programs.millrace("stop", job, "--cluster", cluster.address());
        assertThat(stopped.exitCode()).as("%s", stopped).isZero();
        cluster.await(
                "the end of the job", () -> Objects.equals(rest().tasks(job).state(), "FINISHED"));
        return stopped.out();
    }

    /** Cancels a job with the request of Flink's web UI. */
    public void cancel(String job) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(cluster.web().resolve("/jobs/" + job + "?mode=cancel"))
                .method("PATCH", HttpRequest.BodyPublishers.noBody())
                .build();
        int status = HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.discarding())
                .statusCode();
        assertThat(status).isEqualTo(202);
    }

    @Override
    public void close() {
        cluster.close();
    }
}
