package io.millrace.cli;

/** A program that inspects pipelines one after the other, and marks the output of each of them. */
public final class InspectedFiles {
    public static final String BEGIN = "== begin ";
    public static final String END = "== end ";

    private InspectedFiles() {}

    /** Inspects the pipelines with these paths. The mark of an end contains the exit code and the time in milliseconds. */
    public static void main(String[] pipelines) {
        for (String pipeline : pipelines) {
            System.out.println(BEGIN + pipeline);
            long began = System.nanoTime();
            int exitCode = Main.run("inspect", pipeline);
            System.err.flush();
            System.out.println(END + exitCode + " " + (System.nanoTime() - began) / 1_000_000);
        }
        System.exit(0);
    }
}
