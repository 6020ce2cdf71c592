package io.millrace.train.network;

import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.option.Choice;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.ServiceCatalog;
import io.millrace.train.spec.TrainSpecException;
import java.util.List;
import java.util.OptionalInt;

/** The models that a pipeline file can choose. Stateless. */
public final class Models {
    /** The name of the model that trains nothing: samples are fed to the device and dropped. */
    public static final String NONE = "none";

    private static final ServiceCatalog<ModelFactory> CATALOG = new ServiceCatalog<>(ModelFactory.class, "model");

    private Models() {}

    /**
     * Returns the number of a model's outputs; empty for a model without outputs, such as {@link #NONE}.
     *
     * @throws TrainSpecException when there is no such model
     */
    public static OptionalInt classes(Component model) {
        return CATALOG.find(model).classes(model.options());
    }

    /** Returns every model, for the documentation and the configuration. */
    public static List<Choice> all() {
        return List.copyOf(CATALOG.all());
    }

    /**
     * Creates the network; its parameters are not placed yet.
     *
     * @param inputs the inputs in the model's order, with the element types that reach it
     * @throws TrainSpecException when there is no such model, or it does not accept these inputs
     */
    public static Network create(Component model, List<BatchSpec.Column> inputs, PtNDManager manager) {
        return CATALOG.find(model).create(new ModelContext(model.name(), inputs, manager), model.options());
    }
}
