package io.millrace.config;

import io.millrace.option.Option;
import java.util.List;
import java.util.Locale;
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

    private final StringBuilder page = new StringBuilder(INTRODUCTION);

    private OptionsPage() {}

    /** Returns the page for the class path. */
    public static String render() {
        return render(Catalogs.installed());
    }

    static String render(Catalogs catalogs) {
        OptionsPage page = new OptionsPage();
        for (SectionKeys section : SectionKeys.all()) {
            page.heading("##", section.path().isEmpty() ? "Top level" : "`" + section.path() + "`", section.help());
            page.table(section.options());
        }
        page.catalog(
                "Dataset formats",
                "For `format` in a dataset. The keys of a format are written beside the keys of [`dataset`](#dataset).",
                catalogs.formats());
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
        return page.page.toString();
    }

    private void catalog(String title, String help, List<CatalogEntry> entries) {
        heading("##", title, help);
        for (CatalogEntry entry : entries) {
            heading("###", "`" + entry.name() + "`", entry.help());
            table(entry.options());
        }
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
        for (Option<?> option : options) {
            String standard = option.required() ? "required" : written(option.fallback());
            page.append("| `")
                    .append(option.key())
                    .append("` | ")
                    .append(cell(option.type().name()))
                    .append(" | ")
                    .append(cell(standard))
                    .append(" | ")
                    .append(cell(option.help()))
                    .append(" |\n");
        }
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
