package io.millrace.config;

import io.millrace.option.Option;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The page of the documentation that lists every key of a pipeline file. It is made from the declared options. */
public final class OptionsPage {
    private static final String INTRODUCTION = """
            # Options

            Every key of a pipeline file, with its type, default and meaning. This page is generated: `./millrace options > docs/use/options.md`.

            A key can be set on the command line, which overrides the file: `--set batch.size=32`. The value is read as YAML, so
            `--set 'device.transforms=[ToFloat]'` sets a list. The entries of a list are counted from 0, as in
            `--set 'transforms.1.Resize.size=[64, 64]'`. Relative paths are relative to the working directory.

            A component, such as a transform or a model, is written as its `Name`, or as `Name: {key: value}` with its options.
            Unquoted words follow YAML 1.2: `no` is text, `1e-3` is a number.
            """;

    /** A key that at least this number of components have in the same way stands once, before them. */
    private static final int COMMON = 3;

    private final StringBuilder page = new StringBuilder();

    /** The links to the sections, by the kind of the section. */
    private final Map<String, List<String>> index = new LinkedHashMap<>();

    /** The number of headings with the same anchor so far. */
    private final Map<String, Integer> anchors = new HashMap<>();

    private OptionsPage() {}

    /** Returns the page for the class path. */
    public static String render() {
        return render(Catalogs.installed());
    }

    static String render(Catalogs catalogs) {
        OptionsPage page = new OptionsPage();
        for (SectionKeys section : SectionKeys.all()) {
            page.section(
                    "Sections",
                    "##",
                    section.path().isEmpty() ? "Top level" : "`" + section.path() + "`",
                    section.help());
            page.table(section.options());
        }
        page.catalog(
                "Dataset formats",
                "For `format` in a dataset. The keys of a format are written beside the keys of [`dataset`](#dataset).",
                catalogs.formats(),
                common(catalogs.formats()));
        page.catalog("Generators", "For `generate` in a dataset.", catalogs.generators());
        page.catalog(
                "Transforms",
                "For `transforms` and `evaluate.transforms`. Each also accepts the key `place: server | device | auto`, see"
                        + " [transforms.md](../data/transforms.md#where-does-a-transform-run); default: server.",
                catalogs.transforms());
        page.catalog(
                "Device transforms",
                "For `device.transforms`. Each also accepts the key `place: server | device | auto`, see"
                        + " [transforms.md](../data/transforms.md#where-does-a-transform-run); default: device.",
                catalogs.deviceTransforms());
        page.catalog("Models", "For `train.model`.", catalogs.models());
        page.catalog("Losses", "For `train.loss`.", catalogs.losses());
        page.catalog("Optimizers", "For `train.optimizer`.", catalogs.optimizers());
        page.catalog("Schedules", "For `train.schedule`.", catalogs.schedules());
        return INTRODUCTION + page.index() + page.page;
    }

    private void catalog(String title, String help, List<CatalogEntry> entries) {
        catalog(title, help, entries, List.of());
    }

    /** Adds components whose common keys stand once, before them. */
    private void catalog(String title, String help, List<CatalogEntry> entries, List<Option<?>> common) {
        heading("##", title, help);
        if (!common.isEmpty()) {
            page.append("\nSeveral of them have these keys:\n");
            table(common);
        }
        for (CatalogEntry entry : entries) {
            section(title, "###", "`" + entry.name() + "`", entry.help());
            List<Option<?>> shared = entry.options().stream()
                    .filter(option ->
                            common.stream().anyMatch(other -> row(option).equals(row(other))))
                    .collect(Collectors.toList());
            table(entry.options().stream()
                    .filter(option -> !shared.contains(option))
                    .collect(Collectors.toList()));
            if (!shared.isEmpty()) {
                page.append("\nAlso ")
                        .append(shared.stream()
                                .map(option -> "`" + option.key() + "`")
                                .collect(Collectors.joining(", ")))
                        .append(", see [above](#")
                        .append(slug(title))
                        .append(").\n");
            }
        }
    }

    /** Returns the options that several components have with the same words, in the order in which they appear. */
    private static List<Option<?>> common(List<CatalogEntry> entries) {
        Map<String, List<Option<?>>> byRow = new LinkedHashMap<>();
        entries.stream().flatMap(entry -> entry.options().stream()).forEach(option -> byRow.computeIfAbsent(
                        row(option), row -> new ArrayList<>())
                .add(option));
        List<Option<?>> common = new ArrayList<>();
        byRow.values().stream().filter(same -> same.size() >= COMMON).forEach(same -> common.add(same.get(0)));
        return common;
    }

    /** Returns the links to all sections, a paragraph for each kind. */
    private String index() {
        StringBuilder text = new StringBuilder();
        index.forEach((kind, links) -> text.append("\n**")
                .append(kind)
                .append(":** ")
                .append(String.join(", ", links))
                .append('\n'));
        return text.toString();
    }

    private void section(String kind, String level, String title, String help) {
        String slug = slug(title);
        int same = anchors.merge(slug, 1, Integer::sum) - 1;
        index.computeIfAbsent(kind, first -> new ArrayList<>())
                .add("[" + title + "](#" + slug + (same == 0 ? "" : "-" + same) + ")");
        heading(level, title, help);
    }

    /** Returns the anchor that a heading has, except for a number behind anchors that occur again. */
    private static String slug(String title) {
        return title.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9_ -]", "").replace(' ', '-');
    }

    private void heading(String level, String title, String help) {
        page.append('\n')
                .append(level)
                .append(' ')
                .append(title)
                .append("\n\n")
                .append(help)
                .append('\n');
    }

    private void table(List<Option<?>> options) {
        if (options.isEmpty()) {
            return;
        }
        page.append("\n| key | type | default | meaning |\n|---|---|---|---|\n");
        options.forEach(option -> page.append(row(option)));
    }

    private static String row(Option<?> option) {
        String standard = option.required() ? "required" : written(option.fallback());
        return "| `" + option.key() + "` | " + cell(option.type().name()) + " | " + cell(standard) + " | "
                + cell(option.help()) + " |\n";
    }

    private static String cell(String text) {
        return text.replace("|", "\\|").replace('\n', ' ');
    }

    /** Returns a default as a pipeline file has it. */
    private static String written(@Nullable Object value) {
        if (value == null) {
            return "";
        }
        if (value instanceof Enum<?> constant) {
            return "`" + constant.name().toLowerCase(Locale.ROOT) + "`";
        }
        return "`" + (value instanceof Double number ? number(number) : value) + "`";
    }

    /** Returns {@code 255} for 255.0 and {@code 1e-8} for 1.0E-8. */
    private static String number(double value) {
        return Double.toString(value).replaceFirst("[.]0(?=E|$)", "").replace('E', 'e');
    }
}
