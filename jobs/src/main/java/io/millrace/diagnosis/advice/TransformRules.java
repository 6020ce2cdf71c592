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

/** The rules that reduce the work of transforms: an earlier crop, floats on the device, reduced decoding. */
final class TransformRules {
    /** The kinds of work before which a crop can move. */
    private static final Set<PictureWork> MOVABLE =
            Set.of(PictureWork.PER_PIXEL, PictureWork.NEIGHBOURHOOD, PictureWork.NONE);

    private static final String REDUCED = "reduced";

    /** The share of decoding that does not depend on the number of pixels: all entropy-coded data of a JPEG must be read. */
    private static final double ENTROPY_SHARE = 0.5;

    private static final int FLOAT_BYTES = 4;

    private TransformRules() {}

    /** Proposes to move a crop before transforms that work on each pixel. */
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
                "%s works on pixels of which %s keeps only %.0f %%; random transforms draw other numbers%s",
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
        return Advice.set(reason, List.of(TransformList.setting(transforms)), effect)
                .changingValues();
    }

    /** Proposes to send bytes, and to convert them to floats on the device. */
    static List<Advice> floatsOnDevice(Situation situation) {
        List<TransformSpec> transforms = situation.config().data().transforms();
        int last = transforms.size() - 1;
        if (last < 0 || transforms.get(last).pictureWork() != PictureWork.TO_FLOAT) {
            return List.of();
        }
        String stage = situation.config().transformStages().get(last);
        return List.of(Advice.set(
                "the device can convert bytes to floats: then only a quarter of the bytes is packed and sent",
                List.of(TransformList.setting(transforms.subList(0, last))),
                model -> model.scaled(stage, 0)
                        .scaled("pack", 1.0 / FLOAT_BYTES)
                        .scaled(CapacityModel.ASSEMBLE, 1.0 / FLOAT_BYTES)));
    }

    /** Proposes to decode a reduced image when the next transform makes it much smaller. */
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
            return List.of(); // the smallest reduction halves both sides
        }
        // The decoder halves the sides while the image stays large enough.
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
                                "decoding makes %.0f times as many pixels as the next transform keeps; a reduced image differs"
                                        + " a little from one that is decoded and resized",
                                before / after),
                        List.of(TransformList.setting(changed)),
                        model -> model.scaled(decode, factor))
                .changingValues());
    }
}
