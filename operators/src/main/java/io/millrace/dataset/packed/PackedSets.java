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
 * The datasets of a run that are packed.
 *
 * @param train the packs of training datasets, by their numbers; a dataset that is missing is not packed
 * @param evaluation the packs of the evaluation dataset; null when it is not packed
 */
public record PackedSets(
        Map<Integer, PackedSpec> train, @Nullable PackedSpec evaluation) implements Serializable {
    /** No dataset is packed. */
    public static final PackedSets NONE = new PackedSets(Map.of(), null);

    public PackedSets {
        train = Map.copyOf(train);
    }

    /** Returns a training dataset as its packs, or itself when it is not packed. */
    public Dataset train(int source, Dataset documents) throws IOException {
        return view(train.get(source), documents);
    }

    /** Returns the evaluation dataset as its packs, or itself when it is not packed. */
    public Dataset evaluation(Dataset documents) throws IOException {
        return view(evaluation, documents);
    }

    /** Returns the mean fill of the packs of an epoch of a run; empty when it has none. */
    public Optional<PackFill> fill(Order order) {
        long[] packs = order.counts(order.size());
        return PackFill.mean(train.entrySet().stream()
                .map(each -> new PackFill.Share(each.getValue().fill(), packs[each.getKey()]))
                .toList());
    }

    private static Dataset view(@Nullable PackedSpec packed, Dataset documents) throws IOException {
        return packed == null ? documents : packed.view(documents);
    }
}
