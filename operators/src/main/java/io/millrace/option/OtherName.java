package io.millrace.option;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * A name that people who come from other programs use, and what a pipeline file has in its place. It is only a hint: a pipeline file
 * that uses the name is refused.
 *
 * @param name the name elsewhere
 * @param written the name here, or a longer text of YAML
 */
public record OtherName(String name, String written) {
    /** Returns several names for the same thing. */
    public static List<OtherName> of(String written, String... names) {
        return Stream.of(names).map(name -> new OtherName(name, written)).toList();
    }

    /** Returns whether a word is this name, whatever its case and the separators in it: {@code ImageFolder, image_folder}. */
    public boolean is(String word) {
        return plain(word).equals(plain(name));
    }

    private static String plain(String word) {
        return word.toLowerCase(Locale.ROOT).replaceAll("[ _.-]", "");
    }
}
