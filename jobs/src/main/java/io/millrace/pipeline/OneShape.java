package io.millrace.pipeline;

import io.millrace.transform.TransformSpec;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Tells by the list of transforms alone whether pictures have one size at some place of it. Stateless. */
final class OneShape {
    private static final Set<String> MAKING =
            Set.of("DecodeRandomResizedCrop", "CenterCrop", "RandomCrop", "RandomResizedCrop", "PadTo");

    private OneShape() {}

    /**
     * Whether all samples have pictures of one size behind these transforms. Without a {@code decode} among them a dataset
     * has arrays of one shape, as otherwise they would not go into a batch.
     */
    static boolean behind(List<TransformSpec> transforms) {
        boolean one = true;
        for (TransformSpec transform : transforms) {
            if (MAKING.contains(transform.name()) || resizesToOne(transform)) {
                one = true;
            } else if (transform.name().equals("decode") || expands(transform)) {
                one = false;
            }
        }
        return one;
    }

    private static boolean resizesToOne(TransformSpec transform) {
        Map<String, Object> options = transform.options().raw();
        return transform.name().equals("Resize") && options.get("size") instanceof List<?> size && size.size() == 2;
    }

    /** A turned picture may become as large as its corners need, which depends on the angle. */
    private static boolean expands(TransformSpec transform) {
        return Boolean.TRUE.equals(transform.options().raw().get("expand"));
    }
}
