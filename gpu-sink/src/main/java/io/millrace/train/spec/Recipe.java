package io.millrace.train.spec;

import java.io.Serializable;
import java.util.function.UnaryOperator;

/**
 * The model, and the loss, optimizer, schedule and updates with which it is trained.
 *
 * @param schedule the learning rate over the updates
 * @param seed the seed of the initial parameters
 */
public record Recipe(
        Component model, Component loss, Component optimizer, Component schedule, Updates updates, long seed)
        implements Serializable {
    /** Creates a recipe with an update for each batch. */
    public Recipe(Component model, Component loss, Component optimizer, Component schedule, long seed) {
        this(model, loss, optimizer, schedule, Updates.OF_EACH_BATCH, seed);
    }

    /** Returns the same recipe with changed components. */
    public Recipe with(UnaryOperator<Component> change) {
        return new Recipe(
                change.apply(model),
                change.apply(loss),
                change.apply(optimizer),
                change.apply(schedule),
                updates,
                seed);
    }

    /** Returns the same recipe for another model. */
    public Recipe withModel(Component other) {
        return new Recipe(other, loss, optimizer, schedule, updates, seed);
    }

    /** Returns the same recipe with another optimizer. */
    public Recipe withOptimizer(Component other) {
        return new Recipe(model, loss, other, schedule, updates, seed);
    }

    /** Returns the same recipe with another schedule. */
    public Recipe withSchedule(Component other) {
        return new Recipe(model, loss, optimizer, other, updates, seed);
    }

    /** Returns the same recipe with other updates. */
    public Recipe with(Updates others) {
        return new Recipe(model, loss, optimizer, schedule, others, seed);
    }

    /** Returns the same recipe from other initial parameters. */
    public Recipe withSeed(long other) {
        return new Recipe(model, loss, optimizer, schedule, updates, other);
    }
}
