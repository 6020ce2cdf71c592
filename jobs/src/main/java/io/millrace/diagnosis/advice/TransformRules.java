package io.millrace.diagnosis.advice;

import io.millrace.diagnosis.CapacityModel;
import io.millrace.transform.PictureWork;
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
    /** The kinds of work that a crop can precede. */
    private static final Set<PictureWork> MOVABLE =
            Set.of(PictureWork.PER_PIXEL, PictureWork.NEIGHBOURHOOD, PictureWork.NONE);

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
            while (to > 0 && MOVABLE.contains(transforms.get(to - 1).pictureWork())) {
                to--;
            }
            Double before = situation.facts().pixels().get(stages.get(crop - 1));
            Double after = situation.facts().pixels().get(stages.get(crop));
            boolean movable = transforms.get(crop).pictureWork() == PictureWork.CROP && to < crop;
            if (movable && before != null && after != null && after < before) {
                return List.of(moved(situation, crop, to, after / before));
            }
        }
        return List.of();
    }

    private static Advice moved(Situation situation, int crop, int to, double share) {
        List<TransformSpec> transforms =
                new ArrayList<>(situation.config().data().transforms());
        List<String> stages = situation.config().transformStages().subList(to, crop);
        List<PictureWork> work = transforms.subList(to, crop).stream()
                .map(TransformSpec::pictureWork)
                .toList();
        transforms.add(to, transforms.remove(crop));
        String reason = String.format(
                Locale.ROOT,
                "%s works on pixels of which %s leaves %.0f %%; random numbers are drawn anew%s",
                String.join(", ", stages),
                situation.config().transformStages().get(crop),
                100 * share,
                work.contains(PictureWork.NEIGHBOURHOOD) ? ", and pixels at the crop's edge may differ" : "");
        UnaryOperator<CapacityModel> effect = model -> {
            CapacityModel changed = model;
            for (int i = 0; i < stages.size(); i++) {
                changed = changed.scaled(stages.get(i), work.get(i) == PictureWork.NONE ? 1 : share);
            }
            return changed;
        };
        return Advice.set(reason, List.of(TransformList.setting(transforms)), effect);
    }

    /** Bytes travel, floats are made on the device. */
    static List<Advice> floatsOnDevice(Situation situation) {
        List<TransformSpec> transforms = situation.config().data().transforms();
        int last = transforms.size() - 1;
        if (last < 0 || transforms.get(last).pictureWork() != PictureWork.TO_FLOAT) {
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

    /** A decoder that makes a smaller picture where a smaller one is all that is wanted. */
    static List<Advice> reducedDecode(Situation situation) {
        List<TransformSpec> transforms = situation.config().data().transforms();
        if (transforms.size() < 2
                || transforms.get(0).pictureWork() != PictureWork.DECODE
                || !transforms.get(0).hasOption(REDUCED)
                || transforms.get(1).pictureWork() != PictureWork.RESIZE
                || Boolean.TRUE.equals(transforms.get(0).options().raw().get(REDUCED))) {
            return List.of();
        }
        String decode = situation.config().transformStages().get(0);
        Double before = situation.facts().pixels().get(decode);
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
        changed.set(0, TransformSpec.of(transforms.get(0).name(), options));
        return List.of(Advice.set(
                String.format(
                        Locale.ROOT,
                        "decoding makes %.0f times the pixels that are wanted; a reduced picture differs a little from one that is"
                                + " decoded and resized",
                        before / after),
                List.of(TransformList.setting(changed)),
                model -> model.scaled(decode, factor)));
    }
}
