package io.millrace.config;

import io.millrace.transform.TransformSpec;
import java.util.ArrayList;
import java.util.List;

/** The names of the stages on the data servers. */
final class StageNames {
    private StageNames() {}

    /**
     * Returns {@code read}, the names of the transforms, and {@code pack}. A transform that occurs again has its count
     * after the name: {@code Resize}, {@code Resize-2}.
     */
    static List<String> of(List<String> transforms) {
        List<String> names = new ArrayList<>();
        names.add("read");
        for (String transform : transforms) {
            String name = transform;
            for (int count = 2; names.contains(name); count++) {
                name = transform + "-" + count;
            }
            names.add(name);
        }
        names.add("pack");
        return List.copyOf(names);
    }

    /** Returns the names for configured transforms. */
    static List<String> ofTransforms(List<TransformSpec> transforms) {
        return of(transforms.stream().map(TransformSpec::name).toList());
    }
}
