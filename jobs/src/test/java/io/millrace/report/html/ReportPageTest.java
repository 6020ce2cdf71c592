package io.millrace.report.html;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class ReportPageTest {
    private static final Pattern SCRIPT = Pattern.compile("<script[^>]*>(.*?)</script>", Pattern.DOTALL);

    @Test
    void namesOfDataAreEscapedEverywhere() {
        String page = ReportPage.render(ReportFixtures.full());
        assertThat(page.contains("a</script>")).isFalse();
        assertThat(page.contains("<b x=")).isFalse();
        // The page has three scripts of its own: the data, the library and the code that draws.
        assertThat(SCRIPT.matcher(page).results()).hasSize(3);
        assertThat(withoutScripts(ReportFixtures.full())).contains("a&lt;/script&gt;&lt;script&gt;", "{{body}}$1.jpg");
    }

    @Test
    void chartsHaveTheFiguresOfTheReport() throws Exception {
        JsonNode charts = charts(ReportFixtures.full());
        assertThat(charts.fieldNames()).toIterable().containsExactly("course", "loss", "accuracy", "stages", "times");
        assertThat(charts.at("/course/0/rate/0/1").asDouble()).isEqualTo(6_400);
        assertThat(charts.at("/loss/0/loss/499/1").asDouble()).isEqualTo(0.2);
        assertThat(charts.at("/loss").findValuesAsText("name")).containsExactly("train", "validation");
        assertThat(charts.at("/loss/1/loss/1").toString()).isEqualTo("[5.0,0.25]");
        assertThat(charts.at("/accuracy").toString()).isEqualTo("[[1.0,90.0],[2.0,98.7]]");
        assertThat(charts.at("/stages/0/computing").asDouble()).isEqualTo(0.05);
        assertThat(charts.at("/stages/0/stalled").asDouble()).isEqualTo(0.055);
    }

    @Test
    void unmeasuredValueIsADashAndHasNoChart() throws Exception {
        ReportData data = ReportFixtures.empty();
        assertThat(charts(data)).isEmpty();
        assertThat(withoutScripts(data))
                .doesNotContain("class=\"chart\"", "NaN", "null")
                .contains("limit unknown", "no room: a&lt;/script&gt;", "Not measured.")
                .contains("No figures of read are known where this report was written.")
                .doesNotContain("<td>read</td>");
    }

    @Test
    void stageOfUnknownTimeHasNoBar() throws Exception {
        JsonNode stage = charts(ReportFixtures.full()).at("/stages/1");
        assertThat(stage.path("own").isNull()).isTrue();
        assertThat(stage.path("computing").isNull()).isTrue();
        assertThat(stage.path("waitIn").asDouble()).isEqualTo(0.02);
    }

    @Test
    void pageNeedsNoNetwork() {
        assertThat(withoutScripts(ReportFixtures.full()))
                .contains("default-src 'none'")
                .doesNotContain("src=", "href=", "url(", "@import");
    }

    @Test
    void limitingStageIsMarked() {
        assertThat(withoutScripts(ReportFixtures.full())).contains("<tr class=\"mark\"><td>read</td>");
    }

    @Test
    void configurationIsYamlWithoutReferences() {
        assertThat(withoutScripts(ReportFixtures.full()))
                .contains("transforms: []", "more: []", "s3.secret-key: &#39;***&#39;");
    }

    private static String withoutScripts(ReportData data) {
        return SCRIPT.matcher(ReportPage.render(data)).replaceAll("");
    }

    private static JsonNode charts(ReportData data) throws Exception {
        String page = ReportPage.render(data);
        Matcher found =
                Pattern.compile("id=\"charts\">(.*?)</script>", Pattern.DOTALL).matcher(page);
        assertThat(found.find()).isTrue();
        return new ObjectMapper().readTree(found.group(1));
    }
}
