package io.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.option.Option;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class OptionsPageTest {
    private static final Path PAGE = Path.of("..", "docs", "use", "options.md");

    @Test
    void committedPageIsUpToDate() throws IOException {
        String rendered = OptionsPage.render();
        assertThat(Files.exists(PAGE) ? Files.readString(PAGE) : "no docs/use/options.md")
                .as("docs/use/options.md is stale; `./millrace options > docs/use/options.md` makes it anew")
                .isEqualTo(rendered);
    }

    @Test
    void pageHasEveryOptionAndComponent() {
        String page = OptionsPage.render(ExampleCatalogs.CATALOGS);

        for (SectionKeys section : SectionKeys.all()) {
            for (Option<?> option : section.options()) {
                assertThat(page).contains("| `" + option.key() + "` | ");
            }
        }
        assertThat(page)
                .contains(
                        "\n## `batch`\n\nThe batch that one training step consumes.\n\n| key | type | default | meaning |")
                .contains("| `size` | integer at least 1 | `64` | Rows of a batch. |\n")
                .contains("| `shuffle` | none \\| full \\| blocks \\| {blocks: {size: 1024, open: 16}} | `full` | ")
                .contains("\n### `Resize`\n\nResizes.\n\n")
                .contains("| `size` | integer at least 1 | required | The shorter edge. |\n")
                .contains("\n### `decode`\n\nDecodes.\n\n### ");
    }

    @Test
    void everyHelpTextIsOneLineThatEndsWithAPeriod() {
        for (SectionKeys section : SectionKeys.all()) {
            for (Option<?> option : section.options()) {
                assertThat(option.help()).as(option.key()).endsWith(".").doesNotContain("\n");
            }
        }
    }

    @Test
    void formatsUseNoKeyOfAllDatasets() {
        List<String> taken = Option.keys(DataConfig.DATASET_OPTIONS);
        for (CatalogEntry format : Catalogs.installed().formats()) {
            assertThat(Option.keys(format.options())).as(format.name()).doesNotContainAnyElementsOf(taken);
        }
    }
}
