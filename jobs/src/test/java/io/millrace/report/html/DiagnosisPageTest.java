package io.millrace.report.html;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.sample.SampleUnit;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class DiagnosisPageTest {
    private static final Pattern SCRIPT = Pattern.compile("<script[^>]*>(.*?)</script>", Pattern.DOTALL);

    private static final String PAGE = DiagnosisPage.render(ReportFixtures.diagnosis());

    @Test
    void chartsHaveTheFiguresOfTheLadder() throws Exception {
        JsonNode charts = charts(PAGE);
        assertThat(charts.fieldNames()).toIterable().containsExactly("ladder", "costs");
        assertThat(charts.at("/ladder/0/rate").isNull()).isTrue();
        assertThat(charts.at("/ladder/1/rate").asDouble()).isEqualTo(9_000);
        assertThat(charts.at("/ladder/2/cache").asText()).isEqualTo(ReportFixtures.HOSTILE);
        assertThat(charts.at("/ladder/2/model").asDouble()).isEqualTo(2_400);
        assertThat(charts.path("ladder"))
                .extracting(rung -> rung.path("most").asBoolean())
                .containsExactly(false, false, true);
        assertThat(charts.at("/costs/0/computing").asDouble()).isEqualTo(0.1);
        assertThat(charts.at("/costs/0/stalled").asDouble()).isEqualTo(0.2);
        assertThat(charts.at("/costs/1/own").isNull()).isTrue();
    }

    @Test
    void unknownValueIsADash() {
        assertThat(text(PAGE))
                .doesNotContain("NaN", "null")
                .contains("<tr><td>device</td><td>-</td><td>-</td><td>-</td><td>-</td><td>-</td><td>-</td></tr>")
                .contains("<td>worth a try</td>");
    }

    @Test
    void namesOfDataAreEscapedEverywhere() {
        assertThat(PAGE.contains("a</script>")).isFalse();
        assertThat(PAGE.contains("<b x=")).isFalse();
        assertThat(SCRIPT.matcher(PAGE).results()).hasSize(3);
    }

    @Test
    void rungThatAddsMostTimeIsMarked() {
        assertThat(text(PAGE)).contains("<tr class=\"mark\"><td>" + Html.text(ReportFixtures.HOSTILE));
    }

    @Test
    void outcomeIsShownWhenThereIsOne() {
        assertThat(text(PAGE)).contains("achieved, rows/s", "3,010", "photos.improved.yaml", "made together");
        DiagnosisData diagnosis = ReportFixtures.diagnosis();
        DiagnosisData untried = new DiagnosisData(
                diagnosis.name(),
                diagnosis.endedAt(),
                diagnosis.verdict(),
                SampleUnit.IMAGES,
                diagnosis.ladder(),
                diagnosis.sentence(),
                null,
                diagnosis.samples(),
                List.of(),
                List.of(),
                List.of(),
                null,
                Map.of(),
                Map.of());
        assertThat(text(DiagnosisPage.render(untried)))
                .doesNotContain("achieved", "made together", "class=\"mark\"", "chart-costs")
                .contains("There is no suggestion.", "Not measured.");
    }

    private static String text(String page) {
        return SCRIPT.matcher(page).replaceAll("");
    }

    private static JsonNode charts(String page) throws Exception {
        Matcher data =
                Pattern.compile("id=\"charts\">(.*?)</script>", Pattern.DOTALL).matcher(page);
        assertThat(data.find()).isTrue();
        return new ObjectMapper().readTree(data.group(1));
    }
}
