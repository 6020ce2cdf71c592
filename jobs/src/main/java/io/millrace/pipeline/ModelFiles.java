package io.millrace.pipeline;

import io.millrace.config.PipelineConfig;
import io.millrace.config.RankConfig;
import io.millrace.train.spec.Component;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The check of the files of models before a job starts that trains on this machine. */
public final class ModelFiles {
    private ModelFiles() {}

    /**
     * Requires the files that the models of a pipeline name.
     *
     * @throws PipelineException when there is no such file
     */
    public static void require(PipelineConfig config) throws PipelineException {
        require(config, config.train().recipe().model());
        for (RankConfig rank : config.train().trainers().own()) {
            Optional<Component> model = rank.model();
            if (model.isPresent()) {
                require(config, model.get());
            }
        }
    }

    private static void require(PipelineConfig config, Component model) throws PipelineException {
        for (Map.Entry<String, List<String>> option : model.options().paths().entrySet()) {
            for (String path : option.getValue()) {
                if (!Files.isRegularFile(Path.of(path))) {
                    Path absolute = Path.of(path).toAbsolutePath();
                    String key = "train.model." + model.name() + "." + option.getKey();
                    String problem = "no such file: " + absolute;
                    throw new PipelineException(
                            config.places().problem(key, problem).orElse("the model " + model.name() + ": " + problem));
                }
            }
        }
    }
}
