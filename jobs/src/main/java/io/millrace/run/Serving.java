package io.millrace.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.config.PipelineConfig;
import io.millrace.file.WholeFiles;
import io.millrace.order.BatchPlan;
import io.millrace.order.Sources;
import io.millrace.pipeline.PipelineException;
import io.millrace.pipeline.PositionSettings;
import io.millrace.pipeline.RunPlan;
import io.millrace.rest.ClusterRest;
import io.millrace.serve.BoundAddress;
import io.millrace.serve.BufferLayout;
import io.millrace.serve.Message;
import io.millrace.serve.ServeEndpoint;
import io.millrace.serve.ServeEndpoints;
import io.millrace.serve.ServeSpec;
import io.millrace.sink.spec.SinkSpec;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The delivery of a run's batches to clients, from the side of the command that starts the run. Its front door is the
 * address at which clients connect first. It accepts them from the moment at which the run has a folder until it is
 * closed. A detached run has no front door, because its command ends: its clients find the sinks through Flink.
 */
public final class Serving implements AutoCloseable {
    /** The name of the file with the token in the run's folder. */
    public static final String TOKEN_FILE = "serve.token";

    /** The environment variable with the token. With it, clients find a server again that was started anew. */
    public static final String TOKEN_VARIABLE = "MILLRACE_TOKEN";

    private static final Logger LOG = LoggerFactory.getLogger(Serving.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int TOKEN_BYTES = 16;
    private static final Pattern TOKEN = Pattern.compile("[0-9a-f]{32}");

    /** The time in which clients should hear that the job has failed, and the time after which an interrupt is noticed. */
    private static final Duration MOST_HEARD = Duration.ofSeconds(30);

    private static final Duration CHECK = Duration.ofMillis(100);

    /** The room for the names of the classes in the message PLAN. What remains is for the fields and the settings. */
    private static final int MOST_CLASSES_BYTES = Message.MOST_PLAN_BYTES - Message.MOST_JSON_BYTES;

    private final ServeSpec.Network network;
    private final int world;
    private final Optional<Path> readyFile;
    private final String token;
    private final Optional<BoundAddress> bound;
    private final Optional<ServeDoor> door;

    /** The id of this delivery. */
    private final String id = UUID.randomUUID().toString();

    private final ServeSpec.Stream stream;
    private Optional<ServedEvaluation> evaluation = Optional.empty();
    private ServeEndpoints.@Nullable Lease lease;
    private @Nullable SinkPlaces places;

    /**
     * Creates a delivery, whose front door listens but does not accept clients yet.
     *
     * @param network the machines whose clients can reach the sinks in processes of a cluster
     * @param door the front door; empty when there is none
     * @param world the number of ranks
     * @param readyFile a file that receives the addresses and the token when clients can connect; only this user can read it
     * @throws UsageException when the variable with the token has none
     * @throws IOException when this process cannot listen at the address of the front door
     */
    public Serving(ServeSpec.Network network, Optional<ServeDoor> door, int world, Optional<Path> readyFile)
            throws IOException {
        this(network, door, world, readyFile, token(System.getenv(TOKEN_VARIABLE)), ServeSpec.Stream.TRAINING);
    }

    private Serving(
            ServeSpec.Network network,
            Optional<ServeDoor> door,
            int world,
            Optional<Path> readyFile,
            String token,
            ServeSpec.Stream stream)
            throws IOException {
        this.network = network;
        this.world = world;
        this.readyFile = readyFile;
        this.token = token;
        this.stream = stream;
        this.door = door;
        this.bound = door.isPresent() ? Optional.of(door.get().bind()) : Optional.empty();
    }

    /**
     * Lets this delivery have one of an evaluation beside it, in the same job. Its clients come to this front door, too. It is
     * closed with this one.
     *
     * @param config the pipeline of the evaluation
     * @param every the number of epochs after which a training loop is expected to ask for it
     * @throws IOException when this process cannot listen at another port of the same address
     */
    public void withEvaluation(PipelineConfig config, int every) throws IOException {
        Serving other = new Serving(
                network, door.map(ServeDoor::atAnyPort), world, Optional.empty(), token, ServeSpec.Stream.EVALUATION);
        evaluation = Optional.of(new ServedEvaluation(config, every, other));
    }

    /** Returns the evaluation in the same job, if there is one. */
    Optional<ServedEvaluation> evaluation() {
        return evaluation;
    }

    /** Returns whether clients connect to this process first. */
    boolean hasFrontDoor() {
        return bound.isPresent();
    }

    /** Accepts the clients of an evaluation, which wait until it has sinks. Their plan comes from a sink. */
    ServeEndpoint awaitSinks() throws IOException {
        ServeEndpoints.Lease opened =
                ServeEndpoints.open(new ServeSpec(id, network, token, world, "{}", stream, null), bound.orElseThrow());
        lease = opened;
        return opened.endpoint();
    }

    /**
     * Returns the token that the user has set, or that is in the file that the user has named; otherwise a new one.
     *
     * @throws UsageException when the text is neither a token nor a file with one
     */
    static String token(@Nullable String set) {
        if (set == null || set.isEmpty()) {
            return newToken();
        }
        String given = TOKEN.matcher(set).matches() ? set : inFile(set);
        if (!TOKEN.matcher(given).matches()) {
            throw new UsageException("the variable " + TOKEN_VARIABLE
                    + " is not a token: expected 32 hexadecimal digits in lower case, or a file that contains them, found "
                    + set.length() + " characters");
        }
        return given;
    }

    /** Returns the text of a file; the name itself if the file cannot be read. */
    private static String inFile(String name) {
        try {
            return Files.readString(Path.of(name)).strip();
        } catch (IOException | InvalidPathException noFile) {
            return name;
        }
    }

    private static String newToken() {
        byte[] random = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(random);
        return HexFormat.of().formatHex(random);
    }

    /**
     * Requires that the batches of a run can be delivered. It is called before a run has a folder or a job.
     *
     * @throws PipelineException when a batch is too large for a buffer, a field has a name of the protocol, or the
     *     names of the classes are too long for the message PLAN
     */
    void requireDeliverable(PipelineConfig config, RunPlan plan) throws IOException, PipelineException {
        plan.requireRoom(plan.batches().batch() / world);
        String dataset = config.data().dataset().spec().path();
        try {
            BufferLayout.of(
                    plan.rows(), plan.batches().batch() / world); // with labels, so that a column never has their name
        } catch (IllegalArgumentException e) {
            throw new PipelineException(
                    "batches of " + dataset + " cannot be delivered to clients: " + e.getMessage(), e);
        }
        int bytes = JSON.writeValueAsBytes(plan.classes()).length;
        if (bytes > MOST_CLASSES_BYTES) {
            throw new PipelineException("the names of the " + plan.classes().size() + " classes of " + dataset
                    + " cannot be sent to clients: expected at most " + MOST_CLASSES_BYTES
                    + " bytes of JSON, found " + bytes + ". Use shorter names, or numbers as labels");
        }
    }

    /** Accepts clients from now on, and returns the run's sink, which delivers to the clients. */
    SinkSpec of(PreparedRun run, SinkSpec sink) throws IOException {
        ServeSpec spec = new ServeSpec(
                id,
                network,
                token,
                world,
                plan(run),
                stream,
                evaluation
                        .map(other -> new ServeSpec.Evaluation(other.serving().id, other.every()))
                        .orElse(null));
        if (bound.isPresent() && lease == null) {
            ServeEndpoints.Lease opened = ServeEndpoints.open(spec, bound.get());
            lease = opened;
            if (evaluation.isPresent()) {
                opened.endpoint().evaluateAt(evaluation.get().serving().awaitSinks());
            }
        }
        if (stream == ServeSpec.Stream.TRAINING) {
            writePrivate(run.folder().file(TOKEN_FILE), token);
        }
        if (readyFile.isPresent()) {
            Map<String, Object> ready = new LinkedHashMap<>();
            ready.put("addresses", addresses());
            ready.put("token", token);
            ready.put("run", run.folder().path().toString());
            ready.put("web", run.web().map(Object::toString).orElse(""));
            writePrivate(readyFile.get(), JSON.writeValueAsString(ready));
        }
        return sink.served(spec);
    }

    /** Sends clients from the front door, if there is one, to the sinks of a job on a cluster from now on. */
    void follow(ClusterRest cluster, String job) {
        if (lease != null) {
            places = new SinkPlaces(cluster, job, stream, lease.endpoint());
        }
        evaluation.ifPresent(other -> other.serving().follow(cluster, job));
    }

    /** Returns the addresses at which clients connect. */
    public List<String> addresses() throws IOException {
        return lease == null ? List.of() : lease.endpoint().addresses();
    }

    /** Reports to all clients, now and when they come back, that the job has failed. */
    public void fail(String sentence) {
        if (lease != null) {
            lease.endpoint().fail(sentence);
        }
        evaluation.ifPresent(other -> other.serving().fail(sentence));
    }

    /**
     * Waits until all clients have heard that the job has failed, at most 30 s. A client that trains now hears of it at
     * its next batch. An interrupt ends the wait.
     */
    public void awaitHeard(Interrupt interrupt, PrintStream text) throws InterruptedException {
        ServeEndpoints.Lease open = lease;
        if (open == null || open.endpoint().awaitHeard(Duration.ZERO)) {
            return;
        }
        text.println("waits   at most " + MOST_HEARD.toSeconds() + " s until the clients have heard of the failure");
        long deadline = System.nanoTime() + MOST_HEARD.toNanos();
        while (!open.endpoint().awaitHeard(CHECK) && !interrupt.isRequested() && System.nanoTime() < deadline) {
            LOG.debug("not all clients have heard of the failure");
        }
    }

    /** Writes a file that only this user can read. */
    private static void writePrivate(Path file, String text) throws IOException {
        Path partial = WholeFiles.partial(file);
        Files.deleteIfExists(partial);
        Files.createFile(partial, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.write(partial, text.getBytes(StandardCharsets.UTF_8));
        WholeFiles.publish(file);
    }

    /** Returns the part of the plan that all ranks share. */
    private String plan(PreparedRun run) throws JsonProcessingException {
        PipelineConfig config = run.config();
        BatchPlan batches = run.plan().batches();
        boolean endless = batches.epochs() == BatchPlan.ENDLESS;
        Map<String, Object> plan = new LinkedHashMap<>();
        plan.put("name", config.name());
        plan.put("run", run.folder().path().toString());
        plan.put("web", run.web().map(Object::toString).orElse(null));
        plan.put("fingerprint", PositionSettings.served(config, run.plan()));
        plan.put("world", world);
        plan.put("global_batch", batches.batch());
        plan.put("epochs", endless ? null : batches.epochs());
        plan.put("steps_per_epoch", batches.stepsPerEpoch());
        plan.put("steps", endless ? null : batches.batches());
        plan.put("drop_last", batches.dropLast());
        plan.put("samples", batches.size());
        plan.put("sources", sources(run.plan().sources()));
        plan.put("evaluation", evaluation.isPresent());
        plan.put("classes", run.plan().classes());
        plan.put("labelled", run.plan().labelled());
        return JSON.writeValueAsString(plan);
    }

    /** Returns the datasets as the plan describes them. */
    static List<Map<String, Object>> sources(Sources sources) {
        return sources.list().stream()
                .map(source ->
                        Map.<String, Object>of("name", source.name(), "size", source.size(), "first", source.first()))
                .toList();
    }

    /** Closes all connections and the front door. */
    @Override
    public void close() throws IOException {
        if (places != null) {
            places.close();
            places = null;
        }
        if (lease != null) {
            lease.close();
            lease = null;
        }
        if (bound.isPresent()) {
            bound.get().close();
        }
        if (evaluation.isPresent()) {
            evaluation.get().serving().close();
        }
    }
}
