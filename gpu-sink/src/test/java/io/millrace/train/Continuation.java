package io.millrace.train;

import static io.millrace.train.Vectors.part;

import io.millrace.device.Device;
import io.millrace.device.DeviceBatch;
import io.millrace.device.HostDevice;
import io.millrace.train.TrainStep.StepResult;
import io.millrace.train.network.Models;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.Recipe;
import io.millrace.train.spec.RunLength;
import io.millrace.train.spec.TrainData;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.spec.Tuning;
import io.millrace.train.state.ModelState;
import io.millrace.train.update.Schedules;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A small training over a file's rows, for tests that stop one training and continue another.
 *
 * @param vectors the rows
 * @param spec the training on these rows
 */
public record Continuation(Vectors vectors, TrainSpec spec) {
    private static final int ROWS = 6;

    /** Returns a training whose learning rate changes with every step. */
    public static Continuation of(String file, Component model, Component optimizer) throws IOException {
        return of(file, model, optimizer, part(Schedules.all(), "cosine", Map.of("warm_up", 2L)));
    }

    public static Continuation of(String file, Component model, Component optimizer, Component schedule)
            throws IOException {
        Vectors vectors = Vectors.read(file + ".safetensors");
        boolean gray = vectors.spec().columns().get(0).shape().get(2) == 1;
        return new Continuation(
                vectors,
                new TrainSpec(
                        new TrainData(vectors.spec(), gray ? TrainingFigures.GRAY : TrainingFigures.COLOR),
                        new Recipe(model, TrainingFigures.CROSS_ENTROPY, optimizer, schedule, 11),
                        new RunLength(4, 5),
                        Tuning.ofThreads(1)));
    }

    public static Continuation mlp(Component optimizer) throws IOException {
        return of("mlp_adam", part(Models.all(), "mlp", Map.of("hidden", List.of(16L, 8L), "classes", 5L)), optimizer);
    }

    /** Returns the same training with another seed. */
    public Continuation seeded(long seed) {
        return with(spec.data().transforms(), seed);
    }

    /** Returns the same training with one more transform. */
    public Continuation and(Component transform) {
        List<Component> transforms = new ArrayList<>(spec.data().transforms());
        transforms.add(transform);
        return with(transforms, spec.recipe().seed());
    }

    private Continuation with(List<Component> transforms, long seed) {
        return new Continuation(
                vectors,
                new TrainSpec(
                        new TrainData(spec.data().input(), transforms),
                        new Recipe(
                                spec.recipe().model(),
                                spec.recipe().loss(),
                                spec.recipe().optimizer(),
                                spec.recipe().schedule(),
                                seed),
                        new RunLength(
                                spec.length().stepsPerEpoch(), spec.length().epochs()),
                        spec.tuning()));
    }

    public TrainStep open() {
        return TrainStep.open(spec, ROWS);
    }

    public DjlTrainStep open(DjlTrainStep.BlockSizes sizes) {
        return new DjlTrainStep(spec, ROWS, sizes);
    }

    public TrainStep open(Device device) {
        return TrainStep.open(spec, ROWS, device);
    }

    /** Trains on steps {@code from} to {@code to - 1} and returns the digest of the parameters. */
    public String train(TrainStep step, int from, int to) {
        train(step, from, to, new HostDevice());
        return step.parametersSha256();
    }

    /** Trains on a device and returns each step's loss. */
    public List<Double> train(TrainStep step, int from, int to, Device device) {
        List<Pending<StepResult>> pending = new ArrayList<>();
        try (DeviceBatch batch = device.allocate(spec.data().input(), ROWS)) {
            for (int i = from; i < to; i++) {
                int row = i * ROWS % (vectors.rows() - ROWS);
                vectors.fill(batch, i, row, row + ROWS);
                batch.beginUse();
                pending.add(step.enqueue(batch));
                batch.endUse();
            }
        }
        return pending.stream().map(p -> p.result().loss()).toList();
    }

    /** Returns the bytes of a copy of the step's state. */
    public static byte[] bytes(TrainStep step) throws IOException {
        try (ModelState state = step.snapshot()) {
            return bytes(state);
        }
    }

    public static byte[] bytes(ModelState state) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        state.write(new DataOutputStream(out));
        return out.toByteArray();
    }

    public static ModelState state(byte[] bytes) throws IOException {
        return ModelState.read(new DataInputStream(new ByteArrayInputStream(bytes)));
    }

    public static void restore(TrainStep step, byte[] bytes) throws IOException {
        try (ModelState state = state(bytes)) {
            step.restore(state.chunks());
        }
    }
}
