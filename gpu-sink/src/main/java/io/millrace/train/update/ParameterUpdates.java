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
 * Makes updates of the gradients that the engine adds up: whole ones by the {@link UpdatePlan}, the mean over the rows of
 * their batches and replicas, clipped. Belongs to the trainer's thread; owns nothing.
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

    /** Of this state, by this rule. */
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

    /** Updates by what all replicas learned from now on. */
    public void share(GradientExchange replicas) {
        exchange = replicas;
    }

    /** Whether there are replicas. */
    public boolean areShared() {
        return exchange != null;
    }

    /** Whether the next batch's gradient is to count by its {@linkplain Loss#weight weight}, or once. */
    public boolean weigh() {
        return accumulation.weighs();
    }

    /**
     * Counts the batch, whose gradients are in the sum, and where it ends an update makes the mean of that, over the replicas
     * too.
     *
     * @param weight how often its gradients are in the sum
     * @return whether there is something to update by
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
        // The replicas wait for the gradients; so the weight may be waited for.
        double weight = accumulation.weights().read();
        return replicas.average(state.shared(), accumulation.rows(), weight) > 0;
    }

    /** Of one step, for which the replicas know each other's rows already. */
    private boolean average(GradientExchange replicas) throws IOException {
        if (replicas.rows() == 0) {
            return false;
        }
        replicas.average(state.shared());
        return true;
    }

    /** Updates the parameters after a step that {@link #gather} said so of. */
    public void make(long step) {
        if (clipNorm != null) {
            gradients.clip(clipNorm);
        }
        rule.update(learningRate.at(plan.update(step)));
    }
}
