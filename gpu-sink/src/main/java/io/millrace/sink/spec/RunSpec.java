package io.millrace.sink.spec;

import io.millrace.order.BatchPlan;
import io.millrace.order.SourceShares;
import io.millrace.order.Sources;
import io.millrace.sink.files.Events;
import io.millrace.sink.files.Ledger;
import java.io.Serializable;
import java.nio.file.Path;

/**
 * The run that the training operator belongs to, and its files.
 *
 * @param plan the batch of each position
 * @param folder the folder of the run, or of the rank, which exists
 * @param maxQuarantined the share of samples that may be bad, 0 to 1
 * @param ledger whether the samples of each step are recorded
 * @param events whether curves are written for TensorBoard
 * @param shares the parts of the run that the datasets of a mixture have
 */
public record RunSpec(
        BatchPlan plan, String folder, double maxQuarantined, Ledger ledger, Events events, SourceShares shares)
        implements Serializable {
    public RunSpec {
        if (!(maxQuarantined >= 0 && maxQuarantined <= 1)) {
            throw new IllegalArgumentException("expected a share from 0 to 1, found " + maxQuarantined);
        }
    }

    /** Creates a run without a mixture. */
    public RunSpec(BatchPlan plan, String folder, double maxQuarantined, Ledger ledger, Events events) {
        this(plan, folder, maxQuarantined, ledger, events, SourceShares.NONE);
    }

    /** Creates a run without a mixture, a ledger and event files. */
    public RunSpec(BatchPlan plan, String folder, double maxQuarantined) {
        this(plan, folder, maxQuarantined, Ledger.NONE, Events.NONE);
    }

    /** Returns the datasets that the run trains on. */
    public Sources sources() {
        return shares.isMixture() ? shares.sources() : Sources.single(plan.size());
    }

    /**
     * Returns the number of samples of the training and evaluation datasets together; those of an epoch where nobody needs to know how many
     * a dataset has.
     */
    public long samples() {
        return plan.evaluationSize()
                + sources().list().stream()
                        .mapToLong(source -> source.isEndless() ? plan.size() : source.size())
                        .sum();
    }

    /** Returns the same run with the folder of one rank. */
    RunSpec forRank(int rank) {
        String own = Trainers.folder(Path.of(folder), rank).toString();
        return new RunSpec(plan, own, maxQuarantined, ledger, events, shares);
    }
}
