package io.millrace.pipeline;

import io.millrace.config.EvaluateConfig;
import io.millrace.config.PipelineConfig;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.types.FieldTypes;
import io.millrace.dataset.types.SettledDataset;
import io.millrace.dataset.types.SettledTypes;
import io.millrace.dataset.types.TypeInspection;
import io.millrace.lifecycle.Handles;
import io.millrace.order.EpochOrder;
import io.millrace.sample.Split;
import java.io.IOException;
import java.util.Optional;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The types of a pipeline's datasets, which are settled from the first samples in the order of epoch 0. Evaluation samples are read
 * in storage order.
 */
public final class DatasetTypes {
    private DatasetTypes() {}

    /**
     * Settles the types of both datasets. Where one of them has floats and the other has whole numbers, both have floats.
     *
     * @param earlier the types of the run that is continued, which stay as they are
     */
    static SettledTypes settle(
            PipelineConfig config,
            Dataset train,
            @Nullable Dataset evaluation,
            EpochOrder order,
            Optional<SettledTypes> earlier)
            throws IOException {
        FieldTypes trained = types(
                config.data().dataset().spec(),
                train,
                place -> order.index(0, place),
                earlier.map(SettledTypes::train));
        EvaluateConfig evaluate = config.evaluate().orElse(null);
        FieldTypes evaluated = evaluate == null || evaluation == null
                ? FieldTypes.NONE
                : types(evaluate.dataset().spec(), evaluation, place -> place, earlier.map(SettledTypes::evaluation));
        SettledTypes settled = new SettledTypes(trained, evaluated);
        return earlier.isPresent() ? settled : settled.together();
    }

    private static FieldTypes types(
            DatasetSpec spec, Dataset dataset, LongUnaryOperator order, Optional<FieldTypes> earlier)
            throws IOException {
        return earlier.isPresent()
                ? TypeInspection.of(spec.path(), dataset, order, earlier.get())
                : TypeInspection.of(spec.path(), dataset, order);
    }

    /**
     * Opens the dataset of a split with the types that a run of the pipeline settles, as far as this dataset alone decides them. The
     * caller closes it.
     */
    public static Dataset open(PipelineConfig config, Split split) throws IOException {
        boolean training = split == Split.TRAIN;
        DatasetSpec spec = DatasetOpening.spec(config, split);
        Dataset dataset = DatasetOpening.open(config, split);
        try {
            LongUnaryOperator order = training ? order(config, dataset.size()) : place -> place;
            return SettledDataset.of(dataset, TypeInspection.of(spec.path(), dataset, order));
        } catch (IOException | RuntimeException e) {
            Handles.closeAfter(e, dataset);
            throw e;
        }
    }

    /** Returns the order of epoch 0, or the storage order where the pipeline's order does not suit so small a dataset. */
    private static LongUnaryOperator order(PipelineConfig config, long size) {
        try {
            EpochOrder order = new EpochOrder(
                    config.data().order().seed(), size, config.data().order().shuffle());
            return place -> order.index(0, place);
        } catch (IllegalArgumentException e) {
            return place -> place;
        }
    }
}
