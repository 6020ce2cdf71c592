package io.millrace.config;

import java.util.ArrayList;
import java.util.List;

/** What the stages on the data servers are called. */
final class StageNames {
    private StageNames() {}

    /**
     * {@code read}, the transforms by their names, {@code pack}. A transform that occurs again has its count behind the
     * name: {@code Resize}, {@code Resize-2}.
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
}
