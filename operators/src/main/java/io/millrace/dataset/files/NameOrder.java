package io.millrace.dataset.files;

import java.util.Comparator;

/**
 * The order of names that Python's {@code sorted} uses: by code points. Java compares {@code String}s by UTF-16 units, which
 * puts an emoji before some other letters.
 */
public enum NameOrder implements Comparator<String> {
    /** The order. */
    BY_CODE_POINT;

    @Override
    public int compare(String left, String right) {
        int common = Math.min(left.length(), right.length());
        for (int i = 0; i < common; i++) {
            char a = left.charAt(i);
            char b = right.charAt(i);
            if (a != b) {
                // Surrogates stand for code points above all others, but are not the largest units.
                boolean supplementary = Character.isSurrogate(a);
                return supplementary == Character.isSurrogate(b) ? a - b : supplementary ? 1 : -1;
            }
        }
        return left.length() - right.length();
    }
}
