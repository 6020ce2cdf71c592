package io.millrace.cli;

import io.millrace.report.Versions;
import picocli.CommandLine.IVersionProvider;

/** The output of {@code --version}: one line for each component. */
final class VersionLines implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return Versions.current().entrySet().stream()
                .map(part -> String.format("%-9s %s", part.getKey(), part.getValue()))
                .toArray(String[]::new);
    }
}
