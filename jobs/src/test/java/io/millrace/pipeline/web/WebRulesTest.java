package io.millrace.pipeline.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.millrace.pipeline.web.WebRules.Admitted;
import io.millrace.pipeline.web.WebRules.Pages;
import io.millrace.pipeline.web.WebRules.Redirected;
import io.millrace.pipeline.web.WebRules.Refused;
import io.millrace.pipeline.web.WebRules.Request;
import io.millrace.pipeline.web.WebRules.Verdict;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WebRulesTest {
    private static final String SECRET = "0123456789abcdef0123456789abcdef";
    private static final OptionalLong USER = OptionalLong.of(1000);
    private static final List<String> HOST = List.of("127.0.0.1:8081");

    private static final WebRules RULES = new WebRules(SECRET, Pages.OPEN, USER);

    private static Request get(String uri) {
        return request("GET", uri, HOST, List.of());
    }

    private static Request request(String method, String uri, List<String> hosts, List<String> origins) {
        return new Request(method, uri, hosts, origins, null, null);
    }

    private static Request with(@Nullable String header, @Nullable String cookie) {
        return new Request("GET", "/jobs", HOST, List.of(), header, cookie);
    }

    private static Verdict judge(Request request) {
        return RULES.judge(request, () -> USER);
    }

    private static void requireRefused(Verdict verdict, String... parts) {
        if (verdict instanceof Refused refused) {
            assertThat(refused.sentence()).contains(parts);
        } else {
            fail("expected a refusal, found " + verdict);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/", "/jobs/overview", "/index.html?a=yarn-cancel", "/taskmanagers/3/logs/x.log", "/jobs//yarn"})
    void theUserReads(String uri) {
        assertThat(judge(get(uri))).isEqualTo(new Admitted());
        assertThat(judge(request("HEAD", uri, HOST, List.of()))).isEqualTo(new Admitted());
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get", "ANYTHING"})
    void onlyReadingMethodsAreAdmitted(String method) {
        requireRefused(judge(request(method, "/jobs", HOST, List.of())), "expected GET or HEAD, found " + method);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/jobs/7/yarn-cancel",
                "/jobs/7/yarn-stop?x=1",
                "/jobs/7/YARN-cancel",
                "/jobs/7/%79arn-cancel",
                "/jobs/7/%2579arn-cancel",
                "/jobs/7%2Fyarn-cancel",
                "/v1/jobs/7//yarn-cancel/",
                "/jobs/7/ yarn-cancel",
                "http://127.0.0.1:8081/jobs",
                "*",
                ""
            })
    void pathsThatChangeOrHideSomethingAreRefused(String uri) {
        requireRefused(judge(get(uri)), "expected a path that only reads, found " + uri);
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "localhost:9000", "LOCALHOST:1", "127.0.0.1", "127.1.2.3:80", "[::1]:8081"})
    void loopbackHostsAreAdmitted(String host) {
        assertThat(judge(request("GET", "/", List.of(host), List.of()))).isEqualTo(new Admitted());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.example",
                "127.0.0.1.evil.example",
                "localhost.evil.example:8081",
                "evil.example:127.0.0.1",
                "10.0.0.1",
                "[::2]",
                "x@127.0.0.1",
                ""
            })
    void otherHostsAreRefused(String host) {
        requireRefused(judge(request("GET", "/", List.of(host), List.of())), "loopback", "[" + host + "]");
    }

    @Test
    void aRequestHasOneHost() {
        requireRefused(judge(request("GET", "/", List.of(), List.of())), "expected one header Host");
        requireRefused(
                judge(request("GET", "/", List.of("127.0.0.1", "127.0.0.1"), List.of())), "expected one header Host");
    }

    @ParameterizedTest
    @CsvSource({
        "http://127.0.0.1:8081,true",
        "https://127.0.0.1:8081,true",
        "http://127.0.0.1:8888,false",
        "http://localhost:8081,false",
        "http://evil.example,false",
        "null,false"
    })
    void onlyPagesOfThisFlinkMayAsk(String origin, boolean admitted) {
        Verdict verdict = judge(request("GET", "/jobs", HOST, List.of(origin)));
        assertThat(verdict instanceof Admitted).isEqualTo(admitted);
    }

    @Test
    void otherUsersAndUnknownOnesAreRefused() {
        requireRefused(RULES.judge(get("/jobs"), () -> OptionalLong.of(0)), "the id 1000", "of the user 0");
        requireRefused(RULES.judge(get("/jobs"), OptionalLong::empty), "the system does not show who sent");
        requireRefused(
                new WebRules(SECRET, Pages.OPEN, OptionalLong.empty()).judge(get("/jobs"), () -> USER),
                "the system does not show who sent");
    }

    @Test
    void theSecretOfThePrintedAddressBecomesACookie() {
        Request printed = get("/?token=" + SECRET);
        assertThat(RULES.judge(printed, OptionalLong::empty)).isEqualTo(new Redirected("/"));
        assertThat(RULES.judge(with(null, SECRET), OptionalLong::empty)).isEqualTo(new Admitted());
        requireRefused(RULES.judge(get("/?token=" + SECRET.replace('0', '1')), OptionalLong::empty), "does not show");
        requireRefused(RULES.judge(with(null, SECRET + "0"), OptionalLong::empty), "does not show");
        assertThat(RULES.judge(
                        new Request("GET", "/jobs", List.of("gpu-1:8081"), List.of(), null, SECRET),
                        OptionalLong::empty))
                .as("through a tunnel with a name of its own")
                .isEqualTo(new Admitted());
        requireRefused(
                RULES.judge(new Request("POST", "/jobs", HOST, List.of(), null, SECRET), OptionalLong::empty),
                "expected GET or HEAD");
        requireRefused(
                RULES.judge(
                        new Request("GET", "/jobs", HOST, List.of("http://evil.example"), null, SECRET),
                        OptionalLong::empty),
                "the origin [http://evil.example]");
    }

    @Test
    void theHeaderOfThisProgramAdmitsEverything() {
        Request change = new Request("POST", "/jobs", List.of("gpu-1"), List.of(), SECRET, null);
        for (Pages pages : Pages.values()) {
            assertThat(new WebRules(SECRET, pages, USER).judge(change, OptionalLong::empty))
                    .isEqualTo(new Admitted());
        }
        requireRefused(judge(new Request("POST", "/jobs", HOST, List.of(), "wrong", null)), "expected GET or HEAD");
    }

    @Test
    void closedPagesAreRefusedToTheUserAndItsCookies() {
        WebRules closed = new WebRules(SECRET, Pages.CLOSED, USER);
        requireRefused(closed.judge(get("/"), () -> USER), "run: { web: off }");
        requireRefused(closed.judge(with(null, SECRET), () -> USER), "run: { web: off }");
        requireRefused(closed.judge(get("/?token=" + SECRET), () -> USER), "run: { web: off }");
    }
}
