package io.millrace.train;

import ai.djl.engine.EngineException;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import io.millrace.device.Device;
import io.millrace.device.DeviceBatch;
import io.millrace.device.EngineErrors;
import io.millrace.device.HostDevice;
import io.millrace.exchange.GradientExchange;
import io.millrace.lifecycle.Handles;
import io.millrace.train.engine.ComputePrecision;
import io.millrace.train.engine.TrainingMemory;
import io.millrace.train.engine.TrainingRuntime;
import io.millrace.train.input.DevicePlan;
import io.millrace.train.input.DeviceRows;
import io.millrace.train.input.LateChecks;
import io.millrace.train.input.ModelInputs;
import io.millrace.train.input.RowMixture;
import io.millrace.train.input.RowTensors;
import io.millrace.train.input.Targets;
import io.millrace.train.loss.Loss;
import io.millrace.train.loss.Losses;
import io.millrace.train.loss.Weight;
import io.millrace.train.network.Blocks;
import io.millrace.train.network.FlatState;
import io.millrace.train.network.Models;
import io.millrace.train.network.Network;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.state.ModelState;
import io.millrace.train.state.StateChunk;
import io.millrace.train.update.Accumulation;
import io.millrace.train.update.GradientRules;
import io.millrace.train.update.LearningRate;
import io.millrace.train.update.Optimizer;
import io.millrace.train.update.Optimizers;
import io.millrace.train.update.ParameterUpdates;
import io.millrace.train.update.Schedules;
import io.millrace.train.update.UpdatePlan;
import io.millrace.train.update.UpdateRule;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A training step on DJL's PyTorch engine.
 *
 * <p>This class does not use DJL's trainer and gradient collector: DJL allows one collector at a time in a JVM, so a
 * second trainer would throw. Instead, this class switches gradients on for its own thread only, and calls backward on
 * the loss.
 *
 * <p>On a device that works asynchronously, no part of a training step waits for it: the loss arrives later.
 */
public final class DjlTrainStep implements TrainStep {
    private final TrainSpec spec;
    private final Handles owned = new Handles();
    private final PtNDManager manager;
    private final TrainingMemory where;
    private final @Nullable DeviceRows rows;
    private final @Nullable LateResults late;
    private final Network network;
    private final FlatState state;
    private final Loss loss;
    private final ModelInputs inputs;
    private final Targets targets;
    private final TorchRandom random;
    private final ParameterUpdates updates;
    private final StateCopy copy;
    private final ComputePrecision precision;
    private final PtNDArray one;

    /**
     * The sizes into which memory is divided. They do not change the results.
     *
     * @param blockBytes the largest number of bytes of one block of weights, gradients or moments, see {@link Blocks}
     * @param chunkBytes the largest number of bytes of one chunk of a copied state
     */
    public record BlockSizes(int blockBytes, int chunkBytes) {
        static final BlockSizes DEFAULT = new BlockSizes(Blocks.Layout.MOST_BYTES, StateChunk.MOST_BYTES);
    }

    /** Opens a step on the host. The calling thread is the one that trains; see {@link TrainStep#open}. */
    public DjlTrainStep(TrainSpec spec, int capacity) {
        this(spec, capacity, BlockSizes.DEFAULT);
    }

    /** Opens a step on a device. */
    public DjlTrainStep(TrainSpec spec, int capacity, Device device) {
        this(spec, capacity, BlockSizes.DEFAULT, device);
    }

    /** Opens a step on the host with other sizes of memory. */
    public DjlTrainStep(TrainSpec spec, int capacity, BlockSizes sizes) {
        this(spec, capacity, sizes, new HostDevice());
    }

    private DjlTrainStep(TrainSpec spec, int capacity, BlockSizes sizes, Device device) {
        this.spec = spec;
        try {
            Optimizer optimizer = Optimizers.create(spec.recipe().optimizer());
            LearningRate learningRate = Schedules.of(spec, optimizer.learningRate());
            this.manager = TrainingRuntime.open(spec.tuning().threads(), device);
            owned.add(manager);
            this.where = owned.add(new TrainingMemory(device, manager));
            this.rows = where.isHost() ? null : owned.add(new DeviceRows(new RowTensors(manager), new LateChecks()));
            this.late = where.isHost() ? null : owned.add(new LateResults(where));
            DevicePlan plan = DevicePlan.of(spec);
            this.inputs = owned.add(new ModelInputs(spec, plan, capacity, manager, rows));
            this.network = owned.add(Models.create(spec.recipe().model(), inputs.modelColumns(), manager));
            this.loss = Losses.create(spec.recipe().loss());
            this.targets = owned.add(Targets.open(spec, plan, loss, network.classes(), capacity, manager, rows));
            this.state = owned.add(new FlatState(network, where, spec.recipe().seed(), sizes.blockBytes));
            UpdateRule rule = owned.add(new UpdateRule(optimizer, state, where));
            this.random = new TorchRandom(spec.recipe().seed());
            Accumulation accumulation = new Accumulation(UpdatePlan.of(spec), manager);
            GradientRules gradients = owned.add(new GradientRules(state, manager));
            this.updates = new ParameterUpdates(spec, state, accumulation, gradients, rule, learningRate);
            this.copy = owned.add(new StateCopy(spec, network, state, rule, accumulation, sizes.chunkBytes));
            this.precision = owned.add(ComputePrecision.open(spec.tuning(), manager));
            this.one = (PtNDArray) manager.ones(new Shape());
            owned.add(device.engine()::synchronize); // closed first
        } catch (RuntimeException | Error e) {
            Handles.closeAfter(e, owned);
            if (e instanceof EngineException failure) {
                throw translate(failure, capacity);
            }
            throw e;
        }
    }

    /** Translates an exception of the engine into one that names the device and the work. */
    private RuntimeException translate(EngineException failure, int batchRows) {
        return EngineErrors.translate(
                failure,
                "a step on " + batchRows + " rows of " + spec.data().input().rowBytes() + " bytes with the model "
                        + spec.recipe().model().name() + " on " + where.device().describe());
    }

    @Override
    public StepResult train(DeviceBatch batch) {
        return enqueue(batch).result();
    }

    @Override
    public Pending<StepResult> enqueue(DeviceBatch batch) {
        try {
            return batch.rows() == 0 ? Pending.done(trainWithoutRows(batch)) : enqueueRows(batch);
        } catch (EngineException e) {
            throw translate(e, batch.rows());
        }
    }

    private Pending<StepResult> enqueueRows(DeviceBatch batch) {
        long begin = System.nanoTime();
        // One manager per step: otherwise the arrays of a step would live as long as the training.
        try (PtNDManager step = manager.newSubManager(manager.getDevice())) {
            List<RowMixture> mixtures = inputs.mixtures(batch);
            long drawn = System.nanoTime();
            PtNDArray expected = targets.make(batch, mixtures, step);
            long expecting = System.nanoTime();
            NDList given = inputs.make(batch, mixtures, step);
            long made = System.nanoTime();
            Weight weight = updates.weighs() ? weight(expected) : Weight.ONE;
            PtNDArray mean;
            long forwarded;
            JniUtils.setGradMode(true);
            try {
                mean = (PtNDArray) loss.mean(forward(given, Network.Mode.TRAIN, batch), expected);
                forwarded = System.nanoTime();
                JniUtils.backward(mean, weight.equals(Weight.ONE) ? one : weight.gradient(mean), false, false);
            } finally {
                JniUtils.setGradMode(false);
            }
            long learned = System.nanoTime();
            boolean whole = updates.gather(batch, weight);
            long shared = System.nanoTime();
            if (whole) {
                updates.update(batch.step());
            }
            long updated = System.nanoTime();
            StepTimes parts = new StepTimes(
                    expecting - drawn,
                    drawn - begin + made - expecting,
                    forwarded - made,
                    learned - forwarded,
                    updates.areShared() ? shared - learned : StepTimes.NONE,
                    updated - shared);
            if (late != null && rows != null) {
                StepResult enqueued = new StepResult(Double.NaN, made - begin, System.nanoTime() - made, parts);
                return late.enqueueCopy(batch, mean, rows.checks().take(), enqueued);
            }
            return Pending.done(new StepResult(mean.getFloat(), made - begin, System.nanoTime() - made, parts));
        }
    }

    /** Returns the weight of a batch: a number on the host, or a tensor when the device counts it. */
    private Weight weight(PtNDArray expected) {
        Weight weight = loss.weight(expected);
        return where.isHost() ? weight.read() : weight;
    }

    /** Takes part in an update to which earlier batches or replicas may have contributed. */
    private StepResult trainWithoutRows(DeviceBatch batch) {
        long begin = System.nanoTime();
        boolean whole = updates.gather(batch, Weight.NOTHING);
        if (whole) {
            updates.update(batch.step());
        }
        return new StepResult(Double.NaN, 0, whole || updates.areShared() ? System.nanoTime() - begin : 0);
    }

    @Override
    public void replicate(GradientExchange replicas) {
        network.requireShareable();
        updates.share(where.isHost() ? replicas : owned.add(new MirroredExchange(replicas, state, where.device())));
    }

    private PtNDArray forward(NDList given, Network.Mode mode, DeviceBatch batch) {
        return precision.compute(() -> network.drawsNumbers()
                ? random.inStep(batch.step(), () -> network.forward(given, mode))
                : network.forward(given, mode));
    }

    @Override
    public EvaluationResult evaluate(DeviceBatch batch) {
        return enqueueEvaluation(batch).result();
    }

    @Override
    public Pending<EvaluationResult> enqueueEvaluation(DeviceBatch batch) {
        if (batch.rows() == 0) {
            return Pending.done(new EvaluationResult(0, 0, 0));
        }
        JniUtils.setGradMode(false);
        try (PtNDManager step = manager.newSubManager(manager.getDevice())) {
            PtNDArray expected = targets.make(batch, List.of(), step);
            PtNDArray outputs = forward(inputs.make(batch, List.of(), step), Network.Mode.EVALUATE, batch);
            if (late != null && rows != null) {
                return late.enqueueCopy(
                        batch, sums(outputs, expected), rows.checks().take());
            }
            Loss.Hits hits = loss.hits(outputs, expected);
            return Pending.done(
                    new EvaluationResult(loss.sum(outputs, expected), hits.correct(), batch.rows(), hits.counted()));
        } catch (EngineException e) {
            throw translate(e, batch.rows());
        }
    }

    /**
     * Returns the sums of an evaluation batch on the device. If the loss cannot compute these sums on the device, this
     * method waits for their values.
     */
    private Loss.Sums sums(PtNDArray outputs, PtNDArray expected) {
        return loss.sums(outputs, expected).orElseGet(() -> {
            Loss.Hits hits = loss.hits(outputs, expected);
            PtNDManager step = outputs.getManager();
            return new Loss.Sums(
                    step.create(loss.sum(outputs, expected)),
                    hits.correct() < 0 ? null : step.create(hits.correct()),
                    hits.correct() < 0 ? null : step.create(hits.counted()));
        });
    }

    @Override
    public String parametersSha256() {
        return ParameterDigest.of(state, network);
    }

    @Override
    public long parameterCount() {
        return state.parameterCount();
    }

    @Override
    public void save(Path directory) throws IOException {
        ModelFolder.write(directory, spec, state);
        network.saveOwnForm(directory);
    }

    @Override
    public ModelState snapshot() {
        return copy.snapshot();
    }

    @Override
    public void restore(List<StateChunk> chunks) {
        copy.restore(chunks);
    }

    /** Returns the network's memory, for tests that set the first values. */
    public FlatState state() {
        return state;
    }

    @Override
    public void close() {
        // The memory may be freed before the arrays that view it, because deleting such an array does not access it.
        owned.close();
    }
}
