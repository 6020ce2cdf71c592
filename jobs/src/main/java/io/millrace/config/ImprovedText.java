package io.millrace.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.Yaml;

/**
 * A pipeline file with settings written into it. Sections without a changed setting keep their text and comments. Changed
 * sections are written anew and lose the comments within them.
 */
public final class ImprovedText {
    private static final int WIDTH = 110;

    private ImprovedText() {}

    /**
     * Returns the text with the settings.
     *
     * @param settings the settings, each as {@code key=value}, like the overrides of {@link ConfigReader#read(Path,
     *     List)}
     * @throws ConfigException when the file or a setting is not YAML, or a setting does not fit into the file
     */
    public static String of(Path file, List<String> settings) throws ConfigException {
        Problems problems = new Problems();
        String text = ConfigText.read(file, problems).orElse("");
        Tree tree = YamlTree.ofFile(file.toString(), text, problems).orElse(null);
        problems.check();
        if (!(tree instanceof Tree.Mapping mapping)) {
            problems.add(new SourceLocation(file.toString(), 1), "", "expected keys and values");
            throw new ConfigException(problems.sorted());
        }
        Map<String, Integer> begins = new LinkedHashMap<>();
        mapping.entries()
                .forEach((key, entry) -> begins.put(key, entry.keyLocation().line()));
        Overrides overrides = new Overrides(problems);
        Set<String> touched = new LinkedHashSet<>();
        for (String setting : settings) {
            overrides.apply(mapping, setting);
            touched.add(setting.substring(0, setting.indexOf('=')).split("\\.", -1)[0]);
        }
        problems.check();
        return written(text, mapping, begins, touched);
    }

    private static String written(String text, Tree.Mapping mapping, Map<String, Integer> begins, Set<String> touched) {
        List<String> lines = text.lines().toList();
        Set<Integer> lineOfKey = Set.copyOf(begins.values());
        if (lineOfKey.size() < begins.size() || begins.values().stream().anyMatch(line -> !ownLine(lines, line))) {
            // Several keys share a line, as in {a: 1, b: 2}, so no line can be kept.
            return mapping.entries().entrySet().stream()
                    .map(entry ->
                            section(entry.getKey(), entry.getValue().value().raw()))
                    .collect(Collectors.joining());
        }
        StringBuilder made = new StringBuilder();
        int next = 0;
        for (String key : touched) {
            if (!begins.containsKey(key)) {
                begins.put(key, lines.size() + 1);
            }
        }
        for (Map.Entry<String, Integer> section : begins.entrySet()) {
            int begin = Math.min(section.getValue() - 1, lines.size());
            next = append(made, lines, next, begin);
            if (touched.contains(section.getKey())) {
                Tree.Entry entry = mapping.entries().get(section.getKey());
                made.append(
                        entry == null
                                ? ""
                                : section(section.getKey(), entry.value().raw()));
                next = end(lines, begin, begins);
            }
        }
        append(made, lines, next, lines.size());
        return made.toString();
    }

    /** Returns a section with its value on the key's line if it fits there, otherwise below it. */
    private static String section(String key, @Nullable Object value) {
        String dumped = dump(value);
        boolean below = dumped.startsWith("- ") || dumped.stripTrailing().contains("\n");
        return below ? key + ":\n" + dumped.indent(2) : key + ": " + dumped;
    }

    private static boolean ownLine(List<String> lines, int line) {
        return line >= 1
                && line <= lines.size()
                && !lines.get(line - 1).isEmpty()
                && Character.isLetter(lines.get(line - 1).charAt(0));
    }

    /** Returns the end of the section that begins at a line. Comments directly before the next section belong to the next. */
    private static int end(List<String> lines, int begin, Map<String, Integer> begins) {
        int end = begins.values().stream()
                .mapToInt(line -> line - 1)
                .filter(line -> line > begin)
                .min()
                .orElse(lines.size());
        while (end > begin + 1
                && (lines.get(end - 1).isBlank() || lines.get(end - 1).startsWith("#"))) {
            end--;
        }
        return Math.min(end, lines.size());
    }

    private static int append(StringBuilder made, List<String> lines, int from, int to) {
        for (int line = from; line < to; line++) {
            made.append(lines.get(line)).append('\n');
        }
        return Math.max(from, to);
    }

    private static String dump(@Nullable Object value) {
        DumperOptions options = new DumperOptions();
        options.setDefaultFlowStyle(DumperOptions.FlowStyle.AUTO);
        options.setWidth(WIDTH);
        return new Yaml(options).dump(value);
    }

    /** Returns the comment at the head of the file, which lists the settings. */
    public static String heading(Path original, List<String> settings) {
        List<String> lines = new ArrayList<>();
        lines.add("# " + original.getFileName() + " with:");
        settings.forEach(setting -> lines.add("#   --set " + setting));
        return lines.stream().collect(Collectors.joining("\n", "", "\n"));
    }
}
