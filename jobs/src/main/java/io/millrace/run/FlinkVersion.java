package io.millrace.run;

import io.millrace.report.Versions;

/** The version of Flink that this build uses, compared with the version of a cluster. */
public final class FlinkVersion {
    private FlinkVersion() {}

    /** Returns the minor version that this build is for, as in 2.3. */
    public static String ours() {
        return minor(String.valueOf(Versions.current().get("flink")));
    }

    /**
     * Checks that a cluster can read our jobs. Clients submit jobs as serialized Java objects, which Flink keeps
     * compatible only within a minor version.
     *
     * @param cluster the version of the cluster, for example 2.3.0
     * @throws UsageException when its minor version differs from ours
     */
    static void requireSame(String cluster) {
        if (!minor(cluster).equals(ours())) {
            throw new UsageException("the cluster runs Flink " + cluster + ", but this Millrace is built for Flink "
                    + ours() + ".x: use a cluster of that version");
        }
    }

    private static String minor(String version) {
        String[] parts = version.split("\\.", -1);
        return parts.length < 2 ? version : parts[0] + "." + parts[1];
    }
}
