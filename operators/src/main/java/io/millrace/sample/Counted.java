package io.millrace.sample;

import java.util.Locale;

/** Numbers of things in messages. */
public final class Counted {
    private Counted() {}

    /** Returns a number with its noun, for example "1 epoch", "2,814 steps" or "10 classes". */
    public static String of(long number, String noun) {
        String plural = noun.endsWith("s") || noun.endsWith("tch") ? "es" : "s";
        return String.format(Locale.ROOT, "%,d %s", number, noun) + (number == 1 ? "" : plural);
    }
}
