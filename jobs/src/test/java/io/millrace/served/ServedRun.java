package io.millrace.served;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.cli.CommandRun;
import io.millrace.config.PipelineConfig;
import io.millrace.pipeline.RunPlan;
import io.millrace.pipeline.RunPlanner;
import io.millrace.pipeline.ServedPipeline;
import io.millrace.pipeline.Sinks;
import io.millrace.preview.PreviewRun;
import io.millrace.run.ExitCode;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.train.spec.TrainSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The command {@code serve} in this process, with an embedded Flink, and what it should deliver. */
public final class ServedRun {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long PATIENCE_SECONDS = 300;

    private final Path pipeline;
    private final int world;
    private final List<String> settings;
    private final CompletableFuture<CommandRun> command;
    private final JsonNode ready;

    /** Starts the command at the loopback interface and waits until clients can connect. */
    public ServedRun(Path pipeline, Path folder, int world, String... settings) throws IOException {
        this(pipeline, folder, world, List.of("--listen", "127.0.0.1:0"), settings);
    }

    /** Starts the command with options, such as its address, and waits until clients can connect. */
    public ServedRun(Path pipeline, Path folder, int world, List<String> options, String... settings)
            throws IOException {
        this.pipeline = pipeline;
        this.world = world;
        this.settings = List.of(settings);
        Path readyFile = Files.createTempFile(folder, "ready", ".json");
        Files.delete(readyFile);
        List<String> arguments = new ArrayList<>(List.of("serve", pipeline.toString(), "--json"));
        arguments.addAll(List.of("--ready-file", readyFile.toString()));
        arguments.addAll(List.of("--world", Integer.toString(world)));
        arguments.addAll(options);
        Arrays.stream(settings).forEach(setting -> arguments.addAll(List.of("--set", setting)));
        command = CompletableFuture.supplyAsync(
                () -> CommandRun.of(arguments.toArray(String[]::new)), work -> new Thread(work, "serve").start());
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!Files.exists(readyFile)) {
            assertThat(command.isDone() ? command.join() : null).isNull();
            assertThat(System.nanoTime()).isLessThan(deadline);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
        ready = JSON.readTree(readyFile.toFile());
    }

    /** Returns the address of the Unix socket. */
    public String address() {
        return ready.required("addresses").get(0).asText();
    }

    /** Returns the token and the address for TCP. */
    public JsonNode ready() {
        return ready;
    }

    public ServedClient client(int rank, String kind) throws IOException {
        return client(rank, kind, 3);
    }

    public ServedClient client(int rank, String kind, int buffers) throws IOException {
        return connect(rank, buffers).open(kind);
    }

    /** Connects to an address as a loader, which is any text. */
    public ServedClient client(int rank, String kind, String to, String loader) throws IOException {
        return connect(rank, 3, to, loader).open(kind);
    }

    /** Connects to an address as a loader without reading an answer. */
    public ServedClient connect(int rank, int buffers, String to, String loader) throws IOException {
        return ServedClient.connect(
                to,
                buffers,
                Map.of(
                        "rank",
                        rank,
                        "world",
                        world,
                        "client",
                        "trainer " + rank,
                        "loader",
                        loader,
                        "token",
                        ready.required("token").asText()));
    }

    /** Connects without reading an answer. */
    public ServedClient connect(int rank, int buffers) throws IOException {
        return ServedClient.connect(address(), rank, world, null, buffers);
    }

    /** Connects as a rank that asks for the device transforms by a side, without reading an answer. */
    public ServedClient connect(int rank, String transforms) throws IOException {
        return ServedClient.connect(
                address(),
                3,
                Map.of("rank", rank, "world", world, "client", "trainer " + rank, "transforms", transforms));
    }

    /** Returns the training of a rank, as a trainer of the same pipeline without a model would get it. */
    public TrainSpec training(int rank) throws Exception {
        PipelineConfig config = ServedPipeline.read(pipeline, settings, world).training();
        return Sinks.of(config, RunPlanner.plan(config), Path.of("none"))
                .train()
                .trainers()
                .specs()
                .get(rank);
    }

    /** Returns the rows that a preview shows for each step of the run, of all ranks together. Quarantined ones are absent. */
    public List<List<ServedClient.Row>> expected() throws Exception {
        PipelineConfig config = ServedPipeline.read(pipeline, settings, 1).training();
        RunPlan plan = RunPlanner.plan(config);
        List<List<ServedClient.Row>> steps = new ArrayList<>();
        for (int epoch = 0; epoch < plan.batches().epochs(); epoch++) {
            try (PreviewRun preview = PreviewRun.open(config, plan, Split.TRAIN, epoch)) {
                for (long i = 0; i < preview.samples(); i++) {
                    if (i % plan.batches().batch() == 0) {
                        steps.add(new ArrayList<>());
                    }
                    Sample sample = preview.view(i).sample();
                    if (sample.badSample() == null) {
                        steps.get(steps.size() - 1)
                                .add(new ServedClient.Row(
                                        sample.position(),
                                        sample.index(),
                                        sample.label(),
                                        HexFormat.of().formatHex(sample.image().data())));
                    }
                }
            }
        }
        return steps;
    }

    /** Waits for the end of the command, whose clients have sent BYE, and returns its summary. */
    public JsonNode end(int exitCode) throws Exception {
        return ended(exitCode).json();
    }

    /** Waits for the end of the command, and returns its output. */
    public CommandRun ended(int exitCode) throws Exception {
        CommandRun ended = command.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(ended.exitCode()).as("%s%s", ended.out(), ended.err()).isEqualTo(exitCode);
        return ended;
    }

    /** Ends the run, whose clients need no more batches: all go to its end and say BYE there. */
    public void finish(ServedClient... clients) throws Exception {
        for (ServedClient client : clients) {
            JsonNode steps = client.plan().required("steps");
            assertThat(steps.isIntegralNumber())
                    .as("only a run with epochs has an end: %s", steps)
                    .isTrue();
            client.seek(steps.asLong());
        }
        for (ServedClient client : clients) {
            client.awaitEnd();
        }
        for (ServedClient client : clients) {
            client.bye();
        }
        end(ExitCode.OK);
    }
}
