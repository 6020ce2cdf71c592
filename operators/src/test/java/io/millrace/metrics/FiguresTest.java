package io.millrace.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.GeneratedPage;
import io.millrace.metrics.Figure.Owner;
import io.millrace.metrics.Statistic.OverSlots;
import io.millrace.metrics.Statistic.Part;
import io.millrace.metrics.Statistic.Unit;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.junit.jupiter.api.Test;

/** The declarations of figures, and the page and the dashboard that follow from them. */
class FiguresTest {
    private static final GeneratedPage PAGE = new GeneratedPage(
            Path.of("..", "docs", "diagnose", "metrics.md"),
            "<!-- generated from Figures.java: begin -->\n",
            "<!-- generated from Figures.java: end -->\n");
    private static final Path DASHBOARD = Path.of("..", "conf", "watching", "grafana-dashboard.json");

    /** A metric of ours in a query, with the selection that follows it. */
    private static final Pattern QUERIED =
            Pattern.compile("flink_taskmanager_job_task_operator_millrace_(\\w+)(\\{[^}]*\\})");

    @Test
    void thePageIsWhatTheFiguresDeclare() throws IOException {
        PAGE.check(FiguresPage.render(), "mvn -B -o test -pl operators -Dtest=FiguresTest -Dmillrace.write=true");
    }

    @Test
    void theDashboardDrawsTheFiguresThatAreDeclaredForIt() throws IOException {
        Map<String, List<Figure>> byName = Figures.all().stream().collect(Collectors.groupingBy(Figure::name));
        Set<String> drawn = new TreeSet<>();
        for (String query : queries()) {
            Matcher metric = QUERIED.matcher(query);
            while (metric.find()) {
                String name = metric.group(1);
                assertThat(byName).as(query).containsKey(name);
                Figure figure = byName.getOrDefault(name, List.of()).get(0);
                drawn.add(name);
                assertThat(metric.group(2).contains("quantile="))
                        .as("only histograms have quantiles: %s", query)
                        .isEqualTo(figure.histogram());
                assertThat(figure.unit() != Unit.NANOSECONDS || isInSeconds(query))
                        .as("panels show nanoseconds as seconds, or as shares of the trainer's clock: %s", query)
                        .isTrue();
            }
        }
        assertThat(drawn)
                .as("a figure has a panel, or is declared notOnDashboard")
                .containsExactlyInAnyOrderElementsOf(Figures.all().stream()
                        .filter(Figures::isOnDashboard)
                        .map(Figure::name)
                        .toList());
    }

    private static boolean isInSeconds(String query) {
        return query.contains("/ 1e9") || query.contains("_clockNanos{");
    }

    private static List<String> queries() throws IOException {
        JsonNode dashboard = new ObjectMapper().readTree(DASHBOARD.toFile());
        return dashboard.findValuesAsText("expr");
    }

    @Test
    void namesAndKeysAreUnique() {
        assertThat(Figures.all()).extracting(Figure::name).doesNotHaveDuplicates();
        assertThat(Figures.statistics(Owner.DATA_STAGE).stream().filter(statistic -> statistic.key() != null))
                .extracting(Statistic::key)
                .doesNotHaveDuplicates();
    }

    @Test
    void unitOfTimeAndBytesIsPartOfTheName() {
        Map<String, Unit> wrong = new TreeMap<>();
        for (Figure figure : Figures.all()) {
            boolean named = figure.name().toLowerCase(Locale.ROOT).contains("nanos");
            if (named != (figure.unit() == Unit.NANOSECONDS)) {
                wrong.put(figure.name(), figure.unit());
            }
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void figureKnowsItsStatistics() {
        assertThat(Figures.OWN_NANOS_PER_RECORD.of(Part.P99).metricId()).isEqualTo("ownNanosPerRecord_p99");
        assertThat(Figures.RECORDS_PER_OWN_SECOND.of(OverSlots.GREATEST).overSlots())
                .isEqualTo(OverSlots.GREATEST);
        assertThatThrownBy(() -> Figures.RECORDS.of(OverSlots.LEAST))
                .hasMessage("figure records declares no statistic LEAST");
        assertThatThrownBy(() -> Figures.STEP_TIME_NANOS.main())
                .hasMessage("figure stepTimeNanos has no statistic that is read");
    }

    @Test
    void helpThatIsNoSentenceIsRefused() {
        assertThatThrownBy(() -> Figure.gauge("width", Unit.COUNT, "the width", Owner.TRAINER))
                .hasMessage("help of figure width: expected sentences, found 'the width'");
    }

    @Test
    void gaugeUnderTheNameOfAHistogramIsRefused() {
        FigureGroup group = new FigureGroup(new UnregisteredMetricsGroup());

        assertThatThrownBy(() -> group.add(Figures.STEP_TIME_NANOS, () -> 1L))
                .hasMessage("figure stepTimeNanos: expected a histogram, found a gauge");
        assertThatThrownBy(() -> group.add(Figures.STEPS, new NanosHistogram()))
                .hasMessage("figure steps: expected a gauge, found a histogram");
    }
}
