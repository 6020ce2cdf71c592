package io.millrace.preview;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

/** The division of text into lines. */
final class TextWrap {
    private TextWrap() {}

    /** Returns lines that are at most {@code width} wide, broken at spaces; a word that is wider is broken anywhere. */
    static List<String> lines(String text, int width, ToIntFunction<String> measure) {
        List<String> lines = new ArrayList<>();
        String line = "";
        for (String word : text.strip().split("\\s+", -1)) {
            String longer = line.isEmpty() ? word : line + " " + word;
            if (measure.applyAsInt(longer) <= width) {
                line = longer;
                continue;
            }
            if (!line.isEmpty()) {
                lines.add(line);
            }
            line = word;
            while (measure.applyAsInt(line) > width && line.length() > 1) {
                int end = line.length() - 1;
                while (end > 1 && measure.applyAsInt(line.substring(0, end)) > width) {
                    end--;
                }
                lines.add(line.substring(0, end));
                line = line.substring(end);
            }
        }
        if (!line.isEmpty()) {
            lines.add(line);
        }
        return lines;
    }
}
