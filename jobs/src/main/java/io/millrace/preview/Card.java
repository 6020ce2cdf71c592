package io.millrace.preview;

import io.millrace.preview.SampleView.Picture;
import io.millrace.sample.BadSample;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One sample on the contact sheet.
 *
 * @param details lines under the title
 * @param pictures what each stage left, by stage
 * @param failedAt the stage that quarantined the sample, null for a good one
 * @param reason why, with file and offset; empty for a good one
 */
record Card(
        String title,
        List<String> details,
        Map<String, Shown> pictures,
        @Nullable String failedAt,
        String reason) {
    /** How many lines stand under each title. */
    static final int DETAILS = 2;

    /**
     * One picture.
     *
     * @param thumbnail null where the field is no image that can be shown
     * @param captions the true size of each image and mask, then what the stage drew
     */
    record Shown(@Nullable Field thumbnail, List<String> captions) {
        Shown {
            captions = List.copyOf(captions);
        }

        int width() {
            return thumbnail == null ? 0 : thumbnail.width();
        }

        int height() {
            return thumbnail == null ? 0 : thumbnail.height();
        }
    }

    static Card of(SampleView view, Thumbnail thumbnail) {
        Sample sample = view.sample();
        Map<String, List<Picture>> byStage = new LinkedHashMap<>();
        for (Picture picture : view.pictures()) {
            byStage.computeIfAbsent(picture.stage(), stage -> new ArrayList<>()).add(picture);
        }
        Map<String, Shown> pictures = new LinkedHashMap<>();
        byStage.forEach((stage, beside) -> pictures.put(stage, shown(beside, thumbnail)));
        BadSample failure = sample.badSample();
        return new Card(
                sample.label() < 0 ? "no label" : title(view),
                List.of(
                        sample.key(),
                        String.format(Locale.ROOT, "index %,d  position %,d", sample.index(), sample.position())),
                pictures,
                failure == null ? null : failure.stage(),
                failure == null ? "" : reason(failure));
    }

    /** Whether there is a picture of that stage, or the sample failed there after other pictures. */
    boolean showsAt(String stage) {
        return pictures.containsKey(stage) || (stage.equals(failedAt) && !pictures.isEmpty());
    }

    private static String title(SampleView view) {
        String number = Long.toString(view.sample().label());
        String name = view.className();
        return "label " + number + (name == null || name.equals(number) ? "" : ": " + name);
    }

    /** Images and masks of one stage, beside each other; with several, each is told by its name. */
    private static Shown shown(List<Picture> beside, Thumbnail thumbnail) {
        List<String> captions = new ArrayList<>();
        List<Field> drawable = new ArrayList<>();
        for (Picture picture : beside) {
            String size =
                    picture.drawable() ? size(picture.image()) : picture.image().toString();
            captions.add(beside.size() == 1 ? size : picture.field() + " " + size);
            if (picture.drawable()) {
                drawable.add(thumbnail.of(picture.image()));
            }
        }
        String drawn = beside.get(0).drawn();
        if (!drawn.isEmpty()) {
            captions.add(drawn);
        }
        return new Shown(drawable.isEmpty() ? null : Beside.of(drawable), captions);
    }

    private static String size(Field image) {
        return image.height() + "x" + image.width()
                + (image.channels() == 1 && image.kind() != FieldKind.MASK ? " gray" : "");
    }

    private static String reason(BadSample failure) {
        return failure.reason() + (failure.offset() < 0 ? "" : " (at offset " + failure.offset() + ")");
    }
}
