package io.millrace.train;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.millrace.train.network.Models;
import io.millrace.train.network.NamedTensor;
import io.millrace.train.state.ModelState;
import io.millrace.train.state.ModelStateException;
import io.millrace.train.state.SectionReader;
import io.millrace.train.state.StateChunk;
import io.millrace.train.update.Accumulation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * The description of a {@link ModelState}: its first chunk, as JSON.
 *
 * <p>Tested by {@code ModelStateTest}.
 *
 * @param model the name of the model's choice
 * @param parameters the parameters in the model's order, which is also the order of the weights and of each moment
 * @param statistics the running statistics in the model's order
 * @param optimizer the name of the optimizer's choice, or {@link #NO_OPTIMIZER}
 * @param moments the number of the optimizer's moments: vectors as long as the weights
 * @param updates the number of updates that the optimizer has made
 * @param begun the update that has begun, whose gradients are then part of the state
 */
public record StateHeader(
        String model,
        List<Tensor> parameters,
        List<Tensor> statistics,
        String optimizer,
        int moments,
        long updates,
        Accumulation.Begun begun) {
    /** The name of the section that holds the header. */
    static final String SECTION = "header";

    /** The optimizer's name when nothing is trained. */
    static final String NO_OPTIMIZER = "none";

    /** The version of the format of all sections: raw little-endian float32 values, tensor after tensor without gaps. */
    static final int VERSION = 1;

    /**
     * The version of a state within an update, which has gradients. A Millrace that reads only version 1 would drop them.
     */
    static final int VERSION_WITH_GRADIENTS = 2;

    public StateHeader {
        parameters = List.copyOf(parameters);
        statistics = List.copyOf(statistics);
    }

    /** One tensor. */
    record Tensor(String name, List<Long> shape) {
        Tensor {
            shape = List.copyOf(shape);
        }

        static Tensor of(NamedTensor tensor) {
            return new Tensor(
                    tensor.name(), Arrays.stream(tensor.shape()).boxed().toList());
        }

        @Override
        public String toString() {
            return "'" + name + "' of " + shape;
        }
    }

    /** Returns the header of a step that trains nothing. */
    static StateHeader withoutModel() {
        return new StateHeader(Models.NONE, List.of(), List.of(), NO_OPTIMIZER, 0, 0, Accumulation.Begun.NOTHING);
    }

    /** Returns the chunk's content. */
    byte[] json() {
        JsonObject json = new JsonObject();
        json.addProperty("version", begun.isNothing() ? VERSION : VERSION_WITH_GRADIENTS);
        json.addProperty("model", model);
        json.add("parameters", json(parameters));
        json.add("statistics", json(statistics));
        json.addProperty("optimizer", optimizer);
        json.addProperty("moments", moments);
        json.addProperty("updates", updates);
        if (!begun.isNothing()) {
            JsonObject update = new JsonObject();
            update.addProperty("batches", begun.batches());
            update.addProperty("of", begun.batchesPerUpdate());
            update.addProperty("rows", begun.rows());
            update.addProperty("weight", begun.weight());
            json.add("begun", update);
        }
        return json.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static JsonArray json(List<Tensor> tensors) {
        JsonArray all = new JsonArray();
        for (Tensor tensor : tensors) {
            JsonObject json = new JsonObject();
            json.addProperty("name", tensor.name);
            JsonArray shape = new JsonArray();
            tensor.shape.forEach(shape::add);
            json.add("shape", shape);
            all.add(json);
        }
        return all;
    }

    /**
     * Finds and reads the header of a state.
     *
     * @throws ModelStateException when it has another version, is damaged or is missing
     */
    public static StateHeader read(List<StateChunk> state) {
        SectionReader reader = new SectionReader(state, SECTION);
        if (reader.bytes() == 0) {
            throw new ModelStateException("the model's state is damaged: expected a section '" + SECTION + "', found "
                    + state.stream().map(StateChunk::section).distinct().toList());
        }
        try (reader) {
            return parse(reader.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static StateHeader parse(byte[] content) {
        String text = new String(content, StandardCharsets.UTF_8);
        try {
            JsonObject json = JsonParser.parseString(text).getAsJsonObject();
            int version = json.get("version").getAsInt();
            if (version != VERSION && version != VERSION_WITH_GRADIENTS) {
                throw new ModelStateException("the model's state has version " + version
                        + ", this Millrace reads versions " + VERSION + " and " + VERSION_WITH_GRADIENTS
                        + ": read it with the Millrace that wrote it, or start a new run");
            }
            return new StateHeader(
                    json.get("model").getAsString(),
                    tensors(json.getAsJsonArray("parameters")),
                    tensors(json.getAsJsonArray("statistics")),
                    json.get("optimizer").getAsString(),
                    json.get("moments").getAsInt(),
                    json.get("updates").getAsLong(),
                    version == VERSION ? Accumulation.Begun.NOTHING : begun(json.getAsJsonObject("begun")));
        } catch (JsonParseException
                | IllegalStateException
                | NullPointerException
                | NumberFormatException
                | UnsupportedOperationException e) {
            throw new ModelStateException(
                    "the model's state is damaged: expected a header in JSON, found "
                            + text.substring(0, Math.min(text.length(), 80)),
                    e);
        }
    }

    private static Accumulation.Begun begun(JsonObject update) {
        return new Accumulation.Begun(
                update.get("batches").getAsInt(),
                update.get("of").getAsInt(),
                update.get("rows").getAsLong(),
                update.get("weight").getAsDouble());
    }

    private static List<Tensor> tensors(JsonArray all) {
        return all.asList().stream()
                .map(JsonElement::getAsJsonObject)
                .map(json -> new Tensor(
                        json.get("name").getAsString(),
                        json.getAsJsonArray("shape").asList().stream()
                                .map(JsonElement::getAsLong)
                                .toList()))
                .toList();
    }

    /**
     * Checks that a run can continue from this state.
     *
     * @param run the run's own header
     * @throws ModelStateException when it cannot, with the first difference
     */
    void requireFits(StateHeader run) {
        require("the model", "'" + model + "'", "'" + run.model + "'");
        requireSame("parameter", parameters, run.parameters);
        requireSame("running statistic", statistics, run.statistics);
        require("the optimizer", "'" + optimizer + "'", "'" + run.optimizer + "'");
        require("an optimizer with", moments + " moments", run.moments + " moments");
    }

    private static void require(String what, String has, String wanted) {
        if (!has.equals(wanted)) {
            throw new ModelStateException("the state is of " + what + " " + has + ", but the run has " + wanted);
        }
    }

    private static void requireSame(String what, List<Tensor> has, List<Tensor> wanted) {
        for (int i = 0; i < Math.max(has.size(), wanted.size()); i++) {
            String found = i < has.size() ? has.get(i).toString() : "none";
            String expected = i < wanted.size() ? wanted.get(i).toString() : "none";
            if (!found.equals(expected)) {
                throw new ModelStateException("the state is of another model: its " + what + " " + (i + 1) + " is "
                        + found + ", the run's is " + expected);
            }
        }
    }
}
