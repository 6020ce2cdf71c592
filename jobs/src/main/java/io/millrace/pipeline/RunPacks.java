package io.millrace.pipeline;

import io.millrace.config.DataConfig;
import io.millrace.config.PipelineConfig;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.packed.PackedSpec;
import io.millrace.dataset.packed.SequenceSets;
import io.millrace.dataset.types.SettledDataset;
import io.millrace.dataset.types.SettledTypes;
import io.millrace.generate.ProgressListener;
import io.millrace.sample.Split;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The packs of a run.
 *
 * <p>Tested by {@code GrowingPacksTest}.
 *
 * @param sets the datasets whose documents are packed
 * @param round about how many packs a round of the only dataset has; empty where it is known, and where an epoch is a number of steps
 */
record RunPacks(SequenceSets sets, OptionalLong round) {
    /**
     * Returns the packs of the datasets whose documents are packed.
     *
     * @param documents the documents of each training dataset, with settled types
     * @param evaluation the evaluation dataset; null for none
     * @param progress is told how many documents have been counted, where their tokens have to be counted first
     * @param remarks gets sentences on the packs
     * @throws PipelineException when documents cannot be packed so
     */
    static RunPacks of(
            PipelineConfig config,
            List<Dataset> documents,
            @Nullable Dataset evaluation,
            SettledTypes types,
            ProgressListener progress,
            List<String> remarks)
            throws IOException, PipelineException {
        List<PipelineConfig> configs = config.bySource();
        Map<Integer, PackedSpec> train = new HashMap<>();
        OptionalLong round = OptionalLong.empty();
        for (int source = 0; source < configs.size(); source++) {
            Optional<SequencePacks.Packed> packed = SequencePacks.of(
                    configs.get(source),
                    Split.TRAIN,
                    source,
                    rounds(config.data(), source),
                    documents.get(source),
                    progress,
                    remarks);
            if (packed.isPresent()) {
                train.put(source, packed.get().spec());
                round = packed.get().round();
            }
        }
        PackedSpec evaluated = evaluation == null
                ? null
                : SequencePacks.of(
                                configs.get(0),
                                Split.EVALUATE,
                                0,
                                SequencePacks.Rounds.COUNTED,
                                SettledDataset.of(evaluation, types.evaluation()),
                                progress,
                                remarks)
                        .map(SequencePacks.Packed::spec)
                        .orElse(null);
        return new RunPacks(new SequenceSets(train, evaluated, Map.of()), round);
    }

    private static SequencePacks.Rounds rounds(DataConfig data, int source) {
        if (data.isAboutAPass()) {
            return SequencePacks.Rounds.ABOUT;
        }
        boolean limited = data.sources().get(source).maxRepeats().isPresent();
        return data.isEndless() && !limited ? SequencePacks.Rounds.ENDLESS : SequencePacks.Rounds.COUNTED;
    }
}
