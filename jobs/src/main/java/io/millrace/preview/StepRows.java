package io.millrace.preview;

import io.millrace.config.PipelineConfig;
import io.millrace.dataset.packed.PackedDataset;
import io.millrace.order.BatchPlan;
import io.millrace.order.BatchPlan.Batch;
import io.millrace.order.Order.Pick;
import io.millrace.order.RankRows;
import io.millrace.order.SampleUses;
import io.millrace.order.Sources;
import io.millrace.pipeline.Pipeline;
import io.millrace.pipeline.RunPlan;
import io.millrace.pipeline.Sinks;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.sequence.PlannedPacks;
import io.millrace.source.PositionReader;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;

/**
 * The samples of the training steps of a run. The sample of a row is computed from its position alone, so that no data before it are
 * read. Steps count the training steps from 0, as the logs of a run do.
 *
 * <p>Tested by {@code WhichCommandTest}.
 *
 * @param ranks the division of each step among the trainers
 * @param streams the numbers of the random streams of the transforms, by their stages, for each dataset
 */
public record StepRows(
        RunPlan plan, RankRows ranks, long seed, List<Map<String, Integer>> streams, PositionReader reader) {
    /**
     * A row of a step.
     *
     * @param row the number of the row in the step of all ranks, from 0
     * @param rank the trainer that gets the row, from 0
     * @param position the position in the run
     * @param pick the dataset, the number of the sample's random numbers, and the index in the dataset or the part of it that is trained on
     * @param source the dataset
     * @param sample the sample as it is stored; quarantined when it cannot be read
     */
    public record Row(long step, int row, int rank, long position, Pick pick, Sources.Source source, Sample sample) {
        /** Returns the index in the whole dataset. */
        public long index() {
            return sample.index() - source.first();
        }
    }

    /** A use of a sample: the step, the row of the step from 0, and the rank that gets it. */
    public record Use(long step, int row, int rank) {}

    static StepRows of(PipelineConfig config, RunPlan plan, PositionReader reader) {
        return new StepRows(
                plan,
                Sinks.rows(config, plan.batches()),
                config.data().order().seed(),
                IntStream.range(0, plan.sources().count())
                        .mapToObj(source -> Pipeline.randomStreams(config, source))
                        .toList(),
                reader);
    }

    /** Returns the number of steps; that of an endless run is the number of steps that can be computed. */
    public long steps() {
        return endless() ? plan.batches().lastStart() : plan.batches().steps();
    }

    /** Returns whether the run goes on until it is stopped. */
    public boolean endless() {
        return plan.batches().epochs() == BatchPlan.ENDLESS;
    }

    /**
     * Returns the rows of a step.
     *
     * @param step 0 to {@code steps() - 1}
     */
    public Batch batch(long step) {
        return plan.batches().batchOfStep(step);
    }

    /**
     * Requires that the samples of a step can be computed.
     *
     * @throws ArithmeticException when a dataset has been gone through too often before the step
     */
    public void require(Batch batch) {
        BatchPlan.Place place = plan.batches().place(batch.firstPosition());
        for (int row = 0; row < batch.rows(); row++) {
            plan.order().at(place.epoch(), place.i() + row);
        }
    }

    /**
     * Reads the stored sample of a row.
     *
     * @param row 0 to {@code batch.rows() - 1}
     * @throws IOException when reading fails for another reason than a bad sample
     */
    public Row read(Batch batch, int row) throws IOException {
        long position = batch.firstPosition() + row;
        BatchPlan.Place place = plan.batches().place(position);
        Pick pick = plan.order().at(place.epoch(), place.i());
        return new Row(
                batch.step(),
                row,
                ranks.rank(position),
                position,
                pick,
                plan.sources().get(pick.source()),
                reader.read(position));
    }

    /**
     * Finds the rows that hold a sample, or if samples are packs, tokens of a document.
     *
     * @param sample the dataset, and the index in the dataset or the part of it that is trained on
     * @param first the first step to search, 0 or more
     * @param last the last step to search, less than {@code steps()}
     * @param found receives the uses in ascending order
     * @throws IOException when documents that are not counted yet cannot be read
     */
    public void find(Sources.Place sample, long first, long last, Consumer<Use> found) throws IOException {
        BatchPlan batches = plan.batches();
        LongConsumer use = position -> {
            Batch batch = batches.batch(batches.batchNumber(position));
            found.accept(new Use(batch.step(), (int) (position - batch.firstPosition()), ranks.rank(position)));
        };
        SampleUses uses = new SampleUses(batches, plan.order());
        if (reader.dataset(Split.TRAIN, sample.source()) instanceof PackedDataset packed) {
            PlannedPacks packs = packed.planned();
            uses.find(sample.source(), packs.size(), packs.with(sample.index()), first, last, use);
        } else {
            uses.find(sample, first, last, use);
        }
    }

    /**
     * Returns the index in the whole dataset.
     *
     * @param sample the dataset, and the index in the dataset or the part of it that is trained on
     */
    public long indexInDataset(Sources.Place sample) {
        return reader.dataset(Split.TRAIN, sample.source()).indexInWhole(sample.index());
    }

    /** Returns whether the samples of a dataset are packs, so that a user names a document. */
    public boolean isPacked(int source) {
        return reader.dataset(Split.TRAIN, source).packed();
    }

    /** Returns the search for samples by their names and indexes. */
    public SampleLookup lookup() {
        return new SampleLookup(
                plan.sources(),
                IntStream.range(0, plan.sources().count())
                        .mapToObj(source -> reader.dataset(Split.TRAIN, source))
                        .toList());
    }
}
