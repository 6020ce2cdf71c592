package io.millrace.train;

import ai.djl.engine.Engine;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.option.Choice;
import io.millrace.option.Option;
import io.millrace.train.engine.TensorValues;
import io.millrace.train.engine.TrainingRuntime;
import io.millrace.train.input.DeviceTransforms;
import io.millrace.train.loss.Losses;
import io.millrace.train.network.FlatState;
import io.millrace.train.network.Models;
import io.millrace.train.network.NamedTensor;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.RowStage;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.state.SafeTensors;
import io.millrace.train.update.Optimizers;
import io.millrace.train.update.Schedules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The files of a trained model. {@code model.safetensors} has the parameters and running statistics under PyTorch's names,
 * so that {@code module.load_state_dict(safetensors.torch.load_file(...), strict=False)} reads them. {@code model.json}
 * describes the model and its inputs.
 */
final class ModelFolder {
    private static final Gson GSON =
            new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();

    private ModelFolder() {}

    /** Writes into an existing directory that has no such files yet. */
    static void write(Path directory, TrainSpec spec, FlatState state) throws IOException {
        List<SafeTensors.Stored> tensors = new ArrayList<>();
        for (int i = 0; i < state.parameters().size(); i++) {
            tensors.add(
                    tensor(state.parameters().get(i), state.parameterValues().get(i)));
        }
        for (int i = 0; i < state.statistics().size(); i++) {
            tensors.add(
                    tensor(state.statistics().get(i), state.statisticValues().get(i)));
        }
        SafeTensors.write(directory.resolve("model.safetensors"), tensors);
        Files.writeString(directory.resolve("model.json"), GSON.toJson(description(spec, state)) + "\n");
    }

    private static SafeTensors.Stored tensor(NamedTensor tensor, TensorValues values) {
        List<Long> shape = Arrays.stream(tensor.shape()).boxed().toList();
        return new SafeTensors.Stored(tensor.name(), "F32", shape, values);
    }

    private static Map<String, Object> description(TrainSpec spec, FlatState state) {
        List<Map<String, Object>> inputs = spec.data().roles().inputs().stream()
                .map(name -> input(spec, name))
                .toList();
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("model", part(spec.recipe().model(), Models.all()));
        description.put("parameters", state.parameterCount());
        description.put("input", inputs.size() == 1 ? inputs.get(0) : inputs);
        description.put("target", spec.data().roles().target());
        description.put(
                "device_transforms",
                Stream.concat(
                                spec.data().rowStages().evaluate().stream().map(RowStage::part),
                                spec.data().transforms().stream())
                        .map(transform -> part(transform, DeviceTransforms.all()))
                        .toList());
        description.put("loss", part(spec.recipe().loss(), Losses.all()));
        description.put("optimizer", part(spec.recipe().optimizer(), Optimizers.all()));
        description.put("schedule", part(spec.recipe().schedule(), Schedules.all()));
        description.put("seed", spec.recipe().seed());
        description.put("versions", Map.of("pytorch", TrainingRuntime.version(), "djl", Engine.getDjlVersion()));
        return description;
    }

    private static Map<String, Object> input(TrainSpec spec, String name) {
        Map<String, Object> input = new LinkedHashMap<>();
        input.put("field", name);
        BatchSpec.Column column = spec.data().input().find(name).orElse(null);
        if (column != null) { // otherwise the input is the labels
            input.put("shape", column.shape());
            input.put("dtype", column.from().word());
            input.put(
                    "layout",
                    column.pictures()
                            ? "rows of height, width, channels; the model sees NCHW"
                            : column.form() == Form.RAGGED ? "entries of all rows, and offsets" : "rows");
        }
        return input;
    }

    /** Returns the choice with every option's value, given or default. */
    private static Map<String, Object> part(Component part, List<Choice> choices) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (Choice choice : choices) {
            if (choice.name().equals(part.name())) {
                for (Option<?> option : choice.options()) {
                    part.options().find(option).ifPresent(value -> values.put(option.key(), value));
                }
            }
        }
        return Map.of(part.name(), values);
    }
}
