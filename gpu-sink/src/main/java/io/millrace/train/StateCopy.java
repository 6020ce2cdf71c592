package io.millrace.train;

import io.millrace.train.engine.TensorValues;
import io.millrace.train.network.FlatState;
import io.millrace.train.network.Network;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.state.ChunkPool;
import io.millrace.train.state.ModelState;
import io.millrace.train.state.SectionReader;
import io.millrace.train.state.SectionWriter;
import io.millrace.train.state.StateChunk;
import io.millrace.train.update.Accumulation;
import io.millrace.train.update.UpdateRule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Copies of a training's memory into a {@link ModelState}, and back. Belongs to the trainer's thread.
 *
 * <p>Tested by {@code DjlTrainStepTest}.
 */
final class StateCopy implements AutoCloseable {
    private static final String WEIGHTS = "weights";
    private static final String STATISTICS = "statistics";
    private static final String MOMENTS = "moments-";

    /** The gradients of an update that has begun; outside of an update they are zero and left out. */
    private static final String GRADIENTS = "gradients";

    private static final String MODULE = "module";

    /**
     * The number of copies that may be open: one that is being written, and an earlier one that was abandoned and not
     * closed.
     */
    private static final int COPIES_AT_A_TIME = 2;

    private final ChunkPool pool = new ChunkPool();
    private final TrainSpec spec;
    private final Network network;
    private final FlatState state;
    private final UpdateRule rule;
    private final Accumulation accumulation;
    private final int chunkBytes;

    private long lastBytes;

    /** The size of the module in the last copy, in bytes. The module in the next copy has about the same size. */
    private long moduleBytes;

    /** Prepares copies of one training. Does not own its arguments. */
    StateCopy(
            TrainSpec spec,
            Network network,
            FlatState state,
            UpdateRule rule,
            Accumulation accumulation,
            int chunkBytes) {
        this.spec = spec;
        this.network = network;
        this.state = state;
        this.rule = rule;
        this.accumulation = accumulation;
        this.chunkBytes = chunkBytes;
    }

    private StateHeader header() {
        return new StateHeader(
                spec.recipe().model().name(),
                state.parameters().stream().map(StateHeader.Tensor::of).toList(),
                state.statistics().stream().map(StateHeader.Tensor::of).toList(),
                spec.recipe().optimizer().name(),
                rule.moments(),
                rule.updates(),
                accumulation.begun());
    }

    /** Copies the state, see {@link TrainStep#snapshot}. */
    ModelState snapshot() {
        if (lastBytes > 0 && pool.lentBytes() > COPIES_AT_A_TIME * lastBytes) {
            // Only the garbage collector finds copies that were not closed. The JVM also runs it to free its own native
            // memory.
            System.gc();
        }
        List<StateChunk> chunks = new ArrayList<>();
        try {
            StateHeader header = header();
            addHeader(chunks, header.json());
            long weights = state.parameterCount() * Float.BYTES;
            if (network.keepsOwnForm()) {
                addModule(chunks);
            } else {
                add(chunks, WEIGHTS, weights, state.parameterValues());
                add(chunks, STATISTICS, state.statisticCount() * Float.BYTES, state.statisticValues());
            }
            for (int i = 0; i < rule.moments(); i++) {
                add(chunks, MOMENTS + i, weights, rule.moment(i));
            }
            if (!header.begun().isNothing()) {
                add(chunks, GRADIENTS, weights, state.gradientValues());
            }
            ModelState taken = new ModelState(chunks);
            lastBytes = taken.bytes();
            return taken;
        } catch (RuntimeException | OutOfMemoryError e) {
            chunks.forEach(StateChunk::close);
            throw e;
        }
    }

    private void addHeader(List<StateChunk> chunks, byte[] header) {
        try (SectionWriter writer = new SectionWriter(pool, StateHeader.SECTION, header.length, chunkBytes)) {
            writer.put(ByteBuffer.wrap(header));
            chunks.addAll(writer.chunks());
        }
    }

    private void add(List<StateChunk> chunks, String section, long bytes, List<TensorValues> content) {
        try (SectionWriter writer = new SectionWriter(pool, section, bytes, chunkBytes)) {
            content.forEach(values -> values.read(writer::put));
            chunks.addAll(writer.chunks());
        }
    }

    private void addModule(List<StateChunk> chunks) {
        try (SectionWriter writer = new SectionWriter(pool, MODULE, moduleBytes, chunkBytes)) {
            network.writeOwnForm(writer);
            List<StateChunk> module = writer.chunks();
            moduleBytes = module.get(0).sectionBytes();
            chunks.addAll(module);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Restores the state, see {@link TrainStep#restore}. */
    void restore(List<StateChunk> chunks) {
        StateHeader header = StateHeader.read(chunks);
        header.requireFits(header());
        long weights = state.parameterCount() * Float.BYTES;
        // All lengths are checked before the first byte is changed.
        List<SectionReader> moments = new ArrayList<>();
        for (int i = 0; i < rule.moments(); i++) {
            moments.add(new SectionReader(chunks, MOMENTS + i).require(weights));
        }
        boolean begun = !header.begun().isNothing();
        SectionReader gradients = new SectionReader(chunks, GRADIENTS).require(begun ? weights : 0);
        if (network.keepsOwnForm()) {
            restoreModule(chunks);
        } else {
            SectionReader statistics =
                    new SectionReader(chunks, STATISTICS).require(state.statisticCount() * Float.BYTES);
            new SectionReader(chunks, WEIGHTS).require(weights).fill(state.parameterValues());
            statistics.fill(state.statisticValues());
        }
        for (int i = 0; i < rule.moments(); i++) {
            moments.get(i).fill(rule.moment(i));
        }
        if (begun) {
            gradients.fill(state.gradientValues());
        }
        rule.continueAfter(header.updates());
        accumulation.continueFrom(header.begun());
    }

    private void restoreModule(List<StateChunk> chunks) {
        try (SectionReader module = new SectionReader(chunks, MODULE)) {
            network.readOwnForm(module);
            state.place(spec.recipe().seed());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Frees the memory that is kept for the next copy. Copies that are still open stay valid. */
    @Override
    public void close() {
        pool.close();
    }
}
