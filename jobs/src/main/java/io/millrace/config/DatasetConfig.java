package io.millrace.config;

import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.StorageOptions;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.train.spec.TrainSpec.Part;
import java.util.List;
import java.util.Optional;

/**
 * Samples to train on or to evaluate with.
 *
 * @param spec the format and its options
 * @param generate which generator makes the data when the dataset's path does not exist; relative paths are those of
 *     the working directory
 */
public record DatasetConfig(DatasetSpec spec, Optional<Part> generate) {
    static final Option<String> FORMAT =
            Option.of("format", OptionType.TEXT, "How the samples are stored: one of the dataset formats below.");
    static final Option<Object> GENERATE = Option.of(
                    "generate",
                    Types.structure("generator"),
                    "The generator that makes the data when the path does not exist.")
            .optional();

    /** What any dataset may say beside its format's options. */
    static final List<Option<?>> OPTIONS = List.of(FORMAT, GENERATE);

    /** The same samples, their files read as the options say. */
    DatasetConfig through(StorageOptions storage) {
        return new DatasetConfig(new DatasetSpec(spec.format(), spec.options(), storage), generate);
    }
}
