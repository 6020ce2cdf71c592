package io.millrace.train.update;

import io.millrace.device.DeviceBatch;
import io.millrace.exchange.GradientExchange;
import io.millrace.train.loss.Loss;
import io.millrace.train.loss.Weight;
import io.millrace.train.network.FlatState;
import io.millrace.train.spec.TrainSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/**
 * The updates of a network's parameters. The {@link UpdatePlan} decides which batches make an update. The gradients
 * that the engine sums are averaged over the rows of these batches and over replicas, and then clipped. Belongs to the
 * trainer's thread; owns nothing.
 */
public final class ParameterUpdates {
    private final UpdatePlan plan;
    private final @Nullable Double clipNorm;
    private final FlatState state;
    private final Accumulation accumulation;
    private final GradientRules gradients;
    private final UpdateRule rule;
    private final LearningRate learningRate;
    private @Nullable GradientExchange exchange;

    /** Creates the updates of this state by this rule. */
    public ParameterUpdates(
            TrainSpec spec,
            FlatState state,
            Accumulation accumulation,
            GradientRules gradients,
            UpdateRule rule,
            LearningRate learningRate) {
        this.plan = UpdatePlan.of(spec);
        this.clipNorm = spec.recipe().updates().clipNorm();
        this.state = state;
        this.accumulation = accumulation;
        this.gradients = gradients;
        this.rule = rule;
        this.learningRate = learningRate;
    }

    /** Averages gradients with the replicas from now on. */
    public void share(GradientExchange replicas) {
        exchange = replicas;
    }

    /** Returns whether there are replicas. */
    public boolean areShared() {
        return exchange != null;
    }

    /** Returns whether the next batch's gradient is multiplied by its {@linkplain Loss#weight weight}. */
    public boolean weighs() {
        return accumulation.weighs();
    }

    /**
     * Counts a batch whose gradients are in the sum. If the batch ends an update, the sum becomes the mean over all
     * rows of the update, including those of the replicas.
     *
     * @param weight the factor of the batch's gradients in the sum
     * @return whether the batch ends an update that has gradients
     */
    public boolean gather(DeviceBatch batch, Weight weight) {
        boolean weighs = accumulation.weighs();
        accumulation.add(batch.rows(), weight);
        if (!plan.endsUpdate(batch.step())) {
            return false;
        }
        if (weighs) {
            accumulation.weights().toMean(gradients);
        }
        GradientExchange replicas = exchange;
        try {
            return replicas == null ? accumulation.rows() > 0 : average(replicas, weighs);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            accumulation.end();
        }
    }

    private boolean average(GradientExchange replicas, boolean weighs) throws IOException {
        if (!weighs) {
            return average(replicas);
        }
        // This waits for the weight. It costs nothing, because the replicas wait for the gradients anyway.
        double weight = accumulation.weights().read();
        return replicas.average(state.shared(), accumulation.rows(), weight) > 0;
    }

    /** Averages the gradients of one step, for which the replicas have already exchanged their numbers of rows. */
    private boolean average(GradientExchange replicas) throws IOException {
        if (replicas.rows() == 0) {
            return false;
        }
        replicas.average(state.shared());
        return true;
    }

    /** Updates the parameters after a step for which {@link #gather} returned true. */
    public void update(long step) {
        if (clipNorm != null) {
            gradients.clip(clipNorm);
        }
        rule.update(learningRate.at(plan.update(step)));
    }
}
