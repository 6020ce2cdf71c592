package io.millrace.diagnosis.ladder;

import io.millrace.config.PipelineConfig;
import io.millrace.transform.PictureWork;
import java.util.ArrayList;
import java.util.List;

/**
 * A border between two stages of the training data, at which samples can be cached.
 *
 * @param cache the name of the rung that caches at this border
 * @param above the stage after this border: this rung runs it, and the rung above does not; empty at the top
 * @param transforms the number of the pipeline's transforms that a sample has passed at this border, at least 0
 */
record Border(String cache, String above, int transforms) {
    static final String DEVICE = "device";
    static final String HOST = "host";
    static final String PACKED = "packed";
    static final String RAW = "raw";
    static final String NOTHING = "nothing";
    private static final String DECODED = "decoded";

    /** Returns whether the trainer runs alone on the rung, without Flink. */
    boolean isTrainerAlone() {
        return cache.equals(DEVICE) || cache.equals(HOST);
    }

    /** Returns the borders of a pipeline, from the device down to nothing cached. */
    static List<Border> of(PipelineConfig config) {
        List<String> stages = config.transformStages();
        List<Border> borders = new ArrayList<>();
        borders.add(new Border(DEVICE, "", stages.size()));
        borders.add(new Border(HOST, "transfer", stages.size()));
        borders.add(new Border(PACKED, "network", stages.size()));
        String above = "pack";
        for (int done = stages.size(); done > 0; done--) {
            String stage = stages.get(done - 1);
            boolean decodes = config.data().transforms().get(done - 1).pictureWork() == PictureWork.DECODE;
            borders.add(new Border(decodes ? DECODED : "after " + stage, above, done));
            above = stage;
        }
        borders.add(new Border(RAW, above, 0));
        borders.add(new Border(NOTHING, "read", 0));
        return borders;
    }
}
