package io.millrace.diagnosis.ladder;

import io.millrace.diagnosis.CapacityModel;
import io.millrace.diagnosis.Limit;
import io.millrace.diagnosis.Measurement;
import java.util.List;
import java.util.Optional;

/** What the capacity model says of rungs, from the stages' own times with nothing cached. Pure. */
final class ModelledRungs {
    private final CapacityModel model;
    private final List<Border> borders;

    ModelledRungs(Measurement nothingCached, List<Border> borders) {
        this.model = nothingCached.model();
        this.borders = borders;
    }

    /**
     * The rate without the stages that the rung leaves out.
     *
     * @return empty where nothing is known; for the two upper rungs, too, where nothing but training is left
     */
    Optional<Double> rate(Border border) {
        int at = borders.indexOf(border);
        CapacityModel left = model;
        for (Border lower : borders.subList(at + 1, borders.size())) {
            left = left.scaled(lower.above(), 0);
        }
        if (border.cache().equals(Border.DEVICE) || border.cache().equals(Border.HOST)) {
            // What is left of the trainer beside transfer and step is no part of these rungs; neither is assembly.
            left = new CapacityModel(List.of(), left.trainer(), left.cores(), List.of())
                    .scaled("evaluate", 0)
                    .scaled("checkpoint", 0);
        }
        return left.limit().map(Limit::samplesPerSecond).filter(Double::isFinite);
    }
}
