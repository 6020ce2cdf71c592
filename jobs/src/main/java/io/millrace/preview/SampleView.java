package io.millrace.preview;

import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One sample with its images and masks, or else its values, after each stage.
 *
 * @param sample the sample after all stages; quarantined and without fields when it is bad
 * @param label its label; null when the dataset has no labels, or the sample could not be read
 * @param className the name of its class; null when there is none
 * @param images the images and masks after each stage, in order, without encoded ones
 * @param values the fields after each stage as lines of text, by stage in order; without the stages at which the sample has images
 */
public record SampleView(
        Sample sample,
        @Nullable Long label,
        @Nullable String className,
        List<StageImage> images,
        Map<String, List<String>> values) {
    public SampleView {
        images = List.copyOf(images);
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    /**
     * An image or mask after a stage.
     *
     * @param stage the name of the stage
     * @param field the name of the field
     * @param drawn the random parameters of the stage; empty when it has none
     * @param image the pixels, which no other stage shares
     * @param objects the boxes, points and masks after the stage
     */
    record StageImage(String stage, String field, String drawn, Field image, ShownObjects objects) {
        /** Returns whether the field can be shown: uint8, [height, width, 1 or 3], not empty. */
        boolean drawable() {
            return image.dtype() == DType.UINT8
                    && image.shape().length == 3
                    && (image.channels() == 1 || image.channels() == 3)
                    && image.height() > 0
                    && image.width() > 0;
        }
    }

    /** Returns the random parameters by stage, without stages that have none. */
    public Map<String, String> drawn() {
        Map<String, String> drawn = new LinkedHashMap<>();
        for (StageImage image : images) {
            if (!image.drawn.isEmpty()) {
                drawn.put(image.stage, image.drawn);
            }
        }
        return drawn;
    }

    /**
     * Returns the label with the name of its class, for example "3 mountain"; only the name if it is equal to the number, and "-"
     * without a label.
     */
    public String labelText() {
        String number = label == null ? "-" : Long.toString(label);
        return className == null || className.equals(number) ? number : number + " " + className;
    }
}
