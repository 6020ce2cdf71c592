package io.millrace.dataset.storage;

import java.util.Map;

/** The messages about address schemes, such as {@code s3}, for which Flink has no file system or needs a plugin. */
final class RemoteSchemes {
    private static final Map<String, String> PLUGINS = Map.of(
            "s3", "flink-s3-fs-hadoop",
            "s3a", "flink-s3-fs-hadoop",
            "gs", "flink-gs-fs-hadoop",
            "oss", "flink-oss-fs-hadoop",
            "abfs", "flink-azure-fs-hadoop",
            "abfss", "flink-azure-fs-hadoop",
            "wasb", "flink-azure-fs-hadoop",
            "wasbs", "flink-azure-fs-hadoop");

    private RemoteSchemes() {}

    /** Describes the problem and its solution, for a message after the address. */
    static String describeMissing(String scheme) {
        String plugin = PLUGINS.get(scheme);
        return plugin == null
                ? "Flink has no file system here for " + scheme + "://"
                : scheme + ":// needs Flink's plugin " + plugin + ": put its jar into plugins/" + plugin
                        + "/ as docs/data/storage.md describes";
    }
}
