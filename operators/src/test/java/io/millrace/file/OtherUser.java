package io.millrace.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Another user of this machine. Only root can run programs as this user, so that tests are skipped without root. */
public final class OtherUser {
    /** The number of the user, which is that of {@code nobody} on most systems. */
    private static final String NUMBER = "65534";

    private static final List<String> SWITCH =
            List.of("setpriv", "--reuid=" + NUMBER, "--regid=" + NUMBER, "--clear-groups");

    private OtherUser() {}

    /** Skips the test where programs cannot be run as another user. */
    public static void assumeAvailable() throws IOException, InterruptedException {
        assumeTrue("root".equals(System.getProperty("user.name")), "only root can run programs as another user");
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setpriv")), "the program setpriv is not installed");
        assumeTrue(start(List.of("true")).waitFor() == 0, "this machine does not let root change its user");
    }

    /** Lets all users create files in a folder and delete their own, as in /tmp. */
    public static void share(Path folder) throws IOException, InterruptedException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThat(new ProcessBuilder("chmod", "1777", folder.toString())
                        .start()
                        .waitFor())
                .isZero();
    }

    /** Runs a line of shell as the other user in a folder. */
    public static void run(Path folder, String line) throws IOException, InterruptedException {
        Process process = start(List.of("sh", "-ec", "cd \"$0\"; " + line, folder.toString()));
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as(line).isZero();
    }

    /** Runs a Java program as the other user and returns its output. Skips the test where that user cannot read its classes. */
    public static String java(Class<?> program, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Path classes = Path.of("target", "test-classes").toAbsolutePath();
        assumeTrue(
                start(List.of("test", "-x", java, "-a", "-r", classes.toString()))
                                .waitFor()
                        == 0,
                "another user cannot read " + java + " and " + classes);
        command.addAll(List.of(java, "-cp", System.getProperty("java.class.path"), program.getName()));
        command.addAll(List.of(arguments));
        Process process = start(command);
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    private static Process start(List<String> command) throws IOException {
        List<String> all = new ArrayList<>(SWITCH);
        all.addAll(command);
        return new ProcessBuilder(all)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
