package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.millrace.cluster.FreePorts;
import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.config.RunConfig;
import io.millrace.report.FinalMetrics;
import io.millrace.report.FinalMetricsReporterFactory;
import io.millrace.report.RunResult;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the files of {@code conf/watching} in one run that all of them observe. */
class WatchingITCase {
    private static final Path CONF = Path.of("..", "conf", "watching");
    private static final Pattern SAMPLE = Pattern.compile("^(\\w+)\\{(.*)} \\S+$", Pattern.MULTILINE);
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"");
    private static final String OURS = "flink_taskmanager_job_task_operator_millrace_";
    private static final Duration TIMEOUT = Duration.ofMinutes(3);
    private static final Duration BETWEEN_SCRAPES = Duration.ofMillis(100);

    @TempDir
    Path folder;

    private final ConcurrentLinkedQueue<String> exported = new ConcurrentLinkedQueue<>();

    @Test
    void everyMetricOfTheDashboardReachesPrometheusAndTheCollector() throws Exception {
        List<Dashboard.Query> queries = Dashboard.queries(CONF.resolve("grafana-dashboard.json"));
        Set<String> wanted = new TreeSet<>();
        queries.forEach(query -> wanted.addAll(query.metrics()));
        assertThat(wanted).hasSizeGreaterThan(30);
        HttpServer collector = collector();
        int port = FreePorts.any();
        PipelineConfig config = ConfigReader.read(pipeline(port, collector), List.of());
        Configuration flinkSettings = Configuration.fromMap(config.run().flink());
        FinalMetrics.clear();
        FinalMetricsReporterFactory.configure(flinkSettings);
        RunPlan plan = RunPlanner.plan(config);

        Map<String, Set<String>> labels;
        try (EmbeddedFlink flink = EmbeddedFlink.start(Pipeline.slots(config), "0", RunConfig.Web.ON, flinkSettings)) {
            JobID job = flink.jobs().submit(Pipeline.graph(config, plan, Sinks.of(config, plan, folder)));
            long giveUp = System.nanoTime() + TIMEOUT.toNanos();
            do {
                LockSupport.parkNanos(
                        BETWEEN_SCRAPES.toNanos()); // the interval between two scrapes, not the duration of a scrape
                labels = labels(scrape(port));
            } while ((!labels.keySet().containsAll(wanted)
                            || !notExported(wanted).isEmpty())
                    && System.nanoTime() < giveUp);
            flink.jobs().cancel(job);
            flink.jobs().result(job).get();
            assertThat(FinalMetrics.awaitLast(job.toString(), TIMEOUT)).isTrue();
        } finally {
            collector.stop(0);
        }

        assertThat(labels.keySet()).containsAll(wanted);
        assertThat(notExported(wanted)).isEmpty();
        for (Dashboard.Query query : queries) {
            for (String metric : query.metrics()) {
                assertThat(labels.get(metric))
                        .as("%s: %s", query.panel(), metric)
                        .containsAll(query.labels());
            }
        }
        assertThat(RunResult.finalStages(Pipeline.stages(config)))
                .as("our own reporter, which runs at the same time")
                .allSatisfy(stage -> assertThat(stage.ownMillis()).isPositive());
    }

    /** Returns a pipeline file with the contents of the shipped files, except for ports and a shorter interval. */
    private Path pipeline(int port, HttpServer collector) throws IOException {
        String reporters = Files.readString(CONF.resolve("prometheus-reporter.yaml"))
                + Files.readString(CONF.resolve("opentelemetry-reporter.yaml"));
        String flink = with(
                with(
                        with(reporters, "prometheus.port: ", String.valueOf(port)),
                        "otel.exporter.endpoint: ",
                        "http://127.0.0.1:" + collector.getAddress().getPort() + "/v1/metrics"),
                "otel.interval: ",
                "200 ms");
        return Files.writeString(folder.resolve("watched.yaml"), """
                dataset: {format: synthetic, size: 500, shape: [32, 32, 3], classes: 10, epochs: endless}
                parallelism: 2
                transforms: [RandomCrop: {size: 28}, RandomHorizontalFlip]
                device: {transforms: [ToFloat]}
                train: {model: {mlp: {hidden: [16]}}, threads: 1}
                checkpoint: {interval: 500ms}
                flink:
                """ + flink.indent(2));
    }

    private static String with(String settings, String key, String value) {
        Matcher line = Pattern.compile(Pattern.quote(key) + ".*").matcher(settings);
        assertThat(line.find()).as(key).isTrue();
        return line.replaceFirst(Matcher.quoteReplacement(key + value));
    }

    /** An OpenTelemetry collector that stores what it receives: protocol buffers, in which names are plain text. */
    private HttpServer collector() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v1/metrics", exchange -> {
            exported.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.ISO_8859_1));
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
        return server;
    }

    /** Returns our metrics that the collector did not receive, with their OpenTelemetry names. */
    private List<String> notExported(Set<String> wanted) {
        return wanted.stream()
                .filter(metric -> metric.startsWith(OURS))
                .map(metric -> metric.replace('_', '.'))
                .filter(name -> exported.stream().noneMatch(body -> body.contains(name)))
                .toList();
    }

    private static String scrape(int port) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }

    /** Returns the labels that all series of a metric share, by the metric's name. */
    private static Map<String, Set<String>> labels(String scraped) {
        Map<String, Set<String>> labels = new HashMap<>();
        SAMPLE.matcher(scraped).results().forEach(sample -> {
            Set<String> names = new TreeSet<>();
            LABEL.matcher(sample.group(2)).results().forEach(label -> names.add(label.group(1)));
            labels.merge(sample.group(1), names, (all, some) -> {
                all.retainAll(some);
                return all;
            });
        });
        return labels;
    }
}
