package io.millrace.preview;

import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One sample and what became of its images and masks on the way.
 *
 * @param sample as it would be packed; quarantined, without fields, when a stage could not use it
 * @param className the name of its label, null where there is none
 * @param pictures the images and masks after each stage that left some, in order; encoded ones are left out
 */
public record SampleView(Sample sample, @Nullable String className, List<Picture> pictures) {
    public SampleView {
        pictures = List.copyOf(pictures);
    }

    /**
     * An image or mask behind a stage.
     *
     * @param field its name in the sample
     * @param drawn the parameters that the stage drew, empty where it draws none
     * @param image not shared with any other stage's
     */
    public record Picture(String stage, String field, String drawn, Field image) {
        /** The field that is called image. */
        public Picture(String stage, String drawn, Field image) {
            this(stage, Sample.IMAGE, drawn, image);
        }

        /** Whether it can be shown: uint8, [height, width, 1 or 3] with pixels. */
        public boolean drawable() {
            return image.dtype() == DType.UINT8
                    && image.shape().length == 3
                    && (image.channels() == 1 || image.channels() == 3)
                    && image.height() > 0
                    && image.width() > 0;
        }
    }

    /** What was drawn, by stage; stages that draw nothing are left out. */
    public Map<String, String> drawn() {
        Map<String, String> drawn = new LinkedHashMap<>();
        for (Picture picture : pictures) {
            if (!picture.drawn.isEmpty()) {
                drawn.put(picture.stage, picture.drawn);
            }
        }
        return drawn;
    }

    /** The label with its class's name, as "3 mountain"; the name alone where it is the number. */
    public String labelText() {
        String number = Long.toString(sample.label());
        return className == null || className.equals(number) ? number : number + " " + className;
    }
}
