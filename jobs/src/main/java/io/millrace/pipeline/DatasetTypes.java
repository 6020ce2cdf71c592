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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The types of the datasets of a run, which are settled from the first samples in the order of epoch 0. Evaluation samples are read
 * in storage order.
 */
public final class DatasetTypes {
    private DatasetTypes() {}

    /**
     * Settles the types of all datasets. Where one of them has floats and another has whole numbers, all have floats.
     *
     * @param sources the pipelines of the training datasets
     * @param train the training datasets
     * @param earlier the types of the run that is continued, which stay as they are
     */
    static SettledTypes settle(
            List<PipelineConfig> sources,
            List<Dataset> train,
            @Nullable Dataset evaluation,
            Optional<SettledTypes> earlier)
            throws IOException {
        List<FieldTypes> trained = new ArrayList<>();
        for (int source = 0; source < train.size(); source++) {
            PipelineConfig config = sources.get(source);
            Dataset dataset = train.get(source);
            int number = source;
            trained.add(types(
                    config.data().dataset().spec(),
                    dataset,
                    order(config, dataset.size()),
                    earlier.filter(types -> number < types.sources().size()).map(types -> types.train(number))));
        }
        EvaluateConfig evaluate = sources.get(0).evaluate().orElse(null);
        FieldTypes evaluated = evaluate == null || evaluation == null
                ? FieldTypes.NONE
                : types(evaluate.dataset().spec(), evaluation, place -> place, earlier.map(SettledTypes::evaluation));
        SettledTypes settled = new SettledTypes(trained, evaluated);
        return earlier.isPresent() ? settled.addedAfter(earlier.get().sources().size()) : settled.together();
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
