package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.order.BatchPlan;
import io.millrace.order.EpochOrder;
import io.millrace.order.Shuffle;
import io.millrace.pipeline.UnevenDelay;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A small training of photos, including bad ones, with evaluation. It takes long enough for accidents, and is compared with the
 * same training without delays and accidents.
 */
public final class SlowTraining {
    private static final int PHOTOS = 400;
    private static final int BAD = 12;
    private static final int BATCH = 8;
    private static final long SEED = 42;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final Path folder;
    private final int epochs;
    private final String always;
    private final String data;
    private final RunHistory undisturbedHistory;
    private final JsonNode undisturbedSummary;

    /** Generates the data and trains undisturbed in this process. */
    public SlowTraining(Path folder, int epochs) throws IOException {
        this(folder, epochs, "");
        undisturbedHistory.requireWhole(new EpochOrder(SEED, PHOTOS + BAD, Shuffle.FULL), plan());
    }

    /** Creates the training with additional lines in all its pipeline files, for example {@code ranks}. */
    public SlowTraining(Path folder, int epochs, String always) throws IOException {
        this(
                folder,
                epochs,
                always,
                "dataset: { format: folder, path: %s, epochs: %d }".formatted(folder.resolve("photos"), epochs));
    }

    private SlowTraining(Path folder, int epochs, String always, String data) throws IOException {
        this.folder = folder;
        this.epochs = epochs;
        this.always = always;
        this.data = data;
        SmallData.photos(folder.resolve("photos"), PHOTOS, BAD, 1);
        SmallData.photos(folder.resolve("photos-test"), 40, 0, 2);
        Path undisturbed = pipeline("undisturbed", 0, "checkpoint: off");
        CommandRun run = CommandRun.of("train", undisturbed.toString(), "--json");
        assertThat(run.exitCode()).as("%s%s", run.out(), run.err()).isZero();
        this.undisturbedSummary = run.json();
        this.undisturbedHistory = new RunHistory(CommandRun.folder(runs("undisturbed")));
        assertThat(undisturbedHistory.quarantined()).hasSize(BAD);
        assertThat(undisturbedSummary.required("quarantined").asInt()).isEqualTo(BAD);
    }

    /** Returns the training on a mixture, with epochs of the same length, whose shares change in the third epoch. */
    public static SlowTraining ofMixture(Path folder, int epochs) throws IOException {
        return new SlowTraining(folder, epochs, "", """
                datasets:
                  web: { format: folder, path: %1$s/photos }
                  rare: { format: folder, path: %1$s/photos-test, transforms: [ decode, RandomGrayscale ] }
                mix: [{ steps: 104, weights: { web: 3, rare: 1 } }, { steps: %2$d, weights: { web: 3, rare: 2 }, ramp: 26 }]
                mix_epoch: 52""".formatted(folder, 52 * (epochs - 2)));
    }

    private BatchPlan plan() {
        return new BatchPlan(PHOTOS + BAD, BATCH, false, epochs, 40, 2);
    }

    public long steps() {
        return epochs * plan().stepsPerEpoch();
    }

    public Path runs(String name) {
        return folder.resolve(name);
    }

    /**
     * Writes the pipeline file.
     *
     * @param delayMillis the delay of each sample, in milliseconds
     * @param more further lines of the file, for example {@code checkpoint}
     */
    public Path pipeline(String name, int delayMillis, String more) throws IOException {
        return pipeline(name, "Delay: { ms: %d, mode: sleep }".formatted(delayMillis), more);
    }

    /**
     * Writes the pipeline file of a run that is delayed until {@link #release}, for {@linkplain UnevenDelay#programs programs
     * with that transform}. Such a run can be disturbed on a busy machine, and ends soon after its release.
     */
    public Path held(String name, int delayMillis, String more) throws IOException {
        return pipeline(name, "UnevenDelay: { ms: %d, until: %s }".formatted(delayMillis, released()), more);
    }

    /** Ends the delay of held runs. */
    public void release() throws IOException {
        Files.createFile(released());
    }

    private Path released() {
        return folder.resolve("released");
    }

    private Path pipeline(String name, String delay, String more) throws IOException {
        return Files.writeString(folder.resolve(name + ".yaml"), """
                name: %s
                %s
                order: { seed: %d, shuffle: full }
                transforms:
                  - decode
                  - RandomResizedCrop: { size: [24, 24] }
                  - RandomHorizontalFlip
                  - %s
                parallelism: 3
                read: { range: 8, window: 6, read_ahead: 1 }
                batch: { size: %d, max_quarantined: 1.0 }
                device: { transforms: [ ToFloat ] }
                train: { model: { convnet: { channels: [4, 8] } }, optimizer: { adam: { learning_rate: 0.001 } } }
                evaluate:
                  dataset: { format: folder, path: %s }
                  transforms: [ decode, Resize: { size: [24, 24] } ]
                  every: 2
                ledger: true
                run: { folder: %s, web_port: 0 }
                %s
                %s
                """.formatted(
                        name, data, SEED, delay, BATCH, folder.resolve("photos-test"), runs(name), always, more));
    }

    /** Asserts that each rank of a run has the history of the undisturbed run, which is complete. */
    public void requireUndisturbed(Path run, JsonNode summary) throws IOException {
        RunHistory.requireSame(summary, undisturbedSummary);
        new RunHistory(run).requireSame(undisturbedHistory);
        int ranks = Math.max(1, undisturbedSummary.path("ranks").size());
        for (int rank = 1; rank < ranks; rank++) {
            String name = "rank-" + rank;
            new RunHistory(run.resolve(name))
                    .requireSame(new RunHistory(undisturbedHistory.folder().resolve(name)));
        }
    }

    /** Asserts the same for the latest run with this name. */
    public void requireUndisturbed(String name) throws IOException {
        requireUndisturbed(CommandRun.folder(runs(name)), CommandRun.summary(runs(name)));
    }

    public static JsonNode json(String text) throws IOException {
        return MAPPER.readTree(text);
    }
}
