package io.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.dataset.DatasetFormat;
import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.Services;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.yaml.snakeyaml.Yaml;

/**
 * Every declared option is read, written and documented. The cases are derived from {@link SectionKeys#all}, so an option
 * that no {@code *Config} reads or writes fails here as soon as it is declared.
 */
class DeclaredOptionsTest {
    private static final Path PAGE = Path.of("..", "docs", "use", "options.md");

    /** A file that has every section and otherwise only required keys. */
    private static final String BASE = """
            dataset: {format: folder, path: photos}
            transforms: [decode]
            order: {}
            batch: {}
            read: {}
            python: {}
            device: {}
            train: {model: none}
            evaluate: {dataset: {format: folder, path: test}}
            placement: {}
            checkpoint: {}
            restart: {}
            run: {}
            storage: {cache: {folder: cache, size: 1GB}}
            """;

    /** The same file with a mixture. */
    private static final String MIXED = BASE.replace("dataset: {format: folder, path: photos}\ntransforms", """
            datasets:
              web: {format: folder, path: photos}
              code: {format: folder, path: others}
            mix: [{steps: 70, weights: {web: 2, code: 1}}, {steps: 70, weights: {web: 2}}]
            transforms""");

    /** The settings that give each of two ranks a section of its own. */
    private static final List<String> TWO_RANKS = List.of("ranks=2", "train.ranks=[{}, {}]");

    /** Values that are tried in turn for options whose type is not a structure. */
    private static final List<Object> CANDIDATES = List.of(
            true,
            false,
            7L,
            0.5,
            "7s",
            "7MiB",
            "70MB/s",
            "endless",
            70L,
            "blocks",
            "else",
            List.of("else"),
            Map.of("else", "uint8"),
            Map.of("else", "bits"));

    /** Values for options that are read as a structure of their own: their types accept anything. */
    private static final Map<String, Object> STRUCTURES = structures();

    /** A value that only structures accept. */
    private static final Object NO_VALUE = new Object();

    private static Map<String, Object> structures() {
        Map<String, Object> values = new TreeMap<>();
        values.put("dataset", Map.of("format", "idx", "path", "digits"));
        values.put("order", Map.of("seed", 7L));
        values.put("stages", "separate");
        values.put("transforms", List.of(Map.of("Resize", Map.of("size", 7L))));
        values.put("batch", Map.of("size", 7L));
        values.put("read", Map.of("range", 7L));
        values.put("python", Map.of("executable", "else"));
        values.put("device", Map.of("kind", "host"));
        values.put("train", Map.of("model", "mlp"));
        values.put("evaluate", Map.of("dataset", Map.of("format", "folder", "path", "other")));
        values.put("placement", Map.of("data", "cpu"));
        values.put("checkpoint", "off");
        values.put("restart", Map.of("attempts", 7L));
        values.put("run", Map.of("folder", "out"));
        values.put("storage", Map.of("requests", 7L));
        values.put(
                "datasets",
                Map.of(
                        "web",
                        Map.of("format", "idx", "path", "digits"),
                        "code",
                        Map.of("format", "idx", "path", "digits")));
        values.put("datasets.<name>.transforms", List.of("decode"));
        values.put("mix", List.of(Map.of("steps", 7L, "weights", Map.of("web", 1L))));
        values.put("mix.weights", Map.of("code", 1L));
        values.put("order.skip_steps", List.of("7-9"));
        values.put("order.bucket", Map.of("up_to", List.of(7L, 70L), "lengths", "folder"));
        values.put("dataset.format", "idx");
        values.put("dataset.part", "else");
        values.put("evaluate.part", "else");
        values.put("dataset.parts", Map.of("else", 0.25));
        values.put("dataset.parts_group", Map.of("field", "patient"));
        values.put("dataset.generate", "digits");
        values.put("device.transforms", List.of("ToFloat"));
        values.put("train.model", "mlp");
        values.put("train.loss", "mean_squared_error");
        values.put("train.optimizer", "sgd");
        values.put("train.schedule", Map.of("step", Map.of("every", 2L)));
        values.put("train.ranks", List.of(Map.of("seed", 7L), Map.of()));
        values.put("train.ranks.model", "mlp");
        values.put("train.ranks.optimizer", "sgd");
        values.put("train.ranks.schedule", Map.of("step", Map.of("every", 2L)));
        values.put("evaluate.dataset", Map.of("format", "folder", "path", "other"));
        values.put("evaluate.transforms", List.of("decode"));
        values.put("storage.cache", Map.of("folder", "other", "size", "2GB"));
        return values;
    }

    /** Settings that choose a part of the dataset. */
    private static final List<String> PARTS = List.of("dataset.part=else", "dataset.parts={else: 0.5, other: 0.5}");

    /** Settings that another option's value requires. */
    private static final Map<String, List<String>> REQUIRES = Map.of(
            "evaluate.every",
            List.of("dataset.epochs=9"),
            "train.ranks",
            List.of("ranks=2"),
            "order.draws",
            List.of("order.balance=classes"),
            "dataset.part",
            List.of("dataset.part=other", "dataset.parts={else: 0.5, other: 0.5}"),
            "dataset.parts",
            PARTS,
            "dataset.parts_seed",
            PARTS,
            "dataset.parts_group",
            PARTS,
            "dataset.parts_stratified",
            PARTS,
            "evaluate.part",
            List.of(
                    "dataset.part=third",
                    "dataset.parts={else: 0.5, other: 0.25, third: 0.25}",
                    "evaluate={part: other}"));

    /** An option and the section that declares it. */
    record Declared(SectionKeys section, Option<?> option) {
        String path() {
            return YamlTree.join(section.path(), option.key());
        }

        /** The key of an override, which counts the entries of {@code train.ranks}. */
        String key() {
            return path().replace("train.ranks.", "train.ranks.0.")
                    .replace("datasets.<name>.", "datasets.web.")
                    .replace("mix.", option.key().equals("ramp") ? "mix.1." : "mix.0.");
        }

        /** Returns the path of the same option of the only dataset. */
        String pathOfOne() {
            return path().replace("datasets.<name>.", "dataset.");
        }

        /** Returns the file that has a section with the option. */
        String file() {
            return path().startsWith("datasets") || path().startsWith("mix") ? MIXED : BASE;
        }

        List<String> base() {
            return section.path().equals("train.ranks")
                    ? TWO_RANKS
                    : REQUIRES.getOrDefault(pathOfOne(), List.of()).stream()
                            .map(setting ->
                                    pathOfOne().equals(path()) ? setting : setting.replace("dataset.", "datasets.web."))
                            .toList();
        }

        @Override
        public String toString() {
            return path();
        }
    }

    static Stream<Declared> declared() {
        return SectionKeys.all().stream()
                .flatMap(section -> section.options().stream().map(option -> new Declared(section, option)));
    }

    @TempDir
    Path folder;

    @ParameterizedTest
    @MethodSource("declared")
    void valueOtherThanTheDefaultIsReadWrittenAndReadAgain(Declared declared) throws Exception {
        Object value = otherThanDefault(declared);
        String setting = declared.key() + "=" + new Yaml().dump(value).strip();

        PipelineConfig plain = read(declared.file(), declared.base());
        PipelineConfig set = read(
                declared.file(),
                Stream.concat(declared.base().stream(), Stream.of(setting)).toList());

        assertThat(set).as("no Config reads %s", setting).isNotEqualTo(plain);
        assertThat(at(set.toMap(), declared.key()))
                .as("no Config writes %s", setting)
                .isNotNull()
                .isNotEqualTo(at(plain.toMap(), declared.key()));
        assertThat(read(new Yaml().dump(set.toMap()), List.of())).isEqualTo(set);
    }

    @ParameterizedTest
    @MethodSource("declared")
    void anOptionChangesTheIdentityOfTheRunExactlyIfItSaysSo(Declared declared) throws Exception {
        boolean section = SectionKeys.all().stream()
                        .anyMatch(known -> known.path().equals(declared.path())
                                || known.path().startsWith(declared.path() + ".<"))
                || declared.path().equals("evaluate.dataset");
        if (section) {
            assertThat(declared.option.identity())
                    .as("the keys of a section decide")
                    .isNull();
            return;
        }
        assertThat(declared.option.identity())
                .as("the option needs .decides(...)")
                .isNotNull();
        String setting = declared.key() + "="
                + new Yaml().dump(otherThanDefault(declared)).strip();
        PipelineConfig plain = read(declared.file(), declared.base());
        PipelineConfig set = read(
                declared.file(),
                Stream.concat(declared.base().stream(), Stream.of(setting)).toList());
        for (Set<Identity> parts : List.of(
                Set.of(Identity.BATCHES), Set.of(Identity.TRAINING), Set.of(Identity.BATCHES, Identity.TRAINING))) {
            if (parts.contains(declared.option.identity())) {
                assertThat(set.identity(parts)).as("%s", parts).isNotEqualTo(plain.identity(parts));
            } else if (!declared.path().equals("order.seed")) { // it is the default of train.seed
                assertThat(set.identity(parts)).as("%s", parts).isEqualTo(plain.identity(parts));
            }
        }
    }

    static Stream<Arguments> optionsOfFormats() {
        return Services.of(DatasetFormat.class).stream()
                .map(ServiceLoader.Provider::get)
                .flatMap(format -> format.options().stream().map(option -> Arguments.of(format.name(), option)));
    }

    @ParameterizedTest
    @MethodSource("optionsOfFormats")
    void anOptionOfAFormatDeclaresItsPartOfTheIdentity(String format, Option<?> option) {
        assertThat(option.identity())
                .as("%s of %s needs .decides(...)", option, format)
                .isIn(Identity.BATCHES, Identity.NOTHING);
    }

    @ParameterizedTest
    @MethodSource("declared")
    void pageOfOptionsDocumentsTheOptionInItsSection(Declared declared) throws IOException {
        String title = declared.section.path().isEmpty() ? "Top level" : "`" + declared.section.path() + "`";
        String page = Files.readString(PAGE);

        assertThat(page).contains("\n## " + title + "\n");
        String from = page.substring(page.indexOf("\n## " + title + "\n") + 1);
        int end = from.indexOf("\n## ");
        assertThat(from.substring(0, end < 0 ? from.length() : end))
                .contains("\n| `" + declared.option.key() + "` | ")
                .contains(" | " + declared.option.help().replace("|", "\\|") + " |");
    }

    @Test
    void optionsBesideEachRecordAreAllInASection() throws Exception {
        List<Option<?>> inSections = declared().<Option<?>>map(Declared::option).toList();
        Map<String, Option<?>> left = new LinkedHashMap<>();
        for (Class<?> config : configs()) {
            for (var field : config.getDeclaredFields()) {
                if (field.getType() == Option.class) {
                    field.setAccessible(true);
                    left.put(config.getSimpleName() + "." + field.getName(), (Option<?>) field.get(null));
                }
            }
        }
        assertThat(left).hasSizeGreaterThan(60);
        left.values().removeAll(inSections);
        assertThat(left).as("declared in no section of SectionKeys").isEmpty();
    }

    /** The classes of this package whose names end with Config. */
    private static List<Class<?>> configs() throws Exception {
        Path classes = Path.of(PipelineConfig.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        try (Stream<Path> files = Files.list(classes.resolve("io/millrace/config"))) {
            List<String> names = files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith("Config.class"))
                    .map(name -> "io.millrace.config." + name.replace(".class", ""))
                    .sorted()
                    .toList();
            List<Class<?>> found = new ArrayList<>();
            for (String name : names) {
                found.add(Class.forName(name));
            }
            return found;
        }
    }

    private static Object otherThanDefault(Declared declared) {
        Object structure = STRUCTURES.getOrDefault(declared.path(), STRUCTURES.get(declared.pathOfOne()));
        if (structure != null) {
            return structure;
        }
        Option<?> option = declared.option;
        Stream<Object> words =
                Arrays.stream(option.type().name().split(" \\| ", -1)).map(word -> (Object) word);
        return Stream.concat(words, CANDIDATES.stream())
                .filter(value -> isOther(option, value))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no value for " + declared.path() + " of type "
                        + option.type().name() + ": add one to CANDIDATES or STRUCTURES"));
    }

    private static boolean isOther(Option<?> option, Object value) {
        try {
            if (option.type().parse(NO_VALUE) == NO_VALUE) {
                return false; // a structure, which needs an entry above
            }
        } catch (IllegalArgumentException e) {
            // a type that checks its values
        }
        try {
            return !Objects.equals(option.type().parse(value), option.fallback());
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** The value at a path of keys and indexes, or null. */
    private static @Nullable Object at(Object root, String path) {
        Object value = root;
        for (String key : path.split("\\.", -1)) {
            if (value instanceof Map<?, ?> map) {
                value = map.get(key);
            } else if (value instanceof List<?> list) {
                value = list.get(Integer.parseInt(key));
            }
        }
        return value;
    }

    private PipelineConfig read(String text, List<String> settings) throws ConfigException {
        return ConfigReader.read(PipelineText.of(folder, text).file(), settings);
    }
}
