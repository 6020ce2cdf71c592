package io.millrace.report;

/** Words of commands that a user can copy into a shell. */
public final class ShellWord {
    private ShellWord() {}

    /** Returns a word, quoted when a shell would split or change it. */
    public static String of(String word) {
        return word.matches("[A-Za-z0-9_.,=:/%-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
