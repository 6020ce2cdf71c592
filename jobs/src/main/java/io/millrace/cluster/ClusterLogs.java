package io.millrace.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The log configuration of a cluster's processes, and the search in their logs for the reason why a process ended. */
final class ClusterLogs {
    static final String CONFIGURATION = "log4j2.properties";

    private static final String SETTINGS = """
            status = off
            monitorInterval = 30
            appender.file.type = RollingFile
            appender.file.name = file
            appender.file.fileName = ${sys:log.file}
            appender.file.filePattern = ${sys:log.file}.%i
            appender.file.layout.type = PatternLayout
            appender.file.layout.pattern = %d{yyyy-MM-dd HH:mm:ss,SSS} %-5p [%t] %c{1} - %m%n%ex
            appender.file.policies.type = Policies
            appender.file.policies.size.type = SizeBasedTriggeringPolicy
            appender.file.policies.size.size = 50MB
            appender.file.strategy.type = DefaultRolloverStrategy
            appender.file.strategy.max = 3
            rootLogger.level = info
            rootLogger.appenderRef.file.ref = file
            """;

    private static final Pattern LOGGED = Pattern.compile("^[-0-9]{10} [0-9:,]{12} (\\w+) .*? - (.*)$");
    private static final Pattern EXCEPTION =
            Pattern.compile("^(?:Caused by: |Exception in thread \"[^\"]*\" )?((?:[\\w$]+\\.)+[\\w$]+(?:: .*)?)$");

    private ClusterLogs() {}

    static void configure(Path folder) throws IOException {
        Files.writeString(folder.resolve(CONFIGURATION), SETTINGS);
    }

    /** Returns the reason why a process ended: the innermost cause of the last error in its log, or else in its output. */
    static String reason(Path log, Path output) throws IOException {
        Optional<String> logged = Files.exists(log) ? reason(lines(log)) : Optional.empty();
        if (logged.isPresent()) {
            return logged.get();
        }
        List<String> printed = Files.exists(output) ? lines(output) : List.of();
        return reason(printed)
                .orElseGet(() -> printed.isEmpty()
                        ? "its log and its output contain no reason"
                        : String.join(" ", printed.subList(Math.max(0, printed.size() - 3), printed.size())));
    }

    private static List<String> lines(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8)
                .lines()
                .toList();
    }

    /** Returns the innermost cause of the last error. */
    static Optional<String> reason(List<String> lines) {
        String found = null;
        boolean error = true;
        for (String line : lines) {
            Matcher logged = LOGGED.matcher(line);
            Matcher exception = EXCEPTION.matcher(line);
            if (logged.matches()) {
                error = logged.group(1).equals("ERROR") || logged.group(1).equals("FATAL");
                found = error ? logged.group(2) : found;
            } else if (error && exception.matches()) {
                found = exception.group(1);
            }
        }
        return Optional.ofNullable(found);
    }
}
