package io.millrace.train.spec;

import io.millrace.option.Choice;
import io.millrace.option.Services;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/**
 * The choices of one kind that Millrace and the jars on the class path offer as services: models, losses or optimizers.
 *
 * @param service the interface that every choice of this kind implements
 * @param kind the word for a choice of this kind in messages, such as "model"
 * @param <C> the interface
 */
public record ServiceCatalog<C extends Choice>(Class<C> service, String kind) {
    /**
     * Returns all choices: Millrace's own in the order of their file in {@code META-INF/services}, then those of other
     * jars. A choice whose name is already in the list is left out.
     */
    public List<C> all() {
        List<C> own = new ArrayList<>();
        List<C> others = new ArrayList<>();
        for (ServiceLoader.Provider<C> provider : Services.of(service).stream().toList()) {
            boolean ours = provider.type().getName().startsWith("io.millrace.train.");
            (ours ? own : others).add(provider.get());
        }
        for (C choice : others) {
            if (own.stream().noneMatch(known -> known.name().equals(choice.name()))) {
                own.add(choice);
            }
        }
        return own;
    }

    /**
     * Returns the choice with the name of the component.
     *
     * @throws TrainSpecException when there is no choice with that name
     */
    public C find(Component component) {
        return component.in(all(), kind);
    }
}
