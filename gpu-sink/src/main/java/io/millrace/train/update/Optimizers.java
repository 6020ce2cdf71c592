package io.millrace.train.update;

import io.millrace.option.Choice;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.ServiceCatalog;
import io.millrace.train.spec.TrainSpecException;
import java.util.List;

/** The optimizers that a pipeline file can choose. Stateless. */
public final class Optimizers {
    private static final ServiceCatalog<OptimizerFactory> CATALOG =
            new ServiceCatalog<>(OptimizerFactory.class, "optimizer");

    private Optimizers() {}

    /** Returns every optimizer, for the documentation. */
    public static List<Choice> all() {
        return List.copyOf(CATALOG.all());
    }

    /** Returns every optimizer, for the configuration. */
    public static List<OptimizerFactory> factories() {
        return CATALOG.all();
    }

    /**
     * Creates an optimizer.
     *
     * @throws TrainSpecException when there is no optimizer with that name, or its options contradict each other
     */
    public static Optimizer create(Component optimizer) {
        return CATALOG.find(optimizer).create(optimizer.options());
    }
}
