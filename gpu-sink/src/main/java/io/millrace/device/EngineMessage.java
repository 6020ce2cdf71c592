package io.millrace.device;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A message of PyTorch, split into its parts. Only one line contains the reason. Release builds end every CUDA error
 * with advice about device-side assertions, and all errors with the frames of the C++ stack, so these lines say nothing
 * about the reason. An error within TorchScript begins with a traceback of the module's code, and the line of the
 * reason follows it.
 *
 * @param reason the line that contains the reason, without the name of the exception's class
 * @param names CUDA's names of the error, as "cudaErrorIllegalAddress"; empty when the message has none
 * @param place the place in a TorchScript module's code that failed, as "line 12, in forward: torch.linear(x, w)"; null
 *     when the message has none
 * @param isFromTorchScript whether TorchScript's interpreter reported the error
 */
record EngineMessage(
        String reason, List<String> names, @Nullable String place, boolean isFromTorchScript) {
    private static final String INTERPRETER = "The following operation failed in the TorchScript interpreter.";
    private static final String MARK = "<--- HERE";

    /** The first line of the C++ stack, which ends what the error itself says. */
    private static final String STACK = "Exception raised from ";

    /** The line after a traceback: the class of the exception and the reason. Lines of the traceback do not match. */
    private static final Pattern RAISED =
            Pattern.compile("(?:[A-Za-z_]\\w*\\.)*[A-Za-z_]\\w*(?:Error|Exception): *(.*)");

    /** PyTorch's advice to look the error up, which names it. */
    private static final Pattern LOOK_UP = Pattern.compile("Search for `(cudaError\\w+)'.*");

    private static final Pattern NAME = Pattern.compile("\\bcudaError[A-Z]\\w*");
    private static final Pattern LINE = Pattern.compile(".*\\bline (\\d+), in (\\S+)\\s*");

    /** Splits a message; null stands for a failure without one. */
    static EngineMessage of(@Nullable String message) {
        List<String> lines = message == null ? List.of() : message.lines().toList();
        int at = reason(lines);
        boolean script = !lines.isEmpty() && lines.get(0).endsWith(INTERPRETER);
        if (at == lines.size()) {
            return new EngineMessage("no reason given", List.of(), place(lines, at), script);
        }
        Matcher raised = RAISED.matcher(lines.get(at));
        String reason = script && raised.matches() ? raised.group(1) : lines.get(at);
        return new EngineMessage(reason, names(lines, at), place(lines, at), script);
    }

    /** Returns the number of the line with the reason; the number of lines when there is none. */
    private static int reason(List<String> lines) {
        for (int i = 0; i < lines.size(); ) {
            if (!lines.get(i).endsWith(INTERPRETER)) {
                return i;
            }
            int next = i + 1;
            while (next < lines.size() && !RAISED.matcher(lines.get(next)).matches()) {
                next++;
            }
            if (next == lines.size()) {
                return i; // a form that is not known: the first line is better than a line of code
            }
            i = next;
        }
        return lines.size();
    }

    private static List<String> names(List<String> lines, int reason) {
        List<String> names = new ArrayList<>();
        NAME.matcher(lines.get(reason)).results().forEach(found -> names.add(found.group()));
        for (String line : lines.subList(reason + 1, lines.size())) {
            if (line.startsWith(STACK)) {
                break;
            }
            Matcher named = LOOK_UP.matcher(line);
            if (named.matches()) {
                names.add(named.group(1));
            }
        }
        return List.copyOf(names);
    }

    /**
     * Returns the innermost place that the traceback before the reason marks. A traceback of a saved module has the
     * code of the file first and the original code after it; both end with the innermost place, so the last mark is
     * that of the original code.
     */
    private static @Nullable String place(List<String> lines, int reason) {
        for (int mark = Math.min(reason, lines.size()) - 1; mark > 0; mark--) {
            if (!lines.get(mark).contains(MARK)) {
                continue;
            }
            String code = lines.get(mark - 1).strip();
            for (int line = mark - 1; line >= 0; line--) {
                Matcher found = LINE.matcher(lines.get(line));
                if (found.matches()) {
                    return "line " + found.group(1) + ", in " + found.group(2) + ": " + code;
                }
            }
            return code;
        }
        return null;
    }

    /** Returns the reason and the place. */
    String describe() {
        return place == null ? reason : reason + " (" + place + ")";
    }

    EngineMessage {
        names = List.copyOf(names);
    }
}
