package io.millrace.config;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The places of a pipeline's settings in its file and its overrides. Immutable. All places are equal to each other, because a
 * pipeline is the same wherever its settings are written.
 *
 * <p>Tested by {@code KeyPlacesTest}.
 */
public final class KeyPlaces {
    /** The places of a pipeline that no file describes. */
    public static final KeyPlaces NONE = new KeyPlaces(Tree.Mapping.empty(new SourceLocation("", 0)));

    private final Tree.Mapping root;

    /** The key of the section whose keys these are; empty for the whole file. */
    private final String section;

    /** Creates the places of a file whose overrides are applied already. */
    KeyPlaces(Tree.Mapping root) {
        this(root, "");
    }

    private KeyPlaces(Tree.Mapping root, String section) {
        this.root = root;
        this.section = section;
    }

    /**
     * Returns a problem with a setting, for the user.
     *
     * @param key the path of the key, such as {@code dataset.path}
     * @param message the sentence for the user
     * @return the place, the key and the sentence, such as {@code run.yaml:2: dataset.path: no such file: a.csv}; empty when neither
     *     the file nor an override has the key
     */
    public Optional<String> problem(String key, String message) {
        return find(key).map(place -> new Problem(place, YamlTree.join(section, key), message).toString());
    }

    /** Returns the places of a section of the file for a pipeline that has the section's keys at its top level. */
    KeyPlaces in(String name) {
        Tree.Entry entry = root.entries().get(name);
        return entry != null && entry.value() instanceof Tree.Mapping keys ? new KeyPlaces(keys, name) : NONE;
    }

    private Optional<SourceLocation> find(String key) {
        Tree tree = root;
        SourceLocation place = null;
        for (String name : key.split("[.]", -1)) {
            Tree.Entry entry =
                    tree instanceof Tree.Mapping mapping ? mapping.entries().get(name) : null;
            if (entry == null) {
                return Optional.empty();
            }
            tree = entry.value();
            place = entry.keyLocation();
        }
        return Optional.ofNullable(place);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof KeyPlaces;
    }

    @Override
    public int hashCode() {
        return KeyPlaces.class.hashCode();
    }

    @Override
    public String toString() {
        return "places";
    }
}
