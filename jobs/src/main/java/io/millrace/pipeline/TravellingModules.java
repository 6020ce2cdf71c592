package io.millrace.pipeline;

import io.millrace.config.DatasetConfig;
import io.millrace.config.EvaluateConfig;
import io.millrace.config.PipelineConfig;
import io.millrace.config.SourceConfig;
import io.millrace.dataset.DatasetSpec;
import io.millrace.option.OptionValues;
import io.millrace.python.ModuleArchives;
import io.millrace.python.PythonDatasetFormat;
import io.millrace.python.PythonException;
import io.millrace.python.PythonOptions;
import io.millrace.python.PythonTransformFactory;
import io.millrace.sample.Split;
import io.millrace.transform.TransformSpec;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The Python modules of a pipeline whose job runs in other processes. They are part of the job's operators, so Flink brings them to
 * each machine, as it does the operators themselves.
 */
public final class TravellingModules {
    private TravellingModules() {}

    /**
     * Returns the same pipeline with the modules of its transforms and datasets.
     *
     * @throws PipelineException when the modules are missing or too large
     */
    public static PipelineConfig in(PipelineConfig config) throws PipelineException {
        Set<String> paths = new TreeSet<>();
        Stream.concat(transforms(config), datasets(config))
                .forEach(
                        options -> paths.addAll(options.find(PythonOptions.PATH).orElse(List.of())));
        try {
            return config.with(config.data().with(config.data().python().travelling(ModuleArchives.pack(paths))));
        } catch (PythonException e) {
            throw new PipelineException(String.valueOf(e.getMessage()), e);
        } catch (IOException e) {
            throw new PipelineException("the modules of python.path cannot be read: " + e.getMessage(), e);
        }
    }

    private static Stream<OptionValues> transforms(PipelineConfig config) {
        List<TransformSpec> evaluation = config.transforms(Split.EVALUATE);
        Stream<TransformSpec> own = config.data().sources().stream().flatMap(source -> source.transforms().stream());
        return Stream.concat(Stream.concat(own, config.data().transforms().stream()), evaluation.stream())
                .filter(transform -> transform.name().equals(PythonTransformFactory.NAME))
                .map(TransformSpec::options);
    }

    private static Stream<OptionValues> datasets(PipelineConfig config) {
        return Stream.concat(
                        config.data().sources().stream().map(SourceConfig::dataset),
                        config.evaluate().map(EvaluateConfig::dataset).stream())
                .map(DatasetConfig::spec)
                .filter(spec -> spec.format().equals(PythonDatasetFormat.NAME))
                .map(DatasetSpec::options);
    }
}
