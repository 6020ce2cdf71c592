package io.millrace;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.config.Catalogs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The Markdown pages of the repository: their links, and the classes and files that they name. */
class DocumentationTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    /** Folders that are not part of the repository's sources, below its root or below a module. */
    private static final Set<String> SKIPPED = Set.of("target", ".git", ".millrace", "data", "runs", "plugins");

    private static final Pattern BLOCK = Pattern.compile("^```.*?^```", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern CODE = Pattern.compile("`([^`\\n]+)`");
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("^#+ +(.+?) *$", Pattern.MULTILINE);

    /**
     * A name in camel case with two or more words, with or without a member after it: {@code TrainStep}, {@code
     * TrainStep.open()}.
     */
    private static final Pattern CLASS =
            Pattern.compile("([A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+)(?:[.#]\\w+)?(?:\\(.*\\))?");

    /** A path below one of the repository's folders. */
    private static final Pattern FILE =
            Pattern.compile("(?<![\\w./$-])((?:conf|docs|operators|jobs|gpu-sink|python|\\.ci)/[\\w./-]+)(?![\\w*<{])");

    private static List<Path> pages = List.of();
    private static Set<String> classes = Set.of();

    @BeforeAll
    static void findSources() throws IOException {
        pages = sources().filter(file -> file.toString().endsWith(".md")).toList();
        classes = sources()
                .map(file -> file.getFileName().toString())
                .filter(name -> name.endsWith(".java"))
                .map(name -> name.substring(0, name.length() - ".java".length()))
                .collect(Collectors.toCollection(HashSet::new));
        Catalogs catalogs = Catalogs.installed();
        Stream.of(catalogs.transforms(), catalogs.deviceTransforms())
                .flatMap(List::stream)
                .forEach(entry -> classes.add(entry.name()));
    }

    private static Stream<Path> sources() throws IOException {
        List<Path> files = new ArrayList<>();
        collect(ROOT, files);
        return files.stream();
    }

    private static void collect(Path folder, List<Path> files) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            for (Path entry : entries.toList()) {
                if (!Files.isDirectory(entry)) {
                    files.add(entry);
                } else if (!SKIPPED.contains(entry.getFileName().toString())
                        || entry.toString().contains("/src/main/java/")) {
                    collect(entry, files);
                }
            }
        }
    }

    @Test
    void everyRelativeLinkLeadsToAFileAndItsHeading() throws IOException {
        List<String> broken = new ArrayList<>();
        for (Path page : pages) {
            Matcher links = LINK.matcher(withoutBlocks(Files.readString(page)));
            while (links.find()) {
                String link = links.group(1);
                if (!link.matches("[a-z]+:.*") && !leadsSomewhere(page, link)) {
                    broken.add(ROOT.relativize(page) + ": " + link);
                }
            }
        }
        assertThat(pages).as("pages").hasSizeGreaterThan(20);
        assertThat(broken).as("links to files or headings that do not exist").isEmpty();
    }

    private static boolean leadsSomewhere(Path page, String link) throws IOException {
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
        if (!Files.exists(target)) {
            return false;
        }
        return parts.length == 1
                || !target.toString().endsWith(".md")
                || anchors(Files.readString(target)).contains(parts[1]);
    }

    /** Returns the anchors of a page's headings, as GitHub makes them. */
    private static Set<String> anchors(String text) {
        Set<String> anchors = new HashSet<>();
        Matcher headings = HEADING.matcher(withoutBlocks(text));
        while (headings.find()) {
            String anchor = headings.group(1)
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\w\\- ]", "")
                    .replace(' ', '-');
            for (int copy = 1; !anchors.add(anchor); copy++) {
                anchor = anchor.replaceFirst("-\\d+$", "") + "-" + copy;
            }
        }
        return anchors;
    }

    @Test
    void everyClassThatAPageNamesExists() throws IOException {
        List<String> unknown = new ArrayList<>();
        for (Path page : pages) {
            for (String code : codes(page)) {
                Matcher name = CLASS.matcher(code);
                if (name.matches() && !classes.contains(name.group(1))) {
                    unknown.add(ROOT.relativize(page) + ": " + code);
                }
            }
        }
        assertThat(unknown).as("names of classes that do not exist").isEmpty();
    }

    @Test
    void everyFileOfTheRepositoryThatAPageNamesExists() throws IOException {
        List<String> unknown = new ArrayList<>();
        for (Path page : pages) {
            for (String code : codes(page)) {
                Matcher names = FILE.matcher(code);
                while (names.find()) {
                    String file = names.group(1);
                    if (!file.contains("/target/") && !Files.exists(ROOT.resolve(file))) {
                        unknown.add(ROOT.relativize(page) + ": " + file);
                    }
                }
            }
        }
        assertThat(unknown).as("names of files that do not exist").isEmpty();
    }

    private static List<String> codes(Path page) throws IOException {
        List<String> codes = new ArrayList<>();
        Matcher found = CODE.matcher(withoutBlocks(Files.readString(page)));
        while (found.find()) {
            codes.add(found.group(1));
        }
        return codes;
    }

    private static String withoutBlocks(String text) {
        return BLOCK.matcher(text).replaceAll("");
    }
}
