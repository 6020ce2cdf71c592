package io.millrace.train.loss;

import io.millrace.option.Choice;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.ServiceCatalog;
import io.millrace.train.spec.TrainSpecException;
import java.util.List;

/** The losses that a pipeline file can choose. Stateless. */
public final class Losses {
    private static final ServiceCatalog<LossFactory> CATALOG = new ServiceCatalog<>(LossFactory.class, "loss");

    private Losses() {}

    /** Returns every loss, for the documentation. */
    public static List<Choice> all() {
        return List.copyOf(CATALOG.all());
    }

    /** Returns every loss, for the configuration. */
    public static List<LossFactory> factories() {
        return CATALOG.all();
    }

    /**
     * Creates a loss.
     *
     * @throws TrainSpecException when there is no loss with that name
     */
    public static Loss create(Component loss) {
        return CATALOG.find(loss).create(loss.options());
    }
}
