package io.millrace.s3;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystem.WriteMode;

/** The upload of files to a bucket with Flink's file system, which has to be initialized before. */
public final class Upload {
    private Upload() {}

    /** Uploads all files of a folder under their paths relative to it. */
    public static void tree(Path folder, String bucket) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                var target = new org.apache.flink.core.fs.Path("s3://" + bucket + "/"
                        + folder.relativize(file).toString().replace('\\', '/'));
                try (OutputStream out = FileSystem.get(target.toUri()).create(target, WriteMode.OVERWRITE)) {
                    Files.copy(file, out);
                }
            }
        }
    }
}
