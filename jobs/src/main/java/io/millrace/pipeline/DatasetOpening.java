package io.millrace.pipeline;

import io.millrace.config.DatasetConfig;
import io.millrace.config.EvaluateConfig;
import io.millrace.config.PipelineConfig;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetSpec;
import io.millrace.lifecycle.Handles;
import io.millrace.sample.Split;
import java.io.IOException;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The opening of the datasets of a pipeline without a mixture, see {@link PipelineConfig#bySource}. The message of a dataset that cannot be opened begins with the key at fault and with the line
 * of the pipeline file, as the messages for wrong values do.
 */
public final class DatasetOpening {
    private static final String PATH = "path";

    /** A message that names the option itself. */
    private static final Pattern NAMED = Pattern.compile("dataset\\.([a-z_]+): (.*)");

    private DatasetOpening() {}

    /** A function that opens a dataset. */
    @FunctionalInterface
    public interface Opening<T> {
        T open() throws IOException;
    }

    /**
     * Opens the dataset of a split. The caller closes it.
     *
     * @throws DatasetException when there is no such dataset
     */
    static Dataset open(PipelineConfig config, Split split) throws IOException {
        return located(config, split, spec(config, split)::open);
    }

    /**
     * Opens the dataset of a split as {@link #open} does.
     *
     * @throws DatasetException when there is no such dataset, or it is empty
     */
    static Dataset openFilled(PipelineConfig config, Split split) throws IOException {
        DatasetSpec spec = spec(config, split);
        Dataset dataset = open(config, split);
        if (dataset.size() > 0) {
            return dataset;
        }
        DatasetException empty = located(
                config,
                split,
                new DatasetException(
                        "dataset " + spec.path() + " (" + spec.format() + ") is empty: expected at least one sample"));
        Handles.closeAfter(empty, dataset);
        throw empty;
    }

    /** Returns the result of a function that opens the dataset of a split, whose exceptions get the key and the line. */
    public static <T> T located(PipelineConfig config, Split split, Opening<T> opening) throws IOException {
        try {
            return opening.open();
        } catch (DatasetException e) {
            throw located(config, split, e);
        }
    }

    static DatasetSpec spec(PipelineConfig config, Split split) {
        return split == Split.TRAIN
                ? config.data().dataset().spec()
                : config.evaluate()
                        .map(EvaluateConfig::dataset)
                        .map(DatasetConfig::spec)
                        .orElseThrow();
    }

    private static DatasetException located(PipelineConfig config, Split split, DatasetException thrown) {
        String message = String.valueOf(thrown.getMessage());
        boolean own = split == Split.EVALUATE
                && config.evaluate().flatMap(EvaluateConfig::part).isEmpty();
        String section =
                own ? "evaluate.dataset" : config.data().sources().get(0).section();
        Matcher named = NAMED.matcher(message);
        Optional<String> option =
                named.matches() ? Optional.of(named.group(1)) : pathOption(spec(config, split), message);
        String sentence = named.matches() ? named.group(2) : message;
        return option.flatMap(key -> config.places().problem(section + "." + key, sentence))
                .or(() -> config.places().problem(section, message))
                .map(text -> new DatasetException(text, thrown))
                .orElse(thrown);
    }

    /** Returns the option whose path a message names; where it names the paths of several options, the longest of them. */
    private static Optional<String> pathOption(DatasetSpec spec, String message) {
        Optional<String> named = spec.options().paths().entrySet().stream()
                .flatMap(option -> option.getValue().stream().map(path -> Map.entry(option.getKey(), path)))
                .filter(path -> names(message, path.getValue()))
                .max(Comparator.comparingInt(path -> path.getValue().length()))
                .map(Map.Entry::getKey);
        return named.or(() -> Optional.of(PATH).filter(spec.options().raw()::containsKey));
    }

    /** Returns whether a message names a path, and not only a longer word or another path that it is the end of. */
    private static boolean names(String message, String path) {
        return Pattern.compile("(?<![\\w./-])" + Pattern.quote(path) + "(?![\\w-])")
                .matcher(message)
                .find();
    }
}
