package io.millrace.pipeline;

import io.millrace.config.OrderConfig;
import io.millrace.config.PipelineConfig;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.packed.GrowingTokens;
import io.millrace.dataset.packed.PackedSpec;
import io.millrace.generate.ProgressListener;
import io.millrace.order.Order;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The arrangement of a run's rows by their lengths: packed sequences within each batch, so that ranks have equal work, or documents
 * within several batches, so that each batch has documents of similar length.
 *
 * <p>Tested by {@code RowArrangementTest}.
 */
interface RowArrangement {
    /** The number of rows by which the effect of an arrangement is computed. */
    int SAMPLE = 1 << 14;

    /**
     * Returns the arranged order.
     *
     * @param order the order without the arrangement
     * @param remarks gets a sentence on the effect
     * @throws IllegalArgumentException when the rows cannot be arranged so; the message is a sentence for the user
     */
    Order arrange(Order order, List<String> remarks);

    /** Returns the training datasets whose documents are counted while they are read, by their numbers. */
    default Map<Integer, GrowingTokens> counted() {
        return Map.of();
    }

    /**
     * Returns the arrangement of a run; empty when its rows keep their order.
     *
     * @param configs the pipelines of the training datasets alone
     * @param rows the number of rows of a batch of all ranks
     * @param documents the training datasets before packing, with settled types
     * @param packs the packs of the datasets that are packed
     * @param progress is told how many documents have been counted, if that is still to be done
     * @param remarks gets a sentence if counts cannot be used
     * @throws PipelineException when a dataset cannot be arranged so
     */
    static Optional<RowArrangement> of(
            List<PipelineConfig> configs,
            int rows,
            List<Dataset> documents,
            Map<Integer, PackedSpec> packs,
            ProgressListener progress,
            List<String> remarks)
            throws IOException, PipelineException {
        OrderConfig order = configs.get(0).data().order();
        if (order.balanceWork().isPresent()) {
            return Optional.of(RowBalance.of(order.balanceWork().get(), configs, rows, packs));
        }
        return order.bucket().isEmpty()
                ? Optional.empty()
                : Optional.of(RowBuckets.of(order.bucket().get(), configs, rows, documents, packs, progress, remarks));
    }
}
