package io.millrace.preview;

import io.millrace.preview.SampleView.StageImage;
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
 * @param details the lines under the title
 * @param images the image after each stage, or else the values, by stage
 * @param failedAt the stage at which the sample was quarantined; null for a good sample
 * @param reason the reason, with file and offset; empty for a good sample
 */
record Card(
        String title,
        List<String> details,
        Map<String, Shown> images,
        @Nullable String failedAt,
        String reason) {
    /** The minimum width of captions. */
    static final int NARROWEST_COLUMN = 168;

    /** The number of lines under each title. */
    static final int DETAILS = 2;

    /**
     * An image on the card, with its captions.
     *
     * @param thumbnail the image; null where the field cannot be shown as an image
     * @param captions the true size of each image and mask, then the number of objects and the random parameters of the stage
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
        Map<String, List<StageImage>> byStage = new LinkedHashMap<>();
        for (StageImage image : view.images()) {
            byStage.computeIfAbsent(image.stage(), stage -> new ArrayList<>()).add(image);
        }
        Map<String, Shown> images = new LinkedHashMap<>();
        byStage.forEach((stage, beside) -> images.put(stage, shown(beside, thumbnail)));
        view.values().forEach((stage, lines) -> images.put(stage, new Shown(null, wrapped(lines))));
        BadSample badSample = sample.badSample();
        return new Card(
                title(view),
                List.of(
                        sample.key(),
                        String.format(Locale.ROOT, "index %,d  position %,d", sample.index(), sample.position())),
                images,
                badSample == null ? null : badSample.stage(),
                badSample == null ? "" : reason(badSample));
    }

    /** Returns whether the card has an image of a stage, or was quarantined at that stage after other images. */
    boolean showsAt(String stage) {
        return images.containsKey(stage) || (stage.equals(failedAt) && !images.isEmpty());
    }

    private static String title(SampleView view) {
        if (view.label() == null) {
            return "no label";
        }
        String number = Long.toString(view.label());
        String name = view.className();
        return "label " + number + (name == null || name.equals(number) ? "" : ": " + name);
    }

    private static List<String> wrapped(List<String> lines) {
        return lines.stream()
                .flatMap(line -> TextWrap.lines(line, NARROWEST_COLUMN, Lettering.TEXT::width).stream())
                .toList();
    }

    /** Returns the images and masks of one stage beside each other; if there are several, the captions contain their names. */
    private static Shown shown(List<StageImage> beside, Thumbnail thumbnail) {
        List<String> captions = new ArrayList<>();
        List<Field> drawable = new ArrayList<>();
        for (StageImage image : beside) {
            String size = image.drawable() ? size(image.image()) : image.image().toString();
            captions.add(beside.size() == 1 ? size : image.field() + " " + size);
            if (image.drawable()) {
                drawable.add(ObjectPen.draw(thumbnail.of(image.image()), image.image(), image.objects()));
            }
        }
        String objects = beside.get(0).objects().count();
        if (!objects.isEmpty()) {
            captions.add(objects);
        }
        String drawn = beside.get(0).drawn();
        if (!drawn.isEmpty()) {
            captions.add(drawn);
        }
        return new Shown(drawable.isEmpty() ? null : SideBySide.of(drawable), captions);
    }

    private static String size(Field image) {
        return image.height() + "x" + image.width()
                + (image.channels() == 1 && image.kind() != FieldKind.MASK ? " gray" : "");
    }

    private static String reason(BadSample badSample) {
        return badSample.reason() + (badSample.offset() < 0 ? "" : " (at offset " + badSample.offset() + ")");
    }
}
