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
    void namesOfDataAreTextWhereverTheyStand() {
        String page = ReportPage.render(Stories.full());
        assertThat(page.contains("a</script>")).isFalse();
        assertThat(page.contains("<b x=")).isFalse();
        // Its own three: the figures, the library, the drawing.
        assertThat(SCRIPT.matcher(page).results()).hasSize(3);
        assertThat(withoutScripts(Stories.full())).contains("a&lt;/script&gt;&lt;script&gt;", "{{body}}$1.jpg");
    }

    @Test
    void figuresOfChartsAreTheStorys() throws Exception {
        JsonNode charts = charts(Stories.full());
        assertThat(charts.fieldNames()).toIterable().containsExactly("course", "loss", "stages", "times");
        assertThat(charts.at("/course/0/rate/0/1").asDouble()).isEqualTo(6_400);
        assertThat(charts.at("/loss/0/loss/499/1").asDouble()).isEqualTo(0.2);
        assertThat(charts.at("/stages/0/computing").asDouble()).isEqualTo(0.05);
        assertThat(charts.at("/stages/0/stalled").asDouble()).isEqualTo(0.055);
    }

    @Test
    void whatWasNotMeasuredIsADashAndNoChart() throws Exception {
        ReportData story = Stories.empty();
        assertThat(charts(story)).isEmpty();
        assertThat(withoutScripts(story))
                .doesNotContain("class=\"chart\"", "NaN", "null")
                .contains("limit unknown", "no room: a&lt;/script&gt;", "Not measured.")
                .contains("<tr><td>read</td><td>2</td><td>-</td><td>-</td>");
    }

    @Test
    void stageOfUnknownTimeHasNoBarOfZero() throws Exception {
        JsonNode stage = charts(Stories.full()).at("/stages/1");
        assertThat(stage.path("own").isNull()).isTrue();
        assertThat(stage.path("computing").isNull()).isTrue();
        assertThat(stage.path("waitIn").asDouble()).isEqualTo(0.02);
    }

    @Test
    void needsNoNetwork() {
        assertThat(withoutScripts(Stories.full()))
                .contains("default-src 'none'")
                .doesNotContain("src=", "href=", "url(", "@import");
    }

    @Test
    void limitingStageStandsOut() {
        assertThat(withoutScripts(Stories.full())).contains("<tr class=\"mark\"><td>read</td>");
    }

    @Test
    void configurationIsYamlWithoutReferences() {
        assertThat(withoutScripts(Stories.full()))
                .contains("transforms: []", "more: []", "s3.secret-key: &#39;***&#39;");
    }

    private static String withoutScripts(ReportData story) {
        return SCRIPT.matcher(ReportPage.render(story)).replaceAll("");
    }

    private static JsonNode charts(ReportData story) throws Exception {
        String page = ReportPage.render(story);
        Matcher data =
                Pattern.compile("id=\"charts\">(.*?)</script>", Pattern.DOTALL).matcher(page);
        assertThat(data.find()).isTrue();
        return new ObjectMapper().readTree(data.group(1));
    }
}
