package io.millrace.config;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The insertion of values from the command line into the tree before the tree is read. A key is a path: {@code
 * batch.size}, or {@code transforms.1.Resize.size} with list entries counted from 0. Missing sections are created, and
 * plain values on the path are replaced, so that {@code train.model.mlp.hidden=[64]} works on {@code model: mlp}. The
 * value {@code null} removes a key of the file: {@code evaluate=null}.
 */
final class Overrides {
    static final String FLAG = "--set ";

    private final Problems problems;

    Overrides(Problems problems) {
        this.problems = problems;
    }

    /** Applies {@code key=value} to the tree. */
    void apply(Tree.Mapping root, String override) {
        SourceLocation location = new SourceLocation(FLAG + override, 0);
        int equals = override.indexOf('=');
        List<String> path =
                Arrays.asList(override.substring(0, Math.max(equals, 0)).split("\\.", -1));
        if (equals < 0 || path.contains("")) {
            problems.add(location, "", "expected key=value, as in batch.size=32");
            return;
        }
        String key = override.substring(0, equals);
        Optional<Tree> value = YamlTree.ofOverride(location.source(), key, override.substring(equals + 1), problems);
        value.ifPresent(tree -> put(root, path, 0, new Tree.Entry(location, tree)));
    }

    /** Puts a value at {@code path[depth..]} below {@code parent}. */
    private void put(Tree parent, List<String> path, int depth, Tree.Entry value) {
        String key = path.get(depth);
        boolean last = depth == path.size() - 1;
        if (parent instanceof Tree.Mapping mapping) {
            LinkedHashMap<String, Tree.Entry> entries = mapping.entries();
            Tree.Entry old = entries.get(key);
            if (last && old != null && value.value() instanceof Tree.Leaf leaf && leaf.raw() == null) {
                entries.remove(key);
                return;
            }
            Tree child = last ? value.value() : container(old == null ? null : old.value(), path.get(depth + 1), value);
            // A key of the file keeps its line, so that a missing key below it is reported there.
            entries.put(key, new Tree.Entry(last || old == null ? value.keyLocation() : old.keyLocation(), child));
            if (!last) {
                put(child, path, depth + 1, value);
            }
        } else if (parent instanceof Tree.Listing listing) {
            ArrayList<Tree> items = listing.items();
            int index = isIndex(key) ? Integer.parseInt(key) : Integer.MAX_VALUE;
            if (index > items.size()) {
                problems.add(
                        value.keyLocation(),
                        String.join(".", path.subList(0, depth)),
                        "has " + items.size() + " entries, expected an index from 0 to " + items.size() + ", found '"
                                + key + "'");
                return;
            }
            Tree old = index < items.size() ? items.get(index) : null;
            Tree child = last ? value.value() : container(old, path.get(depth + 1), value);
            if (old == null) {
                items.add(child);
            } else {
                items.set(index, child);
            }
            if (!last) {
                put(child, path, depth + 1, value);
            }
        }
    }

    /** Returns the old tree if it can hold keys, otherwise a new mapping or list. */
    private static Tree container(@Nullable Tree old, String nextKey, Tree.Entry value) {
        if (old instanceof Tree.Mapping || old instanceof Tree.Listing) {
            return old;
        }
        SourceLocation location = old == null ? value.keyLocation() : old.location();
        return isIndex(nextKey) ? new Tree.Listing(location, new ArrayList<>()) : Tree.Mapping.empty(location);
    }

    private static boolean isIndex(String key) {
        return key.matches("[0-9]{1,6}");
    }
}
