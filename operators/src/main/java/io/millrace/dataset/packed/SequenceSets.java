package io.millrace.dataset.packed;

import io.millrace.dataset.Dataset;
import io.millrace.order.Order;
import io.millrace.sequence.PackFill;
import java.io.IOException;
import java.io.Serializable;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The datasets of a run that are packed, or whose documents are counted while they are read.
 *
 * @param train the packs of training datasets, by their numbers; a dataset that is missing is not packed
 * @param evaluation the packs of the evaluation dataset; null when it is not packed
 * @param counted the counts of training datasets that are not packed, by their numbers; a dataset that is missing is not counted
 */
public record SequenceSets(
        Map<Integer, PackedSpec> train, @Nullable PackedSpec evaluation, Map<Integer, GrowingTokens> counted)
        implements Serializable {
    /** No dataset is packed or counted. */
    public static final SequenceSets NONE = new SequenceSets(Map.of(), null, Map.of());

    public SequenceSets {
        train = Map.copyOf(train);
        counted = Map.copyOf(counted);
    }

    /** Returns the same packs with the counts of datasets that are not packed. */
    public SequenceSets withCounted(Map<Integer, GrowingTokens> counts) {
        return new SequenceSets(train, evaluation, counts);
    }

    /** Returns a training dataset as its packs, or itself when it is not packed. It is counted as long as the result is open, if it has to be. */
    public Dataset train(int source, Dataset documents) throws IOException {
        GrowingTokens count = counted.get(source);
        return count == null ? view(train.get(source), documents) : count.view(documents);
    }

    /** Returns the evaluation dataset as its packs, or itself when it is not packed. */
    public Dataset evaluation(Dataset documents) throws IOException {
        return view(evaluation, documents);
    }

    /** Returns the mean fill of the packs of an epoch of a run; empty when it has none. */
    public Optional<PackFill> fill(Order order) {
        if (train.isEmpty()) {
            return Optional.empty(); // the order of documents may not know its end yet
        }
        long[] packs = order.counts(order.size());
        return PackFill.mean(train.entrySet().stream()
                .map(each -> new PackFill.Share(each.getValue().fill(), packs[each.getKey()]))
                .toList());
    }

    private static Dataset view(@Nullable PackedSpec packed, Dataset documents) throws IOException {
        return packed == null ? documents : packed.view(documents);
    }
}
