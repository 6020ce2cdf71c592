package io.millrace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The tables of {@code docs/architecture.md} that are made from {@link Layers} and from the first sentences of the
 * package-infos.
 */
final class ArchitecturePage {
    private static final Pattern DOCUMENTATION = Pattern.compile("/\\*\\*(.*?)\\*/", Pattern.DOTALL);
    private static final Pattern LINK = Pattern.compile("\\{@(link|linkplain|code) ([^}]*?)}");

    /** The folders of sources. The last one is a jar of its own. */
    static final List<String> SOURCES =
            List.of("operators/src/main/java", "gpu-sink/src/main/java", "jobs/src/main/java", "jobs/src/main/planted");

    private ArchitecturePage() {}

    /** Returns the table of packages and the table of libraries. */
    static String tables() throws IOException {
        StringBuilder text = new StringBuilder("| package | module | content |\n|---|---|---|\n");
        for (PackageEntry entry : packages()) {
            text.append("| [`%s`](%s) | %s | %s |\n"
                    .formatted(entry.name(), entry.link(), entry.module(), entry.content()));
        }
        text.append("\n| library | packages that may import it |\n|---|---|\n");
        for (Layers.LibraryRule rule : Layers.LIBRARIES) {
            text.append("| %s | %s |\n"
                    .formatted(
                            rule.library(),
                            rule.importers().stream()
                                    .map(importer -> "`" + importer.replace("..", "") + "`")
                                    .collect(Collectors.joining(", "))));
        }
        return text.toString();
    }

    /** A package with a package-info. */
    private record PackageEntry(String name, String sources, String content) {
        String link() {
            return "../" + sources + "/io/millrace/" + name.replace('.', '/');
        }

        private String module() {
            return sources.substring(0, sources.indexOf('/'));
        }

        private int layer() {
            return Layers.PACKAGES.indexOf(name.replaceFirst("\\..*", ""));
        }
    }

    private static List<PackageEntry> packages() throws IOException {
        List<PackageEntry> entries = new ArrayList<>();
        for (String sources : SOURCES) {
            Path root = Path.of("..", sources, "io", "millrace");
            List<Path> files;
            try (Stream<Path> all = Files.walk(root)) {
                files = all.filter(file -> file.endsWith("package-info.java")).toList();
            }
            for (Path file : files) {
                String name = root.relativize(file.getParent()).toString().replace('/', '.');
                entries.add(new PackageEntry(name, sources, firstSentence(file)));
            }
        }
        entries.sort(Comparator.comparingInt(PackageEntry::layer).thenComparing(PackageEntry::name));
        return entries;
    }

    private static String firstSentence(Path packageInfo) throws IOException {
        Matcher found = DOCUMENTATION.matcher(Files.readString(packageInfo));
        if (!found.find()) {
            throw new IOException(packageInfo + " has no Javadoc");
        }
        String text = found.group(1)
                .replaceAll("\\n\\s*\\*", " ")
                .replaceAll("\\s+", " ")
                .strip();
        String plain = LINK.matcher(text).replaceAll(tag -> Matcher.quoteReplacement("`" + words(tag) + "`"));
        return plain.replaceFirst("\\.( .*|$)", ".").replaceFirst(" <p>.*", "");
    }

    /** Returns the text of a code tag, or the simple name that a link leads to. */
    private static String words(MatchResult tag) {
        return tag.group(1).equals("code")
                ? tag.group(2)
                : tag.group(2).replaceFirst(".* ", "").replaceFirst(".*[.#]", "");
    }
}
