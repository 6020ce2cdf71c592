package io.millrace.diagnosis.advice;

import io.millrace.diagnosis.CapacityModel;
import io.millrace.sample.Sample;
import io.millrace.transform.TransformSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Less work in the transforms: crop first, floats on the device, smaller decoding. */
final class TransformRules {
    private static final Set<String> CROPS = Set.of("RandomCrop", "CenterCrop");

    /** Each pixel of their result depends on the same pixel alone. */
    private static final Set<String> POINTWISE =
            Set.of("Grayscale", "RandomGrayscale", "RandomInvert", "RandomPosterize", "RandomSolarize", "Delay");

    /** As good before as behind a crop, but not to the bit: of a neighbourhood, or of the whole picture's brightness. */
    private static final Set<String> ALIKE = Set.of(
            "RandomMask",
            "GaussianBlur",
            "ColorJitter",
            "RandomAdjustSharpness",
            "RandomHorizontalFlip",
            "RandomVerticalFlip");

    private static final String DECODE = "decode";
    private static final String REDUCED = "reduced";

    /** Of decoding, what does not get less with fewer pixels: a JPEG's entropy-coded data has to be read in any case. */
    private static final double ENTROPY_SHARE = 0.5;

    private static final int FLOAT_BYTES = 4;

    private TransformRules() {}

    /** A crop before what is done to each pixel. */
    static List<Advice> cropFirst(Situation situation) {
        List<TransformSpec> transforms = situation.config().data().transforms();
        List<String> stages = situation.config().transformStages();
        for (int crop = 1; crop < transforms.size(); crop++) {
            int to = crop;
            while (to > 0 && movable(transforms.get(to - 1).name())) {
                to--;
            }
            Double before = situation.facts().pixels().get(stages.get(crop - 1));
            Double after = situation.facts().pixels().get(stages.get(crop));
            boolean movable = CROPS.contains(transforms.get(crop).name()) && to < crop;
            if (movable && before != null && after != null && after < before) {
                return List.of(moved(situation, crop, to, after / before));
            }
        }
        return List.of();
    }

    private static boolean movable(String name) {
        return POINTWISE.contains(name) || ALIKE.contains(name);
    }

    private static Advice moved(Situation situation, int crop, int to, double share) {
        List<TransformSpec> transforms = new ArrayList<>(situation.config().data().transforms());
        List<String> stages = situation.config().transformStages().subList(to, crop);
        boolean exact = transforms.subList(to, crop).stream().allMatch(t -> POINTWISE.contains(t.name()));
        transforms.add(to, transforms.remove(crop));
        String reason = String.format(
                Locale.ROOT,
                "%s works on pixels of which %s leaves %.0f %%; random numbers are drawn anew%s",
                String.join(", ", stages),
                situation.config().transformStages().get(crop),
                100 * share,
                exact ? "" : ", and pixels at the crop's edge may differ");
        // A delay takes its time for any picture.
        UnaryOperator<CapacityModel> effect = model -> {
            CapacityModel changed = model;
            for (String stage : stages) {
                changed = changed.scaled(stage, stage.startsWith("Delay") ? 1 : share);
            }
            return changed;
        };
        return Advice.set(reason, List.of(TransformList.setting(transforms)), effect);
    }

    /** Bytes travel, floats are made on the device. */
    static List<Advice> floatsOnDevice(Situation situation) {
        List<TransformSpec> transforms = situation.config().data().transforms();
        int last = transforms.size() - 1;
        if (last < 0 || !makesFloats(transforms.get(last))) {
            return List.of();
        }
        String stage = situation.config().transformStages().get(last);
        return List.of(Advice.set(
                "the device makes floats of bytes by itself: a quarter of the bytes have to be packed and sent",
                List.of(TransformList.setting(transforms.subList(0, last))),
                model -> model.scaled(stage, 0)
                        .scaled("pack", 1.0 / FLOAT_BYTES)
                        .scaled(CapacityModel.ASSEMBLE, 1.0 / FLOAT_BYTES)));
    }

    private static boolean makesFloats(TransformSpec transform) {
        Map<String, Object> options = transform.options().raw();
        return transform.name().equals("Cast")
                && options.getOrDefault("field", Sample.IMAGE).equals(Sample.IMAGE)
                && "float32".equals(options.get("dtype"));
    }

    /** A decoder that makes a smaller picture where a smaller one is all that is wanted. */
    static List<Advice> reducedDecode(Situation situation) {
        List<TransformSpec> transforms = situation.config().data().transforms();
        if (transforms.size() < 2
                || !transforms.get(0).name().equals(DECODE)
                || !Set.of("Resize", "RandomResizedCrop")
                        .contains(transforms.get(1).name())
                || Boolean.TRUE.equals(transforms.get(0).options().raw().get(REDUCED))) {
            return List.of();
        }
        Double before = situation.facts().pixels().get(DECODE);
        Double after = situation
                .facts()
                .pixels()
                .get(situation.config().transformStages().get(1));
        if (before == null || after == null || after * 4 > before) {
            return List.of(); // halves of each side are the least reduction
        }
        // The decoder halves the sides as long as they stay large enough.
        double halvings = Math.floor(Math.log(before / after) / Math.log(4));
        double share = Math.pow(0.25, Math.min(3, halvings));
        double factor = ENTROPY_SHARE + (1 - ENTROPY_SHARE) * share;
        Map<String, Object> options = new HashMap<>(transforms.get(0).options().raw());
        options.put(REDUCED, true);
        List<TransformSpec> changed = new ArrayList<>(transforms);
        changed.set(0, TransformSpec.of(DECODE, options));
        return List.of(Advice.set(
                String.format(
                        Locale.ROOT,
                        "decoding makes %.0f times the pixels that are wanted; a reduced picture differs a little from one that is"
                                + " decoded and resized",
                        before / after),
                List.of(TransformList.setting(changed)),
                model -> model.scaled(DECODE, factor)));
    }
}
