package io.millrace.pipeline;

import io.millrace.batch.BatchSpec;
import io.millrace.config.PipelineConfig;
import io.millrace.config.PythonConfig;
import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.packed.PackedSpec;
import io.millrace.dataset.packed.SequenceSets;
import io.millrace.dataset.types.SettledTypes;
import io.millrace.order.BatchPlan;
import io.millrace.order.Order;
import io.millrace.order.SourceShares;
import io.millrace.order.Sources;
import io.millrace.sample.Counted;
import io.millrace.sample.SampleUnit;
import io.millrace.sequence.PackFill;
import io.millrace.source.RunData;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The properties of a run that are found by inspecting its datasets before the job starts.
 *
 * <p>Tested by {@code RunPlannerTest} and {@code GrowingPacksTest}.
 *
 * @param sources the datasets to train on
 * @param classes the names of the training set's classes; empty when the format has none
 * @param columns the columns of a batch, each with the reason for its type
 * @param storedBytes the size of one sample as it is stored, at least 1 byte
 * @param types the settled types of the fields whose types their formats do not declare
 * @param sequences the datasets whose samples are packs of documents, or whose documents are counted while they are read
 * @param resident whether all datasets are in memory, so that reading needs no threads of its own
 * @param labelled whether the samples have labels; only then batches that go to clients have them
 * @param unit the word for the samples in throughputs
 * @param remarks sentences for the user on what the datasets leave out
 */
public record RunPlan(
        BatchPlan batches,
        Order order,
        Sources sources,
        List<String> classes,
        List<WireColumn> columns,
        long storedBytes,
        SettledTypes types,
        SequenceSets sequences,
        boolean resident,
        boolean labelled,
        SampleUnit unit,
        List<String> remarks) {
    public RunPlan {
        classes = List.copyOf(classes);
        columns = List.copyOf(columns);
        remarks = List.copyOf(remarks);
    }

    /**
     * Returns the plan of the same run, whose batches go to clients. It is not known which types and which part of a batch their
     * training uses.
     */
    public RunPlan ofClients() {
        return new RunPlan(
                batches,
                order,
                sources,
                classes,
                columns.stream()
                        .map(column ->
                                new WireColumn(column.column(), column.column().dtype(), "for your training loop"))
                        .toList(),
                storedBytes,
                types,
                sequences,
                resident,
                labelled,
                unit,
                remarks);
    }

    /**
     * Requires that one block of memory holds each field of a batch whose rows have one length.
     *
     * @param rows the number of rows of a batch in one process
     * @throws PipelineException with the field and the limit when it does not
     */
    public void requireRoom(int rows) throws PipelineException {
        for (WireColumn each : columns) {
            BatchSpec.Column column = each.column();
            if (!column.varies() && (long) column.rowBytes() * rows > Integer.MAX_VALUE) {
                throw new PipelineException(String.format(
                        Locale.ROOT,
                        "a batch has %,d rows of '%s' with %,d bytes each: expected at most %,d bytes together. Set batch.size"
                                + " so that a process gets at most %,d rows",
                        rows,
                        column.name(),
                        column.rowBytes(),
                        Integer.MAX_VALUE,
                        Integer.MAX_VALUE / column.rowBytes()));
            }
        }
    }

    /**
     * Returns the samples of the run.
     *
     * @param config the pipeline of the run
     */
    public RunData data(PipelineConfig config) {
        PythonConfig python = config.data().python();
        DatasetSpec evaluation = config.evaluate()
                .map(e -> python.withModules(e.dataset().spec()))
                .orElse(null);
        return new RunData(
                config.data().sources().stream()
                        .map(source -> python.withModules(source.dataset().spec()))
                        .toList(),
                sources,
                evaluation,
                batches,
                order,
                types,
                sequences);
    }

    /** Returns the fill of the packs of the training datasets; empty when they are not packed. */
    public Optional<PackFill> packFill() {
        return sequences.fill(order);
    }

    /** Returns how much there is to train on: the samples, or the documents of sequences whose number nobody needs to know. */
    public String amount() {
        return sources.list().stream().anyMatch(Sources.Source::isEndless)
                ? IntStream.range(0, sources.count()).mapToObj(this::amount).collect(Collectors.joining(" and "))
                : Counted.of(sources.size(), "sample");
    }

    /** Returns how much a dataset has to train on. */
    public String amount(int source) {
        PackedSpec packs = sequences.train().get(source);
        return sources.get(source).isEndless() && packs != null
                ? Counted.of(packs.counts().documents(), "document")
                : Counted.of(sources.get(source).size(), "sample");
    }

    /** Returns the parts of the run that the datasets of a mixture have. */
    public SourceShares shares() {
        return new SourceShares(order, sources, batches.batch());
    }

    /** Returns the specification of a batch. */
    public BatchSpec rows() {
        return new BatchSpec(columns.stream().map(WireColumn::column).toList());
    }
}
