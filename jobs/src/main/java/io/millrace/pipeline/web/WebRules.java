package io.millrace.pipeline.web;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.QueryStringDecoder;
import org.jspecify.annotations.Nullable;

/**
 * The rules of a REST interface that belongs to one user: which requests Flink may see.
 *
 * <p>Requests with the secret in the header {@link #HEADER} come from this program and are admitted. All others may only read, name
 * a loopback address as their host, do not come from a web page of another origin, and belong to the user of this process, as the
 * operating system says or as the secret in a cookie proves.
 *
 * @param secret the secret of the interface
 * @param pages whether requests without the header are admitted at all
 * @param user the user of this process; empty when the system does not show it
 */
record WebRules(String secret, Pages pages, OptionalLong user) {
    /** The header of this program's own requests. */
    static final String HEADER = "X-Millrace-Token";

    /** The parameter of the printed address, which becomes a cookie. */
    static final String PARAMETER = "token";

    /** The beginning of the cookie's name. A browser sends a cookie to all ports of a host, so the name has the port. */
    static final String COOKIE = "millrace-";

    private static final Set<String> READING = Set.of("GET", "HEAD");
    private static final Pattern LOOPBACK =
            Pattern.compile("(localhost|127(\\.\\d{1,3}){3}|\\[::1])(:\\d{1,5})?", Pattern.CASE_INSENSITIVE);

    /** Flink cancels and stops jobs at GET requests for paths with this beginning, for proxies that know no other method. */
    private static final String CHANGING = "yarn-";

    /** Whether the web UI is open to the user's browser. */
    enum Pages {
        OPEN,
        CLOSED
    }

    /**
     * A request.
     *
     * @param uri the path with its parameters
     * @param hosts the values of all headers Host
     * @param origins the values of all headers Origin
     * @param header the value of {@link #HEADER}; null without one
     * @param cookie the value of this interface's cookie; null without one
     */
    record Request(
            String method,
            String uri,
            List<String> hosts,
            List<String> origins,
            @Nullable String header,
            @Nullable String cookie) {
        Request {
            hosts = List.copyOf(hosts);
            origins = List.copyOf(origins);
        }
    }

    /** The decision about a request. */
    sealed interface Verdict {}

    /** Flink answers the request. */
    record Admitted() implements Verdict {}

    /** The browser receives the cookie, and repeats the request at this path. */
    record Redirected(String path) implements Verdict {}

    /** The request is answered with this sentence. */
    record Refused(String sentence) implements Verdict {}

    /** The user of the process that sent a request. */
    interface Sender {
        /** Returns the user; empty when the system does not show it. */
        OptionalLong user();
    }

    /** Decides about a request. The sender is looked up only when the decision depends on it. */
    Verdict judge(Request request, Sender sender) {
        if (isSecret(request.header)) {
            return new Admitted();
        }
        if (pages == Pages.CLOSED) {
            return new Refused("this Flink has no web UI: it belongs to a command that needs none, or to a run with"
                    + " run: { web: off }");
        }
        if (!READING.contains(request.method)) {
            return new Refused("this Flink belongs to a run in a single process: expected GET or HEAD, found "
                    + request.method + ". Ctrl-C or SIGTERM in its own terminal ends the run");
        }
        QueryStringDecoder uri = new QueryStringDecoder(request.uri);
        if (changes(request.uri, uri.path())) {
            return new Refused(
                    "this Flink belongs to a run in a single process: expected a path that only reads, found "
                            + request.uri);
        }
        String parameter = uri.parameters().getOrDefault(PARAMETER, List.of()).stream()
                .findFirst()
                .orElse(null);
        boolean proven = isSecret(request.cookie) || isSecret(parameter);
        if (!proven
                && (request.hosts.size() != 1
                        || !LOOPBACK.matcher(request.hosts.get(0)).matches())) {
            return new Refused(
                    "expected one header Host with a loopback address, such as 127.0.0.1 or localhost, found "
                            + request.hosts);
        }
        if (!request.origins.stream().allMatch(origin -> isOwn(origin, request.hosts))) {
            return new Refused("expected a request of this Flink's own pages, found the origin " + request.origins);
        }
        if (isSecret(parameter)) {
            return new Redirected(uri.path());
        }
        return proven ? new Admitted() : judge(sender.user());
    }

    private Verdict judge(OptionalLong sender) {
        if (sender.isEmpty() || user.isEmpty()) {
            return new Refused(
                    "this Flink belongs to one user of its machine, and the system does not show who sent this"
                            + " request: use the address with ?" + PARAMETER + "= that the run has printed");
        }
        return sender.getAsLong() == user.getAsLong()
                ? new Admitted()
                : new Refused("this Flink belongs to the user with the id " + user.getAsLong()
                        + ", found a request of the user " + sender.getAsLong());
    }

    /** Returns whether Flink may change something at this path. Flink decodes a path twice, and no path of Flink has a percent sign. */
    private static boolean changes(String uri, String path) {
        return !uri.startsWith("/")
                || path.contains("%")
                || Arrays.stream(path.toLowerCase(Locale.ROOT).split("/", -1))
                        .anyMatch(part -> part.strip().startsWith(CHANGING));
    }

    private static boolean isOwn(String origin, List<String> hosts) {
        return hosts.size() == 1
                && (origin.equalsIgnoreCase("http://" + hosts.get(0))
                        || origin.equalsIgnoreCase("https://" + hosts.get(0)));
    }

    private boolean isSecret(@Nullable String text) {
        return text != null
                && MessageDigest.isEqual(
                        text.getBytes(StandardCharsets.UTF_8), secret.getBytes(StandardCharsets.UTF_8));
    }
}
