package io.millrace.diagnosis.ladder;

import io.millrace.diagnosis.CapacityModel;
import io.millrace.diagnosis.Limit;
import io.millrace.diagnosis.Measurement;
import java.util.List;
import java.util.Optional;

/** The speeds that the capacity model predicts for rungs, from the stages' own times with nothing cached. Pure. */
final class ModelledRungs {
    private final CapacityModel model;
    private final List<Border> borders;

    ModelledRungs(Measurement nothingCached, List<Border> borders) {
        this.model = nothingCached.model();
        this.borders = borders;
    }

    /**
     * Returns the predicted speed of the rung at a border, without the stages that this rung leaves out, in samples per
     * second; empty when the remaining costs are unknown or 0.
     */
    Optional<Double> rate(Border border) {
        int at = borders.indexOf(border);
        CapacityModel left = model;
        for (Border lower : borders.subList(at + 1, borders.size())) {
            left = left.scaled(lower.above(), 0);
        }
        if (border.isTrainerAlone()) {
            // These rungs have only the transfer and the step: no other work of the trainer, and no assembly of
            // batches.
            left = new CapacityModel(List.of(), left.trainer(), left.cores(), left.allCores(), link(left), 0)
                    .scaled("evaluate", 0)
                    .scaled("checkpoint", 0);
        }
        return left.limit().map(Limit::samplesPerSecond).filter(Double::isFinite);
    }

    /** Returns the limit of the link to a device that works asynchronously, which is not part of the trainer's work. */
    private static List<Limit> link(CapacityModel model) {
        return model.bounds().stream()
                .filter(bound -> bound.kind() == Limit.Kind.LINK)
                .toList();
    }
}
